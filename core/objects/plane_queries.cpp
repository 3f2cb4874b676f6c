// What Python asks a plane: rays, who is near, what is in the way, where all are.
#include "numbers/elementary.hpp"
#include "objects/plane_methods.hpp"
#include "python/arrays.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

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

namespace {

// What many rays find; false with a Python error.
bool find_hits(PyObject* object, PyObject* from, PyObject* directions, double reach, PyObject* ignoring,
               bool bodies, Traits stopping, std::vector<Hit>& hits) {
    Vec at;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane || !read_point("rays()", from, at) || !read_body(ignoring, id)) return false;
    const Array<const double> angles(directions);
    if (!angles) return false;
    hits.resize(static_cast<std::size_t>(angles.size()));
    const auto is_finite = [](double angle) { return std::isfinite(angle); };
    if (!(reach > 0.0) || !std::all_of(angles.begin(), angles.begin() + hits.size(), is_finite)) {
        PyErr_Format(PyExc_ValueError,
                     "rays(): directions are finite angles and a reach is a number of metres > 0, not %s",
                     shown(reach).c_str());
        return false;
    }
    plane->next_time();  // cells are in order
    constexpr std::size_t AT_ONCE = 4096;
    for (std::size_t i = 0; i < hits.size(); i += AT_ONCE) {
        plane->queries().fan(at, angles.begin() + i, std::min(AT_ONCE, hits.size() - i), reach, id, bodies,
                             stopping, hits.data() + i);
        if (i && PyErr_CheckSignals() < 0) return false;
    }
    return true;
}

template <class Number, class Tell> PyObject* told_of(const std::vector<Hit>& hits, Tell&& tell) {
    PyObject* bytes =
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(sizeof(Number) * hits.size()));
    for (std::size_t i = 0; bytes && i < hits.size(); ++i) {
        const Number number = tell(hits[i]);
        std::memcpy(PyBytes_AS_STRING(bytes) + sizeof(Number) * i, &number, sizeof(Number));
    }
    return bytes;
}

}  // namespace

PyObject* plane_echoes(PyObject* object, PyObject* args) {
    PyObject *from, *directions, *ignoring;
    double reach;
    int bodies;
    unsigned char stopping, echoing;
    std::vector<Hit> hits;
    if (!PyArg_ParseTuple(args, "OOdOpbb:echoes", &from, &directions, &reach, &ignoring, &bodies, &stopping,
                          &echoing) ||
        !find_hits(object, from, directions, reach, ignoring, bodies != 0, stopping, hits))
        return nullptr;
    return unless_error(told_of<double>(
        hits, [&](const Hit& hit) { return hit.traits & echoing ? hit.distance : INFINITE_TIME; }));
}

PyObject* plane_obstacle_hits(PyObject* object, PyObject* args) {
    PyObject *from, *directions;
    double reach;
    unsigned char stopping;
    std::vector<Hit> hits;
    if (!PyArg_ParseTuple(args, "OOdb:obstacle_hits", &from, &directions, &reach, &stopping) ||
        !find_hits(object, from, directions, reach, Py_None, false, stopping, hits))
        return nullptr;
    Ref ways(told_of<double>(hits, [](const Hit& hit) { return hit.distance; }));
    Ref numbers(told_of<std::int32_t>(hits, [](const Hit& hit) { return hit.obstacle; }));
    return unless_error(ways && numbers ? PyTuple_Pack(2, ways.get(), numbers.get()) : nullptr);
}

PyObject* plane_nearest_in_cone(PyObject* object, PyObject* args) {
    PyObject *from, *ignoring;
    double middle, width, reach;
    unsigned char stopping, echoing;
    Vec at;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane ||
        !PyArg_ParseTuple(args, "OdddObb:nearest_in_cone", &from, &middle, &width, &reach, &ignoring,
                          &stopping, &echoing) ||
        !read_point("nearest_in_cone()", from, at) || !read_body(ignoring, id))
        return nullptr;
    if (!(reach > 0.0) || !std::isfinite(middle) || !(width >= 0.0 && width < std::numbers::pi))
        return PyErr_Format(
            PyExc_ValueError,
            "nearest_in_cone() takes a finite angle, a width from 0 to less than pi, and a reach > 0");
    plane->next_time();  // cells are in order
    const double found = plane->queries().nearest_in({middle, width}, at, reach, id, stopping, echoing);
    return unless_error(found == INFINITE_TIME ? own_or_none(nullptr) : PyFloat_FromDouble(found));
}

PyObject* plane_around(PyObject* object, PyObject* args) {
    PyObject *centre, *ignoring;
    double within, middle, view;
    unsigned char meeting;
    Vec at;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane ||
        !PyArg_ParseTuple(args, "OdddOb:around", &centre, &within, &middle, &view, &ignoring, &meeting) ||
        !read_point("around()", centre, at) || !read_body(ignoring, id))
        return nullptr;
    std::vector<Gap> found;
    plane->queries().around(at, within, id, meeting, {middle, view}, found);
    Ref list(PyList_New(0));
    for (const Gap& gap : found) {
        const BodyId body = gap.hit.body;
        if (body != NOBODY && (body >= object_of(object)->bodies.size() || !object_of(object)->bodies[body]))
            continue;
        Ref one(Py_BuildValue("dNiN", gap.hit.distance, body_or_none(object, body), gap.hit.obstacle,
                              new_point(gap.normal)));
        if (!list || !one || PyList_Append(list.get(), one.get()) < 0) return nullptr;
    }
    return unless_error(list.release());
}

PyObject* plane_in_sight(PyObject* object, PyObject* args) {
    PyObject* viewer;
    double within, view, bearing;
    int is_hidden_by_others;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane ||
        !PyArg_ParseTuple(args, "Odddp:in_sight", &viewer, &within, &view, &bearing, &is_hidden_by_others) ||
        !read_body(viewer, id))
        return nullptr;
    const auto& held = object_of(object)->bodies;
    if (id >= held.size() || reinterpret_cast<PyObject*>(held[id]) != viewer)
        return PyErr_Format(PyExc_TypeError, "visible() takes a body that is on this plane, not %s",
                            shown(viewer).c_str());
    if (!(within > 0.0) || !(view > 0.0) || !std::isfinite(bearing))
        return PyErr_Format(PyExc_ValueError,
                            "visible(): a reach and a view are > 0, and a bearing is finite");
    if (is_hidden_by_others) plane->next_time();  // cells are in order for rays
    std::vector<Sight> found;
    plane->queries().in_sight(id, within, view, bearing, is_hidden_by_others != 0, found);
    Ref list(PyList_New(0));
    for (const Sight& sight : found) {
        if (sight.body >= held.size() || !held[sight.body]) continue;
        Ref one(Py_BuildValue("Ndd", body_or_none(object, sight.body), sight.distance, sight.bearing));
        if (!list || !one || PyList_Append(list.get(), one.get()) < 0) return nullptr;
    }
    return unless_error(list.release());
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
