#include "kernel/model.hpp"

#include "kernel/signal.hpp"

#include <cmath>
#include <new>
#include <unordered_map>

namespace kumi {

PyTypeObject* AtomicType = nullptr;

namespace {

AtomicObject* atomic(PyObject* self) { return reinterpret_cast<AtomicObject*>(self); }

bool call(PyObject* function, PyObject* self, const char* name) {
    PyObject* arguments[2] = {nullptr, self};
    PyObject* result =
        PyObject_Vectorcall(function, arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    if (result == Py_None) {
        Py_DECREF(result);
        return true;
    }
    if (result) {
        PyErr_Format(PyExc_TypeError, "%s() must be a plain method that returns None, but it returned %s",
                     name, shown(result).c_str());
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
    Ref alive = Ref::borrow(node.object());  // it may leave the run while it acts
    if (PyObject* function = self->methods->output)
        if (!call(function, node.object(), "output")) engine.fail(node, "output");
    if (self->outbox && PyList_GET_SIZE(self->outbox)) {
        Ref empty(PyList_New(0));
        if (!empty) {
            engine.fail(node, "output");
            return;
        }
        Ref sent(std::exchange(self->outbox, empty.release()));
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(sent.get()); ++i) {
            PyObject* pair = PyList_GET_ITEM(sent.get(), i);
            deliver(engine, reinterpret_cast<PortObject*>(PyTuple_GET_ITEM(pair, 0)),
                    PyTuple_GET_ITEM(pair, 1));
        }
    }
}

void internal(Engine& engine, Node& node, const Methods& methods) {
    if (methods.internal && !call(methods.internal, node.object(), "internal"))
        engine.fail(node, "internal transition");
}

void external(Engine& engine, Node& node, const Methods& methods) {
    if (methods.external && !call(methods.external, node.object(), "external"))
        engine.fail(node, "external transition");
}

// Input also wakes the tasks that wait for arrivals at a port.
void tell_arrivals(Engine& engine, Node& node) {
    AtomicObject* self = atomic_of(node);
    for (std::size_t i = 0; i < self->inputs.size(); ++i) {
        PortObject* port = self->inputs[i];
        if (!port->arrivals) {
            for (std::size_t j = 0; port->unread && j < port->bag.size(); ++j)
                port->unread->keep(port->bag[j]);
            continue;
        }
        for (std::size_t j = 0; j < port->bag.size(); ++j)
            if (!fire(reinterpret_cast<SignalObject*>(port->arrivals), port->bag[j]))
                engine.fail(node, "an arrival");
    }
}

void atomic_transit(Engine& engine, Node& node, Phase phase) {
    Ref alive = Ref::borrow(node.object());  // it may leave the run while it acts
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
            if (!call(methods.confluent, node.object(), "confluent"))
                engine.fail(node, "confluent transition");
        } else {
            internal(engine, node, methods);
            node.last = engine.agenda.now;
            external(engine, node, methods);
        }
        break;
    }
    if (phase != Phase::internal) tell_arrivals(engine, node);
    node.last = engine.agenda.now;
    engine.acting = nullptr;
}

const Behaviour ATOMIC{atomic_output, atomic_transit, offsetof(AtomicObject, node)};

// What a class overrides, found once, and again when a model is made or enters a run after the class was
// changed. Classes live for ever in this table; there are few.
const Methods* methods_of(PyTypeObject* type) {
    static std::unordered_map<PyTypeObject*, Methods> known;
    auto [found, is_new] = known.try_emplace(type);
    Methods& methods = found->second;
    if (!is_new && type->tp_version_tag && methods.version == type->tp_version_tag) return &methods;
    auto own = [type](const char* name) -> PyObject* {
        Ref function(get_attribute(reinterpret_cast<PyObject*>(type), name));
        Ref base(get_attribute(reinterpret_cast<PyObject*>(AtomicType), name));
        if (!function || !base) PyErr_Clear();
        return function.get() == base.get() ? nullptr : function.release();
    };
    if (type != AtomicType) {
        Py_XSETREF(methods.begin, own("begin"));
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
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|$i:Atomic", const_cast<char**>(names), &name, &rank))
        return -1;
    return init_atomic(atomic(object), name, rank) ? 0 : -1;
}

void atomic_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    destroy_atomic(object);
    type->tp_free(object);
    Py_DECREF(type);
}

// Plans the next internal event; before the model is in a run, the time counts from its entry.
PyObject* plan(AtomicObject* self, double time, bool relative) {
    if (!self->name)
        return raise("StructureError", "%s.__init__ did not call super().__init__(name)",
                     Py_TYPE(self)->tp_name);
    Engine* engine = self->node.engine;
    double now = engine ? engine->agenda.now : 0.0;
    if (std::isnan(time) || (relative ? time < 0.0 : time < now) || time == -NEVER) {
        const char* rule = relative ? "a duration is a number of seconds >= 0, or inf to rest"
                                    : "an instant may not lie in the past";
        return raise("TimeError", "model '%s' called %s(%s) at t = %s s; %s",
                     path_of(reinterpret_cast<PyObject*>(self)).c_str(), relative ? "hold" : "hold_until",
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
                     path_of(reinterpret_cast<PyObject*>(self)).c_str(),
                     in_output ? ", not by output()" : "");
    }
    engine->agenda.schedule(&self->node, relative ? now + time : time);
    Py_RETURN_NONE;
}

PyObject* atomic_hold(PyObject* self, PyObject* duration) {
    double value;
    return seconds("hold", duration, value) ? plan(atomic(self), value, true) : nullptr;
}

PyObject* atomic_hold_until(PyObject* self, PyObject* instant) {
    double value;
    return seconds("hold_until", instant, value) ? plan(atomic(self), value, false) : nullptr;
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
    const char* format = kind == OutPortType ? "UO:add_output" : "UO:add_input";
    if (!PyArg_ParseTuple(args, format, &name, &type)) return nullptr;
    AtomicObject* self = atomic(object);
    if (!self->name)
        return raise("StructureError", "%s.__init__ did not call super().__init__(name)",
                     Py_TYPE(self)->tp_name);
    for (auto* list : {&self->inputs, &self->outputs})
        for (PortObject* other : *list)
            if (PyUnicode_Compare(other->name, name) == 0)
                return raise("StructureError", "model '%s' has a port named '%s' already", text(self->name),
                             text(name));
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
    if (atomic(self)->node.behaviour != &ATOMIC)
        return raise("PortError", "%s gives no output: only atomic models with transitions of their own do",
                     shown(self).c_str());
    if (!atomic(self)->outbox) atomic(self)->outbox = PyList_New(0);
    Py_RETURN_NONE;
}

PyObject* get_name(PyObject* self, void*) { return own_or_none(atomic(self)->name); }
PyObject* get_parent(PyObject* self, void*) { return own_or_none(atomic(self)->parent); }
int set_parent(PyObject* self, PyObject* value, void*) {
    if (value == self) {
        raise("StructureError", "model '%s' cannot stand in itself", text(atomic(self)->name));
        return -1;
    }
    Py_XINCREF(value);
    Py_XSETREF(atomic(self)->parent, value == Py_None ? (Py_DECREF(value), nullptr) : value);
    return 0;
}
PyObject* get_path(PyObject* self, void*) { return path_text(self).release(); }
PyObject* get_rank(PyObject* self, void*) { return PyLong_FromLong(atomic(self)->node.rank); }
PyObject* get_now(PyObject* self, void*) {
    Engine* engine = atomic(self)->node.engine;
    if (!engine)
        return raise("NoRun", "model '%s' is in no run yet, so it has no present time",
                     text(atomic(self)->name));
    return PyFloat_FromDouble(engine->agenda.now);
}
PyObject* get_chance(PyObject* self, void*) {
    AtomicObject* model = atomic(self);
    if (!model->node.engine)
        return raise("NoRun", "model '%s' is in no run yet, so it has no random numbers; draw in begin()",
                     text(model->name));
    if (!model->chance) {
        Ref path = path_text(self);
        model->chance = path ? model->node.engine->chance_of(path.get()) : nullptr;
        if (!model->chance) return nullptr;
    }
    return own_or_none(model->chance);
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
PyObject* get_inputs(PyObject* self, void*) { return port_tuple(atomic(self)->inputs); }
PyObject* get_outputs(PyObject* self, void*) { return port_tuple(atomic(self)->outputs); }
PyObject* get_is_running(PyObject* self, void*) {
    return PyBool_FromLong(atomic(self)->node.engine != nullptr);
}

PyObject* atomic_repr(PyObject* self) {
    return PyUnicode_FromFormat("<%s '%s'>", Py_TYPE(self)->tp_name, path_of(self).c_str());
}

PyMethodDef atomic_methods[] = {
    {"hold", guarded<atomic_hold>, METH_O,
     "hold($self, duration, /)\n--\n\nPlan the next internal event `duration` seconds from now; inf "
     "rests.\n\n"
     "Type: (duration: float, /) -> None"},
    {"hold_until", guarded<atomic_hold_until>, METH_O,
     "hold_until($self, instant, /)\n--\n\nPlan the next internal event for an absolute instant.\n\n"
     "Type: (instant: float, /) -> None"},
    {"rest", guarded<atomic_rest>, METH_NOARGS,
     "rest($self, /)\n--\n\nPlan nothing: wait for input.\n\nType: () -> None"},
    {"begin", guarded<atomic_nothing>, METH_NOARGS,
     "begin($self, /)\n--\n\nPlan the first event, when the model enters a run; here it can draw random "
     "numbers.\n\n"
     "Type: () -> None"},
    {"output", guarded<atomic_nothing>, METH_NOARGS,
     "output($self, /)\n--\n\nGive output, just before an internal or confluent transition.\n\nType: () -> "
     "None"},
    {"internal", guarded<atomic_nothing>, METH_NOARGS,
     "internal($self, /)\n--\n\nChange at the planned instant. Without a hold() the model rests.\n\nType: () "
     "-> None"},
    {"external", guarded<atomic_nothing>, METH_NOARGS,
     "external($self, /)\n--\n\nChange on input, once for all input of a step. Without a hold() the plan "
     "stays.\n\n"
     "Type: () -> None"},
    {"confluent", guarded<atomic_confluent>, METH_NOARGS,
     "confluent($self, /)\n--\n\nChange when input comes at the planned instant: internal(), then "
     "external().\n\n"
     "Type: () -> None"},
    {"add_input", guarded<atomic_add_input>, METH_VARARGS,
     "add_input($self, name, type, /)\n--\n\nMake an input port for values of `type`: a class, a union, or "
     "object.\n\n"
     "Type: (name: str, type: type[T], /) -> InPort[T]\nType: (name: str, type: object, /) -> InPort[Any]"},
    {"add_output", guarded<atomic_add_output>, METH_VARARGS,
     "add_output($self, name, type, /)\n--\n\nMake an output port for values of `type`: a class, a union, or "
     "object.\n\n"
     "Type: (name: str, type: type[T], /) -> OutPort[T]\nType: (name: str, type: object, /) -> OutPort[Any]"},
    {"_send_any_time", guarded<atomic_send_any_time>, METH_NOARGS,
     "_send_any_time($self, /)\n--\n\nKeep what tasks send on this model's ports until its next output.\n\n"
     "Type: () -> None"},
    {}};

PyGetSetDef atomic_getset[] = {
    {"name", guarded<get_name>, nullptr, "The model's name, unique among its siblings.\n\nType: str",
     nullptr},
    {"parent", guarded<get_parent>, guarded<set_parent>, "The coupled model this one stands in.\n\nType: Any",
     nullptr},
    {"path", guarded<get_path>, nullptr, "Names from the root to here, joined by dots.\n\nType: str",
     nullptr},
    {"rank", guarded<get_rank>, nullptr, "Order among simultaneous events, least first.\n\nType: int",
     nullptr},
    {"now", guarded<get_now>, nullptr, "The present time of the run in seconds.\n\nType: float", nullptr},
    {"chance", guarded<get_chance>, nullptr, "The model's own random numbers in this run.\n\nType: Chance",
     nullptr},
    {"next_time", guarded<get_next_time>, nullptr, "The planned instant; inf at rest.\n\nType: float",
     nullptr},
    {"last_time", guarded<get_last_time>, nullptr, "The instant of the last transition.\n\nType: float",
     nullptr},
    {"elapsed", guarded<get_elapsed>, nullptr, "Seconds since the last transition.\n\nType: float", nullptr},
    {"inputs", guarded<get_inputs>, nullptr,
     "Input ports in the order they were made.\n\nType: tuple[InPort[Any], ...]", nullptr},
    {"outputs", guarded<get_outputs>, nullptr,
     "Output ports in the order they were made.\n\nType: tuple[OutPort[Any], ...]", nullptr},
    {"is_running", guarded<get_is_running>, nullptr, "Whether the model is part of a run.\n\nType: bool",
     nullptr},
    {}};

PyType_Slot atomic_slots[] = {
    {Py_tp_doc,
     const_cast<char*>("Atomic(name, *, rank=0)\n--\n\nA model with state of its own: derive from it.\n\n"
                       "Give output(), internal(), external(), and confluent() where the default does not\n"
                       "serve; plan with hold(), hold_until() and rest(). These are methods of the class:\n"
                       "one set on an instance is not called by a run.\n\n"
                       "Type: (name: str, *, rank: int = 0) -> None")},
    {Py_tp_new, reinterpret_cast<void*>(guarded<atomic_new>)},
    {Py_tp_init, reinterpret_cast<void*>(guarded<atomic_init>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<atomic_dealloc, leave_engine>)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_atomic)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_atomic)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<atomic_repr>)},
    {Py_tp_methods, atomic_methods},
    {Py_tp_getset, atomic_getset},
    {0, nullptr}};

