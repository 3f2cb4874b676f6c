#include "kernel/task.hpp"

namespace kumi {

PyTypeObject* TaskType = nullptr;

namespace {

constexpr int MANY_CUTS = 1000;
constexpr double MOMENT = 1e-3;  // in it one task may have so many turns as one instant may have steps

TaskObject* task(PyObject* self) { return reinterpret_cast<TaskObject*>(self); }

// Ends the wait, if there is one. The awaitable is forgotten first: abandoning a motion tells those who listen to it, who
// may do anything, and the awaitable may be gone afterwards.
PyObject* abandon_wait(TaskObject* self) {
    PyObject* waiting = std::exchange(self->waiting, nullptr);
    if (waiting && self->abandon) self->abandon(waiting);
    return waiting;
}

// Nothing may point to a task that is over: neither scopes nor the awaitable it was parked on.
void let_go_of_all(TaskObject* self) {
    abandon_wait(self);
    while (self->scopes) leave_scope(self->scopes);
}

void finish(Engine& engine, TaskObject* self) {
    Ref keep = Ref::borrow(reinterpret_cast<PyObject*>(self));
    self->state = TaskObject::State::ended;
    let_go_of_all(self);
    engine.agenda.withdraw(&self->model.node);
    if (engine.tracing) {
        Ref how(PyUnicode_FromString(self->error    ? Py_TYPE(self->error)->tp_name
                                     : self->result ? "done"
                                                    : "cut"));
        engine.record(Record::ended, self->model.node, how.get());
    }
    // A coroutine that goes on after being cut would go on while being closed, too, and never end: it is
    // left as it is, for ever.
    if (self->is_stubborn) self->coroutine = nullptr;
    Py_CLEAR(self->coroutine);
    if (self->ended && !fire(reinterpret_cast<SignalObject*>(self->ended), keep.get()))
        engine.fail(self->model.node, "the end");
    engine.tell_end(keep.get());
    if (Ref on_end{std::exchange(self->on_end, nullptr)}) {
        Ref done(PyObject_CallOneArg(on_end.get(), keep.get()));
        if (!done) engine.fail(self->model.node, "the end");
    } else if (self->error) {
        engine.fail_with(self->error);
    }
    engine.let_go(self->model.node);
    if (self->model.node.engine) engine.detach(self->model.node);
}

// Takes the Python error that ended the coroutine.
void finish_with_error(Engine& engine, TaskObject* self) {
    PyObject* value = take_error();
    const bool is_cut = reinterpret_cast<PyObject*>(Py_TYPE(value)) == cut_class();
    if (is_cut && self->is_cut) {
        Py_DECREF(value);
    } else {
        self->error = value;
        const Ref notes(get_attribute(value, "__notes__"));
        PyErr_Clear();
        if (!notes) {  // else the task in which it began is named already
            const bool is_asyncio = shown(value) == "RuntimeError('no running event loop')";
            engine.add_note(
                value, "task '" + path_of(reinterpret_cast<PyObject*>(self)) + "'",
                is_asyncio ? "; a kumi program does not run on asyncio: use kumi.sleep and kumi's signals"
                           : "");
        }
    }
    finish(engine, self);
}

PySendResult throw_foreign(TaskObject* self, PyObject* yielded, PyObject** out) {
    std::string text =
        "a program may only await what kumi offers (sleep, signals, robots, ...), but it awaited "
        "something of another framework, which gave " +
        shown(yielded);
    Ref error(PyObject_CallFunction(PyExc_TypeError, "s", text.c_str()));
    Py_DECREF(yielded);
    *out = error ? PyObject_CallMethod(self->coroutine, "throw", "O", error.get()) : nullptr;
    if (*out) return PYGEN_NEXT;
    if (PyErr_ExceptionMatches(PyExc_StopIteration)) {
        Ref stop(take_error());
        *out = get_attribute(stop.get(), "value");
        return PYGEN_RETURN;
    }
    return PYGEN_ERROR;
}

// Time goes on, but not for long: a program that tries the same again and again, with tiny sleeps, would never get
// anywhere. Only its own turns count, however many others there are.
void count_turn(Engine& engine, TaskObject* self) {
    const double now = engine.agenda.now;
    if (now - self->dense_since > MOMENT) {
        self->dense_since = now;
        self->dense_turns = 1;
    } else if (++self->dense_turns > engine.max_steps && now > self->dense_since) {  // else time stands still
        raise("EndlessLoop",
              "time hardly goes on: task '%s' had %llu turns from t = %s s to %s s%s; let it wait for longer "
              "before it "
              "tries again, or give the run more max_steps: now it is %llu",
              path_of(self->model.node.object()).c_str(), static_cast<unsigned long long>(self->dense_turns),
              shown(self->dense_since).c_str(), shown(now).c_str(), place_of(self).c_str(),
              static_cast<unsigned long long>(engine.max_steps));
        Ref error(take_error());
        engine.fail_with(error.get(), self);
        self->dense_since = now;
        self->dense_turns = 1;
    }
}

void task_transit(Engine& engine, Node& node, Phase) {
    TaskObject* self = task_of(node);
    Ref keep = Ref::borrow(reinterpret_cast<PyObject*>(self));
    if (!self->coroutine) {  // finalized with a run that something brought back: its program was closed
        finish(engine, self);
        return;
    }
    ++engine.statistics.internal;
    if (engine.tracing) engine.record(Record::internal, node);
    if (Entry* entry = engine.agenda.upcoming()) {  // its memory is needed next, and may be far away
        Node* next = static_cast<Node*>(entry);
        if (next->behaviour == node.behaviour) {
            const char* coroutine = reinterpret_cast<const char*>(task_of(*next)->coroutine);
            for (int line = 0; line < 5; ++line) __builtin_prefetch(coroutine + 64 * line);
        }
    }
    count_turn(engine, self);
    if (!self->coroutine) {  // whoever heard of the transition closed its program
        finish(engine, self);
        return;
    }
    self->state = TaskObject::State::running;
    // What it waits for forgets it, though it may never be resumed: then it must not point to a task that is gone.
    if (const PyObject* waiting = abandon_wait(self)) self->woken_by = waiting;
    TaskObject* before = std::exchange(engine.task, self);
    PyObject* out = nullptr;
    PySendResult sent = PyIter_Send(self->coroutine, Py_None, &out);
    while (sent == PYGEN_NEXT && self->state != TaskObject::State::parked)
        sent = throw_foreign(self, out, &out);
    self->woken_by = nullptr;
    engine.task = before;
    engine.end_turn();
    node.last = engine.agenda.now;
    if (sent == PYGEN_NEXT) {
        Py_DECREF(out);
        if (self->is_stubborn) {
            raise("Outlived",
                  "task '%s' went on after it was cut: it caught Cut %d times at one instant; let Cut pass",
                  path_of(node.object()).c_str(), MANY_CUTS);
            finish_with_error(engine, self);
        }
    } else if (sent == PYGEN_RETURN) {
        self->result = out;
        finish(engine, self);
    } else {
        finish_with_error(engine, self);
    }
}

const Behaviour TASK{nullptr, task_transit, offsetof(TaskObject, model) + offsetof(AtomicObject, node)};

int task_traverse(PyObject* object, visitproc visit, void* arg) {
    TaskObject* self = task(object);
    Py_VISIT(self->coroutine);
    Py_VISIT(self->result);
    Py_VISIT(self->error);
    Py_VISIT(self->on_end);
    Py_VISIT(self->ended);
    return traverse_atomic(object, visit, arg);
}

// A task that goes before it has ended belongs to a run that was dropped, perhaps while another is under way, which the
// program must not notice: what it does in its `finally` is no part of that run. A program that has not begun has
// nothing to do; but if it were not closed, Python would warn that it was never awaited.
void close_program(TaskObject* self) {
    ErrorAside aside;
    Engine::Outside outside;
    let_go_of_all(self);
    const Ref coroutine(std::exchange(self->coroutine, nullptr));
    if (!coroutine) return;
    const Ref closed(PyObject_CallMethod(coroutine.get(), "close", nullptr));
    report_unraisable(coroutine.get());
}

int task_clear(PyObject* object) {
    TaskObject* self = task(object);
    close_program(self);
    if (self->model.node.engine) self->model.node.engine->detach(self->model.node);
    Py_CLEAR(self->result);
    Py_CLEAR(self->error);
    Py_CLEAR(self->on_end);
    Py_CLEAR(self->ended);
    return clear_atomic(object);
}

// A program that is running is not closed; Python asks for that only where somebody calls __del__ by hand.
void task_finalize(PyObject* object) {
    if (task(object)->state != TaskObject::State::running) close_program(task(object));
}

void task_leave(PyObject* object) {
    close_program(task(object));
    leave_engine(object);
}

void task_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    task_clear(object);
    destroy_atomic(object);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject* task_cut(PyObject* object, PyObject*) {
    TaskObject* self = task(object);
    if (self->state != TaskObject::State::ended && !self->is_cut) {
        self->is_cut = true;
        ++self->cuts;
        cut_task_at(self);
    }
    Py_RETURN_NONE;
}

PyObject* task_get_result(PyObject* object, void*) {
    TaskObject* self = task(object);
    if (self->state != TaskObject::State::ended)
        return raise("NoResult", "task '%s' has not ended yet, so it has no result", path_of(object).c_str());
    if (self->error) {
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(self->error)), self->error);
        return nullptr;
    }
    if (!self->result)
        return raise("NoResult", "task '%s' was cut, so it has no result", path_of(object).c_str());
    return own_or_none(self->result);
}

