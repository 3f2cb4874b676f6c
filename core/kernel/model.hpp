// Atomic models and their ports, as Python types.
//
// A class derived from Atomic gives output(), internal(), external() and confluent() in Python. They
// are looked up once a class. Ports hold what arrives at this instant (the bag) and where output goes.
#pragma once

#include "kernel/bag.hpp"
#include "kernel/signal.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace kumi {

struct AtomicObject;

// Where a port leads. The route to atomic inputs is found at the first sending and kept until some
// coupling changes.
struct Wiring {
    std::vector<PortObject*> targets;   // owned
    std::vector<PyObject*> watchers;    // owned
    std::vector<PortObject*> route;     // atomic inputs, one entry a path
    std::vector<PortObject*> observed;  // ports with watchers on the way
    std::uint64_t epoch = 0;
};

struct PortObject {
    PyObject_HEAD PyObject* owner;  // an Atomic or a Coupled
    AtomicObject* model;            // the owner where it is atomic, else null
    PyObject* name;
    PyObject* type;                  // as declared
    PyObject* accepted;              // a class or a tuple of classes; null accepts all
    PyObject* arrivals;              // a Signal fired by each input, made when first asked for
    std::unique_ptr<Unread> unread;  // what came in before; see Unread
    std::uint32_t index;
    bool is_output;
    Bag bag;  // owned
    std::unique_ptr<Wiring> wiring;
};

// The Python functions of a class of models; null where the base's own serves.
struct Methods {
    PyObject* begin = nullptr;
    PyObject* output = nullptr;
    PyObject* internal = nullptr;
    PyObject* external = nullptr;
    PyObject* confluent = nullptr;
    unsigned version = 0;  // of the class, when they were found
};

struct AtomicObject {
    PyObject_HEAD Node node;
    const Methods* methods;
    PyObject* name;
    PyObject* parent;
    double planned;         // what was asked for before the model entered a run, counted from there
    bool planned_absolute;  // ... or an instant of the run
    PyObject* chance;       // the model's own random numbers in this run, made when first asked for
    PyObject* outbox;       // a list of (port, value): a program may send at any time, see Program
    std::vector<PortObject*> inputs, outputs;  // owned
};

extern PyTypeObject* AtomicType;
extern PyTypeObject* InPortType;
extern PyTypeObject* OutPortType;

inline AtomicObject* atomic_of(Node& node) { return reinterpret_cast<AtomicObject*>(node.object()); }

Ref port_path(PortObject* port);
std::string path_of(PortObject* port);

// The ports as a Python tuple.
PyObject* port_tuple(const std::vector<PortObject*>& ports);

// Checks the type of a value for a port. False with a Python error.
bool accepts(PortObject* port, PyObject* value);

// Puts a value into the bags of all that `port` leads to.
void deliver(Engine& engine, PortObject* port, PyObject* value);

// A program enters a run: what comes in on its ports is kept until it is read.
void open_ports(AtomicObject* model);
void close_ports(AtomicObject* model);

void tell_watchers(Engine& engine, PortObject* port, PyObject* value);

// Tells the watchers of all ports on the way. They may change the way meanwhile, so the ports are held.
template <class Chosen>
void tell_observers(Engine& engine, const Wiring& wires, PyObject* value, Chosen&& chosen) {
    if (wires.observed.empty()) return;
    std::vector<Ref> ports;
    for (PortObject* port : wires.observed) ports.push_back(Ref::borrow(reinterpret_cast<PyObject*>(port)));
    for (const Ref& held : ports) {
        PortObject* port = reinterpret_cast<PortObject*>(held.get());
        if (chosen(port)) tell_watchers(engine, port, value);
    }
}

// Finds where a port leads now, so that the first sending need not. False with a Python error.
bool prepare(PortObject* port);

// Makes a port; the owner keeps it.
PortObject* new_port(PyTypeObject* kind, PyObject* owner, AtomicObject* model, PyObject* name,
                     PyObject* type);

// Says that some coupling changed, so that routes are found anew.
void rewire();

const Behaviour* atomic_behaviour();

// Looks the methods of the model's class up again if the class has changed.
void refresh_methods(AtomicObject* model);

// Calls begin() of a model that has just entered a run. False with a Python error.
bool begin_model(Engine& engine, AtomicObject* model);
PyObject* new_atomic(PyTypeObject* type, const Behaviour* behaviour);
bool init_atomic(AtomicObject* self, PyObject* name, int rank);
void leave_engine(PyObject* self);  // for a model that goes
int traverse_atomic(PyObject* self, visitproc visit, void* arg);
int clear_atomic(PyObject* self);
void destroy_atomic(PyObject* self);
bool add_model_types(PyObject* module);
bool add_port_types(PyObject* module);

}  // namespace kumi
