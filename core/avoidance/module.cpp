// Local avoidance as Python sees it: kumi._core.orca, barrier, potential, and nearest_velocity.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <limits>

#include "avoidance/rules.hpp"
#include "python/checks.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace kumi {
namespace avoidance {
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Row = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Products of four such numbers do not overflow.
constexpr double LARGEST = 1e30;

void check_rows(const Rows& rows, std::size_t width, const char* sentence) {
    check(rows.shape(1) == width, sentence);
    const std::size_t size = rows.shape(0) * width;
    bool is_fine = true;
    for (std::size_t i = 0; i < size; ++i) is_fine &= std::abs(rows.data()[i]) <= LARGEST;
    check(is_fine, sentence);
}

// A setting by which others are multiplied and divided.
void check_setting(double value) {
    check(
        value >= 1.0 / LARGEST && value <= LARGEST,
        "a reach, horizon, period, gain, attraction, repulsion or influence is a number from 1e-30 to 1e30");
}

nb::ndarray<nb::numpy, double> pairs_of(std::vector<Vec>&& found) {
    auto* kept = new std::vector<Vec>(std::move(found));
    nb::capsule keeper(kept, [](void* one) noexcept { delete static_cast<std::vector<Vec>*>(one); });
    const std::size_t shape[] = {kept->size(), 2};
    return nb::ndarray<nb::numpy, double>(kept->data(), 2, shape, keeper);
}

std::vector<Wall> walls_of(const Rows& rows) {
    check_rows(rows, 5, "a wall is five finite numbers up to 1e30: start, end and half its thickness");
    std::vector<Wall> walls(rows.shape(0));
    for (std::size_t i = 0; i < walls.size(); ++i)
        walls[i] = {{rows(i, 0), rows(i, 1)}, {rows(i, 2), rows(i, 3)}, rows(i, 4)};
    for (const Wall& wall : walls) check(wall.radius >= 0.0, "half the thickness of a wall is not below 0");
    return walls;
}

// Applies a rule to each of those who decide. Where they are among those seen, the first is the first, and so on. Walls count within
// what the top speed drives in the wall time, and the wall reach.
template <typename Rule>
nb::ndarray<nb::numpy, double> decided(const Rows& own, const Rows& seen, const Rows& walls, double reach,
                                       std::size_t most, bool is_among, double wall_time, double wall_reach,
                                       const Rule& rule) {
    check_rows(own, 8,
               "who decides is eight finite numbers up to 1e30: place, velocity, wish, radius and top speed");
    check_rows(seen, 6, "who is seen is six finite numbers up to 1e30: place, velocity, radius and share");
    check(!is_among || own.shape(0) <= seen.shape(0), "who decides is among those seen");
    check_setting(reach);
    const std::vector<Wall> lines = walls_of(walls);
    std::vector<Seen> others(seen.shape(0));
    std::vector<Vec> places(others.size());
    std::vector<double> radii(others.size());
    for (std::size_t i = 0; i < others.size(); ++i) {
        others[i] = {{seen(i, 0), seen(i, 1)}, {seen(i, 2), seen(i, 3)}, seen(i, 4), seen(i, 5)};
        places[i] = others[i].place;
        radii[i] = others[i].radius;
    }
    const std::size_t count = own.shape(0);
    double largest = 0.0;
    for (std::size_t i = 0; i < count; ++i)
        largest = std::max(largest, own(i, 6) + wall_time * own(i, 7) + wall_reach);
    const Neighbourhood neighbourhood(places.data(), radii.data(), places.size(), reach);
    const Walls all(lines, largest);
    std::vector<Vec> result(count);
    std::vector<Near> near;
    for (std::size_t i = 0; i < count; ++i) {
        const Own one{
            {own(i, 0), own(i, 1)}, {own(i, 2), own(i, 3)}, {own(i, 4), own(i, 5)}, own(i, 6), own(i, 7)};
        neighbourhood.find(one.place, is_among ? i : std::numeric_limits<std::size_t>::max(), most, near);
        result[i] = rule(one, Scene{others, all, near});
    }
    return pairs_of(std::move(result));
}

nb::ndarray<nb::numpy, double> orca(Rows own, Rows seen, Rows walls, double reach, std::size_t most,
                                    bool is_among, double horizon, double wall_horizon, double period) {
    for (double one : {horizon, wall_horizon, period}) check_setting(one);
    HalfPlanes work;
    const OrcaRule rule{horizon, wall_horizon, period};
    return decided(own, seen, walls, reach, most, is_among, wall_horizon, 0.0,
                   [&](const Own& one, const Scene& scene) { return orca_velocity(one, scene, rule, work); });
}

nb::ndarray<nb::numpy, double> barrier(Rows own, Rows seen, Rows walls, double reach, std::size_t most,
                                       bool is_among, double gain) {
    check_setting(gain);
    HalfPlanes work;
    const BarrierRule rule{gain};
    return decided(
        own, seen, walls, reach, most, is_among, 1.0 / gain, 0.0,
        [&](const Own& one, const Scene& scene) { return barrier_velocity(one, scene, rule, work); });
}

nb::ndarray<nb::numpy, double> potential(Rows own, Rows seen, Rows walls, double reach, std::size_t most,
                                         bool is_among, double attraction, double repulsion,
                                         double influence) {
    for (double one : {attraction, repulsion, influence}) check_setting(one);
    const PotentialRule rule{attraction, repulsion, influence};
    return decided(own, seen, walls, reach, most, is_among, 0.0, influence,
                   [&](const Own& one, const Scene& scene) { return potential_velocity(one, scene, rule); });
}

nb::tuple nearest_velocity(Rows planes, Row wanted, double top, std::size_t hard) {
    check_rows(planes, 3, "a half-plane is three finite numbers up to 1e30: normal and bound");
    check(wanted.shape(0) == 2, "a velocity is two numbers");
    check(hard <= planes.shape(0), "no more half-planes are hard than there are");
    HalfPlanes work;
    for (std::size_t i = 0; i < planes.shape(0); ++i)
        work.planes.push_back({{planes(i, 0), planes(i, 1)}, planes(i, 2)});
    const Vec found = work.nearest({wanted(0), wanted(1)}, top, hard);
    return nb::make_tuple(found.x, found.y);
}

}  // namespace
}  // namespace avoidance

