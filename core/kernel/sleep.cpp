// Waiting for a length of time: the hottest awaitable, so its objects are used again.
#include "kernel/task.hpp"
#include "python/spares.hpp"

#include <cmath>

namespace kumi {

namespace {

PyTypeObject* SleepType = nullptr;

struct SleepObject {
    PyObject_HEAD TaskObject* task;
    double time;
    Origin origin;
    bool absolute;
    bool used;
};

Spares<SleepObject, 64> spare_sleeps;

void abandon_sleep(PyObject* waiting) { reinterpret_cast<SleepObject*>(waiting)->task = nullptr; }

PySendResult sleep_send(PyObject* object, PyObject*, PyObject** result) {
    SleepObject* self = reinterpret_cast<SleepObject*>(object);
    *result = nullptr;
    if (self->used) {
        if (!resumes(object)) return PYGEN_ERROR;
        self->task = nullptr;
        Py_INCREF(Py_None);
        *result = Py_None;
        return PYGEN_RETURN;
    }
    self->used = true;
    TaskObject* sleeper = task_about_to_wait("sleep");
    if (!sleeper) return refuse_to_wait(result);
    Engine& engine = *sleeper->model.node.engine;
    double wake_time = self->absolute ? self->time : engine.agenda.now + self->time;
    if (wake_time < engine.agenda.now) {
        raise("TimeError", "sleep_until(%s) at t = %s s: an instant may not lie in the past",
              shown(self->time).c_str(), shown(engine.agenda.now).c_str());
        return PYGEN_ERROR;
    }
    self->task = sleeper;
    park(sleeper, object, abandon_sleep);
    engine.agenda.schedule(&sleeper->model.node, wake_time);
    Py_INCREF(Py_None);
    *result = Py_None;
    return PYGEN_NEXT;
}

void sleep_dealloc(PyObject* object) {
    SleepObject* self = reinterpret_cast<SleepObject*>(object);
    if (!self->used) report_never_awaited(self->absolute ? "sleep_until()" : "sleep()", self->origin);
    if (self->task) drop_wait(self->task, object);
    spare_sleeps.give(object);
}

PyObject* sleep_repr(PyObject* object) {
    SleepObject* self = reinterpret_cast<SleepObject*>(object);
    return PyUnicode_FromFormat(self->absolute ? "sleep_until(%s)" : "sleep(%s)", shown(self->time).c_str());
}

PyType_Slot sleep_slots[] = {{Py_tp_doc, const_cast<char*>("A wait for a length of time.")},
                             {Py_tp_dealloc, reinterpret_cast<void*>(sleep_dealloc)},
                             {Py_tp_repr, reinterpret_cast<void*>(guarded<sleep_repr>)},
                             {Py_am_await, reinterpret_cast<void*>(await_self)},
                             {Py_am_send, reinterpret_cast<void*>(guarded<sleep_send>)},
                             {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                             {Py_tp_iternext, reinterpret_cast<void*>(guarded<next_by_send>)},
                             {0, nullptr}};

PyType_Spec sleep_spec{"kumi._core.Sleep", sizeof(SleepObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, sleep_slots};

PyObject* make_sleep(PyObject* number, bool absolute) {
    double time;
    if (!seconds(absolute ? "sleep_until" : "sleep", number, time)) return nullptr;
    if (std::isnan(time) || (!absolute && time < 0.0))
        return raise(
            "TimeError", "sleep%s(%s): %s", absolute ? "_until" : "", shown(time).c_str(),
            absolute ? "an instant is a number of seconds" : "a duration is a number of seconds >= 0");
    SleepObject* self = spare_sleeps.take(SleepType);
    if (!self) return nullptr;
    self->task = nullptr;
    self->time = time;
    self->origin = Origin::here();
    self->absolute = absolute;
    self->used = false;
    return reinterpret_cast<PyObject*>(self);
}

PyObject* sleep(PyObject*, PyObject* duration) { return make_sleep(duration, false); }
PyObject* sleep_until(PyObject*, PyObject* instant) { return make_sleep(instant, true); }

PyMethodDef sleep_functions[] = {
    {"sleep", guarded<sleep>, METH_O,
     "sleep(duration, /)\n--\n\nWait for `duration` seconds.\n\nType: (duration: "
     "float, /) -> Awaitable[None]"},
    {"sleep_until", guarded<sleep_until>, METH_O,
     "sleep_until(instant, /)\n--\n\nWait until an absolute instant.\n\nType: "
     "(instant: float, /) -> Awaitable[None]"},
    {}};

}  // namespace

bool add_sleep(PyObject* module) {
    SleepType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&sleep_spec));
    return SleepType && PyModule_AddFunctions(module, sleep_functions) == 0;
}

}  // namespace kumi