PyObject* task_get_error(PyObject* self, void*) { return own_or_none(task(self)->error); }
PyObject* task_get_has_ended(PyObject* self, void*) {
    return PyBool_FromLong(task(self)->state == TaskObject::State::ended);
}
PyObject* task_get_was_cut(PyObject* self, void*) {
    return PyBool_FromLong(task(self)->state == TaskObject::State::ended && !task(self)->error &&
                           !task(self)->result);
}
PyObject* task_get_waits_for(PyObject* self, void*) {
    return own_or_none(task(self)->state == TaskObject::State::parked ? task(self)->waiting : nullptr);
}
PyObject* task_get_ended(PyObject* object, void*) {
    TaskObject* self = task(object);
    if (!self->ended) {
        Ref name(PyUnicode_FromFormat("%s.ended", path_of(object).c_str()));
        if (!name) return nullptr;
        self->ended = reinterpret_cast<PyObject*>(new_signal(name.get(), true));
        if (self->ended && self->state == TaskObject::State::ended)
            fire(reinterpret_cast<SignalObject*>(self->ended), object);
    }
    return own_or_none(self->ended);
}

PyMethodDef task_methods[] = {{"cut", guarded<task_cut>, METH_NOARGS,
                               "cut($self, /)\n--\n\nEnd the task: its present wait, and any further one, "
                               "raises Cut.\n\nType: () -> None"},
                              {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
                              {}};

PyGetSetDef task_getset[] = {
    {"result", guarded<task_get_result>, nullptr,
     "What the program returned; raises what it raised.\n\nType: T", nullptr},
    {"error", guarded<task_get_error>, nullptr,
     "What the program raised, or None.\n\nType: BaseException | None", nullptr},
    {"has_ended", guarded<task_get_has_ended>, nullptr, "Whether the program is over.\n\nType: bool",
     nullptr},
    {"was_cut", guarded<task_get_was_cut>, nullptr, "Whether it ended by a cut.\n\nType: bool", nullptr},
    {"ended", guarded<task_get_ended>, nullptr,
     "A signal that fires once, at the end.\n\nType: Signal[Task[T]]", nullptr},
    {"waits_for", guarded<task_get_waits_for>, nullptr,
     "What the task is waiting for now, or None.\n\nType: object", nullptr},
    {}};

PyType_Slot task_slots[] = {
    {Py_tp_doc,
     const_cast<char*>("A program under way: a model whose internal transition resumes a coroutine.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<task_dealloc, task_leave>)},
    {Py_tp_traverse, reinterpret_cast<void*>(task_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(task_clear)},
    {Py_tp_finalize, reinterpret_cast<void*>(task_finalize)},
    {Py_tp_methods, task_methods},
    {Py_tp_getset, task_getset},
    {0, nullptr}};

PyType_Spec task_spec{"kumi._core.Task", sizeof(TaskObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      task_slots};

PyObject* now(PyObject*, PyObject*) {
    Engine* engine = Engine::current();
    if (!engine)
        return raise("NoRun",
                     "now() was called outside a run; call it from a program, as in kumi.run(program)");
    return PyFloat_FromDouble(engine->agenda.now);
}

PyObject* current_task(PyObject*, PyObject*) {
    Engine* engine = Engine::current();
    return own_or_none(engine ? reinterpret_cast<PyObject*>(engine->task) : nullptr);
}

PyObject* current_model(PyObject*, PyObject*) {
    Engine* engine = Engine::current();
    return own_or_none(engine && engine->acting ? engine->acting->object() : nullptr);
}

PyMethodDef task_functions[] = {
    {"current_model", guarded<current_model>, METH_NOARGS,
     "current_model()\n--\n\nThe model whose transition runs, or None.\n\nType: () -> Atomic | None"},
    {"now", guarded<now>, METH_NOARGS,
     "now()\n--\n\nThe present time of the run in seconds.\n\nType: () -> float"},
    {"current_task", guarded<current_task>, METH_NOARGS,
     "current_task()\n--\n\nThe running task, or None outside of one.\n\nType: () -> Task[Any] | None"},
    {}};

}  // namespace

const Behaviour* task_behaviour() { return &TASK; }

// The innermost place outside kumi, or the innermost of all: a coroutine that waits knows the one it waits for.
std::string place_of(TaskObject* task) {
    ErrorAside aside;
    std::string place;
    bool is_own = false;
    Ref at = Ref::borrow(task->coroutine);
    while (at && PyCoro_CheckExact(at.get())) {
        Ref frame(get_attribute(at.get(), "cr_frame"));
        if (frame && frame.get() != Py_None) {
            PyFrameObject* found = reinterpret_cast<PyFrameObject*>(frame.get());
            Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(found)));
            Ref globals(PyFrame_GetGlobals(found));
            PyObject* module = PyDict_GetItemString(globals.get(), "__name__");  // borrowed
            const bool is_here = !module || std::string(text(module)).rfind("kumi.", 0) != 0;
            Ref file(get_attribute(code.get(), "co_filename"));
            Ref name(get_attribute(code.get(), "co_qualname"));
            if (file && name && (is_here || !is_own)) {
                place = ", at " + std::string(text(file.get())) + ", line " +
                        std::to_string(PyFrame_GetLineNumber(found)) + ", in " + text(name.get());
                is_own = is_own || is_here;
            }
        }
        at = Ref(get_attribute(at.get(), "cr_await"));
        PyErr_Clear();
    }
    PyErr_Clear();
    return place;
}

PyObject* new_task(Engine& engine, PyObject* coroutine, PyObject* name, PyObject* parent, PyObject* on_end) {
    Ref object(new_atomic(TaskType, &TASK));
    if (!object) return nullptr;
    TaskObject* self = task(object.get());
    if (!init_atomic(&self->model, name, TASK_RANK)) return nullptr;
    Py_INCREF(coroutine);
    self->coroutine = coroutine;
    // The garbage collector finalizes in the order of its list: the task, which closes the coroutine, comes first.
    if (PyObject_GC_IsTracked(coroutine)) {
        PyObject_GC_UnTrack(coroutine);
        PyObject_GC_Track(coroutine);
    }
    if (parent != Py_None) {
        Py_INCREF(parent);
        self->model.parent = parent;
    }
    if (on_end != Py_None) {
        Py_INCREF(on_end);
        self->on_end = on_end;
    }
    engine.attach(self->model.node);
    engine.keep(self->model.node);  // until it ends, whoever else forgets it
    engine.agenda.schedule(&self->model.node, engine.agenda.now);
    if (engine.tracing) engine.record(Record::started, self->model.node, name);
    return object.release();
}

namespace {

// Raises Cut for the outermost cut scope: everything inside it ends anyway.
void raise_cut(TaskObject* self) {
    self->raising = false;
    ++self->cuts_ever;
    ScopeObject* outermost = nullptr;
    for (ScopeObject* scope = self->scopes; scope; scope = scope->outer)
        if (scope->is_cut) outermost = scope;
    PyObject* kind = provided("Cut");
    if (!kind) return;
    const bool is_whole_task = self->is_cut || !outermost;
    int& times = is_whole_task ? self->times_cut : outermost->times_raised;
    self->is_stubborn = ++times > MANY_CUTS;
    if (is_whole_task) {
        PyErr_SetObject(kind, Py_None);
        return;
    }
    if (!outermost->has_ended_block) {
        outermost->has_ended_block = true;
        Py_XINCREF(outermost->cause);
        outermost->event = outermost->cause;
    }
    PyErr_SetObject(kind, reinterpret_cast<PyObject*>(outermost));
}

}  // namespace

TaskObject* task_about_to_wait(const char* what, bool shielded) {
    Engine* engine = Engine::current();
    if (!engine || !engine->task || !engine->task->model.node.engine) {
        raise("NoRun", "%s was awaited outside a run; start the program with kumi.run(program)", what);
        return nullptr;
    }
    TaskObject* self = engine->task;
    if (self->cuts && !shielded) {
        if (!self->is_stubborn)
            raise_cut(self);
        else
            park(self, nullptr, nullptr);
        return nullptr;
    }
    end_wait(self);
    return self;
}

// A task that runs and yet is parked has been parked in its name by some other coroutine, thrown away while it runs and
// waiting in its `finally`, or by hand. The last wait is the true one. The one before ends before the new one knows the
// task: whoever hears of its end may bring about what the new one waits for.
void end_wait(TaskObject* self) {
    while (self->state == TaskObject::State::parked) {
        self->state = TaskObject::State::running;
        abandon_wait(self);
        if (Engine* engine = self->model.node.engine) engine->agenda.withdraw(&self->model.node);
    }
}

PySendResult refuse_to_wait(PyObject** result) {
    if (PyErr_Occurred()) return PYGEN_ERROR;
    Py_INCREF(Py_None);
    *result = Py_None;
    return PYGEN_NEXT;
}

bool resumes(PyObject* waiting) {
    Engine* engine = Engine::current();
    TaskObject* self = engine ? engine->task : nullptr;
    if (!self || self->woken_by != waiting) {
        PyErr_Format(PyExc_RuntimeError, "%s can be awaited only once, by one task", shown(waiting).c_str());
        return false;
    }
    self->woken_by = nullptr;
    if (self->raising) raise_cut(self);
    return !PyErr_Occurred();
}

void drop_wait(TaskObject* self, PyObject* waiting) {
    if (self->waiting == waiting) self->waiting = nullptr;
}

void park(TaskObject* self, PyObject* waiting, void (*abandon)(PyObject*), bool shielded) {
    end_wait(self);
    self->state = TaskObject::State::parked;
    self->waiting = waiting;
    self->abandon = abandon;
    self->shielded = shielded;
}

void wake(TaskObject* self) {
    if (self->state != TaskObject::State::parked) return;
    self->state = TaskObject::State::ready;
    if (self->waiting) self->woken_by = std::exchange(self->waiting, nullptr);
    if (Engine* engine = self->model.node.engine)
        engine->agenda.schedule(&self->model.node, engine->agenda.now);
}

void cut_task_at(TaskObject* self) {
    if (self->state != TaskObject::State::parked || self->shielded) return;
    Ref alive = Ref::borrow(reinterpret_cast<PyObject*>(self));
    if (const PyObject* waiting = abandon_wait(self)) self->woken_by = waiting;
    if (self->state != TaskObject::State::parked) return;  // whoever heard of it has cut or ended the task
    self->raising = true;
    wake(self);
}

Origin Origin::here() {
    Engine* engine = Engine::current();
    if (!engine || !engine->task) return {engine, 0};
    return {engine->task, engine->task->cuts_ever};
}

// The code of a task's program that has come to its end and lets go of what it holds; null before. Its frame is gone then, and the
// nearest one is kumi's.
static PyObject* code_that_ended(const TaskObject* task) {
    if (!task || !task->coroutine || !PyCoro_CheckExact(task->coroutine)) return nullptr;
    Ref frame(get_attribute(task->coroutine, "cr_frame"));
    if (!frame) PyErr_Clear();
    return frame.get() == Py_None ? get_attribute(task->coroutine, "cr_code") : nullptr;
}

// Called where something is deallocated, so no C++ exception leaves it.
void report_never_awaited(const char* what, const Origin& made, const char* lack) try {
    Engine* engine = Engine::current();
    if (made != Origin::here()) return;
    if (!engine || (engine->task && engine->task->cuts) || ErrorAside::is_on_its_way()) return;
    std::string place;
    Ref dropped;
    Ref code(code_that_ended(engine->task));
    const bool is_at_end = bool(code);
    PyFrameObject* frame = is_at_end ? nullptr : PyEval_GetFrame();
    if (frame) code = Ref(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    if (code) {
        Ref file(get_attribute(code.get(), "co_filename"));
        const int line = frame ? PyFrame_GetLineNumber(frame)
                               : reinterpret_cast<PyCodeObject*>(code.get())->co_firstlineno;
        if (file) {
            const std::string end = is_at_end ? "the end of the program that begins at " : "";
            place = "; it was dropped at " + end + std::string(text(file.get())) + ", line " +
                    std::to_string(line);
            dropped = Ref(Py_BuildValue("(Oi)", file.get(), line));
        }
    }
    const std::string text = std::string(what) + " was made but never " + lack + place;
    if (engine->has_reported(text)) return;
    raise("NeverAwaited", "%s", text.c_str());
    PyObject* failure;
    if (engine->task)
        failure = engine->fail(engine->task->model.node, "the task");
    else if (engine->acting)
        failure = engine->fail(*engine->acting, "a transition");
    else
        failure = engine->fail("an action");
    if (dropped && PyObject_SetAttrString(failure, "_place", dropped.get()) < 0) PyErr_Clear();
    engine->keep_report(text, failure);
} catch (...) {
    set_error_of_exception();
    report_unraisable();
}

PyObject* cut_class() {
    static PyObject*& kind = provided_slot("Cut");
    return kind;
}

PyObject* await_self(PyObject* self) {
    Py_INCREF(self);
    return self;
}

// For those who drive an awaitable by iteration instead of by send.
PyObject* next_by_send(PyObject* self) {
    PyObject* result = nullptr;
    if (Py_TYPE(self)->tp_as_async->am_send(self, Py_None, &result) != PYGEN_RETURN) return result;
    Ref value(result);
    if (value.get() != Py_None) {
        Ref stop(PyObject_CallOneArg(PyExc_StopIteration, value.get()));
        if (stop) PyErr_SetObject(PyExc_StopIteration, stop.get());
    }
    return nullptr;
}

bool add_task_types(PyObject* module) {
    Ref bases(PyTuple_Pack(1, AtomicType));
    TaskType = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&task_spec, bases.get()));
    return TaskType && PyModule_AddType(module, TaskType) == 0 &&
           PyModule_AddFunctions(module, task_functions) == 0;
}

}  // namespace kumi
