// What a plane says of itself to Python: counts, who is on it, and since when nobody moves.
#include "objects/plane_methods.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kumi {

namespace {

template <std::uint64_t (Plane::*COUNT)() const> PyObject* get_count_of(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromUnsignedLongLong((plane->*COUNT)()) : nullptr;
}

template <std::size_t (Plane::*SIZE)() const> PyObject* get_size_of(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromSize_t((plane->*SIZE)()) : nullptr;
}

PyObject* get_still_since(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    if (!plane) return nullptr;
    const double since = plane->bodies().still_since();
    if (std::isinf(since)) Py_RETURN_NONE;
    return PyFloat_FromDouble(since);
}

PyObject* get_held(PyObject* self, void*) {
    const PlaneObject* owner = object_of(self);
    std::vector<BodyObject*> held;
    for (BodyObject* body : owner->bodies)
        if (body) held.push_back(body);
    std::sort(held.begin(), held.end(),
              [](const BodyObject* one, const BodyObject* other) { return one->number < other->number; });
    Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(held.size())));
    for (std::size_t i = 0; tuple && i < held.size(); ++i) {
        Py_INCREF(held[i]);
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), reinterpret_cast<PyObject*>(held[i]));
    }
    return tuple.release();
}

}  // namespace

PyGetSetDef plane_getset[] = {
    {"events", guarded<get_count_of<&Plane::events>>, nullptr,
     "What happened so far, cell crossings not counted.\n\nType: int", nullptr},
    {"crossings", guarded<get_count_of<&Plane::crossings>>, nullptr, "Cell crossings so far.\n\nType: int",
     nullptr},
    {"contact_count", guarded<get_count_of<&Plane::contact_count>>, nullptr, "Contacts so far.\n\nType: int",
     nullptr},
    {"still_since", guarded<get_still_since>, nullptr,
     "The instant since which every body rests; None while one moves.\n\nType: float | None", nullptr},
    {"count", guarded<get_size_of<&Plane::alive>>, nullptr, "Bodies on the plane now.\n\nType: int", nullptr},
    {"added", guarded<get_size_of<&Plane::added>>, nullptr,
     "Bodies that were ever put on the plane.\n\nType: int", nullptr},
    {"held", guarded<get_held>, nullptr, "The bodies that Python holds, by number.\n\nType: tuple[Any, ...]",
     nullptr},
    {"bytes", guarded<get_size_of<&Plane::bytes>>, nullptr, "Memory of all bodies.\n\nType: int", nullptr},
    {}};

}  // namespace kumi
