// What stands in the way of a body, and where the ground changes under it.
#include "geometry/arc.hpp"
#include "plane/prediction.hpp"

#include <algorithm>
#include <cmath>

namespace kumi {

namespace {

// When a disc at constant velocity meets the box around it from inside.
double meet_box(Vec at, double vx, double vy, double radius, const Box& box, double longest, int& side) {
    double best = INFINITE_TIME;
    const double rooms[4] = {at.y - radius - box.bottom, box.right - radius - at.x, box.top - radius - at.y,
                             at.x - radius - box.left};
    const double speeds[4] = {-vy, vx, vy, -vx};
    for (int i = 0; i < 4; ++i) {
        if (speeds[i] <= 0.0) continue;
        double wait = rooms[i] / speeds[i];
        if (rooms[i] <= TOUCHING * radius) {
            // Along the side, but for rounding: a contact only where that adds up to something.
            const bool is_along = speeds[i] * speeds[i] <= 1e-18 * (vx * vx + vy * vy);
            wait = is_along ? (rooms[i] + TOUCHING * radius) / speeds[i] : 0.0;
            if (wait >= longest || speeds[i] * longest - rooms[i] <= TOUCHING * radius) continue;
        }
        if (wait > longest && speeds[i] * (wait - longest) <= TOUCHING * radius) wait = longest;
        if (wait < best) {
            best = wait;
            side = i;
        }
    }
    return best;
}

// Whether a disc is well within the box there.
bool ends_inside(Vec at, double radius, const Box& box) {
    const double margin = radius * (1.0 + 4.0 * TOUCHING);
    return (at.x - box.left > margin) & (box.right - at.x > margin) & (at.y - box.bottom > margin) &
           (box.top - at.y > margin);
}

// Whether a disc is within the box, or out of it by no more than rounding: it is not, where it was let pass.
bool begins_inside(Vec at, double radius, const Box& box) {
    const double margin = radius * (1.0 - SURELY);
    return (at.x - box.left >= margin) & (box.right - at.x >= margin) & (at.y - box.bottom >= margin) &
           (box.top - at.y >= margin);
}

// A place that lies behind on the circle comes again after the way round; one less than `slack` behind is here.
double ahead(const Arc& arc, double way, double slack) {
    return way < -slack ? way + arc.round() : std::max(0.0, way);
}

// Ways along a piece at which its path passes the border of a region in the wanted sense.
double way_to_side(const Piece& piece, double done, Vec a, Vec b, bool enters) {
    const Vec along = b - a;
    const double extent = length(along);
    const Vec inward = left_of(along) * (1.0 / extent);
    const double slack = 1e-12 * (extent + length(a));
    if (piece.kind == Piece::Kind::line) {
        const double rate = dot(piece.u, inward);
        if (rate == 0.0 || (rate > 0.0) != enters) return INFINITE_TIME;
        const Vec p = piece.first.at + piece.u * done;
        const double way = dot(a - p, inward) / rate;
        if (way < -slack) return INFINITE_TIME;
        const double foot = dot(p + piece.u * way - a, along) / extent;
        return foot >= -slack && foot <= extent + slack ? std::max(0.0, way) : INFINITE_TIME;
    }
    const Arc arc(turned(piece.u, piece.w * done), piece.w);
    const Vec p = piece.first.at + bent(piece.u, done, piece.w * done) - a;
    const Crossing crossing = arc.side(dot(p, inward), inward);
    if (crossing.under <= 0.0) return INFINITE_TIME;
    const double way = ahead(arc, enters ? arc.way_out(crossing) : arc.way_in(crossing), slack);
    const double foot = dot(p + arc.offset(way), along) / extent;
    return foot >= -slack && foot <= extent + slack ? way : INFINITE_TIME;
}

double way_to_round(const Piece& piece, double done, Vec centre, double radius, bool enters) {
    if (piece.kind == Piece::Kind::line) {
        const Vec m = piece.first.at + piece.u * done - centre;
        const double b = dot(m, piece.u), aside = cross(m, piece.u);
        if (std::abs(aside) >= radius) return INFINITE_TIME;
        const double half = std::sqrt((radius - aside) * (radius + aside));
        const double way = enters ? -b - half : half - b;
        return way < -1e-9 * radius ? INFINITE_TIME : std::max(0.0, way);
    }
    const Arc arc(turned(piece.u, piece.w * done), piece.w);
    const Crossing crossing = arc.disc(centre - piece.first.at - bent(piece.u, done, piece.w * done), radius);
    if (crossing.under <= 0.0) return INFINITE_TIME;
    return ahead(arc, enters ? arc.way_in(crossing) : arc.way_out(crossing), 1e-9 * radius);
}

}  // namespace

void Prediction::predict_fixed(BodyId id) {
    Body& b = bodies_[id];
    b.fixed = INFINITE_TIME;
    b.is_fixed_sure = true;
    const Hot& hot = bodies_.hot(id);
    if (hot.rests || hot.is_ghost || b.is_gone) return;
    const bool is_disc = hot.is_disc;
    const Course way = bodies_.course(id);
    const auto passes = [&](std::int32_t obstacle) { return contacts_.lets_pass({id, NOBODY, obstacle}); };
    const Chord chord =
        bodies_.chord_of(id);  // while this stretch of a bend lasts, it is no farther from here
    const double within =
        hot.is_stretch()
            ? hot.radius * (1.0 + SURELY) + chord.aside +
                  (hot.until < INFINITE_TIME ? length(chord.velocity) * (hot.until - bodies_.now) : 0.0)
            : INFINITE_TIME;
    const auto meet = [&](std::uint32_t part) {
        const Fixed& fixed = obstacles_[part];
        if (!fixed.is(STOPS_BODIES) || passes(fixed.obstacle)) return;
        if (within < INFINITE_TIME &&
            length(beside(fixed.capsule, chord.at).away) > within + fixed.capsule.radius)
            return;
        Meeting found;
        if (is_disc && b.piece.kind != Piece::Kind::pattern) {
            found.time = meet_capsule(way, hot.radius, fixed.capsule, bodies_.now);
        } else {
            const Piece still = resting(fixed.placed());
            found =
                meet_shapes(way, *b.shape, {&still, bodies_.now, 0.0, 1.0}, *fixed.shape, bodies_.now, b.end);
        }
        if (found.time < b.fixed) {
            b.fixed = found.time;
            b.fixed_with = static_cast<std::int32_t>(part);
            b.is_fixed_sure = found.sure;
        }
    };
    if (obstacles_.box() && !passes(BORDER)) {
        const bool is_in =
            is_disc && hot.is_simple &&
            (!bodies_.is_any_out() || begins_inside(bodies_.place(hot), hot.radius, *obstacles_.box()));
        if (is_in && std::isfinite(b.piece.duration) &&
            ends_inside(b.piece.last.at, hot.radius, *obstacles_.box())) {
            // The box is convex: between two places within it is no side of it.
        } else if (is_in) {
            int side = 0;
            const double wait = meet_box(bodies_.place(hot), hot.vx, hot.vy, hot.radius, *obstacles_.box(),
                                         b.end - bodies_.now, side);
            if (wait < INFINITE_TIME) {
                b.fixed = bodies_.now + std::max(0.0, wait);
                b.fixed_with = side;
            }
        } else if (within < INFINITE_TIME && ends_inside(chord.at, within, *obstacles_.box())) {
            // It does not come that far in this stretch.
        } else if (const double left = b.piece.kind == Piece::Kind::arc
                                           ? bodies_.way_at(id, b.end) - bodies_.odometer(id)
                                           : INFINITE_TIME;
                   !is_disc || !ends_inside(way.pose(bodies_.now).at, hot.radius + left,
                                            *obstacles_.box())) {  // else it does not come that far
            for (std::uint32_t part : obstacles_.box_parts()) meet(part);
        }
    }
    if (!obstacles_.is_only_box()) cells_.visit_fixed(id, meet);
}

void Prediction::predict_ground(BodyId id) {
    Body& b = bodies_[id];
    if (b.rare) {
        b.rare->ground = INFINITE_TIME;
        b.aside = b.rare->first();
    }
    if (obstacles_.regions().empty() || b.is_gone || !b.piece.moves()) return;
    Rare& rare = bodies_.own_rare(id);
    const Piece& piece = b.piece;
    const double clock = std::max(0.0, bodies_.course(id).clock_at(bodies_.now));
    const double done = piece.kind == Piece::Kind::pattern ? 0.0 : piece.way(clock);
    cells_.visit_fixed(id, [&](std::uint32_t part) {
        const Fixed& fixed = obstacles_[part];
        if (fixed.region < 0) return;
        const Region& region = obstacles_.regions()[static_cast<std::size_t>(fixed.region)];
        const bool inside = std::find(rare.regions.begin(), rare.regions.end(),
                                      static_cast<std::uint32_t>(fixed.region)) != rare.regions.end();
        double time = INFINITE_TIME;
        if (piece.kind == Piece::Kind::pattern) {
            // Advanced by the bound of the speed until it is on the other side.
            const double top = bodies_.course(id).top_speed();
            double at = bodies_.now;
            for (int i = 0; i < 100'000 && at < b.end && top > 0.0; ++i) {
                const Vec p = bodies_.course(id).pose(at).at;
                if (region.holds(p) != inside) {
                    time = at;
                    break;
                }
                const double away = region.radius > 0.0
                                        ? std::abs(length(p - region.corners[0]) - region.radius)
                                        : length(beside(fixed.capsule, p).away);
                at += std::max(away, 1e-10 * (1.0 + length(p))) / top;
            }
        } else {
            const double way = region.radius > 0.0
                                   ? way_to_round(piece, done, region.corners[0], region.radius, !inside)
                                   : way_to_side(piece, done, fixed.capsule.a, fixed.capsule.b, !inside);
            // At a corner it may enter and leave at once, which is once enough.
            const bool is_corner = rare.passed_at == bodies_.now && rare.passed == fixed.region &&
                                   rare.passes >= 2 && way < 1e-9;
            if (way < INFINITE_TIME && !is_corner) {
                const double when = piece.when(done + way);
                if (when < INFINITE_TIME) time = std::max(bodies_.now, b.since + (when - b.clock) / b.rate);
            }
        }
        if (time < rare.ground) {
            rare.ground = time;
            rare.ground_with = static_cast<std::int32_t>(part);
            rare.ground_enters = !inside;
        }
    });
    b.aside = rare.first();
}

}  // namespace kumi
