#include "engine.hpp"

#include "model.hpp"

#include <algorithm>

namespace kumi {

namespace {

thread_local Engine* running_here = nullptr;

struct Running {
    Engine* before;
    explicit Running(Engine* engine) : before(std::exchange(running_here, engine)) {}
    ~Running() { running_here = before; }
};

}  // namespace

Engine* Engine::current() { return running_here; }

Engine::Engine(bool hashed) {
    if (hashed) hash_ = std::make_unique<TraceBytes>();
    tracing = hashed;
}

Engine::~Engine() {
    while (newest_) detach(*newest_);
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
        }
    }
    sending = nullptr;
    for (std::size_t i = 0; i < imminent.size(); ++i) {
        Node* node = static_cast<Node*>(imminent[i]);
        if (!node) continue;
        imminent[i] = nullptr;
        Agenda::done(node);
        Phase phase = node->influenced ? Phase::confluent : Phase::internal;
        if (node->influenced) node->influenced = false;
        node->behaviour->transit(*this, *node, phase);
    }
    for (std::size_t i = 0; i < influenced_.size(); ++i) {
        Node* node = influenced_[i];
        if (!node || !node->influenced) continue;
        node->influenced = false;
        node->behaviour->transit(*this, *node, Phase::external);
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

bool Engine::run(double until) {
    if (running_) return raise("NoRun", "this run is already under way: it cannot be started from inside itself");
    running_ = true;
    Running here(this);
    thread = PyThread_get_thread_ident();
    std::uint64_t steps_here = 0;
    std::uint64_t until_check = 0;
    bool fine = true;
    while (fine) {
        double time = agenda.next_time();
        if (time > agenda.now) {
            within = false;
            if (changed) {
                fine = settle();
                continue;
            }
            steps_here = 0;
            if (time > until || time == NEVER || called.load(std::memory_order_relaxed)) break;
        } else if (agenda.now > until) {
            break;
        }
        within = true;
        step();
        if (!failures_.empty()) {
            fine = raise_failures();
        } else if (++steps_here >= max_steps) {
            fine = raise_endless();
        } else if (++until_check == 4096) {
            // Native nodes run no Python code, so signals and other threads get their chance here.
            until_check = 0;
            if (PyErr_CheckSignals() < 0) fine = false;
            Py_BEGIN_ALLOW_THREADS Py_END_ALLOW_THREADS
        }
    }
    if (agenda.next_time() > agenda.now) within = false;
    running_ = false;
    return fine;
}

bool Engine::settle() {
    changed = false;
    if (!settle_) return true;
    Ref result(PyObject_CallNoArgs(settle_.get()));
    return static_cast<bool>(result);
}

void Engine::fail(Node* node, const char* doing) {
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    Py_XDECREF(kind);
    Py_XDECREF(trace);
    if (PyExceptionInstance_Check(value) && PyObject_IsInstance(value, PyExc_Exception) == 1 && node) {
        std::string note = "in " + std::string(doing) + " of '" + path_of(node->object()) +
                           "' at t = " + shown(agenda.now) + " s";
        Ref done(PyObject_CallMethod(value, "add_note", "s", note.c_str()));
        if (!done) PyErr_Clear();
    }
    failures_.emplace_back(value);
}

// One failure comes out as itself; several of one step come out together.
bool Engine::raise_failures() {
    std::vector<Ref> failures;
    failures.swap(failures_);
    for (const Ref& failure : failures) {
        bool alone = failures.size() == 1 || !PyObject_IsInstance(failure.get(), PyExc_Exception);
        if (!alone) continue;
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(failure.get())), failure.get());
        return false;
    }
    Ref list(PyList_New(0));
    for (const Ref& failure : failures) PyList_Append(list.get(), failure.get());
    std::string text = std::to_string(failures.size()) + " models failed at t = " + shown(agenda.now) + " s";
    Ref builtins(PyImport_ImportModule("builtins"));
    Ref group(PyObject_CallMethod(builtins.get(), "ExceptionGroup", "sO", text.c_str(), list.get()));
    if (group) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(group.get())), group.get());
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
        if (value && !hash_->put_value(value)) fail(&node, "tracing");
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
            if (!path || !hash_->put_value(path.get())) fail(nullptr, "tracing");
        }
        if (!hash_->put_value(value)) fail(nullptr, "tracing");
    }
    if (sink_) {
        Ref path = port_path(port);
        tell(kind, path.get(), value);
    }
}

void Engine::record(Record kind, PyObject* path, PyObject* value) {
    if (hash_) {
        stamp(kind);
        if (path && !hash_->put_value(path)) fail(nullptr, "tracing");
        if (value && !hash_->put_value(value)) fail(nullptr, "tracing");
    }
    if (sink_) tell(kind, path, value);
}

void Engine::tell(Record kind, PyObject* path, PyObject* value) {
    char tag[2] = {static_cast<char>(kind), 0};
    Ref result(PyObject_CallFunction(sink_.get(), "sdOO", tag, agenda.now, path ? path : Py_None,
                                     value ? value : Py_None));
    if (!result) fail(nullptr, "tracing");
}

std::string path_of(PyObject* component) {
    Ref text = path_text(component);
    if (!text) {
        PyErr_Clear();
        return "?";
    }
    return PyUnicode_AsUTF8(text.get());
}

Ref path_text(PyObject* component) {
    std::vector<Ref> names;
    for (Ref at = Ref::borrow(component); at && at.get() != Py_None;) {
        Ref name(PyObject_GetAttrString(at.get(), "name"));
        if (!name) return Ref();
        names.push_back(std::move(name));
        at = Ref(PyObject_GetAttrString(at.get(), "parent"));
        if (!at) return Ref();
    }
    std::reverse(names.begin(), names.end());
    Ref list(PyList_New(0));
    for (const Ref& name : names) PyList_Append(list.get(), name.get());
    Ref dot(PyUnicode_FromString("."));
    return Ref(PyUnicode_Join(dot.get(), list.get()));
}

}  // namespace kumi
