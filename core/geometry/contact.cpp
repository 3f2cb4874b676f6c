#include "geometry/contact.hpp"

#include "geometry/arc.hpp"
#include "numbers/elementary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kumi {

namespace {

constexpr double NEVER_MET = INFINITE_TIME;
constexpr int MOST_ITERATIONS = 200;
constexpr double ALONG = 1e-9;     // a direction that closes by less than this share goes along a surface
constexpr double PRESSING = 1e-7;  // the same for shapes that turn

// The way from p along the unit vector u until |p - q| has shrunk to `reach`; for one that is farther away.
double way_to_disc(Vec p, Vec u, Vec q, double reach) {
    const Vec m = p - q;
    const double b = dot(u, m);
    if (b >= 0.0) return NEVER_MET;
    const double aside = cross(u, m);
    const double under = (reach - aside) * (reach + aside);
    if (under < 0.0) return NEVER_MET;
    const double c = square(m) - reach * reach;
    return c / (-b + std::sqrt(under));
}

double way_on_line(Vec p, Vec u, double longest, const Capsule& target, double reach) {
    const double slack = TOUCHING * reach + ROUNDING * (length(p) + length(target.a));
    const Beside here = beside(target, p);
    const double away = length(here.away);
    if (away - reach <= slack) {
        if (away == 0.0) return 0.0;
        const Vec n = here.away * (1.0 / away);
        const double closing = dot(u, n);
        if (closing >= 0.0) return NEVER_MET;
        if (here.is_at_end() && std::abs(cross(u, here.away)) >= reach - slack &&
            (target.a == target.b ||
             dot(u, here.share == 0.0 ? target.b - target.a : target.a - target.b) <= 0.0))
            return NEVER_MET;
        // Along the surface, but for rounding: a contact only where that adds up to something.
        if (closing > -ALONG) {
            const double way = (away - reach + slack) / -closing;
            return way < longest ? std::max(0.0, way) : NEVER_MET;
        }
        return 0.0;
    }
    double best = std::min(way_to_disc(p, u, target.a, reach), way_to_disc(p, u, target.b, reach));
    const Vec along = target.b - target.a;
    const double extent = length(along);
    if (extent > 0.0) {
        const Vec t = along * (1.0 / extent);
        Vec n = left_of(t);
        double side = dot(p - target.a, n);
        if (side < 0.0) {
            n = -n;
            side = -side;
        }
        const double rate = dot(u, n);
        if (rate < 0.0) {  // who does not touch it is no nearer than its surface, whatever rounding says
            const double way = std::max(0.0, (side - reach) / -rate);
            const double foot = dot(p + u * way - target.a, t);
            if (foot >= 0.0 && foot <= extent) best = std::min(best, way);
        }
    }
    return best;
}

// The same on an arc. Of what is touched already only that counts into which it sinks by more than `slack`: from where
// it comes to the surface, or at once if it is there; if it goes all but along it, from where it has sunk in.
double way_on_arc(const Arc& arc, Vec p, double longest, const Capsule& target, double reach) {
    const double slack = TOUCHING * reach + ROUNDING * (length(p) + length(target.a));
    const Beside here = beside(target, p);
    const double away = length(here.away);
    const bool is_touching = away - reach <= slack;
    if (is_touching) {
        if (away == 0.0) return 0.0;
        const Vec n = here.away * (1.0 / away);
        const double closing = dot(arc.along(), n);
        if (closing < -ALONG) return 0.0;
        const double round = here.is_at_end() ? (1.0 - closing * closing) / away : 0.0;
        if (away - reach < -slack && closing <= ALONG && round + dot(arc.bending(), n) < 0.0) return 0.0;
    }
    const auto ahead = [&](double way) { return way < 0.0 ? way + arc.round() : way; };
    // `part` gives the crossing for a reach; a slope is along it below `even`, and what is under the root is nothing below
    // `noise`, as where one disc goes round another; `is_there` tells whether it is met there.
    const auto meet = [&](auto&& part, double even, double noise, auto&& is_there) {
        const Crossing surface = part(reach);
        const bool has_surface = surface.under >= 0.0;
        const double here = has_surface ? arc.way_in(surface) : NEVER_MET, way = ahead(here);
        if (!is_touching) return is_there(way) ? way : NEVER_MET;
        const Crossing depth = part(reach - slack);
        if (depth.under <= noise) return NEVER_MET;
        const double below = arc.way_in(depth), sunk = ahead(below);
        const bool is_in = !has_surface || (here <= 0.0 && below > 0.0);  // it is between the two now
        if (!is_in && surface.under > even * even) return is_there(way) ? way : NEVER_MET;
        if (sunk >= longest || !is_there(sunk)) return NEVER_MET;
        if (depth.under <= even * even) return sunk;
        return is_in ? 0.0 : way;
    };
    const auto meet_disc = [&](Vec centre) {
        return meet([&](double r) { return arc.disc(centre - p, r); }, ALONG * reach,
                    8.0 * ROUNDING * reach * reach, [](double) { return true; });
    };
    double best = meet_disc(target.a);
    const Vec along = target.b - target.a;
    const double extent = length(along);
    if (extent == 0.0) return best;
    best = std::min(best, meet_disc(target.b));
    const Vec t = along * (1.0 / extent);
    for (const Vec n : {left_of(t), -left_of(t)}) {
        double side = dot(p - target.a, n);
        if (!is_touching && !here.is_at_end() && side > 0.0)
            side = std::max(side, reach);  // whatever rounding says
        const auto is_there = [&](double way) {
            if (way == NEVER_MET) return false;
            const double foot = dot(p - target.a + arc.offset(way), t);
            return foot >= 0.0 && foot <= extent;
        };
        best = std::min(best, meet([&](double r) { return arc.side(side - r, n); }, ALONG, 0.0, is_there));
    }
    return best;
}

// Radians a second, but for patterns.
double turning_at(const Course& course, double time) {
    const Piece& piece = *course.piece;
    const double speed = piece.v + piece.a * std::clamp(course.clock_at(time), 0.0, piece.duration);
    return (piece.kind == Piece::Kind::arc ? piece.w * speed : piece.w) * course.rate;
}

// How fast the gap opens of two that touch: as fast as what touches moves apart, where it does so least. Elsewhere a side may
// come forwards as it turns, and touch nothing.
double opening_at(const Touch& touch, const Course& one, const Pose& here, const Course& other,
                  const Pose& there, double time) {
    const auto apart_at = [&](Vec point) {
        const Vec velocity = other.velocity(time) - one.velocity(time);
        const Vec turning = left_of(point - there.at) * turning_at(other, time) -
                            left_of(point - here.at) * turning_at(one, time);
        return dot(velocity + turning, touch.normal);
    };
    const Vec aside = left_of(touch.normal) * touch.half;
    return std::min(apart_at(touch.point - aside), apart_at(touch.point + aside));
}

// A point of a body that is, or may become, the foremost one in a direction: so far behind the foremost now, coming
// forwards so fast, which grows by no more than `bending`.
struct Foremost {
    double behind, rate, bending;
};

// The points of a body that may become foremost in a direction as it turns: at first only that which is so now.
class Turning {
  public:
    void look(const Course& course, const Shape& shape, const Pose& pose, Vec forwards, double time) {
        points_.clear();
        corners_ = nullptr;
        const double top = course.top_turning();
        if (shape.kind == Shape::Kind::disc || top == 0.0) {
            points_.push_back(most_ = {0.0, 0.0, 0.0});
            return;
        }
        const Piece& piece = *course.piece;
        const double faster =
            piece.kind == Piece::Kind::arc ? std::abs(piece.w * piece.a) * course.rate * course.rate : 0.0;
        turning_ = turning_at(course, time);
        axis_ = direction(pose.heading);
        if (shape.kind == Shape::Kind::ellipse) {
            // The most that an ellipse reaches forwards is one function of the angle: its second derivative is the radius
            // of curvature minus itself, its first at most the difference of the half axes.
            const Vec own = turned_back(forwards, axis_);
            const double reach = maths::hypot(shape.a * own.x, shape.b * own.y);
            const double slope = (shape.b - shape.a) * (shape.b + shape.a) * own.x * own.y / reach;
            const double most = std::max(shape.a, shape.b), least = std::min(shape.a, shape.b);
            most_ = {0.0, -turning_ * slope,
                     top * top * (most - least) * (most + least) / least + faster * (most - least)};
            points_.push_back(most_);
            return;
        }
        forwards_ = forwards;
        bending_ = top * top + faster;
        most_ = {0.0, std::abs(turning_) * shape.reach, bending_ * shape.reach};
        corners_ = &shape.corners;
        is_round_ = !shape.angles.empty();
        if (is_round_) {
            first_ = foremost_corner(shape, turned_back(forwards, axis_));
        } else {
            first_ = 0;
            for (std::size_t i = 1; i < corners_->size(); ++i)
                if (forwards_of(i) > forwards_of(first_)) first_ = i;
        }
        farthest_ = forwards_of(first_);
        take(first_);
    }

