// The module kumi._core: the engine and random streams by nanobind, models and tasks as plain types.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernel/division_module.hpp"
#include "kernel/event.hpp"
#include "kernel/task.hpp"
#include "numbers/misread.hpp"
#include "objects/plane.hpp"
#include "objects/point.hpp"
#include "plane/packing.hpp"
#include "python/checks.hpp"
#include "python/maths.hpp"

namespace nb = nanobind;
using namespace kumi;
using namespace nanobind::literals;

namespace kumi {
void add_shapes(nb::module_& module);
void add_canvas(nb::module_& module);
void add_grid_search(nb::module_& module);
void add_mapf(nb::module_& module);
void add_avoidance(nb::module_& module);
void add_mapping(nb::module_& module);
void add_profiles(nb::module_& module);
}  // namespace kumi

namespace {

nb::object taken(PyObject* owned) {
    if (!owned) throw nb::python_error();
    return nb::steal(owned);
}

void need(bool fine) {
    if (!fine) throw nb::python_error();
}

PortObject* as_port(nb::handle object) {
    if (Py_TYPE(object.ptr()) != InPortType && Py_TYPE(object.ptr()) != OutPortType) {
        PyErr_Format(PyExc_TypeError, "a port is needed, not %s", shown(object.ptr()).c_str());
        throw nb::python_error();
    }
    return reinterpret_cast<PortObject*>(object.ptr());
}

AtomicObject* as_atomic(nb::handle object) {
    if (!PyObject_TypeCheck(object.ptr(), AtomicType)) {
        PyErr_Format(PyExc_TypeError, "an atomic model is needed, not %s", shown(object.ptr()).c_str());
        throw nb::python_error();
    }
    if (Py_TYPE(object.ptr()) == TaskType) {  // its place in a run is its own business
        PyErr_Format(PyExc_TypeError, "a model is needed, not task %s", shown(object.ptr()).c_str());
        throw nb::python_error();
    }
    return reinterpret_cast<AtomicObject*>(object.ptr());
}

void prepare_routes(Engine& engine, nb::sequence inputs) {
    for (Node* node = engine.newest(); node; node = node->older) {
        if (node->behaviour != atomic_behaviour()) continue;
        for (PortObject* port : atomic_of(*node)->outputs)
            if (port->wiring) need(prepare(port));
    }
    for (nb::handle port : inputs) need(prepare(as_port(port)));
}

// A model that leaves takes along what is left of its wait, for the run it may enter next.
void keep_plan(Engine& engine, AtomicObject* model) {
    if (model->node.time == NEVER) return;
    model->planned = model->node.time - engine.agenda.now;
    model->planned_absolute = false;
}

void take_out(Engine& engine, nb::handle object) {
    AtomicObject* model = as_atomic(object);
    if (model->node.engine != &engine) return;
    if (engine.tracing) engine.record(Record::removed, model->node);
    keep_plan(engine, model);
    close_ports(model);
    engine.detach(model->node);
}

// A model enters: what it planned counts from now.
void enter(Engine& engine, nb::handle object) {
    AtomicObject* model = as_atomic(object);
    if (!model->name) {
        raise("StructureError", "%s.__init__ did not call super().__init__(name)",
              Py_TYPE(object.ptr())->tp_name);
        throw nb::python_error();
    }
    if (model->node.engine) {
        raise("StructureError", "model '%s' is part of a run already", path_of(object.ptr()).c_str());
        throw nb::python_error();
    }
    const double now = engine.agenda.now;
    const double time = model->planned_absolute ? model->planned : now + model->planned;
    if (time < now) {
        raise("TimeError", "model '%s' planned the instant %s, but entered the run at t = %s s",
              path_of(object.ptr()).c_str(), shown(time).c_str(), shown(now).c_str());
        throw nb::python_error();
    }
    refresh_methods(model);
    engine.attach(model->node);
    if (engine.tracing) engine.record(Record::added, model->node, model->name);
    if (model->node.engine != &engine) return;  // who heard of it took it out at once
    model->planned = NEVER;
    Py_CLEAR(model->chance);  // of another run
    if (model->outbox) open_ports(model);
    engine.agenda.schedule(&model->node, std::max(time, engine.agenda.now));
    if (!begin_model(engine, model)) {
        engine.annotate(model->node, "begin()");
        {
            ErrorAside aside;
            take_out(engine, object);
        }
        throw nb::python_error();
    }
}

void wire(nb::handle source, nb::handle target) {
    PortObject* from = as_port(source);
    PortObject* to = as_port(target);
    if (!from->wiring) from->wiring = std::make_unique<Wiring>();
    Py_INCREF(to);
    from->wiring->targets.push_back(to);
    rewire();
}

void unwire(nb::handle source, nb::handle target) {
    PortObject* from = as_port(source);
    PortObject* to = as_port(target);
    if (!from->wiring) return;
    auto& targets = from->wiring->targets;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (targets[i] != to) continue;
        targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(i));
        rewire();
        Py_DECREF(to);
        return;
    }
}

