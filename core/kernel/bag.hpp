// The values that reach an input in one step. Most bags hold one or two, which need no memory of their own.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace kumi {

// Holds pointers; who fills it decides who owns what they point to.
class Bag {
  public:
    Bag() = default;
    Bag(const Bag&) = delete;
    ~Bag() {
        if (capacity_ > FEW) std::free(many_);
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    PyObject* operator[](std::size_t index) const { return begin()[index]; }
    PyObject* const* begin() const { return capacity_ > FEW ? many_ : few_; }
    PyObject* const* end() const { return begin() + size_; }

    void push_back(PyObject* value) {
        if (size_ == capacity_) grow();
        (capacity_ > FEW ? many_ : few_)[size_++] = value;
    }

    // Releases the values, each an owned reference. A __del__ among them may look into the bag, or fill it anew: it is
    // empty before the first of them goes.
    void release() {
        if (capacity_ == FEW) {
            PyObject* const values[FEW] = {few_[0], few_[1]};
            const std::uint32_t count = std::exchange(size_, 0);
            for (std::uint32_t i = 0; i < count; ++i) Py_DECREF(values[i]);
            return;
        }
        PyObject** values = many_;
        const std::uint32_t count = std::exchange(size_, 0), capacity = std::exchange(capacity_, FEW);
        for (std::uint32_t i = 0; i < count; ++i) Py_DECREF(values[i]);
        if (capacity_ == FEW && size_ == 0) {  // the memory serves again
            many_ = values;
            capacity_ = capacity;
        } else {
            std::free(values);
        }
    }

  private:
    static constexpr std::uint32_t FEW = 2;

    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = FEW;
    union {
        PyObject* few_[FEW];
        PyObject** many_;
    };

    void grow() {
        const std::uint32_t wanted = capacity_ * 2;
        auto** room = static_cast<PyObject**>(std::malloc(wanted * sizeof(PyObject*)));
        if (!room) throw std::bad_alloc();
        std::memcpy(room, begin(), size_ * sizeof(PyObject*));
        if (capacity_ > FEW) std::free(many_);
        many_ = room;
        capacity_ = wanted;
    }
};

}  // namespace kumi
