#include "plane_object.hpp"

#include "event.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

namespace nb = nanobind;

namespace kumi {

PyTypeObject* PlaneType = nullptr;

namespace {
constexpr int SENSOR_RANK = 3;
constexpr int SETTLE_RANK = 6;  // after programs: what they all changed at this instant is predicted once
}

namespace {

PlaneObject* object_of(PyObject* self) { return reinterpret_cast<PlaneObject*>(self); }

}  // namespace

// What happens on the plane goes to bodies' signals, to waiting tasks, and to the hash of the run.
class PlaneLink : public Plane::Listener, public Journal::Reader {
  public:
    explicit PlaneLink(PlaneObject* owner) : owner_(owner) {}

    void expect(BodyId id) override {
        BodyObject* body = body_at(id);
        if (!body) return;
        __builtin_prefetch(body);
        __builtin_prefetch(reinterpret_cast<char*>(body) + 64);
    }

    void touched(BodyId id, BodyId other, std::int32_t obstacle, Vec point) override {
        BodyObject* body = body_at(id);
        if (!body) return;
        body->touched_body = other;
        body->touched_obstacle = obstacle;
        body->touched_at = point;
        if (!body->contacts && !body->at_contact) return;
        static PyObject* kind = contract_thing("events", "Contact");
        Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(body));
        Ref at(new_point(point));
        Ref number(other == NOBODY ? own_or_none(nullptr) : PyLong_FromUnsignedLong(other));
        Ref event(kind && at && number ? PyObject_CallFunction(kind, "dOdOO", now(), at.get(), touched_bearing(body),
                                                               touched_name(body), number.get())
                                       : nullptr);
        if (!event) fail("a contact");
        if (event && body->at_contact) call_all(body->at_contact, event.get());
        if (event && body->contacts && !fire(reinterpret_cast<SignalObject*>(body->contacts), event.get())) fail("a contact");
    }

    void ended(BodyId id, Why why) override {
        BodyObject* body = body_at(id);
        if (!body) return;
        end_motion(body, why);
        if (why == Why::gone) {
            if (body->at_gone) call_all(body->at_gone, nullptr);
            owner_->bodies[id] = nullptr;
            for (std::size_t watch = 0; watch < owner_->told.size(); ++watch)
                if (!owner_->plane->is_watching(static_cast<std::uint32_t>(watch))) Py_CLEAR(owner_->told[watch]);
            Py_DECREF(body);
        }
    }

    void moved(BodyId id) override {
        BodyObject* body = body_at(id);
        if (!body) return;
        Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(body));
        if (body->at_motion) call_all(body->at_motion, nullptr);
    }

    void watched(std::uint32_t watch, BodyId other, bool entered) override {
        BodyObject* body = body_at(other);
        if (!body || watch >= owner_->told.size() || !owner_->told[watch]) return;
        Ref told = Ref::borrow(owner_->told[watch]);
        Ref result(PyObject_CallFunctionObjArgs(told.get(), entered ? Py_True : Py_False, body, nullptr));
        if (!result) fail("a watch");
    }

    Policy decide(BodyId id, BodyId other, std::int32_t obstacle, Vec point) override {
        BodyObject* body = body_at(id);
        if (!body || !owner_->decide) return Policy::stop;
        body->touched_body = other;
        body->touched_obstacle = obstacle;
        body->touched_at = point;
        static PyObject* kind = contract_thing("events", "Contact");
        Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(body));
        Ref at(new_point(point));
        Ref number(other == NOBODY ? own_or_none(nullptr) : PyLong_FromUnsignedLong(other));
        Ref event(kind && at && number ? PyObject_CallFunction(kind, "dOdOO", now(), at.get(), touched_bearing(body),
                                                               touched_name(body), number.get())
                                       : nullptr);
        Ref answer(event ? PyObject_CallFunctionObjArgs(owner_->decide, body, event.get(), nullptr) : nullptr);
        Policy policy = Policy::stop;
        if (answer && !read_policy(answer.get(), policy)) answer = Ref();
        if (!answer) fail("the contact policy");
        return policy == Policy::ask ? Policy::stop : policy;
    }

    void read(const char* bytes, std::size_t length) override {
        Engine* engine = owner_->model.node.engine;
        if (!engine) {
            early_.append(bytes, length);
            return;
        }
        if (!early_.empty()) {
            engine->record(early_.data(), early_.size());
            std::string().swap(early_);
        }
        engine->record(bytes, length);
    }

    static bool read_policy(PyObject* object, Policy& policy) {
        static const char* names[] = {"stop", "slide", "pass", "ask"};
        for (int i = 0; PyUnicode_Check(object) && i < 4; ++i) {
            if (PyUnicode_CompareWithASCIIString(object, names[i]) != 0) continue;
            policy = static_cast<Policy>(i);
            return true;
        }
        PyErr_Format(PyExc_ValueError, "a contact policy is \"stop\", \"slide\" or \"pass\", not %s", shown(object).c_str());
        return false;
    }

  private:
    PlaneObject* owner_;
    std::string early_;

    void call_all(PyObject* list, PyObject* argument) {
        Ref copy(PyList_AsTuple(list));
        for (Py_ssize_t i = 0; copy && i < PyTuple_GET_SIZE(copy.get()); ++i) {
            Ref result(PyObject_CallFunctionObjArgs(PyTuple_GET_ITEM(copy.get(), i), argument, nullptr));
            if (!result) fail("a sensor");
        }
    }

    BodyObject* body_at(BodyId id) { return id < owner_->bodies.size() ? owner_->bodies[id] : nullptr; }
    double now() const { return owner_->plane->now; }
    void fail(const char* what) {
        if (Engine* engine = owner_->model.node.engine)
            engine->fail(owner_->model.node, what);
        else
            PyErr_WriteUnraisable(reinterpret_cast<PyObject*>(owner_));
    }
};

