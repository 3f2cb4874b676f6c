// The steps of an engine that holds a part of a model; see division.hpp.
#include "kernel/division.hpp"

#include "kernel/model.hpp"

#include <algorithm>
#include <tuple>

namespace kumi {

namespace {

constexpr std::size_t MOST_AHEAD =
    100'000;  // turns whose order is to be found; then the parts are asked for it

}  // namespace

Division::~Division() {
    drop(inside);
    drop(outgoing);
}

void Division::drop(std::vector<Sent>& values) {
    std::vector<Sent> dropped;
    dropped.swap(values);
    for (const Sent& sent : dropped) {
        Py_DECREF(sent.target);
        Py_DECREF(sent.value);
    }
}

void Division::note(Entry* entry) {
    tickets[entry] = Ticket{turn, calls++};
    if (turn.act == Act::output && turn.step > 0) replaced = true;
}

void Division::begin_turn(Act act, double now, std::uint64_t place, std::uint32_t send, std::uint32_t route) {
    turn = Turn{now, step, act, place, send, route};
    calls = 0;
}

double Division::edge_time() const {
    double least = NEVER;
    for (const Node* node : edges) least = std::min(least, node->time);
    return least;
}

void Division::deliver(Engine& engine, PortObject* port, PyObject* value) {
    const Wiring& wires = *port->wiring;
    const std::uint64_t place = turn.place;
    const std::uint32_t send = turn.send++;
    for (std::uint32_t route = 0; route < wires.route.size(); ++route) {
        PortObject* target = wires.route[route];
        if (!target->model) continue;  // it is being taken apart
        const bool leaves = target->model->node.engine != &engine;
        if (!leaves && !defers) {
            put(engine, Sent{place, send, route, target, value});
            continue;
        }
        Py_INCREF(target);
        Py_INCREF(value);
        (leaves ? outgoing : inside).push_back(Sent{place, send, route, target, value});
    }
    tell_observers(engine, wires, value, [&engine](const PortObject* seen) {
        return !seen->model || seen->is_output || seen->model->node.engine == &engine;
    });
}

void Division::put(Engine& engine, const Sent& sent) {
    if (!sent.target->model || sent.target->model->node.engine != &engine) return;
    Node& node = sent.target->model->node;
    if (sent.target->bag.empty()) {
        Py_INCREF(sent.target);
        engine.touch(sent.target);
        if (!node.influenced)
            touches.push_back(Turn{0.0, 0, Act::influenced, sent.place, sent.send, sent.route});
        engine.influence(node);
    }
    Py_INCREF(sent.value);
    sent.target->bag.push_back(sent.value);
    ++engine.statistics.messages;
}

bool Engine::divide() {
    if (running_ || within) return raise("NoRun", "this run is under way: it is divided before it begins");
    division = std::make_unique<Division>();
    agenda.planning = division.get();
    alone = false;
    return true;
}

void Engine::give_outputs(bool defers) {
    Division& d = *division;
    std::vector<Entry*>& planned = agenda.gather();
    ++statistics.steps;
    within = true;
    d.planned = &planned;
    d.defers = defers;
    d.replaced = false;
    d.due.clear();
    for (Entry* entry : planned) d.due.push_back(d.tickets[entry]);
    for (std::size_t i = 0; i < planned.size(); ++i) {
        Node* node = static_cast<Node*>(planned[i]);
        if (!node || !node->behaviour->output) continue;
        d.begin_turn(Act::output, agenda.now, i);
        sending = node;
        node->behaviour->output(*this, *node);
        end_turn();
    }
    sending = nullptr;
}

// Values of this part and of others go into the bags in the order of their senders.
void Engine::fill_bags(const std::vector<std::uint64_t>& places, std::vector<Sent>& foreign) {
    Division& d = *division;
    std::vector<Sent> all;
    all.swap(d.inside);
    for (Sent& sent : all)
        if (sent.place < places.size()) sent.place = places[sent.place];
    const std::size_t own = all.size();
    all.insert(all.end(), foreign.begin(), foreign.end());
    foreign.clear();
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
        const Sent &a = all[one], &b = all[other];
        return std::tie(a.place, a.send, a.route) < std::tie(b.place, b.send, b.route);
    });
    for (std::size_t i : order) {
        d.put(*this, all[i]);
        const Wiring* wires = all[i].target->wiring.get();
        if (i >= own && wires && !wires->watchers.empty()) tell_watchers(*this, all[i].target, all[i].value);
    }
    Division::drop(all);
}

