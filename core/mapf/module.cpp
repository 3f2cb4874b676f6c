// Multi-agent path finding as Python sees it: kumi._core.MapfSearch.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>

#include "mapf/search.hpp"
#include "python/checks.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace kumi {
namespace mapf {
namespace {

using Table = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cells = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The cells of all robots, each a free one of its own.
std::vector<std::size_t> list_of(const Table& blocked, const Cells& cells) {
    std::vector<bool> taken(blocked.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::int64_t cell = cells.data()[i];
        check(cell >= 0 && static_cast<std::size_t>(cell) < blocked.size() && !blocked.data()[cell] &&
                  !taken[cell],
              "each robot starts, and ends, in a free cell of the grid, no two in the same");
        taken[static_cast<std::size_t>(cell)] = true;
    }
    return {cells.data(), cells.data() + cells.size()};
}

kumi::Bits seeded(std::uint64_t seed) {
    return kumi::Bits(
        {mixed(seed + ODD), mixed(seed + 2 * ODD), mixed(seed + 3 * ODD), mixed(seed + 4 * ODD)});
}

Search::Instant after(double seconds) {
    using Clock = std::chrono::steady_clock;
    constexpr double FAR = 1e9;
    if (seconds >= FAR) return Search::Instant::max();
    if (!(seconds > 0.0)) return Clock::now();
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

const char* name_of(Search::State state) {
    constexpr std::array NAMES{"searching", "solved", "optimal", "unsolvable", "full"};
    return NAMES[static_cast<std::size_t>(state)];
}

// The cell of each robot at each instant, all as long as the longest.
nb::object paths(const Search& self) {
    if (!self.is_solved()) return nb::none();
    const Plan& plan = self.plan();
    std::size_t longest = 0;
    for (const Places& way : plan) longest = std::max(longest, way.size());
    auto* kept = new std::vector<std::int64_t>;
    nb::capsule keeper(kept,
                       [](void* data) noexcept { delete static_cast<std::vector<std::int64_t>*>(data); });
    kept->reserve(plan.size() * longest);
    for (const Places& way : plan)
        for (std::size_t i = 0; i < longest; ++i)
            kept->push_back(static_cast<std::int64_t>(self.graph().cell(way[std::min(i, way.size() - 1)])));
    return nb::ndarray<nb::numpy, std::int64_t>(kept->data(), {plan.size(), longest}, keeper).cast();
}

}  // namespace
}  // namespace mapf

void add_mapf(nb::module_& module) {
    using namespace mapf;
    nb::class_<Search>(module, "MapfSearch", nb::is_final(),
                       "Ways of many robots on one grid, found and then improved.")
        .def(
            "__init__",
            [](Search* self, Table blocked, Cells starts, Cells goals, std::uint64_t seed,
               std::size_t memory) {
                check(blocked.size() < std::numeric_limits<Place>::max(), "a grid has fewer than 2^31 cells");
                check(starts.size() > 0 && starts.size() == goals.size(),
                      "there is at least one robot, and as many goals as starts");
                new (self) Search(blocked.data(), static_cast<int>(blocked.shape(0)),
                                  static_cast<int>(blocked.shape(1)), list_of(blocked, starts),
                                  list_of(blocked, goals), seeded(seed), memory);
            },
            "blocked"_a.noconvert(), "starts"_a.noconvert(), "goals"_a.noconvert(), "seed"_a, "memory"_a,
            nb::sig(
                "def __init__(self, blocked: Any, starts: Any, goals: Any, seed: int, memory: int) -> None"))
        .def(
            "advance",
            [](Search& self, double seconds, std::int64_t rounds) {
                return name_of(self.advance(after(seconds), rounds));
            },
            "seconds"_a, "rounds"_a,
            "Go on until the state changes, so many seconds or rounds are over; return the state.")
        .def("paths", &paths, nb::sig("def paths(self) -> Any"),
             "The cell, counted along the rows, of each robot at each instant; None before the first "
             "solution.")
        .def_prop_ro("cost", [](const Search& self) { return self.is_solved() ? self.cost() : -1; })
        .def_prop_ro("bound", &Search::bound, "What the sum of costs cannot be less than, once it is solved.")
        .def_prop_ro("rounds", &Search::rounds)
        .def_prop_ro("configurations", &Search::configurations, "How many configurations LaCAM has met.");
}

}  // namespace kumi
