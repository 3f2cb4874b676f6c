// Robots put in, and taken out again.
#include "mapf/eject.hpp"

#include <algorithm>

namespace kumi::mapf {

namespace {

constexpr Steps FIRST_PRICE = 3;               // of a robot that was never taken out
constexpr std::size_t MOST_STATES = 24 << 20;  // states; with two fifths of the robots waiting, a sixth of it

}  // namespace

Eject::Eject(const Problem& problem, kumi::Bits& chance)
    : problem_(problem),
      chance_(chance),
      longest_(longest_way(problem)),
      visits_(problem, 2 * longest_ + ROOM),
      soft_(problem, visits_),
      plan_(problem.starts.size()),
      prices_(problem.starts.size(), FIRST_PRICE) {
    for (int robot = 0; robot < problem.robots(); ++robot) waiting_.push_back(robot);
}

Eject::End Eject::step() {
    if (waiting_.empty()) return End::whole;
    std::swap(waiting_[chance_.below(waiting_.size())], waiting_.back());
    const int robot = waiting_.back();
    waiting_.pop_back();
    Places way = soft_.way(robot, 2 * longest_ + ROOM, prices_, static_cast<unsigned>(chance_.bits() & 3));
    const std::size_t most = 5 * waiting_.size() > 2 * plan_.size() ? MOST_STATES / 6 : MOST_STATES;
    if (way.empty() || work() > most) return End::given_up;
    for (const int other : soft_.met()) {
        visits_.remove(plan_[other]);
        waiting_.push_back(other);
        ++prices_[other];
    }
    plan_[robot] = std::move(way);
    visits_.add(robot, plan_[robot]);
    return waiting_.empty() ? End::whole : End::going;
}

}  // namespace kumi::mapf
