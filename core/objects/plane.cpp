// The plane as a model: how it takes part in a run, and its type for Python.
#include "objects/plane_link.hpp"
#include "objects/plane_methods.hpp"

#include "kernel/event.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

namespace kumi {

PyTypeObject* PlaneType = nullptr;

namespace {
constexpr int SENSOR_RANK = 3;
constexpr int SETTLE_RANK = 6;  // after programs: what they all changed at this instant is predicted once
}  // namespace

Plane& present(PlaneObject* self) {
    if (Engine* engine = self->model.node.engine) self->plane->set_now(engine->agenda.now);
    set_plane_at_work(self->serial);
    return *self->plane;
}

void replan(PlaneObject* self) {
    Engine* engine = self->model.node.engine;
    if (!engine || self->is_acting) return;
    Node& node = self->model.node;
    const bool has_changed = self->plane->has_changed();
    const double time =
        has_changed ? engine->agenda.now : std::max(self->plane->next_time(), engine->agenda.now);
    if (node.place == Entry::Place::due || time == node.time) return;
    engine->agenda.withdraw(&node);
    node.rank = has_changed ? SETTLE_RANK : PLANE_RANK;
    engine->agenda.schedule(&node, time);
}

Plane* plane_of(PyObject* object) {
    if (is_within_pattern() || is_waiting_for_pattern(object_of(object)->serial)) return nullptr;
    if (object_of(object)->plane) return &present(object_of(object));
    PyErr_Format(PyExc_TypeError, "%s.__init__ did not call super().__init__(name)",
                 Py_TYPE(object)->tp_name);
    return nullptr;
}

bool read_body(PyObject* object, BodyId& id) {
    id = NOBODY;
    if (object == Py_None) return true;
    if (!PyObject_TypeCheck(object, BodyType)) {
        PyErr_Format(PyExc_TypeError, "a body is needed, not %s", shown(object).c_str());
        return false;
    }
    id = slot_of(reinterpret_cast<BodyObject*>(object));
    return true;
}

namespace {

constexpr int AT_ONCE = 4096;  // events worked off before the engine looks after signals and threads

void raise_endless(PlaneObject* self, double now) {
    const BodyId last = self->plane->stuck_on;
    const BodyObject* body = last < self->bodies.size() ? self->bodies[last] : nullptr;
    const std::string who = body ? ", at last to '" + std::string(text(body->name)) + "'" : "";
    raise("EndlessLoop", "time stands still at t = %s s: there is no end to what happens on plane '%s'%s",
          shown(now).c_str(), path_of(self->model.node.object()).c_str(), who.c_str());
}

void plane_transit(Engine& engine, Node& node, Phase) {
    PlaneObject* self = object_of(node.object());
    Ref alive = Ref::borrow(node.object());
    Plane& plane = present(self);
    self->is_acting = true;
    double time = NEVER;
    int worked = 0;
    for (;; ++worked) {
        if (worked > 0 && engine.agenda.next_time() == engine.agenda.now && plane.has_changed()) {
            time = engine.agenda.now;
            break;
        }
        time = plane.next_time();
        if (time > engine.agenda.now) {
            const double others = engine.agenda.next_time();
            if (!engine.alone || worked >= AT_ONCE || engine.changed || time > engine.horizon ||
                time == NEVER || time >= others || engine.called.load(std::memory_order_relaxed))
                break;
            time = plane.cross_before(std::min(engine.horizon, others));
            engine.agenda.now = plane.now();
            if (time > engine.horizon || time == NEVER || time >= others) break;
            engine.agenda.now = time;
        } else if (worked >= AT_ONCE) {
            break;
        }
        const bool has_end = plane.act(engine.agenda.now);
        engine.end_turn();
        if (!has_end) raise_endless(self, engine.agenda.now);
        if (PyErr_Occurred()) engine.fail(node, "the motion");
        if (engine.has_failed()) break;
    }
    engine.has_worked_long = worked >= AT_ONCE;
    self->is_acting = false;
    node.last = engine.agenda.now;
    if (!node.engine) return;
    node.rank = plane.has_changed() ? SETTLE_RANK : PLANE_RANK;
    engine.agenda.schedule(&node,
                           plane.has_changed() ? engine.agenda.now : std::max(time, engine.agenda.now));
}

// After a run all bodies stand where they were at its end.
void plane_leave(Engine& engine, Node& node) {
    Plane* plane = object_of(node.object())->plane;
    if (!plane) return;
    plane->set_now(engine.agenda.now);
    plane->halt();
}

const Behaviour PLANE{nullptr, plane_transit, offsetof(PlaneObject, model) + offsetof(AtomicObject, node),
                      plane_leave};

PyObject* plane_new(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* object = new_atomic(type, &PLANE);
    if (!object) return nullptr;
    static std::uint64_t serials = 0;
    object_of(object)->serial = ++serials;
    new (&object_of(object)->bodies) std::vector<BodyObject*>();
    new (&object_of(object)->told) std::vector<PyObject*>();
    return object;
}

int plane_init(PyObject* object, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"name", "box", nullptr};
    PyObject *name, *given = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|O:Plane", const_cast<char**>(names), &name, &given))
        return -1;
    PlaneObject* self = object_of(object);
    if (self->plane) {
        PyErr_SetString(PyExc_TypeError, "a plane's __init__ cannot be called again");
        return -1;
    }
    if (!init_atomic(&self->model, name, PLANE_RANK)) return -1;
    Box box{};
    if (given != Py_None && !PyTuple_Check(given)) {
        PyErr_Format(PyExc_TypeError, "a plane's box is (left, bottom, right, top), not %s",
                     shown(given).c_str());
        return -1;
    }
    if (given != Py_None && !PyArg_ParseTuple(given, "dddd", &box.left, &box.bottom, &box.right, &box.top))
        return -1;
    if (given != Py_None && !(box.left < box.right && box.bottom < box.top &&
                              std::isfinite(box.right - box.left) && std::isfinite(box.top - box.bottom))) {
        PyErr_Format(PyExc_ValueError,
                     "a plane's box is (left, bottom, right, top) with left < right and bottom < top, not %s",
                     shown(given).c_str());
        return -1;
    }
    self->plane = new Plane(given == Py_None ? nullptr : &box);
    self->link = new PlaneLink(self);
    self->plane->set_listener(self->link);
    self->plane->recorder().journal.reader = self->link;
    self->model.planned = 0.0;
    return 0;
}

int plane_traverse(PyObject* object, visitproc visit, void* arg) {
    PlaneObject* self = object_of(object);
    for (BodyObject* body : self->bodies) Py_VISIT(reinterpret_cast<PyObject*>(body));
    for (PyObject* told : self->told) Py_VISIT(told);
    Py_VISIT(self->names);
    Py_VISIT(self->decide);
    Py_VISIT(self->last_shape);
    return traverse_atomic(object, visit, arg);
}

int plane_clear(PyObject* object) {
    PlaneObject* self = object_of(object);
    std::vector<BodyObject*> bodies;
    bodies.swap(self->bodies);
    for (BodyObject* body : bodies) Py_XDECREF(body);
    std::vector<PyObject*> told;
    told.swap(self->told);
    for (PyObject* one : told) Py_XDECREF(one);
    Py_CLEAR(self->names);
    Py_CLEAR(self->decide);
    Py_CLEAR(self->last_shape);
    return clear_atomic(object);
}

void plane_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    plane_clear(object);
    PlaneObject* self = object_of(object);
    delete self->plane;
    delete self->link;
    delete self->last_form;
    self->bodies.~vector();
    self->told.~vector();
    destroy_atomic(object);
    type->tp_free(object);
    Py_DECREF(type);
}

