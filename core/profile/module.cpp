// Speeds along a path as Python sees them: kumi._core.lattice_drive, without_short_tops and friction_circle_squares.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "profile/friction_circle.hpp"
#include "profile/jerk_lattice.hpp"
#include "profile/lattice.hpp"
#include "profile/short_tops.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace kumi {
namespace lattice {
namespace {

using Row = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Rows that begin with the number of the cell or node they belong to.
template <typename Put> void each(const Rows& rows, std::size_t count, std::size_t width, const Put& put) {
    if (rows.shape(1) != width) throw nb::value_error("a row of the lattice has another number of columns");
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
        const double* row = rows.data() + i * width;
        if (!(row[0] >= 0.0 && row[0] < static_cast<double>(count)))
            throw nb::value_error("a row belongs to no cell or node");
        put(static_cast<std::size_t>(row[0]), row);
    }
}

std::vector<std::vector<double>> drive(Rows squares, Row rests, Rows cells, Rows pieces, Rows corners,
                                       Rows closed, double rise, double fall, double grip, double window) {
    std::vector<Node> nodes(rests.shape(0));
    if (nodes.size() != cells.shape(0) + 1 || cells.shape(0) == 0)
        throw nb::value_error("a lattice has a node more than cells");
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].rest = rests(i);
    each(squares, nodes.size(), 2,
         [&](std::size_t i, const double* row) { nodes[i].squares.push_back(row[1]); });
    for (const Node& node : nodes)
        if (node.squares.empty()) throw nb::value_error("each node of a lattice has a speed");
    each(closed, nodes.size(), 3,
         [&](std::size_t i, const double* row) { nodes[i].closed.push_back({row[1], row[2]}); });
    std::vector<Cell> list(cells.shape(0));
    each(cells, list.size(), 5,
         [&](std::size_t i, const double* row) { list[i] = {row[1], row[2], row[3], row[4], {}, {}}; });
    each(pieces, list.size(), 7, [&](std::size_t i, const double* row) {
        list[i].pieces.push_back({row[1], row[2], row[3], row[4], row[5], row[6]});
    });
    each(corners, list.size(), 3,
         [&](std::size_t i, const double* row) { list[i].corners.push_back({row[1], row[2]}); });
    const Strength strength{rise, fall, grip};
    std::vector<std::vector<double>> result;
    for (const Stay& stay : window > 0.0
                                ? JerkLattice(std::move(nodes), std::move(list), strength, window).earliest()
                                : Lattice(std::move(nodes), std::move(list), strength).earliest())
        result.push_back({stay.square, stay.comes, stay.goes, stay.is_fastest ? 1.0 : 0.0});
    return result;
}

std::vector<double> list_of(const Row& row) { return {row.data(), row.data() + row.shape(0)}; }

std::pair<std::vector<double>, std::vector<double>> tops(Row s, Row z, double window) {
    if (s.shape(0) != z.shape(0)) throw nb::value_error("a chain has as many places as heights");
    Chain chain = without_short_tops({list_of(s), list_of(z)}, window);
    return {std::move(chain.s), std::move(chain.z)};
}

std::vector<double> squares_in_friction_circle(Row ways, Row bends, Row caps, double grip, double rise,
                                               double fall) {
    if (bends.shape(0) != ways.shape(0) || caps.shape(0) != ways.shape(0) + 1)
        throw nb::value_error("a way has a cap more than cells");
    std::vector<double> squares = list_of(caps);
    keep_friction_circle(list_of(ways), list_of(bends), squares, grip, rise, fall);
    return squares;
}

}  // namespace
}  // namespace lattice

void add_profiles(nb::module_& module) {
    module.def(
        "lattice_drive", &lattice::drive, "squares"_a, "rests"_a, "cells"_a, "pieces"_a, "corners"_a,
        "closed"_a, "rise"_a, "fall"_a, "grip"_a, "window"_a,
        nb::sig(
            "def lattice_drive(squares: Any, rests: Any, cells: Any, pieces: Any, corners: Any, closed: Any, "
            "rise: float, fall: float, grip: float, window: float) -> list[list[float]]"),
        "Return square of speed, arrival, departure and whether it is the fastest, for each node of the "
        "earliest drive; "
        "with a window, of one that keeps its speed for so long between speeding up and braking.");
    module.def(
        "without_short_tops", &lattice::tops, "s"_a, "z"_a, "window"_a,
        nb::sig("def without_short_tops(s: Any, z: Any, window: float) -> tuple[list[float], list[float]]"),
        "Return a chain of squares of speeds with each top cut off where it lasts for a window of seconds.");
    module.def(
        "friction_circle_squares", &lattice::squares_in_friction_circle, "ways"_a, "bends"_a, "caps"_a,
        "grip"_a, "rise"_a, "fall"_a,
        nb::sig(
            "def friction_circle_squares(ways: Any, bends: Any, caps: Any, grip: float, rise: float, fall: "
            "float) -> list[float]"),
        "Return the highest squares of speeds below the caps that keep to the circle of friction.");
}

}  // namespace kumi
