// Awaiting a motion: it begins when it is awaited, and leaving it stops the body.
#include "objects/plans.hpp"
#include "python/spares.hpp"

namespace kumi {

namespace {

PyTypeObject* MotionType = nullptr;

Spares<MotionObject, 64> spare_motions;

}  // namespace

struct MotionObject {
    PyObject_HEAD BodyObject* body;       // owned
    PyObject* command;                    // owned; null for a motion to a place until somebody asks for it
    PyObject *goal, *speed, *turn_speed;  // owned, of a motion to a place; else null
    TaskObject* task;
    Origin origin;
    Pose stopped;
    PyObject* by;  // what was touched, owned: a body, or a name; and where, as it was at the contact
    Vec touched_at;
    std::uint32_t touched;  // its number, or NOBODY
    Why why;
    bool used;
};

namespace {

MotionObject* motion_of(PyObject* self) { return reinterpret_cast<MotionObject*>(self); }

// The body is free for another motion, and stops if this one is under way.
void release(MotionObject* self) {
    if (self->body->motion != self) return;
    ErrorAside aside;  // whoever listens to the motion is told that it stops
    self->body->motion = nullptr;
    PlaneObject* plane = self->body->plane;
    if (!plane->plane || is_gone(self->body)) return;
    present(plane).stop(self->body->id);
    replan(plane);
    if (!PyErr_Occurred()) return;
    if (Engine* engine = plane->model.node.engine)
        engine->fail(plane->model.node, "the motion");
    else
        report_unraisable(reinterpret_cast<PyObject*>(plane));
}

void abandon_motion(PyObject* waiting) {
    Ref alive = Ref::borrow(waiting);  // those who hear of the end may drop it
    motion_of(waiting)->task = nullptr;
    release(motion_of(waiting));
}

PyObject* raise_contract(const char* name, PyObject* arguments) {
    Ref given(arguments);
    PyObject* kind = provided(name);
    Ref error(kind && given ? PyObject_CallObject(kind, given.get()) : nullptr);
    if (error) PyErr_SetObject(kind, error.get());
    return nullptr;
}

PyObject* outcome(MotionObject* self) {
    switch (self->why) {
    case Why::contact:
        return raise_blocked(self->touched_at, self->stopped, self->by, self->touched);
    case Why::gone:
        return raise_contract("Lost", Py_BuildValue("(ON)", self->body->name, new_point(self->stopped.at)));
    default:
        return new_point(self->stopped.at);
    }
}

// Refuses to begin where the body is gone, or moves already; false with a Python error.
bool is_free(MotionObject* self) {
    BodyObject* body = self->body;
    PlaneObject* plane = body->plane;
    if (!plane->plane || is_gone(body)) {
        if (plane->plane) present(plane);
        Ref at(new_point(plane->plane ? pose_of(body).at : Vec{}));
        raise_contract("Lost", Py_BuildValue("(OO)", body->name, at.get()));
        return false;
    }
    if (!body->motion) return true;
    Ref under_way(command_of(body->motion)), asked(command_of(self));
    if (under_way && asked)
        raise_contract("Busy", Py_BuildValue("(OOO)", body->name, under_way.get(), asked.get()));
    return false;
}

// Whether the drive is kumi's own Omni without noise, which goes to a place straight at once; then its speed,
// owned. This is by far the most frequent plan, and it needs no call of Python code.
bool goes_straight(PyObject* drive, Ref& speed) {
    static PyObject*& kind = provided_slot("Omni");
    if (reinterpret_cast<PyObject*>(Py_TYPE(drive)) != kind) return false;
    Ref noise(PyObject_GetAttr(drive, names.noise));
    if (noise.get() == Py_None) speed = Ref(PyObject_GetAttr(drive, names.speed));
    if (!speed) PyErr_Clear();
    return static_cast<bool>(speed);
}

bool ask_drive(MotionObject* self, std::vector<Leg>& legs) {
    Ref command(command_of(self));
    if (!command) return false;
    PyObject* arguments[3] = {self->body->drive, command.get(), reinterpret_cast<PyObject*>(self->body)};
    Ref given(PyObject_VectorcallMethod(names.plan, arguments, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    return given && read_legs(given.get(), legs) && is_free(self);  // else by the drive's own hand
}

// The legs are kept for the next motion, which spares their memory. A motion that begins while another does,
// by the hand of a sensor, finds none and makes its own.
std::vector<Leg> spare_legs;

bool begin(MotionObject* self) {
    if (is_within_pattern() || is_waiting_for_pattern(self->body->plane->serial) || !is_free(self))
        return false;
    BodyObject* body = self->body;
    if (!body->drive) {
        Ref asked(command_of(self));
        if (asked)
            PyErr_Format(PyExc_TypeError, "body '%s' has no drive, so it cannot carry out %s",
                         text(body->name), shown(asked.get()).c_str());
        return false;
    }
    std::vector<Leg> legs = std::exchange(spare_legs, {});
    Ref usual;
    bool fine;
    if (self->goal && goes_straight(body->drive, usual)) {
        legs.resize(1);
        fine =
            read_line("move_to()", self->goal, self->speed == Py_None ? usual.get() : self->speed, legs[0]);
    } else {
        const Planned found = self->goal ? plan_towards(body, self->goal, self->speed, self->turn_speed, legs)
                                         : plan_command(body, self->command, legs);
        fine = found == Planned::here || (found == Planned::by_the_drive && ask_drive(self, legs));
    }
    fine = fine && begin_legs(body, legs, reinterpret_cast<PyObject*>(self));
    legs.clear();
    spare_legs.swap(legs);
    return fine;
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
            raise("NoRun", "body '%s' is part of another run than the program that moves it",
                  text(self->body->name));
            return PYGEN_ERROR;
        }
        if (!begin(self)) return PYGEN_ERROR;
        self->body->motion = self;
        end_wait(waiter);  // the drive may have begun another, whose listeners may have ended this one
        if (self->body->motion != self) {
            *result = outcome(self);
            return *result ? PYGEN_RETURN : PYGEN_ERROR;
        }
        self->task = waiter;
        park(waiter, object, abandon_motion);
        replan(self->body->plane);
        Py_INCREF(Py_None);
        *result = Py_None;
        return PYGEN_NEXT;
    }
    if (!resumes(object)) return PYGEN_ERROR;
    self->task = nullptr;
    if (self->body->motion == self) {
        release(self);
        PyErr_SetString(PyExc_RuntimeError, "a motion was resumed before it had ended: await it");
        return PYGEN_ERROR;
    }
    *result = outcome(self);
    return *result ? PYGEN_RETURN : PYGEN_ERROR;
}

void motion_leave(PyObject* object) {
    MotionObject* self = motion_of(object);
    if (TaskObject* waiter = std::exchange(self->task, nullptr)) drop_wait(waiter, object);
    if (self->body) release(self);
}

// As of a script that commands its robot before or after the run.
void warn_outside(const MotionObject* self) {
    if (self->origin.maker || Engine::current() || ErrorAside::is_on_its_way()) return;
    PyErr_WarnEx(
        PyExc_RuntimeWarning,
        "a motion was made outside of a run and never awaited, so nothing moves; write it with `await` in a "
        "program, which is an `async def` that is given to a stage",
        1);
    report_unraisable();
}

void motion_dealloc(PyObject* object) {
    MotionObject* self = motion_of(object);
    if (!self->used) {
        report_never_awaited("a motion", self->origin);
        warn_outside(self);
    }
    Py_CLEAR(self->body);
    Py_CLEAR(self->command);
    Py_CLEAR(self->goal);
    Py_CLEAR(self->speed);
    Py_CLEAR(self->turn_speed);
    Py_CLEAR(self->by);
    spare_motions.give(object);
}

int motion_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(reinterpret_cast<PyObject*>(motion_of(object)->body));
    Py_VISIT(motion_of(object)->command);
    Py_VISIT(motion_of(object)->goal);
    Py_VISIT(motion_of(object)->speed);
    Py_VISIT(motion_of(object)->turn_speed);
    Py_VISIT(motion_of(object)->by);
    return 0;
}

int motion_clear(PyObject* object) {
    Py_CLEAR(motion_of(object)->command);
    Py_CLEAR(motion_of(object)->goal);
    Py_CLEAR(motion_of(object)->speed);
    Py_CLEAR(motion_of(object)->turn_speed);
    return 0;
}

PyObject* motion_repr(PyObject* object) {
    Ref command(command_of(motion_of(object)));
    return command ? PyUnicode_FromFormat("%s", shown(command.get()).c_str()) : nullptr;
}

PyType_Slot motion_slots[] = {
    {Py_tp_doc, const_cast<char*>("A motion to await: it begins then, and gives where it ended.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<motion_dealloc, motion_leave>)},
    {Py_tp_traverse, reinterpret_cast<void*>(motion_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(motion_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<motion_repr>)},
    {Py_am_await, reinterpret_cast<void*>(await_self)},
    {Py_am_send, reinterpret_cast<void*>(guarded<motion_send>)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(guarded<next_by_send>)},
    {0, nullptr}};
PyType_Spec motion_spec{"kumi._core.Motion", sizeof(MotionObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        motion_slots};

MotionObject* make_motion(BodyObject* body) {
    MotionObject* self = spare_motions.take(MotionType);
    if (!self) return nullptr;
    Py_INCREF(body);
    self->body = body;
    self->command = self->goal = self->speed = self->turn_speed = nullptr;
    self->task = nullptr;
    self->origin = Origin::here();
    self->by = nullptr;
    self->why = Why::stopped;
    self->stopped = {};
    self->used = false;
    return self;
}

}  // namespace

PyObject* new_motion(BodyObject* body, PyObject* command) {
    MotionObject* self = make_motion(body);
    if (!self) return nullptr;
    Py_INCREF(command);
    self->command = command;
    return reinterpret_cast<PyObject*>(self);
}

PyObject* new_motion_to(BodyObject* body, PyObject* goal, PyObject* speed, PyObject* turn_speed) {
    MotionObject* self = is_within_pattern() ? nullptr : make_motion(body);
    if (!self) return nullptr;
    Py_INCREF(goal);
    self->goal = goal;
    Py_INCREF(speed);
    self->speed = speed;
    Py_INCREF(turn_speed);
    self->turn_speed = turn_speed;
    return reinterpret_cast<PyObject*>(self);
}

PyObject* new_move_to(PyObject* goal, PyObject* speed, PyObject* turn_speed) {
    static const Provision move_to("MoveTo");
    PyObject* kind = move_to.get();
    PyObject* parts[3] = {goal, speed, turn_speed};
    return kind ? PyObject_Vectorcall(kind, parts, 3, nullptr) : nullptr;
}

PyObject* command_of(MotionObject* self) {
    if (!self->command && self->goal) self->command = new_move_to(self->goal, self->speed, self->turn_speed);
    if (self->command) return own_or_none(self->command);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a motion has lost its command");
    return nullptr;
}

void end_motion(BodyObject* body, Why why) {
    MotionObject* self = std::exchange(body->motion, nullptr);
    if (!self) return;
    self->why = why;
    self->stopped = pose_of(body);
    if (why == Why::contact) {
        self->by = own_or_none(thing_of(body->plane, body->touched_body, body->touched_obstacle));
        self->touched_at = body->touched_at;
        self->touched = body->plane->plane->bodies().number(body->touched_body);
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
