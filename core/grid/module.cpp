// Grid search as Python sees it: kumi._core.CellGrid, CellReplan and cost_path.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "grid/floods.hpp"
#include "grid/lines.hpp"
#include "grid/replan.hpp"
#include "grid/search.hpp"
#include "python/checks.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace kumi {
namespace grid {

void pause() {
    if (PyErr_CheckSignals() < 0) throw nb::python_error();
}

namespace {

constexpr std::size_t MOST_CELLS = 2'000'000'000;

template <typename T> using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// An array that owns what it shows.
template <typename T, typename Owner>
nb::object array_of(T* data, std::initializer_list<std::size_t> shape, Owner* owner) {
    nb::capsule keeper(owner, [](void* kept) noexcept { delete static_cast<Owner*>(kept); });
    return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), keeper).cast();
}

nb::object array_of(Cells&& cells) {
    static_assert(sizeof(Cell) == 2 * sizeof(std::int32_t));
    auto* kept = new Cells(std::move(cells));
    return array_of(reinterpret_cast<std::int32_t*>(kept->data()), {kept->size(), 2}, kept);
}

// A grid in which places are counted with 32 bits.
template <typename Array> int rows_of(const Array& cells) {
    check(cells.shape(0) < MOST_CELLS && cells.shape(1) < MOST_CELLS &&
              (cells.shape(0) + 2) * (cells.shape(1) + 128) < MOST_CELLS,
          "a grid has fewer than two thousand million cells");
    return static_cast<int>(cells.shape(0));
}

nb::object array_of(std::vector<std::int32_t>&& values, std::size_t rows, std::size_t columns) {
    auto* kept = new std::vector<std::int32_t>(std::move(values));
    return array_of(kept->data(), {rows, columns}, kept);
}

nb::object moves_array(Table<std::uint8_t> cells, int row, int column) {
    const int rows = rows_of(cells), columns = static_cast<int>(cells.shape(1));
    check_cell("the start", row, column, rows, columns);
    return array_of(count_moves(cells.data(), rows, columns, row, column), rows, columns);
}

nb::object labels_array(Table<std::uint8_t> cells) {
    const int rows = rows_of(cells), columns = static_cast<int>(cells.shape(1));
    return array_of(label(cells.data(), rows, columns), rows, columns);
}

using Row = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple nearest_arrays(Table<double> table, Row xs, Row ys) {
    check(table.shape(1) == 5, "a line is five numbers: both ends, and a radius");
    std::vector<Line> lines;
    for (std::size_t i = 0; i < table.shape(0); ++i)
        lines.push_back({{table(i, 0), table(i, 1)}, {table(i, 2), table(i, 3)}, table(i, 4)});
    const std::size_t rows = ys.shape(0), columns = xs.shape(0);
    auto* distance = new std::vector<double>(rows * columns);
    nb::object distances = array_of(distance->data(), {rows, columns}, distance);
    auto* nearest = new std::vector<double>(2 * rows * columns);
    nb::object places = array_of(nearest->data(), {rows, columns, 2}, nearest);
    find_nearest(lines, xs.data(), columns, ys.data(), rows, distance->data(), nearest->data());
    return nb::make_tuple(distances, places);
}

class Grid {
  public:
    explicit Grid(Table<std::uint8_t> cells)
        : bits(Bits::packed(cells.data(), rows_of(cells), static_cast<int>(cells.shape(1)), beyond_one)) {}

    void check_has(const char* what, Cell cell) const {
        check_cell(what, cell.row, cell.column, bits.rows, bits.columns);
    }

    nb::object path(Cell start, Cell goal, int moves, int engine) {
        check_has("the start", start);
        check_has("the goal", goal);
        Found found;
        if (!search(start, goal, moves == 8, engine, found)) return nb::none();
        return nb::make_tuple(array_of(std::move(found.cells)), found.straight, found.diagonal);
    }

