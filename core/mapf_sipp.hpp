// The fastest way of one robot among others that keep to theirs: safe interval path planning.
//
// What matters of a place is between which two visits of others a robot is there, and how early. So a state is a place
// and one of its free intervals, and waiting needs no states of its own. A* over them with the distance to the goal
// finds the earliest arrival after which nobody else comes to the goal.
//
// Source: Phillips & Likhachev, SIPP: safe interval path planning for dynamic environments, 2011.
#pragma once

#include "mapf.hpp"

namespace kumi::mapf {

struct Visit {
    Steps from, to;  // both included; the last one of a robot never ends
    int robot;
};

// Who is where, and when.
class Visits {
public:
    explicit Visits(const Graph& graph) : at_(graph.size()) {}
    std::span<const Visit> at(Place place) const { return at_[place]; }
    void add(int robot, const Places& way);
    void remove(const Places& way);
    // The robot at a place at an instant, or -1.
    int who(Place place, Steps time) const;
    void clear() { for (auto& visits : at_) visits.clear(); }

private:
    std::vector<std::vector<Visit>> at_;
};

class Sipp {
public:
    Sipp(const Problem& problem, const Visits& visits);
    // The way of a robot that arrives after `most` steps at the latest; empty where there is none.
    Places way(int robot, Steps most, unsigned turn);
    std::size_t work() const { return work_; }  // states taken up so far

private:
    struct State {
        Place place;
        std::int32_t gap;  // the number of visits before the free interval
        Steps time;
        std::int32_t before;
    };
    struct Earliest {
        std::uint32_t search = 0;
        Steps time = 0;
    };
    bool is_later(const State& state) const;
    void reach(const State& state);
    void offer(std::int32_t from, Place to, std::size_t gap);
    Places traced(std::int32_t last) const;

    Problem problem_;
    const Visits& visits_;
    std::vector<std::vector<Earliest>> earliest_;  // by place and gap
    std::vector<State> states_;
    std::vector<std::vector<State>> queue_;  // by how much later than at best
    int robot_ = 0;
    Steps least_ = 0, most_ = 0;
    std::uint32_t search_ = 0;
    std::size_t work_ = 0;
};

}  // namespace kumi::mapf
