// The fastest way of one robot among others that keep to theirs: safe interval path planning.
//
// What matters of a place is between which two visits of others a robot is there, and how early. So a state is a place
// and one of its free intervals, and waiting needs no states of its own. A* over them with the distance to the goal
// finds the earliest arrival after which nobody else comes to the goal. In a jam, where all ways are late, that means to
// look at nearly everything; a hasty search counts the distance twice (weighted A*), and is there several times sooner
// with a way that may be a little later.
//
// Sources: Phillips & Likhachev, SIPP: safe interval path planning for dynamic environments, 2011; Pohl, Heuristic
// search viewed as path finding in a graph, 1970.
#pragma once

#include <algorithm>

#include "mapf/mapf.hpp"

namespace kumi::mapf {

struct Visit {
    Steps from, to;  // both included; the last one of a robot never ends
    int robot;
    // The free interval before it in a search: which search came there last, and how early.
    std::uint32_t search = 0;
    Steps reached = 0;
};

// The first visit that ends at a time or later.
inline std::size_t first_until(std::span<const Visit> visits, Steps time) {
    return std::ranges::lower_bound(visits, time, {}, &Visit::to) - visits.begin();
}

// Who is where, and when: a list of visits for each place, a table of who is there at each instant, or both. The list
// ends with a visit that never begins: each free interval is before a visit.
class Visits {
  public:
    explicit Visits(const Problem& problem) : problem_(problem), memory_(problem.memory) {}
    // Forgets all, and keeps a table up to a horizon from now on, unless that is too large. The lists can be left out
    // where there is a table and nobody is under way at its horizon.
    void begin(Steps horizon, bool needs_lists);
    Visit* intervals(Place place) { return at_[place].data(); }
    void add(int robot, const Places& way);
    void remove(const Places& way);
    // The robot at a place at an instant, or -1.
    int who(Place place, Steps time) const {
        return time < horizon_ ? table_[row(place) + static_cast<std::size_t>(time)] : searched(place, time);
    }
    // Calls with who comes to a place, or still is there, from an instant on, until one of the calls returns false.
    template <typename Call> void each_from(Place place, Steps time, Call call) const;

  private:
    int searched(Place place, Steps time) const;
    void write(Place place, Steps from, Steps to, int robot);
    std::size_t row(Place place) const {
        return static_cast<std::size_t>(place) * static_cast<std::size_t>(horizon_);
    }

    Problem problem_;
    std::vector<std::vector<Visit>> at_;
    Steps horizon_ = 0;
    std::vector<std::int32_t> table_;
    Share memory_;
};

template <typename Call> void Visits::each_from(Place place, Steps time, Call call) const {
    if (!at_.empty()) {
        const auto& visits = at_[place];
        for (std::size_t i = first_until(visits, time); i + 1 < visits.size(); ++i)
            if (!call(visits[i].robot)) return;
        return;
    }
    int last = -1;
    for (; time < horizon_; ++time) {
        const int robot = table_[row(place) + static_cast<std::size_t>(time)];
        if (robot >= 0 && robot != last && !call(robot)) return;
        last = robot;
    }
}

class Sipp {
  public:
    Sipp(const Problem& problem, Visits& visits);
    // The way of a robot that arrives after `most` steps at the latest; empty where there is none.
    Places way(int robot, Steps most, unsigned turn, bool is_hasty);
    std::size_t work() const { return work_; }  // states taken up so far

  private:
    struct State {
        Place place;
        std::int32_t gap;  // the number of visits before the free interval
        Steps time;
        std::int32_t before;
    };
    void offer(const State& state, std::int32_t number, Place to);
    Places traced(std::int32_t last) const;

    Problem problem_;
    Visits& visits_;
    std::vector<State> states_;
    std::vector<std::vector<State>> queue_;  // by how much later than at best, in haste plus the distance
    std::size_t first_ = 0;                  // the first stack of the queue that may hold states
    int robot_ = 0;
    bool is_hasty_ = false;
    Steps least_ = 0, most_ = 0;
    std::uint32_t search_ = 0;
    std::size_t work_ = 0;
    grid::Clock clock_;
};

}  // namespace kumi::mapf