    nb::object angled(Cell start, Cell goal) {
        check_has("the start", start);
        check_has("the goal", goal);
        if (bits.blocked(start) || bits.blocked(goal)) return nb::none();
        const Places places = any_angle(bits, start, goal);
        if (places.empty()) return nb::none();
        auto* kept = new std::vector<double>();
        for (const Cell place : places) {
            kept->push_back(0.5 * (place.row - 1));
            kept->push_back(0.5 * (place.column - 1));
        }
        return array_of(kept->data(), {places.size(), 2}, kept);
    }

    bool beyond_one = false;
    Bits bits;

  private:
    enum Engine { BY_MAP, JUMPS, STACKS };

    bool search(Cell start, Cell goal, bool diagonals, int engine, Found& found) {
        if (bits.blocked(start) || bits.blocked(goal)) return false;
        // Taken away while in use: a signal handler may search, too.
        std::optional<Slate> slate = std::exchange(slate_, std::nullopt);
        if (!slate) slate.emplace(bits);
        const bool is_found =
            diagonals ? eight(start, goal, engine, *slate, found) : four(start, goal, engine, *slate, found);
        slate_ = std::move(slate);
        return is_found;
    }

    bool eight(Cell start, Cell goal, int engine, Slate& slate, Found& found) {
        End end = End::gave_up;
        if (engine == STACKS || (engine == BY_MAP && is_cluttered()))
            end = clutter_search(bits, start, goal, slate, found);
        if (end == End::gave_up) {
            if (!columns_) columns_.emplace(bits.transposed());
            end = jump_search(bits, &*columns_, start, goal, NO_END, slate, found);
        }
        return end == End::found;
    }

    double corners() { return character().corners; }
    const Character& character() {
        if (!character_) character_ = character_of(bits);
        return *character_;
    }
    // Where cell by cell is faster than by jumps: among loose cells, and not in the corridors of a fine maze, half of
    // whose cells are walls. On a small map, which the caches hold, it takes more corners.
    bool is_cluttered() {
        return corners() > (bits.places() > SMALL ? MANY : CROWDED) && character().taken < MAZE;
    }

    // Among many corners stacks are faster, among few jumps. In between stacks get a short try: past shelves or
    // pillars they lead almost straight to the goal, and only then they win.
    bool four(Cell start, Cell goal, int engine, Slate& slate, Found& found) {
        if (engine == STACKS) return stack_search(bits, start, goal, NO_END, slate, found) == End::found;
        if (engine == JUMPS)
            return jump_search(bits, nullptr, start, goal, NO_END, slate, found) == End::found;
        const auto away =
            static_cast<std::size_t>(std::abs(goal.row - start.row) + std::abs(goal.column - start.column));
        End end = End::gave_up;
        if (corners() > FEW)
            end = stack_search(bits, start, goal, corners() > MANY ? NO_END : 2 * away + 64, slate, found);
        // Jumps that look at as many words as there are cells win nothing any more.
        const std::size_t budget = static_cast<std::size_t>(bits.rows) * bits.columns + 4096;
        if (end == End::gave_up) end = jump_search(bits, nullptr, start, goal, budget, slate, found);
        if (end == End::gave_up) end = stack_search(bits, start, goal, NO_END, slate, found);
        return end == End::found;
    }

    static constexpr double FEW = 0.005, MANY = 0.022, CROWDED = 0.08, MAZE = 0.45;
    static constexpr std::size_t SMALL = 1u << 20;
    static constexpr std::size_t NO_END = std::numeric_limits<std::size_t>::max();
    std::optional<Bits> columns_;
    std::optional<Character> character_;
    std::optional<Slate> slate_;
};

nb::object inflated_array(const Grid& self, double radius, bool edges) {
    check(radius >= 0.0 && std::isfinite(radius), "a radius is a finite number of cells >= 0");
    const Bits wide = inflated(self.bits, radius, edges);
    const std::size_t rows = wide.rows, columns = wide.columns;
    auto* kept = new std::vector<std::uint8_t>(rows * columns);
    for (std::size_t r = 0; r < rows; ++r) {
        const Word* row = wide.row(static_cast<int>(r));
        std::uint8_t* to = kept->data() + r * columns;
        for (std::size_t c = 0; c < columns; ++c) to[c] = row[c >> 6] >> (c & 63) & 1;
    }
    return array_of(reinterpret_cast<bool*>(kept->data()), {rows, columns}, kept);
}

