// What is around a place: how far to each thing, how far to the nearest one within a cone, and who is in sight?
#include "numbers/elementary.hpp"
#include "plane/queries.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kumi {

namespace {

constexpr double PAST_EDGE = 1e-9;  // radians by which a beam goes past what it is to miss
constexpr double SLACK = 1e-9;      // more than rounding
constexpr auto ALL = [](const Hot&, Vec, double) { return true; };
const Shape EYE{Shape::Kind::disc, 0.0, 0.0, 0.0, {}, 0.0};

double direction_of(Vec v) { return maths::atan2(v.y, v.x); }

}  // namespace

double off(double direction, double middle) {
    return std::remainder(direction - middle, 2.0 * std::numbers::pi);
}

bool Sector::holds(double direction) const { return std::abs(off(direction, middle)) <= width / 2.0; }

template <class Worth, class Visit> void Queries::visit_gaps(Vec at, double within, BodyId ignoring,
                                                             Traits meeting, Worth&& is_worth,
                                                             Visit&& visit) const {
    visit_near(at, within, [&](BodyId other) {
        if (other == ignoring || bodies_[other].is_gone) return;
        const Vec apart = bodies_.place_of(other) - at;
        const double away = length(apart);
        if (away - bodies_.hot(other).radius > within || !is_worth(bodies_.hot(other), apart, away)) return;
        const Touch touch = gap(EYE, {at, 0.0}, bodies_.shape(other), bodies_.pose(other));
        if (touch.gap <= within) visit(Gap{{touch.gap, other}, touch.normal});
    });
    for (const Fixed& fixed : obstacles_.parts()) {
        if (!fixed.is(STANDS) || !fixed.is(meeting)) continue;
        if (length(beside(fixed.capsule, at).away) > (within + fixed.capsule.radius) * (1.0 + 1e-9)) continue;
        const Touch touch = gap(EYE, {at, 0.0}, *fixed.shape, fixed.placed());
        if (touch.gap <= within) visit(Gap{{touch.gap, NOBODY, fixed.obstacle, fixed.traits}, touch.normal});
    }
}

void Queries::around(Vec at, double within, BodyId ignoring, Traits meeting, const Sector& sector,
                     std::vector<Gap>& found) const {
    visit_gaps(at, within, ignoring, meeting, ALL, [&](const Gap& gap) {
        if (!sector.holds(direction_of(gap.normal))) return;
        for (Gap& one : found) {  // the parts of an obstacle follow each other
            if (gap.hit.obstacle == NO_OBSTACLE || one.hit.obstacle != gap.hit.obstacle) continue;
            if (gap.hit.distance < one.hit.distance) one = gap;
            return;
        }
        found.push_back(gap);
    });
}

double Queries::echo(Vec from, double angle, double reach, BodyId ignoring, Traits stopping,
                     Traits echoing) const {
    const Hit hit = first_hit(from, direction(angle), reach, ignoring, true, stopping);
    return (hit.traits & echoing) != 0 ? hit.distance : INFINITE_TIME;
}

// The nearest point of a convex part within a cone lies on an edge of the cone, unless it is the nearest point of all.
double Queries::nearest_in(const Sector& cone, Vec from, double reach, BodyId ignoring, Traits stopping,
                           Traits echoing) const {
    if (cone.width == 0.0) return echo(from, cone.middle, reach, ignoring, stopping, echoing);
    double best = INFINITE_TIME;
    for (const double side : {-cone.width / 2.0, cone.width / 2.0})
        best = std::min(best, echo(from, cone.middle + side, reach, ignoring, stopping, echoing));
    double nearest = best;
    std::vector<Gap> swallowing;
    // A disc is nearest where its middle is: it counts if that is ahead, and nearer than what was found.
    const Vec ahead = direction(cone.middle);
    const double edge = maths::cos(0.5 * cone.width);
    const auto is_worth = [&](const Hot& hot, Vec apart, double away) {
        return !hot.is_disc || away <= hot.radius ||
               (away - hot.radius <= nearest * (1.0 + SLACK) && dot(apart, ahead) >= away * (edge - SLACK));
    };
    visit_gaps(from, reach, ignoring, stopping, is_worth, [&](const Gap& gap) {
        if ((gap.hit.traits & echoing) == 0) swallowing.push_back(gap);
        const double away = std::max(0.0, gap.hit.distance);
        if (away < nearest && cone.holds(direction_of(gap.normal))) nearest = away;
    });
    return swallowing.empty() ? nearest
                              : nearest_echo_in(cone, from, reach, ignoring, stopping, echoing, swallowing);
}

