// Rounds of refinement.
#include "mapf_refine.hpp"

#include <algorithm>
#include <utility>

namespace kumi::mapf {

namespace {

constexpr std::array<std::size_t, 4> SIZES{1, 4, 8, 16};
constexpr double LEARNING = 0.02, LEAST = 0.01;
constexpr int WALKS = 8;

}  // namespace

template <std::size_t N>
std::size_t Refine::Weights<N>::drawn(kumi::Bits& chance) const {
    double sum = 0.0;
    for (const double weight : of) sum += weight;
    double left = chance.unit() * sum;
    for (std::size_t i = 0; i + 1 < N; ++i)
        if ((left -= of[i]) < 0.0) return i;
    return N - 1;
}

// None dies out: what gains nothing now may gain later.
template <std::size_t N>
void Refine::Weights<N>::learn(std::size_t which, double gain) {
    of[which] += LEARNING * (gain - of[which]);
    const double most = *std::max_element(of.begin(), of.end());
    for (double& weight : of) weight = std::max(weight, LEAST + 0.1 * most);
}

Refine::Refine(const Problem& problem, kumi::Bits& chance, Plan plan)
    : problem_(problem), chance_(chance), visits_(problem.graph), sipp_(problem, visits_),
      is_chosen_(problem.starts.size()), seen_(problem.graph.size()) {
    problem.memory.take((sizeof(Visit) + 2 * sizeof(Place)) * static_cast<std::size_t>(sum_of_costs(plan)));
    adopt(std::move(plan));
}

void Refine::adopt(Plan plan) {
    plan_ = std::move(plan);
    cost_ = sum_of_costs(plan_);
    visits_.clear();
    for (int robot = 0; robot < problem_.robots(); ++robot) visits_.add(robot, plan_[robot]);
}

bool Refine::round() {
    const std::size_t kind = kinds_.drawn(chance_), sized = sizes_.drawn(chance_);
    const std::size_t size = std::min(SIZES[sized], plan_.size());
    chosen_.clear();
    if (kind == 0) choose_delayed(size);
    if (kind == 1) choose_meeting(size);
    choose_any(size);
    const std::size_t work = sipp_.work();
    const std::int64_t before = cost_;
    std::int64_t now = 0;
    for (const int robot : chosen_) now += cost_of(robot);
    if (replan(now)) {
        for (const int robot : chosen_) {
            cost_ += static_cast<std::int64_t>(ways_[robot].size()) - 1 - cost_of(robot);
            plan_[robot] = std::move(ways_[robot]);
        }
    }
    for (const int robot : chosen_) is_chosen_[robot] = false;
    const double gain = 1000.0 * static_cast<double>(before - cost_) / static_cast<double>(sipp_.work() - work + 10 * size);
    kinds_.learn(kind, gain);
    sizes_.learn(sized, gain);
    return cost_ < before;
}

// Finds new ways for those chosen, into `ways_`; leaves the visits of the old ones where that fails.
bool Refine::replan(std::int64_t before) {
    for (std::size_t i = chosen_.size(); i > 1; --i) std::swap(chosen_[i - 1], chosen_[chance_.below(i)]);
    std::int64_t to_come = 0;
    for (const int robot : chosen_) {
        visits_.remove(plan_[robot]);
        to_come += least_of(robot);
    }
    ways_.resize(plan_.size());
    std::int64_t spent = 0;
    std::size_t done = 0;
    for (; done < chosen_.size(); ++done) {
        const int robot = chosen_[done];
        to_come -= least_of(robot);
        ways_[robot] = sipp_.way(robot, static_cast<Steps>(before - spent - to_come), static_cast<unsigned>(chance_.bits() & 3));
        if (ways_[robot].empty()) break;
        spent += static_cast<std::int64_t>(ways_[robot].size()) - 1;
        visits_.add(robot, ways_[robot]);
    }
    if (done == chosen_.size()) return true;
    for (std::size_t i = 0; i < done; ++i) visits_.remove(ways_[chosen_[i]]);
    for (const int robot : chosen_) visits_.add(robot, plan_[robot]);
    return false;
}

bool Refine::take(int robot) {
    if (is_chosen_[robot]) return false;
    is_chosen_[robot] = true;
    chosen_.push_back(robot);
    return true;
}

int Refine::some_delayed() {
    std::int64_t delays = 0;
    for (int robot = 0; robot < problem_.robots(); ++robot) delays += cost_of(robot) - least_of(robot);
    auto left = static_cast<std::int64_t>(chance_.below(static_cast<std::uint64_t>(std::max<std::int64_t>(delays, 1))));
    for (int robot = 0; robot < problem_.robots(); ++robot)
        if ((left -= cost_of(robot) - least_of(robot)) < 0) return robot;
    return 0;
}

// A delayed robot, and those whom it meets where it would leave its way for a faster one.
void Refine::choose_delayed(std::size_t size) {
    const int robot = some_delayed();
    take(robot);
    for (int i = 0; i < WALKS && chosen_.size() < size; ++i) walk(robot, size);
}

void Refine::walk(int robot, std::size_t size) {
    const Places& way = plan_[robot];
    auto time = static_cast<Steps>(chance_.below(way.size()));
    Place at = way[time];
    while (chosen_.size() < size) {
        const auto near = problem_.graph.near(at);
        const std::size_t ways = near.size() + 1, first = chance_.below(ways);
        Place to = -1;
        for (std::size_t i = 0; i < ways && to < 0; ++i) {
            const std::size_t which = (first + i) % ways;
            const Place next = which < near.size() ? near[which] : at;
            if (time + 1 + problem_.distances(robot, next) < cost_of(robot)) to = next;
        }
        if (to < 0) return;
        for (const int other : {visits_.who(to, time + 1), visits_.who(to, time)}) {
            const bool is_in_the_way = other >= 0 && (visits_.who(to, time + 1) == other || visits_.who(at, time + 1) == other);
            if (is_in_the_way && chosen_.size() < size) take(other);
        }
        at = to;
        ++time;
    }
}

// Those who pass a place with at least three ways, and then the places around it.
void Refine::choose_meeting(std::size_t size) {
    const Places& way = plan_[chance_.below(plan_.size())];
    Place middle = way[chance_.below(way.size())];
    for (int i = 0; i < WALKS && problem_.graph.near(middle).size() < 3; ++i) middle = way[chance_.below(way.size())];
    ++walks_;
    seen_[middle] = walks_;
    around_.assign(1, middle);
    for (std::size_t i = 0; i < around_.size() && chosen_.size() < size; ++i) {
        const auto visits = visits_.at(around_[i]);
        const std::size_t first = visits.empty() ? 0 : chance_.below(visits.size());
        for (std::size_t k = 0; k < visits.size() && chosen_.size() < size; ++k) take(visits[(first + k) % visits.size()].robot);
        for (const Place near : problem_.graph.near(around_[i])) {
            if (seen_[near] == walks_) continue;
            seen_[near] = walks_;
            around_.push_back(near);
        }
    }
}

void Refine::choose_any(std::size_t size) {
    while (chosen_.size() < size) take(static_cast<int>(chance_.below(plan_.size())));
}

}  // namespace kumi::mapf
