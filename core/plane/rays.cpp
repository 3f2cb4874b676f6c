// What a ray hits first.
#include "plane/queries.hpp"

#include <algorithm>
#include <cmath>

namespace kumi {

namespace {

constexpr double SHORT_BEAM = 2.0;  // cells

}  // namespace

double ray_to_round(Vec from, Vec along, Vec centre, double radius) {
    const Vec m = from - centre;
    const double b = dot(m, along), c = square(m) - radius * radius;
    if (c <= 0.0) return 0.0;
    if (b >= 0.0) return INFINITE_TIME;
    const double aside = cross(m, along);
    const double under = (radius - aside) * (radius + aside);
    return under < 0.0 ? INFINITE_TIME : c / (-b + std::sqrt(under));
}

double ray_to_capsule(Vec from, Vec along, const Capsule& capsule) {
    if (capsule.radius > 0.0 && length(beside(capsule, from).away) <= capsule.radius) return 0.0;
    double best = INFINITE_TIME;
    if (capsule.radius > 0.0)
        best = std::min(ray_to_round(from, along, capsule.a, capsule.radius),
                        ray_to_round(from, along, capsule.b, capsule.radius));
    const Vec side = capsule.b - capsule.a;
    const double extent = length(side);
    if (extent == 0.0) return best;
    Vec n = left_of(side) * (1.0 / extent);
    double away = dot(from - capsule.a, n);
    if (away < 0.0 || (away == 0.0 && dot(along, n) > 0.0)) {  // who stands on a line meets it either way
        n = -n;
        away = -away;
    }
    const double rate = dot(along, n);
    if (rate == 0.0 && away == 0.0 &&
        capsule.radius == 0.0) {  // along a line that has no width: its near end
        const double to_a = dot(capsule.a - from, along), to_b = dot(capsule.b - from, along);
        return std::max(to_a, to_b) < 0.0 ? INFINITE_TIME : std::max(0.0, std::min(to_a, to_b));
    }
    if (rate < 0.0 && away >= capsule.radius) {
        const double way = (away - capsule.radius) / -rate;
        const double foot = dot(from + along * way - capsule.a, side) / (extent * extent);
        if (foot >= 0.0 && foot <= 1.0) best = std::min(best, way);
    }
    return best;
}

const Solid* Queries::solid_at(Vec point, Traits traits) const {
    for (const Solid& solid : obstacles_.solids())
        if (solid.is(traits) && is_within(solid.corners, point)) return &solid;
    return nullptr;
}

// Visits the cells in which bodies may be that a beam meets, and those through which it goes, until `best` is nearer.
template <class Around, class Within> void Queries::visit_beam(Vec from, Vec along, double reach,
                                                               const double& best, Around&& around,
                                                               Within&& within) const {
    if (reach <= SHORT_BEAM * cells_.grid().cell) {  // the cells about the box around it are few
        const Vec to = from + along * reach;
        const double margin = cells_.limit() + (OVERHANG + 1e-9) * cells_.grid().cell;
        const auto first = [&](double a, double b, double aside) {
            return cells_.grid().index(std::min(a, b) - aside);
        };
        const auto last = [&](double a, double b, double aside) {
            return cells_.grid().index(std::max(a, b) + aside);
        };
        const std::int32_t right = last(from.x, to.x, margin), top = last(from.y, to.y, margin);
        for (std::int32_t y = first(from.y, to.y, margin); y <= top; ++y)
            for (std::int32_t x = first(from.x, to.x, margin); x <= right; ++x) around(x, y);
        if (obstacles_.is_only_box()) return;
        for (std::int32_t y = first(from.y, to.y, 0.0); y <= last(from.y, to.y, 0.0); ++y)
            for (std::int32_t x = first(from.x, to.x, 0.0); x <= last(from.x, to.x, 0.0); ++x) within(x, y);
        return;
    }
    std::int32_t ix = cells_.grid().index(from.x), iy = cells_.grid().index(from.y);
    for (std::int32_t y = iy - 1; y <= iy + 1; ++y)
        for (std::int32_t x = ix - 1; x <= ix + 1; ++x) around(x, y);
    for (double way = 0.0; way - 2.0 * cells_.grid().cell <= best && way <= reach + cells_.grid().cell;) {
        within(ix, iy);
        const double to_x = along.x > 0.0   ? (cells_.grid().high(ix) - from.x) / along.x
                            : along.x < 0.0 ? (cells_.grid().low(ix) - from.x) / along.x
                                            : INFINITE_TIME;
        const double to_y = along.y > 0.0   ? (cells_.grid().high(iy) - from.y) / along.y
                            : along.y < 0.0 ? (cells_.grid().low(iy) - from.y) / along.y
                                            : INFINITE_TIME;
        way = std::min(to_x, to_y);
        if (to_x <= to_y) {
            const std::int32_t step = along.x > 0.0 ? 1 : -1;
            ix += step;
            for (std::int32_t y = iy - 1; y <= iy + 1; ++y) around(ix + step, y);
        } else {
            const std::int32_t step = along.y > 0.0 ? 1 : -1;
            iy += step;
            for (std::int32_t x = ix - 1; x <= ix + 1; ++x) around(x, iy + step);
        }
    }
}

Hit Queries::first_hit(Vec from, Vec along, double reach, BodyId ignoring, bool bodies,
                       Traits stopping) const {
    Hit best;
    best.distance = std::nextafter(reach, INFINITE_TIME);
    const auto try_body = [&](BodyId other) {
        if (other == ignoring || bodies_[other].is_gone) return;
        const Hot& hot = bodies_.hot(other);
        if (!hot.is_simple &&
            !hot.rests) {  // most are off the beam by far, and where they are takes long to tell
            const Chord chord = bodies_.chord_of(other);
            const Vec m = chord.at - from;
            const double within = hot.radius * (1.0 + 1e-6) + chord.aside, ahead = dot(m, along);
            if (std::abs(kumi::cross(along, m)) > within || ahead < -within || ahead - within > best.distance)
                return;
        }
        const Vec at = bodies_.place_of(other);
        const Vec m = at - from;
        if (std::abs(kumi::cross(along, m)) > hot.radius || dot(m, along) < -hot.radius) return;
        const double way = hot.is_disc ? ray_to_round(from, along, at, hot.radius)
                                       : ray(*bodies_[other].shape, bodies_.pose(other), from, along);
        if (way < best.distance) best = {way, other, NO_OBSTACLE};
    };
    const auto try_part = [&](std::uint32_t part) {
        const Fixed& fixed = obstacles_[part];
        if (!fixed.is(stopping)) return;
        const double way = ray_to_capsule(from, along, fixed.capsule);
        if (way < best.distance) best = {way, NOBODY, fixed.obstacle, fixed.traits};
    };
    const bool obstacles = stopping != 0;
    if (obstacles) {
        if (const Solid* solid = solid_at(from, stopping))
            return {0.0, NOBODY, solid->obstacle, solid->traits};
        if (!obstacles_.box() || !is_well_within(*obstacles_.box(), from) ||
            !is_well_within(*obstacles_.box(), from + along * reach))  // a box is convex
            for (std::uint32_t part : obstacles_.box_parts()) try_part(part);
    }
    // Where cells are too far out to have numbers of their own a beam does not go on from one to the next.
    const auto has_cell = [&] {
        return std::max(std::abs(from.x), std::abs(from.y)) < 0.5 * Grid::LAST * cells_.grid().cell;
    };
    const bool is_done = !bodies && (!obstacles || obstacles_.is_only_box());
    const double cells = cells_.is_shaped() && cells_.are_there() && has_cell()
                             ? 3.0 * std::min(reach, best.distance) / cells_.grid().cell
                             : INFINITE_TIME;
    if (!is_done && cells > static_cast<double>(bodies_.alive() + obstacles_.size())) {
        for (BodyId other = 0; bodies && other < bodies_.size(); ++other) try_body(other);
        for (std::uint32_t part = 0; obstacles && part < obstacles_.size(); ++part) try_part(part);
    } else if (!is_done) {
        visit_beam(
            from, along, reach, best.distance,
            [&](std::int32_t ix, std::int32_t iy) {
                if (bodies) cells_.grid().visit_cell(ix, iy, try_body);
            },
            [&](std::int32_t ix, std::int32_t iy) {
                if (const auto* parts = obstacles ? cells_.fixed_in(ix, iy) : nullptr)
                    for (std::uint32_t part : *parts) try_part(part);
            });
        for (BodyId other : cells_.large())
            if (bodies) try_body(other);
        for (std::uint32_t part : cells_.everywhere())
            if (obstacles) try_part(part);
    }
    if (best.body == NOBODY && best.obstacle == NO_OBSTACLE) best.distance = INFINITE_TIME;
    return best;
}

}  // namespace kumi
