#include "python.hpp"

#include <cstring>
#include <cstdarg>

namespace kumi {

PyObject* error_class(const char* name) {
    static PyObject* module = nullptr;  // kept, because nothing can be imported while Python shuts down
    if (!module) module = PyImport_ImportModule("kumi.kernel.errors");
    if (!module) return nullptr;
    PyObject* found = get_attribute(module, name);
    Py_XDECREF(found);  // the module keeps it
    return found;
}

PyObject* take_error() {
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    Py_XDECREF(kind);
    Py_XDECREF(trace);
    return value;
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
        PyErr_Format(PyExc_TypeError, "%s() takes a number of seconds, not %s", function, shown(number).c_str());
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
