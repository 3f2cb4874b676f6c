// Ways through others.
#include "mapf/soft.hpp"

#include <algorithm>

namespace kumi::mapf {

Soft::Soft(const Problem& problem, const Visits& visits)
    : problem_(problem), memory_(problem.memory), visits_(visits) {}

bool Soft::make_room(Steps most) {
    if (!fits(problem_, most + 1)) return false;
    const std::size_t size = problem_.graph.size() * (static_cast<std::size_t>(most) + 1);
    if (marks_.size() >= size) return true;
    const std::size_t bytes = (size - marks_.size()) * sizeof(Mark);
    if (problem_.memory.used + bytes > problem_.memory.most) return false;
    memory_.take(bytes);
    marks_.resize(size);
    return true;
}

Places Soft::way(int robot, Steps most, const std::vector<Steps>& prices, unsigned turn) {
    const Place start = problem_.starts[robot], goal = problem_.goals[robot];
    robot_ = robot;
    most_ = most;
    prices_ = &prices;
    least_ = problem_.distances(robot, start);
    if (most < least_ || !make_room(most)) return {};
    ++search_;
    for (auto& stack : queue_) stack.clear();
    queue_.resize(std::max<std::size_t>(queue_.size(), 1));
    queue_[0].push_back({start, 0, 0});
    mark(start, 0) = {search_, 0, -1};
    best_ = FOREVER;
    Steps end = -1;
    for (std::size_t late = 0; late < queue_.size() && least_ + static_cast<Steps>(late) < best_; ++late) {
        while (!queue_[late].empty()) {
            const State state = queue_[late].back();
            queue_[late].pop_back();
            if (mark(state.place, state.time).cost < state.cost) continue;
            ++work_;
            clock_.tick();
            const Steps rest = state.place == goal ? price_of_resting(state.time) : FOREVER;
            if (rest < FOREVER && state.cost + rest < best_) best_ = state.cost + rest, end = state.time;
            const auto near = problem_.graph.near(state.place);
            for (std::size_t i = 0; i < near.size(); ++i) offer(state, near[(i + turn) % near.size()]);
            offer(state, state.place);
        }
    }
    return end < 0 ? Places{} : traced(end);
}

void Soft::offer(const State& state, Place to) {
    const Steps time = state.time + 1, away = problem_.distances(robot_, to);
    if (time + away > most_) return;
    Mark& known = mark(to, time);
    if (known.search == search_ && known.cost <= state.cost + 1) return;
    const Steps price = price_of_moving(state, to);
    const Steps cost = state.cost + 1 + price;
    if (price == FOREVER || cost + away >= best_ || (known.search == search_ && known.cost <= cost)) return;
    known = {search_, cost, state.place};
    const auto late = static_cast<std::size_t>(cost + away - least_);
    if (late >= queue_.size()) queue_.resize(late + 1);
    queue_[late].push_back({to, time, cost});
}

// For who is there already, and for who comes the other way.
Steps Soft::price_of_moving(const State& state, Place to) const {
    const Steps there = price_of(visits_.who(to, state.time + 1));
    if (there == FOREVER || to == state.place) return there;
    const int other = visits_.who(state.place, state.time + 1);
    const Steps swap = other >= 0 && visits_.who(to, state.time) == other ? price_of(other) : 0;
    return swap == FOREVER ? FOREVER : there + swap;
}

// For those who come to the goal later.
Steps Soft::price_of_resting(Steps time) const {
    Steps sum = 0;
    visits_.each_from(problem_.goals[robot_], time + 1, [&](int other) {
        const Steps price = price_of(other);
        sum = price == FOREVER ? FOREVER : sum + price;
        return price != FOREVER;
    });
    return sum;
}

Places Soft::traced(Steps end) {
    Places way(static_cast<std::size_t>(end) + 1);
    Place at = problem_.goals[robot_];
    met_.clear();
    for (Steps time = end; time >= 0; --time) {
        way[time] = at;
        meet(visits_.who(at, time));
        const Place before = mark(at, time).before;
        if (time > 0 && before != at && visits_.who(at, time - 1) == visits_.who(before, time))
            meet(visits_.who(before, time));
        at = before;
    }
    visits_.each_from(problem_.goals[robot_], end + 1, [&](int other) {
        meet(other);
        return true;
    });
    return way;
}

void Soft::meet(int other) {
    if (other >= 0 && std::ranges::find(met_, other) == met_.end()) met_.push_back(other);
}

}  // namespace kumi::mapf
