#include "model.hpp"

#include "signal.hpp"

#include <cmath>
#include <new>
#include <unordered_map>

namespace kumi {

PyTypeObject* AtomicType = nullptr;
PyTypeObject* InPortType = nullptr;
PyTypeObject* OutPortType = nullptr;

namespace {

std::uint64_t epoch = 1;

AtomicObject* atomic(PyObject* self) { return reinterpret_cast<AtomicObject*>(self); }
PortObject* port_of(PyObject* self) { return reinterpret_cast<PortObject*>(self); }

const char* text(PyObject* string) {
    const char* utf8 = string && PyUnicode_Check(string) ? PyUnicode_AsUTF8(string) : nullptr;
    if (!utf8) PyErr_Clear();
    return utf8 ? utf8 : "?";
}

// ---------------------------------------------------------------------------------- transitions

bool call(PyObject* function, PyObject* self, const char* name) {
    PyObject* arguments[2] = {nullptr, self};
    PyObject* result = PyObject_Vectorcall(function, arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    if (result == Py_None) {
        Py_DECREF(result);
        return true;
    }
    if (result) {
        PyErr_Format(PyExc_TypeError, "%s() must be a plain method that returns None, but it returned %s", name,
                     shown(result).c_str());
        if (PyCoro_CheckExact(result)) {  // closed, so that it is not reported as never awaited, too
            ErrorAside aside;
            Ref closed(PyObject_CallMethod(result, "close", nullptr));
            PyErr_Clear();
        }
        Py_DECREF(result);
    }
    return false;
}

void atomic_output(Engine& engine, Node& node) {
    AtomicObject* self = atomic_of(node);
    if (PyObject* function = self->methods->output)
        if (!call(function, node.object(), "output")) engine.fail(node, "output");
    if (self->outbox && PyList_GET_SIZE(self->outbox)) {
        Ref sent(std::exchange(self->outbox, PyList_New(0)));
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(sent.get()); ++i) {
            PyObject* pair = PyList_GET_ITEM(sent.get(), i);
            deliver(engine, port_of(PyTuple_GET_ITEM(pair, 0)), PyTuple_GET_ITEM(pair, 1));
        }
    }
}

void internal(Engine& engine, Node& node, const Methods& methods) {
    if (methods.internal && !call(methods.internal, node.object(), "internal"))
        engine.fail(node, "internal transition");
}

// Input also wakes the tasks that wait for arrivals at a port.
void external(Engine& engine, Node& node, const Methods& methods) {
    if (methods.external && !call(methods.external, node.object(), "external"))
        engine.fail(node, "external transition");
    AtomicObject* self = atomic_of(node);
    for (std::size_t i = 0; i < self->inputs.size(); ++i) {
        PortObject* port = self->inputs[i];
        if (!port->arrivals) continue;
        for (std::size_t j = 0; j < port->bag.size(); ++j)
            fire(reinterpret_cast<SignalObject*>(port->arrivals), port->bag[j]);
    }
}

void atomic_transit(Engine& engine, Node& node, Phase phase) {
    const Methods& methods = *atomic_of(node)->methods;
    engine.acting = &node;
    switch (phase) {
    case Phase::internal:
        ++engine.statistics.internal;
        if (engine.tracing) engine.record(Record::internal, node);
        internal(engine, node, methods);
        break;
    case Phase::external:
        ++engine.statistics.external;
        if (engine.tracing) engine.record(Record::external, node);
        external(engine, node, methods);
        break;
    case Phase::confluent:
        ++engine.statistics.confluent;
        if (engine.tracing) engine.record(Record::confluent, node);
        if (methods.confluent) {
            if (!call(methods.confluent, node.object(), "confluent")) engine.fail(node, "confluent transition");
        } else {
            internal(engine, node, methods);
            node.last = engine.agenda.now;
            external(engine, node, methods);
        }
        break;
    }
    node.last = engine.agenda.now;
    engine.acting = nullptr;
}

const Behaviour ATOMIC{atomic_output, atomic_transit, offsetof(AtomicObject, node)};

// ---------------------------------------------------------------------------------- Atomic

// What a class overrides, found once, and again when a model is made or enters a run after the class was
// changed. Classes live for ever in this table; there are few.
const Methods* methods_of(PyTypeObject* type) {
    static std::unordered_map<PyTypeObject*, Methods> known;
    auto [found, is_new] = known.try_emplace(type);
    Methods& methods = found->second;
    if (!is_new && type->tp_version_tag && methods.version == type->tp_version_tag) return &methods;
    auto own = [type](const char* name) -> PyObject* {
        Ref function(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
        Ref base(PyObject_GetAttrString(reinterpret_cast<PyObject*>(AtomicType), name));
        if (!function || !base) PyErr_Clear();
        return function.get() == base.get() ? nullptr : function.release();
    };
    if (type != AtomicType) {
        Py_XSETREF(methods.output, own("output"));
        Py_XSETREF(methods.internal, own("internal"));
        Py_XSETREF(methods.external, own("external"));
        Py_XSETREF(methods.confluent, own("confluent"));
        if (is_new) Py_INCREF(type);
    }
    methods.version = type->tp_version_tag;
    return &methods;
}

PyObject* atomic_new(PyTypeObject* type, PyObject*, PyObject*) { return new_atomic(type, &ATOMIC); }

int atomic_init(PyObject* object, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"name", "rank", nullptr};
    PyObject* name;
    int rank = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|$i:Atomic", const_cast<char**>(names), &name, &rank)) return -1;
    return init_atomic(atomic(object), name, rank) ? 0 : -1;
}

void atomic_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    destroy_atomic(object);
    type->tp_free(object);
    Py_DECREF(type);
}

// Plans the next internal event; before the model is in a run, the time counts from its entry.
PyObject* plan(AtomicObject* self, double time, bool relative) {
    if (!self->name) return raise("StructureError", "%s.__init__ did not call super().__init__(name)", Py_TYPE(self)->tp_name);
    Engine* engine = self->node.engine;
    double now = engine ? engine->agenda.now : 0.0;
    if (std::isnan(time) || (relative ? time < 0.0 : time < now) || time == -NEVER) {
        const char* rule = relative ? "a time advance is a number of seconds >= 0, or inf to rest"
                                    : "an instant may not lie in the past";
        return raise("TimeError", "model '%s' asked for %s %s at t = %s s; %s",
                     path_of(reinterpret_cast<PyObject*>(self)).c_str(), relative ? "a time advance of" : "the instant",
                     shown(time).c_str(), shown(now).c_str(), rule);
    }
    if (!engine) {
        self->planned = time;
        self->planned_absolute = !relative;
        Py_RETURN_NONE;
    }
    if (engine->acting != &self->node) {
        const bool in_output = engine->sending == &self->node;
        return raise("TimeError", "the next event of model '%s' can only be planned by its own transitions%s",
                     path_of(reinterpret_cast<PyObject*>(self)).c_str(), in_output ? ", not by output()" : "");
    }
    engine->agenda.schedule(&self->node, relative ? now + time : time);
    Py_RETURN_NONE;
}

bool seconds(PyObject* number, double& value) {
    value = PyFloat_CheckExact(number) ? PyFloat_AS_DOUBLE(number) : PyFloat_AsDouble(number);
    return !(value == -1.0 && PyErr_Occurred());
}

PyObject* atomic_hold(PyObject* self, PyObject* duration) {
    double value;
    return seconds(duration, value) ? plan(atomic(self), value, true) : nullptr;
}

PyObject* atomic_hold_until(PyObject* self, PyObject* instant) {
    double value;
    return seconds(instant, value) ? plan(atomic(self), value, false) : nullptr;
}

PyObject* atomic_rest(PyObject* self, PyObject*) { return plan(atomic(self), NEVER, true); }

PyObject* atomic_nothing(PyObject*, PyObject*) { Py_RETURN_NONE; }

// internal(), then external(): also for a class that extends the default with super().confluent().
PyObject* atomic_confluent(PyObject* self, PyObject*) {
    Ref first(PyObject_CallMethod(self, "internal", nullptr));
    if (!first) return nullptr;
    if (Engine* engine = atomic(self)->node.engine) atomic(self)->node.last = engine->agenda.now;
    return PyObject_CallMethod(self, "external", nullptr);
}

PyObject* add_port(PyObject* object, PyObject* args, PyTypeObject* kind) {
    PyObject *name, *type;
    if (!PyArg_ParseTuple(args, "UO:add_port", &name, &type)) return nullptr;
    AtomicObject* self = atomic(object);
    if (!self->name) return raise("StructureError", "%s.__init__ did not call super().__init__(name)", Py_TYPE(self)->tp_name);
    for (auto* list : {&self->inputs, &self->outputs})
        for (PortObject* other : *list)
            if (PyUnicode_Compare(other->name, name) == 0)
                return raise("StructureError", "model '%s' has a port named '%s' already", text(self->name), text(name));
    PortObject* port = new_port(kind, object, self, name, type);
    if (!port) return nullptr;
    auto& list = kind == OutPortType ? self->outputs : self->inputs;
    port->index = static_cast<std::uint32_t>(list.size()) * 2 + (kind == OutPortType);
    list.push_back(port);
    Py_INCREF(port);
    return reinterpret_cast<PyObject*>(port);
}

PyObject* atomic_add_input(PyObject* self, PyObject* args) { return add_port(self, args, InPortType); }
PyObject* atomic_add_output(PyObject* self, PyObject* args) { return add_port(self, args, OutPortType); }

PyObject* atomic_send_any_time(PyObject* self, PyObject*) {
    if (!atomic(self)->outbox) atomic(self)->outbox = PyList_New(0);
    Py_RETURN_NONE;
}

PyObject* own_or_none(PyObject* object) {
    PyObject* result = object ? object : Py_None;
    Py_INCREF(result);
    return result;
}

PyObject* get_name(PyObject* self, void*) { return own_or_none(atomic(self)->name); }
PyObject* get_parent(PyObject* self, void*) { return own_or_none(atomic(self)->parent); }
int set_parent(PyObject* self, PyObject* value, void*) {
    Py_XINCREF(value);
    Py_XSETREF(atomic(self)->parent, value == Py_None ? (Py_DECREF(value), nullptr) : value);
    return 0;
}
PyObject* get_path(PyObject* self, void*) { return path_text(self).release(); }
PyObject* get_rank(PyObject* self, void*) { return PyLong_FromLong(atomic(self)->node.rank); }
PyObject* get_now(PyObject* self, void*) {
    Engine* engine = atomic(self)->node.engine;
    if (!engine) return raise("NoRun", "model '%s' is in no run yet, so it has no present time", text(atomic(self)->name));
    return PyFloat_FromDouble(engine->agenda.now);
}
PyObject* get_next_time(PyObject* self, void*) {
    AtomicObject* model = atomic(self);
    return PyFloat_FromDouble(model->node.engine ? model->node.time : model->planned);
}
PyObject* get_last_time(PyObject* self, void*) { return PyFloat_FromDouble(atomic(self)->node.last); }
PyObject* get_elapsed(PyObject* self, void*) {
    Engine* engine = atomic(self)->node.engine;
    return PyFloat_FromDouble(engine ? engine->agenda.now - atomic(self)->node.last : 0.0);
}
PyObject* port_tuple(const std::vector<PortObject*>& ports) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(ports.size()));
    for (std::size_t i = 0; tuple && i < ports.size(); ++i) {
        Py_INCREF(ports[i]);
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), reinterpret_cast<PyObject*>(ports[i]));
    }
    return tuple;
}
PyObject* get_inputs(PyObject* self, void*) { return port_tuple(atomic(self)->inputs); }
PyObject* get_outputs(PyObject* self, void*) { return port_tuple(atomic(self)->outputs); }
PyObject* get_is_running(PyObject* self, void*) { return PyBool_FromLong(atomic(self)->node.engine != nullptr); }

