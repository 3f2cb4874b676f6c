// A body on the plane, for its drive, its sensors and its robot.
#include "numbers/elementary.hpp"
#include "objects/body_methods.hpp"

#include <nanobind/nanobind.h>

#include <cmath>
#include <numbers>

namespace nb = nanobind;

namespace kumi {

PyTypeObject* BodyType = nullptr;

Plane* plane_below(PyObject* object) {
    BodyObject* self = body_of(object);
    if (is_within_pattern() || (self->plane && is_waiting_for_pattern(self->plane->serial))) return nullptr;
    if (self->plane && self->plane->plane) return &present(self->plane);
    PyErr_SetString(PyExc_TypeError, "this body is on no plane: make bodies with World.add_body()");
    return nullptr;
}

bool read_shape(PyObject* object, std::shared_ptr<const Shape>& shape) {
    try {
        shape = std::make_shared<const Shape>(nb::cast<const Shape&>(nb::handle(object)));
        return true;
    } catch (const nb::cast_error&) {
        PyErr_Format(PyExc_TypeError, "a body's shape is a Shape, not %s", shown(object).c_str());
        return false;
    }
}

bool is_finite_pose(const char* what, double x, double y, double heading) {
    if (std::isfinite(x) && std::isfinite(y) && std::isfinite(heading)) return true;
    PyErr_Format(PyExc_ValueError, "%s: a pose is three finite numbers, not (%s, %s, %s)", what,
                 shown(x).c_str(), shown(y).c_str(), shown(heading).c_str());
    return false;
}

namespace {

int body_init(PyObject* object, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"plane", "name", "shape", "x", "y", "heading", "drive", nullptr};
    PyObject *plane, *name, *shape, *drive = Py_None;
    double x, y, heading;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!UOddd|O:PlaneBody", const_cast<char**>(names),
                                     PlaneType, &plane, &name, &shape, &x, &y, &heading, &drive))
        return -1;
    BodyObject* self = body_of(object);
    if (self->plane) {
        PyErr_SetString(PyExc_TypeError, "this body is on a plane already");
        return -1;
    }
    std::shared_ptr<const Shape> form;
    PlaneObject* owner = reinterpret_cast<PlaneObject*>(plane);
    if (!is_finite_pose("a body", x, y, heading)) return -1;
    if (owner->last_shape == shape && owner->last_form) {
        form = *owner->last_form;
    } else {
        if (!read_shape(shape, form)) return -1;
        Py_INCREF(shape);
        Py_XSETREF(owner->last_shape, shape);
        delete std::exchange(owner->last_form, new std::shared_ptr<const Shape>(form));
    }
    if (is_within_pattern() || is_waiting_for_pattern(owner->serial)) return -1;
    if (!owner->plane) {
        PyErr_Format(PyExc_TypeError, "%s.__init__ did not call super().__init__(name)",
                     Py_TYPE(plane)->tp_name);
        return -1;
    }
    Plane& world = present(owner);
    self->id = world.add(std::move(form), {{x, y}, heading});
    self->number = world.bodies().number(self->id);
    self->touched_body = NOBODY;
    self->touched_obstacle = NO_OBSTACLE;
    Py_INCREF(plane);
    self->plane = owner;
    Py_INCREF(name);
    self->name = name;
    if (drive != Py_None) {
        Py_INCREF(drive);
        self->drive = drive;
    }
    if (owner->bodies.size() <= self->id) owner->bodies.resize(self->id + 1, nullptr);
    Py_INCREF(object);
    owner->bodies[self->id] = self;
    replan(owner);
    return PyErr_Occurred() ? -1 : 0;
}

