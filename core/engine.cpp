#include "engine.hpp"

#include "task.hpp"

#include <algorithm>

namespace kumi {

namespace {

constexpr std::size_t MOST_REPORTS = 100;  // of different mistakes in one step

thread_local Engine* running_here [[gnu::tls_model("initial-exec")]] = nullptr;  // asked for many times an event

}  // namespace

Engine* Engine::current() { return running_here; }

Engine::Engine(bool hashed) {
    if (!error_class("Cut")) PyErr_Clear();  // loads the classes: nothing can be imported while Python ends
    if (hashed) hash_ = std::make_unique<TraceBytes>();
    tracing = hashed;
}

Engine::~Engine() {
    clear();
    detach_all();
}

void Engine::detach_all() {
    std::vector<Ref> kept;
    while (newest_) {
        if (std::exchange(newest_->kept, false)) kept.emplace_back(newest_->object());
        detach(*newest_);
    }
}

void Engine::withdraw_all_but(const Behaviour* behaviour) {
    std::vector<Ref> kept;
    for (Node* node = newest_; node; node = node->older) {
        if (node->behaviour == behaviour) continue;
        agenda.withdraw(node);
        if (std::exchange(node->kept, false)) kept.emplace_back(node->object());
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
    for (Node* node = newest_; node; node = node->older)
        if (node->kept) Py_VISIT(node->object());
    return 0;
}

void Engine::clear() {
    Ref sink = std::move(sink_);
    Ref settle = std::move(settle_);
    Ref on_end = std::move(on_end_);
    Ref chance = std::move(chance_);
    std::vector<Ref> failures = std::move(failures_);
    forget_failures();
    tracing = static_cast<bool>(hash_);
    std::vector<Ref> kept;
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
    if (node.behaviour->leave) node.behaviour->leave(*this, node);
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
        for (PyObject* value : port->bag) Py_DECREF(value);
        port->bag.clear();
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
    if (before) before->inside_ = false;
    running_here = before;
}

bool Engine::run(double until) {
    if (running_) return raise("NoRun", "this run is already under way: it cannot be started from inside itself");
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
        } else if (++since_check == 4096) {
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
    Ref result(PyObject_CallNoArgs(settle_.get()));
    end_turn();
    if (!result) fail("a change of structure");
    return failures_.empty() || raise_failures();
}

PyObject* Engine::fail(Node& node, const char* doing) {
    return fail(std::string(doing) + " of '" + path_of(node.object()) + "'");
}

PyObject* Engine::fail(const std::string& where) {
    PyObject* value = take_error();
    const bool is_cut = reinterpret_cast<PyObject*>(Py_TYPE(value)) == cut_class();
    if (value == raised_ || (is_cut && cut_short_ == turns)) {  // its reason is kept already
        Py_DECREF(value);
        return raised_;
    }
    failures_.emplace_back(value);
    add_note(value, where);
    return value;
}

bool Engine::has_reported(const std::string& text) {
    const auto known = reports_.find(text);
    if (known == reports_.end() && reports_.size() < MOST_REPORTS) return false;
    if (known != reports_.end()) report_ = known->second;
    reported_in_ = turns;
    return reports_again_ = true;
}

void Engine::keep_report(const std::string& text, PyObject* failure) {
    reports_[text] = report_ = failure;
    reported_in_ = turns;
}

void Engine::forget_failures() {
    reports_.clear();
    report_ = raised_ = nullptr;
    reported_in_ = 0;
    reports_again_ = false;
}

std::string Engine::whose_turn() {
    if (task) return "task '" + path_of(reinterpret_cast<PyObject*>(task)) + "'";
    if (Node* node = acting ? acting : sending) return "model '" + path_of(node->object()) + "'";
    return "a call of the run";
}

bool Engine::interrupt(std::uint64_t turn, PyObject* kind, PyObject* failure) {
    if (turn != this->turn()) return false;
    if (failure) {
        if (failure != report()) fail_with(failure);
        raised_ = failure;
        cut_short_ = turns;
        if (task && !std::exchange(task->is_cut, true)) ++task->cuts;
    } else {
        raised_ = report();
    }
    interrupting = true;
    return PyThreadState_SetAsyncExc(thread_, kind) > 0;
}

void Engine::take_back() {
    ErrorAside aside;
    interrupting = false;
    PyThreadState_SetAsyncExc(thread_, nullptr);
}

void Engine::annotate(Node& node, const char* doing) {
    PyObject* value = take_error();
    add_note(value, std::string(doing) + " of '" + path_of(node.object()) + "'");
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value)), value);
    Py_DECREF(value);
}

void Engine::add_note(PyObject* error, const std::string& where, const std::string& hint) {
    if (PyObject_IsInstance(error, PyExc_Exception) != 1) return;
    std::string note = "in " + where + " at t = " + shown(agenda.now) + " s" + hint;
    Ref done(PyObject_CallMethod(error, "add_note", "s", note.c_str()));
    if (!done) PyErr_Clear();
}

