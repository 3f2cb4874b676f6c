#include "kernel/model.hpp"

#include "kernel/signal.hpp"

#include <new>

namespace kumi {

PyTypeObject* InPortType = nullptr;
PyTypeObject* OutPortType = nullptr;

namespace {

std::uint64_t epoch = 1;

PortObject* port_of(PyObject* self) { return reinterpret_cast<PortObject*>(self); }

// The classes a port of this type accepts, or None for all; plain classes need no Python code.
Ref accepted_classes(PyObject* type) {
    if (type == reinterpret_cast<PyObject*>(&PyBaseObject_Type)) return Ref::borrow(Py_None);
    if (PyType_CheckExact(type) && type != reinterpret_cast<PyObject*>(&PyFloat_Type))
        return Ref::borrow(type);
    PyObject* find = provided("accepted_classes");
    return find ? Ref(PyObject_CallOneArg(find, type)) : Ref();
}

Wiring& wiring(PortObject* port) {
    if (!port->wiring) port->wiring = std::make_unique<Wiring>();
    return *port->wiring;
}

int port_clear(PyObject* object);

void port_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    PortObject* self = port_of(object);
    port_clear(object);
    Py_CLEAR(self->name);
    self->bag.~Bag();
    self->unread.~unique_ptr();
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
    if (self->unread)
        for (const Unread::Value& each : self->unread->values) Py_VISIT(each.value.get());
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
    Py_CLEAR(self->type);
    Py_CLEAR(self->accepted);
    Py_CLEAR(self->arrivals);
    self->bag.release();
    const std::unique_ptr<Unread> unread = std::move(self->unread);
    std::unique_ptr<Wiring> old = std::move(self->wiring);
    if (old) {
        if (!old->targets.empty()) rewire();  // whoever leads through this port leads elsewhere
        for (PortObject* target : old->targets) Py_DECREF(target);
        for (PyObject* watcher : old->watchers) Py_DECREF(watcher);
    }
    return 0;
}

constexpr std::size_t MOST_WAYS = 10'000'000;

// Finds all atomic inputs behind a port, in the order of couplings, and the watched ports on the way.
// Iterative, because models may be nested thousands deep. False with a Python error where there are far too many ways:
// couplings that part and meet again double their number each time.
bool find_route(PortObject* start) {
    Wiring& wires = wiring(start);
    wires.route.clear();
    wires.observed.clear();
    std::vector<PortObject*> stack{start};
    for (std::size_t ways = 0; !stack.empty(); ++ways) {
        if (ways == MOST_WAYS)
            return raise("StructureError",
                         "port '%s' leads to its targets by more than %zu ways, or in a circle",
                         path_of(start).c_str(), MOST_WAYS);
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
    return true;
}

PyObject* port_send(PyObject* object, PyObject* value) {
    PortObject* port = port_of(object);
    AtomicObject* model = port->model;
    if (!model)
        return raise("PortError",
                     "port '%s' belongs to a coupled model and only passes on; atomic models send",
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
        PyErr_Format(PyExc_TypeError, "watch() needs a function of (time, value), not %s",
                     shown(callback).c_str());
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
        PyObject* made = PyObject_CallOneArg(reinterpret_cast<PyObject*>(SignalType), path.get());
        if (!made) return nullptr;
        Py_XSETREF(port->arrivals, made);
        reinterpret_cast<SignalObject*>(made)->unread = std::move(port->unread);
    }
    return own_or_none(port->arrivals);
}

PyObject* port_repr(PyObject* self) {
    return PyUnicode_FromFormat("<%s '%s'>", Py_TYPE(self)->tp_name, path_of(port_of(self)).c_str());
}

Py_ssize_t bag_length(PyObject* self) { return static_cast<Py_ssize_t>(port_of(self)->bag.size()); }
PyObject* bag_item(PyObject* self, Py_ssize_t index) {
    const auto& bag = port_of(self)->bag;
    const std::size_t held = bag.size();
    if (index < 0 || static_cast<std::size_t>(index) >= held) {
        PyErr_Format(PyExc_IndexError, "port '%s' holds %zu values now", path_of(port_of(self)).c_str(),
                     held);
        return nullptr;
    }
    Py_INCREF(bag[static_cast<std::size_t>(index)]);
    return bag[static_cast<std::size_t>(index)];
}
PyObject* bag_iterate(PyObject* self) { return PySeqIter_New(self); }

#define PORT_GETSET                                                                                          \
    {"name", guarded<port_get_name>, nullptr, "The port's name, unique in its model.\n\nType: str",          \
     nullptr},                                                                                               \
        {"owner", guarded<port_get_owner>, nullptr, "The model the port belongs to.\n\nType: Any", nullptr}, \
        {"type", guarded<port_get_type>, nullptr, "What the port carries, as declared.\n\nType: Any",        \
         nullptr},                                                                                           \
        {"accepted", guarded<port_get_accepted>, nullptr,                                                    \
         "The classes it accepts; None for all.\n\nType: Any", nullptr},                                     \
        {"path", guarded<port_get_path>, nullptr, "Path of the model, a dot, the name.\n\nType: str",        \
         nullptr},                                                                                           \
        {"targets", guarded<port_get_targets>, nullptr,                                                      \
         "The ports this one is coupled to, in order.\n\nType: tuple[InPort[Any] | OutPort[Any], ...]",      \
         nullptr},

#define PORT_METHODS                                                                                 \
    {"watch", guarded<port_watch>, METH_O,                                                           \
     "watch($self, callback, /)\n--\n\nCall `callback(time, value)` for each value that passes.\n\n" \
     "Type: (callback: Callable[[float, T], object], /) -> None"},                                   \
        {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},

PyMethodDef in_methods[] = {PORT_METHODS{}};
PyMethodDef out_methods[] = {
    {"send", guarded<port_send>, METH_O,
     "send($self, value, /)\n--\n\nSend a value; only inside output() of the port's model, or"
     " from\nthe tasks of a Program.\n\nType: (value: T, /) -> None"},
    PORT_METHODS{}};
PyGetSetDef in_getset[] = {
    PORT_GETSET{"arrivals", guarded<port_get_arrivals>, nullptr,
                "A signal fired by each value that comes in, for tasks.\n\nType: Signal[T]", nullptr},
    {}};
PyGetSetDef out_getset[] = {PORT_GETSET{}};

PyType_Slot in_slots[] = {
    {Py_tp_doc,
     const_cast<char*>("An input port. Inside a transition it holds the values that came in: iterate it.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<port_dealloc>)},
    {Py_tp_traverse, reinterpret_cast<void*>(port_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(port_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<port_repr>)},
    {Py_sq_length, reinterpret_cast<void*>(guarded<bag_length>)},
    {Py_sq_item, reinterpret_cast<void*>(guarded<bag_item>)},
    {Py_tp_iter, reinterpret_cast<void*>(guarded<bag_iterate>)},
    {Py_tp_methods, in_methods},
    {Py_tp_getset, in_getset},
    {0, nullptr}};
PyType_Slot out_slots[] = {{Py_tp_doc, const_cast<char*>("An output port.")},
                           {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<port_dealloc>)},
                           {Py_tp_traverse, reinterpret_cast<void*>(port_traverse)},
                           {Py_tp_clear, reinterpret_cast<void*>(port_clear)},
                           {Py_tp_repr, reinterpret_cast<void*>(guarded<port_repr>)},
                           {Py_tp_methods, out_methods},
                           {Py_tp_getset, out_getset},
                           {0, nullptr}};

constexpr unsigned PORT_FLAGS = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyType_Spec in_spec{"kumi._core.InPort", sizeof(PortObject), 0, PORT_FLAGS, in_slots};
PyType_Spec out_spec{"kumi._core.OutPort", sizeof(PortObject), 0, PORT_FLAGS, out_slots};

}  // namespace

PyObject* port_tuple(const std::vector<PortObject*>& ports) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(ports.size()));
    for (std::size_t i = 0; tuple && i < ports.size(); ++i) {
        Py_INCREF(ports[i]);
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), reinterpret_cast<PyObject*>(ports[i]));
    }
    return tuple;
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
              PyType_Check(port->type) ? reinterpret_cast<PyTypeObject*>(port->type)->tp_name
                                       : shown(port->type).c_str(),
              shown(value).c_str());
    return fits > 0;
}

