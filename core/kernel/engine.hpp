// Who acts when: the loop of Parallel DEVS over one agenda.
//
// A step takes all nodes of the least (time, rank). First each gives its output, which fills the bags
// of those it is coupled to. Then each makes its transition: confluent where input came, internal where
// none did; after them come the nodes that were not planned but have input: external. An instant is all
// the steps of one time. Changes of structure wait until the instant is over.
//
// A node that raises does not keep the others of its step from their transitions; the error comes out
// of `run` after the step.
//
// A turn is what one node does at a stretch: its output, its transition, one resume of its program. Turns
// are counted, so that another thread can tell one that never ends, and raise an error inside it.
#pragma once

#include "kernel/agenda.hpp"
#include "kernel/division.hpp"
#include "kernel/trace.hpp"
#include "python/python.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace kumi {

class Engine;
struct Node;
struct PortObject;
struct SignalObject;
struct TaskObject;

enum class Phase : std::uint8_t { internal, external, confluent };

struct Behaviour {
    void (*output)(Engine&, Node&);  // null: has none
    void (*transit)(Engine&, Node&, Phase);
    std::size_t offset;                       // of the node in its Python object
    void (*leave)(Engine&, Node&) = nullptr;  // the node leaves the engine; null: needs nothing
};

// Something in the agenda: a model, a task, an event, a deadline. It is part of a Python object.
struct Node : Entry {
    Engine* engine = nullptr;
    const Behaviour* behaviour = nullptr;
    Node* newer = nullptr;  // the list of all nodes of an engine
    Node* older = nullptr;
    double last = 0.0;  // time of the last transition
    std::uint32_t number = 0;
    bool influenced = false;
    bool kept = false;  // the engine owns a reference to the object

    PyObject* object() {
        return reinterpret_cast<PyObject*>(reinterpret_cast<char*>(this) - behaviour->offset);
    }
};

struct Statistics {
    std::uint64_t steps = 0, internal = 0, external = 0, confluent = 0, messages = 0;
};

enum class Record : char {
    internal = 'i',
    external = 'e',
    confluent = 'c',
    output = 'o',
    injected = 'j',
    fired = 'f',
    started = 's',
    ended = 'x',
    added = 'a',
    removed = 'r',
    coupled = 'k',
    uncoupled = 'u',
    note = 'n'
};

class Engine {
  public:
    Agenda agenda;
    Statistics statistics;
    std::uint64_t max_steps = 1'000'000;
    Node* acting = nullptr;   // whose transition runs
    Node* sending = nullptr;  // whose output runs
    TaskObject* task = nullptr;
    bool tracing = false;
    bool within = false;           // inside an instant
    bool changed = false;          // changes of structure wait for the end of the instant
    bool alone = false;            // the node that acts is the only one of its step
    double horizon = 0.0;          // until when this run goes
    bool has_worked_long = false;  // a node has done much in one step
    bool interrupting = false;     // an error is on its way into the present turn
    std::uint64_t turns = 0;
    std::unique_ptr<Division> division;  // where this engine holds a part of a model
    std::atomic<bool> called{false};     // somebody outside wants attention at the end of the instant

    explicit Engine(bool hashed);
    ~Engine();
    Engine(const Engine&) = delete;

    void attach(Node& node);
    void detach(Node& node);

    // Own, or no longer own, the object of a node.
    void keep(Node& node);
    void let_go(Node& node);

    // For the garbage collector: all that the engine owns.
    int traverse(visitproc visit, void* arg);
    void clear();
    // Runs all instants up to and including `until`, or until called. False with a Python error.
    bool run(double until);

    // From here on this engine holds a part of a model: the rest is in others, and steps are made by halves.
    // False with a Python error where it runs already.
    bool divide();
    // Runs all steps before `limit` that concern this part alone. It stops in the middle of a step that gave
    // values for other parts. With `ahead` it stops before an instant at which an edge is due, and keeps what
    // is needed to order the steps among those of others. False with a Python error.
    bool run_apart(double limit, bool ahead);
    // The first half of a step of all parts: outputs. And the second: transitions, with what came from others.
    bool begin_step(std::uint64_t step);
    bool end_step(double time, std::uint64_t step, const std::vector<std::uint64_t>& places,
                  std::vector<Sent>& foreign);

    void influence(Node& node) {
        if (node.influenced) return;
        node.influenced = true;
        influenced_.push_back(&node);
    }
    void touch(PortObject* port) { touched_.push_back(port); }

    // Keeps the Python error that is set, with a note of where it happened; it comes out of `run` after
    // this step.
    PyObject* fail(const std::string& where);
    PyObject* fail(Node& node, const char* doing);

    // Gives an exception a note of where and when it happened, and perhaps a hint.
    void add_note(PyObject* error, const std::string& where, const std::string& hint = "");

    // Gives the Python error that is set a note of where it happened, and leaves it set.
    void annotate(Node& node, const char* doing);
    void fail_with(PyObject* error, TaskObject* whose = nullptr) {
        if (error == raised_) return;
        name_source(error, whose ? whose : task);
        failures_.push_back(Ref::borrow(error));
    }