Plane& present(PlaneObject* self) {
    if (Engine* engine = self->model.node.engine) self->plane->now = engine->agenda.now;
    return *self->plane;
}

void replan(PlaneObject* self) {
    Engine* engine = self->model.node.engine;
    if (!engine || self->is_acting) return;
    Node& node = self->model.node;
    const bool has_changed = self->plane->has_changed();
    const double time = has_changed ? engine->agenda.now : std::max(self->plane->next_time(), engine->agenda.now);
    if (node.place == Entry::Place::due || time == node.time) return;
    engine->agenda.withdraw(&node);
    node.rank = has_changed ? SETTLE_RANK : PLANE_RANK;
    engine->agenda.schedule(&node, time);
}

PyObject* kumi_thing(const char* module, const char* name) {
    Ref loaded(PyImport_ImportModule(module));
    PyObject* found = loaded ? get_attribute(loaded.get(), name) : nullptr;
    Py_XDECREF(found);  // the module keeps it
    return found;
}

PyObject* contract_thing(const char* module, const char* name) {
    return kumi_thing((std::string("kumi.contract.") + module).c_str(), name);
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
    for (int i = 0;; ++i) {
        if (i > 0 && engine.agenda.next_time() == engine.agenda.now && plane.has_changed()) {
            time = engine.agenda.now;
            break;
        }
        time = plane.next_time();
        if (time > engine.agenda.now) {
            const double others = engine.agenda.next_time();
            if (!engine.alone || i >= AT_ONCE || engine.changed || time > engine.horizon || time == NEVER ||
                time >= others || engine.called.load(std::memory_order_relaxed))
                break;
            time = plane.cross_before(std::min(engine.horizon, others));
            engine.agenda.now = plane.now;
            if (time > engine.horizon || time == NEVER || time >= others) break;
            engine.agenda.now = time;
        } else if (i >= AT_ONCE) {
            break;
        }
        const bool has_end = plane.act(engine.agenda.now);
        engine.end_turn();
        if (!has_end) raise_endless(self, engine.agenda.now);
        if (PyErr_Occurred()) engine.fail(node, "the motion");
        if (engine.has_failed()) break;
    }
    self->is_acting = false;
    node.last = engine.agenda.now;
    if (!node.engine) return;
    node.rank = plane.has_changed() ? SETTLE_RANK : PLANE_RANK;
    engine.agenda.schedule(&node, plane.has_changed() ? engine.agenda.now : std::max(time, engine.agenda.now));
}

// After a run all bodies stand where they were at its end.
void plane_leave(Engine& engine, Node& node) {
    Plane* plane = object_of(node.object())->plane;
    if (!plane) return;
    plane->now = engine.agenda.now;
    plane->halt();
}

const Behaviour PLANE{nullptr, plane_transit, offsetof(PlaneObject, model) + offsetof(AtomicObject, node), plane_leave};

