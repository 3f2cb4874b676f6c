// The error of a motion that ended at a contact.
//
// Contacts are common and most programs look at one thing about them, if at all. So the error keeps what it
// was made from, and makes its arguments when somebody reads them.
#include "numbers/elementary.hpp"
#include "objects/plane.hpp"

#include <cmath>
#include <numbers>

namespace kumi {

namespace {

PyTypeObject* BlockedType = nullptr;

struct BlockedObject {
    PyBaseExceptionObject error;
    PyObject* by;  // owned: a body, or a name; null where the arguments are there already
    Vec at;        // the contact, and where the body stood and looked
    Vec from;
    double heading;
    std::uint32_t touched;  // the number of a body, or NOBODY
};

enum Argument : std::intptr_t { AT, BY, BEARING, BODY_NUMBER, ARGUMENTS };

BlockedObject* blocked_of(PyObject* self) { return reinterpret_cast<BlockedObject*>(self); }
PyTypeObject* exception_type() { return reinterpret_cast<PyTypeObject*>(PyExc_Exception); }

PyObject* make_argument(const BlockedObject* self, std::intptr_t which) {
    switch (which) {
    case AT:
        return new_point(self->at);
    case BY:
        return PyObject_TypeCheck(self->by, BodyType) ? body_name(self->by) : own_or_none(self->by);
    case BEARING: {
        const Vec to = self->at - self->from;
        return PyFloat_FromDouble(
            std::remainder(maths::atan2(to.y, to.x) - self->heading, 2.0 * std::numbers::pi));
    }
    default:
        return self->touched == NOBODY ? own_or_none(nullptr) : PyLong_FromUnsignedLong(self->touched);
    }
}

// The arguments, borrowed, made where they are not there yet; null with a Python error.
PyObject* arguments_of(BlockedObject* self) {
    if (!self->by) return self->error.args;
    Ref made(PyTuple_New(ARGUMENTS));
    for (std::intptr_t i = 0; made && i < ARGUMENTS; ++i) {
        PyObject* argument = make_argument(self, i);
        if (!argument) return nullptr;
        PyTuple_SET_ITEM(made.get(), i, argument);
    }
    if (!made) return nullptr;
    Py_XSETREF(self->error.args, made.release());
    Py_CLEAR(self->by);
    return self->error.args;
}

PyObject* blocked_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    return exception_type()->tp_new(type, args, kwargs);
}

int blocked_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(blocked_of(object)->by);
    return exception_type()->tp_traverse(object, visit, arg);
}

int blocked_clear(PyObject* object) {
    Py_CLEAR(blocked_of(object)->by);
    return exception_type()->tp_clear(object);
}

void blocked_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    Py_CLEAR(blocked_of(object)->by);
    exception_type()->tp_dealloc(object);
    Py_DECREF(type);
}

PyObject* get_argument(PyObject* object, void* which) {
    const BlockedObject* self = blocked_of(object);
    const auto index = reinterpret_cast<std::intptr_t>(which);
    if (self->by) return make_argument(self, index);
    return PySequence_GetItem(self->error.args, index);
}

PyObject* get_arguments(PyObject* object, void*) {
    PyObject* arguments = arguments_of(blocked_of(object));
    return arguments ? own_or_none(arguments) : nullptr;
}

int set_arguments(PyObject* object, PyObject* value, void*) {
    Ref arguments(value ? PySequence_Tuple(value) : nullptr);
    if (!arguments) {
        if (!value) PyErr_SetString(PyExc_TypeError, "args may not be deleted");
        return -1;
    }
    Py_CLEAR(blocked_of(object)->by);
    Py_XSETREF(blocked_of(object)->error.args, arguments.release());
    return 0;
}

PyObject* blocked_reduce(PyObject* object, PyObject*) {
    return arguments_of(blocked_of(object)) ? PyObject_CallMethodOneArg(PyExc_Exception, names.reduce, object)
                                            : nullptr;
}

PyMethodDef blocked_methods[] = {{"__reduce__", guarded<blocked_reduce>, METH_NOARGS, nullptr}, {}};

PyGetSetDef blocked_getset[] = {
    {"at", guarded<get_argument>, nullptr, "The point of contact.\n\nType: Point",
     reinterpret_cast<void*>(AT)},
    {"by", guarded<get_argument>, nullptr,
     "What was touched: the name of a robot or an obstacle, or \"border\".\n\nType: str",
     reinterpret_cast<void*>(BY)},
    {"bearing", guarded<get_argument>, nullptr,
     "Where the contact is, in radians from the heading, positive to the left.\n\nType: float",
     reinterpret_cast<void*>(BEARING)},
    {"number", guarded<get_argument>, nullptr,
     "The number of the robot that was touched; None for anything else.\n\nType: int | None",
     reinterpret_cast<void*>(BODY_NUMBER)},
    {"args", guarded<get_arguments>, guarded<set_arguments>, "All of it.\n\nType: Any", nullptr},
    {}};

PyType_Slot blocked_slots[] = {
    {Py_tp_doc, const_cast<char*>("What a contact was, kept until somebody asks.")},
    {Py_tp_new, reinterpret_cast<void*>(guarded<blocked_new>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<blocked_dealloc>)},
    {Py_tp_traverse, reinterpret_cast<void*>(blocked_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(blocked_clear)},
    {Py_tp_methods, blocked_methods},
    {Py_tp_getset, blocked_getset},
    {0, nullptr}};
PyType_Spec blocked_spec{"kumi._core.BlockedBase", sizeof(BlockedObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, blocked_slots};

}  // namespace

PyObject* raise_blocked(Vec at, Pose from, PyObject* by, std::uint32_t touched) {
    static const Provision blocked("Blocked");
    PyObject* kind = blocked.get();
    if (!kind) return nullptr;
    PyTypeObject* type = reinterpret_cast<PyTypeObject*>(kind);
    if (!PyType_IsSubtype(type, BlockedType))
        return PyErr_Format(PyExc_TypeError, "Blocked has lost its base");
    Ref object(type->tp_alloc(type, 0));
    if (!object) return nullptr;
    BlockedObject* self = blocked_of(object.get());
    Py_INCREF(names.nothing);
    self->error.args = names.nothing;
    Py_INCREF(by);
    self->by = by;
    self->at = at;
    self->from = from.at;
    self->heading = from.heading;
    self->touched = touched;
    PyErr_SetObject(kind, object.get());
    return nullptr;
}

bool add_blocked_type(PyObject* module) {
    Ref bases(PyTuple_Pack(1, PyExc_Exception));
    BlockedType = bases
                      ? reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&blocked_spec, bases.get()))
                      : nullptr;
    return BlockedType && PyModule_AddType(module, BlockedType) == 0;
}

}  // namespace kumi