PyType_Spec atomic_spec{"kumi._core.Atomic", sizeof(AtomicObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, atomic_slots};

}  // namespace

void refresh_methods(AtomicObject* model) { methods_of(Py_TYPE(model)); }

bool begin_model(Engine& engine, AtomicObject* model) {
    if (!model->methods->begin) return true;
    Node* before = std::exchange(engine.acting, &model->node);
    bool fine = call(model->methods->begin, reinterpret_cast<PyObject*>(model), "begin");
    engine.acting = before;
    return fine;
}

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
    if (!is_name(name)) {
        raise("StructureError", "a model's name may not be empty or contain a dot, but it is %s",
              shown(name).c_str());
        return false;
    }
    if (rank < 0 || rank >= RANKS) {
        raise("StructureError", "the rank of model '%s' is %d; allowed are 0 to %d", text(name), rank,
              RANKS - 1);
        return false;
    }
    if (self->node.engine) {
        raise("StructureError", "model '%s' is part of a run; its __init__ cannot be called again",
              text(self->name));
        return false;
    }
    Py_INCREF(name);
    Py_XSETREF(self->name, name);
    self->node.rank = static_cast<std::uint8_t>(rank);
    return true;
}

void leave_engine(PyObject* object) {
    Node& node = atomic(object)->node;
    if (node.engine) node.engine->detach(node);
}

int traverse_atomic(PyObject* object, visitproc visit, void* arg) {
    AtomicObject* self = atomic(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->parent);
    Py_VISIT(self->chance);
    Py_VISIT(self->outbox);
    for (PortObject* port : self->inputs) Py_VISIT(reinterpret_cast<PyObject*>(port));
    for (PortObject* port : self->outputs) Py_VISIT(reinterpret_cast<PyObject*>(port));
    return 0;
}

int clear_atomic(PyObject* object) {
    AtomicObject* self = atomic(object);
    if (self->node.engine) self->node.engine->detach(self->node);
    Py_CLEAR(self->parent);
    Py_CLEAR(self->chance);
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

bool add_model_types(PyObject* module) {
    AtomicType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&atomic_spec));
    return AtomicType && PyModule_AddType(module, AtomicType) == 0;
}

}  // namespace kumi