PyObject* atomic_repr(PyObject* self) {
    return PyUnicode_FromFormat("<%s '%s'>", Py_TYPE(self)->tp_name, path_of(self).c_str());
}

PyMethodDef atomic_methods[] = {
    {"hold", atomic_hold, METH_O,
     "hold($self, duration, /)\n--\n\nPlan the next internal event `duration` seconds from now; inf rests.\n\n"
     "Type: (duration: float, /) -> None"},
    {"hold_until", atomic_hold_until, METH_O,
     "hold_until($self, instant, /)\n--\n\nPlan the next internal event for an absolute instant.\n\n"
     "Type: (instant: float, /) -> None"},
    {"rest", atomic_rest, METH_NOARGS,
     "rest($self, /)\n--\n\nPlan nothing: wait for input.\n\nType: () -> None"},
    {"output", atomic_nothing, METH_NOARGS,
     "output($self, /)\n--\n\nGive output, just before an internal or confluent transition.\n\nType: () -> None"},
    {"internal", atomic_nothing, METH_NOARGS,
     "internal($self, /)\n--\n\nChange at the planned instant. Without a hold() the model rests.\n\nType: () -> None"},
    {"external", atomic_nothing, METH_NOARGS,
     "external($self, /)\n--\n\nChange on input, once for all input of a step. Without a hold() the plan stays.\n\n"
     "Type: () -> None"},
    {"confluent", atomic_confluent, METH_NOARGS,
     "confluent($self, /)\n--\n\nChange when input comes at the planned instant: internal(), then external().\n\n"
     "Type: () -> None"},
    {"add_input", atomic_add_input, METH_VARARGS,
     "add_input($self, name, type, /)\n--\n\nMake an input port for values of `type`: a class, a union, or object.\n\n"
     "Type: (name: str, type: type[T], /) -> InPort[T]\nType: (name: str, type: object, /) -> InPort[Any]"},
    {"add_output", atomic_add_output, METH_VARARGS,
     "add_output($self, name, type, /)\n--\n\nMake an output port for values of `type`: a class, a union, or object.\n\n"
     "Type: (name: str, type: type[T], /) -> OutPort[T]\nType: (name: str, type: object, /) -> OutPort[Any]"},
    {"_send_any_time", atomic_send_any_time, METH_NOARGS,
     "_send_any_time($self, /)\n--\n\nKeep what tasks send on this model's ports until its next output.\n\n"
     "Type: () -> None"},
    {}};

