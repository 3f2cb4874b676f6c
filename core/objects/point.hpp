// Places in the plane as Python sees them: two numbers that never change.
#pragma once

#include "numbers/vec.hpp"
#include "python/python.hpp"

namespace kumi {

struct PointObject {
    PyObject_HEAD Vec at;
};

extern PyTypeObject* PointType;

PyObject* new_point(Vec at);

// Reads a Point or any pair of numbers; false with an error that names `what` and the value.
bool read_point(const char* what, PyObject* object, Vec& at);

bool add_point(PyObject* module);

}  // namespace kumi
