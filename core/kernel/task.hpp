// Programs as coroutines: a task is a model whose internal transition resumes its coroutine.
//
// An awaitable of this kernel parks the running task and says how to abandon the wait. When a scope of
// the task is cut, the wait is abandoned and the task is resumed; the awaitable then raises Cut. A wake
// that came first is delivered, and the cut is raised at the next wait: first come, first served.
#pragma once

#include "kernel/model.hpp"
#include "kernel/signal.hpp"

namespace kumi {

constexpr int TASK_RANK = 4;

struct TaskObject {
    AtomicObject model;
    enum class State : std::uint8_t { ready, running, parked, ended };
    State state;
    bool is_cut;          // the whole task is to end
    bool raising;         // the next resume raises Cut
    bool shielded;        // the present wait cannot be cut
    int cuts;             // cut scopes around the present place, and the task's own cut
    ScopeObject* scopes;  // the innermost
    PyObject* coroutine;
    int times_cut;  // how often the cut of the whole task was raised
    unsigned cuts_ever;
    bool is_stubborn;                    // it goes on and on after being cut
    PyObject* waiting;                   // the awaitable it is parked on, borrowed from the coroutine
    const void* woken_by;                // the awaitable that is to be resumed; only compared, never used
    void (*abandon)(PyObject* waiting);  // ends the wait: the awaitable forgets the task
    PyObject* result;
    PyObject* error;
    PyObject* on_end;
    PyObject* ended;     // a signal, made when first asked for
    double dense_since;  // how often it had its turn since then, within a moment
    std::uint64_t dense_turns;
};

extern PyTypeObject* TaskType;

inline TaskObject* task_of(Node& node) { return reinterpret_cast<TaskObject*>(node.object()); }

PyObject* new_task(Engine& engine, PyObject* coroutine, PyObject* name, PyObject* parent, PyObject* on_end);

// The running task, if it may wait: null with a Python error outside a run or where a scope is cut, and
// null without one where a program goes on and on after being cut: then it is not to be resumed.
TaskObject* task_about_to_wait(const char* what, bool shielded = false);
PySendResult refuse_to_wait(PyObject** result);

// Ends the wait that a running task is in already.
void end_wait(TaskObject* task);
void park(TaskObject* task, PyObject* waiting, void (*abandon)(PyObject*), bool shielded = false);
void wake(TaskObject* task);

// Called by an awaitable when its task is resumed: false with a Python error if the wait was cut, or if it
// is another task that awaits the same.
bool resumes(PyObject* waiting);

// The awaitable goes away: a task parked on it will not be woken by it.
void drop_wait(TaskObject* task, PyObject* waiting);

void cut_task_at(TaskObject* task);  // some scope of the task, or all of it, has just been cut

// Reports an awaitable, or a block, that was made and dropped, unless it was made elsewhere or a cut explains it.
void report_never_awaited(const char* what, const Origin& made, const char* lack = "awaited");

const Behaviour* task_behaviour();

// Where in its code a task is that waits: ", at FILE, line 7, in NAME"; nothing where that is not known.
std::string place_of(TaskObject* task);

PyObject* cut_class();
PyObject* await_self(PyObject* self);
PyObject* next_by_send(PyObject* self);
bool add_task_types(PyObject* module);
bool add_sleep(PyObject* module);

}  // namespace kumi
