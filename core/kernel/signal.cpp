#include "kernel/signal.hpp"

#include "kernel/task.hpp"

#include <cmath>
#include <new>

namespace kumi {

PyTypeObject* SignalType = nullptr;
PyTypeObject* DeadlineType = nullptr;

namespace {

// Values dropped while telling are released afterwards: their __del__ may run any Python code.
std::vector<PyObject*> dropped;

void release_dropped() {
    std::vector<PyObject*> values;
    values.swap(dropped);
    for (PyObject* value : values) Py_DECREF(value);
}

SignalObject* signal_of(PyObject* self) { return reinterpret_cast<SignalObject*>(self); }
bool is_deadline(SignalObject* signal) { return Py_TYPE(signal) == DeadlineType; }
DeadlineObject* deadline(SignalObject* signal) { return reinterpret_cast<DeadlineObject*>(signal); }

bool has_fired(SignalObject* signal);

template <class Function> void for_each_part(SignalObject* signal, Function&& function) {
    if (signal->parts.empty()) return function(signal);
    for (SignalObject* part : signal->parts) function(part);
}

void link(Subscription& entry) {
    SignalObject* signal = entry.signal;
    entry.earlier = signal->last;
    entry.later = nullptr;
    (signal->last ? signal->last->later : signal->first) = &entry;
    signal->last = &entry;
    if (is_deadline(signal) && !has_fired(signal)) {
        Node& node = deadline(signal)->node;
        if (node.place == Entry::Place::idle) node.engine->agenda.schedule(&node, deadline(signal)->instant);
    }
}

void unlink(Subscription& entry) {
    SignalObject* signal = std::exchange(entry.signal, nullptr);
    if (!signal) return;
    (entry.earlier ? entry.earlier->later : signal->first) = entry.later;
    (entry.later ? entry.later->earlier : signal->last) = entry.earlier;
    if (signal->cursor == &entry) signal->cursor = entry.later;
    if (is_deadline(signal) && !signal->first && deadline(signal)->node.engine)
        deadline(signal)->node.engine->agenda.withdraw(&deadline(signal)->node);
    Py_DECREF(signal);
}

// A deadline that nobody heard has fired all the same once its instant is over.
bool has_fired(SignalObject* signal) {
    if (is_deadline(signal) && !signal->fired && deadline(signal)->node.engine)
        signal->fired = deadline(signal)->node.engine->agenda.now > deadline(signal)->instant;
    return signal->fired;
}

PyObject* signal_new(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* object = type->tp_alloc(type, 0);
    if (!object) return nullptr;
    new (&signal_of(object)->parts) std::vector<SignalObject*>();
    new (&signal_of(object)->unread) std::unique_ptr<Unread>();
    return object;
}

int signal_init(PyObject* object, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"name", "once", nullptr};
    PyObject* name = nullptr;
    int once = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|U$p:Signal", const_cast<char**>(names), &name, &once))
        return -1;
    Py_XINCREF(name);
    Py_XSETREF(signal_of(object)->name, name);
    signal_of(object)->once = once;
    return 0;
}

int signal_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(signal_of(object)->value);
    for (SignalObject* part : signal_of(object)->parts) Py_VISIT(reinterpret_cast<PyObject*>(part));
    if (signal_of(object)->unread)
        for (const Unread::Value& each : signal_of(object)->unread->values) Py_VISIT(each.value.get());
    return 0;
}

int signal_clear(PyObject* object) {
    Py_CLEAR(signal_of(object)->value);
    std::vector<SignalObject*> parts;
    parts.swap(signal_of(object)->parts);
    for (SignalObject* part : parts) Py_DECREF(part);
    const std::unique_ptr<Unread> unread = std::move(signal_of(object)->unread);
    return 0;
}

void deadline_leave(PyObject* object) {
    Node& node = deadline(signal_of(object))->node;
    if (node.engine) node.engine->detach(node);
}