// Between the edges of the cone, the directions of nearest points and those of the rims of what swallows, the distance
// rises or falls steadily, so that it is least at an end. Where an obstacle comes out from behind another one in between, they
// cross, and that direction is an end, too.
double Queries::nearest_echo_in(const Sector& cone, Vec from, double reach, BodyId ignoring, Traits stopping,
                                Traits echoing, const std::vector<Gap>& swallowing) const {
    const double half = cone.width / 2.0;
    std::vector<double> turns{-half, half};
    const auto add = [&](double direction) {
        const double turn = off(direction, cone.middle);
        if (std::abs(turn) < half) turns.push_back(turn);
    };
    visit_gaps(from, reach, ignoring, stopping, ALL, [&](const Gap& gap) { add(direction_of(gap.normal)); });
    for (const Fixed& fixed : obstacles_.parts()) {
        if (std::none_of(swallowing.begin(), swallowing.end(),
                         [&](const Gap& gap) { return gap.hit.obstacle == fixed.obstacle; }))
            continue;
        for (const Vec end : {fixed.capsule.a, fixed.capsule.b}) {
            const Vec step = end - from;
            const double away = length(step), radius = fixed.capsule.radius;
            if (away <= radius) continue;
            const double spread = maths::atan2(radius, std::sqrt((away - radius) * (away + radius)));
            add(direction_of(step) - spread);
            add(direction_of(step) + spread);
        }
    }
    std::sort(turns.begin(), turns.end());
    turns.erase(std::unique(turns.begin(), turns.end()), turns.end());
    const auto look = [&](double turn) {
        return echo(from, cone.middle + turn, reach, ignoring, stopping, echoing);
    };
    double best = INFINITE_TIME;
    for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
        const double inset = std::min(PAST_EDGE, (turns[i + 1] - turns[i]) / 4.0);
        double lit = turns[i] + inset, dim = turns[i + 1] - inset;
        const double first = look(lit), last = look(dim);
        best = std::min({best, first, last});
        if ((first == INFINITE_TIME) == (last == INFINITE_TIME)) continue;
        if (first == INFINITE_TIME) std::swap(lit, dim);
        while (std::abs(lit - dim) > PAST_EDGE) {
            const double middle = (lit + dim) / 2.0, found = look(middle);
            (found == INFINITE_TIME ? dim : lit) = middle;
            best = std::min(best, found);
        }
    }
    return best;
}

void Queries::in_sight(BodyId viewer, double within, double view, double bearing, bool is_hidden_by_others,
                       std::vector<Sight>& found) const {
    const Pose here = wrapped(bodies_.pose(viewer));
    const Sector sector{here.heading + bearing, view};
    std::vector<BodyId> close;
    near(here.at, within, close);
    for (const BodyId other : close) {
        if (other == viewer) continue;
        const Vec step = bodies_.pose(other).at - here.at;
        const double away = length(step), towards = direction_of(step);
        if (away > 0.0) {
            if (!sector.holds(towards)) continue;
            if (is_hidden_by_others && is_hidden(viewer, other, here.at, direction(towards), away, close))
                continue;
        }
        const double distance = gap(EYE, {here.at, 0.0}, bodies_.shape(other), bodies_.pose(other)).gap;
        found.push_back({other, std::max(0.0, distance), off(towards, here.heading)});
    }
}

// Whether a ray towards a body meets something before it. What stands in between is among those who are close: its surface is
// nearer than that of the body.
bool Queries::is_hidden(BodyId viewer, BodyId other, Vec from, Vec along, double away,
                        const std::vector<BodyId>& close) const {
    double nearest = away;
    BodyId first = NOBODY;
    for (const BodyId one : close) {
        if (one == viewer) continue;
        const Hot& hot = bodies_.hot(one);
        const Vec at = bodies_.place_of(one), m = at - from;
        if (std::abs(kumi::cross(along, m)) > hot.radius || dot(m, along) < -hot.radius) continue;
        const double way = hot.is_disc ? ray_to_round(from, along, at, hot.radius)
                                       : ray(bodies_.shape(one), bodies_.pose(one), from, along);
        if (way == nearest) first = NOBODY;
        if (way >= nearest) continue;
        nearest = way;
        first = one;
    }
    if (first != NOBODY && first != other) return true;
    if (first == other) {
        const double obstacle = first_hit(from, along, away, viewer, false, STOPS_LIGHT).distance;
        if (obstacle != nearest) return obstacle < nearest;
    }
    const Hit hit = first_hit(from, along, away, viewer, true, STOPS_LIGHT);  // of two that are equally near
    return hit.distance < INFINITE_TIME && hit.body != other;
}

}  // namespace kumi