nb::object distances_array(const Grid& self) {
    const std::size_t rows = self.bits.rows, columns = self.bits.columns;
    auto* kept = new std::vector<float>(rows * columns);
    nb::object array = array_of(kept->data(), {rows, columns}, kept);
    squared_distances(self.bits, std::numeric_limits<float>::infinity(), kept->data());
    return array;
}

using Floats = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Calls with the array as it is, of 32 or 64 bits.
template <typename Call> auto with_floats(const Floats& costs, Call call) {
    if (costs.dtype() == nb::dtype<float>()) return call(static_cast<const float*>(costs.data()));
    if (costs.dtype() == nb::dtype<double>()) return call(static_cast<const double*>(costs.data()));
    throw nb::type_error("costs are floats of 32 or 64 bits");
}

nb::tuple cost_range(Floats costs) {
    const Range range = with_floats(costs, [&](const auto* data) { return range_of(data, costs.size()); });
    return nb::make_tuple(range.least, range.greatest, range.wrong);
}

nb::object cost_path(Floats costs, int row, int column, int goal_row, int goal_column, int moves,
                     double least, double greatest) {
    const int rows = rows_of(costs), columns = static_cast<int>(costs.shape(1));
    check_cell("the start", row, column, rows, columns);
    check_cell("the goal", goal_row, goal_column, rows, columns);
    check(least > 0.0 && least <= greatest && std::isfinite(greatest),
          "a range of costs is two finite numbers > 0, the least first");
    Found found;
    const bool is_found = with_floats(costs, [&](const auto* data) {
        return cost_search(data, rows, columns, {row, column}, {goal_row, goal_column}, moves == 8,
                           {least, greatest, -1}, found);
    });
    if (!is_found) return nb::none();
    return array_of(std::move(found.cells));
}

nb::object replanned(Replan& self, int row, int column) {
    check_cell("the start", row, column, self.rows, self.columns);
    Found found;
    if (!self.path({row, column}, found)) return nb::none();
    return array_of(std::move(found.cells));
}

}  // namespace
}  // namespace grid