void signal_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    signal_clear(object);
    Py_CLEAR(signal_of(object)->name);
    signal_of(object)->parts.~vector();
    signal_of(object)->unread.~unique_ptr();
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject* signal_fire(PyObject* object, PyObject* const* args, Py_ssize_t count) {
    if (count > 1) {
        PyErr_Format(PyExc_TypeError, "fire() takes at most one value, but was given %zd", count);
        return nullptr;
    }
    SignalObject* self = signal_of(object);
    if (!self->parts.empty() || is_deadline(self))
        return raise("PortError", "%s cannot be fired by hand", shown(object).c_str());
    if (!fire(self, count ? args[0] : Py_None)) return nullptr;
    Py_RETURN_NONE;
}

PyObject* signal_next(PyObject* object, PyObject*) { return make_wait(object, false); }
PyObject* signal_next_shielded(PyObject* object, PyObject*) { return make_wait(object, true); }

PyObject* signal_stream(PyObject* object, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"keep", nullptr};
    Py_ssize_t keep = 1024;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$n:stream", const_cast<char**>(names), &keep))
        return nullptr;
    if (keep < 1) {
        PyErr_Format(PyExc_ValueError, "a stream keeps at least 1 event, not %zd", keep);
        return nullptr;
    }
    return make_stream(object, keep);
}

PyObject* signal_await(PyObject* object) {
    PyErr_Format(PyExc_TypeError,
                 "a signal is not awaited itself: write `await signal.next()` to wait for the next "
                 "event of %s",
                 shown(object).c_str());
    return nullptr;
}

PyObject* signal_aiter(PyObject* object) { return make_stream(object, 1024); }

bool is_signal(PyObject* object) { return PyObject_TypeCheck(object, SignalType); }

int signal_true(PyObject*) {
    PyErr_SetString(
        PyExc_TypeError,
        "a signal is neither true nor false: wait with `await signal.next()`, end a block with until() or "
        "unless(), or ask whether it has_fired");
    return -1;
}

PyObject* signal_or(PyObject* left, PyObject* right) {
    if (!is_signal(left) || !is_signal(right)) Py_RETURN_NOTIMPLEMENTED;
    PyObject* object = signal_new(SignalType, nullptr, nullptr);
    if (!object) return nullptr;
    auto& parts = signal_of(object)->parts;
    for (PyObject* side : {left, right}) {
        if (signal_of(side)->parts.empty()) {
            parts.push_back(signal_of(side));
        } else {
            const auto& inner = signal_of(side)->parts;
            parts.insert(parts.end(), inner.begin(), inner.end());
        }
    }
    for (SignalObject* part : parts) Py_INCREF(part);
    return object;
}

PyObject* signal_repr(PyObject* object) {
    SignalObject* self = signal_of(object);
    if (is_deadline(self)) return PyUnicode_FromFormat("at(%s)", shown(deadline(self)->instant).c_str());
    if (!self->parts.empty()) {
        std::string text;
        for (SignalObject* part : self->parts)
            text += (text.empty() ? "" : " | ") + shown(reinterpret_cast<PyObject*>(part));
        return PyUnicode_FromString(text.c_str());
    }
    return self->name ? PyUnicode_FromFormat("Signal(%R)", self->name) : PyUnicode_FromString("Signal()");
}

PyObject* signal_get_name(PyObject* object, void*) {
    PyObject* name = signal_of(object)->name;
    if (!name) return PyUnicode_FromString("");
    Py_INCREF(name);
    return name;
}
PyObject* signal_get_listeners(PyObject* object, void*) {
    long count = 0;
    for (Subscription* entry = signal_of(object)->first; entry; entry = entry->later) ++count;
    return PyLong_FromLong(count);
}
PyObject* signal_get_has_fired(PyObject* object, void*) {
    return PyBool_FromLong(has_fired(signal_of(object)));
}

