// Places, distances, and what a plan costs.
#include "mapf/mapf.hpp"

#include <algorithm>

namespace kumi::mapf {

Graph::Graph(const std::uint8_t* blocked, int rows, int columns)
    : columns_(static_cast<std::size_t>(columns)) {
    const std::size_t size = static_cast<std::size_t>(rows) * columns;
    places_.assign(size, -1);
    for (std::size_t cell = 0; cell < size; ++cell) {
        if (blocked[cell]) continue;
        places_[cell] = static_cast<Place>(cells_.size());
        cells_.push_back(cell);
    }
    near_.resize(cells_.size());
    degrees_.assign(cells_.size(), 0);
    for (std::size_t at = 0; at < cells_.size(); ++at) {
        const std::size_t cell = cells_[at], column = cell % columns;
        const auto add = [&](bool is_inside, std::size_t other) {
            if (is_inside && places_[other] >= 0) near_[at][degrees_[at]++] = places_[other];
        };
        add(cell >= static_cast<std::size_t>(columns), cell - columns);
        add(column + 1 < static_cast<std::size_t>(columns), cell + 1);
        add(cell + columns < size, cell + columns);
        add(column > 0, cell - 1);
    }
    back_.resize(cells_.size());
    for (std::size_t at = 0; at < cells_.size(); ++at)
        for (std::size_t i = 0; i < degrees_[at]; ++i)
            back_[at][i] = static_cast<std::int8_t>(direction(near_[at][i], static_cast<Place>(at)));
}

Distances::Distances(const Graph& graph, const Places& goals, Memory& memory)
    : graph_(graph), memory_(memory) {
    tables_.reserve(goals.size());
    for (const Place goal : goals) {
        tables_.push_back({grid::Zeros<Steps>(graph.size()), {goal}, 0});
        tables_.back().known[goal] = 1;
    }
}

Steps Distances::found(Table& table, Place at) {
    Places next;
    while (!table.known[at]) {
        if (table.edge.empty()) return FOREVER;
        next.clear();
        ++table.reached;
        for (const Place from : table.edge) {
            clock_.tick();
            for (const Place to : graph_.near(from)) {
                if (table.known[to]) continue;
                table.known[to] = table.reached + 1;
                next.push_back(to);
            }
        }
        memory_.take(next.size() * sizeof(Steps));
        table.edge.swap(next);
    }
    return table.known[at] - 1;
}

bool fits(const Problem& problem, Steps horizon) {
    constexpr std::size_t MOST = std::size_t{1} << 22;
    const std::size_t most = std::min(MOST, problem.memory.most / 256);
    return problem.graph.size() * static_cast<std::size_t>(horizon) <= most;
}

Steps longest_way(const Problem& problem) {
    Steps longest = 0;
    for (int robot = 0; robot < problem.robots(); ++robot)
        longest = std::max(longest, problem.distances(robot, problem.starts[robot]));
    return longest;
}

std::int64_t sum_of_costs(const Plan& plan) {
    std::int64_t sum = 0;
    for (const Places& way : plan) sum += static_cast<std::int64_t>(way.size()) - 1;
    return sum;
}

std::int64_t sum_of_loss(const Plan& plan, const Places& goals) {
    std::int64_t sum = 0;
    for (std::size_t robot = 0; robot < plan.size(); ++robot)
        for (std::size_t i = 1; i < plan[robot].size(); ++i)
            sum += plan[robot][i] != goals[robot] || plan[robot][i - 1] != goals[robot];
    return sum;
}

}  // namespace kumi::mapf
