// Maps and particle filters as Python sees them: kumi._core.EvidenceMap and ParticleFilter.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <limits>
#include <utility>
#include <vector>

#include "mapping/matching.hpp"
#include "mapping/particles.hpp"
#include "numbers/elementary.hpp"
#include "python/checks.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace kumi {
namespace occupancy {
namespace {

template <typename T, int N> using Array = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// The evidence of a layer in nats, lowest row first, with the column and the row of its first cell.
nb::tuple evidence_of(const Layout& layout, const Layer& layer) {
    const auto [left, bottom, right, top] = layout.bounds();
    const std::size_t rows = static_cast<std::size_t>(top - bottom) * SIDE,
                      columns = static_cast<std::size_t>(right - left) * SIDE;
    auto* kept = new std::vector<float>(rows * columns, 0.0f);
    nb::capsule keeper(kept, [](void* one) noexcept { delete static_cast<std::vector<float>*>(one); });
    for (int r = bottom; r < top; ++r)
        for (int c = left; c < right; ++c) {
            const Tile* tile = layer.tile(layout.slot(c, r));
            if (!tile) continue;
            for (int y = 0; y < SIDE; ++y)
                for (int x = 0; x < SIDE; ++x)
                    (*kept)[((r - bottom) * SIDE + y) * columns + (c - left) * SIDE + x] =
                        static_cast<float>(tile->cells[y * SIDE + x] * UNIT);
        }
    const std::size_t shape[] = {rows, columns};
    return nb::make_tuple(nb::ndarray<nb::numpy, float>(kept->data(), 2, shape, keeper), left * SIDE,
                          bottom * SIDE);
}

std::vector<Mount> mounts_of(const Array<double, 2>& mounts) {
    check(mounts.shape(1) == 3, "a mount is a place ahead, one to the left, and a direction");
    std::vector<Mount> result;
    for (std::size_t i = 0; i < mounts.shape(0); ++i)
        result.push_back({mounts(i, 0), mounts(i, 1), maths::cos(mounts(i, 2)), maths::sin(mounts(i, 2))});
    return result;
}

void check_numbers(const Array<double, 1>& numbers, std::size_t count, const char* sentence) {
    check(numbers.shape(0) == count, sentence);
    for (std::size_t i = 0; i < count; ++i) check_finite({numbers(i)}, sentence);
}

Beams beams_of(const Array<double, 1>& n) {
    check_numbers(n, 10, "beams are ten finite numbers");
    const Beams beams{n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9)};
    check(beams.cell > 0.0 && beams.reach >= 0.0 && beams.reach <= 1e5 * beams.cell,
          "a cell is wider than 0, and a beam crosses at most 100 000 of them");
    check(beams.most >= 0.0 && beams.most <= 100.0,
          "a cell has at most 100 nats of evidence, and not less than 0");
    check(std::abs(beams.hit) <= 1e6 && std::abs(beams.miss) <= 1e6, "a reading has at most a million nats");
    return beams;
}
Odometry odometry_of(const Array<double, 1>& n) {
    check_numbers(n, 6, "odometry is six finite numbers");
    return {n(0), n(1), n(2), n(3), n(4), n(5)};
}
Settings settings_of(const Array<double, 1>& n) {
    check_numbers(n, 5, "settings are five finite numbers");
    check(n(4) >= 0.0 && n(4) <= 100.0,
          "the evidence of others counts at most 100 nats, and not less than 0");
    return {n(0), n(1), n(2), n(3), n(4)};
}

void check_length(const Array<double, 1>& ranges, std::size_t mounts) {
    if (ranges.shape(0) != mounts) {
        PyErr_Format(PyExc_ValueError, "a reading has a range for each of the %zu beams, not %zu", mounts,
                     ranges.shape(0));
        throw nb::python_error();
    }
}

// A map that beams are added to from known places.
class EvidenceMap {
  public:
    EvidenceMap(Array<double, 2> mounts, Array<double, 1> beams)
        : mounts(mounts_of(mounts)), beams(beams_of(beams)) {}

    void add(double x, double y, double heading, Array<double, 1> ranges) {
        check_length(ranges, mounts.size());
        check_finite({x, y, heading}, "a place and a heading are finite");
        each_eye(mounts, {x, y, heading},
                 [&](std::size_t i, const Eye& eye) { add_beam(layout, layer, beams, eye, ranges(i)); });
    }

    double likelihood_of(double x, double y, double heading, Array<double, 1> ranges) const {
        check_length(ranges, mounts.size());
        check_finite({x, y, heading}, "a place and a heading are finite");
        const Odds odds(beams);
        double product = 1.0;
        each_eye(mounts, {x, y, heading}, [&](std::size_t i, const Eye& eye) {
            product *= likelihood(layout, layer, nullptr, beams, odds, eye, ranges(i));
        });
        return product;
    }