int body_traverse(PyObject* object, visitproc visit, void* arg) {
    BodyObject* self = body_of(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(reinterpret_cast<PyObject*>(self->plane));
    Py_VISIT(self->shape);
    Py_VISIT(self->drive);
    Py_VISIT(self->contacts);
    Py_VISIT(self->partings);
    Py_VISIT(self->at_contact);
    Py_VISIT(self->at_motion);
    Py_VISIT(self->at_gone);
    Py_VISIT(self->chance);
    Py_VISIT(self->measured_by);
    return 0;
}

int body_clear(PyObject* object) {
    BodyObject* self = body_of(object);
    Py_CLEAR(self->shape);
    Py_CLEAR(self->drive);
    Py_CLEAR(self->contacts);
    Py_CLEAR(self->partings);
    Py_CLEAR(self->at_contact);
    Py_CLEAR(self->at_motion);
    Py_CLEAR(self->at_gone);
    Py_CLEAR(self->chance);
    Py_CLEAR(self->measured_by);
    return 0;
}

void body_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    body_clear(object);
    delete std::exchange(body_of(object)->past, nullptr);
    Py_CLEAR(body_of(object)->plane);
    Py_CLEAR(body_of(object)->name);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject* body_repr(PyObject* object) {
    return PyUnicode_FromFormat("<%s '%s'>", Py_TYPE(object)->tp_name, text(body_of(object)->name));
}

PyObject* get_position(PyObject* self, void*) { return body_position(self); }
PyObject* get_heading(PyObject* self, void*) { return body_heading(self); }
PyObject* get_velocity(PyObject* self, void*) {
    Plane* plane = plane_below(self);
    if (!plane) return nullptr;
    return unless_error(new_point(body_of(self)->past ? Vec{} : plane->bodies().velocity(body_of(self)->id)));
}
PyObject* get_turn_rate(PyObject* self, void*) {
    Plane* plane = plane_below(self);
    if (!plane) return nullptr;
    return unless_error(
        PyFloat_FromDouble(body_of(self)->past ? 0.0 : plane->bodies().turning(body_of(self)->id)));
}
PyObject* get_is_moving(PyObject* self, void*) { return body_is_moving(self); }
PyObject* get_is_gone(PyObject* self, void*) {
    Plane* plane = plane_below(self);
    return plane ? PyBool_FromLong(is_gone(body_of(self))) : nullptr;
}
PyObject* get_command(PyObject* self, void*) {
    MotionObject* motion = body_of(self)->motion;
    return motion ? command_of(motion) : own_or_none(nullptr);
}
PyObject* get_is_busy(PyObject* self, void*) { return PyBool_FromLong(body_of(self)->motion != nullptr); }
PyObject* get_odometer(PyObject* self, void*) {
    Plane* plane = plane_below(self);
    if (!plane) return nullptr;
    const BodyObject* body = body_of(self);
    return unless_error(
        PyFloat_FromDouble(body->past ? body->past->way : plane->bodies().odometer(body->id)));
}
PyObject* get_turned(PyObject* self, void*) {
    Plane* plane = plane_below(self);
    if (!plane) return nullptr;
    const BodyObject* body = body_of(self);
    return unless_error(
        PyFloat_FromDouble(body->past ? body->past->turned : plane->bodies().turned(body->id)));
}
PyObject* get_number(PyObject* self, void*) { return body_number(self); }
PyObject* get_name(PyObject* self, void*) { return body_name(self); }
PyObject* get_plane(PyObject* self, void*) {
    return own_or_none(reinterpret_cast<PyObject*>(body_of(self)->plane));
}
PyObject* get_drive(PyObject* self, void*) { return own_or_none(body_of(self)->drive); }
int set_drive(PyObject* self, PyObject* drive, void*) {
    Py_XINCREF(drive);
    Py_XSETREF(body_of(self)->drive, drive == Py_None ? (Py_DECREF(drive), nullptr) : drive);
    return 0;
}

PyObject* signal_of(BodyObject* self, PyObject*& signal, const char* what) {
    if (!signal) {
        Ref name(PyUnicode_FromFormat("%s.%s", text(self->name), what));
        if (name) signal = reinterpret_cast<PyObject*>(new_signal(name.get(), false));
        if (signal) reinterpret_cast<SignalObject*>(signal)->quiet = true;  // the journal has it
    }
    return own_or_none(signal);
}
PyObject* get_chance(PyObject* self, void*) { return body_chance(self); }
PyObject* get_contacts(PyObject* self, void*) { return body_contacts(self); }
PyObject* get_partings(PyObject* self, void*) { return body_partings(self); }
PyObject* call_at(PyObject*& list, PyObject* told) {
    if (!PyCallable_Check(told))
        return PyErr_Format(PyExc_TypeError, "a function is needed, not %s", shown(told).c_str());
    if (!list) list = PyList_New(0);
    if (!list || PyList_Append(list, told) < 0) return nullptr;
    Py_RETURN_NONE;
}
PyObject* body_on_contact(PyObject* self, PyObject* told) { return call_at(body_of(self)->at_contact, told); }
PyObject* body_on_gone(PyObject* self, PyObject* told) { return call_at(body_of(self)->at_gone, told); }
PyObject* body_on_motion(PyObject* self, PyObject* told) {
    Plane* plane = plane_below(self);
    if (!plane) return nullptr;
    if (!body_of(self)->past) plane->follow(body_of(self)->id);
    return call_at(body_of(self)->at_motion, told);
}
PyObject* body_place_by(PyObject* self, PyObject* time) {
    Plane* plane = plane_below(self);
    const double then = PyFloat_AsDouble(time);
    if (!plane || PyErr_Occurred()) return nullptr;
    return unless_error(new_point(plane->bodies().course(body_of(self)->id).pose(then).at));
}
PyObject* get_top_speed(PyObject* self, void*) {
    Plane* plane = plane_below(self);
    return plane ? PyFloat_FromDouble(plane->bodies().course(body_of(self)->id).top_speed()) : nullptr;
}
PyObject* get_piece_end(PyObject* self, void*) {
    Plane* plane = plane_below(self);
    if (!plane) return nullptr;
    return PyFloat_FromDouble(body_of(self)->past ? INFINITE_TIME
                                                  : plane->bodies().piece_end(body_of(self)->id));
}

PyMethodDef body_methods[] = {
    {"carry_out", guarded<body_carry_out>, METH_O,
     "carry_out($self, command, /)\n--\n\nA motion to await: the drive's plan for the command.\n\n"
     "Type: (command: Any, /) -> Awaitable[Point]"},
    {"start", guarded<body_start>, METH_O,
     "start($self, legs, /)\n--\n\nMove without being awaited, until the end, a contact or stop().\n\n"
     "Type: (legs: Leg | Sequence[Leg], /) -> None"},
    {"steer", guarded<body_steer>, METH_O,
     "steer($self, command, /)\n--\n\nDrive on without being awaited, until a contact, the next command or "
     "stop().\n\nType: (command: Any, /) -> None"},
    {"stop", guarded<body_stop>, METH_NOARGS,
     "stop($self, /)\n--\n\nEnd the motion under way, where the body is.\n\nType: () -> None"},
    {"remove", guarded<body_remove>, METH_NOARGS,
     "remove($self, /)\n--\n\nTake the body off the plane.\n\nType: () -> None"},
    {"put", guarded<body_put>, METH_VARARGS,
     "put($self, x, y, heading, /)\n--\n\nPut the body elsewhere, at rest.\n\n"
     "Type: (x: float, y: float, heading: float, /) -> None"},
    {"reshape", guarded<body_resize>, METH_O,
     "reshape($self, shape, /)\n--\n\nGive the body another shape.\n\nType: (shape: Shape, /) -> None"},
    {"walk", guarded<body_walk>, METH_VARARGS,
     "walk($self, slowest, fastest, left, bottom, right, top, seed, /)\n--\n\nGo from one random place of a "
     "box to the next, without a program.\n\n"
     "Type: (slowest: float, fastest: float, left: float, bottom: float, right: float, top: float, seed: "
     "bytes, /) -> None"},
    {"open_watch", guarded<body_watch>, METH_VARARGS,
     "open_watch($self, within, view, bearing, to_centres, told, /)\n--\n\nTell who comes within range, by "
     "the surface or the centre, and who leaves it; gives the watch's number.\n\n"
     "Type: (within: float, view: float, bearing: float, to_centres: bool, told: Callable[[bool, PlaneBody], "
     "object], /) -> int"},
    {"fire_watch", guarded<body_fire_watch>, METH_VARARGS,
     "fire_watch($self, number, reports, entered, left, /)\n--\n\nLet a watch fire signals, in place of "
     "calling a function: the first with each Entered and Left, then one of the others.\n\n"
     "Type: (number: int, reports: Signal[Any], entered: Signal[Any], left: Signal[Any], /) -> None"},
    {"open_feeler", guarded<body_feel>, METH_VARARGS,
     "open_feeler($self, feeler, told, /)\n--\n\nTell when a straight line that is fixed to the body touches "
     "something "
     "after it was clear of all by a millimetre; gives the watch's number.\n\n"
     "Type: (feeler: Shape, told: Callable[[], object], /) -> int"},
    {"touches", guarded<body_touches>, METH_VARARGS,
     "touches($self, feeler, width, /)\n--\n\nWhether something is within a width of a straight line that is "
     "fixed to "
     "the body.\n\n"
     "Type: (feeler: Shape, width: float, /) -> bool"},
    {"open_gauge", guarded<body_gauge>, METH_VARARGS,
     "open_gauge($self, idle, per_metre, per_radian, left, limit, told, /)\n--\n\nTell when a supply has "
     "fallen to a "
     "limit that each second, metre and radian use up; gives the watch's number.\n\n"
     "Type: (idle: float, per_metre: float, per_radian: float, left: float, limit: float, told: Callable[[], "
     "object], /) -> int"},
    {"gauge_left", guarded<body_gauge_left>, METH_O,
     "gauge_left($self, number, /)\n--\n\nWhat is left of a supply now.\n\nType: (number: int, /) -> float"},
    {"fill_gauge", guarded<body_fill_gauge>, METH_VARARGS,
     "fill_gauge($self, number, left, limit, /)\n--\n\nGive a supply another amount and limit.\n\n"
     "Type: (number: int, left: float, limit: float, /) -> None"},
    {"drain_gauge", guarded<body_drain_gauge>, METH_VARARGS,
     "drain_gauge($self, number, amount, /)\n--\n\nTake an amount out of a supply.\n\n"
     "Type: (number: int, amount: float, /) -> None"},
    {"close_watch", guarded<body_unwatch>, METH_O,
     "close_watch($self, number, /)\n--\n\nEnd a watch.\n\nType: (number: int, /) -> None"},
    {"on_contact", guarded<body_on_contact>, METH_O,
     "on_contact($self, told, /)\n--\n\nCall a function with each contact, at its instant, before anybody is "
     "woken.\n\n"
     "Type: (told: Callable[[Any], object], /) -> None"},
    {"on_gone", guarded<body_on_gone>, METH_O,
     "on_gone($self, told, /)\n--\n\nCall a function when the body is removed or falls, at that instant.\n\n"
     "Type: (told: Callable[[], object], /) -> None"},
    {"on_motion", guarded<body_on_motion>, METH_O,
     "on_motion($self, told, /)\n--\n\nCall a function at each change of the motion, before anybody is "
     "woken.\n\n"
     "Type: (told: Callable[[], object], /) -> None"},
    {"place_by", guarded<body_place_by>, METH_O,
     "place_by($self, time, /)\n--\n\nWhere it will be at a later time, if the present piece goes on.\n\n"
     "Type: (time: float, /) -> Point"},
    {"watched", guarded<body_watched>, METH_O,
     "watched($self, number, /)\n--\n\nWho is within range of a watch now.\n\nType: (number: int, /) -> "
     "list[Any]"},
    {}};

PyGetSetDef body_getset[] = {
    {"position", guarded<get_position>, nullptr, "Where it is now.\n\nType: Point", nullptr},
    {"heading", guarded<get_heading>, nullptr,
     "Where it looks now, in radians from the x axis, above -pi and up to pi.\n\nType: float", nullptr},
    {"velocity", guarded<get_velocity>, nullptr, "Metres a second now.\n\nType: Point", nullptr},
    {"turn_rate", guarded<get_turn_rate>, nullptr, "Radians a second now.\n\nType: float", nullptr},
    {"is_moving", guarded<get_is_moving>, nullptr, "Whether a motion is under way.\n\nType: bool", nullptr},
    {"is_busy", guarded<get_is_busy>, nullptr,
     "Whether a motion is under way that somebody awaits.\n\nType: bool", nullptr},
    {"command", guarded<get_command>, nullptr,
     "The command that is being carried out and awaited, or None.\n\nType: Any", nullptr},
    {"is_gone", guarded<get_is_gone>, nullptr, "Whether it was removed, or fell.\n\nType: bool", nullptr},
    {"odometer", guarded<get_odometer>, nullptr, "Metres its centre has gone so far.\n\nType: float",
     nullptr},
    {"turned", guarded<get_turned>, nullptr, "Radians it has turned so far, left minus right.\n\nType: float",
     nullptr},
    {"top_speed", guarded<get_top_speed>, nullptr,
     "The most metres a second on the present piece.\n\nType: float", nullptr},
    {"piece_end", guarded<get_piece_end>, nullptr,
     "When the present piece of motion ends; inf at rest.\n\nType: float", nullptr},
    {"number", guarded<get_number>, nullptr, "Its number on the plane, from 0.\n\nType: int", nullptr},
    {"name", guarded<get_name>, nullptr, "Its name.\n\nType: str", nullptr},
    {"plane", guarded<get_plane>, nullptr, "The plane it is on.\n\nType: Any", nullptr},
    {"drive", guarded<get_drive>, guarded<set_drive>, "What turns commands into motion.\n\nType: Any",
     nullptr},
    {"chance", guarded<get_chance>, nullptr, "Its own random numbers in this run.\n\nType: Chance", nullptr},
    {"contacts", guarded<get_contacts>, nullptr,
     "A signal: each contact, at its instant.\n\nType: Signal[Any]", nullptr},
    {"partings", guarded<get_partings>, nullptr,
     "A signal: the end of each contact, at its instant.\n\nType: Signal[Any]", nullptr},
    {}};

PyType_Slot body_slots[] = {
    {Py_tp_doc, const_cast<char*>(
                    "PlaneBody(plane, name, shape, x, y, heading, drive=None)\n--\n\nA body on a plane.\n\n"
                    "Type: (plane: Plane, name: str, shape: Shape, x: float, y: float, heading: float, "
                    "drive: Any = None) -> None")},
    {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void*>(guarded<body_init>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<body_dealloc>)},
    {Py_tp_traverse, reinterpret_cast<void*>(body_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(body_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<body_repr>)},
    {Py_tp_methods, body_methods},
    {Py_tp_getset, body_getset},
    {0, nullptr}};
PyType_Spec body_spec{"kumi._core.PlaneBody", sizeof(BodyObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, body_slots};

}  // namespace

Plane* plane_under(PyObject* object) {
    Plane* plane = plane_below(object);
    BodyObject* self = body_of(object);
    if (!plane || !is_gone(self)) return plane;
    PyObject* kind = provided("Lost");
    Ref at(new_point(pose_of(self).at));
    Ref error(kind && at ? PyObject_CallFunctionObjArgs(kind, self->name, at.get(), nullptr) : nullptr);
    if (error) PyErr_SetObject(kind, error.get());
    return nullptr;
}

Pose pose_of(const BodyObject* body) {
    return body->past ? body->past->at : body->plane->plane->bodies().pose(body->id);
}

bool is_gone(const BodyObject* body) { return body->past || body->plane->plane->bodies().is_gone(body->id); }

PyObject* unless_error(PyObject* result) {
    if (!PyErr_Occurred()) return result;
    Py_XDECREF(result);
    return nullptr;
}

PyObject* body_position(PyObject* self) {
    Plane* plane = plane_below(self);
    return plane ? unless_error(new_point(pose_of(body_of(self)).at)) : nullptr;
}

PyObject* body_heading(PyObject* self) {
    Plane* plane = plane_below(self);
    return plane ? unless_error(PyFloat_FromDouble(wrapped(pose_of(body_of(self)).heading))) : nullptr;
}

PyObject* body_is_moving(PyObject* self) {
    Plane* plane = plane_below(self);
    if (!plane) return nullptr;
    return PyBool_FromLong(!body_of(self)->past && plane->bodies().is_moving(body_of(self)->id));
}

PyObject* body_name(PyObject* self) { return own_or_none(body_of(self)->name); }

PyObject* body_number(PyObject* self) { return PyLong_FromUnsignedLong(body_of(self)->number); }

PyObject* body_chance(PyObject* object) {
    BodyObject* self = body_of(object);
    if (!plane_below(object)) return nullptr;
    Engine* engine = self->plane->model.node.engine;
    if (!self->chance && !engine)
        return raise("NoRun", "body '%s' is in no run yet, so it has no random numbers", text(self->name));
    if (!self->chance) {
        Ref path(PyUnicode_FromFormat("%s.%s", path_of(reinterpret_cast<PyObject*>(self->plane)).c_str(),
                                      text(self->name)));
        self->chance = path ? engine->chance_of(path.get()) : nullptr;
        if (!self->chance) return nullptr;
    }
    return own_or_none(self->chance);
}

PyObject* body_contacts(PyObject* self) {
    return signal_of(body_of(self), body_of(self)->contacts, "contacts");
}

PyObject* body_partings(PyObject* self) {
    Plane* plane = plane_below(self);
    if (!plane) return nullptr;
    plane->tell_partings(body_of(self)->id);
    return signal_of(body_of(self), body_of(self)->partings, "partings");
}

PyObject* name_of(PlaneObject* plane, BodyId other, std::int32_t obstacle) {
    PyObject* thing = thing_of(plane, other, obstacle);
    return PyObject_TypeCheck(thing, BodyType) ? body_of(thing)->name : thing;
}

PyObject* thing_of(PlaneObject* plane, BodyId other, std::int32_t obstacle) {
    if (other != NOBODY) {
        if (other < plane->bodies.size() && plane->bodies[other])
            return reinterpret_cast<PyObject*>(plane->bodies[other]);
        return names.a_body;
    }
    if (obstacle == BORDER) return names.border;
    if (plane->names && PyList_Check(plane->names) && obstacle >= 0 &&
        obstacle < PyList_GET_SIZE(plane->names))
        return PyList_GET_ITEM(plane->names, obstacle);
    return names.an_obstacle;
}

double touched_bearing(BodyObject* body) {
    const Pose pose = pose_of(body);
    const Vec to = body->touched_at - pose.at;
    return std::remainder(maths::atan2(to.y, to.x) - pose.heading, 2.0 * std::numbers::pi);
}

bool add_body_types(PyObject* module) {
    BodyType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&body_spec));
    return BodyType && PyModule_AddType(module, BodyType) == 0;
}

}  // namespace kumi
