// When do two bodies first touch?
//
// A body at rest, a wall, a pillar: a disc that follows a line or an arc meets them at a way along its
// path that has a closed form, whatever its acceleration. Two discs at constant velocity meet at the
// root of a quadratic. All else is advanced safely: the gap cannot close faster than the speeds and
// accelerations allow, so each step goes as far as nothing can have happened, and no contact is missed.
//
// Touching counts as contact. Two bodies that touch and move apart, or along each other, are not in
// contact again; what is less than TOUCHING of their size counts as nothing.
#pragma once

#include "geometry/piece.hpp"
#include "geometry/shape.hpp"

namespace kumi {

constexpr double INFINITE_TIME = std::numeric_limits<double>::infinity();
constexpr double TOUCHING = 1e-10;
constexpr double ROUNDING = 1.2e-16;  // of a coordinate
constexpr double FEELING =
    1e-5;  // of the size: by such steps a body feels its way along what it touches on a pattern

// A piece under way: at time `since` its own clock stood at `clock`, and runs at `rate`.
struct Course {
    const Piece* piece;
    double since, clock, rate;

    double clock_at(double time) const { return clock + rate * (time - since); }
    [[gnu::always_inline]] Pose pose(double time) const { return piece->at(clock_at(time)); }
    Vec velocity(double time) const { return piece->velocity(clock_at(time)) * rate; }
    double end() const { return since + (piece->duration - clock) / rate; }
    double top_speed() const { return piece->top_speed() * rate; }
    double top_turning() const { return piece->top_turning() * rate; }
    double top_acceleration() const { return piece->top_acceleration() * rate * rate; }
};

// A bound on how fast any point of a body moves: a disc that turns moves none.
inline double top_speed(const Course& course, const Shape& shape) {
    return course.top_speed() + (shape.kind == Shape::Kind::disc ? 0.0 : course.top_turning() * shape.reach);
}

// Where a body is as if it went straight from the beginning of its piece to its end: within `aside` of where it is.
struct Chord {
    Vec at, velocity;  // now
    double aside;      // infinite where nothing is known
};

// Known for bends at one speed: from the straight line with the same ends a curve departs by no more than an eighth of
// how fast it bends, times the square of its length.
inline Chord chord(const Course& course, double now) {
    const Piece& piece = *course.piece;
    if (piece.kind != Piece::Kind::arc || piece.a != 0.0 || !(piece.duration < INFINITE_TIME))
        return {{}, {}, INFINITE_TIME};
    const Vec velocity = (piece.last.at - piece.first.at) * (1.0 / piece.duration);
    const double way = piece.v * piece.duration,
                 clock = std::min(std::max(0.0, course.clock_at(now)), piece.duration);
    return {piece.first.at + velocity * clock, velocity * course.rate, 0.125 * std::abs(piece.w) * way * way};
}

// A straight wall with round ends, or, with both ends in one place, a disc.
struct Capsule {
    Vec a, b;
    double radius;
};

// An answer: the time of contact, or a time before which there is none and at which to ask again.
struct Meeting {
    double time = INFINITE_TIME;
    bool sure = true;
};

// The longest step after which a gap that is `open` now and grows by `opening` a second can still be
// open, when its growth cannot fall faster than `bending`.
inline double safe_step(double open, double opening, double bending) {
    if (bending <= 0.0) return opening >= 0.0 ? INFINITE_TIME : open / -opening;
    const double root = std::sqrt(opening * opening + 2.0 * bending * open);
    return opening >= 0.0 ? (opening + root) / bending : 2.0 * open / (root - opening);
}

// Two discs at constant velocity; positions are those at `now`. `reach` is the sum of the radii.
inline double meet_straight(Vec apart, Vec closing, double reach) {
    const double b = dot(apart, closing);
    if (b >= 0.0) return INFINITE_TIME;
    const double speed = square(closing);
    const double c = square(apart) - reach * reach;
    const double aside = cross(apart, closing);
    if (c <= 2.0 * TOUCHING * reach * reach) {
        const double least = (1.0 - TOUCHING) * reach;
        return aside * aside >= least * least * speed ? INFINITE_TIME : 0.0;
    }
    const double under = reach * reach * speed - aside * aside;
    if (under < 0.0) return INFINITE_TIME;
    return c / (-b + std::sqrt(under));
}

// A disc of `radius` on its course, which is no pattern, from `now` on, and what does not move.
double meet_capsule(const Course& course, double radius, const Capsule& target, double now);

// Two discs on any courses, between `now` and `until`.
Meeting meet_discs(const Course& one, const Course& other, double reach, double now, double until);

// Two bodies of any shape on any courses, between `now` and `until`.
Meeting meet_shapes(const Course& one, const Shape& shape_one, const Course& other, const Shape& shape_other,
                    double now, double until);

// When the distance of the centres passes `range` next: inwards, or outwards.
Meeting enter_range(const Course& one, const Course& other, double range, double now, double until);
Meeting leave_range(const Course& one, const Course& other, double range, double now, double until);

// How a place lies to the inner segment of a capsule: from the nearest point of it to there, and which share of the
// segment lies before that point. Told from the segment, so it is as good far from the origin of the plane as near it.
struct Beside {
    Vec away;
    double share;

    bool is_at_end() const { return share == 0.0 || share == 1.0; }
};
Beside beside(const Capsule& target, Vec place);

}  // namespace kumi