void Engine::make_transitions(const std::vector<std::uint64_t>& places) {
    Division& d = *division;
    if (d.replaced && !places.empty())
        for (auto& [entry, ticket] : d.tickets) {
            Turn& turn = ticket.turn;
            if (turn.time == agenda.now && turn.step == d.step && turn.act == Act::output &&
                turn.place < places.size())
                turn.place = places[turn.place];
        }
    for (std::size_t i = 0; d.planned && i < d.planned->size(); ++i) {
        Node* node = static_cast<Node*>((*d.planned)[i]);
        if (!node) continue;
        (*d.planned)[i] = nullptr;
        Agenda::done(node);
        d.forget(node);
        d.begin_turn(Act::planned, agenda.now, i < places.size() ? places[i] : i);
        const Phase phase = node->influenced ? Phase::confluent : Phase::internal;
        node->influenced = false;
        node->behaviour->transit(*this, *node, phase);
        end_turn();
    }
    for (std::size_t i = 0; i < influenced_.size(); ++i) {
        Node* node = influenced_[i];
        if (!node || !node->influenced) continue;
        node->influenced = false;
        const Turn why = i < d.touches.size() ? d.touches[i] : Turn{};
        d.begin_turn(Act::influenced, agenda.now, why.place, why.send, why.route);
        node->behaviour->transit(*this, *node, Phase::external);
        end_turn();
    }
    influenced_.clear();
    d.touches.clear();
    d.planned = nullptr;
    clear_bags();
    within = agenda.next_time() == agenda.now;
}

bool Engine::is_free() const {
    return !running_ || raise("NoRun", "this run is already under way: it cannot go on from inside itself");
}

bool Engine::begin_step(std::uint64_t step) {
    if (!is_free()) return false;
    Running running(*this);
    division->step_time = agenda.next_time();
    division->step = step;
    give_outputs(true);
    return failures_.empty() || raise_failures();
}

bool Engine::end_step(double time, std::uint64_t step, const std::vector<std::uint64_t>& places,
                      std::vector<Sent>& foreign) {
    if (!is_free()) {
        Division::drop(foreign);
        return false;
    }
    Running running(*this);
    if (time > agenda.now) agenda.now = time;
    division->step_time = time;
    division->step = step;
    fill_bags(places, foreign);
    make_transitions(places);
    return failures_.empty() || raise_failures();
}

bool Engine::run_apart(double limit, bool ahead) {
    if (std::isnan(limit)) return raise("TimeError", "a run goes on until an instant, not nan");
    if (!is_free()) return false;
    Running running(*this);
    Division& d = *division;
    unsigned since_check = 0;
    const std::vector<std::uint64_t> as_they_stand;
    std::vector<Sent> none;
    for (;;) {
        const double time = agenda.next_time();
        if (time >= limit) return true;
        if (ahead && d.edge_time() <= time) {
            if (time > d.step_time) return true;
            for (Node* node : d.edges)
                if (node->time <= time)
                    return raise("TimeError",
                                 "model '%s' is about to send at t = %s s, the instant of its input; "
                                 "a lookahead was stated for it",
                                 path_of(node->object()).c_str(), shown(time).c_str());
        }
        d.step = time == d.step_time ? d.step + 1 : 1;
        d.step_time = time;
        if (d.step > max_steps) {
            d.step = 0;
            return raise_endless();
        }
        give_outputs(false);
        if (ahead) {
            d.ahead.push_back(
                Ahead{time, d.step,
                      static_cast<std::uint8_t>(d.planned->empty() ? 0 : d.planned->front()->rank), d.due});
            d.ahead_size += 1 + d.due.size();
        }
        if (!failures_.empty()) return raise_failures();
        if (!d.outgoing.empty()) return true;
        make_transitions(as_they_stand);
        if (!failures_.empty()) return raise_failures();
        if (d.ahead_size > MOST_AHEAD && agenda.next_time() > agenda.now) return true;
        if (++since_check == 1024) {
            since_check = 0;
            if (PyErr_CheckSignals() < 0) return false;
            Py_BEGIN_ALLOW_THREADS Py_END_ALLOW_THREADS
        }
    }
}

}  // namespace kumi