// A world is part of one run: its clock began with it.
PyObject* plane_begin(PyObject* object, PyObject*) {
    if (std::exchange(object_of(object)->was_in_run, true))
        return raise("StructureError", "'%s' was part of a run before; make a new one for each run",
                     path_of(object).c_str());
    Py_RETURN_NONE;
}

PyObject* plane_schedule(PyObject* object, PyObject* args) {
    double time;
    PyObject* action;
    if (!plane_of(object) || !PyArg_ParseTuple(args, "dO:schedule", &time, &action)) return nullptr;
    Engine* engine = object_of(object)->model.node.engine;
    if (!engine)
        return raise("NoRun", "'%s' is in no run yet, so nothing can be planned", path_of(object).c_str());
    Ref event(new_call(*engine, action, SENSOR_RANK));
    return event && plan_event(event.get(), std::max(time, engine->agenda.now)) ? event.release() : nullptr;
}

PyMethodDef plane_methods[] = {
    {"add_wall", guarded<plane_add_wall>, METH_VARARGS,
     "add_wall($self, start, end, thickness, traits, /)\n--\n\nA straight wall; gives the obstacle's "
     "number.\n\n"
     "Type: (start: Point, end: Point, thickness: float, traits: int, /) -> int"},
    {"add_pillar", guarded<plane_add_pillar>, METH_VARARGS,
     "add_pillar($self, centre, radius, traits, /)\n--\n\nA round obstacle; gives its number.\n\n"
     "Type: (centre: Point, radius: float, traits: int, /) -> int"},
    {"add_block", guarded<plane_add_block>, METH_VARARGS,
     "add_block($self, corners, traits, /)\n--\n\nA solid with straight sides, counter-clockwise; gives its "
     "number.\n\n"
     "Type: (corners: Sequence[Point], traits: int, /) -> int"},
    {"add_region", guarded<plane_add_region>, METH_VARARGS,
     "add_region($self, corners, radius, factor, /)\n--\n\nGround that slows by a factor, or a hole where it "
     "is 0; round where radius > 0.\n\n"
     "Type: (corners: Sequence[Point] | Point, radius: float, factor: float, /) -> int"},
    {"tell_obstacle", guarded<plane_tell_obstacle>, METH_VARARGS,
     "tell_obstacle($self, number, words, /)\n--\n\nWrite down that an obstacle stands from now on; without "
     "words, that it is gone.\n\n"
     "Type: (number: int, words: str | None, /) -> None"},
    {"take_away", guarded<plane_take_away>, METH_O,
     "take_away($self, number, /)\n--\n\nTake an obstacle away.\n\nType: (number: int, /) -> None"},
    {"body_in", guarded<plane_body_in>, METH_O,
     "body_in($self, number, /)\n--\n\nThe number of the first body that an obstacle overlaps, or None.\n\n"
     "Type: (number: int, /) -> int | None"},
    {"set_policy", guarded<plane_set_policy>, METH_O,
     "set_policy($self, policy, /)\n--\n\nWhat a contact does: stop, slide, pass, or what a function "
     "says; ghost where there are none.\n\n"
     "Type: (policy: str | Callable[[Any, Any], str], /) -> None"},
    {"set_names", guarded<plane_set_names>, METH_O,
     "set_names($self, names, /)\n--\n\nThe names of the obstacles, by number.\n\nType: (names: list[str], "
     "/) -> None"},
    {"hit", guarded<plane_first_hit>, METH_VARARGS,
     "hit($self, origin, direction, reach, ignoring, bodies, stopping, /)\n--\n\nWhat a ray hits first, of "
     "bodies and of obstacles with one of the traits: (distance, body, obstacle), or None.\n\n"
     "Type: (origin: Point | tuple[float, float], direction: float, reach: float, ignoring: PlaneBody | "
     "None, bodies: bool, stopping: int, /) -> tuple[float, Any, int] | None"},
    {"echoes", guarded<plane_echoes>, METH_VARARGS,
     "echoes($self, origin, directions, reach, ignoring, bodies, stopping, echoing, /)\n--\n\nFrom how far "
     "away "
     "each of many rays comes back, as doubles; inf where it does not. Directions are doubles.\n\n"
     "Type: (origin: Point | tuple[float, float], directions: Any, reach: float, ignoring: PlaneBody | None, "
     "bodies: bool, stopping: int, echoing: int, /) -> bytes"},
    {"obstacle_hits", guarded<plane_obstacle_hits>, METH_VARARGS,
     "obstacle_hits($self, origin, directions, reach, stopping, /)\n--\n\nHow far each of many rays goes "
     "until it "
     "meets an obstacle, as doubles, inf where it meets none, and their numbers, as integers of 32 bits.\n\n"
     "Type: (origin: Point | tuple[float, float], directions: Any, reach: float, stopping: int, /) -> "
     "tuple[bytes, "
     "bytes]"},
    {"nearest_in_cone", guarded<plane_nearest_in_cone>, METH_VARARGS,
     "nearest_in_cone($self, origin, middle, width, reach, ignoring, stopping, echoing, /)\n--\n\nHow far it "
     "is to "
     "the nearest surface in a cone that sends something back, or None.\n\n"
     "Type: (origin: Point | tuple[float, float], middle: float, width: float, reach: float, ignoring: "
     "PlaneBody | "
     "None, stopping: int, echoing: int, /) -> float | None"},
    {"around", guarded<plane_around>, METH_VARARGS,
     "around($self, centre, within, middle, view, ignoring, meeting, /)\n--\n\nWhat is within a distance and "
     "in a "
     "field of view, each thing at its nearest point: (gap, body, obstacle, direction of length 1).\n\n"
     "Type: (centre: Point | tuple[float, float], within: float, middle: float, view: float, ignoring: "
     "PlaneBody | "
     "None, meeting: int, /) -> list[tuple[float, Any, int, Point]]"},
    {"in_sight", guarded<plane_in_sight>, METH_VARARGS,
     "in_sight($self, body, reach, view, bearing, occlusion, /)\n--\n\nWho is in sight of a body, by number: "
     "(body, "
     "distance, bearing).\n\n"
     "Type: (body: PlaneBody, reach: float, view: float, bearing: float, occlusion: bool, /) -> "
     "list[tuple[Any, "
     "float, float]]"},
    {"schedule", guarded<plane_schedule>, METH_VARARGS,
     "schedule($self, time, action, /)\n--\n\nPlan a call between what happens on the plane and the "
     "programs.\n\n"
     "Type: (time: float, action: Callable[[], object], /) -> Event"},
    {"begin", guarded<plane_begin>, METH_NOARGS,
     "begin($self, /)\n--\n\nEnter a run; a plane does so once.\n\nType: () -> None"},
    {"near_bodies", guarded<plane_near>, METH_VARARGS,
     "near_bodies($self, centre, within, /)\n--\n\nBodies whose surface is within that distance, by "
     "number.\n\n"
     "Type: (centre: Point | tuple[float, float], within: float, /) -> list[Any]"},
    {"near_centres", guarded<plane_near_centres>, METH_VARARGS,
     "near_centres($self, body, within, /)\n--\n\nThe numbers of the bodies whose centres are within that "
     "distance of a body's centre, with their distances, by number.\n\n"
     "Type: (body: PlaneBody, within: float, /) -> list[tuple[int, float]]"},
    {"obstacles_near", guarded<plane_near_obstacles>, METH_VARARGS,
     "obstacles_near($self, centre, within, /)\n--\n\nObstacles and their distances, the nearest first.\n\n"
     "Type: (centre: Point | tuple[float, float], within: float, /) -> list[tuple[int, float]]"},
    {"obstacles_along", guarded<plane_obstacles_along>, METH_VARARGS,
     "obstacles_along($self, start, end, within, /)\n--\n\nThe numbers of the obstacles within a distance of "
     "a "
     "straight way, those nearest to its middle first.\n\n"
     "Type: (start: Point | tuple[float, float], end: Point | tuple[float, float], within: float, /) -> "
     "list[int]"},
    {"is_solid", guarded<plane_is_solid>, METH_O,
     "is_solid($self, point, /)\n--\n\nWhether a point lies in an obstacle that stops bodies or outside the "
     "box.\n\n"
     "Type: (point: Point | tuple[float, float], /) -> bool"},
    {"ground_factor", guarded<plane_ground>, METH_O,
     "ground_factor($self, point, /)\n--\n\nHow the ground slows: 1 on floor, 0 over a hole.\n\n"
     "Type: (point: Point | tuple[float, float], /) -> float"},
    {"what_is_in_the_way", guarded<plane_in_the_way>, METH_VARARGS,
     "what_is_in_the_way($self, shape, at, heading, ignoring, /)\n--\n\nWhat a body there would overlap: "
     "(gap, body, obstacle), or None; the gap is -inf for what would hold all of it.\n\n"
     "Type: (shape: Shape, at: Point | tuple[float, float], heading: float, ignoring: PlaneBody | None, /) "
     "-> tuple[float, Any, int] | None"},
    {"least_gap", guarded<plane_least_gap>, METH_NOARGS,
     "least_gap($self, /)\n--\n\nThe least gap now between two bodies, or a body and an obstacle.\n\nType: "
     "() -> float"},
    {"keep_journal", guarded<plane_keep_journal>, METH_O,
     "keep_journal($self, keeps, /)\n--\n\nKeep all that happens from now on, beginning with the state of "
     "all bodies.\n\n"
     "Type: (keeps: bool, /) -> None"},
    {"take_journal", guarded<plane_take_journal>, METH_NOARGS,
     "take_journal($self, /)\n--\n\nWhat was kept since the last time.\n\nType: () -> bytes"},
    {"snapshot", guarded<plane_snapshot>, METH_NOARGS,
     "snapshot($self, /)\n--\n\nThe state of all bodies now, as a journal.\n\nType: () -> bytes"},
    {"places", guarded<plane_places>, METH_NOARGS,
     "places($self, /)\n--\n\nWhere all bodies are now, by number, as doubles: x and y in turn.\n\nType: () "
     "-> bytes"},
    {"write_note", guarded<plane_note>, METH_VARARGS,
     "write_note($self, body, text, /)\n--\n\nA note in the journal.\n\nType: (body: PlaneBody | None, text: "
     "str, /) -> None"},
    {"note_together", guarded<plane_note_together>, METH_VARARGS,
     "note_together($self, bodies, text, /)\n--\n\nA note of each body in the journal; gives a byte for "
     "each, "
     "0 for one that is gone and notes nothing.\n\nType: (bodies: Sequence[PlaneBody], text: str, /) -> "
     "bytes"},
    {"scan_together", guarded<plane_scan_together>, METH_VARARGS,
     "scan_together($self, bodies, first, turns, reach, stopping, echoing, out, /)\n--\n\nFill a row for "
     "each "
     "body with how far away its rays come back; inf where they do not.\n\n"
     "Type: (bodies: Sequence[PlaneBody], first: float, turns: NDArray[np.float64], reach: float, stopping: "
     "int, echoing: int, out: NDArray[np.float64], /) -> None"},
    {"range_together", guarded<plane_range_together>, METH_VARARGS,
     "range_together($self, bodies, bearing, offset, view, reach, stopping, echoing, out, /)\n--\n\nFill an "
     "array with how far it is to the nearest surface in a cone of each body, which begins on its surface "
     "where the offset is below 0; inf where there is none.\n\n"
     "Type: (bodies: Sequence[PlaneBody], bearing: float, offset: float, view: float, reach: float, "
     "stopping: "
     "int, echoing: int, out: NDArray[np.float64], /) -> None"},
    {"misread_together", guarded<plane_misread_together>, METH_VARARGS,
     "misread_together($self, bodies, spread, size, share, dropout, least, reach, rows, /)\n--\n\nPut what "
     "is "
     "read in the place of true distances, a row for each body, which draws from its own chance; see "
     "misread().\n\n"
     "Type: (bodies: Sequence[PlaneBody], spread: int, size: float, share: float, dropout: float, least: "
     "float, reach: float, rows: NDArray[np.float64], /) -> None"},
    {"sight_together", guarded<plane_sight_together>, METH_VARARGS,
     "sight_together($self, bodies, reach, view, bearing, occlusion, /)\n--\n\nWho is in sight of each body, "
     "the nearest first: which body, and the number of the other, as int64; distance, bearing, and place, as "
     "doubles.\n\n"
     "Type: (bodies: Sequence[PlaneBody], reach: float, view: float, bearing: float, occlusion: bool, /) -> "
     "tuple[bytearray, bytearray, bytearray, bytearray, bytearray]"},
    {"around_together", guarded<plane_around_together>, METH_VARARGS,
     "around_together($self, bodies, reach, view, bearing, meeting, /)\n--\n\nWhat is around each body, in "
     "the same arrays, at its nearest point; the number is -1 for an obstacle.\n\n"
     "Type: (bodies: Sequence[PlaneBody], reach: float, view: float, bearing: float, meeting: int, /) -> "
     "tuple[bytearray, bytearray, bytearray, bytearray, bytearray]"},
    {"write_record", guarded<plane_write_record>, METH_O,
     "write_record($self, record, /)\n--\n\nA whole record for the journal, if one is kept.\n\nType: "
     "(record: bytes, /) -> None"},
    {"add_walkers", guarded<plane_add_walkers>, METH_VARARGS,
     "add_walkers($self, places, radius, slowest, fastest, seed, /)\n--\n\nRandom walkers without programs; "
     "`places` are doubles, x and y in turn.\n\n"
     "Type: (places: Any, radius: float, slowest: float, fastest: float, seed: int, /) -> None"},
    {}};