PyGetSetDef atomic_getset[] = {
    {"name", get_name, nullptr, "The model's name, unique among its siblings.\n\nType: str", nullptr},
    {"parent", get_parent, set_parent, "The coupled model this one stands in.\n\nType: Any", nullptr},
    {"path", get_path, nullptr, "Names from the root to here, joined by dots.\n\nType: str", nullptr},
    {"rank", get_rank, nullptr, "Order among simultaneous events, least first.\n\nType: int", nullptr},
    {"now", get_now, nullptr, "The present time of the run in seconds.\n\nType: float", nullptr},
    {"next_time", get_next_time, nullptr, "The planned instant; inf at rest.\n\nType: float", nullptr},
    {"last_time", get_last_time, nullptr, "The instant of the last transition.\n\nType: float", nullptr},
    {"elapsed", get_elapsed, nullptr, "Seconds since the last transition.\n\nType: float", nullptr},
    {"inputs", get_inputs, nullptr, "Input ports in the order they were made.\n\nType: tuple[InPort[Any], ...]", nullptr},
    {"outputs", get_outputs, nullptr, "Output ports in the order they were made.\n\nType: tuple[OutPort[Any], ...]", nullptr},
    {"is_running", get_is_running, nullptr, "Whether the model is part of a run.\n\nType: bool", nullptr},
    {}};