void tell_watchers(Engine& engine, PortObject* port, PyObject* value) {
    if (!port->wiring) return;
    std::vector<Ref> watchers;
    for (PyObject* watcher : port->wiring->watchers) watchers.push_back(Ref::borrow(watcher));
    for (const Ref& watcher : watchers) {
        Ref result(PyObject_CallFunction(watcher.get(), "dO", engine.agenda.now, value));
        if (!result) engine.fail("a watcher of '" + path_of(port) + "'");
    }
}

void deliver(Engine& engine, PortObject* port, PyObject* value) {
    if (engine.tracing) engine.record(port->is_output ? Record::output : Record::injected, port, value);
    if (!port->wiring && port->is_output) return;  // coupled to nothing, watched by nobody
    if (!prepare(port)) {
        engine.fail("sending");
        return;
    }
    if (engine.division) return engine.division->deliver(engine, port, value);
    const Wiring& wires = *port->wiring;
    for (std::size_t i = 0; i < wires.route.size(); ++i) {
        PortObject* target = wires.route[i];
        if (!target->model || target->model->node.engine != &engine) {
            Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(target));
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
    tell_observers(engine, wires, value, [](const PortObject*) { return true; });
}

void open_ports(AtomicObject* model) {
    for (PortObject* port : model->inputs) {
        SignalObject* arrivals = reinterpret_cast<SignalObject*>(port->arrivals);
        if (arrivals && arrivals->first) continue;  // a stream was opened before the run, and gets it all
        (arrivals ? arrivals->unread : port->unread) = std::make_unique<Unread>();
    }
}

void close_ports(AtomicObject* model) {
    for (std::size_t i = 0; i < model->inputs.size(); ++i) {
        PortObject* port = model->inputs[i];
        SignalObject* arrivals = reinterpret_cast<SignalObject*>(port->arrivals);
        const std::unique_ptr<Unread> unread = std::move(arrivals ? arrivals->unread : port->unread);
    }
}

bool prepare(PortObject* port) { return (port->wiring && port->wiring->epoch == epoch) || find_route(port); }

PortObject* new_port(PyTypeObject* kind, PyObject* owner, AtomicObject* model, PyObject* name,
                     PyObject* type) {
    if (!is_name(name)) {
        raise("StructureError", "a port's name may not be empty or contain a dot, but it is %s",
              shown(name).c_str());
        return nullptr;
    }
    Ref accepted = accepted_classes(type);
    if (!accepted) return nullptr;
    PortObject* self = reinterpret_cast<PortObject*>(kind->tp_alloc(kind, 0));
    if (!self) return nullptr;
    new (&self->bag) Bag();
    new (&self->unread) std::unique_ptr<Unread>();
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

bool add_port_types(PyObject* module) {
    InPortType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&in_spec));
    OutPortType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&out_spec));
    return InPortType && OutPortType && PyModule_AddType(module, InPortType) == 0 &&
           PyModule_AddType(module, OutPortType) == 0;
}

}  // namespace kumi
