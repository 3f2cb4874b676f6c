// Events planned by hand: a call at an instant, or a value for a port. They can be moved and withdrawn.
#pragma once

#include "kernel/model.hpp"

namespace kumi {

// An event that calls `action`, with `value` if there is one. It belongs to the engine while planned, and to whoever
// holds it.
PyObject* new_call(Engine& engine, PyObject* action, int rank, PyObject* value = nullptr);

// An event that brings `value` to `port` as external input.
PyObject* new_input(Engine& engine, PyObject* port, PyObject* value);

// Plans or moves an event. False with a Python error.
bool plan_event(PyObject* event, double time);

bool add_event_type(PyObject* module);

}  // namespace kumi
