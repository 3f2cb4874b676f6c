// All events of a signal, for one reader, in a queue of its own.
#include "kernel/task.hpp"

#include <deque>
#include <new>

namespace kumi {

namespace {

PyTypeObject* StreamType = nullptr;

constexpr const char* ONE_READER = "a stream has one reader; open another stream for another task";

struct StreamObject {
    PyObject_HEAD SignalObject* signal;  // owned
    Subscriptions subscriptions;
    TaskObject* task;  // the reader, while it waits
    std::deque<PyObject*> queue;
    std::size_t keep;
    std::size_t lost;
    bool is_waiting;
    bool is_closed;
};

StreamObject* stream_of(PyObject* self) { return reinterpret_cast<StreamObject*>(self); }

void tell_stream(PyObject* listener, PyObject* value) {
    StreamObject* self = stream_of(listener);
    Py_INCREF(value);
    self->queue.push_back(value);
    if (self->queue.size() > self->keep) {
        ++self->lost;
        drop_later(self->queue.front());
        self->queue.pop_front();
    }
    if (TaskObject* reader = std::exchange(self->task, nullptr)) wake(reader);
}

void abandon_stream(PyObject* waiting) {
    stream_of(waiting)->task = nullptr;
    stream_of(waiting)->subscriptions.belong_to(nullptr);
}

PySendResult stream_send(PyObject* object, PyObject*, PyObject** result) {
    StreamObject* self = stream_of(object);
    *result = nullptr;
    if (self->is_waiting) {
        if (self->task) {
            PyErr_SetString(PyExc_RuntimeError, ONE_READER);
            return PYGEN_ERROR;
        }
        self->is_waiting = false;
        if (!resumes(object)) return PYGEN_ERROR;
    } else {
        TaskObject* reader = task_about_to_wait("a stream");
        if (!reader) return refuse_to_wait(result);
        if (!self->lost && self->queue.empty() && !self->is_closed && !all_over(self->signal)) {
            self->is_waiting = true;
            self->task = reader;
            self->subscriptions.belong_to(reader->model.node.engine);
            park(reader, object, abandon_stream);
            Py_INCREF(Py_None);
            *result = Py_None;
            return PYGEN_NEXT;
        }
    }
    if (!self->lost && self->queue.empty()) {
        PyErr_SetNone(PyExc_StopAsyncIteration);
        return PYGEN_ERROR;
    }
    if (self->lost) {
        Ref by(PyLong_FromSize_t(std::exchange(self->lost, 0)));
        PyObject* kind = error_class("Lagged");
        if (kind && by) PyErr_SetObject(kind, by.get());
        return PYGEN_ERROR;
    }
    *result = self->queue.front();
    self->queue.pop_front();
    return PYGEN_RETURN;
}

PyObject* stream_next(PyObject* object) {
    // A reader that was cut while it waited left the mark behind; it may read on.
    if (stream_of(object)->is_waiting && stream_of(object)->task) {
        PyErr_SetString(PyExc_RuntimeError, ONE_READER);
        return nullptr;
    }
    stream_of(object)->is_waiting = false;
    return await_self(object);
}

// What next() gives: reads the stream once, and is missed when nobody awaits it.
struct ReadObject {
    PyObject_HEAD PyObject* stream;  // owned
    Origin origin;
    bool used;
};

ReadObject* read_of(PyObject* self) { return reinterpret_cast<ReadObject*>(self); }

PySendResult read_send(PyObject* object, PyObject* value, PyObject** result) {
    read_of(object)->used = true;
    return stream_send(read_of(object)->stream, value, result);
}

void read_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    if (!read_of(object)->used) report_never_awaited("next()", read_of(object)->origin);
    Py_CLEAR(read_of(object)->stream);
    type->tp_free(object);
    Py_DECREF(type);
}

PyType_Slot read_slots[] = {{Py_tp_doc, const_cast<char*>("A wait for the next unread event of a stream.")},
                            {Py_tp_dealloc, reinterpret_cast<void*>(read_dealloc)},
                            {Py_am_await, reinterpret_cast<void*>(await_self)},
                            {Py_am_send, reinterpret_cast<void*>(guarded<read_send>)},
                            {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                            {Py_tp_iternext, reinterpret_cast<void*>(guarded<next_by_send>)},
                            {0, nullptr}};
PyType_Spec read_spec{"kumi._core.Read", sizeof(ReadObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, read_slots};
PyTypeObject* ReadType = nullptr;

PyObject* stream_next_method(PyObject* object, PyObject*) {
    Ref stream(stream_next(object));
    if (!stream) return nullptr;
    ReadObject* self = reinterpret_cast<ReadObject*>(ReadType->tp_alloc(ReadType, 0));
    if (!self) return nullptr;
    self->stream = stream.release();
    self->origin = Origin::here();
    return reinterpret_cast<PyObject*>(self);
}

Py_ssize_t stream_length(PyObject* object) {
    return static_cast<Py_ssize_t>(stream_of(object)->queue.size());
}

int stream_clear(PyObject* object) {
    StreamObject* self = stream_of(object);
    self->subscriptions.close();
    std::deque<PyObject*> queue;
    queue.swap(self->queue);
    for (PyObject* value : queue) Py_DECREF(value);
    return 0;
}

void stream_leave(PyObject* object) {
    StreamObject* self = stream_of(object);
    if (TaskObject* reader = std::exchange(self->task, nullptr)) drop_wait(reader, object);
    self->subscriptions.close();
}

void stream_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    StreamObject* self = stream_of(object);
    stream_clear(object);
    self->subscriptions.~Subscriptions();
    self->queue.~deque();
    Py_CLEAR(self->signal);
    type->tp_free(object);
    Py_DECREF(type);
}

int stream_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    if (int result = stream_of(object)->subscriptions.traverse(visit, arg)) return result;
    Py_VISIT(reinterpret_cast<PyObject*>(stream_of(object)->signal));
    for (PyObject* value : stream_of(object)->queue) Py_VISIT(value);
    return 0;
}

PyObject* stream_repr(PyObject* object) {
    return PyUnicode_FromFormat("stream of %s",
                                shown(reinterpret_cast<PyObject*>(stream_of(object)->signal)).c_str());
}

// The reader, if there is one, comes to the end of its loop.
PyObject* stream_close(PyObject* object, PyObject*) {
    stream_of(object)->is_closed = true;
    stream_clear(object);
    stream_of(object)->lost = 0;
    if (TaskObject* reader = std::exchange(stream_of(object)->task, nullptr)) wake(reader);
    Py_RETURN_NONE;
}

PyMethodDef stream_methods[] = {
    {"close", guarded<stream_close>, METH_NOARGS,
     "close($self, /)\n--\n\nStop listening and forget what is unread; the reader's loop ends.\n\nType: () "
     "-> None"},
    {"next", guarded<stream_next_method>, METH_NOARGS,
     "next($self, /)\n--\n\nWait for the next unread event.\n\nType: () -> Awaitable[T]"},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
    {}};

PyType_Slot stream_slots[] = {
    {Py_tp_doc,
     const_cast<char*>("The events of a signal since the stream was opened, in order, for one reader.\n\n"
                       "len() tells how many are unread.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<stream_dealloc, stream_leave>)},
    {Py_tp_traverse, reinterpret_cast<void*>(stream_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(stream_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<stream_repr>)},
    {Py_sq_length, reinterpret_cast<void*>(guarded<stream_length>)},
    {Py_am_aiter, reinterpret_cast<void*>(await_self)},
    {Py_am_anext, reinterpret_cast<void*>(guarded<stream_next>)},
    {Py_am_await, reinterpret_cast<void*>(await_self)},
    {Py_am_send, reinterpret_cast<void*>(guarded<stream_send>)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(guarded<next_by_send>)},
    {Py_tp_methods, stream_methods},
    {0, nullptr}};
PyType_Spec stream_spec{"kumi._core.Stream", sizeof(StreamObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        stream_slots};

}  // namespace

PyObject* make_stream(PyObject* signal, Py_ssize_t keep) {
    StreamObject* self = reinterpret_cast<StreamObject*>(StreamType->tp_alloc(StreamType, 0));
    if (!self) return nullptr;
    new (&self->subscriptions) Subscriptions();
    new (&self->queue) std::deque<PyObject*>();
    Py_INCREF(signal);
    self->signal = reinterpret_cast<SignalObject*>(signal);
    self->keep = static_cast<std::size_t>(keep);
    if (!self->subscriptions.open(self->signal, reinterpret_cast<PyObject*>(self), tell_stream, nullptr)) {
        Py_DECREF(self);
        return nullptr;
    }
    self->lost = take_lost(self->signal);
    while (PyObject* value = take_unread(self->signal)) self->queue.push_back(value);
    self->keep += self->queue.size();  // what came before is no fault of the reader's
    return reinterpret_cast<PyObject*>(self);
}

bool add_stream_type(PyObject* module) {
    StreamType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&stream_spec));
    ReadType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&read_spec));
    return StreamType && ReadType && PyModule_AddType(module, StreamType) == 0;
}

}  // namespace kumi
