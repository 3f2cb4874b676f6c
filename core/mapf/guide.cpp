// Traffic, and the potentials that follow from it.
#include "mapf/guide.hpp"

#include <algorithm>

namespace kumi::mapf {

namespace {

// What a step costs for each who goes the other way, for each who goes to the same place, and at most.
constexpr Steps AGAINST = 4, CROWDED = 1, MOST = 1023;
constexpr int PASSES = 2;

}  // namespace

Guide::Guide(const Problem& problem)
    : problem_(problem),
      flow_(problem.graph.size()),
      crowd_(problem.graph.size()),
      ways_(problem.starts.size()),
      tables_(problem.starts.size()),
      ring_(MOST + 1) {}

bool Guide::advance() {
    const int robots = problem_.robots(), robot = done_ % robots;
    if (done_ == (PASSES + 1) * robots) return false;
    if (done_++ < PASSES * robots) {
        lay(robot);
    } else {
        problem_.memory.take(problem_.graph.size() * sizeof(Steps));
        spread(problem_.goals[robot], -1, tables_[robot]);
    }
    return true;
}

void Guide::lay(int robot) {
    Places& way = ways_[robot];
    for (std::size_t i = 1; i < way.size(); ++i) count(way[i - 1], way[i], -1);
    spread(problem_.goals[robot], problem_.starts[robot], costs_);
    way.assign(1, problem_.starts[robot]);
    while (way.back() != problem_.goals[robot]) {
        const Place at = way.back();
        const auto near = problem_.graph.near(at);
        int best = 0;
        Steps least = FOREVER;
        for (int i = 0; i < static_cast<int>(near.size()); ++i) {
            const Steps cost = costs_[near[i]] == FOREVER ? FOREVER : costs_[near[i]] + step_cost(at, i);
            if (cost < least) least = cost, best = i;
        }
        way.push_back(near[best]);
    }
    for (std::size_t i = 1; i < way.size(); ++i) count(way[i - 1], way[i], 1);
}

// Finds the cost of the way from each place to a goal, or only as far as one place: Dijkstra's search, with the queue in
// a ring of stacks, one for each cost.
void Guide::spread(Place goal, Place until, std::vector<Steps>& costs) {
    costs.assign(problem_.graph.size(), FOREVER);
    costs[goal] = 0;
    for (Places& stack : ring_) stack.clear();
    ring_[0].push_back(goal);
    std::size_t waiting = 1;
    for (Steps cost = 0; waiting; ++cost) {
        Places& stack = ring_[cost & MOST];
        while (!stack.empty()) {
            const Place at = stack.back();
            stack.pop_back();
            --waiting;
            if (costs[at] != cost) continue;
            if (at == until) return;
            const auto near = problem_.graph.near(at);
            for (int i = 0; i < static_cast<int>(near.size()); ++i) {
                const Steps other = cost + step_cost(near[i], problem_.graph.back(at, i));
                if (other >= costs[near[i]]) continue;
                costs[near[i]] = other;
                ring_[other & MOST].push_back(near[i]);
                ++waiting;
            }
        }
    }
}

Steps Guide::step_cost(Place from, int direction) const {
    const Place to = problem_.graph.near(from)[direction];
    const std::int64_t against = flow_[to][problem_.graph.back(from, direction)];
    return static_cast<Steps>(std::min<std::int64_t>(STEP + AGAINST * against + CROWDED * crowd_[to], MOST));
}

void Guide::count(Place from, Place to, int change) {
    flow_[from][problem_.graph.direction(from, to)] += change;
    crowd_[to] += change;
}

}  // namespace kumi::mapf