PyMethodDef signal_methods[] = {
    {"fire", reinterpret_cast<PyCFunction>(guarded<signal_fire>), METH_FASTCALL,
     "fire($self, value=None, /)\n--\n\nTell all who listen, in the order they came.\n\n"
     "Type: (value: T = ..., /) -> None"},
    {"next", guarded<signal_next>, METH_NOARGS,
     "next($self, /)\n--\n\nWait for the next event.\n\nType: () -> Awaitable[T]"},
    {"_next_shielded", guarded<signal_next_shielded>, METH_NOARGS,
     "_next_shielded($self, /)\n--\n\nWait for the next event even where a scope is cut.\n\nType: () -> "
     "Awaitable[T]"},
    {"stream", reinterpret_cast<PyCFunction>(guarded<signal_stream>), METH_VARARGS | METH_KEYWORDS,
     "stream($self, /, *, keep=1024)\n--\n\nOpen a stream of all events from now on, to iterate with `async "
     "for`.\n\n"
     "Type: (*, keep: int = 1024) -> Stream[T]"},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
    {}};
PyGetSetDef signal_getset[] = {
    {"name", guarded<signal_get_name>, nullptr, "The name given, or ''.\n\nType: str", nullptr},
    {"listeners", guarded<signal_get_listeners>, nullptr,
     "How many waits, streams and scopes listen.\n\nType: int", nullptr},
    {"has_fired", guarded<signal_get_has_fired>, nullptr, "Whether it has fired at least once.\n\nType: bool",
     nullptr},
    {}};

