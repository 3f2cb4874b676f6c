// What Python sees of an engine that holds a part of a model.
#pragma once

#include "kernel/engine.hpp"

#include <nanobind/nanobind.h>

namespace kumi {

namespace nb = nanobind;

void add_division(nb::class_<Engine>& engine);

}  // namespace kumi
