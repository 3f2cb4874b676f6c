// The elementary functions as Python sees them: of numbers, with the errors of Python's `math`; of arrays of numpy,
// element by element, with NaN and infinities in place of errors.
#include "python/maths.hpp"

#include <algorithm>
#include <cmath>

#include "numbers/elementary.hpp"
#include "python/arrays.hpp"

namespace kumi {

namespace {

using One = double (*)(double);
using Other = double (*)(double, double);

bool is_array(PyObject* x) {
    return !PyFloat_Check(x) && !PyLong_Check(x) && !PyUnicode_Check(x) && PySequence_Check(x);
}

using Numbers = Array<const double>;
using Filled = Array<double>;

// numpy itself, owned. Whoever has an array has loaded it.
PyObject* loaded_numpy(PyObject* array) {
    Ref name(PyUnicode_FromString("numpy"));
    Ref found(name ? PyImport_GetModule(name.get()) : nullptr);
    if (!found && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "a number or an array of numpy is expected, not %s",
                     shown(array).c_str());
    return found.release();
}

// numpy.asarray(values, float, "C"); owned.
PyObject* as_doubles(PyObject* numpy, PyObject* values) {
    return PyObject_CallMethod(numpy, "asarray", "Oss", values, "d", "C");
}

PyObject* each(One function, PyObject* values) {
    Ref numpy(loaded_numpy(values));
    Ref from(numpy ? as_doubles(numpy.get(), values) : nullptr);
    Ref to(from ? PyObject_CallMethod(numpy.get(), "empty_like", "O", from.get()) : nullptr);
    if (!to) return nullptr;
    const Numbers read(from.get());
    const Filled filled(to.get());
    if (!read || !filled) return nullptr;
    for (Py_ssize_t i = 0; i < read.size(); ++i) filled.begin()[i] = function(read.begin()[i]);
    return to.release();
}

PyObject* each(Other function, PyObject* first, PyObject* second) {
    Ref numpy(loaded_numpy(is_array(first) ? first : second));
    Ref both(numpy ? PyObject_CallMethod(numpy.get(), "broadcast_arrays", "OO", first, second) : nullptr);
    Ref a(both ? PySequence_GetItem(both.get(), 0) : nullptr),
        b(a ? PySequence_GetItem(both.get(), 1) : nullptr);
    Ref left(b ? as_doubles(numpy.get(), a.get()) : nullptr);
    Ref right(left ? as_doubles(numpy.get(), b.get()) : nullptr);
    Ref to(right ? PyObject_CallMethod(numpy.get(), "empty_like", "O", left.get()) : nullptr);
    if (!to) return nullptr;
    const Numbers x(left.get()), y(right.get());
    const Filled filled(to.get());
    if (!x || !y || !filled) return nullptr;
    for (Py_ssize_t i = 0; i < x.size(); ++i) filled.begin()[i] = function(x.begin()[i], y.begin()[i]);
    return to.release();
}

// A value for finite arguments, or the error that Python's `math` raises where there is none.
PyObject* checked(double value, bool is_finite, bool can_overflow) {
    if (std::isfinite(value) || !is_finite) return PyFloat_FromDouble(value);
    if (can_overflow && !std::isnan(value))
        PyErr_SetString(PyExc_OverflowError, "math range error");
    else
        PyErr_SetString(PyExc_ValueError, "math domain error");
    return nullptr;
}

template <One function, bool can_overflow = false> PyObject* of_one(PyObject*, PyObject* argument) {
    if (is_array(argument)) return each(function, argument);
    const double x = PyFloat_AsDouble(argument);
    if (x == -1.0 && PyErr_Occurred()) return nullptr;
    const double value = function(x);
    // NaN of an infinity is an error, too; an infinity of an infinity is not.
    return checked(value, std::isfinite(x) || (std::isnan(value) && !std::isnan(x)), can_overflow);
}

template <Other function, bool can_overflow = false>
PyObject* of_two(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
    static_cast<void>(module);
    if (count != 2) return PyErr_Format(PyExc_TypeError, "two numbers are expected, not %zd", count);
    if (is_array(arguments[0]) || is_array(arguments[1])) return each(function, arguments[0], arguments[1]);
    const double x = PyFloat_AsDouble(arguments[0]);
    if (x == -1.0 && PyErr_Occurred()) return nullptr;
    const double y = PyFloat_AsDouble(arguments[1]);
    if (y == -1.0 && PyErr_Occurred()) return nullptr;
    return checked(function(x, y), std::isfinite(x) && std::isfinite(y), can_overflow && x != 0.0);
}

// The value at x on the line through (at[i], value[i]); beyond its ends, that of the end.
double on_line(double x, const Numbers& at, const Numbers& value) {
    const double *first = at.begin(), *last = first + at.size();
    if (std::isnan(x)) return x;
    const Py_ssize_t above = std::upper_bound(first, last, x) - first;
    if (above == 0) return value.begin()[0];
    const Py_ssize_t below = above - 1;
    if (above == at.size() || first[below] == x) return value.begin()[below];
    const double slope = (value.begin()[above] - value.begin()[below]) / (first[above] - first[below]);
    return slope * (x - first[below]) + value.begin()[below];
}

PyObject* interp(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3)
        return PyErr_Format(PyExc_TypeError, "interp(x, at, values) takes 3 arguments, not %zd", count);
    Ref numpy(loaded_numpy(arguments[1]));
    Ref places(numpy ? as_doubles(numpy.get(), arguments[1]) : nullptr);
    Ref values(places ? as_doubles(numpy.get(), arguments[2]) : nullptr);
    Ref from(values ? as_doubles(numpy.get(), arguments[0]) : nullptr);
    Ref to(from ? PyObject_CallMethod(numpy.get(), "empty_like", "O", from.get()) : nullptr);
    if (!to) return nullptr;
    const Numbers at(places.get()), value(values.get()), x(from.get());
    const Filled filled(to.get());
    if (!at || !value || !x || !filled) return nullptr;
    if (at.size() == 0 || at.size() != value.size())
        return PyErr_Format(PyExc_ValueError,
                            "interp(): %zd places have as many values, at least one; not %zd", at.size(),
                            value.size());
    for (Py_ssize_t i = 0; i < x.size(); ++i) filled.begin()[i] = on_line(x.begin()[i], at, value);
    return is_array(arguments[0]) ? to.release() : PyFloat_FromDouble(filled.begin()[0]);
}

#define OF_ONE(name, doc)      \
    #name "(x, /)\n--\n\n" doc \
          "\n\nType: (x: float, /) -> float\nType: (x: NDArray[Any], /) -> NDArray[np.float64]"
#define OF_TWO(name, x, y, doc)                                                          \
    #name "(" #x ", " #y ", /)\n--\n\n" doc "\n\nType: (" #x ": float, " #y              \
          ": float, /) -> float\nType: (" #x ": NDArray[Any], " #y                       \
          ": NDArray[Any] | float, /) -> NDArray[np.float64]\nType: (" #x ": float, " #y \
          ": NDArray[Any], /) -> NDArray[np.float64]"

template <Other function, bool can_overflow = false> constexpr PyCFunction two() {
    return reinterpret_cast<PyCFunction>(
        reinterpret_cast<void (*)()>(guarded<of_two<function, can_overflow>>));
}

PyMethodDef functions[] = {
    {"sin", guarded<of_one<maths::sin>>, METH_O, OF_ONE(sin, "The sine of an angle.")},
    {"cos", guarded<of_one<maths::cos>>, METH_O, OF_ONE(cos, "The cosine of an angle.")},
    {"tan", guarded<of_one<maths::tan>>, METH_O, OF_ONE(tan, "The tangent of an angle.")},
    {"asin", guarded<of_one<maths::asin>>, METH_O,
     OF_ONE(asin, "The angle in [-pi/2, pi/2] with this sine.")},
    {"acos", guarded<of_one<maths::acos>>, METH_O, OF_ONE(acos, "The angle in [0, pi] with this cosine.")},
    {"atan", guarded<of_one<maths::atan>>, METH_O,
     OF_ONE(atan, "The angle in [-pi/2, pi/2] with this tangent.")},
    {"exp", guarded<of_one<maths::exp, true>>, METH_O, OF_ONE(exp, "e to the power of x.")},
    {"log", guarded<of_one<maths::log>>, METH_O, OF_ONE(log, "The natural logarithm of x.")},
    {"log1p", guarded<of_one<maths::log1p>>, METH_O, OF_ONE(log1p, "The natural logarithm of 1 + x.")},
    {"log2", guarded<of_one<maths::log2>>, METH_O, OF_ONE(log2, "The logarithm of x to base 2.")},
    {"log10", guarded<of_one<maths::log10>>, METH_O, OF_ONE(log10, "The logarithm of x to base 10.")},
    {"erfc", guarded<of_one<maths::erfc>>, METH_O, OF_ONE(erfc, "The complementary error function.")},
    {"atan2", two<maths::atan2>(), METH_FASTCALL,
     OF_TWO(atan2, y, x, "The direction of (x, y), in (-pi, pi].")},
    {"hypot", two<maths::hypot, true>(), METH_FASTCALL, OF_TWO(hypot, x, y, "The length of (x, y).")},
    {"pow", two<maths::pow, true>(), METH_FASTCALL, OF_TWO(pow, x, y, "x to the power of y.")},
    {"interp", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<interp>)), METH_FASTCALL,
     "interp(x, at, values, /)\n--\n\nThe value at x of the line through points in ascending order.\n\n"
     "Type: (x: float, at: NDArray[Any], values: NDArray[Any], /) -> float\n"
     "Type: (x: NDArray[Any], at: NDArray[Any], values: NDArray[Any], /) -> NDArray[np.float64]"},
    {}};

}  // namespace

bool add_maths(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace kumi
