// The way of one robot that may pass through others, at a price for each.
//
// A* over places and instants, with a price for each instant at which it meets one of the others. Those who are met
// have to find new ways afterwards.
#pragma once

#include "mapf/sipp.hpp"

namespace kumi::mapf {

class Soft {
  public:
    Soft(const Problem& problem, const Visits& visits);
    // The cheapest way of a robot that arrives after `most` steps at the latest; who has the price FOREVER is never met.
    // Empty where there is none, or where the table of instants and places would be too large.
    Places way(int robot, Steps most, const std::vector<Steps>& prices, unsigned turn);
    // Who is met on that way.
    const std::vector<int>& met() const { return met_; }
    std::size_t work() const { return work_; }  // states taken up so far

  private:
    struct State {
        Place place;
        Steps time, cost;
    };
    struct Mark {
        std::uint32_t search = 0;
        Steps cost = 0;
        Place before = -1;
    };
    bool make_room(Steps most);
    void offer(const State& state, Place to);
    Steps price_of_moving(const State& state, Place to) const;
    Steps price_of_resting(Steps time) const;
    Steps price_of(int other) const { return other < 0 ? 0 : (*prices_)[other]; }
    Places traced(Steps end);
    void meet(int other);
    Mark& mark(Place at, Steps time) {
        return marks_[static_cast<std::size_t>(time) * problem_.graph.size() + static_cast<std::size_t>(at)];
    }

    Problem problem_;
    Share memory_;
    const Visits& visits_;
    const std::vector<Steps>* prices_ = nullptr;
    int robot_ = 0;
    Steps least_ = 0, most_ = 0, best_ = 0;
    std::vector<Mark> marks_;                // by instant and place
    std::vector<std::vector<State>> queue_;  // by how much dearer than at best
    std::vector<int> met_;
    std::uint32_t search_ = 0;
    std::size_t work_ = 0;
    grid::Clock clock_;
};

}  // namespace kumi::mapf
