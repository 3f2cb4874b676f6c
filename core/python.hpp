// Small helpers around Python's C interface: owned references and errors of `kumi.kernel.errors`.
#pragma once

#include <Python.h>

#include <string>
#include <utility>

namespace kumi {

// An owned reference that is released at the end of its scope.
class Ref {
  public:
    Ref() = default;
    explicit Ref(PyObject* owned) : object_(owned) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref(const Ref&) = delete;
    Ref& operator=(Ref&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() { Py_XDECREF(object_); }

    static Ref borrow(PyObject* object) {
        Py_XINCREF(object);
        return Ref(object);
    }
    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    PyObject* object_ = nullptr;
};

// A new reference to the object, or to None in its place.
inline PyObject* own_or_none(PyObject* object) {
    PyObject* result = object ? object : Py_None;
    Py_INCREF(result);
    return result;
}

// An attribute by its name, owned. The name is interned: Python's cache of attributes keeps each text object
// it is asked with, so fresh ones would fill it.
inline PyObject* get_attribute(PyObject* object, const char* name) {
    Ref key(PyUnicode_InternFromString(name));
    return key ? PyObject_GetAttr(object, key.get()) : nullptr;
}

// Lays the Python error that is set aside, for code that may raise and clear errors of its own.
class ErrorAside {
  public:
    ErrorAside() { PyErr_Fetch(&kind_, &value_, &trace_); }
    ~ErrorAside() { PyErr_Restore(kind_, value_, trace_); }
    ErrorAside(const ErrorAside&) = delete;

  private:
    PyObject *kind_, *value_, *trace_;
};

// The Python error that is set, taken out as an exception with its traceback; owned.
PyObject* take_error();

// The exception class `name` of kumi.kernel.errors, borrowed; it lives as long as the module.
PyObject* error_class(const char* name);

// Raises an exception of kumi.kernel.errors; the format is that of PyErr_Format. Always null.
PyObject* raise(const char* name, const char* format, ...);

// The characters of a Python text, or "?".
inline const char* text(PyObject* string) {
    const char* utf8 = string && PyUnicode_Check(string) ? PyUnicode_AsUTF8(string) : nullptr;
    if (!utf8) PyErr_Clear();
    return utf8 ? utf8 : "?";
}

// Whether a Python text can name something in a path: not empty, no dot, nothing that is no character.
bool is_name(PyObject* text);

// Reads a number of seconds; false with an error that names the function and the value.
bool seconds(const char* function, PyObject* number, double& value);

// Text of an object for a message: repr, or the type's name where repr itself fails.
std::string shown(PyObject* object);

// A time as people read it, shortest form that keeps the number.
std::string shown(double time);

}  // namespace kumi
