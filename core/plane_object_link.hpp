// Who learns of what happens on the plane: bodies' signals, waiting tasks, sensors, and the hash of the run.
#pragma once

#include "plane_object.hpp"

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

    // What happened before the run began.
    void record_early(Engine& engine) {
        if (early_.empty()) return;
        engine.record(early_.data(), early_.size());
        std::string().swap(early_);
    }

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

}  // namespace kumi