nb::object make_port(nb::handle owner, nb::str name, nb::handle type, bool is_output) {
    PyTypeObject* kind = is_output ? OutPortType : InPortType;
    return taken(reinterpret_cast<PyObject*>(new_port(kind, owner.ptr(), nullptr, name.ptr(), type.ptr())));
}

char tag_of(nb::str tag) {
    const char* utf8 = PyUnicode_AsUTF8(tag.ptr());
    need(utf8 != nullptr);
    return utf8[0];
}

void check_error(nb::handle error) {
    if (PyExceptionInstance_Check(error.ptr())) return;
    PyErr_Format(PyExc_TypeError, "an exception is needed, not %s", shown(error.ptr()).c_str());
    throw nb::python_error();
}

Chance seeded(nb::bytes seed) {
    if (seed.size() != 32) throw nb::value_error("a stream is seeded with 32 bytes");
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), seed.c_str(), 32);
    if (words == std::array<std::uint64_t, 4>{})
        throw nb::value_error("a stream is not seeded with zeros alone: they give no random numbers");
    return Chance(words);
}

void check_range(double low, double high) {
    if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high)) {
        PyErr_Format(PyExc_ValueError, "a range needs finite ends, low <= high, but they are %s and %s",
                     shown(low).c_str(), shown(high).c_str());
        throw nb::python_error();
    }
}

double uniform(Chance& chance, double low, double high) {
    check_range(low, high);
    return chance.between(low, high);
}

// Programs draw from ranges more than anything else: this is a plain method, which Python calls faster.
PyObject* call_uniform(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
    double range[2] = {0.0, 1.0};
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    bool known = count <= 2 && nb::inst_ready(self);
    for (Py_ssize_t i = 0; known && i < count + named; ++i) {
        Py_ssize_t place = i;
        if (i >= count) {
            PyObject* name = PyTuple_GET_ITEM(keywords, i - count);
            place = PyUnicode_CompareWithASCIIString(name, "low") == 0    ? 0
                    : PyUnicode_CompareWithASCIIString(name, "high") == 0 ? 1
                                                                          : 2;
            known = place >= count && place < 2;
            if (!known) break;
        }
        range[place] =
            PyFloat_CheckExact(given[i]) ? PyFloat_AS_DOUBLE(given[i]) : PyFloat_AsDouble(given[i]);
        if (range[place] == -1.0 && PyErr_Occurred()) return nullptr;
    }
    if (!known)
        return PyErr_Format(PyExc_TypeError,
                            "uniform() takes two numbers, low and high, of which either may be left out");
    try {
        return PyFloat_FromDouble(uniform(*nb::inst_ptr<Chance>(self), range[0], range[1]));
    } catch (nb::python_error& error) {
        error.restore();
        return nullptr;
    }
}