PyType_Slot atomic_slots[] = {
    {Py_tp_doc, const_cast<char*>("Atomic(name, *, rank=0)\n--\n\nA model with state of its own: derive from it.\n\n"
                                  "Give output(), internal(), external(), and confluent() where the default does not\n"
                                  "serve; plan with hold(), hold_until() and rest(). These are methods of the class:\n"
                                  "one set on an instance is not called by a run.\n\n"
                                  "Type: (name: str, *, rank: int = 0) -> None")},
    {Py_tp_new, reinterpret_cast<void*>(atomic_new)},
    {Py_tp_init, reinterpret_cast<void*>(atomic_init)},
    {Py_tp_dealloc, reinterpret_cast<void*>(atomic_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_atomic)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_atomic)},
    {Py_tp_repr, reinterpret_cast<void*>(atomic_repr)},
    {Py_tp_methods, atomic_methods},
    {Py_tp_getset, atomic_getset},
    {0, nullptr}};

PyType_Spec atomic_spec{"kumi._core.Atomic", sizeof(AtomicObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, atomic_slots};

// ---------------------------------------------------------------------------------- ports

// The classes a port of this type accepts, or None for all; plain classes need no Python code.
Ref accepted_classes(PyObject* type) {
    if (type == reinterpret_cast<PyObject*>(&PyBaseObject_Type)) return Ref::borrow(Py_None);
    if (PyType_CheckExact(type) && type != reinterpret_cast<PyObject*>(&PyFloat_Type)) return Ref::borrow(type);
    Ref ports(PyImport_ImportModule("kumi.kernel.ports"));
    return ports ? Ref(PyObject_CallMethod(ports.get(), "accepted_classes", "O", type)) : Ref();
}

Wiring& wiring(PortObject* port) {
    if (!port->wiring) port->wiring = std::make_unique<Wiring>();
    return *port->wiring;
}

void port_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    PortObject* self = port_of(object);
    Py_TYPE(object)->tp_clear(object);
    self->bag.~Bag();
    self->wiring.~unique_ptr();
    type->tp_free(object);
    Py_DECREF(type);
}