void add_grid_search(nb::module_& module) {
    using namespace grid;
    nb::class_<Grid>(module, "CellGrid", nb::is_final(),
                     "A map of free and blocked cells, ready for searches.")
        .def(nb::init<Table<std::uint8_t>>(), "cells"_a.noconvert(),
             nb::sig("def __init__(self, cells: Any) -> None"))
        .def_prop_ro("rows", [](const Grid& self) { return self.bits.rows; })
        .def_prop_ro("columns", [](const Grid& self) { return self.bits.columns; })
        .def_prop_ro(
            "beyond_one", [](const Grid& self) { return self.beyond_one; },
            "Whether a cell was neither 0 nor 1.")
        .def(
            "blocked",
            [](const Grid& self, int r, int c) {
                self.check_has("the cell", {r, c});
                return self.bits.blocked(r, c);
            },
            "row"_a, "column"_a)
        .def(
            "path",
            [](Grid& self, int r, int c, int to_r, int to_c, int moves, int engine) {
                return self.path({r, c}, {to_r, to_c}, moves, engine);
            },
            "row"_a, "column"_a, "goal_row"_a, "goal_column"_a, "moves"_a, "engine"_a = 0,
            nb::sig("def path(self, row: int, column: int, goal_row: int, goal_column: int, moves: int, "
                    "engine: int = 0) -> tuple[Any, int, int] | None"),
            "Cells, straight and diagonal moves of a shortest way; by the map (0), jumps (1) or stacks (2).")
        .def(
            "any_angle",
            [](Grid& self, int r, int c, int to_r, int to_c) { return self.angled({r, c}, {to_r, to_c}); },
            "row"_a, "column"_a, "goal_row"_a, "goal_column"_a,
            nb::sig("def any_angle(self, row: int, column: int, goal_row: int, goal_column: int) -> Any"),
            "Rows and columns where a shortest way of any angle begins, bends and ends, or None.")
        .def(
            "sees",
            [](const Grid& self, int r, int c, int to_r, int to_c) {
                self.check_has("the cell", {r, c});
                self.check_has("the cell", {to_r, to_c});
                return sees(self.bits, {r, c}, {to_r, to_c});
            },
            "row"_a, "column"_a, "to_row"_a, "to_column"_a, "Whether the segment stays in free cells.")
        .def("inflated", &inflated_array, "radius"_a, "edges"_a,
             nb::sig("def inflated(self, radius: float, edges: bool) -> Any"))
        .def("squared_distances", &distances_array, nb::sig("def squared_distances(self) -> Any"));

    module.def(
        "count_moves", &moves_array, "cells"_a.noconvert(), "row"_a, "column"_a,
        nb::sig("def count_moves(cells: Any, row: int, column: int) -> Any"),
        "How many moves along rows and columns cells that are not 0 are from one; -1 where none lead.");
    module.def(
        "label", &labels_array, "cells"_a.noconvert(), nb::sig("def label(cells: Any) -> Any"),
        "A number for each set of cells, not 0, that hang together, also across corners; 0 elsewhere.");
    module.def(
        "nearest_lines", &nearest_arrays, "lines"_a, "xs"_a, "ys"_a,
        nb::sig("def nearest_lines(lines: Any, xs: Any, ys: Any) -> tuple[Any, Any]"),
        "How far the places of a grid are from the nearest line, and the nearest point of its middle.");
    module.def("cost_range", &cost_range, "costs"_a.noconvert(),
               nb::sig("def cost_range(costs: Any) -> tuple[float, float, int]"),
               "The least and the greatest finite cost, and the first place whose cost is not greater than "
               "0, or -1.");
    module.def(
        "cost_path", &cost_path, "costs"_a.noconvert(), "row"_a, "column"_a, "goal_row"_a, "goal_column"_a,
        "moves"_a, "least"_a, "greatest"_a,
        nb::sig(
            "def cost_path(costs: Any, row: int, column: int, goal_row: int, goal_column: int, moves: int, "
            "least: float, greatest: float) -> Any"),
        "The cells of a way of least cost, or None; the last two are the range of the costs.");

    nb::class_<Replan>(module, "CellReplan", nb::is_final(), "Ways to one goal on a map that changes.")
        .def(
            "__init__",
            [](Replan* self, Table<float> costs, int row, int column, int moves) {
                const int rows = rows_of(costs), columns = static_cast<int>(costs.shape(1));
                check_cell("the goal", row, column, rows, columns);
                check(range_of(costs.data(), costs.size()).wrong < 0,
                      "a cost is a number > 0, infinite where blocked");
                new (self) Replan(costs.data(), rows, columns, {row, column}, moves == 8);
            },
            "costs"_a.noconvert(), "row"_a, "column"_a, "moves"_a,
            nb::sig("def __init__(self, costs: Any, row: int, column: int, moves: int) -> None"))
        .def_ro("expanded", &Replan::expanded, "How many cells the last path took.")
        .def(
            "cost",
            [](const Replan& self, int r, int c) {
                check_cell("the cell", r, c, self.rows, self.columns);
                return self.cost({r, c});
            },
            "row"_a, "column"_a)
        .def(
            "set_cost",
            [](Replan& self, int r, int c, float cost) {
                check_cell("the cell", r, c, self.rows, self.columns);
                check(cost > 0.0f, "a cost is a number > 0, infinite where blocked");
                self.set_cost({r, c}, cost);
            },
            "row"_a, "column"_a, "cost"_a)
        .def("path", &replanned, "row"_a, "column"_a,
             nb::sig("def path(self, row: int, column: int) -> Any"));
}

}  // namespace kumi