PyMethodDef UNIFORM{
    "uniform", reinterpret_cast<PyCFunction>(guarded<call_uniform>), METH_FASTCALL | METH_KEYWORDS,
    "uniform($self, low=0.0, high=1.0)\n--\n\nA number from `low` up to, but not including, `high`.\n\n"
    "Type: (low: float = 0.0, high: float = 1.0) -> float"};

nb::bytes misread(nb::bytes distances, Chance& chance, int spread, double size, double share, double dropout,
                  double least, double reach) {
    const Misreading misreading{spread, size, share, dropout, least, reach};
    const std::size_t count = distances.size() / 8;
    Ref read(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(8 * count)));
    if (!read) throw nb::python_error();
    for (std::size_t i = 0; i < count; ++i) {
        double distance;
        std::memcpy(&distance, distances.c_str() + 8 * i, 8);
        distance = misreading(distance, chance);
        std::memcpy(PyBytes_AS_STRING(read.get()) + 8 * i, &distance, 8);
    }
    return nb::steal<nb::bytes>(read.release());
}

void check_finite(double value, const char* name) {
    if (std::isfinite(value)) return;
    PyErr_Format(PyExc_ValueError, "%s is a finite number, not %s", name, shown(value).c_str());
    throw nb::python_error();
}

void check_spread(double value, const char* name) {
    if (!(value >= 0.0) || !std::isfinite(value)) {
        PyErr_Format(PyExc_ValueError, "%s is a finite number >= 0, not %s", name, shown(value).c_str());
        throw nb::python_error();
    }
}

Py_ssize_t some_index(Chance& chance, nb::sequence items) {
    Py_ssize_t count = static_cast<Py_ssize_t>(nb::len(items));
    if (count == 0) throw nb::index_error("nothing to choose from: the sequence is empty");
    return static_cast<Py_ssize_t>(chance.below(static_cast<std::uint64_t>(count)));
}

// Python code that runs inside a finalizer loses what is raised in it; so the rest is passed over natively.
nb::object first_of_step(nb::object tell) {
    return nb::cpp_function([tell](nb::object what) -> nb::object {
        Engine* engine = Engine::current();
        return engine && engine->passes_over() ? nb::none() : tell(what);
    });
}

// The engine owns callbacks that lead back to it, so the garbage collector must see them.
int engine_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? nb::inst_ptr<Engine>(self)->traverse(visit, arg) : 0;
}

int engine_clear(PyObject* self) {
    if (nb::inst_ready(self)) nb::inst_ptr<Engine>(self)->clear();
    return 0;
}

PyType_Slot engine_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(engine_traverse)},
                              {Py_tp_clear, reinterpret_cast<void*>(engine_clear)},
                              {0, nullptr}};

}  // namespace