    // Tells in whose turn an error comes about, for whoever decides whether it is to end the run.
    void name_source(PyObject* error, TaskObject* whose);

    // A mistake that may be made again and again in one turn is kept once: whether this one is known.
    bool has_reported(const std::string& text);
    void keep_report(const std::string& text, PyObject* failure);
    bool passes_over() {  // the same mistake was made twice in this step: the rest is not looked at
        if (reports_again_) reported_in_ = turns;
        return reports_again_;
    }
    PyObject* report() const { return reported_in_ == turns ? report_ : nullptr; }  // of this turn; borrowed

    // What is on its way into a turn that is over would be raised in the midst of the next.
    void end_turn() {
        ++turns;
        if (interrupting) take_back();
    }

    // For another thread: the turn under way, or 0 where there is none, or where it has begun a run of its own.
    bool is_running() const { return running_; }
    std::uint64_t turn() const { return running_ && !inside_ ? turns : 0; }
    unsigned long thread() const { return thread_; }
    std::string whose_turn();

    // Raises an exception of this class in the turn of this number, as soon as it gets to Python code. False
    // if that turn is over. With a failure, the failure comes out of `run` in any case, and the class is Cut.
    bool interrupt(std::uint64_t turn, PyObject* kind, PyObject* failure);
    void take_back();

    // Reports to the hash and the sink; `path` is asked for only where a sink listens.
    void record(Record kind, Node& node, PyObject* value = nullptr);
    void record(Record kind, PortObject* port, PyObject* value);
    void record(Record kind, PyObject* path, PyObject* value);

    // For nodes that write many small records themselves: bytes for the hash.
    void record(const char* bytes, std::size_t length);
    char* room(std::size_t length) { return hash_ ? hash_->take(length) : nullptr; }  // to write them oneself
    bool has_failed() const { return !failures_.empty(); }

    std::string trace_hash() const { return hash_ ? hash_->digest() : std::string(); }
    void set_sink(PyObject* sink);
    void set_settle(PyObject* settle);
    void set_on_end(PyObject* on_end) { on_end_ = Ref::borrow(on_end); }
    void tell_end(PyObject* task);  // a task has ended
    void set_chance(PyObject* chance) { chance_ = Ref::borrow(chance); }
    PyObject* chance_of(PyObject* path);  // the random numbers of this name, owned
    std::size_t planned() const { return agenda.size(); }

    // Withdraws everything planned that is no task, for the end of a run.
    void withdraw_all_but(const Behaviour* behaviour);
    void detach_all();
    bool close();  // the same, unless it runs: false with a Python error

    Node* newest() { return newest_; }
    bool has(const Behaviour* behaviour) const;

    static Engine* current();

    // Until the end of the block no run is the current one: what is called in it belongs to none, whichever is under way.
    struct Outside {
        Engine* before;
        Outside();
        ~Outside();
        Outside(const Outside&) = delete;
    };

  private:
    std::unique_ptr<TraceBytes> hash_;
    double hashed_time_ = -1.0;
    Ref sink_;
    Ref settle_;
    Ref on_end_;
    Ref chance_;
    Node* newest_ = nullptr;
    std::uint32_t numbers_ = 0;
    std::vector<Node*> influenced_;
    std::vector<PortObject*> touched_;
    std::vector<Ref> failures_;
    // The keys are messages, the values failures, and so are the two below: owned by the list above.
    std::unordered_map<std::string, PyObject*> reports_;
    PyObject* report_ = nullptr;
    PyObject* raised_ = nullptr;     // one that is raised in a turn, too, and may come out of it
    std::uint64_t reported_in_ = 0;  // the turn of the last report
    std::uint64_t cut_short_ = 0;    // the turn that was ended by Cut
    unsigned long thread_ = 0;
    std::vector<std::pair<std::string, std::string>>* suspects_ =
        nullptr;  // who takes part in an endless loop, and where it is
    bool reports_again_ = false;
    bool running_ = false;
    bool inside_ = false;  // a turn has begun a run of another engine

    bool is_free() const;  // false with a Python error while it runs

    struct Running {  // an engine at work, until the end of the block
        Engine& engine;
        Engine* before;
        explicit Running(Engine& self);
        ~Running();
    };

    void step();
    void give_outputs(bool defers);
    void fill_bags(const std::vector<std::uint64_t>& places, std::vector<Sent>& foreign);
    void make_transitions(const std::vector<std::uint64_t>& places);
    void forget_failures();
    void clear_bags();
    void suspect(const std::vector<Entry*>& imminent);
    bool raise_failures();
    bool raise_endless();
    bool settle();
    void stamp(Record kind);
    void tell(Record kind, PyObject* path, PyObject* value);
};

// Where a node stands in the tree of models: "plant.valve".
std::string path_of(PyObject* component);
Ref path_text(PyObject* component);

}  // namespace kumi
