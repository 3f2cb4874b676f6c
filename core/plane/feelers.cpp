// When does a feeler touch something, and when is it clear of all again?
#include "geometry/parting.hpp"
#include "numbers/elementary.hpp"
#include "plane/prediction.hpp"
#include "plane/queries.hpp"
#include "plane/watches.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace kumi {

namespace {

constexpr double CLOSED = 1e-9;  // metres: a gap this narrow is closed
constexpr std::size_t FEW_FIXED = 64;
constexpr int MOST_STEPS = 200;

// Where the line of a feeler is.
Capsule line_at(const Shape& feeler, const Pose& here) {
    const Vec axis = direction(here.heading);
    return {here.at + turned(feeler.corners[0], axis), here.at + turned(feeler.corners[1], axis), 0.0};
}

double gap_to_disc(const Capsule& line, Vec centre, double radius) {
    return length(beside(line, centre).away) - radius;
}

// Neither turns: seen from the feeler, the centre of the disc goes straight towards a capsule as wide as the disc. How long it takes
// until it comes in, or goes out.
double meet_straight_on(Capsule line, Vec moving, Vec centre, double radius, bool enters) {
    const double speed = length(moving);
    if (speed == 0.0) return INFINITE_TIME;
    line.radius = radius;
    const Vec back = moving * (-1.0 / speed);
    if (enters) return ray_to_capsule(centre, back, line) / speed;
    const double far = 2.0 * (length(centre - line.a) + length(line.b - line.a) + radius);
    return (far - ray_to_capsule(centre + back * far, -back, line)) / speed;
}

// The feeler turns on the spot, and the disc rests. Seen from the middle of the turn, the feeler is a part of a ray, and how far that
// is from the disc grows with the angle between the two: the largest angle at which it is not farther than the disc is wide.
double widest_touch(double root, double tip, double away, double radius) {
    if (away >= tip + radius || away + radius <= root) return 0.0;
    const double foot =
        std::sqrt((away - radius) * (away + radius));  // how far along the feeler, where its side is met
    if (foot >= root && foot <= tip) return maths::asin(radius / away);
    const double end = foot < root ? root : tip;
    return maths::acos(
        std::clamp((away * away + end * end - radius * radius) / (2.0 * away * end), -1.0, 1.0));
}

double meet_turning(const Shape& feeler, const Pose& here, double turning, Vec centre, double radius,
                    bool enters) {
    const Vec apart = centre - here.at;
    const double widest =
        widest_touch(length(feeler.corners[0]), length(feeler.corners[1]), length(apart), radius);
    if (widest == 0.0) return INFINITE_TIME;
    const Vec along = turned(feeler.corners[1], direction(here.heading));
    const double ahead = std::copysign(1.0, turning) * maths::atan2(cross(along, apart), dot(along, apart));
    double angle = ahead + (enters ? -widest : widest);
    if (angle < 0.0) angle += 2.0 * std::numbers::pi;
    return angle / std::abs(turning);
}

// Any other motion of the two, advanced safely: the gap closes no faster than the two come nearer and the feeler turns.
Meeting meet_disc(const Shape& feeler, const Course& one, const Course& two, double radius, double now,
                  double until) {
    const double top = one.top_speed() + two.top_speed() + one.top_turning() * feeler.reach;
    if (top == 0.0) return {};
    double time = now;
    for (int i = 0; i < MOST_STEPS; ++i) {
        const double open = gap_to_disc(line_at(feeler, one.pose(time)), two.pose(time).at, radius);
        if (open <= TOUCHING * feeler.reach) return {time, true};
        const double next = time + open / top;
        if (next <= time) return {time, true};  // nearer than the clock can tell
        time = next;
        if (time >= until) return {};
    }
    return {time, false};
}

// Neither the feeler nor the wall turns: a corner of the one meets the other.
double meet_wall(const Capsule& line, Vec moving, const Capsule& wall) {
    const double speed = length(moving);
    if (speed == 0.0) return INFINITE_TIME;
    const Vec along = moving * (1.0 / speed);
    const Capsule wide{line.a, line.b, wall.radius};
    return std::min({ray_to_capsule(line.a, along, wall), ray_to_capsule(line.b, along, wall),
                     ray_to_capsule(wall.a, -along, wide), ray_to_capsule(wall.b, -along, wide)}) /
           speed;
}

// Whether a place is certainly farther than that from a capsule's middle line.
bool is_beyond(const Capsule& capsule, Vec place, double far) {
    const double most = far * (1.0 + SURELY);
    return place.x < std::min(capsule.a.x, capsule.b.x) - most ||
           place.x > std::max(capsule.a.x, capsule.b.x) + most ||
           place.y < std::min(capsule.a.y, capsule.b.y) - most ||
           place.y > std::max(capsule.a.y, capsule.b.y) + most;
}

bool is_within_reach(const Fixed& fixed, Vec place, double within) {
    const double far = within + fixed.capsule.radius;
    return !is_beyond(fixed.capsule, place, far) && length(beside(fixed.capsule, place).away) <= far;
}

// Whether two may be within a distance of each other at some instant of the time to come that is the longest to look at.
bool come_near(const Chord& one, const Chord& other, double within, double longest) {
    const double reach = within * (1.0 + SURELY) + one.aside + other.aside;
    if (!(reach < INFINITE_TIME)) return true;
    const Vec apart = other.at - one.at, moving = other.velocity - one.velocity;
    const double closing = -dot(apart, moving), speed = square(moving);
    const double when = closing <= 0.0 ? 0.0 : closing >= speed * longest ? longest : closing / speed;
    return square(apart + moving * when) <= reach * reach;
}

// How far a body is at most from where a piece of motion began.
double travel(const Piece& piece) {
    if (!piece.moves()) return 0.0;
    return piece.kind == Piece::Kind::pattern || std::isinf(piece.duration) ? INFINITE_TIME
                                                                            : piece.way(piece.duration);
}

bool is_radial(const Shape& feeler) { return cross(feeler.corners[0], feeler.corners[1]) == 0.0; }

}  // namespace

