// What Python asks a plane: rays, who is near, what is in the way, where all are.
#include "numbers/elementary.hpp"
#include "objects/plane_methods.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace nb = nanobind;

namespace kumi {

namespace {

PyObject* body_or_none(PyObject* object, BodyId id) {
    const auto& bodies = object_of(object)->bodies;
    return own_or_none(id < bodies.size() ? reinterpret_cast<PyObject*>(bodies[id]) : nullptr);
}

PyObject* shown_hit(PyObject* object, const Hit& hit) {
    return Py_BuildValue("dNi", hit.distance, body_or_none(object, hit.body), hit.obstacle);
}

}  // namespace

PyObject* plane_first_hit(PyObject* object, PyObject* args) {
    PyObject *from, *ignoring;
    double angle, reach;
    int bodies;
    unsigned char stopping;
    Vec at;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane ||
        !PyArg_ParseTuple(args, "OddOpb:hit", &from, &angle, &reach, &ignoring, &bodies, &stopping) ||
        !read_point("first_hit()", from, at) || !read_body(ignoring, id))
        return nullptr;
    if (!(reach > 0.0) || std::isnan(angle) || std::isinf(angle))
        return PyErr_Format(
            PyExc_ValueError,
            "first_hit(): a direction is an angle and a reach a number of metres > 0, not %s and %s",
            shown(angle).c_str(), shown(reach).c_str());
    plane->next_time();  // cells are in order
    const Hit hit = plane->queries().first_hit(at, direction(angle), reach, id, bodies != 0, stopping);
    if (hit.distance == INFINITE_TIME) return unless_error(own_or_none(nullptr));
    return unless_error(shown_hit(object, hit));
}

PyObject* plane_hits(PyObject* object, PyObject* args) {
    PyObject *from, *ignoring;
    double first, step, reach;
    Py_ssize_t count;
    Vec at;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OddndO:hits", &from, &first, &step, &count, &reach, &ignoring) ||
        !read_point("hits()", from, at) || !read_body(ignoring, id))
        return nullptr;
    if (count < 0 || !(reach > 0.0) || !std::isfinite(first) || !std::isfinite(step))
        return PyErr_Format(PyExc_ValueError, "hits() takes finite angles, a count >= 0 and a reach > 0");
    if (count > PY_SSIZE_T_MAX / 8) return PyErr_NoMemory();
    plane->next_time();  // cells are in order
    Ref bytes(PyBytes_FromStringAndSize(nullptr, count * 8));
    if (!bytes) return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) {
        const double angle = first + step * static_cast<double>(i);
        const Hit hit = plane->queries().first_hit(at, direction(angle), reach, id, true, STOPS_LIGHT);
        const double distance = hit.echoes_light ? hit.distance : INFINITE_TIME;
        std::memcpy(PyBytes_AS_STRING(bytes.get()) + 8 * i, &distance, 8);
        if (i % 4096 == 4095 && PyErr_CheckSignals() < 0) return nullptr;
    }
    return unless_error(bytes.release());
}

PyObject* plane_near(PyObject* object, PyObject* args) {
    PyObject* centre;
    double within;
    Vec at;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Od:near_bodies", &centre, &within) ||
        !read_point("near()", centre, at))
        return nullptr;
    if (!(within >= 0.0))
        return PyErr_Format(PyExc_ValueError, "near(): a distance is a number of metres >= 0, not %s",
                            shown(within).c_str());
    std::vector<BodyId> found;
    plane->queries().near(at, within, found);
    Ref list(PyList_New(0));
    for (BodyId id : found) {
        Ref body(body_or_none(object, id));
        if (body.get() != Py_None) PyList_Append(list.get(), body.get());
    }
    return unless_error(list.release());
}