    std::vector<Mount> mounts;
    Beams beams;
    Layout layout;
    Layer layer;
};

template <typename T> nb::object array_of(std::vector<T> values, std::size_t rows, std::size_t columns) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule keeper(kept, [](void* one) noexcept { delete static_cast<std::vector<T>*>(one); });
    const std::size_t shape[] = {rows, columns};
    return nb::ndarray<nb::numpy, T>(kept->data(), 2, shape, keeper).cast();
}

matching::Points points_of(const Array<double, 2>& points, double cosine, double sine) {
    check(points.shape(1) == 2, "points are pairs of numbers");
    return {points.data(), points.shape(0), cosine, sine};
}

template <typename T> matching::Size size_of(const Array<T, 2>& cells) {
    return {static_cast<std::ptrdiff_t>(cells.shape(0)), static_cast<std::ptrdiff_t>(cells.shape(1))};
}

void add_matching(nb::module_& module) {
    module.def(
        "count_points",
        [](Array<double, 2> points, double cosine, double sine, int side, int rows, int columns) {
            check(side >= 1 && rows >= 1 && columns >= 1 && double(rows) * columns <= 1e9,
                  "squares have a side of at least one cell, and there are up to a thousand million of them");
            std::vector<double> counts(static_cast<std::size_t>(rows) * columns);
            matching::count_points(points_of(points, cosine, sine), side, {rows, columns}, counts.data());
            return array_of(std::move(counts), rows, columns);
        },
        "points"_a, "cosine"_a, "sine"_a, "side"_a, "rows"_a, "columns"_a,
        nb::sig(
            "def count_points(points: Any, cosine: float, sine: float, side: int, rows: int, columns: int) "
            "-> Any"),
        "How many of the points, turned about their origin, lie in each square of cells; indices wrap "
        "around.");
    module.def(
        "shift_scores",
        [](Array<double, 2> points, double cosine, double sine, Array<std::int16_t, 2> gains, int row,
           int column) {
            constexpr std::size_t SIDE = matching::WINDOW;
            std::vector<std::int64_t> scores(SIDE * SIDE);
            matching::add_scores(points_of(points, cosine, sine), gains.data(), size_of(gains), row, column,
                                 scores.data());
            return array_of(std::move(scores), SIDE, SIDE);
        },
        "points"_a, "cosine"_a, "sine"_a, "gains"_a, "row"_a, "column"_a,
        nb::sig(
            "def shift_scores(points: Any, cosine: float, sine: float, gains: Any, row: int, column: int) "
            "-> Any"),
        "What the cells are worth on which points lie that are turned and shifted, for 8 by 8 shifts from a "
        "row "
        "and a column on. Around the cells there are 8 rows and columns of zeros.");
    module.def(
        "sum_worth",
        [](Array<double, 2> points, std::pair<double, double> before, double cosine, double sine,
           std::pair<double, double> after, std::pair<double, double> corner, Array<double, 2> worth) {
            return matching::sum_worth(points_of(points, cosine, sine), {before.first, before.second},
                                       {after.first, after.second}, {corner.first, corner.second},
                                       worth.data(), size_of(worth));
        },
        "points"_a, "before"_a, "cosine"_a, "sine"_a, "after"_a, "corner"_a, "worth"_a,
        nb::sig("def sum_worth(points: Any, before: tuple[float, float], cosine: float, sine: float, after: "
                "tuple[float, float], corner: tuple[float, float], worth: Any) -> float"),
        "What the places of points are worth together that are shifted back, turned, and shifted forth.");
}

}  // namespace
}  // namespace occupancy

