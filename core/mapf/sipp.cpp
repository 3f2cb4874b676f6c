// Visits, and the way of one robot between them.
#include "mapf/sipp.hpp"

#include <algorithm>

namespace kumi::mapf {

namespace {

// Calls with each stay of a way: from when to when at which place.
template <typename Call> void each_stay(const Places& way, Call call) {
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

bool has_room(const Problem& problem, Steps horizon) {
    const std::size_t bytes = problem.graph.size() * static_cast<std::size_t>(horizon) * sizeof(std::int32_t);
    return fits(problem, horizon) && problem.memory.used + bytes <= problem.memory.most;
}

}  // namespace

Visits::Visits(const Problem& problem, Steps horizon)
    : at_(problem.graph.size()), horizon_(has_room(problem, horizon) ? horizon : 0), memory_(problem.memory) {
    const std::size_t size = problem.graph.size() * static_cast<std::size_t>(horizon_);
    memory_.take(size * sizeof(table_[0]));
    table_.resize(size);
    clear();
}

void Visits::clear() {
    for (auto& visits : at_) visits.assign(1, {FOREVER, FOREVER, -1});
    std::ranges::fill(table_, -1);
}

void Visits::write(Place place, Steps from, Steps to, int robot) {
    const auto begin = table_.begin() + static_cast<std::ptrdiff_t>(row(place));
    if (from < horizon_) std::fill(begin + from, begin + std::min(to + 1, horizon_), robot);
}

void Visits::add(int robot, const Places& way) {
    each_stay(way, [&](Place place, Steps from, Steps to) {
        auto& visits = at_[place];
        visits.insert(visits.begin() + static_cast<std::ptrdiff_t>(first_until(visits, from)),
                      {from, to, robot});
        write(place, from, to, robot);
    });
}

void Visits::remove(const Places& way) {
    each_stay(way, [&](Place place, Steps from, Steps to) {
        auto& visits = at_[place];
        visits.erase(visits.begin() + static_cast<std::ptrdiff_t>(first_until(visits, from)));
        write(place, from, to, -1);
    });
}

int Visits::searched(Place place, Steps time) const {
    const std::size_t i = first_until(at_[place], time);
    return i < at_[place].size() && at_[place][i].from <= time ? at_[place][i].robot : -1;
}

Sipp::Sipp(const Problem& problem, Visits& visits) : problem_(problem), visits_(visits) {}

Places Sipp::way(int robot, Steps most, unsigned turn, bool is_hasty) {
    const Place start = problem_.starts[robot], goal = problem_.goals[robot];
    ++search_;
    states_.clear();
    for (auto& stack : queue_) stack.clear();
    robot_ = robot;
    is_hasty_ = is_hasty;
    most_ = most;
    least_ = problem_.distances(robot, start);
    if (most < least_) return {};
    queue_.resize(std::max<std::size_t>(queue_.size(), 1));
    queue_[0].push_back({start, 0, 0, -1});
    visits_.intervals(start)->search = search_;
    visits_.intervals(start)->reached = 0;
    for (first_ = 0; first_ < queue_.size();) {
        if (queue_[first_].empty()) {
            ++first_;
            continue;
        }
        const State state = queue_[first_].back();
        queue_[first_].pop_back();
        const Visit& interval = visits_.intervals(state.place)[state.gap];
        if (interval.reached < state.time) continue;
        ++work_;
        clock_.tick();
        const auto number = static_cast<std::int32_t>(states_.size());
        states_.push_back(state);
        if (state.place == goal && interval.from == FOREVER) return traced(number);
        const auto near = problem_.graph.near(state.place);
        for (std::size_t i = 0; i < near.size(); ++i) offer(state, number, near[(i + turn) % near.size()]);
    }
    return {};
}

// Puts the moves from a state into the free intervals of a neighbour that it can reach before its own ends.
void Sipp::offer(const State& state, std::int32_t number, Place to) {
    const Visit& here = visits_.intervals(state.place)[state.gap];
    const Steps away = problem_.distances(robot_, to);
    const Steps last = std::min(here.from, most_ - away);  // the latest arrival at the neighbour
    Steps time = state.time + 1;
    if (time > last) return;
    Visit* const there = visits_.intervals(to);
    Visit* interval = there;
    while (interval->to < time) ++interval;
    for (;; ++interval) {
        const Steps opens = interval == there ? 0 : interval[-1].to + 1;
        time = std::max(opens, time);
        if (time > last) return;
        if (time < interval->from) {
            const bool is_swap =
                time == here.from && interval != there && opens == time && interval[-1].robot == here.robot;
            if (!is_swap && (interval->search != search_ || interval->reached > time)) {
                interval->search = search_;
                interval->reached = time;
                const auto rank = static_cast<std::size_t>(time + away - least_ + (is_hasty_ ? away : 0));
                if (rank >= queue_.size()) queue_.resize(rank + 1);
                first_ = std::min(first_, rank);
                queue_[rank].push_back({to, static_cast<std::int32_t>(interval - there), time, number});
            }
        }
        if (interval->from == FOREVER) return;
    }
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
