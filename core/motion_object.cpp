// Awaiting a motion: it begins when it is awaited, and leaving it stops the body.
#include "plane_object.hpp"

namespace kumi {

namespace {

PyTypeObject* MotionType = nullptr;

constexpr int SPARES = 64;
MotionObject* spares[SPARES];
int spare_count = 0;

}  // namespace

struct MotionObject {
    PyObject_HEAD
    BodyObject* body;   // owned
    PyObject* command;  // owned
    TaskObject* task;
    Origin origin;
    Vec stopped;
    PyObject* by;  // what was touched, owned; and where, as it was at the contact
    Vec touched_at;
    double bearing;
    BodyId touched;
    Why why;
    bool used;
};

namespace {

MotionObject* motion_of(PyObject* self) { return reinterpret_cast<MotionObject*>(self); }

// The body is free for another motion, and stops if this one is under way.
void release(MotionObject* self) {
    if (self->body->motion != self) return;
    self->body->motion = nullptr;
    PlaneObject* plane = self->body->plane;
    if (!plane->plane || plane->plane->is_gone(self->body->id)) return;
    present(plane).stop(self->body->id);
    replan(plane);
}

void abandon_motion(PyObject* waiting) {
    motion_of(waiting)->task = nullptr;
    release(motion_of(waiting));
}

PyObject* raise_contract(const char* name, PyObject* arguments) {
    Ref given(arguments);
    PyObject* kind = contract_thing("errors", name);
    Ref error(kind && given ? PyObject_CallObject(kind, given.get()) : nullptr);
    if (error) PyErr_SetObject(kind, error.get());
    return nullptr;
}

PyObject* raise_blocked(MotionObject* self) {
    static PyObject* kind = nullptr;
    if (!kind) kind = contract_thing("errors", "Blocked");
    if (!kind) return nullptr;
    Ref at(new_point(self->touched_at));
    Ref bearing(PyFloat_FromDouble(self->bearing));
    Ref number(self->touched == NOBODY ? own_or_none(nullptr) : PyLong_FromUnsignedLong(self->touched));
    if (!at || !bearing || !number) return nullptr;
    PyObject* arguments[4] = {at.get(), self->by, bearing.get(), number.get()};
    Ref error(PyObject_Vectorcall(kind, arguments, 4, nullptr));
    if (error) PyErr_SetObject(kind, error.get());
    return nullptr;
}

PyObject* outcome(MotionObject* self) {
    switch (self->why) {
    case Why::contact:
        return raise_blocked(self);
    case Why::gone:
        return raise_contract("Lost", Py_BuildValue("(ON)", self->body->name, new_point(self->stopped)));
    default:
        return new_point(self->stopped);
    }
}

bool begin(MotionObject* self) {
    if (is_within_pattern()) return false;
    BodyObject* body = self->body;
    PlaneObject* plane = body->plane;
    if (!plane->plane || plane->plane->is_gone(body->id)) {
        Ref at(new_point(plane->plane ? present(plane).pose(body->id).at : Vec{}));
        raise_contract("Lost", Py_BuildValue("(OO)", body->name, at.get()));
        return false;
    }
    if (body->motion) {
        raise_contract("Busy", Py_BuildValue("(OOO)", body->name, body->motion->command, self->command));
        return false;
    }
    if (!body->drive) {
        PyErr_Format(PyExc_TypeError, "body '%s' has no drive, so it cannot carry out %s", text(body->name),
                     shown(self->command).c_str());
        return false;
    }
    static PyObject* plan = PyUnicode_InternFromString("plan");
    PyObject* arguments[3] = {body->drive, self->command, reinterpret_cast<PyObject*>(body)};
    Ref given(PyObject_VectorcallMethod(plan, arguments, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    std::vector<Leg> legs;
    if (!given || !read_legs(given.get(), legs)) return false;
    if (plane->plane->is_gone(body->id)) {  // by the drive's own hand
        raise_contract("Lost", Py_BuildValue("(ON)", body->name, new_point(present(plane).pose(body->id).at)));
        return false;
    }
    if (body->motion) {
        raise_contract("Busy", Py_BuildValue("(OOO)", body->name, body->motion->command, self->command));
        return false;
    }
    return begin_legs(body, legs, self->command);
}

PySendResult motion_send(PyObject* object, PyObject*, PyObject** result) {
    MotionObject* self = motion_of(object);
    *result = nullptr;
    if (!self->used) {
        self->used = true;
        TaskObject* waiter = task_about_to_wait("a motion");
        if (!waiter) return refuse_to_wait(result);
        Engine* engine = self->body->plane->model.node.engine;
        if (engine != waiter->model.node.engine) {
            raise("NoRun", "body '%s' is part of another run than the program that moves it", text(self->body->name));
            return PYGEN_ERROR;
        }
        if (!begin(self)) return PYGEN_ERROR;
        self->body->motion = self;
        self->task = waiter;
        park(waiter, object, abandon_motion);
        replan(self->body->plane);
        Py_INCREF(Py_None);
        *result = Py_None;
        return PYGEN_NEXT;
    }
    if (!resumes(object)) return PYGEN_ERROR;
    self->task = nullptr;
    *result = outcome(self);
    return *result ? PYGEN_RETURN : PYGEN_ERROR;
}

void motion_dealloc(PyObject* object) {
    PyObject_GC_UnTrack(object);
    MotionObject* self = motion_of(object);
    if (!self->used) report_never_awaited("a motion", self->origin);
    if (self->task) drop_wait(self->task, object);
    if (self->body) release(self);
    Py_CLEAR(self->body);
    Py_CLEAR(self->command);
    Py_CLEAR(self->by);
    if (spare_count < SPARES) {
        spares[spare_count++] = self;
        return;
    }
    PyTypeObject* type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}

int motion_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(reinterpret_cast<PyObject*>(motion_of(object)->body));
    Py_VISIT(motion_of(object)->command);
    return 0;
}

int motion_clear(PyObject* object) {
    Py_CLEAR(motion_of(object)->command);
    return 0;
}

PyObject* motion_repr(PyObject* object) { return PyUnicode_FromFormat("%s", shown(motion_of(object)->command).c_str()); }

PyType_Slot motion_slots[] = {
    {Py_tp_doc, const_cast<char*>("A motion to await: it begins then, and gives where it ended.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(motion_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(motion_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(motion_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(motion_repr)},
    {Py_am_await, reinterpret_cast<void*>(await_self)},
    {Py_am_send, reinterpret_cast<void*>(motion_send)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(next_by_send)},
    {0, nullptr}};
PyType_Spec motion_spec{"kumi._core.Motion", sizeof(MotionObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, motion_slots};

}  // namespace

PyObject* new_motion(BodyObject* body, PyObject* command) {
    MotionObject* self;
    if (spare_count > 0) {
        self = spares[--spare_count];
        Py_SET_REFCNT(self, 1);
        PyObject_GC_Track(reinterpret_cast<PyObject*>(self));
    } else {
        self = reinterpret_cast<MotionObject*>(MotionType->tp_alloc(MotionType, 0));
        if (!self) return nullptr;
    }
    Py_INCREF(body);
    self->body = body;
    Py_INCREF(command);
    self->command = command;
    self->task = nullptr;
    self->origin = Origin::here();
    self->by = nullptr;
    self->used = false;
    return reinterpret_cast<PyObject*>(self);
}

PyObject* command_of(MotionObject* motion) { return motion ? motion->command : nullptr; }

void end_motion(BodyObject* body, Why why) {
    MotionObject* self = std::exchange(body->motion, nullptr);
    if (!self) return;
    self->why = why;
    self->stopped = body->plane->plane->pose(body->id).at;
    if (why == Why::contact) {
        self->by = own_or_none(touched_name(body));
        self->touched_at = body->touched_at;
        self->bearing = touched_bearing(body);
        self->touched = body->touched_body;
    }
    if (TaskObject* waiter = std::exchange(self->task, nullptr)) {
        wake(waiter);
        // It runs next, and with many robots its memory is far away.
        const char* coroutine = reinterpret_cast<const char*>(waiter->coroutine);
        for (int line = 0; line < 6; ++line) __builtin_prefetch(coroutine + 64 * line);
        __builtin_prefetch(body->drive);
        __builtin_prefetch(body->chance);
    }
}

bool add_motion_types(PyObject*) {
    MotionType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&motion_spec));
    return MotionType != nullptr;
}

}  // namespace kumi
