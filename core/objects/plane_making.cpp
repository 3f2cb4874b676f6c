// What is put on a plane from Python: obstacles, ground, the contact policy, walkers.
#include "objects/plane_link.hpp"
#include "objects/plane_methods.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <string>
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

bool is_size(const char* what, const char* name, double value, bool may_be_zero) {
    if (std::isfinite(value) && (value > 0.0 || (may_be_zero && value == 0.0))) return true;
    PyErr_Format(PyExc_ValueError, "the %s of %s is a number of metres %s 0, not %s", name, what,
                 may_be_zero ? ">=" : ">", shown(value).c_str());
    return false;
}

// The number of an obstacle that was added before; false with a Python error.
bool read_obstacle(const Plane& plane, PyObject* given, std::int32_t& number) {
    const long value = PyLong_AsLong(given);
    if (value == -1 && PyErr_Occurred()) return false;
    number = static_cast<std::int32_t>(value);
    if (value >= 0 && value < plane.obstacles().count()) return true;
    PyErr_Format(PyExc_ValueError, "there is no obstacle with number %ld", value);
    return false;
}

}  // namespace

PyObject* plane_add_wall(PyObject* object, PyObject* args) {
    PyObject *start, *end;
    double thickness;
    unsigned char traits;
    Vec a, b;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OOdb:add_wall", &start, &end, &thickness, &traits) ||
        !read_point("add_wall()", start, a) || !read_point("add_wall()", end, b))
        return nullptr;
    if (!is_size("a wall", "thickness", thickness, true)) return nullptr;
    const long number = plane->add_wall(a, b, thickness, traits);
    replan(object_of(object));
    return PyLong_FromLong(number);
}

PyObject* plane_add_pillar(PyObject* object, PyObject* args) {
    PyObject* centre;
    double radius;
    Vec at;
    Plane* plane = plane_of(object);
    unsigned char traits;
    if (!plane || !PyArg_ParseTuple(args, "Odb:add_pillar", &centre, &radius, &traits) ||
        !read_point("add_pillar()", centre, at))
        return nullptr;
    if (!is_size("a pillar", "radius", radius, false)) return nullptr;
    const long number = plane->add_pillar(at, radius, traits);
    replan(object_of(object));
    return PyLong_FromLong(number);
}

PyObject* plane_add_block(PyObject* object, PyObject* args) {
    PyObject* given;
    unsigned char traits;
    std::vector<Vec> corners;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Ob:add_block", &given, &traits) || !read_corners(given, corners))
        return nullptr;
    const long number = plane->add_block(corners, traits);
    replan(object_of(object));
    return PyLong_FromLong(number);
}

PyObject* plane_add_region(PyObject* object, PyObject* args) {
    PyObject* given;
    double factor, radius;
    std::vector<Vec> corners;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Odd:add_region", &given, &radius, &factor)) return nullptr;
    if (!(factor >= 0.0 && factor <= 1.0) || !std::isfinite(radius))
        return PyErr_Format(
            PyExc_ValueError,
            "add_region(): a factor is a number from 0 to 1 and a radius finite, not %s and %s",
            shown(factor).c_str(), shown(radius).c_str());
    if (radius > 0.0) {
        corners.resize(1);
        if (!read_point("add_region()", given, corners[0])) return nullptr;
    } else if (!read_corners(given, corners)) {
        return nullptr;
    }
    const long number =
        plane->add_region({factor > 0.0 ? Region::Kind::slow : Region::Kind::hole, factor, radius, corners});
    replan(object_of(object));
    return PyLong_FromLong(number);
}

PyObject* plane_tell_obstacle(PyObject* object, PyObject* args) {
    int number;
    const char* words;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "iz:tell_obstacle", &number, &words)) return nullptr;
    plane->recorder().tell_obstacle(number, words);
    Py_RETURN_NONE;
}

PyObject* plane_take_away(PyObject* object, PyObject* given) {
    Plane* plane = plane_of(object);
    std::int32_t number;
    if (!plane || !read_obstacle(*plane, given, number)) return nullptr;
    plane->remove_obstacle(number);
    replan(object_of(object));
    Py_RETURN_NONE;
}

PyObject* plane_body_in(PyObject* object, PyObject* given) {
    Plane* plane = plane_of(object);
    std::int32_t number;
    if (!plane || !read_obstacle(*plane, given, number)) return nullptr;
    const BodyId body = plane->queries().body_in(number);
    return body == NOBODY ? own_or_none(nullptr) : PyLong_FromUnsignedLong(plane->bodies().number(body));
}

PyObject* plane_set_policy(PyObject* object, PyObject* given) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    Policy policy = Policy::ask;
    if (PyCallable_Check(given)) {
        Py_INCREF(given);
        Py_XSETREF(object_of(object)->decide, given);
    } else if (!PlaneLink::read_policy(given, policy, true)) {
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

// Reads places from anything that holds doubles, x and y in turn, or their bytes; false with a Python error.
bool read_places(const char* asked, PyObject* given, std::vector<Vec>& places) {
    Py_buffer view;
    if (PyObject_GetBuffer(given, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return false;
    const std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> held(&view, PyBuffer_Release);
    const char* format = view.format ? view.format : "B";
    const bool is_of_doubles = std::strcmp(format, "d") == 0 || view.itemsize == 1;
    if (!is_of_doubles || view.len % sizeof(Vec) != 0) {
        PyErr_Format(PyExc_ValueError,
                     "%s() takes places as pairs of float64, x and y, not %zd bytes of format '%s'", asked,
                     view.len, format);
        return false;
    }
    places.resize(static_cast<std::size_t>(view.len) / sizeof(Vec));
    if (!places.empty()) std::memcpy(places.data(), view.buf, places.size() * sizeof(Vec));
    return true;
}

// Random walkers that nobody in Python holds.
PyObject* plane_add_walkers(PyObject* object, PyObject* args) {
    PyObject* places;
    double radius, slowest, fastest;
    unsigned long long seed;
    std::vector<Vec> at;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OdddK:add_walkers", &places, &radius, &slowest, &fastest, &seed) ||
        !read_places("add_walkers", places, at))
        return nullptr;
    const Box* box = plane->obstacles().box();
    if (!box || !(radius > 0.0 && std::isfinite(radius)) ||
        !(slowest > 0.0 && slowest <= fastest && std::isfinite(fastest)))
        return PyErr_Format(
            PyExc_ValueError,
            "add_walkers() needs a plane with a box, a radius > 0 and speeds > 0, slowest first");
    for (const Vec place : at)
        if (!std::isfinite(place.x) || !std::isfinite(place.y))
            return PyErr_Format(PyExc_ValueError,
                                "add_walkers() takes places with finite numbers, not (%s, %s)",
                                shown(place.x).c_str(), shown(place.y).c_str());
    const auto shape = std::make_shared<const Shape>(make_disc(radius));
    std::vector<BodyId> added;
    added.reserve(at.size());
    plane->reserve(at.size());
    for (const Vec place : at) added.push_back(plane->add(shape, {place, 0.0}));
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
