// The methods of a body for Python, by the file in which they are; each gives null with a Python error.
#pragma once

#include "objects/plane.hpp"

#include <memory>

namespace kumi {

inline BodyObject* body_of(PyObject* self) { return reinterpret_cast<BodyObject*>(self); }

// body.cpp: the plane of a body at the present time; and that of one that is still on it, else Lost. What a body is made of.
Plane* plane_below(PyObject* object);
Plane* plane_under(PyObject* object);
bool read_shape(PyObject* object, std::shared_ptr<const Shape>& shape);
bool is_finite_pose(const char* what, double x, double y, double heading);

// body_motion.cpp
PyObject* body_carry_out(PyObject* object, PyObject* command);
PyObject* body_start(PyObject* object, PyObject* given);
PyObject* body_steer(PyObject* object, PyObject* command);
PyObject* body_stop(PyObject* object, PyObject*);
PyObject* body_remove(PyObject* object, PyObject*);
PyObject* body_put(PyObject* object, PyObject* args);
PyObject* body_resize(PyObject* object, PyObject* shape);
PyObject* body_walk(PyObject* object, PyObject* args);

// body_watches.cpp
PyObject* body_watch(PyObject* object, PyObject* args);
PyObject* body_fire_watch(PyObject* object, PyObject* args);
PyObject* body_feel(PyObject* object, PyObject* args);
PyObject* body_touches(PyObject* object, PyObject* args);
PyObject* body_gauge(PyObject* object, PyObject* args);
PyObject* body_gauge_left(PyObject* object, PyObject* number);
PyObject* body_fill_gauge(PyObject* object, PyObject* args);
PyObject* body_drain_gauge(PyObject* object, PyObject* args);
PyObject* body_unwatch(PyObject* object, PyObject* number);
PyObject* body_watched(PyObject* object, PyObject* number);

}  // namespace kumi
