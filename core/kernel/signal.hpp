// Signals, and those who listen: single waits, streams, scopes.
//
// A signal serves its listeners in the order they came. Telling a listener never runs Python code: it
// stores the value and wakes a task. A stream has a queue of its own, so nothing is lost while its
// reader is busy; what does not fit is counted, and the reader is told.
#pragma once

#include "kernel/engine.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace kumi {

struct SignalObject;

struct Subscription {
    SignalObject* signal = nullptr;  // owned while subscribed
    PyObject* listener = nullptr;
    void (*tell)(PyObject* listener, PyObject* value) = nullptr;
    const Engine* engine = nullptr;  // whose tasks it wakes; null while no task waits
    Subscription* earlier = nullptr;
    Subscription* later = nullptr;
};

// The subscriptions of one listener: one signal, or each part of a union.
class Subscriptions {
  public:
    // False with a Python error where a deadline of another run is among the signals.
    bool open(SignalObject* signal, PyObject* listener, void (*tell)(PyObject*, PyObject*),
              const Engine* engine);
    void close();
    void belong_to(const Engine* engine);
    int traverse(visitproc visit, void* arg) const;
    ~Subscriptions() { close(); }

  private:
    Subscription one_;
    std::unique_ptr<Subscription[]> many_;
    std::size_t count_ = 0;
};

constexpr std::size_t KEPT_UNREAD = 65'536;

// What came in on a port of a program that nobody has read from yet: the first who reads gets it. A program has its first
// turn after the models of that instant, and may do other things first; nothing is lost meanwhile.
struct Unread {
    struct Value {
        std::uint64_t number;  // in the order of coming, over all ports
        Ref value;
    };
    std::deque<Value> values;
    std::size_t lost = 0;  // of those that came first, when there were too many

    void keep(PyObject* value);
};

struct SignalObject {
    PyObject_HEAD PyObject* name;
    Subscription* first;
    Subscription* last;
    Subscription* cursor;  // the next to be told while firing
    PyObject* value;       // of a signal that fires once and has
    bool once;
    bool fired;
    bool quiet;                        // leaves no record
    std::vector<SignalObject*> parts;  // owned; of a union
    std::unique_ptr<Unread> unread;    // of the arrivals at a port, until they are read
};

// A signal that fires once, at a given instant; it is in the agenda only while somebody listens.
struct DeadlineObject {
    SignalObject signal;
    Node node;
    double instant;
};

// Who makes an awaitable or a block, and how often the maker was cut until then.
struct Origin {
    const void* maker;  // a task, or the engine outside of tasks; only compared
    unsigned cuts;

    static Origin here();
    bool operator==(const Origin&) const = default;
};

struct ScopeObject {
    PyObject_HEAD SignalObject* signal;  // owned; null for a scope that is cut by hand
    Subscriptions subscriptions;
    TaskObject* task;    // while entered
    ScopeObject* outer;  // the scope around this one in the same task
    PyObject* cause;     // what the signal told
    PyObject* event;     // the same, once it has ended the block
    Origin origin;
    int times_raised;  // how often its Cut was raised
    bool raises;       // unless, not until
    bool was_entered;
    bool is_cut;
    bool has_ended_block;
};

extern PyTypeObject* SignalType;
extern PyTypeObject* DeadlineType;
extern PyTypeObject* ScopeType;

// Tells all who listen. False with a Python error.
bool fire(SignalObject* signal, PyObject* value);

SignalObject* new_signal(PyObject* name, bool once);
// Whether a signal, or all parts of a union, fire once and have fired.
bool all_over(SignalObject* signal);

// The oldest value that is unread, owned. Null if there is none: then the signal, or each part of a union, is being read
// from now on. Null with Lagged if some had to be dropped before it.
PyObject* take_unread(SignalObject* signal);
// How many were dropped, once.
std::size_t take_lost(SignalObject* signal);

// Releases a value when telling is over: its __del__ may run any Python code.
void drop_later(PyObject* value);

PyObject* make_wait(PyObject* signal, bool shielded);
PyObject* make_stream(PyObject* signal, Py_ssize_t keep);

void leave_scope(ScopeObject* scope);
bool add_wait_type();
bool add_stream_type(PyObject* module);
bool add_signal_types(PyObject* module);
bool add_scope_type(PyObject* module);

}  // namespace kumi