int port_traverse(PyObject* object, visitproc visit, void* arg) {
    PortObject* self = port_of(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->owner);
    Py_VISIT(self->type);
    Py_VISIT(self->accepted);
    Py_VISIT(self->arrivals);
    for (PyObject* value : self->bag) Py_VISIT(value);
    if (self->wiring) {
        for (PortObject* target : self->wiring->targets) Py_VISIT(reinterpret_cast<PyObject*>(target));
        for (PyObject* watcher : self->wiring->watchers) Py_VISIT(watcher);
    }
    return 0;
}

int port_clear(PyObject* object) {
    PortObject* self = port_of(object);
    self->model = nullptr;
    Py_CLEAR(self->owner);
    Py_CLEAR(self->name);
    Py_CLEAR(self->type);
    Py_CLEAR(self->accepted);
    Py_CLEAR(self->arrivals);
    std::vector<PyObject*> values(self->bag.begin(), self->bag.end());
    self->bag.clear();
    for (PyObject* value : values) Py_DECREF(value);
    std::unique_ptr<Wiring> old = std::move(self->wiring);
    if (old) {
        for (PortObject* target : old->targets) Py_DECREF(target);
        for (PyObject* watcher : old->watchers) Py_DECREF(watcher);
    }
    return 0;
}

// Finds all atomic inputs behind a port, in the order of couplings, and the watched ports on the way.
// Iterative, because models may be nested thousands deep.
void find_route(PortObject* start) {
    Wiring& wires = wiring(start);
    wires.route.clear();
    wires.observed.clear();
    std::vector<PortObject*> stack{start};
    while (!stack.empty()) {
        PortObject* port = stack.back();
        stack.pop_back();
        if (port->wiring && !port->wiring->watchers.empty()) wires.observed.push_back(port);
        if (port->model && !port->is_output) {
            wires.route.push_back(port);
        } else if (port->wiring) {
            const auto& targets = port->wiring->targets;
            stack.insert(stack.end(), targets.rbegin(), targets.rend());
        }
    }
    wires.epoch = epoch;
}

void tell_watchers(Engine& engine, PortObject* port, PyObject* value) {
    const std::vector<PyObject*> watchers = port->wiring->watchers;
    for (PyObject* watcher : watchers) {
        Ref result(PyObject_CallFunction(watcher, "dO", engine.agenda.now, value));
        if (!result) engine.fail("a watcher of '" + path_of(port) + "'");
    }
}

PyObject* port_send(PyObject* object, PyObject* value) {
    PortObject* port = port_of(object);
    AtomicObject* model = port->model;
    if (!model)
        return raise("PortError", "port '%s' belongs to a coupled model and only passes on; atomic models send",
                     path_of(port).c_str());
    if (!accepts(port, value)) return nullptr;
    Engine* engine = model->node.engine;
    if (engine && engine->sending == &model->node) {
        deliver(*engine, port, value);
        Py_RETURN_NONE;
    }
    if (engine && model->outbox && engine->task) {
        Ref pair(PyTuple_Pack(2, object, value));
        if (!pair || PyList_Append(model->outbox, pair.get()) < 0) return nullptr;
        engine->agenda.schedule(&model->node, engine->agenda.now);
        Py_RETURN_NONE;
    }
    if (!engine)
        return raise("PortError", "port '%s' cannot send: its model is in no run", path_of(port).c_str());
    if (engine->sending)
        return raise("PortError", "model '%s' sent on port '%s', which belongs to another model",
                     path_of(engine->sending->object()).c_str(), path_of(port).c_str());
    return raise("PortError", "port '%s' can only send inside output() of its model", path_of(port).c_str());
}