PyObject* plane_new(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* object = new_atomic(type, &PLANE);
    if (!object) return nullptr;
    new (&object_of(object)->bodies) std::vector<BodyObject*>();
    new (&object_of(object)->told) std::vector<PyObject*>();
    return object;
}

int plane_init(PyObject* object, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"name", "box", nullptr};
    PyObject *name, *given = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|O:Plane", const_cast<char**>(names), &name, &given)) return -1;
    PlaneObject* self = object_of(object);
    if (self->plane) {
        PyErr_SetString(PyExc_TypeError, "a plane's __init__ cannot be called again");
        return -1;
    }
    if (!init_atomic(&self->model, name, PLANE_RANK)) return -1;
    Box box{};
    if (given != Py_None && !PyArg_ParseTuple(given, "dddd", &box.left, &box.bottom, &box.right, &box.top)) return -1;
    if (given != Py_None && !(box.left < box.right && box.bottom < box.top && std::isfinite(box.right - box.left) &&
                              std::isfinite(box.top - box.bottom))) {
        PyErr_Format(PyExc_ValueError, "a plane's box is (left, bottom, right, top) with left < right and bottom < top, not %s",
                     shown(given).c_str());
        return -1;
    }
    self->plane = new Plane(given == Py_None ? nullptr : &box);
    self->link = new PlaneLink(self);
    self->plane->listener = self->link;
    self->plane->journal.reader = self->link;
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
    PyObject_GC_UnTrack(object);
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

Plane* plane_of(PyObject* object) {
    if (is_within_pattern()) return nullptr;
    if (object_of(object)->plane) return &present(object_of(object));
    PyErr_Format(PyExc_TypeError, "%s.__init__ did not call super().__init__(name)", Py_TYPE(object)->tp_name);
    return nullptr;
}

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
    if (!engine) return raise("NoRun", "'%s' is in no run yet, so nothing can be planned", path_of(object).c_str());
    Ref event(new_call(*engine, action, SENSOR_RANK));
    return event && plan_event(event.get(), std::max(time, engine->agenda.now)) ? event.release() : nullptr;
}

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

PyObject* body_or_none(PyObject* object, BodyId id) {
    const auto& bodies = object_of(object)->bodies;
    return own_or_none(id < bodies.size() ? reinterpret_cast<PyObject*>(bodies[id]) : nullptr);
}

PyObject* shown_hit(PyObject* object, const Hit& hit) {
    return Py_BuildValue("dNi", hit.distance, body_or_none(object, hit.body), hit.obstacle);
}

bool read_body(PyObject* object, BodyId& id) {
    id = NOBODY;
    if (object == Py_None) return true;
    if (!PyObject_TypeCheck(object, BodyType)) {
        PyErr_Format(PyExc_TypeError, "a body is needed, not %s", shown(object).c_str());
        return false;
    }
    id = reinterpret_cast<BodyObject*>(object)->id;
    return true;
}

PyObject* plane_first_hit(PyObject* object, PyObject* args) {
    PyObject *from, *ignoring;
    double angle, reach;
    int bodies, obstacles;
    Vec at;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OddOpp:hit", &from, &angle, &reach, &ignoring, &bodies, &obstacles) ||
        !read_point("first_hit()", from, at) || !read_body(ignoring, id))
        return nullptr;
    if (!(reach > 0.0) || std::isnan(angle) || std::isinf(angle))
        return PyErr_Format(PyExc_ValueError, "first_hit(): a direction is an angle and a reach a number of metres > 0, not %s and %s",
                            shown(angle).c_str(), shown(reach).c_str());
    plane->next_time();  // cells are in order
    const Hit hit = plane->first_hit(at, direction(angle), reach, id, bodies != 0, obstacles != 0);
    if (hit.distance == INFINITE_TIME) return unless_error(own_or_none(nullptr));
    return unless_error(shown_hit(object, hit));
}

PyObject* plane_hits(PyObject* object, PyObject* args) {
    PyObject *from, *ignoring;
    double first, step, reach;
    Py_ssize_t count;
    Vec at;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OddndO:hits", &from, &first, &step, &count, &reach, &ignoring) ||
        !read_point("hits()", from, at) || !read_body(ignoring, id))
        return nullptr;
    if (count < 0 || !(reach > 0.0) || !std::isfinite(first) || !std::isfinite(step))
        return PyErr_Format(PyExc_ValueError, "hits() takes finite angles, a count >= 0 and a reach > 0");
    plane->next_time();  // cells are in order
    Ref bytes(PyBytes_FromStringAndSize(nullptr, count * 8));
    if (!bytes) return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) {
        const double angle = first + step * static_cast<double>(i);
        const double distance = plane->first_hit(at, direction(angle), reach, id, true, true).distance;
        std::memcpy(PyBytes_AS_STRING(bytes.get()) + 8 * i, &distance, 8);
    }
    return unless_error(bytes.release());
}

