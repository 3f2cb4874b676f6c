// Waiting for the next event of a signal.
#include "kernel/task.hpp"

#include <new>

namespace kumi {

namespace {

PyTypeObject* WaitType = nullptr;

struct WaitObject {
    PyObject_HEAD SignalObject* signal;  // owned
    Subscriptions subscriptions;
    TaskObject* task;
    PyObject* value;
    Origin origin;
    bool used;
    bool shielded;
};

WaitObject* wait_of(PyObject* self) { return reinterpret_cast<WaitObject*>(self); }

void tell_wait(PyObject* listener, PyObject* value) {
    WaitObject* self = wait_of(listener);
    if (self->value) return;
    Py_INCREF(value);
    self->value = value;
    if (TaskObject* waiter = std::exchange(self->task, nullptr)) {
        wake(waiter);
        self->subscriptions.close();
    }
}

void abandon_wait(PyObject* waiting) {
    wait_of(waiting)->subscriptions.close();
    wait_of(waiting)->task = nullptr;
}

PySendResult give_value(WaitObject* self, PyObject** result);

PySendResult wait_send(PyObject* object, PyObject*, PyObject** result) {
    WaitObject* self = wait_of(object);
    *result = nullptr;
    if (!self->used) {
        self->used = true;
        TaskObject* waiter = task_about_to_wait("a signal", self->shielded);
        if (!waiter) return refuse_to_wait(result);
        self->value = take_unread(self->signal);
        if (self->value) return give_value(self, result);
        if (PyErr_Occurred() ||
            !self->subscriptions.open(self->signal, object, tell_wait, waiter->model.node.engine))
            return PYGEN_ERROR;
        if (!self->value) {
            self->task = waiter;
            park(waiter, object, abandon_wait, self->shielded);
            Py_INCREF(Py_None);
            *result = Py_None;
            return PYGEN_NEXT;
        }
        self->subscriptions.close();
    } else if (!resumes(object)) {
        return PYGEN_ERROR;
    }
    return give_value(self, result);
}

PySendResult give_value(WaitObject* self, PyObject** result) {
    *result = std::exchange(self->value, nullptr);
    if (*result) return PYGEN_RETURN;
    PyErr_SetString(PyExc_RuntimeError, "a wait for a signal was resumed before its event came: await it");
    return PYGEN_ERROR;
}

void wait_leave(PyObject* object) {
    WaitObject* self = wait_of(object);
    if (TaskObject* waiter = std::exchange(self->task, nullptr)) drop_wait(waiter, object);
    self->subscriptions.close();
}

void wait_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    WaitObject* self = wait_of(object);
    if (!self->used) report_never_awaited("next()", self->origin);
    self->subscriptions.~Subscriptions();
    Py_CLEAR(self->value);
    Py_CLEAR(self->signal);
    type->tp_free(object);
    Py_DECREF(type);
}

int wait_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    if (int result = wait_of(object)->subscriptions.traverse(visit, arg)) return result;
    Py_VISIT(wait_of(object)->value);
    Py_VISIT(reinterpret_cast<PyObject*>(wait_of(object)->signal));
    return 0;
}

int wait_clear(PyObject* object) {
    wait_of(object)->subscriptions.close();
    Py_CLEAR(wait_of(object)->value);
    return 0;
}

PyObject* wait_repr(PyObject* object) {
    return PyUnicode_FromFormat("%s", shown(reinterpret_cast<PyObject*>(wait_of(object)->signal)).c_str());
}

PyType_Slot wait_slots[] = {{Py_tp_doc, const_cast<char*>("A wait for the next event of a signal.")},
                            {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<wait_dealloc, wait_leave>)},
                            {Py_tp_traverse, reinterpret_cast<void*>(wait_traverse)},
                            {Py_tp_clear, reinterpret_cast<void*>(wait_clear)},
                            {Py_tp_repr, reinterpret_cast<void*>(guarded<wait_repr>)},
                            {Py_am_await, reinterpret_cast<void*>(await_self)},
                            {Py_am_send, reinterpret_cast<void*>(guarded<wait_send>)},
                            {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                            {Py_tp_iternext, reinterpret_cast<void*>(guarded<next_by_send>)},
                            {0, nullptr}};
PyType_Spec wait_spec{"kumi._core.Wait", sizeof(WaitObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      wait_slots};

}  // namespace

PyObject* make_wait(PyObject* signal, bool shielded) {
    WaitObject* self = reinterpret_cast<WaitObject*>(WaitType->tp_alloc(WaitType, 0));
    if (!self) return nullptr;
    new (&self->subscriptions) Subscriptions();
    Py_INCREF(signal);
    self->signal = reinterpret_cast<SignalObject*>(signal);
    self->origin = Origin::here();
    self->shielded = shielded;
    return reinterpret_cast<PyObject*>(self);
}

bool add_wait_type() {
    WaitType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&wait_spec));
    return WaitType != nullptr;
}

}  // namespace kumi
