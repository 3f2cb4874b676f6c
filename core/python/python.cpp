#include "python/python.hpp"

#include <nanobind/nanobind.h>

#include <cstdarg>
#include <cstring>
#include <map>
#include <new>
#include <stdexcept>

namespace kumi {

namespace {

// All that the core asks of Python above it.
constexpr const char* ERRORS[] = {
    "BadGoal", "Blocked",  "Busy",         "Cut",      "EndlessLoop", "Interrupted",    "Lagged",   "Lost",
    "NoRun",   "NoResult", "NeverAwaited", "Outlived", "PortError",   "StructureError", "TimeError"};
constexpr const char* OTHERS[] = {"Car",   "Contact", "Entered",       "Forward", "GaussianErrors",
                                  "Left",  "MoveTo",  "Omni",          "Parting", "Range",
                                  "Steer", "Turn",    "UniformErrors", "Wheel",   "accepted_classes"};

template <std::size_t COUNT> bool is_among(const char* const (&names)[COUNT], const char* name) {
    for (const char* one : names)
        if (std::strcmp(one, name) == 0) return true;
    return false;
}

std::map<std::string, PyObject*, std::less<>>& provisions() {
    static std::map<std::string, PyObject*, std::less<>> all;
    return all;
}

}  // namespace

PyObject*& provided_slot(const char* name) {
    const auto found = provisions().find(std::string_view(name));
    return found != provisions().end() ? found->second : provisions()[name];
}

PyObject* provided(const char* name) {
    PyObject* thing = provided_slot(name);
    if (!thing)
        PyErr_Format(PyExc_RuntimeError,
                     "kumi._core has not been given %s: import the part of kumi that has it", name);
    return thing;
}

bool provide(PyObject* name, PyObject* thing) {
    const char* utf8 = PyUnicode_AsUTF8(name);
    if (!utf8) return false;
    const bool is_error = is_among(ERRORS, utf8);
    if (!is_error && !is_among(OTHERS, utf8)) {
        PyErr_Format(PyExc_ValueError, "the core asks for nothing named %s", shown(name).c_str());
        return false;
    }
    if (is_error ? !PyExceptionClass_Check(thing) : !PyCallable_Check(thing)) {
        PyErr_Format(PyExc_TypeError, "%s is %s, not %s", utf8,
                     is_error ? "a class of exceptions" : "a class or a function", shown(thing).c_str());
        return false;
    }
    Py_INCREF(thing);
    Py_XSETREF(provided_slot(utf8), thing);
    return true;
}

Names names{};

bool add_names() {
    const std::pair<PyObject**, const char*> texts[] = {{&names.noise, "noise"},
                                                        {&names.speed, "speed"},
                                                        {&names.turn_speed, "turn_speed"},
                                                        {&names.goal, "goal"},
                                                        {&names.plan, "plan"},
                                                        {&names.carry_out, "carry_out"},
                                                        {&names.missing, "_missing"},
                                                        {&names.reduce, "__reduce__"},
                                                        {&names.a_body, "a body"},
                                                        {&names.border, "border"},
                                                        {&names.an_obstacle, "an obstacle"}};
    for (const auto& [text, characters] : texts)
        if (!(*text = PyUnicode_InternFromString(characters))) return false;
    return (names.nothing = PyTuple_New(0)) != nullptr;
}

PyObject* take_error() {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "something failed without an error");
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    Py_XDECREF(kind);
    Py_XDECREF(trace);
    return value;
}

void set_error_of_exception() {
    try {
        throw;
    } catch (nanobind::python_error& error) {
        error.restore();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::length_error&) {
        PyErr_SetString(PyExc_ValueError, "a number here asks for more memory than there can be");
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
}

PyObject* raise(const char* name, const char* format, ...) {
    PyObject* kind = error_class(name);
    if (!kind) return nullptr;
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(kind, format, arguments);
    va_end(arguments);
    return nullptr;
}

std::string shown(PyObject* object) {
    if (!object) return "nothing";
    ErrorAside aside;
    std::string text = Py_TYPE(object)->tp_name;
    Ref repr(PyObject_Repr(object));
    if (repr) {
        Py_ssize_t length = 0;
        if (const char* utf8 = PyUnicode_AsUTF8AndSize(repr.get(), &length)) {
            text.assign(utf8, static_cast<std::size_t>(length));
            if (text.size() > 120) {
                std::size_t end = 117;
                while ((text[end] & 0xC0) == 0x80) --end;  // not inside a character
                text = text.substr(0, end) + "...";
            }
        }
    }
    PyErr_Clear();
    return text;
}

bool is_name(PyObject* text) {
    const char* utf8 = PyUnicode_AsUTF8(text);
    if (!utf8) PyErr_Clear();
    return utf8 && *utf8 && !std::strchr(utf8, '.');
}

bool seconds(const char* function, PyObject* number, double& value) {
    value = PyFloat_CheckExact(number) ? PyFloat_AS_DOUBLE(number) : PyFloat_AsDouble(number);
    if (value != -1.0 || !PyErr_Occurred()) return true;
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s() takes a number of seconds, not %s", function,
                     shown(number).c_str());
    }
    return false;
}

std::string shown(double time) {
    char* text = PyOS_double_to_string(time, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr);
    std::string result = text ? text : "?";
    PyMem_Free(text);
    return result;
}

}  // namespace kumi