PyObject* plane_near(PyObject* object, PyObject* args) {
    PyObject* centre;
    double within;
    Vec at;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Od:near_bodies", &centre, &within) || !read_point("near()", centre, at)) return nullptr;
    if (!(within >= 0.0))
        return PyErr_Format(PyExc_ValueError, "near(): a distance is a number of metres >= 0, not %s", shown(within).c_str());
    std::vector<BodyId> found;
    plane->near(at, within, found);
    std::sort(found.begin(), found.end());
    Ref list(PyList_New(0));
    for (BodyId id : found) {
        Ref body(body_or_none(object, id));
        if (body.get() != Py_None) PyList_Append(list.get(), body.get());
    }
    return unless_error(list.release());
}

PyObject* plane_near_obstacles(PyObject* object, PyObject* args) {
    PyObject* centre;
    double within;
    Vec at;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Od:obstacles_near", &centre, &within) || !read_point("near_obstacles()", centre, at))
        return nullptr;
    std::vector<Hit> found;
    plane->near_obstacles(at, within, found);
    Ref list(PyList_New(0));
    for (const Hit& hit : found) {
        Ref pair(Py_BuildValue("id", hit.obstacle, hit.distance));
        PyList_Append(list.get(), pair.get());
    }
    return list.release();
}

PyObject* plane_is_solid(PyObject* object, PyObject* given) {
    Vec at;
    Plane* plane = plane_of(object);
    return plane && read_point("is_solid()", given, at) ? PyBool_FromLong(plane->is_solid(at)) : nullptr;
}

PyObject* plane_ground(PyObject* object, PyObject* given) {
    Vec at;
    Plane* plane = plane_of(object);
    if (!plane || !read_point("ground()", given, at)) return nullptr;
    const Region* region = plane->ground(at);
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
        const Hit hit = plane->in_the_way(nb::cast<const Shape&>(nb::handle(shape)), pose, id);
        if (hit.distance == INFINITE_TIME) return unless_error(own_or_none(nullptr));
        return unless_error(shown_hit(object, hit));
    } catch (const nb::cast_error&) {
        return PyErr_Format(PyExc_TypeError, "in_the_way() takes a Shape, not %s", shown(shape).c_str());
    }
}

PyObject* plane_least_gap(PyObject* object, PyObject*) {
    Plane* plane = plane_of(object);
    return plane ? unless_error(PyFloat_FromDouble(plane->least_gap())) : nullptr;
}

PyObject* plane_keep_journal(PyObject* object, PyObject* on) {
    Plane* plane = plane_of(object);
    const int keeps = PyObject_IsTrue(on);
    if (!plane || keeps < 0) return nullptr;
    plane->keep_journal(keeps != 0);
    return unless_error(own_or_none(nullptr));
}

PyObject* plane_take_journal(PyObject* object, PyObject*) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    const std::string bytes = plane->journal.take();
    return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
}