    const Foremost& first() const { return points_.front(); }
    // No point is nearer, comes forwards faster, or does so by more a second.
    const Foremost& most() const { return most_; }
    std::vector<Foremost>& points() { return points_; }

    // Adds the points that are so far behind the first, or less. From the first on a convex body falls back on both sides.
    void add(double behind) {
        if (!corners_) return;
        const double least = farthest_ - behind;
        const std::size_t count = corners_->size();
        if (!is_round_) {
            for (std::size_t i = 0; i < count; ++i)
                if (i != first_ && forwards_of(i) >= least) take(i);
            return;
        }
        std::size_t left = count - 1;
        for (const std::size_t step : {std::size_t{1}, count - 1})
            for (std::size_t i = (first_ + step) % count; left > 0 && forwards_of(i) >= least; --left) {
                take(i);
                i = (i + step) % count;
            }
    }

  private:
    double forwards_of(std::size_t i) const { return dot(turned((*corners_)[i], axis_), forwards_); }

    void take(std::size_t i) {
        const Vec there = turned((*corners_)[i], axis_);
        points_.push_back({farthest_ - dot(there, forwards_), turning_ * dot(left_of(there), forwards_),
                           bending_ * length(there)});
    }

    std::vector<Foremost> points_;
    Foremost most_{};
    const std::vector<Vec>* corners_ = nullptr;
    Vec axis_, forwards_;
    double turning_ = 0.0, bending_ = 0.0, farthest_ = 0.0;
    std::size_t first_ = 0;
    bool is_round_ = false;
};

// How two bodies come nearer to each other in the direction in which they are nearest now: their gap is never less than
// what lies between them in that direction.
class Closing {
  public:
    // The direction goes from one to the other.
    void look(const Course& one, const Shape& shape_one, const Pose& here, const Course& other,
              const Shape& shape_other, const Pose& there, Vec normal, double time) {
        opening_ = dot(other.velocity(time) - one.velocity(time), normal);
        bending_ = one.top_acceleration() + other.top_acceleration();
        one_.look(one, shape_one, here, normal, time);
        other_.look(other, shape_other, there, -normal, time);
    }

