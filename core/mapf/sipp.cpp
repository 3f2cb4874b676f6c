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

}  // namespace

void Visits::begin(Steps horizon, bool needs_lists) {
    const std::size_t places = problem_.graph.size(), size = places * static_cast<std::size_t>(horizon);
    const std::size_t more = size > table_.size() ? (size - table_.size()) * sizeof(table_[0]) : 0;
    const bool has_room = fits(problem_, horizon) && problem_.memory.used + more <= problem_.memory.most;
    horizon_ = has_room ? horizon : 0;
    if (has_room) {
        memory_.take(more);
        table_.resize(std::max(table_.size(), size));
        std::ranges::fill(table_, -1);
    }
    at_.clear();
    if (!has_room || needs_lists) at_.assign(places, {{FOREVER, FOREVER, -1}});
}

void Visits::write(Place place, Steps from, Steps to, int robot) {
    const auto begin = table_.begin() + static_cast<std::ptrdiff_t>(row(place));
    if (from < horizon_) std::fill(begin + from, begin + std::min(to + 1, horizon_), robot);
}

void Visits::add(int robot, const Places& way) {
    each_stay(way, [&](Place place, Steps from, Steps to) {
        write(place, from, to, robot);
        if (at_.empty()) return;
        auto& visits = at_[place];
        visits.insert(visits.begin() + static_cast<std::ptrdiff_t>(first_until(visits, from)),
                      {from, to, robot});
    });
}

void Visits::remove(const Places& way) {
    each_stay(way, [&](Place place, Steps from, Steps to) {
        write(place, from, to, -1);
        if (at_.empty()) return;
        auto& visits = at_[place];
        visits.erase(visits.begin() + static_cast<std::ptrdiff_t>(first_until(visits, from)));
    });
}

int Visits::searched(Place place, Steps time) const {
    if (at_.empty()) return -1;
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
