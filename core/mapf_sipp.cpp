// Visits, and the way of one robot between them.
#include "mapf_sipp.hpp"

#include <algorithm>

namespace kumi::mapf {

namespace {

// Calls with each stay of a way: from when to when at which place.
template <typename Call>
void each_stay(const Places& way, Call call) {
    for (std::size_t i = 0; i < way.size();) {
        std::size_t last = i;
        while (last + 1 < way.size() && way[last + 1] == way[i]) ++last;
        call(way[i], static_cast<Steps>(i), last + 1 == way.size() ? FOREVER : static_cast<Steps>(last));
        i = last + 1;
    }
}

// The first visit that ends at a time or later.
std::size_t first_until(std::span<const Visit> visits, Steps time) {
    return std::ranges::lower_bound(visits, time, {}, &Visit::to) - visits.begin();
}

}  // namespace

void Visits::add(int robot, const Places& way) {
    each_stay(way, [&](Place place, Steps from, Steps to) {
        auto& visits = at_[place];
        visits.insert(visits.begin() + static_cast<std::ptrdiff_t>(first_until(visits, from)), {from, to, robot});
    });
}

void Visits::remove(const Places& way) {
    each_stay(way, [&](Place place, Steps from, Steps) {
        auto& visits = at_[place];
        visits.erase(visits.begin() + static_cast<std::ptrdiff_t>(first_until(visits, from)));
    });
}

int Visits::who(Place place, Steps time) const {
    const std::size_t i = first_until(at_[place], time);
    return i < at_[place].size() && at_[place][i].from <= time ? at_[place][i].robot : -1;
}

Sipp::Sipp(const Problem& problem, const Visits& visits)
    : problem_(problem), visits_(visits), earliest_(problem.graph.size()) {}

Places Sipp::way(int robot, Steps most, unsigned turn) {
    const Place start = problem_.starts[robot], goal = problem_.goals[robot];
    ++search_;
    states_.clear();
    for (auto& stack : queue_) stack.clear();
    robot_ = robot;
    most_ = most;
    least_ = problem_.distances(robot, start);
    if (most < least_) return {};
    queue_.resize(std::max<std::size_t>(queue_.size(), 1));
    queue_[0].push_back({start, 0, 0, -1});
    for (std::size_t late = 0; late < queue_.size(); ++late) {
        while (!queue_[late].empty()) {
            const State state = queue_[late].back();
            queue_[late].pop_back();
            ++work_;
            if (state.before >= 0) offer(state.before, state.place, state.gap + 1);
            if (is_later(state)) continue;
            reach(state);
            const auto number = static_cast<std::int32_t>(states_.size()) - 1;
            if (state.place == goal && static_cast<std::size_t>(state.gap) == visits_.at(goal).size()) return traced(number);
            const auto near = problem_.graph.near(state.place);
            for (std::size_t i = 0; i < near.size(); ++i) {
                const Place to = near[(i + turn) % near.size()];
                offer(number, to, first_until(visits_.at(to), state.time + 1));
            }
        }
    }
    return {};
}

// Puts the move from a state into the first free interval of a neighbour, from `gap` on, that it can reach before its
// own ends. The next one is looked for when that move is taken up.
void Sipp::offer(std::int32_t from, Place to, std::size_t gap) {
    const State& state = states_[from];
    const auto here = visits_.at(state.place), there = visits_.at(to);
    const Steps away = problem_.distances(robot_, to);
    const bool has_end = static_cast<std::size_t>(state.gap) < here.size();
    const Steps last = has_end ? here[state.gap].from : FOREVER;  // the latest arrival at the neighbour
    for (; gap <= there.size(); ++gap) {
        const Steps opens = gap ? there[gap - 1].to + 1 : 0;
        const Steps time = std::max(opens, state.time + 1);
        if (time > last || time + away > most_) return;
        if (gap < there.size() && time >= there[gap].from) continue;
        const bool is_swap = has_end && time == last && gap && opens == time && there[gap - 1].robot == here[state.gap].robot;
        const State reached{to, static_cast<std::int32_t>(gap), time, from};
        if (is_swap || is_later(reached)) continue;
        const auto late = static_cast<std::size_t>(time + away - least_);
        if (late >= queue_.size()) queue_.resize(late + 1);
        queue_[late].push_back(reached);
        return;
    }
}

bool Sipp::is_later(const State& state) const {
    const auto& known = earliest_[state.place];
    const auto gap = static_cast<std::size_t>(state.gap);
    return gap < known.size() && known[gap].search == search_ && known[gap].time <= state.time;
}

void Sipp::reach(const State& state) {
    auto& known = earliest_[state.place];
    if (known.size() <= static_cast<std::size_t>(state.gap)) known.resize(visits_.at(state.place).size() + 1);
    known[state.gap] = {search_, state.time};
    states_.push_back(state);
}

Places Sipp::traced(std::int32_t last) const {
    Places way(static_cast<std::size_t>(states_[last].time) + 1);
    Steps end = states_[last].time;
    for (std::int32_t number = last; number >= 0; number = states_[number].before) {
        const State& state = states_[number];
        for (Steps time = state.time; time <= end; ++time) way[time] = state.place;
        end = state.time - 1;
    }
    return way;
}

}  // namespace kumi::mapf