PyType_Slot signal_slots[] = {
    {Py_tp_doc, const_cast<char*>(
                    "Signal(name='', *, once=False)\n--\n\nSomething that happens again and again, and "
                    "tasks that wait for it.\n\nWait for the next with next(), for each with `async "
                    "for`, end a block with until() or unless(),\njoin two with `|`. With once=True it "
                    "fires once and stays fired.\n\nType: (name: str = '', *, once: bool = False) -> None")},
    {Py_tp_new, reinterpret_cast<void*>(guarded<signal_new>)},
    {Py_tp_init, reinterpret_cast<void*>(guarded<signal_init>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<signal_dealloc>)},
    {Py_tp_traverse, reinterpret_cast<void*>(signal_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(signal_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<signal_repr>)},
    {Py_am_await, reinterpret_cast<void*>(guarded<signal_await>)},
    {Py_am_aiter, reinterpret_cast<void*>(guarded<signal_aiter>)},
    {Py_nb_or, reinterpret_cast<void*>(guarded<signal_or>)},
    {Py_nb_bool, reinterpret_cast<void*>(guarded<signal_true>)},
    {Py_tp_methods, signal_methods},
    {Py_tp_getset, signal_getset},
    {0, nullptr}};
PyType_Spec signal_spec{"kumi._core.Signal", sizeof(SignalObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, signal_slots};

void deadline_transit(Engine& engine, Node& node, Phase) {
    PyObject* object = node.object();
    Ref keep = Ref::borrow(object);
    if (!fire(signal_of(object), object)) engine.fail("a deadline");
}

const Behaviour DEADLINE{nullptr, deadline_transit, offsetof(DeadlineObject, node)};

PyObject* deadline_get_instant(PyObject* object, void*) {
    return PyFloat_FromDouble(reinterpret_cast<DeadlineObject*>(object)->instant);
}
PyObject* deadline_get_parent(PyObject*, void*) { Py_RETURN_NONE; }

PyGetSetDef deadline_getset[] = {
    {"instant", guarded<deadline_get_instant>, nullptr, "When it fires, in seconds.\n\nType: float", nullptr},
    {"parent", guarded<deadline_get_parent>, nullptr, "None: a deadline stands in no model.\n\nType: None",
     nullptr},
    {}};
PyType_Slot deadline_slots[] = {
    {Py_tp_doc, const_cast<char*>("A signal that fires once, at a given instant, with itself as the event.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<signal_dealloc, deadline_leave>)},
    {Py_tp_traverse, reinterpret_cast<void*>(signal_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(signal_clear)},
    {Py_tp_getset, deadline_getset},
    {0, nullptr}};
PyType_Spec deadline_spec{"kumi._core.Deadline", sizeof(DeadlineObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          deadline_slots};

PyObject* make_deadline(const char* what, PyObject* number, bool absolute) {
    double time;
    if (!seconds(what, number, time)) return nullptr;
    Engine* engine = Engine::current();
    if (!engine)
        return raise("NoRun",
                     "%s() was called outside a run; call it from a program, as in kumi.run(program)", what);
    double now = engine->agenda.now;
    if (std::isnan(time) || (!absolute && time < 0.0) || (absolute && time < now))
        return raise(
            "TimeError", "%s(%s) at t = %s s: %s", what, shown(time).c_str(), shown(now).c_str(),
            absolute ? "an instant may not lie in the past" : "a duration is a number of seconds >= 0");
    PyObject* object = signal_new(DeadlineType, nullptr, nullptr);
    if (!object) return nullptr;
    DeadlineObject* self = reinterpret_cast<DeadlineObject*>(object);
    new (&self->node) Node();
    self->node.behaviour = &DEADLINE;
    self->node.rank = TASK_RANK;
    self->signal.once = true;
    self->instant = absolute ? time : now + time;
    engine->attach(self->node);
    return object;
}

PyObject* after(PyObject*, PyObject* duration) { return make_deadline("after", duration, false); }
PyObject* at(PyObject*, PyObject* instant) { return make_deadline("at", instant, true); }

PyObject* quiet_signal(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count < 1 || count > 2 || !PyUnicode_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "quiet_signal() takes a name, and whether it fires once");
        return nullptr;
    }
    const int once = count == 2 ? PyObject_IsTrue(args[1]) : 0;
    SignalObject* signal = once < 0 ? nullptr : new_signal(args[0], once > 0);
    if (signal) signal->quiet = true;
    return reinterpret_cast<PyObject*>(signal);
}

PyMethodDef signal_functions[] = {
    {"quiet_signal", reinterpret_cast<PyCFunction>(guarded<quiet_signal>), METH_FASTCALL,
     "quiet_signal(name, once=False, /)\n--\n\nA signal for use inside kumi that leaves no record.\n\n"
     "Type: (name: str, once: bool = False, /) -> Signal[Any]"},
    {"after", guarded<after>, METH_O,
     "after(duration, /)\n--\n\nA signal that fires once, `duration` seconds from now.\n\n"
     "Type: (duration: float, /) -> Deadline"},
    {"at", guarded<at>, METH_O,
     "at(instant, /)\n--\n\nA signal that fires once, at an absolute instant.\n\nType: (instant: float, /) "
     "-> Deadline"},
    {}};

}  // namespace

void drop_later(PyObject* value) { dropped.push_back(value); }

bool all_over(SignalObject* signal) {
    if (signal->parts.empty()) return signal->once && has_fired(signal);
    for (SignalObject* part : signal->parts)
        if (!all_over(part)) return false;
    return true;
}

void Unread::keep(PyObject* value) {
    static std::uint64_t number = 0;
    values.push_back({number++, Ref::borrow(value)});
    if (values.size() <= KEPT_UNREAD) return;
    ++lost;
    const Ref oldest = std::move(values.front().value);
    values.pop_front();
}

PyObject* take_unread(SignalObject* signal) {
    if (const std::size_t lost = take_lost(signal)) {
        Ref by(PyLong_FromSize_t(lost));
        PyObject* kind = error_class("Lagged");
        if (kind && by) PyErr_SetObject(kind, by.get());
        return nullptr;
    }
    SignalObject* oldest = nullptr;
    for_each_part(signal, [&oldest](SignalObject* part) {
        if (!part->unread) return;
        const auto& values = part->unread->values;
        if (values.empty())
            part->unread.reset();
        else if (!oldest || values.front().number < oldest->unread->values.front().number)
            oldest = part;
    });
    if (!oldest) return nullptr;
    Ref value = std::move(oldest->unread->values.front().value);
    oldest->unread->values.pop_front();
    if (oldest->unread->values.empty()) oldest->unread.reset();
    return value.release();
}

std::size_t take_lost(SignalObject* signal) {
    std::size_t lost = 0;
    for_each_part(signal, [&lost](SignalObject* part) {
        if (part->unread) lost += std::exchange(part->unread->lost, 0);
    });
    return lost;
}

bool Subscriptions::open(SignalObject* signal, PyObject* listener, void (*tell)(PyObject*, PyObject*),
                         const Engine* engine) {
    close();
    std::size_t count = signal->parts.empty() ? 1 : signal->parts.size();
    auto part = [signal](std::size_t i) { return signal->parts.empty() ? signal : signal->parts[i]; };
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_deadline(part(i))) continue;
        const Engine* owner = deadline(part(i))->node.engine;
        if (owner && owner == Engine::current()) continue;
        raise("NoRun", "%s belongs to another run", shown(reinterpret_cast<PyObject*>(part(i))).c_str());
        return false;
    }
    if (count > 1) many_ = std::make_unique<Subscription[]>(count);
    Subscription* entries = count > 1 ? many_.get() : &one_;
    count_ = count;
    for (std::size_t i = 0; i < count; ++i) {
        Py_INCREF(part(i));
        entries[i] = Subscription{part(i), listener, tell, engine, nullptr, nullptr};
        link(entries[i]);
    }
    // A signal that fires once and has fired tells late listeners at once.
    for (std::size_t i = 0; i < count_; ++i) {
        SignalObject* one = entries[i].signal;
        if (one && one->once && has_fired(one))
            tell(listener, one->value ? one->value : reinterpret_cast<PyObject*>(one));
    }
    return true;
}

int Subscriptions::traverse(visitproc visit, void* arg) const {
    const Subscription* entries = count_ > 1 ? many_.get() : &one_;
    for (std::size_t i = 0; i < count_; ++i) Py_VISIT(reinterpret_cast<PyObject*>(entries[i].signal));
    return 0;
}

void Subscriptions::belong_to(const Engine* engine) {
    Subscription* entries = count_ > 1 ? many_.get() : &one_;
    for (std::size_t i = 0; i < count_; ++i) entries[i].engine = engine;
}

void Subscriptions::close() {
    std::size_t count = std::exchange(count_, 0);
    Subscription* entries = count > 1 ? many_.get() : &one_;
    for (std::size_t i = 0; i < count; ++i) unlink(entries[i]);
}

bool fire(SignalObject* signal, PyObject* value) {
    // Listeners belong to a run in one thread; another thread or run would break its order unseen.
    Engine* engine = Engine::current();
    for (Subscription* entry = signal->first; entry; entry = entry->later) {
        if (!entry->engine || entry->engine == engine) continue;
        raise("NoRun",
              "%s was fired outside the run that listens to it; use simulation.inject(signal, value)",
              shown(reinterpret_cast<PyObject*>(signal)).c_str());
        return false;
    }
    if (signal->once) {
        if (signal->fired) {
            raise("PortError", "%s fires once, and has fired",
                  shown(reinterpret_cast<PyObject*>(signal)).c_str());
            return false;
        }
        if (!is_deadline(signal)) {  // a deadline is its own event, and need not hold itself
            Py_INCREF(value);
            signal->value = value;
        }
    }
    signal->fired = true;
    if (engine && engine->tracing && !is_deadline(signal) && !signal->quiet)
        engine->record(Record::fired, signal->name, value);
    if (signal->unread) signal->unread->keep(value);
    for (signal->cursor = signal->first; Subscription* entry = signal->cursor;) {
        signal->cursor = entry->later;
        entry->tell(entry->listener, value);
    }
    release_dropped();
    return true;
}

SignalObject* new_signal(PyObject* name, bool once) {
    PyObject* object = signal_new(SignalType, nullptr, nullptr);
    if (!object) return nullptr;
    Py_XINCREF(name);
    signal_of(object)->name = name;
    signal_of(object)->once = once;
    return signal_of(object);
}

bool add_signal_types(PyObject* module) {
    SignalType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&signal_spec));
    if (!SignalType) return false;
    Ref bases(PyTuple_Pack(1, SignalType));
    DeadlineType = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&deadline_spec, bases.get()));
    return DeadlineType && PyModule_AddType(module, SignalType) == 0 &&
           PyModule_AddType(module, DeadlineType) == 0 &&
           PyModule_AddFunctions(module, signal_functions) == 0;
}

}  // namespace kumi
