// The elementary functions as Python sees them.
#pragma once

#include <Python.h>

namespace kumi {

bool add_maths(PyObject* module);

}  // namespace kumi
