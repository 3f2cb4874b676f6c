// What is put on a plane from Python: obstacles, ground, the contact policy, walkers.
#include "plane_object_link.hpp"
#include "plane_object_methods.hpp"

#include <array>
#include <utility>

namespace kumi {

namespace {

bool read_corners(PyObject* given, std::vector<Vec>& corners) {
    Ref items(PySequence_Fast(given, "corners are a sequence of points"));
    if (!items) return false;
    corners.clear();
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
        Vec at;
        if (!read_point("a corner", PySequence_Fast_GET_ITEM(items.get(), i), at)) return false;
        corners.push_back(at);
    }
    if (corners.size() >= 3) return true;
    PyErr_SetString(PyExc_ValueError, "an outline has three corners or more");
    return false;
}

}  // namespace

PyObject* plane_add_wall(PyObject* object, PyObject* args) {
    PyObject *start, *end;
    double thickness;
    Vec a, b;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OOd:add_wall", &start, &end, &thickness) || !read_point("add_wall()", start, a) ||
        !read_point("add_wall()", end, b))
        return nullptr;
    const long number = plane->add_wall(a, b, thickness);
    replan(object_of(object));
    return PyLong_FromLong(number);
}

PyObject* plane_add_pillar(PyObject* object, PyObject* args) {
    PyObject* centre;
    double radius;
    Vec at;
    Plane* plane = plane_of(object);
    int is_seen;
    if (!plane || !PyArg_ParseTuple(args, "Odp:add_pillar", &centre, &radius, &is_seen) || !read_point("add_pillar()", centre, at))
        return nullptr;
    const long number = plane->add_pillar(at, radius, is_seen != 0);
    replan(object_of(object));
    return PyLong_FromLong(number);
}

PyObject* plane_add_block(PyObject* object, PyObject* args) {
    PyObject* given;
    int is_seen;
    std::vector<Vec> corners;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Op:add_block", &given, &is_seen) || !read_corners(given, corners)) return nullptr;
    const long number = plane->add_block(corners, is_seen != 0);
    replan(object_of(object));
    return PyLong_FromLong(number);
}

PyObject* plane_add_region(PyObject* object, PyObject* args) {
    PyObject* given;
    double factor, radius;
    std::vector<Vec> corners;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Odd:add_region", &given, &radius, &factor)) return nullptr;
    if (radius > 0.0) {
        corners.resize(1);
        if (!read_point("add_region()", given, corners[0])) return nullptr;
    } else if (!read_corners(given, corners)) {
        return nullptr;
    }
    const long number = plane->add_region({factor > 0.0 ? Region::Kind::slow : Region::Kind::hole, factor, radius, corners});
    replan(object_of(object));
    return PyLong_FromLong(number);
}

PyObject* plane_tell_obstacle(PyObject* object, PyObject* args) {
    int number;
    const char* words;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "iz:tell_obstacle", &number, &words)) return nullptr;
    plane->tell_obstacle(number, words);
    Py_RETURN_NONE;
}

PyObject* plane_take_away(PyObject* object, PyObject* given) {
    Plane* plane = plane_of(object);
    const long number = PyLong_AsLong(given);
    if (!plane || PyErr_Occurred()) return nullptr;
    plane->remove_obstacle(static_cast<std::int32_t>(number));
    replan(object_of(object));
    Py_RETURN_NONE;
}

PyObject* plane_body_in(PyObject* object, PyObject* given) {
    Plane* plane = plane_of(object);
    const long number = PyLong_AsLong(given);
    if (!plane || PyErr_Occurred()) return nullptr;
    const BodyId body = plane->body_in(static_cast<std::int32_t>(number));
    return body == NOBODY ? own_or_none(nullptr) : PyLong_FromUnsignedLong(body);
}

PyObject* plane_set_policy(PyObject* object, PyObject* given) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    Policy policy = Policy::ask;
    if (PyCallable_Check(given)) {
        Py_INCREF(given);
        Py_XSETREF(object_of(object)->decide, given);
    } else if (!PlaneLink::read_policy(given, policy)) {
        return nullptr;
    }
    plane->set_policy(policy);
    Py_RETURN_NONE;
}

PyObject* plane_set_names(PyObject* object, PyObject* names) {
    Py_INCREF(names);
    Py_XSETREF(object_of(object)->names, names);
    Py_RETURN_NONE;
}

// Random walkers that nobody in Python holds: `places` are doubles, x and y in turn.
PyObject* plane_add_walkers(PyObject* object, PyObject* args) {
    Py_buffer places;
    double radius, slowest, fastest;
    unsigned long long seed;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "y*dddK:add_walkers", &places, &radius, &slowest, &fastest, &seed)) return nullptr;
    const Box* box = plane->box();
    if (!box || !(radius > 0.0) || !(slowest > 0.0 && slowest <= fastest)) {
        PyBuffer_Release(&places);
        return PyErr_Format(PyExc_ValueError, "add_walkers() needs a plane with a box, a radius > 0 and speeds > 0, slowest first");
    }
    const auto shape = std::make_shared<const Shape>(make_disc(radius));
    const double* at = static_cast<const double*>(places.buf);
    const std::size_t count = static_cast<std::size_t>(places.len) / 16;
    std::vector<BodyId> added;
    added.reserve(count);
    plane->reserve(count);
    for (std::size_t i = 0; i < count; ++i) added.push_back(plane->add(shape, {{at[2 * i], at[2 * i + 1]}, 0.0}));
    PyBuffer_Release(&places);
    std::uint64_t state = seed;
    const auto next = [&state] {  // splitmix64, to spread one seed over all walkers
        std::uint64_t z = state += 0x9E3779B97F4A7C15ull;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ z >> 27) * 0x94D049BB133111EBull;
        return z ^ z >> 31;
    };
    for (BodyId id : added) {
        const std::array<std::uint64_t, 4> words{next(), next(), next(), next()};
        plane->walk(id, Walker{Chance(words), *box, slowest, fastest});
    }
    replan(object_of(object));
    Py_RETURN_NONE;
}

}  // namespace kumi