PyType_Slot plane_slots[] = {
    {Py_tp_doc,
     const_cast<char*>("Plane(name, box=None)\n--\n\nA plane with bodies that move in closed form, and what "
                       "is in their way.\n\n"
                       "Type: (name: str, box: tuple[float, float, float, float] | None = None) -> None")},
    {Py_tp_new, reinterpret_cast<void*>(guarded<plane_new>)},
    {Py_tp_init, reinterpret_cast<void*>(guarded<plane_init>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<plane_dealloc, leave_engine>)},
    {Py_tp_traverse, reinterpret_cast<void*>(plane_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(plane_clear)},
    {Py_tp_methods, plane_methods},
    {Py_tp_getset, plane_getset},
    {0, nullptr}};
PyType_Spec plane_spec{"kumi._core.Plane", sizeof(PlaneObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, plane_slots};

}  // namespace

bool add_plane_types(PyObject* module) {
    Ref bases(PyTuple_Pack(1, AtomicType));
    PlaneType = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&plane_spec, bases.get()));
    const auto add = [module](const char* name, Traits traits) {
        return PyModule_AddIntConstant(module, name, traits) == 0;
    };
    return PlaneType && PyModule_AddType(module, PlaneType) == 0 && add("STANDS", STANDS) &&
           add("STOPS_BODIES", STOPS_BODIES) && add("STOPS_LIGHT", STOPS_LIGHT) &&
           add("ECHOES_LIGHT", ECHOES_LIGHT) && add("ECHOES_SOUND", ECHOES_SOUND);
}

}  // namespace kumi
