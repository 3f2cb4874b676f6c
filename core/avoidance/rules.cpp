#include "avoidance/rules.hpp"

#include <algorithm>
#include <cmath>

namespace kumi::avoidance {

namespace {

// The square of a vector that is shorter than this has lost digits, and with them its direction.
constexpr double SHORTEST = 1e-150;

// The direction of a vector, or another where it has none.
Vec unit_or(Vec v, Vec other) {
    const double size = length(v);
    return size > SHORTEST ? v / size : other;
}

// What a wall allows: its surface comes nearer at no more than `rate` times its distance.
void add_walls(const Own& own, const Scene& scene, double rate, std::vector<HalfPlane>& planes) {
    scene.walls.near(own.place, [&](const Wall& wall) {
        const Vec away = nearest_on(wall, own.place) - own.place;
        const double distance = length(away), bound = rate * (distance - wall.radius - own.radius);
        if (bound < own.top)
            planes.push_back({unit_or(away, unit_or(left_of(wall.end - wall.start), {1.0, 0.0})), bound});
    });
}

}  // namespace

HalfPlane orca_plane(const Own& own, const Seen& other, const OrcaRule& rule) {
    const Vec between = other.place - own.place, relative = own.velocity - other.velocity;
    const double distance = square(between), reach = own.radius + other.radius;
    const bool is_apart = distance > reach * reach && distance > SHORTEST * SHORTEST;
    const double time = is_apart ? rule.horizon : rule.period;
    // From the middle of the disc of velocities that meet at the end of that time.
    const Vec from_disc = relative - between / time;
    const double ahead = dot(from_disc, between);
    Vec outward, change;
    if (!is_apart || (ahead < 0.0 && ahead * ahead > reach * reach * square(from_disc))) {
        outward = unit_or(from_disc, unit_or(-between, {1.0, 0.0}));
        change = outward * (reach / time - length(from_disc));
    } else {
        const double leg = std::sqrt(distance - reach * reach);
        const bool is_left = cross(between, from_disc) > 0.0;
        const Vec edge =
            (is_left ? Vec{between.x * leg - between.y * reach, between.x * reach + between.y * leg}
                     : Vec{between.x * leg + between.y * reach, between.y * leg - between.x * reach}) /
            distance;
        outward = is_left ? left_of(edge) : -left_of(edge);
        change = edge * dot(relative, edge) - relative;
    }
    return {-outward, -dot(outward, own.velocity + change * other.share)};
}

Vec orca_velocity(const Own& own, const Scene& scene, const OrcaRule& rule, HalfPlanes& work) {
    work.planes.clear();
    add_walls(own, scene, 1.0 / rule.wall_horizon, work.planes);
    const std::size_t hard = work.planes.size();
    for (const Near& one : scene.near) work.planes.push_back(orca_plane(own, scene.seen[one.number], rule));
    return work.nearest(own.wanted, own.top, hard);
}

Vec barrier_velocity(const Own& own, const Scene& scene, const BarrierRule& rule, HalfPlanes& work) {
    work.planes.clear();
    add_walls(own, scene, rule.gain, work.planes);
    const std::size_t hard = work.planes.size();
    for (const Near& one : scene.near) {
        const Seen& other = scene.seen[one.number];
        const Vec between = other.place - own.place;
        const Vec normal = unit_or(between, {1.0, 0.0});
        // Who gives way by half lets the other do its half; who gives way alone reckons with the other's velocity.
        const double bound = other.share * rule.gain * (length(between) - own.radius - other.radius) +
                             (2.0 * other.share - 1.0) * dot(normal, other.velocity);
        if (bound < own.top) work.planes.push_back({normal, bound});
    }
    return work.nearest(own.wanted, own.top, hard);
}

Vec potential_velocity(const Own& own, const Scene& scene, const PotentialRule& rule) {
    Vec sum = own.wanted * rule.attraction;
    if (const double size = length(sum); size > own.top) sum *= own.top / size;
    const auto repel = [&](Vec away, double gap) {
        if (gap >= rule.influence) return;
        // Whoever is nearer than a thousandth of the influence is pushed as if it were that far.
        gap = std::max(gap, 1e-3 * rule.influence);
        sum -= away * (rule.repulsion * (1.0 / gap - 1.0 / rule.influence) / (gap * gap));
    };
    for (const Near& one : scene.near) {
        const Seen& other = scene.seen[one.number];
        const Vec between = other.place - own.place;
        repel(unit_or(between, {1.0, 0.0}), length(between) - own.radius - other.radius);
    }
    scene.walls.near(own.place, [&](const Wall& wall) {
        const Vec away = nearest_on(wall, own.place) - own.place;
        repel(unit_or(away, unit_or(left_of(wall.end - wall.start), {1.0, 0.0})),
              length(away) - wall.radius - own.radius);
    });
    const double size = length(sum);
    return size > own.top ? sum * (own.top / size) : sum;
}

}  // namespace kumi::avoidance
