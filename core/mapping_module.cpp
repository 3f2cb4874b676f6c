// Maps and particle filters as Python sees them: kumi._core.EvidenceMap and ParticleFilter.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <limits>

#include "particles.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace kumi {
namespace occupancy {
namespace {

template <typename T, int N>
using Array = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// The evidence of a layer in nats, lowest row first, with the column and the row of its first cell.
nb::tuple evidence_of(const Layout& layout, const Layer& layer) {
    const auto [left, bottom, right, top] = layout.bounds();
    const std::size_t rows = static_cast<std::size_t>(top - bottom) * SIDE, columns = static_cast<std::size_t>(right - left) * SIDE;
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
    return nb::make_tuple(nb::ndarray<nb::numpy, float>(kept->data(), 2, shape, keeper), left * SIDE, bottom * SIDE);
}

std::vector<Mount> mounts_of(const Array<double, 2>& mounts) {
    std::vector<Mount> result;
    for (std::size_t i = 0; i < mounts.shape(0); ++i)
        result.push_back({mounts(i, 0), mounts(i, 1), std::cos(mounts(i, 2)), std::sin(mounts(i, 2))});
    return result;
}

Beams beams_of(const Array<double, 1>& n) { return {n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9)}; }
Odometry odometry_of(const Array<double, 1>& n) { return {n(0), n(1), n(2), n(3), n(4)}; }
Settings settings_of(const Array<double, 1>& n) { return {n(0), n(1), n(2), n(3), n(4)}; }

void check_length(const Array<double, 1>& ranges, std::size_t mounts) {
    if (ranges.shape(0) != mounts) {
        PyErr_Format(PyExc_ValueError, "a reading has a range for each of the %zu beams, not %zu", mounts, ranges.shape(0));
        throw nb::python_error();
    }
}

// A map that beams are added to from known places.
class EvidenceMap {
  public:
    EvidenceMap(Array<double, 2> mounts, Array<double, 1> beams) : mounts(mounts_of(mounts)), beams(beams_of(beams)) {}

    void add(double x, double y, double heading, Array<double, 1> ranges) {
        check_length(ranges, mounts.size());
        each_eye(mounts, {x, y, heading}, [&](std::size_t i, const Eye& eye) { add_beam(layout, layer, beams, eye, ranges(i)); });
    }

    double likelihood_of(double x, double y, double heading, Array<double, 1> ranges) const {
        check_length(ranges, mounts.size());
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

}  // namespace
}  // namespace occupancy

void add_mapping(nb::module_& module) {
    using namespace occupancy;
    nb::class_<EvidenceMap>(module, "EvidenceMap", nb::is_final(), "What beams from known places say about cells.")
        .def(nb::init<Array<double, 2>, Array<double, 1>>(), "mounts"_a, "beams"_a,
             nb::sig("def __init__(self, mounts: Any, beams: Any) -> None"))
        .def("add", &EvidenceMap::add, "x"_a, "y"_a, "heading"_a, "ranges"_a,
             nb::sig("def add(self, x: float, y: float, heading: float, ranges: Any) -> None"))
        .def("likelihood", &EvidenceMap::likelihood_of, "x"_a, "y"_a, "heading"_a, "ranges"_a,
             nb::sig("def likelihood(self, x: float, y: float, heading: float, ranges: Any) -> float"),
             "The density of readings at a place, times a metre for each beam that hit.")
        .def("evidence", [](const EvidenceMap& self) { return evidence_of(self.layout, self.layer); },
             nb::sig("def evidence(self) -> tuple[Any, int, int]"),
             "Nats that speak for occupied, lowest row first, and the column and row of the first cell.");

    nb::class_<Particles>(module, "ParticleFilter", nb::is_final(), "Where a car is that draws its map as it goes.")
        .def("__init__",
             [](Particles* self, Chance& chance, int count, double x, double y, double heading, double doubt, double heading_doubt,
                Array<double, 2> mounts, Array<double, 1> beams, Array<double, 1> odometry, Array<double, 1> settings) {
                 new (self) Particles(chance, count, {x, y, heading}, {doubt, doubt, heading_doubt}, mounts_of(mounts),
                                      beams_of(beams), odometry_of(odometry), settings_of(settings));
             },
             "chance"_a, "count"_a, "x"_a, "y"_a, "heading"_a, "doubt"_a, "heading_doubt"_a, "mounts"_a, "beams"_a, "odometry"_a,
             "settings"_a,
             nb::sig("def __init__(self, chance: Chance, count: int, x: float, y: float, heading: float, doubt: float, "
                     "heading_doubt: float, mounts: Any, beams: Any, odometry: Any, settings: Any) -> None"))
        .def("step",
             [](Particles& self, double way, double steering, Array<double, 1> ranges) {
                 check_length(ranges, self.mounts());
                 self.step(way, steering, ranges.data());
             },
             "way"_a, "steering"_a, "ranges"_a, nb::sig("def step(self, way: float, steering: float, ranges: Any) -> None"))
        .def("estimate",
             [](const Particles& self) {
                 const Estimate found = self.estimate();
                 return nb::make_tuple(found.at.x, found.at.y, found.at.heading, found.spread);
             },
             nb::sig("def estimate(self) -> tuple[float, float, float, float]"),
             "Place, heading, and how far the particles are from it, as a root mean square.")
        .def("errors",
             [](const Particles& self) {
                 const Particle& best = self.best();
                 return nb::make_tuple(best.scale, best.zero);
             },
             nb::sig("def errors(self) -> tuple[float, float]"),
             "By which share ways are longer than read, and by how much the steering is more to the left.")
        .def("evidence", [](const Particles& self) { return evidence_of(self.layout(), self.best().map); },
             nb::sig("def evidence(self) -> tuple[Any, int, int]"), "The map of the particle that foresaw the readings best.")
        .def("share",
             [](Particles& self, Array<float, 2> evidence, int column, int row) {
                 self.share(evidence.data(), static_cast<int>(evidence.shape(0)), static_cast<int>(evidence.shape(1)), column, row);
             },
             "evidence"_a, "column"_a, "row"_a, nb::sig("def share(self, evidence: Any, column: int, row: int) -> None"),
             "Let evidence of others count for weighing.")
        .def_prop_ro("poses",
                     [](const Particles& self) {
                         auto* kept = new std::vector<double>();
                         for (const Particle& one : self.particles())
                             kept->insert(kept->end(), {one.at.x, one.at.y, one.at.heading, std::exp(one.weight)});
                         nb::capsule keeper(kept, [](void* held) noexcept { delete static_cast<std::vector<double>*>(held); });
                         const std::size_t shape[] = {self.particles().size(), 4};
                         return nb::ndarray<nb::numpy, double>(kept->data(), 2, shape, keeper).cast();
                     },
                     nb::sig("def poses(self) -> Any"), "Place, heading and weight of each particle.");
    module.def("driven",
               [](double x, double y, double heading, double way, double steering, double wheelbase) {
                   const Place at = driven({x, y, heading}, way, steering, wheelbase);
                   return nb::make_tuple(at.x, at.y, at.heading);
               },
               "x"_a, "y"_a, "heading"_a, "way"_a, "steering"_a, "wheelbase"_a,
               nb::sig("def driven(x: float, y: float, heading: float, way: float, steering: float, wheelbase: float) "
                       "-> tuple[float, float, float]"),
               "Where a car is after a way with its front wheel at an angle.");
}

}  // namespace kumi