// One failure comes out as itself; several of one step come out together. What is no Exception, such as
// KeyboardInterrupt, comes out as itself in any case, with the others as its context.
bool Engine::raise_failures() {
    std::vector<Ref> failures;
    failures.swap(failures_);
    forget_failures();
    std::vector<PyObject*> urgent, ordinary;
    for (const Ref& failure : failures)
        (PyObject_IsInstance(failure.get(), PyExc_Exception) == 1 ? ordinary : urgent).push_back(failure.get());
    Ref together;
    if (ordinary.size() == 1) {
        together = Ref::borrow(ordinary[0]);
    } else if (!ordinary.empty()) {
        Ref list(PyList_New(0));
        for (PyObject* failure : ordinary) PyList_Append(list.get(), failure);
        std::string text = std::to_string(ordinary.size()) + " failures at t = " + shown(agenda.now) + " s";
        Ref builtins(PyImport_ImportModule("builtins"));
        together = Ref(PyObject_CallMethod(builtins.get(), "ExceptionGroup", "sO", text.c_str(), list.get()));
        if (!together) return false;
    }
    if (!urgent.empty()) {
        if (together) PyException_SetContext(urgent[0], together.release());
        together = Ref::borrow(urgent[0]);
    }
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(together.get())), together.get());
    return false;
}

void Engine::suspect(const std::vector<Entry*>& imminent) {
    for (Entry* entry : imminent) {
        std::string name = path_of(static_cast<Node*>(entry)->object());
        if (std::find(suspects_->begin(), suspects_->end(), name) == suspects_->end())
            suspects_->push_back(std::move(name));
    }
}

// The limit is reached: sixty-four more steps tell who takes part in the loop.
bool Engine::raise_endless() {
    const double stuck = agenda.now;
    std::vector<std::string> names;
    for (int i = 0; i < 64 && agenda.next_time() == stuck; ++i) {
        suspects_ = &names;
        step();
        suspects_ = nullptr;
        if (!failures_.empty()) return raise_failures();
    }
    std::string listed;
    for (std::size_t i = 0; i < names.size() && i < 12; ++i) listed += (i ? ", '" : "'") + names[i] + "'";
    if (names.size() > 12) listed += " and " + std::to_string(names.size() - 12) + " more";
    raise("EndlessLoop", "time stands still at t = %s s after %llu steps; taking part: %s",
          shown(stuck).c_str(), static_cast<unsigned long long>(max_steps), listed.c_str());
    return false;
}

void Engine::set_sink(PyObject* sink) {
    sink_ = Ref::borrow(sink == Py_None ? nullptr : sink);
    tracing = hash_ || sink_;
}

void Engine::set_settle(PyObject* settle) { settle_ = Ref::borrow(settle); }

void Engine::tell_end(PyObject* task) {
    if (!on_end_) return;
    Ref done(PyObject_CallOneArg(on_end_.get(), task));
    if (!done) fail("the end of a task");
}

PyObject* Engine::chance_of(PyObject* path) {
    if (!chance_) return raise("NoRun", "this run has no random numbers");
    return PyObject_CallOneArg(chance_.get(), path);
}

void Engine::stamp(Record kind) {
    if (agenda.now != hashed_time_) {
        hashed_time_ = agenda.now;
        hash_->put('@');
        hash_->put(agenda.now);
    }
    hash_->put(static_cast<char>(kind));
}

void Engine::record(Record kind, Node& node, PyObject* value) {
    if (hash_) {
        stamp(kind);
        hash_->put(node.number);
        if (value && !hash_->put_value(value)) fail(node, "tracing");
    }
    if (sink_) {
        Ref path = path_text(node.object());
        tell(kind, path.get(), value);
    }
}

void Engine::record(Record kind, PortObject* port, PyObject* value) {
    if (hash_) {
        stamp(kind);
        if (port->model) {
            hash_->put(port->model->node.number);
            hash_->put(port->index);
        } else {
            Ref path = port_path(port);
            if (!path || !hash_->put_value(path.get())) fail("tracing");
        }
        if (!hash_->put_value(value)) fail("tracing");
    }
    if (sink_) {
        Ref path = port_path(port);
        tell(kind, path.get(), value);
    }
}

void Engine::record(Record kind, PyObject* path, PyObject* value) {
    if (hash_) {
        stamp(kind);
        if (path && !hash_->put_value(path)) fail("tracing");
        if (value && !hash_->put_value(value)) fail("tracing");
    }
    if (sink_) tell(kind, path, value);
}

void Engine::record(const char* bytes, std::size_t length) {
    if (hash_) hash_->put(bytes, length);
}

void Engine::tell(Record kind, PyObject* path, PyObject* value) {
    char tag[2] = {static_cast<char>(kind), 0};
    Ref result(PyObject_CallFunction(sink_.get(), "sdOO", tag, agenda.now, path ? path : Py_None,
                                     value ? value : Py_None));
    if (!result) fail("a sink");
}

std::string path_of(PyObject* component) {
    ErrorAside aside;
    Ref text = path_text(component);
    if (!text) {
        PyErr_Clear();
        return "?";
    }
    const char* utf8 = PyUnicode_AsUTF8(text.get());
    if (!utf8) PyErr_Clear();
    return utf8 ? utf8 : "?";
}

Ref path_text(PyObject* component) {
    std::vector<Ref> names;
    for (Ref at = Ref::borrow(component); at && at.get() != Py_None;) {
        Ref name(get_attribute(at.get(), "name"));
        if (!name) return Ref();
        if (!PyUnicode_Check(name.get())) {
            raise("StructureError", "%s.__init__ did not call super().__init__(name)", Py_TYPE(at.get())->tp_name);
            return Ref();
        }
        names.push_back(std::move(name));
        at = Ref(get_attribute(at.get(), "parent"));
        if (!at) return Ref();
    }
    std::reverse(names.begin(), names.end());
    Ref list(PyList_New(0));
    for (const Ref& name : names) PyList_Append(list.get(), name.get());
    Ref dot(PyUnicode_FromString("."));
    return Ref(PyUnicode_Join(dot.get(), list.get()));
}

}  // namespace kumi