    // The longest step within which the gap, `open` now, surely does not close: the least that any two of their points
    // allow. Most lie so far behind that they cannot meet within the step of the foremost two, whatever the others do.
    double safe(double open) {
        double step = of(open, one_.first(), other_.first());
        const double away = open - nearer(one_.most(), other_.most(), step);
        one_.add(-away);
        other_.add(-away);
        for (const Foremost& one : one_.points()) {
            if (open + one.behind > nearer(one, other_.most(), step)) continue;
            for (const Foremost& other : other_.points()) step = std::min(step, of(open, one, other));
        }
        return step;
    }

  private:
    double of(double open, const Foremost& one, const Foremost& other) const {
        return safe_step(open + one.behind + other.behind, opening_ - one.rate - other.rate,
                         bending_ + one.bending + other.bending);
    }

    // By how much two points come nearer within a step at most, and a little more for rounding.
    double nearer(const Foremost& one, const Foremost& other, double step) const {
        const double way = step * (one.rate + other.rate - opening_),
                     bend = 0.5 * step * step * (bending_ + one.bending + other.bending);
        return way + bend + 1e-9 * (std::abs(way) + bend);
    }

    double opening_ = 0.0, bending_ = 0.0;
    Turning one_, other_;
};

}  // namespace

Beside beside(const Capsule& target, Vec place) {
    const Vec along = target.b - target.a, away = place - target.a;
    const double whole = square(along), before = dot(away, along);
    if (whole == 0.0 || before <= 0.0) return {away, 0.0};
    if (before >= whole) return {place - target.b, 1.0};
    return {left_of(along) * (cross(along, away) / whole), before / whole};
}

