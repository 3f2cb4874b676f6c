// The loop: who takes part, and the steps of a run.
#include "kernel/engine.hpp"

#include "kernel/task.hpp"

#include <algorithm>

namespace kumi {

namespace {

thread_local Engine* running_here [[gnu::tls_model("initial-exec")]] =
    nullptr;  // asked for many times an event

}  // namespace

Engine* Engine::current() { return running_here; }

Engine::Outside::Outside() : before(std::exchange(running_here, nullptr)) {}
Engine::Outside::~Outside() { running_here = before; }

Engine::Engine(bool hashed) {
    if (hashed) hash_ = std::make_unique<TraceBytes>();
    tracing = hashed;
}

Engine::~Engine() {
    clear();
    detach_all();
    clear_bags();
}

// Who is owned is released when all have left, in the order of leaving. They are linked by the list of nodes, which they
// have left: memory may be short, and this is also done where nothing may be raised.
void Engine::detach_all() {
    Node *first = nullptr, **last = &first;
    while (newest_) {
        Node* node = newest_;
        const bool is_owned = std::exchange(node->kept, false);
        detach(*node);
        if (!is_owned) continue;
        *last = node;
        last = &node->older;
    }
    while (Node* node = first) {
        first = std::exchange(node->older, nullptr);
        Py_DECREF(node->object());
    }
}

bool Engine::close() {
    if (running_) return raise("NoRun", "this run is under way: it cannot be closed from inside itself");
    detach_all();
    return true;
}

void Engine::withdraw_all_but(const Behaviour* behaviour) {
    std::vector<Ref> kept;
    for (Node* node = newest_; node; node = node->older) {
        if (node->behaviour == behaviour) continue;
        agenda.withdraw(node);
        if (!node->kept) continue;
        kept.emplace_back(node->object());
        node->kept = false;
    }
}

bool Engine::has(const Behaviour* behaviour) const {
    for (Node* node = newest_; node; node = node->older)
        if (node->behaviour == behaviour) return true;
    return false;
}

void Engine::keep(Node& node) {
    if (!std::exchange(node.kept, true)) Py_INCREF(node.object());
}

void Engine::let_go(Node& node) {
    if (std::exchange(node.kept, false)) Py_DECREF(node.object());
}

int Engine::traverse(visitproc visit, void* arg) {
    Py_VISIT(sink_.get());
    Py_VISIT(settle_.get());
    Py_VISIT(on_end_.get());
    Py_VISIT(chance_.get());
    for (const Ref& failure : failures_) Py_VISIT(failure.get());
    if (division)
        for (const Ref& edge : division->edge_models) Py_VISIT(edge.get());
    for (Node* node = newest_; node; node = node->older)
        if (node->kept) Py_VISIT(node->object());
    return 0;
}

void Engine::clear() {
    Ref sink = std::move(sink_);
    Ref settle = std::move(settle_);
    Ref on_end = std::move(on_end_);
    Ref chance = std::move(chance_);
    std::vector<Ref> failures = std::move(failures_), edges;
    if (division) {
        division->edges.clear();
        edges.swap(division->edge_models);
    }
    forget_failures();
    tracing = static_cast<bool>(hash_);
    std::size_t count = 0;
    for (Node* node = newest_; node; node = node->older) count += node->kept;
    std::vector<Ref> kept;
    try {
        kept.reserve(count);
    } catch (const std::bad_alloc&) {
        return;  // they stay until the engine goes
    }
    for (Node* node = newest_; node; node = node->older)
        if (std::exchange(node->kept, false)) kept.emplace_back(node->object());
}

void Engine::attach(Node& node) {
    node.engine = this;
    node.number = numbers_++;
    node.last = agenda.now;
    node.older = newest_;
    node.newer = nullptr;
    if (newest_) newest_->newer = &node;
    newest_ = &node;
}

void Engine::detach(Node& node) {
    if (node.engine != this) return;
    if (node.behaviour->leave) {
        ErrorAside aside;
        node.behaviour->leave(*this, node);
        if (PyErr_Occurred() && running_) fail(node, "the end");
        report_unraisable();
        if (node.engine != this) return;  // whoever was told has taken it out
    }
    agenda.withdraw(&node);
    if (node.influenced) {
        std::replace(influenced_.begin(), influenced_.end(), &node, static_cast<Node*>(nullptr));
        node.influenced = false;
    }
    if (acting == &node) acting = nullptr;
    if (sending == &node) sending = nullptr;
    (node.newer ? node.newer->older : newest_) = node.older;
    if (node.older) node.older->newer = node.newer;
    node.newer = node.older = nullptr;
    node.engine = nullptr;
}

void Engine::step() {
    std::vector<Entry*>& imminent = agenda.gather();
    ++statistics.steps;
    if (suspects_) suspect(imminent);
    for (std::size_t i = 0; i < imminent.size(); ++i) {
        Node* node = static_cast<Node*>(imminent[i]);
        if (node && node->behaviour->output) {
            sending = node;
            node->behaviour->output(*this, *node);
            end_turn();
        }
    }
    sending = nullptr;
    alone = imminent.size() == 1 && influenced_.empty();
    for (std::size_t i = 0; i < imminent.size(); ++i) {
        Node* node = static_cast<Node*>(imminent[i]);
        if (!node) continue;
        imminent[i] = nullptr;
        Agenda::done(node);
        Phase phase = node->influenced ? Phase::confluent : Phase::internal;
        if (node->influenced) node->influenced = false;
        node->behaviour->transit(*this, *node, phase);
        end_turn();
    }
    for (std::size_t i = 0; i < influenced_.size(); ++i) {
        Node* node = influenced_[i];
        if (!node || !node->influenced) continue;
        node->influenced = false;
        node->behaviour->transit(*this, *node, Phase::external);
        end_turn();
    }
    influenced_.clear();
    clear_bags();
}

void Engine::clear_bags() {
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        PortObject* port = touched_[i];
        port->bag.release();
        Py_DECREF(port);
    }
    touched_.clear();
}

