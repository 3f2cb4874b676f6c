// What a body is told of: who comes near, what a feeler touches, when a supply is low.
#include "objects/body_methods.hpp"

#include <nanobind/nanobind.h>

#include <cmath>

namespace nb = nanobind;

namespace kumi {

namespace {

// Keeps who is told by a watch, and gives its number.
PyObject* keep_watch(PyObject* object, std::uint32_t number, PyObject* told) {
    PlaneObject* plane = body_of(object)->plane;
    if (plane->told.size() <= number) plane->told.resize(number + 1, nullptr);
    Py_INCREF(told);
    Py_XSETREF(plane->told[number], told);
    replan(plane);
    return PyLong_FromUnsignedLong(number);
}

// A feeler is a straight line: a shape of two corners, without a rim.
bool read_feeler(PyObject* object, std::shared_ptr<const Shape>& feeler) {
    try {
        const Shape& shape = nb::cast<const Shape&>(nb::handle(object));
        if (shape.kind == Shape::Kind::polygon && shape.corners.size() == 2 && shape.radius == 0.0) {
            feeler = std::make_shared<const Shape>(shape);
            return true;
        }
    } catch (const nb::cast_error&) {}
    PyErr_Format(PyExc_TypeError, "a feeler is a Shape of two corners, not %s", shown(object).c_str());
    return false;
}

}  // namespace

PyObject* body_watch(PyObject* object, PyObject* args) {
    double within, view, bearing;
    int to_centres;
    PyObject* told;
    Plane* plane = plane_under(object);
    if (!plane || !PyArg_ParseTuple(args, "dddpO:watch", &within, &view, &bearing, &to_centres, &told))
        return nullptr;
    if (!(within > 0.0) || !std::isfinite(within))
        return PyErr_Format(PyExc_ValueError, "watch(): a range is a number of metres > 0, not %s",
                            shown(within).c_str());
    if (!(view > 0.0))
        return PyErr_Format(PyExc_ValueError, "watch(): a field of view is an angle > 0, not %s",
                            shown(view).c_str());
    if (!std::isfinite(bearing))
        return PyErr_Format(PyExc_ValueError, "watch(): a bearing is a finite angle, not %s",
                            shown(bearing).c_str());
    if (!PyCallable_Check(told))
        return PyErr_Format(PyExc_TypeError, "watch(): who is told is a function, not %s",
                            shown(told).c_str());
    return keep_watch(
        object, plane->watches().watch(body_of(object)->id, within, view, bearing, to_centres != 0), told);
}

PyObject* body_fire_watch(PyObject* object, PyObject* args) {
    unsigned long number;
    PyObject *reports, *entered, *left;
    Plane* plane = plane_below(object);
    if (!plane || !PyArg_ParseTuple(args, "kO!O!O!:fire_watch", &number, SignalType, &reports, SignalType,
                                    &entered, SignalType, &left))
        return nullptr;
    PlaneObject* owner = body_of(object)->plane;
    if (number >= owner->told.size() || !owner->told[number] || !plane->watches().is_range(number))
        return PyErr_Format(PyExc_ValueError, "there is no watch %lu", number);
    PyObject* signals = PyTuple_Pack(3, reports, entered, left);
    if (!signals) return nullptr;
    Py_SETREF(owner->told[number], signals);
    Py_RETURN_NONE;
}

PyObject* body_feel(PyObject* object, PyObject* args) {
    PyObject *shape, *told;
    std::shared_ptr<const Shape> feeler;
    Plane* plane = plane_under(object);
    if (!plane || !PyArg_ParseTuple(args, "OO:open_feeler", &shape, &told) || !read_feeler(shape, feeler))
        return nullptr;
    const std::uint32_t number = plane->watches().feel(body_of(object)->id, feeler);
    return unless_error(keep_watch(object, number, told));
}

PyObject* body_touches(PyObject* object, PyObject* args) {
    PyObject* shape;
    double width;
    std::shared_ptr<const Shape> feeler;
    Plane* plane = plane_under(object);
    if (!plane || !PyArg_ParseTuple(args, "Od:touches", &shape, &width) || !read_feeler(shape, feeler))
        return nullptr;
    return unless_error(PyBool_FromLong(plane->watches().touches(body_of(object)->id, *feeler, width)));
}

PyObject* body_gauge(PyObject* object, PyObject* args) {
    Watches::Gauge gauge;
    PyObject* told;
    Plane* plane = plane_under(object);
    if (!plane || !PyArg_ParseTuple(args, "dddddO:open_gauge", &gauge.idle, &gauge.per_metre,
                                    &gauge.per_radian, &gauge.left, &gauge.limit, &told))
        return nullptr;
    return unless_error(keep_watch(object, plane->watches().gauge(body_of(object)->id, gauge), told));
}

PyObject* body_gauge_left(PyObject* object, PyObject* number) {
    Plane* plane = plane_below(object);
    const unsigned long gauge = PyLong_AsUnsignedLong(number);
    if (!plane || PyErr_Occurred()) return nullptr;
    if (!plane->watches().is_gauge(gauge))
        return PyErr_Format(PyExc_ValueError, "there is no gauge %lu", gauge);
    return unless_error(PyFloat_FromDouble(plane->watches().left(static_cast<std::uint32_t>(gauge))));
}

PyObject* body_fill_gauge(PyObject* object, PyObject* args) {
    unsigned long gauge;
    double left, limit;
    Plane* plane = plane_under(object);
    if (!plane || !PyArg_ParseTuple(args, "kdd:fill_gauge", &gauge, &left, &limit)) return nullptr;
    if (!plane->watches().is_gauge(gauge))
        return PyErr_Format(PyExc_ValueError, "there is no gauge %lu", gauge);
    plane->watches().fill(static_cast<std::uint32_t>(gauge), left, limit);
    replan(body_of(object)->plane);
    return unless_error(own_or_none(nullptr));
}

PyObject* body_drain_gauge(PyObject* object, PyObject* args) {
    unsigned long gauge;
    double amount;
    Plane* plane = plane_under(object);
    if (!plane || !PyArg_ParseTuple(args, "kd:drain_gauge", &gauge, &amount)) return nullptr;
    if (!plane->watches().is_gauge(gauge))
        return PyErr_Format(PyExc_ValueError, "there is no gauge %lu", gauge);
    plane->watches().drain(static_cast<std::uint32_t>(gauge), amount);
    replan(body_of(object)->plane);
    return unless_error(own_or_none(nullptr));
}

PyObject* body_unwatch(PyObject* object, PyObject* number) {
    Plane* plane = plane_below(object);
    const unsigned long watch = PyLong_AsUnsignedLong(number);
    if (!plane || PyErr_Occurred()) return nullptr;
    auto& told = body_of(object)->plane->told;
    if (!body_of(object)->past && watch < told.size() && told[watch]) {
        plane->watches().unwatch(static_cast<std::uint32_t>(watch));
        Py_CLEAR(told[watch]);
        replan(body_of(object)->plane);
    }
    Py_RETURN_NONE;
}

PyObject* body_watched(PyObject* object, PyObject* number) {
    Plane* plane = plane_below(object);
    const unsigned long watch = PyLong_AsUnsignedLong(number);
    if (!plane || PyErr_Occurred()) return nullptr;
    PlaneObject* owner = body_of(object)->plane;
    Ref list(PyList_New(0));
    if (!list || body_of(object)->past || watch >= owner->told.size()) return list.release();
    for (BodyId other : plane->watches().watched(static_cast<std::uint32_t>(watch)))
        if (other < owner->bodies.size() && owner->bodies[other])
            PyList_Append(list.get(), reinterpret_cast<PyObject*>(owner->bodies[other]));
    return list.release();
}

}  // namespace kumi