PyObject* plane_snapshot(PyObject* object, PyObject*) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    const std::string bytes = plane->snapshot();
    return unless_error(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

PyObject* plane_note(PyObject* object, PyObject* args) {
    PyObject *body, *words;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OU:write_note", &body, &words) || !read_body(body, id)) return nullptr;
    if (!plane->journal.is_open()) Py_RETURN_NONE;
    Py_ssize_t length;
    const char* utf8 = PyUnicode_AsUTF8AndSize(words, &length);
    if (!utf8) return nullptr;
    Journal::Record record('N');
    record.put(id).put(static_cast<std::uint32_t>(length));
    for (Py_ssize_t i = 0; i < length; ++i) record.put(utf8[i]);
    plane->journal.write(plane->now, record);
    Py_RETURN_NONE;
}

// A record of what is none of the plane's own business, such as messages.
PyObject* plane_write_record(PyObject* object, PyObject* bytes) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    if (!PyBytes_CheckExact(bytes)) return PyErr_Format(PyExc_TypeError, "write_record() takes bytes");
    if (plane->journal.keeps) plane->journal.keep_record(plane->now, PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
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

PyObject* plane_places(PyObject* object, PyObject*) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    std::string bytes;
    bytes.reserve(16 * plane->alive());
    for (BodyId id = 0; id < plane->size(); ++id) {
        if (plane->is_gone(id)) continue;
        const Vec at = plane->pose(id).at;
        bytes.append(reinterpret_cast<const char*>(&at.x), 8).append(reinterpret_cast<const char*>(&at.y), 8);
    }
    return unless_error(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

PyObject* get_events(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromUnsignedLongLong(plane->events) : nullptr;
}
PyObject* get_crossings(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromUnsignedLongLong(plane->crossings) : nullptr;
}
PyObject* get_collisions(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromUnsignedLongLong(plane->collisions) : nullptr;
}
PyObject* get_count(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromSize_t(plane->alive()) : nullptr;
}
PyObject* get_added(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromSize_t(plane->size()) : nullptr;
}
PyObject* get_bytes(PyObject* self, void*) {
    Plane* plane = plane_of(self);
    return plane ? PyLong_FromSize_t(plane->bytes()) : nullptr;
}
PyObject* get_held(PyObject* self, void*) {
    Ref list(PyList_New(0));
    for (BodyObject* body : object_of(self)->bodies)
        if (body) PyList_Append(list.get(), reinterpret_cast<PyObject*>(body));
    return PyList_AsTuple(list.get());
}

PyMethodDef plane_methods[] = {
    {"add_wall", plane_add_wall, METH_VARARGS,
     "add_wall($self, start, end, thickness, /)\n--\n\nA straight wall; gives the obstacle's number.\n\n"
     "Type: (start: Point, end: Point, thickness: float, /) -> int"},
    {"add_pillar", plane_add_pillar, METH_VARARGS,
     "add_pillar($self, centre, radius, is_seen, /)\n--\n\nA round obstacle; gives its number.\n\n"
     "Type: (centre: Point, radius: float, is_seen: bool, /) -> int"},
    {"add_block", plane_add_block, METH_VARARGS,
     "add_block($self, corners, is_seen, /)\n--\n\nA solid with straight sides, counter-clockwise; gives its number.\n\n"
     "Type: (corners: Sequence[Point], is_seen: bool, /) -> int"},
    {"add_region", plane_add_region, METH_VARARGS,
     "add_region($self, corners, radius, factor, /)\n--\n\nGround that slows by a factor, or a hole where it is 0; round where radius > 0.\n\n"
     "Type: (corners: Sequence[Point] | Point, radius: float, factor: float, /) -> int"},
    {"set_policy", plane_set_policy, METH_O,
     "set_policy($self, policy, /)\n--\n\nWhat a contact does: stop, slide, pass, or what a function says.\n\n"
     "Type: (policy: str | Callable[[Any, Any], str], /) -> None"},
    {"set_names", plane_set_names, METH_O, "set_names($self, names, /)\n--\n\nThe names of the obstacles, by number.\n\nType: (names: list[str], /) -> None"},
    {"hit", plane_first_hit, METH_VARARGS,
     "hit($self, origin, direction, reach, ignoring, bodies, obstacles, /)\n--\n\nWhat a ray hits first: (distance, body, obstacle), or None.\n\n"
     "Type: (origin: Point | tuple[float, float], direction: float, reach: float, ignoring: PlaneBody | None, bodies: bool, obstacles: bool, /) -> tuple[float, Any, int] | None"},
    {"hits", plane_hits, METH_VARARGS,
     "hits($self, origin, first, step, count, reach, ignoring, /)\n--\n\nHow far away each of many rays hits something, as doubles; inf where it does not.\n\n"
     "Type: (origin: Point | tuple[float, float], first: float, step: float, count: int, reach: float, ignoring: PlaneBody | None, /) -> bytes"},
    {"schedule", plane_schedule, METH_VARARGS,
     "schedule($self, time, action, /)\n--\n\nPlan a call between what happens on the plane and the programs.\n\n"
     "Type: (time: float, action: Callable[[], object], /) -> Event"},
    {"begin", plane_begin, METH_NOARGS, "begin($self, /)\n--\n\nEnter a run; a plane does so once.\n\nType: () -> None"},
    {"near_bodies", plane_near, METH_VARARGS,
     "near_bodies($self, centre, within, /)\n--\n\nBodies whose surface is within that distance, by number.\n\n"
     "Type: (centre: Point | tuple[float, float], within: float, /) -> list[Any]"},
    {"obstacles_near", plane_near_obstacles, METH_VARARGS,
     "obstacles_near($self, centre, within, /)\n--\n\nObstacles and their distances, the nearest first.\n\n"
     "Type: (centre: Point | tuple[float, float], within: float, /) -> list[tuple[int, float]]"},
    {"is_solid", plane_is_solid, METH_O,
     "is_solid($self, point, /)\n--\n\nWhether a point lies in an obstacle or outside the box.\n\n"
     "Type: (point: Point | tuple[float, float], /) -> bool"},
    {"ground_factor", plane_ground, METH_O,
     "ground_factor($self, point, /)\n--\n\nHow the ground slows: 1 on floor, 0 over a hole.\n\n"
     "Type: (point: Point | tuple[float, float], /) -> float"},
    {"what_is_in_the_way", plane_in_the_way, METH_VARARGS,
     "what_is_in_the_way($self, shape, at, heading, ignoring, /)\n--\n\nWhat a body there would overlap: (gap, body, obstacle), or None.\n\n"
     "Type: (shape: Shape, at: Point | tuple[float, float], heading: float, ignoring: PlaneBody | None, /) -> tuple[float, Any, int] | None"},
    {"least_gap", plane_least_gap, METH_NOARGS,
     "least_gap($self, /)\n--\n\nThe least gap now between two bodies, or a body and an obstacle.\n\nType: () -> float"},
    {"keep_journal", plane_keep_journal, METH_O,
     "keep_journal($self, keeps, /)\n--\n\nKeep all that happens from now on, beginning with the state of all bodies.\n\n"
     "Type: (keeps: bool, /) -> None"},
    {"take_journal", plane_take_journal, METH_NOARGS,
     "take_journal($self, /)\n--\n\nWhat was kept since the last time.\n\nType: () -> bytes"},
    {"snapshot", plane_snapshot, METH_NOARGS,
     "snapshot($self, /)\n--\n\nThe state of all bodies now, as a journal.\n\nType: () -> bytes"},
    {"places", plane_places, METH_NOARGS,
     "places($self, /)\n--\n\nWhere all bodies are now, by number, as doubles: x and y in turn.\n\nType: () -> bytes"},
    {"write_note", plane_note, METH_VARARGS,
     "write_note($self, body, text, /)\n--\n\nA note in the journal.\n\nType: (body: PlaneBody | None, text: str, /) -> None"},
    {"write_record", plane_write_record, METH_O,
     "write_record($self, record, /)\n--\n\nA whole record for the journal, if one is kept.\n\nType: (record: bytes, /) -> None"},
    {"add_walkers", plane_add_walkers, METH_VARARGS,
     "add_walkers($self, places, radius, slowest, fastest, seed, /)\n--\n\nRandom walkers without programs; `places` are doubles, x and y in turn.\n\n"
     "Type: (places: Any, radius: float, slowest: float, fastest: float, seed: int, /) -> None"},
    {}};

PyGetSetDef plane_getset[] = {
    {"events", get_events, nullptr, "What happened so far, cell crossings not counted.\n\nType: int", nullptr},
    {"crossings", get_crossings, nullptr, "Cell crossings so far.\n\nType: int", nullptr},
    {"collisions", get_collisions, nullptr, "Contacts so far.\n\nType: int", nullptr},
    {"count", get_count, nullptr, "Bodies on the plane now.\n\nType: int", nullptr},
    {"added", get_added, nullptr, "Bodies that were ever put on the plane.\n\nType: int", nullptr},
    {"held", get_held, nullptr, "The bodies that Python holds, by number.\n\nType: tuple[Any, ...]", nullptr},
    {"bytes", get_bytes, nullptr, "Memory of all bodies.\n\nType: int", nullptr},
    {}};

PyType_Slot plane_slots[] = {
    {Py_tp_doc, const_cast<char*>("Plane(name, box=None)\n--\n\nA plane with bodies that move in closed form, and what is in their way.\n\n"
                                  "Type: (name: str, box: tuple[float, float, float, float] | None = None) -> None")},
    {Py_tp_new, reinterpret_cast<void*>(plane_new)},
    {Py_tp_init, reinterpret_cast<void*>(plane_init)},
    {Py_tp_dealloc, reinterpret_cast<void*>(plane_dealloc)},
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
    return PlaneType && PyModule_AddType(module, PlaneType) == 0;
}

}  // namespace kumi
