// Small helpers around Python's C interface: owned references, errors, and what Python hands to the core.
#pragma once

#include <Python.h>

#include <string>
#include <type_traits>
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

// Sets the present Python error aside, and brings it back at the end of the block. Every callback into Python and
// every deallocation that may lead to one needs it: Python code that is called with an error set may clear it, and
// the interpreter then reads the error that is gone.
class ErrorAside {
  public:
    ErrorAside() : outer_(std::exchange(innermost_, this)) {
        if (PyErr_Occurred()) PyErr_Fetch(&kind_, &value_, &trace_);
    }
    ~ErrorAside() {
        innermost_ = outer_;
        PyErr_Restore(kind_, value_, trace_);
    }
    ErrorAside(const ErrorAside&) = delete;

    // Whether an error is on its way in this thread: it is set, or was set aside last.
    static bool is_on_its_way() { return PyErr_Occurred() || (innermost_ && innermost_->kind_); }

  private:
    ErrorAside* outer_;
    PyObject *kind_ = nullptr, *value_ = nullptr, *trace_ = nullptr;

    static inline thread_local ErrorAside* innermost_ [[gnu::tls_model("initial-exec")]] = nullptr;
};

// The Python error that is set, taken out as an exception with its traceback; owned, never null.
PyObject* take_error();

// Writes the Python error that is set, if there is one, where nobody can be told: in a deallocation.
inline void report_unraisable(PyObject* where = nullptr) {
    if (PyErr_Occurred()) PyErr_WriteUnraisable(where);
}

// Sets the Python error that stands for the C++ exception being handled: MemoryError, ValueError, ...
void set_error_of_exception();

// What a function of a Python type returns when it fails.
template <class R> constexpr R failed() {
    if constexpr (std::is_pointer_v<R>)
        return nullptr;
    else if constexpr (std::is_same_v<R, PySendResult>)
        return PYGEN_ERROR;
    else
        return R(-1);
}

// A function for a table of Python's, which no C++ exception leaves: there are frames of C above it.
template <auto FUNCTION> struct Guarded;
template <class R, class... A, R (*FUNCTION)(A...)> struct Guarded<FUNCTION> {
    static R call(A... arguments) {
        try {
            return FUNCTION(arguments...);
        } catch (...) {
            set_error_of_exception();
            return failed<R>();
        }
    }
};
template <auto FUNCTION> constexpr auto guarded = &Guarded<FUNCTION>::call;

template <void (*)(PyObject*)> struct Function {};
inline void leave_nothing(PyObject*) {}

// The same for the deallocation of a type that takes part in garbage collection. The present error is set aside, and long
// chains of objects are taken apart one after the other, not one inside the other. So an object may have to wait for its
// turn: LEAVE says before that to all who point to it without owning it that it goes, also more than once.
template <void (*FUNCTION)(PyObject*), void (*LEAVE)(PyObject*) = leave_nothing>
void deallocated(PyObject* object) {
    PyObject_GC_UnTrack(object);
    if constexpr (!std::is_same_v<Function<LEAVE>, Function<leave_nothing>>) {
        ErrorAside aside;
        try {
            LEAVE(object);
        } catch (...) {
            set_error_of_exception();
            report_unraisable();
        }
    }
    Py_TRASHCAN_BEGIN(object, (deallocated<FUNCTION, LEAVE>)) {
        ErrorAside aside;
        try {
            FUNCTION(object);
        } catch (...) {
            set_error_of_exception();
            report_unraisable();
        }
    }
    Py_TRASHCAN_END
}

// What the Python parts above the core have handed to it by `provide`, by name; see PROVIDED in ARCHITECTURE.md.
// The slot stays where it is for ever; it holds null until the thing is provided.
PyObject*& provided_slot(const char* name);

// The same, borrowed; null with a Python error that says what is missing.
PyObject* provided(const char* name);

// One of them that is asked for often, found once.
class Provision {
  public:
    explicit Provision(const char* name) : name_(name), slot_(provided_slot(name)) {}
    PyObject* get() const { return slot_ ? slot_ : provided(name_); }

  private:
    const char* name_;
    PyObject*& slot_;
};

// Keeps a thing under its name for ever, in place of an earlier one. False with a Python error.
bool provide(PyObject* name, PyObject* thing);

// The exception class `name` of kumi.devs.errors, borrowed.
inline PyObject* error_class(const char* name) { return provided(name); }

// Raises an exception of kumi.devs.errors; the format is that of PyErr_Format. Always null.
PyObject* raise(const char* name, const char* format, ...);

// Texts that Python is asked with again and again, and a tuple of nothing: made when the module is loaded, for ever.
struct Names {
    PyObject *noise, *speed, *turn_speed, *goal, *plan, *carry_out, *missing, *reduce;
    PyObject *a_body, *border, *an_obstacle;
    PyObject* nothing;
};
extern Names names;
bool add_names();

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
