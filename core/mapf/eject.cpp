// Robots put in, and taken out again.
#include "mapf/eject.hpp"

#include <algorithm>

namespace kumi::mapf {

namespace {

constexpr Steps FIRST_PRICE = 3;  // of a robot that was never taken out
// States it may take while so many fifths of the robots or fewer are waiting.
constexpr std::array<std::size_t, 6> MOST_STATES{24 << 20, 24 << 20, 24 << 20, 4 << 20, 1 << 20, 1 << 20};

}  // namespace

Eject::Eject(const Problem& problem, kumi::Bits& chance)
    : problem_(problem),
      chance_(chance),
      longest_(longest_way(problem)),
      visits_(problem),
      soft_(problem, visits_),
      plan_(problem.starts.size()),
      prices_(problem.starts.size(), FIRST_PRICE) {
    visits_.begin(2 * longest_ + ROOM + 1, false);
    for (int robot = 0; robot < problem.robots(); ++robot) waiting_.push_back(robot);
}

Eject::End Eject::step() {
    if (waiting_.empty()) return End::whole;
    std::swap(waiting_[chance_.below(waiting_.size())], waiting_.back());
    const int robot = waiting_.back();
    waiting_.pop_back();
    Places way = soft_.way(robot, 2 * longest_ + ROOM, prices_, static_cast<unsigned>(chance_.bits() & 3));
    const std::size_t fifths = (5 * waiting_.size() + plan_.size() - 1) / plan_.size();
    if (way.empty() || work() > MOST_STATES[fifths]) return End::given_up;
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