std::uint32_t Watches::feel(BodyId body, std::shared_ptr<const Shape> feeler) {
    const bool is_touching = touches(body, *feeler, CLOSED);
    Watch watch;
    watch.owner = body;
    watch.within = feeler->reach;
    watch.is_touching = is_touching;
    watch.feeler = std::move(feeler);
    const std::uint32_t number = open(std::move(watch));
    if (times_.is_predicted()) predict_feeler(number);
    return number;
}

// The parts of obstacles that stop bodies and may come within a distance of a body.
template <class Visit> void Watches::visit_parts(BodyId body, double within, Visit&& visit) const {
    const Vec here = bodies_.place_of(body);
    const auto try_part = [&](std::uint32_t part) {
        const Fixed& fixed = obstacles_[part];
        if (fixed.is(STOPS_BODIES) && fixed.is(STANDS) && is_within_reach(fixed, here, within)) visit(fixed);
    };
    const Grid& grid = cells_.grid();
    const double reach = 2.0 * (within + std::max(0.0, cells_.limit())) / grid.cell + 1.0;
    if (obstacles_.size() <= FEW_FIXED || !cells_.is_shaped() || !cells_.are_there() ||
        reach * reach > static_cast<double>(obstacles_.size())) {
        for (std::uint32_t part = 0; part < obstacles_.size(); ++part) try_part(part);
        return;
    }
    for (std::uint32_t part : obstacles_.box_parts()) try_part(part);
    for (std::uint32_t part : cells_.everywhere()) try_part(part);
    for (std::int32_t y = grid.index(here.y - within); y <= grid.index(here.y + within); ++y)
        for (std::int32_t x = grid.index(here.x - within); x <= grid.index(here.x + within); ++x)
            if (const auto* parts = cells_.fixed_in(x, y))
                for (std::uint32_t part : *parts) try_part(part);
}

