// Many robots on one grid: what the searches for their ways share.
//
// Free cells are numbered, and a number is a place. In one step each robot stays or moves to one of 4 neighbours.
// No two are at one place, and no two change places in one step; following closely and turning in a ring are fine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "grid/search.hpp"

namespace kumi::mapf {

using Place = std::int32_t;
using Places = std::vector<Place>;  // one for each robot, or one for each instant
using Steps = std::int32_t;
inline constexpr Steps FOREVER = std::numeric_limits<Steps>::max() / 2;

// What a search may hold. The sum is of the parts that grow.
struct Memory {
    struct Full : std::runtime_error {
        Full() : std::runtime_error("the memory for the search is used up") {}
    };
    std::size_t most, used = 0;
    void take(std::size_t bytes) {
        if (used + bytes > most) throw Full();
        used += bytes;
    }
};

// A part of the memory that is given back with its owner.
class Share {
  public:
    explicit Share(Memory& memory) : memory_(memory) {}
    Share(const Share&) = delete;
    ~Share() { memory_.used -= bytes_; }
    void take(std::size_t bytes) {
        memory_.take(bytes);
        bytes_ += bytes;
    }

  private:
    Memory& memory_;
    std::size_t bytes_ = 0;
};

class Graph {
  public:
    Graph(const std::uint8_t* blocked, int rows, int columns);
    std::size_t size() const { return cells_.size(); }
    std::size_t columns() const { return columns_; }
    std::span<const Place> near(Place at) const { return {near_[at].data(), degrees_[at]}; }
    // Which neighbour of its neighbour number `direction` a place is, and which neighbour of one another is.
    int back(Place at, int direction) const { return back_[at][direction]; }
    int direction(Place from, Place to) const {
        int i = 0;
        while (near_[from][i] != to) ++i;
        return i;
    }
    Place place(std::size_t cell) const { return places_[cell]; }  // -1 where blocked
    std::size_t cell(Place at) const { return cells_[at]; }

  private:
    std::size_t columns_;
    std::vector<Place> places_;
    std::vector<std::size_t> cells_;
    std::vector<std::array<Place, 4>> near_;
    std::vector<std::array<std::int8_t, 4>> back_;
    std::vector<std::uint8_t> degrees_;
};

// How far each place is from the goal of each robot, by breadth-first search from the goal that goes on only as
// far as was asked for.
class Distances {
  public:
    Distances(const Graph& graph, const Places& goals, Memory& memory);
    Steps operator()(int robot, Place at) {
        Table& table = tables_[robot];
        const Steps known = table.known[at];  // one more than the distance; 0 where it was not asked for yet
        return known ? known - 1 : found(table, at);
    }

  private:
    struct Table {
        grid::Zeros<Steps> known;
        Places edge;
        Steps reached;
    };
    Steps found(Table& table, Place at);

    const Graph& graph_;
    Memory& memory_;
    std::vector<Table> tables_;
    grid::Clock clock_;
};

struct Problem {
    const Graph& graph;
    const Places& starts;
    const Places& goals;
    Distances& distances;
    Memory& memory;
    int robots() const { return static_cast<int>(starts.size()); }
};

// Whether a table with an entry for each place and each instant before a horizon may be made.
bool fits(const Problem& problem, Steps horizon);
// The longest of the shortest ways.
Steps longest_way(const Problem& problem);
inline constexpr Steps ROOM = 40;  // steps beyond twice that for those who give way

// The ways of all robots: one place an instant, up to the last arrival of that robot.
using Plan = std::vector<Places>;

// A whole number whose bits all depend on all bits of another one: the end of splitmix64.
inline std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
inline constexpr std::uint64_t ODD = 0x9e3779b97f4a7c15u;

std::int64_t sum_of_costs(const Plan& plan);
// How many robots are on their way, over all steps: unlike in the sum of costs, a robot may rest at its goal for
// nothing before it leaves again.
std::int64_t sum_of_loss(const Plan& plan, const Places& goals);

}  // namespace kumi::mapf