NB_MODULE(_core, module) {
    module.doc() =
        "The native core of kumi: agenda, engine, models, tasks, signals, chance; the plane and its bodies.";
    nb::set_leak_warnings(false);
    need(add_names() && add_point(module.ptr()) && add_model_types(module.ptr()) &&
         add_port_types(module.ptr()) && add_signal_types(module.ptr()) && add_wait_type() &&
         add_stream_type(module.ptr()) && add_task_types(module.ptr()) && add_sleep(module.ptr()) &&
         add_scope_type(module.ptr()) && add_event_type(module.ptr()) && add_leg_types(module.ptr()) &&
         add_plane_types(module.ptr()) && add_body_types(module.ptr()) && add_motion_types(module.ptr()) &&
         add_blocked_type(module.ptr()) && add_robot_type(module.ptr()) && add_team_type(module.ptr()) &&
         add_eye_type(module.ptr()) && add_place_errors_type(module.ptr()) && add_maths(module.ptr()));
    add_shapes(module);
    add_canvas(module);
    add_grid_search(module);
    add_mapf(module);
    add_avoidance(module);
    add_mapping(module);
    add_profiles(module);
    module.attr("TASK_RANK") = TASK_RANK;
    module.attr("RANKS") = RANKS;

    nb::class_<Engine> engine(module, "Engine", nb::is_final(), nb::type_slots(engine_slots),
                              "Who acts when: the loop of Parallel DEVS over one agenda.");
    engine.def(nb::init<bool>(), "hashed"_a)
        .def_prop_ro("now", [](const Engine& self) { return self.agenda.now; })
        .def_prop_ro("next_time", [](const Engine& self) { return self.agenda.next_time(); })
        .def_prop_ro("planned", &Engine::planned, "How many entries the agenda holds.")
        .def_prop_ro("is_within_instant", [](const Engine& self) { return self.within; })
        .def_prop_ro("trace_hash", &Engine::trace_hash, "The hash of the trace so far; '' when not hashed.")
        .def_rw("max_steps", &Engine::max_steps, "How many steps one instant may have.")
        .def_prop_ro(
            "statistics",
            [](const Engine& self) {
                const Statistics& s = self.statistics;
                return nb::make_tuple(s.steps, s.internal, s.external, s.confluent, s.messages);
            },
            nb::sig("def statistics(self) -> tuple[int, int, int, int, int]"))
        .def(
            "run", [](Engine& self, double until) { need(self.run(until)); }, "until"_a,
            "Run all instants up to and including `until`, or until called.")
        .def(
            "set_time",
            [](Engine& self, double time) {
                if (time > self.agenda.now && time < self.agenda.next_time()) self.agenda.now = time;
            },
            "time"_a, "Move the clock forward over a time in which nothing happens.")
        .def(
            "call", [](Engine& self) { self.called = true; }, "Ask for attention at the end of the instant.")
        .def(
            "answer", [](Engine& self) { return self.called.exchange(false); },
            "Whether somebody called, once.")
        .def("enter", &enter, "model"_a, "Take an atomic model into the run.")
        .def("prepare", &prepare_routes, "inputs"_a,
             nb::sig("def prepare(self, inputs: Sequence[InPort[Any]]) -> None"),
             "Find where outputs of all models and these inputs lead, before the first instant.")
        .def("take_out", &take_out, "model"_a, "Take an atomic model out of the run.")
        .def(
            "withdraw_all",
            [](Engine& self) {
                for (Node* node = self.newest(); node; node = node->older)
                    if (node->behaviour == atomic_behaviour()) keep_plan(self, atomic_of(*node));
                self.withdraw_all_but(task_behaviour());
            },
            "Withdraw everything planned, except that tasks go on.")
        .def(
            "close", [](Engine& self) { need(self.close()); },
            "Let everything go; a run that is under way is not closed.")
        .def_prop_ro(
            "tasks",
            [](Engine& self) {
                nb::list tasks;
                for (Node* node = self.newest(); node; node = node->older)
                    if (node->behaviour == task_behaviour()) tasks.append(nb::borrow(node->object()));
                tasks.attr("reverse")();
                return tasks;
            },
            nb::sig("def tasks(self) -> list[Task[Any]]"), "The tasks that have not ended, the oldest first.")
        .def_prop_ro("has_tasks", [](Engine& self) { return self.has(task_behaviour()); })
        .def(
            "change_later", [](Engine& self) { self.changed = true; },
            "Ask for `settle` at the end of the instant.")
        .def(
            "set_settle", [](Engine& self, nb::object f) { self.set_settle(f.ptr()); }, "settle"_a,
            nb::sig("def set_settle(self, settle: Callable[[], None]) -> None"))
        .def(
            "set_on_end", [](Engine& self, nb::object f) { self.set_on_end(f.ptr()); }, "on_end"_a,
            nb::sig("def set_on_end(self, on_end: Callable[[Task[Any]], object]) -> None"))
        .def(
            "set_chance", [](Engine& self, nb::object f) { self.set_chance(f.ptr()); }, "chance"_a,
            nb::sig("def set_chance(self, chance: Callable[[str], Chance]) -> None"))
        .def(
            "set_sink", [](Engine& self, nb::object f) { self.set_sink(f.ptr()); }, "sink"_a.none(),
            nb::sig("def set_sink(self, sink: Callable[[str, float, str, object], object] | None) -> None"))
        .def(
            "record",
            [](Engine& self, nb::str tag, nb::str source, nb::object value) {
                if (self.tracing) self.record(static_cast<Record>(tag_of(tag)), source.ptr(), value.ptr());
            },
            "tag"_a, "source"_a, "value"_a.none(),
            nb::sig("def record(self, tag: str, source: str, value: object) -> None"))
        .def(
            "report",
            [](Engine& self, nb::object error) {
                check_error(error);
                const std::string message = text(nb::str(error).ptr());
                if (self.has_reported(message)) return;
                self.fail_with(error.ptr());
                self.keep_report(message, error.ptr());
            },
            "error"_a, nb::sig("def report(self, error: BaseException) -> None"),
            "Let an error come out of the run, once for each message.")
        .def_prop_ro(
            "reported", [](Engine& self) { return taken(own_or_none(self.report())); },
            nb::sig("def reported(self) -> BaseException | None"), "What the present turn has reported.")
        .def_prop_ro("turn", &Engine::turn,
                     "The number of the turn under way; 0 where there is none, or where it has begun a run "
                     "of its own.")
        .def_prop_ro("thread", &Engine::thread, "The thread of the turn.")
        .def_prop_ro(
            "is_interrupting", [](const Engine& self) { return self.interrupting; },
            "Whether an error is on its way into the turn.")
        .def("whose_turn", &Engine::whose_turn, "Who has the turn, for a message.")
        .def(
            "interrupt",
            [](Engine& self, std::uint64_t turn, nb::object kind, nb::object failure) {
                if (!PyExceptionClass_Check(kind.ptr())) throw nb::type_error("an exception class is needed");
                if (!failure.is_none()) check_error(failure);
                return self.interrupt(turn, kind.ptr(), failure.is_none() ? nullptr : failure.ptr());
            },
            "turn"_a, "kind"_a, "failure"_a = nb::none(),
            nb::sig("def interrupt(self, turn: int, kind: type[BaseException], failure: BaseException | None "
                    "= None) -> bool"),
            "Raise an exception in a turn, from another thread; with a failure, which comes out in any case, "
            "Cut.")
        .def(
            "arrived", [](Engine& self) { self.interrupting = false; }, "What was on its way is raised.")
        .def(
            "schedule",
            [](Engine& self, nb::object time, nb::object action, int rank) {
                double value;
                need(seconds("schedule", time.ptr(), value));
                nb::object event = taken(new_call(self, action.ptr(), rank));
                need(plan_event(event.ptr(), value));
                return event;
            },
            "time"_a, "action"_a, "rank"_a = 0,
            nb::sig("def schedule(self, time: float, action: Callable[[], object], rank: int = 0) -> Event"))
        .def(
            "schedule_with",
            [](Engine& self, double time, nb::object action, nb::object value, int rank) {
                nb::object event = taken(new_call(self, action.ptr(), rank, value.ptr()));
                need(plan_event(event.ptr(), time));
            },
            "time"_a, "action"_a, "value"_a.none(), "rank"_a,
            nb::sig("def schedule_with(self, time: float, action: Callable[[Any], object], value: object, "
                    "rank: int) -> None"),
            "Plan a call with a value, which costs less than one of a function that holds the value.")
        .def(
            "inject",
            [](Engine& self, nb::object port, nb::object value, double time) {
                as_port(port);
                nb::object event = taken(new_input(self, port.ptr(), value.ptr()));
                need(plan_event(event.ptr(), time));
                return event;
            },
            "port"_a, "value"_a.none(), "time"_a,
            nb::sig("def inject(self, port: InPort[Any], value: object, time: float) -> Event"))
        .def(
            "start",
            [](Engine& self, nb::object coroutine, nb::str name, nb::object parent, nb::object on_end) {
                return taken(new_task(self, coroutine.ptr(), name.ptr(), parent.ptr(), on_end.ptr()));
            },
            "coroutine"_a, "name"_a, "parent"_a.none(), "on_end"_a.none(),
            nb::sig("def start(self, coroutine: Coroutine[Any, Any, T], name: str, parent: object, "
                    "on_end: Callable[[Task[T]], object] | None) -> Task[T]"));
    add_division(engine);

    nb::class_<TraceBytes>(module, "TraceDigest", nb::is_final(),
                           "A hash of records: what happened, when, and to whom, by content.")
        .def(nb::init<>())
        .def(
            "put",
            [](TraceBytes& self, nb::str tag, double time, nb::str source, nb::object value) {
                self.put(tag_of(tag));
                self.put(time);
                need(self.put_value(source.ptr()) && self.put_value(value.ptr()));
            },
            "tag"_a, "time"_a, "source"_a, "value"_a.none(),
            nb::sig("def put(self, tag: str, time: float, source: str, value: object, /) -> None"),
            "Add one record.")
        .def_prop_ro("hex", &TraceBytes::digest, "The hash of all records so far.");

    module.def(
        "is_being_cut",
        [] {
            Engine* engine = Engine::current();
            return engine && engine->task && engine->task->cuts > 0;
        },
        "Whether the running task is inside a block that was cut.");
    module.def(
        "is_in_run", [] { return Engine::current() != nullptr; },
        "Whether the code that asks is part of a run.");
    module.def("first_of_step", &first_of_step, "tell"_a,
               nb::sig("def first_of_step(tell: Callable[[Any], object]) -> Callable[[Any], object]"),
               "A function that tells what `tell` would, until a step has made the same mistake twice.");
    module.def(
        "provide", [](nb::str name, nb::object thing) { need(provide(name.ptr(), thing.ptr())); }, "name"_a,
        "thing"_a, nb::sig("def provide(name: str, thing: object) -> None"),
        "Hand the core a class or a function of the parts above it, by name.");
    module.def("wire", &wire, "source"_a, "target"_a,
               nb::sig("def wire(source: object, target: object) -> None"), "Couple two ports.");
    module.def("unwire", &unwire, "source"_a, "target"_a,
               nb::sig("def unwire(source: object, target: object) -> None"),
               "Undo one coupling of two ports.");
    module.def(
        "make_input",
        [](nb::object owner, nb::str name, nb::object type) { return make_port(owner, name, type, false); },
        "owner"_a, "name"_a, "type"_a,
        nb::sig("def make_input(owner: object, name: str, type: type[T] | object) -> InPort[T]"));
    module.def(
        "make_output",
        [](nb::object owner, nb::str name, nb::object type) { return make_port(owner, name, type, true); },
        "owner"_a, "name"_a, "type"_a,
        nb::sig("def make_output(owner: object, name: str, type: type[T] | object) -> OutPort[T]"));

    nb::class_<Chance> chance(module, "Chance", nb::is_final(),
                              "Random numbers of one component, the same for the same seed and name.");
    const nb::object method =
        taken(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(chance.ptr()), &UNIFORM));
    nb::setattr(chance, "uniform", method);
    chance.def(
              "__init__", [](Chance* self, nb::bytes seed) { new (self) Chance(seeded(seed)); }, "seed"_a)
        .def(
            "normal",
            [](Chance& self, double mean, double deviation) {
                check_finite(mean, "a mean");
                check_spread(deviation, "a standard deviation");
                return mean + deviation * self.normal();
            },
            "mean"_a = 0.0, "deviation"_a = 1.0, "A normally distributed number.")
        .def(
            "exponential",
            [](Chance& self, double mean) {
                check_spread(mean, "a mean");
                return mean * self.exponential();
            },
            "mean"_a = 1.0, "An exponentially distributed number.")
        .def(
            "integer",
            [](Chance& self, std::int64_t low, std::int64_t high) {
                if (low > high) {
                    PyErr_Format(PyExc_ValueError, "a range needs low <= high, but they are %lld and %lld",
                                 static_cast<long long>(low), static_cast<long long>(high));
                    throw nb::python_error();
                }
                std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
                std::uint64_t drawn = count ? self.below(count) : self.bits();
                return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + drawn);
            },
            "low"_a, "high"_a, "A whole number from `low` to `high`, both included.")
        .def(
            "words",
            [](Chance& self, std::size_t count) {
                constexpr std::size_t MOST = std::size_t{1} << 28;
                check(count <= MOST, "at most 2^28 numbers are drawn at a time");
                nb::bytes words(nullptr, 4 * count);
                char* at = PyBytes_AS_STRING(words.ptr());
                for (std::size_t number = 0; number < count; ++number)
                    for (std::uint64_t bits = self.bits() >> 32, byte = 0; byte < 4; ++byte, bits >>= 8)
                        *at++ = static_cast<char>(bits & 0xFF);
                return words;
            },
            "count"_a,
            "So many numbers as `integer(0, 2**32 - 1)` draws them, of four bytes each, the lowest first.")
        .def(
            "happens",
            [](Chance& self, double probability) {
                if (!(probability >= 0.0 && probability <= 1.0)) {
                    PyErr_Format(PyExc_ValueError, "a probability lies between 0 and 1, but it is %s",
                                 shown(probability).c_str());
                    throw nb::python_error();
                }
                return self.unit() < probability;
            },
            "probability"_a, "True with the given probability.")
        .def(
            "choice",
            [](Chance& self, nb::sequence items) { return nb::object(items[some_index(self, items)]); },
            "items"_a, nb::sig("def choice(self, items: Sequence[T]) -> T"), "One of the items.")
        .def(
            "shuffled",
            [](Chance& self, nb::iterable items) {
                nb::list result(items);
                for (std::size_t i = result.size(); i > 1; --i) {
                    std::size_t j = self.below(i);
                    nb::object one = result[i - 1], other = result[j];
                    result[i - 1] = other;
                    result[j] = one;
                }
                return result;
            },
            "items"_a, nb::sig("def shuffled(self, items: Iterable[T]) -> list[T]"),
            "The items in random order.");
    module.def(
        "pack_journal",
        [](nb::bytes journal) -> nb::object {
            PackedJournal packed;
            {
                nb::gil_scoped_release released;
                if (!pack_journal({journal.c_str(), journal.size()}, packed)) packed.outline.clear();
            }
            if (packed.outline.empty()) return nb::none();
            return nb::make_tuple(nb::bytes(packed.outline.data(), packed.outline.size()),
                                  nb::bytes(packed.numbers.data(), packed.numbers.size()));
        },
        "journal"_a, nb::sig("def pack_journal(journal: bytes) -> tuple[bytes, bytes] | None"),
        "The outline of a journal, and its numbers; None for bytes that are no whole records, or for none.");
    module.def(
        "unpack_journal",
        [](nb::bytes outline, nb::bytes numbers, std::size_t length) -> nb::object {
            std::string journal;
            bool is_whole;
            {
                nb::gil_scoped_release released;
                is_whole = unpack_journal({outline.c_str(), outline.size()},
                                          {numbers.c_str(), numbers.size()}, length, journal);
            }
            return is_whole ? nb::object(nb::bytes(journal.data(), journal.size())) : nb::none();
        },
        "outline"_a, "numbers"_a, "length"_a,
        nb::sig("def unpack_journal(outline: bytes, numbers: bytes, length: int) -> bytes | None"),
        "The journal of that length that was packed; None where there is none.");
    module.def(
        "misread", &misread, "distances"_a, "chance"_a, "spread"_a, "size"_a, "share"_a, "dropout"_a,
        "least"_a, "reach"_a,
        nb::sig(
            "def misread(distances: bytes, chance: Chance, spread: int, size: float, share: float, dropout: "
            "float, least: float, reach: float) -> bytes"),
        "What a sensor reads of true distances, doubles both: with an error that is normal (spread 1), "
        "evenly "
        "spread (-1) or none (0).");
}
