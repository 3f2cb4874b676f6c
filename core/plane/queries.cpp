#include "plane/queries.hpp"

#include <algorithm>
#include <cmath>

namespace kumi {

namespace {

bool is_outside(const Box& box, Vec at) {
    return at.x < box.left || at.x > box.right || at.y < box.bottom || at.y > box.top;
}

}  // namespace

BodyId Queries::body_in(std::int32_t obstacle) const {
    for (BodyId id : bodies_.by_number()) {
        const Shape& shape = *bodies_[id].shape;
        const Pose here = bodies_.pose(id);
        const auto overlaps = [&](const Fixed& fixed) {
            return fixed.obstacle == obstacle && fixed.is(STOPS_BODIES) &&
                   gap(shape, here, *fixed.shape, fixed.placed()).gap < -TOUCHING * shape.reach;
        };
        const Vec within = middle(shape, here);
        const auto holds = [&](const Solid& solid) {
            return solid.obstacle == obstacle && solid.is(STOPS_BODIES) && is_within(solid.corners, within);
        };
        if (std::any_of(obstacles_.parts().begin(), obstacles_.parts().end(), overlaps) ||
            std::any_of(obstacles_.solids().begin(), obstacles_.solids().end(), holds))
            return id;
    }
    return NOBODY;
}

bool Queries::is_solid(Vec at) const {
    if (obstacles_.box() && is_outside(*obstacles_.box(), at)) return true;
    for (const Solid& solid : obstacles_.solids())
        if (solid.is(STOPS_BODIES) && is_within(solid.corners, at)) return true;
    const auto holds = [&](std::uint32_t part) {
        const Fixed& fixed = obstacles_[part];
        return fixed.is(STOPS_BODIES) && fixed.capsule.radius > 0.0 &&
               length(beside(fixed.capsule, at).away) < fixed.capsule.radius;
    };
    if (!cells_.is_shaped() || !cells_.are_there()) {
        for (std::uint32_t part = 0; part < obstacles_.size(); ++part)
            if (holds(part)) return true;
        return false;
    }
    if (const auto* parts = cells_.fixed_in(cells_.grid().index(at.x), cells_.grid().index(at.y)))
        for (std::uint32_t part : *parts)
            if (holds(part)) return true;
    return std::any_of(cells_.everywhere().begin(), cells_.everywhere().end(), holds);
}

Hit Queries::in_the_way(const Shape& shape, const Pose& pose, BodyId ignoring) const {
    Hit worst;
    worst.distance = -TOUCHING * shape.reach;
    const auto try_body = [&](BodyId other) {
        if (other == ignoring || bodies_[other].is_gone) return;
        const double open = gap(shape, pose, *bodies_[other].shape, bodies_.pose(other)).gap;
        if (open < worst.distance - TOUCHING * bodies_.hot(other).radius) worst = {open, other, NO_OBSTACLE};
    };
    std::vector<BodyId> close;
    near(pose.at, shape.reach, close);
    if (!bodies_.may_overlap())
        for (BodyId other : close) try_body(other);
    if (worst.body != NOBODY) return worst;
    for (std::uint32_t part = 0; part < obstacles_.size(); ++part) {
        const Fixed& fixed = obstacles_[part];
        if (!fixed.is(STOPS_BODIES)) continue;
        if (length(beside(fixed.capsule, pose.at).away) > shape.reach + fixed.capsule.radius) continue;
        const double open = gap(shape, pose, *fixed.shape, fixed.placed()).gap;
        if (open < worst.distance) return {open, NOBODY, fixed.obstacle};
    }
    const Vec within =
        middle(shape, pose);  // no border goes through the shape, so all of it is where one of its points is
    for (const Solid& solid : obstacles_.solids())
        if (solid.is(STOPS_BODIES) && is_within(solid.corners, within))
            return {-INFINITE_TIME, NOBODY, solid.obstacle};
    if (obstacles_.box() && is_outside(*obstacles_.box(), within)) return {-INFINITE_TIME, NOBODY, BORDER};
    return {};
}

void Queries::near(Vec at, double within, std::vector<BodyId>& found) const {
    const auto try_body = [&](BodyId other) {
        if (bodies_[other].is_gone) return;
        const double away = length(bodies_.place_of(other) - at);
        if (bodies_.hot(other).is_disc ? away - bodies_.hot(other).radius <= within
                                       : away - bodies_.hot(other).radius <= within &&
                                             gap(Shape{Shape::Kind::disc, 0.0, 0.0, 0.0, {}, 0.0}, {at, 0.0},
                                                 *bodies_[other].shape, bodies_.pose(other))
                                                     .gap <= within)
            found.push_back(other);
    };
    visit_near(at, within, try_body);
    bodies_.sort_by_number(found);
}

void Queries::near_obstacles(Vec at, double within, std::vector<Hit>& found) const {
    const auto try_part = [&](std::uint32_t part) {
        const Fixed& fixed = obstacles_[part];
        if (!fixed.is(STANDS)) return;
        const double away = std::max(0.0, length(beside(fixed.capsule, at).away) - fixed.capsule.radius);
        if (away > within) return;
        for (Hit& hit : found) {
            if (hit.obstacle != fixed.obstacle) continue;
            hit.distance = std::min(hit.distance, away);
            return;
        }
        found.push_back({away, NOBODY, fixed.obstacle});
    };
    for (std::uint32_t part = 0; part < obstacles_.size(); ++part) try_part(part);
    for (const Solid& solid : obstacles_.solids()) {
        if (!solid.is(STANDS) || !is_within(solid.corners, at)) continue;
        std::erase_if(found, [&](const Hit& hit) { return hit.obstacle == solid.obstacle; });
        found.push_back({0.0, NOBODY, solid.obstacle});
    }
    std::sort(found.begin(), found.end(), [](const Hit& a, const Hit& b) { return a.distance < b.distance; });
}

double Queries::least_gap() const {
    double least = INFINITE_TIME;
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        if (bodies_[id].is_gone) continue;
        const auto compare = [&](BodyId other) {
            if (other != id && !bodies_[other].is_gone)
                least = std::min(least, bodies_.gap_between(id, other, nullptr, nullptr));
        };
        if (cells_.grid().holds(id)) {
            const Grid::Link& link = cells_.grid().link(id);
            cells_.grid().visit_around(link.ix, link.iy, compare);
            for (BodyId other : cells_.large()) compare(other);
        } else {
            for (BodyId other = 0; other < bodies_.size(); ++other) compare(other);
        }
        for (const Fixed& fixed : obstacles_.parts())
            if (fixed.is(STOPS_BODIES))
                least = std::min(least,
                                 gap(*bodies_[id].shape, bodies_.pose(id), *fixed.shape, fixed.placed()).gap);
    }
    return least;
}

}  // namespace kumi
