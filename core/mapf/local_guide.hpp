// The next few steps of all robots, as far as they can keep out of each other's way.
//
// Before each step of PIBT each robot in turn plans a window of steps from where it is, with a price for each robot that
// it would meet, and a small one for each that it would stand beside: so robots queue in front of a jam and not in it,
// leave a door to those who come out, and step aside at their goals for others. What was planned a step before is the
// start. PIBT then tries the first step of that plan before all others.
//
// Source, with other prices: Arita & Okumura, Local guidance for configuration-based multi-agent pathfinding, 2025.
#pragma once

#include "mapf/guide.hpp"

namespace kumi::mapf {

class LocalGuide {
  public:
    LocalGuide(const Problem& problem, Steps window);
    // Plans for robots that are here now, in this order; beyond the window the way is as long as the guide says, or,
    // without one, as the distance.
    void plan(std::span<const Place> now, std::span<const std::int32_t> order, const Guide* guide);
    // Drops what is planned.
    void forget();
    // Where a robot plans to go next, or -1.
    Place next(int robot) const { return known_[robot] ? way(robot)[1] : -1; }

  private:
    struct Mark {
        std::uint32_t search;
        Steps cost;
        std::int32_t back;  // the direction to the place before, or STAY
    };
    struct State {
        Place place;
        Steps time, cost;
    };
    static constexpr int STAY = -1;
    // The price of meeting a robot, and of being beside one, where a step costs Guide::STEP.
    static constexpr Steps MEETING = 80, BESIDE = 2;
    static constexpr int COARSE = 3;  // bits of a cost that the queue does not tell apart
    Place* way(int robot) { return ways_.data() + static_cast<std::size_t>(robot) * (window_ + 1); }
    const Place* way(int robot) const {
        return ways_.data() + static_cast<std::size_t>(robot) * (window_ + 1);
    }
    void shift(int robot, Place now);
    void count(int robot, int change);
    void search(int robot);
    void offer(int robot, const State& state, int direction);
    void trace(int robot, Place last);
    Steps away(int robot, Place at) const {
        return guide_ ? (*guide_)(robot, at) : Guide::STEP * problem_.distances(robot, at);
    }
    std::size_t index(Steps time, Place place) const {
        return static_cast<std::size_t>(time) * problem_.graph.size() + static_cast<std::size_t>(place);
    }

    Problem problem_;
    Steps window_;
    const Guide* guide_ = nullptr;
    Places ways_;
    std::vector<Steps> known_;  // how many steps of its way each robot has planned
    // By instant and place: the price of being there, how many go on from there in each direction, and the search.
    grid::Zeros<Steps> prices_;
    grid::Zeros<std::array<std::uint16_t, 4>> flow_;
    grid::Zeros<Mark> marks_;
    std::vector<std::vector<State>> queue_;  // by how much dearer than at best
    std::size_t used_ = 0;                   // stacks of the queue
    Steps least_ = 0;
    std::uint32_t search_ = 0;
    grid::Clock clock_;
};

}  // namespace kumi::mapf