double meet_capsule(const Course& course, double radius, const Capsule& target, double now) {
    const Piece& piece = *course.piece;
    const double reach = radius + target.radius;
    const double clock = std::max(0.0, course.clock_at(now));
    if (!piece.moves()) return NEVER_MET;
    const double done = piece.way(clock);
    const Vec p = piece.at(clock).at;
    const double left = std::isinf(piece.duration) ? NEVER_MET : piece.way(piece.duration) - done;
    if (length(beside(target, p).away) - reach > left + 4.0 * TOUCHING * reach)
        return NEVER_MET;  // it ends before
    const double way =
        piece.kind == Piece::Kind::line
            ? way_on_line(p, piece.u, left, target, reach)
            : way_on_arc({kumi::turned(piece.u, piece.w * done), piece.w}, p, left, target, reach);
    if (way == NEVER_MET) return NEVER_MET;
    if (way <= 0.0) return now;
    if (std::abs(way - left) <= TOUCHING * reach) return std::max(now, course.end());
    const double when = piece.when(done + way);
    return when == NEVER_MET ? NEVER_MET : std::max(now, course.since + (when - course.clock) / course.rate);
}

Meeting meet_discs(const Course& one, const Course& other, double reach, double now, double until) {
    const double top = one.top_speed() + other.top_speed();
    if (top == 0.0) return {};
    const double bending = one.top_acceleration() + other.top_acceleration();
    const bool bends_evenly = std::isfinite(bending);
    const double closed = 1e-13 * reach, slack = TOUCHING * reach;
    bool is_touching = false, was_touching = false;
    double time = now;
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        const Vec apart = one.pose(time).at - other.pose(time).at;
        const double away = length(apart);
        const double open = away - reach;
        const double noise = ROUNDING * (length(one.pose(time).at) + length(other.pose(time).at));
        if (away == 0.0) return {time, true};
        if (open > top * (until - time) + 4.0 * slack) return {};  // they end before
        const double opening = dot(one.velocity(time) - other.velocity(time), apart) / away;
        if (i == 0 && open <= slack + noise) is_touching = was_touching = true;
        if (is_touching && open > slack + noise) is_touching = false;
        double step;
        if (is_touching && bends_evenly) {
            // They press on, or have sunk in as far as counts as nothing; else they part or go along each
            // other, and stay within that at least for the next step.
            if (opening < -ALONG * top && (i == 0 || open <= 0.0)) return {time, true};
            if (open <= -0.5 * slack - noise && opening < 0.0) return {time, true};
            step = safe_step(std::max(open + slack + noise, 0.5 * slack), opening, bending);
        } else if (is_touching) {
            step = FEELING * reach / top;
            const double then = length(one.pose(time + step).at - other.pose(time + step).at) - reach;
            if (then < open && then <= -0.5 * slack - noise) return {time, true};
        } else {
            if (open <= closed) return {time, true};
            step = bends_evenly ? std::max(open / top, safe_step(open, opening, bending)) : open / top;
        }
        if (time + step >= until) {
            if (was_touching) return {};
            const double last = length(one.pose(until).at - other.pose(until).at) - reach;
            return last <= slack ? Meeting{until, true} : Meeting{};
        }
        if (time + step <= time) return {time, true};
        time += step;
    }
    return {time, false};
}

