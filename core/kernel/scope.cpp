// Scopes: blocks that a signal ends, quietly (until) or with Interrupted (unless).
#include "kernel/task.hpp"

#include <new>

namespace kumi {

PyTypeObject* ScopeType = nullptr;

namespace {

ScopeObject* scope_of(PyObject* self) { return reinterpret_cast<ScopeObject*>(self); }

void cut_scope(ScopeObject* self, PyObject* cause) {
    if (self->is_cut || !self->task) return;
    self->is_cut = true;
    Py_INCREF(cause);
    self->cause = cause;
    ++self->task->cuts;
    cut_task_at(self->task);
}

void tell_scope(PyObject* listener, PyObject* value) { cut_scope(scope_of(listener), value); }

PyObject* make_scope(PyObject* signal, bool raises) {
    ScopeObject* self = reinterpret_cast<ScopeObject*>(ScopeType->tp_alloc(ScopeType, 0));
    if (!self) return nullptr;
    new (&self->subscriptions) Subscriptions();
    Py_XINCREF(signal);
    self->signal = reinterpret_cast<SignalObject*>(signal);
    self->origin = Origin::here();
    self->raises = raises;
    return reinterpret_cast<PyObject*>(self);
}

}  // namespace

void leave_scope(ScopeObject* self) {
    self->subscriptions.close();
    TaskObject* task = std::exchange(self->task, nullptr);
    if (!task) return;
    for (ScopeObject** link = &task->scopes; *link; link = &(*link)->outer) {
        if (*link != self) continue;
        *link = self->outer;
        break;
    }
    self->outer = nullptr;
    if (self->is_cut) --task->cuts;
}

namespace {

PyObject* scope_enter(PyObject* object, PyObject*) {
    ScopeObject* self = scope_of(object);
    Engine* engine = Engine::current();
    if (!engine || !engine->task)
        return raise("NoRun",
                     "until() and unless() belong inside a program; start it with kumi.run(program)");
    if (self->was_entered) {
        PyErr_SetString(PyExc_RuntimeError,
                        "a scope can be entered only once; write a new until() or unless()");
        return nullptr;
    }
    self->was_entered = true;
    self->task = engine->task;
    self->outer = engine->task->scopes;
    engine->task->scopes = self;
    if (self->signal && !self->subscriptions.open(self->signal, object, tell_scope, engine)) {
        leave_scope(self);
        return nullptr;
    }
    Py_INCREF(object);
    return object;
}

PyObject* scope_exit(PyObject* object, PyObject* const* args, Py_ssize_t count) {
    ScopeObject* self = scope_of(object);
    PyObject* value = count == 3 ? args[1] : Py_None;
    if (PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(PyExc_GeneratorExit))) {
        leave_scope(self);  // the coroutine is thrown away, at whatever moment
        Py_RETURN_FALSE;
    }
    Engine* engine = Engine::current();
    if (self->task && engine && engine->task && engine->task != self->task) {
        PyErr_SetString(PyExc_RuntimeError, "a scope is left by the task that entered it");
        return nullptr;
    }
    if (self->task && self->task->scopes != self && self->task->state != TaskObject::State::ended) {
        PyErr_SetString(PyExc_RuntimeError,
                        "scopes must be left in the reverse order of entering; a block may not be "
                        "held open across a yield");
        return nullptr;
    }
    leave_scope(self);
    const bool mine = value != Py_None && reinterpret_cast<PyObject*>(Py_TYPE(value)) == cut_class() &&
                      PyTuple_GET_SIZE(reinterpret_cast<PyBaseExceptionObject*>(value)->args) == 1 &&
                      PyTuple_GET_ITEM(reinterpret_cast<PyBaseExceptionObject*>(value)->args, 0) == object;
    if (!mine) Py_RETURN_FALSE;
    if (!self->raises) Py_RETURN_TRUE;
    PyObject* kind = error_class("Interrupted");
    Ref error(kind ? PyObject_CallOneArg(kind, self->event ? self->event : Py_None) : nullptr);
    if (!error) return nullptr;
    // The cut is how it was done, not why: it does not belong into the traceback.
    PyObject_SetAttrString(error.get(), "__suppress_context__", Py_True);
    PyErr_SetObject(kind, error.get());
    return nullptr;
}

PyObject* scope_leave(PyObject* object, PyObject*) {
    leave_scope(scope_of(object));
    Py_RETURN_NONE;
}

PyObject* scope_cut(PyObject* object, PyObject* const* args, Py_ssize_t count) {
    cut_scope(scope_of(object), count ? args[0] : Py_None);
    Py_RETURN_NONE;
}

PyObject* scope_get_event(PyObject* object, void*) {
    PyObject* event = scope_of(object)->event ? scope_of(object)->event : Py_None;
    Py_INCREF(event);
    return event;
}
PyObject* scope_get_is_cut(PyObject* object, void*) {
    return PyBool_FromLong(scope_of(object)->has_ended_block);
}

int scope_traverse(PyObject* object, visitproc visit, void* arg) {
    ScopeObject* self = scope_of(object);
    Py_VISIT(Py_TYPE(object));
    if (int result = self->subscriptions.traverse(visit, arg)) return result;
    Py_VISIT(reinterpret_cast<PyObject*>(self->signal));
    Py_VISIT(self->cause);
    Py_VISIT(self->event);
    return 0;
}

int scope_clear(PyObject* object) {
    ScopeObject* self = scope_of(object);
    self->subscriptions.close();
    Py_CLEAR(self->signal);
    Py_CLEAR(self->cause);
    Py_CLEAR(self->event);
    return 0;
}

void scope_leave_all(PyObject* object) { leave_scope(scope_of(object)); }

void scope_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    ScopeObject* self = scope_of(object);
    if (self->signal && !self->was_entered && self->origin.maker)
        report_never_awaited(self->raises ? "unless()" : "until()", self->origin, "entered by `with`");
    leave_scope(self);
    scope_clear(object);
    scope_of(object)->subscriptions.~Subscriptions();
    type->tp_free(object);
    Py_DECREF(type);
}

