// Arguments of the functions that nanobind calls: refused in one sentence where they would lead out of an array.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>

namespace kumi {

// Raises ValueError with this sentence.
inline void check(bool fine, const char* sentence) {
    if (!fine) throw nanobind::value_error(sentence);
}

inline void check_finite(std::initializer_list<double> numbers, const char* sentence) {
    for (const double number : numbers) check(std::isfinite(number), sentence);
}

// Raises IndexError where a cell lies outside of a grid.
inline void check_cell(const char* what, long long row, long long column, long long rows, long long columns) {
    if (row >= 0 && row < rows && column >= 0 && column < columns) return;
    PyErr_Format(PyExc_IndexError, "%s (%lld, %lld) lies outside of a grid of %lld rows and %lld columns",
                 what, row, column, rows, columns);
    throw nanobind::python_error();
}

}  // namespace kumi