// What may come within a distance of a body as long as the motions under way go on.
Watches::Near Watches::near(BodyId body, double within) const {
    Near found;
    const Chord chord = bodies_.chord_of(body);
    const Hot& mine = bodies_.hot(body);
    const double farthest = travel(bodies_[body].piece);
    const Vec from = bodies_[body].piece.first.at;
    const auto look = [&](BodyId other) {
        if (other == body || bodies_[other].is_gone) return;
        const Hot& theirs = bodies_.hot(other);
        const double reach = within + FREE + std::max(mine.radius, theirs.radius),
                     most = (reach + farthest + travel(bodies_[other].piece)) * (1.0 + SURELY);
        if (square(bodies_[other].piece.first.at - from) > most * most) return;
        const Chord its = bodies_.chord_of(other);
        const double both = std::min(mine.until, theirs.until) - bodies_.now;
        if (come_near(chord, its, reach, both) ||
            (both < INFINITE_TIME &&
             (mine.until < theirs.until ? stays_near(body, its, reach, both, theirs)
                                        : stays_near(other, chord, reach, both, mine))))
            found.bodies.push_back(other);
    };
    const bool has_cells = far_is_shaped_ && far_.holds(body) && within <= far_reach_;
    if (has_cells) {
        const Grid::Link& link = far_.link(body);
        far_.visit_around(link.ix, link.iy, look);
    } else {
        for (BodyId other = 0; other < bodies_.size(); ++other) look(other);
    }
    // Until it comes into another cell.
    visit_parts(body, within + std::max(FREE, has_cells ? 2.0 * far_.cell : 0.0),
                [&](const Fixed& fixed) { found.parts.push_back(&fixed); });
    return found;
}

// Whether one that stays where its piece ends, after a time, may have the other near, which goes on as it does.
bool Watches::stays_near(BodyId one, const Chord& other, double within, double after,
                         const Hot& mover) const {
    if (bodies_[one].end > bodies_.hot(one).until) return true;  // its piece goes on
    const Chord still{bodies_[one].piece.last.at, {}, 0.0},
        later{other.at + other.velocity * after, other.velocity, other.aside};
    return come_near(still, later, within, mover.until - bodies_.hot(one).until);
}

bool Watches::touches(BodyId body, const Shape& feeler, double width) const {
    return touches(body, feeler, width, near(body, feeler.reach));
}

bool Watches::touches(BodyId body, const Shape& feeler, double width, const Near& near) const {
    if (near.is_nothing()) return false;
    const Pose here = bodies_.pose(body);
    const Capsule line = line_at(feeler, here);
    for (const BodyId other : near.bodies) {
        const Hot& hot = bodies_.hot(other);
        const Vec at = bodies_.place_of(other);
        if (square(at - here.at) > (feeler.reach + hot.radius + width) * (feeler.reach + hot.radius + width))
            continue;
        if ((hot.is_disc ? gap_to_disc(line, at, hot.radius)
                         : gap(feeler, here, bodies_.shape(other), bodies_.pose(other)).gap) <= width)
            return true;
    }
    return std::any_of(near.parts.begin(), near.parts.end(), [&](const Fixed* fixed) {
        return is_within_reach(*fixed, here.at, feeler.reach + width) &&
               gap(feeler, here, *fixed->shape, fixed->placed()).gap <= width;
    });
}

// When a feeler comes within a radius of the centre of another body, or is beyond it again, where that has a closed form.
bool Watches::closed_form(const Watch& watch, BodyId other, double radius, bool enters, double& time) const {
    const Course one = bodies_.course(watch.owner), two = bodies_.course(other);
    if (!bodies_.hot(other).is_disc || !one.piece->is_simple() || !two.piece->is_simple()) return false;
    const Pose here = one.pose(bodies_.now);
    const Vec centre = two.pose(bodies_.now).at, velocity = one.velocity(bodies_.now);
    const Vec moving = velocity - two.velocity(bodies_.now);
    const double turning = bodies_.turning(watch.owner);
    if (turning == 0.0)
        time = bodies_.now + meet_straight_on(line_at(*watch.feeler, here), moving, centre, radius, enters);
    else if (moving == Vec{} && velocity == Vec{} && is_radial(*watch.feeler) &&
             length(centre - here.at) > radius)
        time = bodies_.now + meet_turning(*watch.feeler, here, turning, centre, radius, enters);
    else
        return false;
    return true;
}