PyObject* port_watch(PyObject* object, PyObject* callback) {
    if (!PyCallable_Check(callback)) {
        PyErr_Format(PyExc_TypeError, "watch() needs a function of (time, value), not %s", shown(callback).c_str());
        return nullptr;
    }
    Py_INCREF(callback);
    wiring(port_of(object)).watchers.push_back(callback);
    rewire();
    Py_RETURN_NONE;
}

PyObject* port_get_name(PyObject* self, void*) { return own_or_none(port_of(self)->name); }
PyObject* port_get_owner(PyObject* self, void*) { return own_or_none(port_of(self)->owner); }
PyObject* port_get_type(PyObject* self, void*) { return own_or_none(port_of(self)->type); }
PyObject* port_get_accepted(PyObject* self, void*) { return own_or_none(port_of(self)->accepted); }
PyObject* port_get_path(PyObject* self, void*) { return port_path(port_of(self)).release(); }
PyObject* port_get_targets(PyObject* self, void*) {
    static const std::vector<PortObject*> none;
    return port_tuple(port_of(self)->wiring ? port_of(self)->wiring->targets : none);
}
PyObject* port_get_arrivals(PyObject* self, void*) {
    PortObject* port = port_of(self);
    if (!port->arrivals) {
        Ref path = port_path(port);
        if (!path) return nullptr;
        port->arrivals = PyObject_CallOneArg(reinterpret_cast<PyObject*>(SignalType), path.get());
    }
    return own_or_none(port->arrivals);
}

PyObject* port_repr(PyObject* self) {
    return PyUnicode_FromFormat("<%s '%s'>", Py_TYPE(self)->tp_name, path_of(port_of(self)).c_str());
}

Py_ssize_t bag_length(PyObject* self) { return static_cast<Py_ssize_t>(port_of(self)->bag.size()); }
PyObject* bag_item(PyObject* self, Py_ssize_t index) {
    const auto& bag = port_of(self)->bag;
    if (index < 0 || static_cast<std::size_t>(index) >= bag.size()) {
        PyErr_Format(PyExc_IndexError, "port '%s' holds %zu values now", path_of(port_of(self)).c_str(), bag.size());
        return nullptr;
    }
    Py_INCREF(bag[static_cast<std::size_t>(index)]);
    return bag[static_cast<std::size_t>(index)];
}
PyObject* bag_iterate(PyObject* self) { return PySeqIter_New(self); }

#define PORT_GETSET                                                                                             \
    {"name", port_get_name, nullptr, "The port's name, unique in its model.\n\nType: str", nullptr},            \
    {"owner", port_get_owner, nullptr, "The model the port belongs to.\n\nType: Any", nullptr},                 \
    {"type", port_get_type, nullptr, "What the port carries, as declared.\n\nType: Any", nullptr},              \
    {"accepted", port_get_accepted, nullptr, "The classes it accepts; None for all.\n\nType: Any", nullptr},    \
    {"path", port_get_path, nullptr, "Path of the model, a dot, the name.\n\nType: str", nullptr},              \
    {"targets", port_get_targets, nullptr,                                                                      \
     "The ports this one is coupled to, in order.\n\nType: tuple[InPort[Any] | OutPort[Any], ...]", nullptr},

#define PORT_METHODS                                                                                            \
    {"watch", port_watch, METH_O,                                                                               \
     "watch($self, callback, /)\n--\n\nCall `callback(time, value)` for each value that passes.\n\n"            \
     "Type: (callback: Callable[[float, T], object], /) -> None"},                                              \
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},