Meeting meet_shapes(const Course& one, const Shape& shape_one, const Course& other, const Shape& shape_other,
                    double now, double until) {
    const auto sweep = [](const Course& course, const Shape& shape) {  // a disc that turns sweeps nothing
        return shape.kind == Shape::Kind::disc ? 0.0 : course.top_turning() * shape.reach;
    };
    const double turning = sweep(one, shape_one) + sweep(other, shape_other);
    const bool both_simple = one.piece->is_simple() && other.piece->is_simple();
    const Vec moving = one.velocity(now) - other.velocity(now);
    const double top = turning + (both_simple ? length(moving) : one.top_speed() + other.top_speed());
    if (top == 0.0) return {};
    const double size = shape_one.reach + shape_other.reach;
    const double small = std::min(shape_one.reach, shape_other.reach);  // a wall is long, a body is not
    const bool bends_evenly = std::isfinite(one.top_acceleration() + other.top_acceleration());
    const double slack = TOUCHING * small;
    bool is_touching = false, was_touching = false;
    double time = now;
    static thread_local Closing closing;  // its memory is used again
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        const Pose here = one.pose(time), there = other.pose(time);
        const double far = length(here.at - there.at) - size;
        if (far > 1e-3 * small) {
            // The circles around them are still apart.
            double step = far / top;
            if (both_simple) {
                step = meet_straight(here.at - there.at, moving, size);
                if (step == NEVER_MET) return {};
                step = std::max(step, far / top);
            }
            time += step;
            if (time >= until) return {};
            continue;
        }
        const Touch touch = gap(shape_one, here, shape_other, there);
        const double noise = ROUNDING * (length(here.at) + length(there.at));
        if (i == 0 && touch.gap <= slack + noise) {
            is_touching = was_touching = true;
            const Piece& way = one.piece->moves() ? *one.piece : *other.piece;
            const bool one_way = one.piece->moves() != other.piece->moves() && way.kind == Piece::Kind::line;
            if (turning == 0.0 && (both_simple || one_way)) {
                // Along one line, at whatever speed: the gap opens or closes evenly with the way.
                const Vec along =
                    both_simple ? moving * (1.0 / length(moving)) : way.u * (one.piece->moves() ? 1.0 : -1.0);
                const Course& course = one.piece->moves() ? one : other;
                const double clock = std::max(0.0, course.clock_at(now));
                const double left =
                    both_simple ? length(moving) * (until - now) : way.way(way.duration) - way.way(clock);
                const double opening = dot(-along, touch.normal);
                if (opening >= 0.0 || touch.gap + opening * left >= -slack) return {};
                if (opening < -ALONG) return {now, true};
                const double allowed = std::max(0.0, (touch.gap + slack) / -opening);
                if (both_simple) return {now + allowed / length(moving), true};
                return {std::max(now, course.since +
                                          (way.when(way.way(clock) + allowed) - course.clock) / course.rate),
                        true};
            }
        }
        if (is_touching && touch.gap > slack + noise) is_touching = false;
        if (!is_touching && touch.gap <= 1e-12 * small) return {time, true};
        if (bends_evenly) closing.look(one, shape_one, here, other, shape_other, there, touch.normal, time);
        double step;
        if (is_touching && bends_evenly) {
            // As two discs do.
            const double opening = opening_at(touch, one, here, other, there, time);
            if (opening < -PRESSING * top && (i == 0 || touch.gap <= 0.0)) return {time, true};
            if (opening < 0.0 && touch.gap <= -0.5 * slack - noise) return {time, true};
            step = std::max(closing.safe(std::max(touch.gap + noise + slack, 0.5 * slack)),
                            4.0 * ROUNDING * std::abs(time));
        } else if (is_touching) {
            step = FEELING * small / top;
            const double then =
                gap(shape_one, one.pose(time + step), shape_other, other.pose(time + step)).gap;
            if (then < touch.gap && then <= -0.5 * slack - noise) return {time, true};
        } else {
            step = bends_evenly ? std::max(touch.gap / top, closing.safe(touch.gap)) : touch.gap / top;
        }
        if (time + step >= until) {
            if (was_touching || !std::isfinite(until)) return {};
            const double last = gap(shape_one, one.pose(until), shape_other, other.pose(until)).gap;
            return last <= slack ? Meeting{until, true} : Meeting{};
        }
        if (time + step <= time) return {time, true};
        time += step;
    }
    return {time, false};
}

