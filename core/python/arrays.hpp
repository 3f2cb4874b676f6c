// The memory of an array of numpy, held while it is read, or filled where the items are not const.
#pragma once

#include <cstdint>
#include <type_traits>

#include "python/python.hpp"

namespace kumi {

template <class Item> class Array {
  public:
    explicit Array(PyObject* array) : is_held_(PyObject_GetBuffer(array, &view_, FLAGS) == 0) {
        if (!is_held_ || reinterpret_cast<std::uintptr_t>(view_.buf) % alignof(Item) == 0) return;
        PyBuffer_Release(&view_);
        is_held_ = false;
        PyErr_SetString(PyExc_ValueError,
                        "the numbers of an array are aligned in memory, as those of its copy are");
    }
    ~Array() {
        if (is_held_) PyBuffer_Release(&view_);
    }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    explicit operator bool() const { return is_held_; }
    Item* begin() const { return static_cast<Item*>(view_.buf); }
    Item& operator[](std::size_t i) const { return begin()[i]; }
    Py_ssize_t size() const { return view_.len / static_cast<Py_ssize_t>(sizeof(Item)); }

    // Whether it is held and has so many items; else a Python error.
    bool has(std::size_t items) const {
        if (!is_held_) return false;
        if (view_.len == static_cast<Py_ssize_t>(items * sizeof(Item))) return true;
        PyErr_Format(PyExc_ValueError, "an array of %zd bytes was to have %zu items of %zu bytes", view_.len,
                     items, sizeof(Item));
        return false;
    }

  private:
    static constexpr int FLAGS = PyBUF_C_CONTIGUOUS | (std::is_const_v<Item> ? 0 : PyBUF_WRITABLE);
    Py_buffer view_{};
    bool is_held_;
};

}  // namespace kumi