PyMethodDef in_methods[] = {PORT_METHODS {}};
PyMethodDef out_methods[] = {{"send", port_send, METH_O,
                              "send($self, value, /)\n--\n\nSend a value; only inside output() of the port's model, or"
                              " from\nthe tasks of a Program.\n\nType: (value: T, /) -> None"},
                             PORT_METHODS{}};
PyGetSetDef in_getset[] = {
    PORT_GETSET{"arrivals", port_get_arrivals, nullptr,
                "A signal fired by each value that comes in, for tasks.\n\nType: Signal[T]", nullptr},
    {}};
PyGetSetDef out_getset[] = {PORT_GETSET{}};

PyType_Slot in_slots[] = {
    {Py_tp_doc, const_cast<char*>("An input port. Inside a transition it holds the values that came in: iterate it.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(port_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(port_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(port_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(port_repr)},
    {Py_sq_length, reinterpret_cast<void*>(bag_length)},
    {Py_sq_item, reinterpret_cast<void*>(bag_item)},
    {Py_tp_iter, reinterpret_cast<void*>(bag_iterate)},
    {Py_tp_methods, in_methods},
    {Py_tp_getset, in_getset},
    {0, nullptr}};
PyType_Slot out_slots[] = {
    {Py_tp_doc, const_cast<char*>("An output port.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(port_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(port_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(port_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(port_repr)},
    {Py_tp_methods, out_methods},
    {Py_tp_getset, out_getset},
    {0, nullptr}};

constexpr unsigned PORT_FLAGS = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyType_Spec in_spec{"kumi._core.InPort", sizeof(PortObject), 0, PORT_FLAGS, in_slots};
PyType_Spec out_spec{"kumi._core.OutPort", sizeof(PortObject), 0, PORT_FLAGS, out_slots};

}  // namespace

// ---------------------------------------------------------------------------------- shared

void refresh_methods(AtomicObject* model) { methods_of(Py_TYPE(model)); }

const Behaviour* atomic_behaviour() { return &ATOMIC; }

PyObject* new_atomic(PyTypeObject* type, const Behaviour* behaviour) {
    // By way of object.__new__, which gives Python classes the inline attributes that tp_alloc alone
    // does not: each attribute of a model is then found without a dictionary.
    Ref none(PyTuple_New(0));
    PyObject* object = none ? PyBaseObject_Type.tp_new(type, none.get(), nullptr) : nullptr;
    if (!object) return nullptr;
    AtomicObject* self = atomic(object);
    new (&self->node) Node();
    new (&self->inputs) std::vector<PortObject*>();
    new (&self->outputs) std::vector<PortObject*>();
    self->node.behaviour = behaviour;
    self->planned = NEVER;
    self->methods = methods_of(type);
    return object;
}

bool init_atomic(AtomicObject* self, PyObject* name, int rank) {
    if (PyUnicode_GET_LENGTH(name) == 0 || PyUnicode_FindChar(name, '.', 0, PyUnicode_GET_LENGTH(name), 1) != -1) {
        raise("StructureError", "a model's name may not be empty or contain a dot, but it is %s", shown(name).c_str());
        return false;
    }
    if (rank < 0 || rank >= RANKS) {
        raise("StructureError", "the rank of model '%s' is %d; allowed are 0 to %d", text(name), rank, RANKS - 1);
        return false;
    }
    if (self->node.engine) {
        raise("StructureError", "model '%s' is part of a run; its __init__ cannot be called again", text(self->name));
        return false;
    }
    Py_INCREF(name);
    Py_XSETREF(self->name, name);
    self->node.rank = static_cast<std::uint8_t>(rank);
    return true;
}

int traverse_atomic(PyObject* object, visitproc visit, void* arg) {
    AtomicObject* self = atomic(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->parent);
    Py_VISIT(self->outbox);
    for (PortObject* port : self->inputs) Py_VISIT(reinterpret_cast<PyObject*>(port));
    for (PortObject* port : self->outputs) Py_VISIT(reinterpret_cast<PyObject*>(port));
    return 0;
}

int clear_atomic(PyObject* object) {
    AtomicObject* self = atomic(object);
    if (self->node.engine) self->node.engine->detach(self->node);
    Py_CLEAR(self->parent);
    Py_CLEAR(self->outbox);
    for (auto* list : {&self->inputs, &self->outputs}) {
        std::vector<PortObject*> ports;
        ports.swap(*list);
        for (PortObject* port : ports) {
            port->model = nullptr;
            Py_DECREF(port);
        }
    }
    return 0;
}

void destroy_atomic(PyObject* object) {
    AtomicObject* self = atomic(object);
    clear_atomic(object);
    Py_CLEAR(self->name);
    self->inputs.~vector();
    self->outputs.~vector();
}

Ref port_path(PortObject* port) {
    Ref owner = path_text(port->owner);
    if (!owner) return owner;
    return Ref(PyUnicode_FromFormat("%U.%U", owner.get(), port->name));
}

std::string path_of(PortObject* port) {
    ErrorAside aside;
    Ref path = port_path(port);
    const char* utf8 = path ? PyUnicode_AsUTF8(path.get()) : nullptr;
    std::string found = utf8 ? utf8 : "?";
    PyErr_Clear();
    return found;
}

bool accepts(PortObject* port, PyObject* value) {
    PyObject* accepted = port->accepted;
    if (!accepted || reinterpret_cast<PyObject*>(Py_TYPE(value)) == accepted) return true;
    int fits = PyObject_IsInstance(value, accepted);
    if (fits == 0)
        raise("PortError", "port '%s' carries %s, but was given %s", path_of(port).c_str(),
              PyType_Check(port->type) ? reinterpret_cast<PyTypeObject*>(port->type)->tp_name : shown(port->type).c_str(),
              shown(value).c_str());
    return fits > 0;
}

void deliver(Engine& engine, PortObject* port, PyObject* value) {
    if (engine.tracing) engine.record(port->is_output ? Record::output : Record::injected, port, value);
    if (!port->wiring && port->is_output) return;  // coupled to nothing, watched by nobody
    prepare(port);
    const Wiring& wires = *port->wiring;
    for (PortObject* target : wires.route) {
        if (target->model->node.engine != &engine) {
            raise("PortError", "input for port '%s' came after its model had left the run",
                  path_of(target).c_str());
            engine.fail("an injection");
            continue;
        }
        if (target->bag.empty()) {
            Py_INCREF(target);
            engine.touch(target);
            engine.influence(target->model->node);
        }
        Py_INCREF(value);
        target->bag.push_back(value);
    }
    engine.statistics.messages += wires.route.size();
    for (std::size_t i = 0; i < wires.observed.size(); ++i) tell_watchers(engine, wires.observed[i], value);
}

void prepare(PortObject* port) {
    if (!port->wiring || port->wiring->epoch != epoch) find_route(port);
}

PortObject* new_port(PyTypeObject* kind, PyObject* owner, AtomicObject* model, PyObject* name, PyObject* type) {
    if (PyUnicode_GET_LENGTH(name) == 0 || PyUnicode_FindChar(name, '.', 0, PyUnicode_GET_LENGTH(name), 1) != -1) {
        raise("StructureError", "a port's name may not be empty or contain a dot, but it is %s", shown(name).c_str());
        return nullptr;
    }
    Ref accepted = accepted_classes(type);
    if (!accepted) return nullptr;
    PortObject* self = reinterpret_cast<PortObject*>(kind->tp_alloc(kind, 0));
    if (!self) return nullptr;
    new (&self->bag) Bag();
    new (&self->wiring) std::unique_ptr<Wiring>();
    Py_INCREF(owner);
    self->owner = owner;
    self->model = model;
    Py_INCREF(name);
    self->name = name;
    Py_INCREF(type);
    self->type = type;
    self->accepted = accepted.get() == Py_None ? nullptr : accepted.release();
    self->is_output = kind == OutPortType;
    return self;
}

void rewire() { ++epoch; }

bool add_model_types(PyObject* module) {
    struct {
        PyTypeObject** type;
        PyType_Spec* spec;
    } const types[] = {{&AtomicType, &atomic_spec}, {&InPortType, &in_spec}, {&OutPortType, &out_spec}};
    for (auto [type, spec] : types) {
        *type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(spec));
        if (!*type || PyModule_AddType(module, *type) < 0) return false;
    }
    return true;
}

}  // namespace kumi
