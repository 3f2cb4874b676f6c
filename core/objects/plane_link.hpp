// Who learns of what happens on the plane: bodies' signals, waiting tasks, sensors, and the hash of the run.
#pragma once

#include "objects/plane.hpp"

#include <string>

namespace kumi {

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
        ++body->touches;
        if (!body->contacts && !body->at_contact) return;
        const Call call(owner_);
        Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(body));
        Ref event(contact_of(body));
        if (!event) fail("a contact");
        if (event && body->at_contact) call_all(body->at_contact, event.get());
        if (event && body->contacts && !fire(reinterpret_cast<SignalObject*>(body->contacts), event.get()))
            fail("a contact");
    }

    void parted(BodyId id, BodyId other, std::int32_t obstacle) override {
        BodyObject* body = body_at(id);
        if (!body || !body->partings) return;
        const Call call(owner_);
        static const Provision parting("Parting");
        PyObject* kind = parting.get();
        Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(body));
        Ref number(number_of(other));
        Ref event(kind && number ? PyObject_CallFunction(kind, "dOO", now(), name_of(owner_, other, obstacle),
                                                         number.get())
                                 : nullptr);
        if (!event || !fire(reinterpret_cast<SignalObject*>(body->partings), event.get())) fail("a parting");
    }

    void ended(BodyId id, Why why) override {
        if (why == Why::gone) fold_early();
        BodyObject* body = body_at(id);
        if (!body) return;
        end_motion(body, why);
        if (body->measured_by) measure(body, why);
        if (why != Why::gone) return;
        const Call call(owner_);
        Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(body));
        if (body->at_gone) call_all(body->at_gone, nullptr);
        if (body_at(id) == body) {
            const Bodies& bodies = owner_->plane->bodies();
            body->past = new Past{bodies.pose(id), bodies.odometer(id), bodies.turned(id)};
            owner_->bodies[id] = nullptr;
            Py_DECREF(body);
        }
        for (std::size_t watch = 0; watch < owner_->told.size(); ++watch)
            if (!owner_->plane->watches().is_watching(static_cast<std::uint32_t>(watch)))
                Py_CLEAR(owner_->told[watch]);
    }

    void moved(BodyId id) override {
        BodyObject* body = body_at(id);
        if (!body) return;
        const Call call(owner_);
        Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(body));
        if (body->at_motion) call_all(body->at_motion, nullptr);
    }

    void watched(std::uint32_t watch, BodyId other, bool entered) override {
        BodyObject* body = body_at(other);
        if ((!body && other != NOBODY) || watch >= owner_->told.size() || !owner_->told[watch]) return;
        const Call call(owner_);
        Ref told = Ref::borrow(owner_->told[watch]);
        if (body && PyTuple_CheckExact(told.get())) {
            if (!fire_passing(told.get(), body, entered)) fail("a watch");
            return;
        }
        Ref result(body
                       ? PyObject_CallFunctionObjArgs(told.get(), entered ? Py_True : Py_False, body, nullptr)
                       : PyObject_CallNoArgs(told.get()));
        if (!result) fail("a watch");
    }

    Policy decide(BodyId id, BodyId other, std::int32_t obstacle, Vec point) override {
        BodyObject* body = body_at(id);
        if (!body || !owner_->decide) return Policy::stop;
        const Call call(owner_);
        Ref decide = Ref::borrow(owner_->decide);
        body->touched_body = other;
        body->touched_obstacle = obstacle;
        body->touched_at = point;
        Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(body));
        Ref event(contact_of(body));
        Ref answer(event ? PyObject_CallFunctionObjArgs(decide.get(), body, event.get(), nullptr) : nullptr);
        Policy policy = Policy::stop;
        if (answer && !read_policy(answer.get(), policy)) answer = Ref();
        if (!answer) fail("the contact policy");
        return policy;
    }

    void read(const char* bytes, std::size_t length) override {
        Engine* engine = owner_->model.node.engine;
        if (!engine) {
            early_.append(bytes, length);
            return;
        }
        record_early(*engine);
        engine->record(bytes, length);
    }

    char* room(std::size_t length) override {
        if (Engine* engine = owner_->model.node.engine) {
            record_early(*engine);
            return engine->room(length);
        }
        early_.resize(early_.size() + length);
        return early_.data() + early_.size() - length;
    }

    // What a contact does, by name; a plane without contacts says "ghost", which no function can answer.
    static bool read_policy(PyObject* object, Policy& policy, bool is_of_plane = false) {
        static const char* names[] = {"stop", "slide", "pass", "ghost"};
        for (int i = 0; PyUnicode_Check(object) && i < (is_of_plane ? 4 : 3); ++i) {
            if (PyUnicode_CompareWithASCIIString(object, names[i]) != 0) continue;
            policy = static_cast<Policy>(i);
            return true;
        }
        PyErr_Format(PyExc_ValueError, "a contact policy is \"stop\", \"slide\" or \"pass\", not %s",
                     shown(object).c_str());
        return false;
    }

  private:
    static constexpr std::size_t MOST_EARLY = std::size_t{1} << 20;  // bytes

    PlaneObject* owner_;
    std::string early_;  // what happened before the run began

    // A call of Python: no error is set in it, and afterwards this plane is at work again.
    struct Call {
        ErrorAside aside;
        PlaneObject* owner;
        explicit Call(PlaneObject* plane) : owner(plane) {}
        ~Call() { set_plane_at_work(owner->serial); }
    };

    // What ends with the run, when its programs are ended, is not measured.
    void measure(BodyObject* body, Why why) {
        const Engine* engine = owner_->model.node.engine;
        if (!engine || !engine->is_running()) return;
        const Call call(owner_);
        Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(body));
        if (!measure_place(body, now(), why == Why::arrived)) fail("a measure");
    }

    // Bodies may come and go without end before a run, too: of very much that happened a hash is kept.
    void fold_early() {
        if (early_.size() < MOST_EARLY) return;
        Hash128 hash;
        hash.update(early_.data(), early_.size());
        early_ = hash.hex();
    }

    PyObject* number_of(BodyId other) const {
        return other == NOBODY ? own_or_none(nullptr)
                               : PyLong_FromUnsignedLong(owner_->plane->bodies().number(other));
    }

    // The contact that a body was last told of.
    PyObject* contact_of(BodyObject* body) const {
        static const Provision contact("Contact");
        PyObject* kind = contact.get();
        Ref at(new_point(body->touched_at));
        Ref number(number_of(body->touched_body));
        if (!kind || !at || !number) return nullptr;
        return PyObject_CallFunction(kind, "dOdOO", now(), at.get(), touched_bearing(body),
                                     name_of(owner_, body->touched_body, body->touched_obstacle),
                                     number.get());
    }

    // Fires the signals of a watch: the one of all reports, and then that of those who came or those who left.
    bool fire_passing(PyObject* signals, BodyObject* body, bool has_entered) const {
        static const Provision entered("Entered");
        static const Provision left("Left");
        PyObject* kind = (has_entered ? entered : left).get();
        Ref time(PyFloat_FromDouble(now())), number(PyLong_FromUnsignedLong(body->number)),
            at(new_point(pose_of(body).at));
        if (!kind || !time || !number || !at) return false;
        PyObject* parts[] = {time.get(), body->name, number.get(), at.get()};
        Ref event(PyObject_Vectorcall(kind, parts, 4, nullptr));
        return event && fire(signal_in(signals, 0), event.get()) &&
               fire(signal_in(signals, has_entered ? 1 : 2), event.get());
    }
    static SignalObject* signal_in(PyObject* signals, Py_ssize_t place) {
        return reinterpret_cast<SignalObject*>(PyTuple_GET_ITEM(signals, place));
    }

    // What happened before the run began.
    void record_early(Engine& engine) {
        if (early_.empty()) return;
        engine.record(early_.data(), early_.size());
        std::string().swap(early_);
    }

    void call_all(PyObject* list, PyObject* argument) {
        Ref copy(PyList_AsTuple(list));
        if (!copy) fail("a sensor");
        for (Py_ssize_t i = 0; copy && i < PyTuple_GET_SIZE(copy.get()); ++i) {
            Ref result(PyObject_CallFunctionObjArgs(PyTuple_GET_ITEM(copy.get(), i), argument, nullptr));
            if (!result) fail("a sensor");
        }
    }

    BodyObject* body_at(BodyId id) { return id < owner_->bodies.size() ? owner_->bodies[id] : nullptr; }
    double now() const { return owner_->plane->now(); }
    void fail(const char* what) {
        if (Engine* engine = owner_->model.node.engine)
            engine->fail(owner_->model.node, what);
        else
            PyErr_WriteUnraisable(reinterpret_cast<PyObject*>(owner_));
    }
};

}  // namespace kumi