Engine::Running::Running(Engine& self) : engine(self), before(std::exchange(running_here, &self)) {
    engine.acting = engine.sending = nullptr;
    engine.task = nullptr;
    engine.thread_ = PyThread_get_thread_ident();
    engine.running_ = true;
    ++engine.turns;
    if (!before) return;
    before->inside_ = true;
    if (before->interrupting) before->take_back();
}

Engine::Running::~Running() {
    engine.end_turn();
    engine.running_ = false;
    engine.suspects_ = nullptr;
    engine.acting = engine.sending = nullptr;
    engine.task = nullptr;
    if (before) before->inside_ = false;
    running_here = before;
}

bool Engine::run(double until) {
    if (std::isnan(until)) return raise("TimeError", "a run goes on until an instant, not nan");
    if (running_)
        return raise("NoRun", "this run is already under way: it cannot be started from inside itself");
    if (division) division->planned = nullptr;  // a step that was begun apart is broken off
    Running running(*this);
    std::uint64_t steps_here = 0;
    double here = agenda.now;
    unsigned since_check = 0;
    bool fine = true;
    bool began = false;
    horizon = until;
    while (fine) {
        double time = agenda.next_time();
        if (time > agenda.now) {
            within = false;
            if (changed) {
                fine = settle();
                continue;
            }
            if (time > until || time == NEVER || (began && called.load(std::memory_order_relaxed))) break;
        } else if (steps_here >= max_steps) {
            fine = raise_endless();
            break;
        }
        within = began = true;
        step();
        ++steps_here;
        if (agenda.now != here) {  // a step may take a plane through many instants
            here = agenda.now;
            steps_here = 1;
        }
        if (!failures_.empty()) {
            fine = raise_failures();
        } else if (++since_check == 4096 || std::exchange(has_worked_long, false)) {
            // Native nodes run no Python code, so signals and other threads get their chance here.
            since_check = 0;
            if (PyErr_CheckSignals() < 0) fine = false;
            Py_BEGIN_ALLOW_THREADS Py_END_ALLOW_THREADS
        }
    }
    if (agenda.next_time() > agenda.now) within = false;
    return fine;
}

bool Engine::settle() {
    changed = false;
    if (!settle_) return true;
    Ref call = Ref::borrow(settle_.get());
    Ref result(PyObject_CallNoArgs(call.get()));
    end_turn();
    if (!result) fail("a change of structure");
    return failures_.empty() || raise_failures();
}

void Engine::set_settle(PyObject* settle) { settle_ = Ref::borrow(settle); }

void Engine::tell_end(PyObject* task) {
    if (!on_end_) return;
    Ref call = Ref::borrow(on_end_.get());
    Ref done(PyObject_CallOneArg(call.get(), task));
    if (!done) fail("the end of a task");
}

PyObject* Engine::chance_of(PyObject* path) {
    if (!chance_) return raise("NoRun", "this run has no random numbers");
    Ref call = Ref::borrow(chance_.get());
    return PyObject_CallOneArg(call.get(), path);
}

}  // namespace kumi