void Watches::consider_feeler(Watch& watch, BodyId other) {
    if (other == watch.owner || bodies_[other].is_gone) return;
    const Course one = bodies_.course(watch.owner), two = bodies_.course(other);
    const Hot &mine = bodies_.hot(watch.owner), &theirs = bodies_.hot(other);
    const double ends = std::min(bodies_[watch.owner].end, bodies_[other].end);
    if (!come_near(bodies_.chord_of(watch.owner), bodies_.chord_of(other), watch.within + theirs.radius,
                   std::min(mine.until, theirs.until) - bodies_.now))
        return;
    Meeting found;
    if (!closed_form(watch, other, theirs.radius, true, found.time))
        found = theirs.is_disc
                    ? meet_disc(*watch.feeler, one, two, theirs.radius, bodies_.now, ends)
                    : meet_shapes(one, *watch.feeler, two, bodies_.shape(other), bodies_.now, ends);
    else if (found.time > ends)
        return;
    if (found.time < watch.time) keep(watch, found, other);
}

void Watches::predict_feeler(std::uint32_t number) {
    predict_feeler(number, near(watches_[number].owner, watches_[number].feeler->reach));
}

void Watches::predict_feeler(std::uint32_t number, const Near& near) {
    Watch& watch = watches_[number];
    watch.time = INFINITE_TIME;
    const BodyId owner = watch.owner;
    const Shape& feeler = *watch.feeler;
    const bool was_touching = watch.is_touching;
    watch.is_touching = touches(owner, feeler, was_touching ? FREE : CLOSED, near);
    if (watch.is_touching && !was_touching) tell(number);
    if (near.is_nothing()) {
        plan_watch(number, INFINITE_TIME);
        return;
    }
    const Course way = bodies_.course(owner);
    const Pose here = way.pose(bodies_.now);
    const double ends = bodies_[owner].end;
    if (!watch.is_touching) {
        for (const BodyId other : near.bodies) consider_feeler(watch, other);
        const double around = way.piece->moves() ? feeler.reach + 2.0 * far_.cell : feeler.reach;
        for (const Fixed* fixed : near.parts) {
            if (!(way.piece->moves() || way.piece->turns()) || !is_within_reach(*fixed, here.at, around))
                continue;
            const Piece still = resting(fixed->placed());
            Meeting found;
            if (way.piece->is_simple() && !way.piece->turns())
                found.time =
                    bodies_.now + meet_wall(line_at(feeler, here), way.velocity(bodies_.now), fixed->capsule);
            else
                found = meet_shapes(way, feeler, {&still, bodies_.now, 0.0, 1.0}, *fixed->shape, bodies_.now,
                                    ends);
            if (found.time <= ends && found.time < watch.time) keep(watch, found, NOBODY);
        }
        plan_watch(number, watch.time);
        return;
    }
    // It cannot be clear before it parts from any one of what it touches.
    const auto part_from = [&](const Course& course, const Shape& shape, double until) {
        const double top = top_speed(way, feeler) + top_speed(course, shape);
        const auto look = [&](double time) {
            return Opening{gap(feeler, way.pose(time), shape, course.pose(time)).gap};
        };
        return part(look, top, FREE, FEELING * feeler.reach / top, bodies_.now, until);
    };
    double narrowest = FREE;
    Meeting found;
    BodyId from = NOBODY;
    for (const BodyId other : near.bodies) {
        if (length(bodies_.place_of(other) - here.at) > feeler.reach + bodies_.hot(other).radius + FREE)
            continue;
        const double open = gap(feeler, here, bodies_.shape(other), bodies_.pose(other)).gap;
        if (open > narrowest) continue;
        narrowest = open;
        from = other;
    }
    if (from != NOBODY) {
        const double until = std::min(ends, bodies_[from].end),
                     clear = bodies_.hot(from).radius + FREE * (1.0 + 1e-6);
        found = {};
        if (!closed_form(watch, from, clear, false, found.time))
            found = part_from(bodies_.course(from), bodies_.shape(from), until);
        else if (found.time > until)
            found = {};
    }
    for (const Fixed* fixed : near.parts) {
        if (!is_within_reach(*fixed, here.at, feeler.reach + FREE)) continue;
        const double open = gap(feeler, here, *fixed->shape, fixed->placed()).gap;
        if (open > narrowest) continue;
        narrowest = open;
        const Piece still = resting(fixed->placed());
        found = part_from({&still, bodies_.now, 0.0, 1.0}, *fixed->shape, ends);
        from = NOBODY;
    }
    keep(watch, found, from);
    plan_watch(number, watch.time);
}

}  // namespace kumi