PyObject* plane_near_centres(PyObject* object, PyObject* args) {
    PyObject* body;
    double within;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Od:near_centres", &body, &within) || !read_body(body, id))
        return nullptr;
    if (!(within >= 0.0))
        return PyErr_Format(PyExc_ValueError, "near_centres(): a distance is a number of metres >= 0, not %s",
                            shown(within).c_str());
    const auto& held = object_of(object)->bodies;
    if (id >= held.size() || reinterpret_cast<PyObject*>(held[id]) != body)
        return PyErr_Format(PyExc_TypeError, "near_centres() takes a body that is on this plane, not %s",
                            shown(body).c_str());
    const Vec here = plane->bodies().pose(id).at;
    std::vector<BodyId> found;
    plane->queries().near(here, within, found);
    std::sort(found.begin(), found.end());
    Ref list(PyList_New(0));
    for (BodyId other : found) {
        if (other == id || other >= held.size() || !held[other]) continue;
        const Vec there = plane->bodies().pose(other).at;
        const double away = maths::hypot(there.x - here.x, there.y - here.y);
        if (!(away <= within)) continue;
        Ref number(PyLong_FromUnsignedLong(other)), metres(PyFloat_FromDouble(away));
        Ref pair(number && metres ? PyTuple_Pack(2, number.get(), metres.get()) : nullptr);
        if (!list || !pair || PyList_Append(list.get(), pair.get()) < 0) return nullptr;
    }
    return unless_error(list.release());
}

PyObject* plane_near_obstacles(PyObject* object, PyObject* args) {
    PyObject* centre;
    double within;
    Vec at;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Od:obstacles_near", &centre, &within) ||
        !read_point("near_obstacles()", centre, at))
        return nullptr;
    std::vector<Hit> found;
    plane->queries().near_obstacles(at, within, found);
    Ref list(PyList_New(0));
    for (const Hit& hit : found) {
        Ref pair(Py_BuildValue("id", hit.obstacle, hit.distance));
        PyList_Append(list.get(), pair.get());
    }
    return list.release();
}

PyObject* plane_obstacles_along(PyObject* object, PyObject* args) {
    PyObject *start, *end;
    double within;
    Vec from, to;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OOd:obstacles_along", &start, &end, &within) ||
        !read_point("obstacles_along()", start, from) || !read_point("obstacles_along()", end, to))
        return nullptr;
    plane->next_time();  // cells are in order
    const std::vector<std::int32_t> found = plane->queries().obstacles_along(from, to, within);
    Ref list(PyList_New(static_cast<Py_ssize_t>(found.size())));
    for (std::size_t at = 0; list && at < found.size(); ++at)
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(at), PyLong_FromLong(found[at]));
    return list.release();
}

PyObject* plane_is_solid(PyObject* object, PyObject* given) {
    Vec at;
    Plane* plane = plane_of(object);
    return plane && read_point("is_solid()", given, at) ? PyBool_FromLong(plane->queries().is_solid(at))
                                                        : nullptr;
}

PyObject* plane_ground(PyObject* object, PyObject* given) {
    Vec at;
    Plane* plane = plane_of(object);
    if (!plane || !read_point("ground()", given, at)) return nullptr;
    const Region* region = plane->obstacles().ground(at);
    return PyFloat_FromDouble(!region ? 1.0 : region->kind == Region::Kind::hole ? 0.0 : region->factor);
}

PyObject* plane_in_the_way(PyObject* object, PyObject* args) {
    PyObject *shape, *at, *ignoring;
    double heading;
    Pose pose{};
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OOdO:what_is_in_the_way", &shape, &at, &heading, &ignoring) ||
        !read_point("in_the_way()", at, pose.at) || !read_body(ignoring, id))
        return nullptr;
    pose.heading = heading;
    try {
        const Hit hit = plane->queries().in_the_way(nb::cast<const Shape&>(nb::handle(shape)), pose, id);
        if (hit.distance == INFINITE_TIME) return unless_error(own_or_none(nullptr));
        return unless_error(shown_hit(object, hit));
    } catch (const nb::cast_error&) {
        return PyErr_Format(PyExc_TypeError, "in_the_way() takes a Shape, not %s", shown(shape).c_str());
    }
}

PyObject* plane_least_gap(PyObject* object, PyObject*) {
    Plane* plane = plane_of(object);
    return plane ? unless_error(PyFloat_FromDouble(plane->queries().least_gap())) : nullptr;
}

PyObject* plane_places(PyObject* object, PyObject*) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    std::string bytes;
    bytes.reserve(16 * plane->alive());
    for (BodyId id : plane->bodies().by_number()) {
        const Vec at = plane->bodies().pose(id).at;
        bytes.append(reinterpret_cast<const char*>(&at.x), 8).append(reinterpret_cast<const char*>(&at.y), 8);
    }
    return unless_error(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

}  // namespace kumi
