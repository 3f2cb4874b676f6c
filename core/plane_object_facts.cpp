// What a plane says of itself to Python: counts, who is on it, and since when nobody moves.
#include "plane_object_methods.hpp"

#include <cmath>

namespace kumi {

namespace {

template <std::uint64_t Plane::*COUNT>
PyObject* get_count_of(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromUnsignedLongLong(plane->*COUNT) : nullptr;
}

template <std::size_t (Plane::*SIZE)() const>
PyObject* get_size_of(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromSize_t((plane->*SIZE)()) : nullptr;
}

PyObject* get_still_since(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    if (!plane) return nullptr;
    const double since = plane->still_since();
    if (std::isinf(since)) Py_RETURN_NONE;
    return PyFloat_FromDouble(since);
}

PyObject* get_held(PyObject* self, void*) {
    Ref list(PyList_New(0));
    for (BodyObject* body : object_of(self)->bodies)
        if (body) PyList_Append(list.get(), reinterpret_cast<PyObject*>(body));
    return PyList_AsTuple(list.get());
}

}  // namespace

PyGetSetDef plane_getset[] = {
    {"events", get_count_of<&Plane::events>, nullptr, "What happened so far, cell crossings not counted.\n\nType: int", nullptr},
    {"crossings", get_count_of<&Plane::crossings>, nullptr, "Cell crossings so far.\n\nType: int", nullptr},
    {"collisions", get_count_of<&Plane::collisions>, nullptr, "Contacts so far.\n\nType: int", nullptr},
    {"still_since", get_still_since, nullptr, "The instant since which every body rests; None while one moves.\n\nType: float | None", nullptr},
    {"count", get_size_of<&Plane::alive>, nullptr, "Bodies on the plane now.\n\nType: int", nullptr},
    {"added", get_size_of<&Plane::size>, nullptr, "Bodies that were ever put on the plane.\n\nType: int", nullptr},
    {"held", get_held, nullptr, "The bodies that Python holds, by number.\n\nType: tuple[Any, ...]", nullptr},
    {"bytes", get_size_of<&Plane::bytes>, nullptr, "Memory of all bodies.\n\nType: int", nullptr},
    {}};

}  // namespace kumi
