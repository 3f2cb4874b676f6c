// Windows of steps.
#include "mapf/local_guide.hpp"

#include <algorithm>

namespace kumi::mapf {

LocalGuide::LocalGuide(const Problem& problem, Steps window)
    : problem_(problem),
      window_(window),
      ways_(problem.starts.size() * (static_cast<std::size_t>(window) + 1)),
      known_(problem.starts.size()),
      prices_(index(window + 1, 0)),
      flow_(index(window + 1, 0)),
      marks_(index(window + 1, 0)) {
    const std::size_t bytes = sizeof(Steps) + sizeof(std::array<std::uint16_t, 4>) + sizeof(Mark);
    problem.memory.take(index(window + 1, 0) * bytes + ways_.size() * sizeof(Place));
}

void LocalGuide::plan(std::span<const Place> now, std::span<const std::int32_t> order, const Guide* guide) {
    guide_ = guide;
    for (int robot = 0; robot < problem_.robots(); ++robot) count(robot, -1);
    for (int robot = 0; robot < problem_.robots(); ++robot) {
        shift(robot, now[robot]);
        count(robot, 1);
    }
    for (const int robot : order) {
        count(robot, -1);
        search(robot);
        count(robot, 1);
    }
}

void LocalGuide::forget() {
    for (int robot = 0; robot < problem_.robots(); ++robot) {
        count(robot, -1);
        known_[robot] = 0;
    }
}

// Keeps what a robot planned before, where it did the first step of that.
void LocalGuide::shift(int robot, Place now) {
    Place* const way = this->way(robot);
    if (known_[robot] > 0 && way[1] == now) {
        std::copy(way + 1, way + known_[robot] + 1, way);
        --known_[robot];
    } else {
        way[0] = now;
        known_[robot] = 0;
    }
}

void LocalGuide::count(int robot, int change) {
    const Place* const way = this->way(robot);
    for (Steps time = 1; time <= known_[robot]; ++time) {
        const Place from = way[time - 1], to = way[time];
        prices_[index(time, to)] += change * MEETING;
        for (const Place near : problem_.graph.near(to)) prices_[index(time, near)] += change * BESIDE;
        if (from != to) flow_[index(time, from)][problem_.graph.direction(from, to)] += change;
    }
}

// A* over places and instants, up to the end of the window.
void LocalGuide::search(int robot) {
    ++search_;
    for (std::size_t i = 0; i < used_; ++i) queue_[i].clear();
    const Place start = way(robot)[0];
    least_ = away(robot, start);
    queue_.resize(std::max<std::size_t>(queue_.size(), 1));
    queue_[0].push_back({start, 0, 0});
    marks_[index(0, start)] = {search_, 0, STAY};
    used_ = 1;
    for (std::size_t late = 0; late < used_; ++late) {
        while (!queue_[late].empty()) {
            const State state = queue_[late].back();
            queue_[late].pop_back();
            if (marks_[index(state.time, state.place)].cost < state.cost) continue;
            clock_.tick();
            if (state.time == window_) return trace(robot, state.place);
            offer(robot, state, STAY);
            const int ways = static_cast<int>(problem_.graph.near(state.place).size());
            for (int direction = 0; direction < ways; ++direction) offer(robot, state, direction);
        }
    }
}

void LocalGuide::offer(int robot, const State& state, int direction) {
    const Steps time = state.time + 1;
    Place to = state.place;
    int back = STAY;
    Steps step = to == problem_.goals[robot] ? 0 : Guide::STEP;
    if (direction != STAY) {
        to = problem_.graph.near(state.place)[direction];
        back = problem_.graph.back(state.place, direction);
        step = guide_ ? guide_->step_cost(state.place, direction) : Guide::STEP;
        step += MEETING * flow_[index(time, to)][back];
    }
    const Steps cost = state.cost + step + prices_[index(time, to)];
    Mark& mark = marks_[index(time, to)];
    if (mark.search == search_ && mark.cost <= cost) return;
    mark = {search_, cost, back};
    const auto late = static_cast<std::size_t>(std::max(0, cost + away(robot, to) - least_)) >> COARSE;
    if (late >= queue_.size()) queue_.resize(late + 1);
    used_ = std::max(used_, late + 1);
    queue_[late].push_back({to, time, cost});
}

void LocalGuide::trace(int robot, Place last) {
    known_[robot] = window_;
    for (Steps time = window_; time > 0; --time) {
        way(robot)[time] = last;
        const int back = marks_[index(time, last)].back;
        if (back != STAY) last = problem_.graph.near(last)[back];
    }
}

}  // namespace kumi::mapf