PyMethodDef scope_methods[] = {
    {"__enter__", guarded<scope_enter>, METH_NOARGS,
     "__enter__($self, /)\n--\n\nListen from now on.\n\nType: () -> Scope[T]"},
    {"__exit__", reinterpret_cast<PyCFunction>(guarded<scope_exit>), METH_FASTCALL,
     "__exit__($self, kind, error, traceback, /)\n--\n\nStop listening.\n\n"
     "Type: (kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, "
     "/) -> bool"},
    {"_leave", guarded<scope_leave>, METH_NOARGS,
     "_leave($self, /)\n--\n\nStop listening, in whatever order.\n\nType: () -> None"},
    {"cut", reinterpret_cast<PyCFunction>(guarded<scope_cut>), METH_FASTCALL,
     "cut($self, event=None, /)\n--\n\nEnd the block by hand.\n\nType: (event: T | None = None, /) -> None"},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
    {}};
PyGetSetDef scope_getset[] = {
    {"event", guarded<scope_get_event>, nullptr,
     "What ended the block; None if it ended by itself.\n\nType: T | None", nullptr},
    {"is_cut", guarded<scope_get_is_cut>, nullptr, "Whether the signal ended the block.\n\nType: bool",
     nullptr},
    {}};
PyType_Slot scope_slots[] = {
    {Py_tp_doc, const_cast<char*>("A block that ends when a signal fires; made by until() and unless().")},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<scope_dealloc, scope_leave_all>)},
    {Py_tp_traverse, reinterpret_cast<void*>(scope_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(scope_clear)},
    {Py_tp_methods, scope_methods},
    {Py_tp_getset, scope_getset},
    {0, nullptr}};
PyType_Spec scope_spec{"kumi._core.Scope", sizeof(ScopeObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                       scope_slots};

PyObject* scope_on(const char* name, PyObject* signal, bool raises) {
    if (PyObject_TypeCheck(signal, SignalType)) return make_scope(signal, raises);
    PyErr_Format(PyExc_TypeError, "%s() needs a signal, such as after(30), not %s", name,
                 shown(signal).c_str());
    return nullptr;
}

PyObject* until(PyObject*, PyObject* signal) { return scope_on("until", signal, false); }
PyObject* unless(PyObject*, PyObject* signal) { return scope_on("unless", signal, true); }
PyObject* block(PyObject*, PyObject*) { return make_scope(nullptr, false); }

PyMethodDef scope_functions[] = {
    {"until", guarded<until>, METH_O,
     "until(signal, /)\n--\n\nA block that ends quietly when the signal fires: `with until(bell) as cut: "
     "...`.\n\n"
     "Type: (signal: Signal[T], /) -> Scope[T]"},
    {"unless", guarded<unless>, METH_O,
     "unless(signal, /)\n--\n\nA block that ends with Interrupted when the signal fires.\n\n"
     "Type: (signal: Signal[T], /) -> Scope[T]"},
    {"block", guarded<block>, METH_NOARGS,
     "block()\n--\n\nA block that ends quietly when it is cut by hand.\n\nType: () -> Scope[Any]"},
    {}};

}  // namespace

bool add_scope_type(PyObject* module) {
    ScopeType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&scope_spec));
    return ScopeType && PyModule_AddType(module, ScopeType) == 0 &&
           PyModule_AddFunctions(module, scope_functions) == 0;
}

}  // namespace kumi
