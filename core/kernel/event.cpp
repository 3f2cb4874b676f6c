#include "kernel/event.hpp"

#include <cmath>
#include <new>

namespace kumi {

namespace {

PyTypeObject* EventType = nullptr;

struct EventObject {
    PyObject_HEAD Node node;
    PyObject* action;  // a callable; null for input
    PortObject* port;
    PyObject* value;  // for the port, or for the call
};

EventObject* event_of(PyObject* self) { return reinterpret_cast<EventObject*>(self); }

void event_output(Engine& engine, Node& node) {
    EventObject* self = event_of(node.object());
    if (self->port) deliver(engine, self->port, self->value);
}

void event_transit(Engine& engine, Node& node, Phase) {
    EventObject* self = event_of(node.object());
    Ref alive = Ref::borrow(node.object());
    engine.let_go(node);
    if (!self->action) return;
    Ref action = Ref::borrow(self->action), value = Ref::borrow(self->value);
    Ref result(value ? PyObject_CallOneArg(action.get(), value.get()) : PyObject_CallNoArgs(action.get()));
    if (!result) engine.fail(node, "the action");
}

const Behaviour EVENT{event_output, event_transit, offsetof(EventObject, node)};

int event_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(event_of(object)->action);
    Py_VISIT(event_of(object)->value);
    Py_VISIT(reinterpret_cast<PyObject*>(event_of(object)->port));
    return 0;
}

int event_clear(PyObject* object) {
    Py_CLEAR(event_of(object)->action);
    Py_CLEAR(event_of(object)->value);
    Py_CLEAR(event_of(object)->port);
    return 0;
}

void event_leave(PyObject* object) {
    Node& node = event_of(object)->node;
    if (node.engine) node.engine->detach(node);
}

void event_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    event_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject* event_withdraw(PyObject* object, PyObject*) {
    EventObject* self = event_of(object);
    if (Engine* engine = self->node.engine) {
        engine->agenda.withdraw(&self->node);
        engine->let_go(self->node);
    }
    Py_RETURN_NONE;
}

PyObject* event_move(PyObject* object, PyObject* time) {
    double value;
    if (!seconds("move", time, value)) return nullptr;
    if (!plan_event(object, value)) return nullptr;
    Py_RETURN_NONE;
}

PyObject* event_get_time(PyObject* object, void*) { return PyFloat_FromDouble(event_of(object)->node.time); }
PyObject* event_get_is_planned(PyObject* object, void*) {
    return PyBool_FromLong(event_of(object)->node.place != Entry::Place::idle);
}
PyObject* event_get_name(PyObject* object, void*) {
    EventObject* self = event_of(object);
    if (self->port) return port_path(self->port).release();
    if (!self->action) return PyUnicode_FromString("?");
    if (PyObject* name = get_attribute(self->action, "__qualname__")) return name;
    PyErr_Clear();
    return PyUnicode_FromString(Py_TYPE(self->action)->tp_name);
}
PyObject* event_get_parent(PyObject*, void*) { Py_RETURN_NONE; }

PyMethodDef event_methods[] = {{"withdraw", guarded<event_withdraw>, METH_NOARGS,
                                "withdraw($self, /)\n--\n\nTake the event out of the agenda; nothing of it "
                                "stays behind.\n\nType: () -> None"},
                               {"move", guarded<event_move>, METH_O,
                                "move($self, time, /)\n--\n\nPlan the event for another time, also when it "
                                "has happened or was withdrawn.\n\n"
                                "Type: (time: float, /) -> None"},
                               {}};
PyGetSetDef event_getset[] = {
    {"time", guarded<event_get_time>, nullptr, "When it is planned; inf when it is not.\n\nType: float",
     nullptr},
    {"is_planned", guarded<event_get_is_planned>, nullptr, "Whether it is in the agenda.\n\nType: bool",
     nullptr},
    {"name", guarded<event_get_name>, nullptr, "What it does, for messages.\n\nType: str", nullptr},
    {"parent", guarded<event_get_parent>, nullptr, "None: an event stands in no model.\n\nType: None",
     nullptr},
    {}};
PyType_Slot event_slots[] = {
    {Py_tp_doc, const_cast<char*>("Something planned by hand that can be moved and withdrawn.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<event_dealloc, event_leave>)},
    {Py_tp_traverse, reinterpret_cast<void*>(event_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(event_clear)},
    {Py_tp_methods, event_methods},
    {Py_tp_getset, event_getset},
    {0, nullptr}};
PyType_Spec event_spec{"kumi._core.Event", sizeof(EventObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                       event_slots};

EventObject* new_event(Engine& engine, int rank) {
    EventObject* self = reinterpret_cast<EventObject*>(EventType->tp_alloc(EventType, 0));
    if (!self) return nullptr;
    new (&self->node) Node();
    self->node.behaviour = &EVENT;
    self->node.rank = static_cast<std::uint8_t>(rank);
    engine.attach(self->node);
    return self;
}

}  // namespace

PyObject* new_call(Engine& engine, PyObject* action, int rank, PyObject* value) {
    if (!PyCallable_Check(action)) {
        PyErr_Format(PyExc_TypeError, "an event needs something to call without arguments, not %s",
                     shown(action).c_str());
        return nullptr;
    }
    if (rank < 0 || rank >= RANKS)
        return raise("StructureError", "a rank is 0 to %d, not %d", RANKS - 1, rank);
    EventObject* self = new_event(engine, rank);
    if (!self) return nullptr;
    Py_INCREF(action);
    self->action = action;
    Py_XINCREF(value);
    self->value = value;
    return reinterpret_cast<PyObject*>(self);
}

PyObject* new_input(Engine& engine, PyObject* port, PyObject* value) {
    PortObject* target = reinterpret_cast<PortObject*>(port);
    if (!accepts(target, value)) return nullptr;
    if (!prepare(target)) return nullptr;
    EventObject* self = new_event(engine, 0);
    if (!self) return nullptr;
    Py_INCREF(port);
    self->port = target;
    Py_INCREF(value);
    self->value = value;
    return reinterpret_cast<PyObject*>(self);
}

bool plan_event(PyObject* object, double time) {
    EventObject* self = event_of(object);
    Engine* engine = self->node.engine;
    if (!engine) return raise("NoRun", "the run of this event is closed");
    double now = engine->agenda.now;
    if (std::isnan(time))
        return raise("TimeError", "an event was planned for nan; an instant is a number of seconds");
    if (time < now)
        return raise("TimeError",
                     "an event was planned for t = %s s, but it is t = %s s already; an instant may not lie "
                     "in the past",
                     shown(time).c_str(), shown(now).c_str());
    engine->agenda.schedule(&self->node, time);
    if (time == NEVER)
        engine->let_go(self->node);
    else
        engine->keep(self->node);
    return true;
}

bool add_event_type(PyObject* module) {
    EventType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&event_spec));
    return EventType && PyModule_AddType(module, EventType) == 0;
}

}  // namespace kumi
