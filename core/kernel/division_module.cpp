// What Python sees of an engine that holds a part of a model.
#include "kernel/division_module.hpp"

#include "kernel/model.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>

namespace kumi {

namespace {

using namespace nanobind::literals;

void need(bool fine) {
    if (!fine) throw nb::python_error();
}

Division& division_of(Engine& engine) {
    if (!engine.division) {
        raise("NoRun", "this engine holds a whole model; divide() comes first");
        throw nb::python_error();
    }
    return *engine.division;
}

nb::tuple shown_ticket(const Ticket& ticket) {
    const Turn& turn = ticket.turn;
    return nb::make_tuple(turn.time, turn.step, static_cast<int>(turn.act), turn.place, turn.send, turn.route,
                          ticket.call);
}

nb::list shown_tickets(const std::vector<Ticket>& tickets) {
    nb::list found;
    for (const Ticket& ticket : tickets) found.append(shown_ticket(ticket));
    return found;
}

// The parts of a tuple that another process sent: as many as are written there.
nb::tuple parts_of(nb::handle one, std::size_t count) {
    if (!nb::isinstance<nb::tuple>(one) || nb::len(one) != count) {
        PyErr_Format(PyExc_TypeError, "a value of another part, or a step, is a tuple of %zu, not %R", count,
                     one.ptr());
        throw nb::python_error();
    }
    return nb::borrow<nb::tuple>(one);
}

nb::list take_outgoing(Engine& engine) {
    std::vector<Sent> outgoing;
    outgoing.swap(division_of(engine).outgoing);
    nb::list found;
    for (const Sent& sent : outgoing)
        found.append(nb::make_tuple(sent.place, sent.send, sent.route,
                                    nb::borrow(reinterpret_cast<PyObject*>(sent.target)),
                                    nb::borrow(sent.value)));
    Division::drop(outgoing);
    return found;
}

void end_step(Engine& engine, double time, std::uint64_t step, const std::vector<std::uint64_t>& places,
              nb::sequence values) {
    Division& division = division_of(engine);
    if (!places.empty() && places.size() != division.due.size()) {
        PyErr_Format(PyExc_ValueError, "%zu places were given for %zu planned entries", places.size(),
                     division.due.size());
        throw nb::python_error();
    }
    if (!(time < NEVER && time <= engine.agenda.next_time()))
        throw nb::value_error("a step is at an instant, and not after what is planned");
    std::vector<Sent> foreign;
    try {
        for (nb::handle one : values) {
            nb::tuple parts = parts_of(one, 5);
            nb::handle port = parts[3];
            if (!PyObject_TypeCheck(port.ptr(), InPortType))
                throw nb::type_error("a value goes to an input port");
            PortObject* target = reinterpret_cast<PortObject*>(port.ptr());
            if (!target->model || target->model->node.engine != &engine)
                throw nb::type_error("a value goes to an atomic model of this part");
            Sent sent{nb::cast<std::uint64_t>(parts[0]), nb::cast<std::uint32_t>(parts[1]),
                      nb::cast<std::uint32_t>(parts[2]), target, nb::object(parts[4]).ptr()};
            Py_INCREF(sent.target);
            Py_INCREF(sent.value);
            foreign.push_back(sent);
        }
    } catch (...) {
        Division::drop(foreign);
        throw;
    }
    need(engine.end_step(time, step, places, foreign));
}

// The instants of steps that were made ahead, each once, in order.
nb::bytes ahead_times(Engine& engine) {
    std::vector<double> times;
    for (const Ahead& step : division_of(engine).ahead)
        if (times.empty() || times.back() != step.time) times.push_back(step.time);
    return nb::bytes(reinterpret_cast<const char*>(times.data()), times.size() * sizeof(double));
}

nb::list ahead_steps(Engine& engine, const std::vector<double>& times) {
    nb::list found;
    for (const Ahead& step : division_of(engine).ahead)
        if (std::binary_search(times.begin(), times.end(), step.time))
            found.append(nb::make_tuple(step.time, step.step, static_cast<int>(step.rank),
                                        shown_tickets(step.tickets)));
    return found;
}

// Gives the steps made ahead their places among those of other parts.
void align(Engine& engine, nb::sequence steps, double before) {
    Division& division = division_of(engine);
    std::map<std::pair<double, std::uint64_t>, std::pair<std::uint64_t, std::vector<std::uint64_t>>> aligned;
    for (nb::handle one : steps) {
        nb::tuple parts = parts_of(one, 4);
        aligned[{nb::cast<double>(parts[0]), nb::cast<std::uint64_t>(parts[1])}] = {
            nb::cast<std::uint64_t>(parts[2]), nb::cast<std::vector<std::uint64_t>>(parts[3])};
    }
    if (!aligned.empty())
        for (auto& [entry, ticket] : division.tickets) {
            Turn& turn = ticket.turn;
            const auto found = aligned.find({turn.time, turn.step});
            if (found == aligned.end()) continue;
            turn.step = found->second.first;
            turn.place = found->second.second.at(turn.place);
        }
    std::erase_if(division.ahead, [before](const Ahead& step) { return step.time < before; });
    division.ahead_size = 0;
    for (const Ahead& step : division.ahead) division.ahead_size += 1 + step.tickets.size();
}

}  // namespace

void add_division(nb::class_<Engine>& engine) {
    engine
        .def(
            "divide", [](Engine& self) { need(self.divide()); },
            "Hold a part of a model from here on; the rest is in other engines.")
        .def(
            "set_edges",
            [](Engine& self, nb::sequence models) {
                std::vector<Node*> edges;
                std::vector<Ref> owned;
                for (nb::handle model : models) {
                    if (!PyObject_TypeCheck(model.ptr(), AtomicType))
                        throw nb::type_error("an edge is an atomic model");
                    edges.push_back(&reinterpret_cast<AtomicObject*>(model.ptr())->node);
                    owned.push_back(Ref::borrow(model.ptr()));
                }
                Division& division = division_of(self);
                division.edges.swap(edges);
                division.edge_models.swap(owned);
            },
            "models"_a, nb::sig("def set_edges(self, models: Sequence[Atomic]) -> None"),
            "Say which models send to other parts, and answer input after a stated time.")
        .def(
            "enter_at",
            [](Engine& self, std::uint64_t place) {
                division_of(self).step = 0;
                division_of(self).begin_turn(Act::output, self.agenda.now, place);
            },
            "place"_a, "Say in which place among all models the next one enters.")
        .def(
            "run_apart",
            [](Engine& self, double limit, bool ahead) {
                Division& division = division_of(self);
                need(self.run_apart(limit, ahead));
                return division.planned != nullptr;
            },
            "limit"_a, "ahead"_a,
            "Run all steps before `limit` that concern this part alone; whether it stands in the middle of "
            "one.")
        .def(
            "begin_step",
            [](Engine& self, std::uint64_t step) {
                division_of(self);
                need(self.begin_step(step));
            },
            "step"_a, "Make the first half of a step: outputs.")
        .def("end_step", &end_step, "time"_a, "step"_a, "places"_a, "values"_a,
             nb::sig("def end_step(self, time: float, step: int, places: Sequence[int], "
                     "values: Sequence[tuple[int, int, int, InPort[Any], object]]) -> None"),
             "Make the second half of a step: transitions, with values from other parts.")
        .def_prop_ro(
            "tickets", [](Engine& self) { return shown_tickets(division_of(self).due); },
            nb::sig("def tickets(self) -> list[tuple[float, int, int, int, int, int, int]]"),
            "When those of the step under way were planned, comparable between parts.")
        .def("take_outgoing", &take_outgoing,
             nb::sig("def take_outgoing(self) -> list[tuple[int, int, int, InPort[Any], object]]"),
             "Take what was sent to models of other parts.")
        .def_prop_ro(
            "step_number", [](Engine& self) { return division_of(self).step; },
            "The last step of this instant.")
        .def_prop_ro(
            "next_rank", [](Engine& self) { return self.agenda.next_rank(); }, "The rank of what comes next.")
        .def_prop_ro(
            "edge_time", [](Engine& self) { return division_of(self).edge_time(); },
            "When the first of the edges is due.")
        .def_prop_ro(
            "has_ahead", [](Engine& self) { return !division_of(self).ahead.empty(); },
            "Whether there are steps made ahead, whose order among those of others is open.")
        .def_prop_ro(
            "ahead_until",
            [](Engine& self) {
                const std::vector<Ahead>& ahead = division_of(self).ahead;
                return ahead.empty() ? -NEVER : ahead.back().time;
            },
            "The last instant of these; -inf if there are none.")
        .def_prop_ro(
            "ahead_size", [](Engine& self) { return division_of(self).ahead_size; },
            "How much of that there is, in turns.")
        .def("ahead_times", &ahead_times, "Their instants, as float64.")
        .def("ahead_steps", &ahead_steps, "times"_a,
             nb::sig("def ahead_steps(self, times: Sequence[float]) -> "
                     "list[tuple[float, int, int, list[tuple[float, int, int, int, int, int, int]]]]"),
             "Time, step, rank and tickets of those at some instants.")
        .def(
            "align", &align, "steps"_a, "before"_a,
            nb::sig("def align(self, steps: Sequence[tuple[float, int, int, Sequence[int]]], before: float) "
                    "-> None"),
            "Give steps their numbers and places among those of other parts: time, step, its number, places. "
            "The order of those before an instant is settled then.");
}

}  // namespace kumi