void add_mapping(nb::module_& module) {
    using namespace occupancy;
    add_matching(module);
    nb::class_<EvidenceMap>(module, "EvidenceMap", nb::is_final(),
                            "What beams from known places say about cells.")
        .def(nb::init<Array<double, 2>, Array<double, 1>>(), "mounts"_a, "beams"_a,
             nb::sig("def __init__(self, mounts: Any, beams: Any) -> None"))
        .def("add", &EvidenceMap::add, "x"_a, "y"_a, "heading"_a, "ranges"_a,
             nb::sig("def add(self, x: float, y: float, heading: float, ranges: Any) -> None"))
        .def("likelihood", &EvidenceMap::likelihood_of, "x"_a, "y"_a, "heading"_a, "ranges"_a,
             nb::sig("def likelihood(self, x: float, y: float, heading: float, ranges: Any) -> float"),
             "The density of readings at a place, times a metre for each beam that hit.")
        .def(
            "evidence", [](const EvidenceMap& self) { return evidence_of(self.layout, self.layer); },
            nb::sig("def evidence(self) -> tuple[Any, int, int]"),
            "Nats that speak for occupied, lowest row first, and the column and row of the first cell.");

    nb::class_<Particles>(module, "ParticleFilter", nb::is_final(),
                          "Where a car is that draws its map as it goes.")
        .def(
            "__init__",
            [](Particles* self, Chance& chance, int count, double x, double y, double heading, double doubt,
               double heading_doubt, Array<double, 1> errors, Array<double, 2> mounts, Array<double, 1> beams,
               Array<double, 1> odometry, Array<double, 1> settings) {
                check(count >= 1 && count <= 10'000'000, "a filter has 1 to 10 000 000 particles");
                check_finite({x, y, heading, doubt, heading_doubt},
                             "a place, and how doubtful it is, is finite");
                check_numbers(errors, 3, "errors are three finite numbers");
                new (self) Particles(chance, count, {x, y, heading}, {doubt, doubt, heading_doubt},
                                     {errors(0), errors(1), errors(2)}, mounts_of(mounts), beams_of(beams),
                                     odometry_of(odometry), settings_of(settings));
            },
            "chance"_a, "count"_a, "x"_a, "y"_a, "heading"_a, "doubt"_a, "heading_doubt"_a, "errors"_a,
            "mounts"_a, "beams"_a, "odometry"_a, "settings"_a,
            nb::sig("def __init__(self, chance: Chance, count: int, x: float, y: float, heading: float, "
                    "doubt: float, "
                    "heading_doubt: float, errors: Any, mounts: Any, beams: Any, odometry: Any, settings: "
                    "Any) -> None"))
        .def(
            "step",
            [](Particles& self, double way, double steering, Array<double, 1> ranges) {
                check_length(ranges, self.mounts());
                check_finite({way, steering}, "a way and a steering angle are finite");
                self.step(way, steering, ranges.data());
            },
            "way"_a, "steering"_a, "ranges"_a,
            nb::sig("def step(self, way: float, steering: float, ranges: Any) -> None"))
        .def(
            "estimate",
            [](const Particles& self) {
                const Estimate found = self.estimate();
                return nb::make_tuple(found.at.x, found.at.y, found.at.heading, found.spread);
            },
            nb::sig("def estimate(self) -> tuple[float, float, float, float]"),
            "Place, heading, and how far the particles are from it, as a root mean square.")
        .def(
            "errors",
            [](const Particles& self) {
                const Particle& best = self.best();
                return nb::make_tuple(best.errors.scale, best.errors.zero, best.errors.lag);
            },
            nb::sig("def errors(self) -> tuple[float, float, float]"),
            "By which share ways are longer than read, by how much the steering is more to the left, and for "
            "which "
            "share of a way the wheel still stands as before.")
        .def(
            "evidence", [](const Particles& self) { return evidence_of(self.layout(), self.best().map); },
            nb::sig("def evidence(self) -> tuple[Any, int, int]"),
            "The map of the particle that foresaw the readings best.")
        .def(
            "share",
            [](Particles& self, Array<float, 2> evidence, int column, int row) {
                constexpr int FAR = 1'000'000'000;
                check(std::abs(static_cast<double>(column)) < FAR &&
                          std::abs(static_cast<double>(row)) < FAR && evidence.shape(0) < 100'000 &&
                          evidence.shape(1) < 100'000,
                      "a map lies within a thousand million cells, and has at most 100 000 rows and columns");
                for (std::size_t i = 0; i < evidence.size(); ++i)
                    check(!std::isnan(evidence.data()[i]), "evidence is a number, not nan");
                self.share(evidence.data(), static_cast<int>(evidence.shape(0)),
                           static_cast<int>(evidence.shape(1)), column, row);
            },
            "evidence"_a, "column"_a, "row"_a,
            nb::sig("def share(self, evidence: Any, column: int, row: int) -> None"),
            "Let evidence of others count for weighing.")
        .def_prop_ro(
            "poses",
            [](const Particles& self) {
                auto* kept = new std::vector<double>();
                for (const Particle& one : self.particles())
                    kept->insert(kept->end(), {one.at.x, one.at.y, one.at.heading, maths::exp(one.weight)});
                nb::capsule keeper(
                    kept, [](void* held) noexcept { delete static_cast<std::vector<double>*>(held); });
                const std::size_t shape[] = {self.particles().size(), 4};
                return nb::ndarray<nb::numpy, double>(kept->data(), 2, shape, keeper).cast();
            },
            nb::sig("def poses(self) -> Any"), "Place, heading and weight of each particle.");
    module.def(
        "driven",
        [](double x, double y, double heading, double way, double steering, double wheelbase) {
            const Place at = driven({x, y, heading}, way, steering, wheelbase);
            return nb::make_tuple(at.x, at.y, at.heading);
        },
        "x"_a, "y"_a, "heading"_a, "way"_a, "steering"_a, "wheelbase"_a,
        nb::sig(
            "def driven(x: float, y: float, heading: float, way: float, steering: float, wheelbase: float) "
            "-> tuple[float, float, float]"),
        "Where a car is after a way with its front wheel at an angle.");
}

}  // namespace kumi
