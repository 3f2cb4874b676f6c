// In which order was something planned, where a model is divided over several engines?
//
// One engine orders entries of one time and rank by a count of plannings. Several engines have no common
// count, but the count follows from whose turn it was when an entry was planned: at which instant, in which
// step of it, in which place of the step. A Turn says this, the same in every part, and a Ticket adds which
// planning of the turn it was. Comparing tickets gives the order that one engine would have counted.
#pragma once

#include "kernel/agenda.hpp"
#include "python/python.hpp"

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kumi {

class Engine;
struct Node;
struct PortObject;

enum class Act : std::uint8_t { output, planned, influenced };

struct Turn {
    double time = 0.0;       // the instant
    std::uint64_t step = 0;  // of that instant, over all parts; 0 when the run begins
    Act act = Act::output;
    std::uint64_t place = 0;  // among the planned of the step; of an influenced one: of its first sender
    std::uint32_t send = 0,
                  route = 0;  // of an influenced one: which value of the sender, which input it reached

    auto operator<=>(const Turn&) const = default;
};

struct Ticket {
    Turn turn;
    std::uint64_t call = 0;  // which planning of the turn
};

// A value on its way in a step: who sent it, which of its values it is, which of the inputs it goes to.
struct Sent {
    std::uint64_t place;
    std::uint32_t send, route;
    PortObject* target;  // owned
    PyObject* value;     // owned
};

// A step that was made ahead of other parts, whose order among theirs is still to be found.
struct Ahead {
    double time;
    std::uint64_t step;
    std::uint8_t rank;
    std::vector<Ticket> tickets;  // of those planned for it
};

struct Division : Planning {
    std::vector<Node*> edges;      // models that send to other parts, and answer input after some time only
    std::vector<Ref> edge_models;  // the same, owned
    std::unordered_map<const Entry*, Ticket> tickets;
    Turn turn;
    std::uint64_t calls = 0;

    double step_time = -1.0;
    std::uint64_t step = 0;
    std::vector<Entry*>* planned = nullptr;  // of the step under way
    std::vector<Ticket> due;                 // their tickets
    std::vector<Turn> touches;               // why each of the influenced ones is
    std::vector<Sent> inside, outgoing;
    bool defers = false;    // values for this part wait for those of others
    bool replaced = false;  // something was planned while output was given
    std::vector<Ahead> ahead;
    std::size_t ahead_size = 0;

    ~Division() override;
    void note(Entry* entry) override;
    void forget(Entry* entry) override { tickets.erase(entry); }
    void begin_turn(Act act, double now, std::uint64_t place, std::uint32_t send = 0,
                    std::uint32_t route = 0);
    double edge_time() const;

    // Takes a value that a model of this part sends.
    void deliver(Engine& engine, PortObject* port, PyObject* value);
    void put(Engine& engine, const Sent& sent);
    static void drop(std::vector<Sent>& values);
};

}  // namespace kumi