Meeting enter_range(const Course& one, const Course& other, double range, double now, double until) {
    if (one.piece->is_simple() && other.piece->is_simple()) {
        const Vec apart = one.pose(now).at - other.pose(now).at;
        const Vec moving = one.velocity(now) - other.velocity(now);
        const double time = now + meet_straight(apart, moving, range);
        if (time <= until) return {time, true};
        const bool is_at_end = length(moving) * (time - until) <= TOUCHING * range;
        return is_at_end ? Meeting{until, true} : Meeting{};
    }
    return meet_discs(one, other, range, now, until);
}

Meeting leave_range(const Course& one, const Course& other, double range, double now, double until) {
    if (one.piece->is_simple() && other.piece->is_simple()) {
        const Vec apart = one.pose(now).at - other.pose(now).at;
        const Vec moving = one.velocity(now) - other.velocity(now);
        const double speed = square(moving);
        if (speed == 0.0) return {};
        const double b = dot(apart, moving), aside = cross(apart, moving);
        const double under = std::max(0.0, range * range * speed - aside * aside);
        const double c = square(apart) - range * range;
        const double root = std::sqrt(under);
        // The later root, in the form without cancellation.
        const double step = b > 0.0 ? -c / (b + root) : (root - b) / speed;
        const double time = now + std::max(0.0, step);
        return time < until ? Meeting{time, true} : Meeting{};
    }
    const double top = one.top_speed() + other.top_speed();
    if (top == 0.0) return {};
    double time = now;
    const double bending = one.top_acceleration() + other.top_acceleration();
    // A little farther out than it came in: one that goes along the border does not come and go.
    const double out = range * (1.0 + TOUCHING);
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        const Vec apart = one.pose(time).at - other.pose(time).at;
        const double away = length(apart), inside = out - away;
        const double opening =
            away > 0.0 ? dot(apart, one.velocity(time) - other.velocity(time)) / away : 0.0;
        if (inside > 1e-13 * range) {
            // While the distance stays above half of what it is, it cannot bend outwards faster than this.
            const double bends = bending + 2.0 * top * top / std::max(away, 1e-300);
            const double bold =
                std::isfinite(bends) ? std::min(safe_step(inside, -opening, bends), 0.5 * away / top) : 0.0;
            const double next = time + std::max(inside / top, bold);
            if (next <= time) return {time, true};  // nearer than the clock can tell
            time = next;
        } else if (i > 0 || opening > 0.0) {
            return {time, true};
        } else {
            time += 1e-7 * range / top;  // on the border, and on its way in
        }
        if (time >= until) return {};
    }
    return {time, false};
}

}  // namespace kumi