void add_avoidance(nb::module_& module) {
    module.def("orca", &avoidance::orca, "own"_a, "seen"_a, "walls"_a, "reach"_a, "most"_a, "is_among"_a,
               "horizon"_a, "wall_horizon"_a, "period"_a,
               nb::sig("def orca(own: Any, seen: Any, walls: Any, reach: float, most: int, is_among: bool, "
                       "horizon: float, wall_horizon: float, period: float) -> Any"),
               "The velocities of reciprocal collision avoidance.");
    module.def("barrier", &avoidance::barrier, "own"_a, "seen"_a, "walls"_a, "reach"_a, "most"_a,
               "is_among"_a, "gain"_a,
               nb::sig("def barrier(own: Any, seen: Any, walls: Any, reach: float, most: int, is_among: "
                       "bool, gain: float) -> Any"),
               "The velocities nearest to the wanted ones that a control barrier function allows.");
    module.def("potential", &avoidance::potential, "own"_a, "seen"_a, "walls"_a, "reach"_a, "most"_a,
               "is_among"_a, "attraction"_a, "repulsion"_a, "influence"_a,
               nb::sig("def potential(own: Any, seen: Any, walls: Any, reach: float, most: int, is_among: "
                       "bool, attraction: float, repulsion: float, influence: float) -> Any"),
               "The velocities of a potential field.");
    module.def("nearest_velocity", &avoidance::nearest_velocity, "planes"_a, "wanted"_a, "top"_a, "hard"_a,
               nb::sig("def nearest_velocity(planes: Any, wanted: Any, top: float, hard: int) -> "
                       "tuple[float, float]"),
               "The velocity within half-planes and a top speed that is nearest to a wanted one.");
}

}  // namespace kumi
