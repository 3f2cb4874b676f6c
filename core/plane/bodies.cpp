#include "plane/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kumi {

namespace {

constexpr double SHORTEST_STRETCH = 0.5;  // in radii of the body
constexpr double WIDEST_STRETCH = 1.5;    // radians: one that bends farther is seen as its circle

}  // namespace

void Bodies::reserve(std::size_t bodies) {
    bodies_.reserve(bodies);
    hot_.reserve(bodies);
}

BodyId Bodies::add(std::shared_ptr<const Shape> shape, Pose at) {
    BodyId id;
    if (slots_.take(id)) {
        // What was predicted with the one before is known by its version, and it may be noted as changed.
        const bool is_dirty = bodies_[id].is_dirty;
        const std::uint32_t version = hot_[id].version;
        bodies_[id] = Body();
        bodies_[id].is_dirty = is_dirty;
        hot_[id] = {};
        hot_[id].version = version;
    } else {
        id = static_cast<BodyId>(bodies_.size());
        bodies_.emplace_back();
        hot_.push_back({});
    }
    Body& b = bodies_[id];
    b.number = added_++;
    b.shape = std::move(shape);
    b.since = now;
    b.piece = resting(at);
    refresh_hot(id);
    hot_[id].is_ghost = policy_ == Policy::ghost;
    ++alive_;
    return id;
}

void Bodies::remove(BodyId id) {
    Body& b = bodies_[id];
    b.is_gone = true;
    ++hot_[id].version;
    b.contact = b.fixed = b.end = b.crossing = b.aside = INFINITE_TIME;
    if (b.rare) b.rare->ground = b.rare->far_crossing = b.rare->sample = INFINITE_TIME;
    --alive_;
    slots_.leave(id);
}

std::vector<BodyId> Bodies::by_number() const {
    std::vector<BodyId> ids;
    ids.reserve(alive_);
    for (BodyId id = 0; id < bodies_.size(); ++id)
        if (!bodies_[id].is_gone) ids.push_back(id);
    sort_by_number(ids);
    return ids;
}

void Bodies::sort_by_number(std::vector<BodyId>& ids) const {
    std::sort(ids.begin(), ids.end(),
              [&](BodyId one, BodyId other) { return bodies_[one].number < bodies_[other].number; });
}

Pose Bodies::rest_for_good(BodyId id) {
    Body& b = bodies_[id];
    keep_way(id);
    const Pose at = wrapped(pose(id));
    b.walk = NO_WALK;
    b.is_moving = false;
    b.piece = resting(at);
    forget_legs(b);
    b.since = now;
    b.clock = 0.0;
    b.end = INFINITE_TIME;
    refresh_hot(id);
    return at;
}

// A body that rests for good has no legs to come, and asks no pattern.
void Bodies::forget_legs(Body& b) {
    if (!b.rare) return;
    b.rare->legs.clear();
    b.rare->pattern.reset();
}

std::size_t Bodies::bytes() const {
    std::size_t all = bodies_.capacity() * sizeof(Body) + hot_.capacity() * sizeof(Hot) + slots_.bytes();
    for (const Body& body : bodies_)
        all += body.rare ? sizeof(Rare) + body.rare->legs.capacity() * sizeof(Leg) : 0;
    return all;
}

double Bodies::still_since() const {
    double since = -INFINITE_TIME;
    for (const Body& b : bodies_) {
        if (b.is_gone) continue;
        if (b.is_moving) return INFINITE_TIME;
        since = std::max(since, b.since);
    }
    return since;
}

double Bodies::odometer(BodyId id) const { return way_at(id, now); }

double Bodies::way_at(BodyId id, double time) const {
    const Body& b = bodies_[id];
    const double clock = std::clamp(course(id).clock_at(time), 0.0, b.piece.duration);
    if (b.piece.kind != Piece::Kind::pattern) return b.way + (b.piece.moves() ? b.piece.way(clock) : 0.0);
    constexpr int STEPS = 64;  // a pattern has no closed form: the way is that of a polygon along it
    double way = 0.0;
    Vec before = b.piece.at(0.0).at;
    for (int i = 1; i <= STEPS; ++i) {
        const Vec here = b.piece.at(clock * i / STEPS).at;
        way += length(here - before);
        before = here;
    }
    return b.way + way;
}

double Bodies::turned(BodyId id) const { return turned_at(id, now); }

double Bodies::turned_at(BodyId id, double time) const {
    const Body& b = bodies_[id];
    return b.turned + (b.piece.turns() ? b.piece.turned(course(id).clock_at(time)) : 0.0);
}

void Bodies::by(BodyId id, double time, double& way, double& turned) const {
    way = way_at(id, time);
    turned = turned_at(id, time);
}

// How a point of the body moves: with its centre, and around it.
Vec Bodies::point_velocity(BodyId id, Vec point) const {
    if (!bodies_[id].piece.turns()) return velocity(id);
    return velocity(id) + left_of(point - pose(id).at) * turning(id);
}

double Bodies::turning(BodyId id) const {
    const Body& b = bodies_[id];
    if (!b.piece.turns()) return 0.0;
    const double clock = course(id).clock_at(now);
    if (b.piece.kind == Piece::Kind::line) return b.piece.w * b.rate;
    if (b.piece.kind == Piece::Kind::arc) return b.piece.w * (b.piece.v + b.piece.a * clock) * b.rate;
    const double step = 1e-6;
    return (b.piece.at(clock + step).heading - b.piece.at(clock).heading) / step * b.rate;
}

void Bodies::keep_way(BodyId id) {
    Body& b = bodies_[id];
    if (!b.piece.moves() && !b.piece.turns()) return;
    const double way = odometer(id), all = turned(id);
    b.way = way;
    b.turned = all;
}

void Bodies::refresh_hot(BodyId id, double lasted) {
    const Body& b = bodies_[id];
    Hot& hot = hot_[id];
    const Pose pose = b.piece.at(b.clock);
    const bool disc = b.shape->kind == Shape::Kind::disc;
    const bool moves = b.piece.moves();
    const bool rests = !moves && (disc || !b.piece.turns());
    const Vec v = moves && b.piece.is_simple() ? b.piece.u * (b.piece.v * b.rate) : Vec{};
    const bool same = hot.rests && rests && disc && hot.is_disc && hot.x == pose.at.x && hot.y == pose.at.y &&
                      hot.radius == b.shape->reach;
    hot.x = pose.at.x;
    hot.y = pose.at.y;
    hot.vx = v.x;
    hot.vy = v.y;
    hot.since = b.since;
    hot.radius = b.shape->reach;
    hot.is_simple = b.piece.is_simple();
    hot.is_disc = disc;
    hot.rests = rests;
    hot.until = rests ? INFINITE_TIME : b.end;
    hot.is_plain = hot.is_simple && disc;
    hot.set_aside(hot.is_simple || rests ? 0.0 : INFINITE_TIME);
    if (b.piece.kind == Piece::Kind::arc && b.piece.a == 0.0 && moves && std::isinf(b.piece.duration))
        begin_stretch(id, 2.0 * lasted);
    if (!same) ++hot.version;
}

void Bodies::begin_stretch(BodyId id, double longest) {
    const Body& b = bodies_[id];
    Hot& hot = hot_[id];
    const double speed = b.piece.top_speed() * b.rate, turning = b.piece.top_turning() * b.rate;
    longest = std::max(longest, SHORTEST_STRETCH * hot.radius / speed);
    const Course way = course(id);
    const Vec at = way.pose(now).at, velocity = way.velocity(now);
    hot.since = now;
    if (turning * longest < WIDEST_STRETCH) {
        hot.x = at.x;
        hot.y = at.y;
        hot.vx = velocity.x;
        hot.vy = velocity.y;
        hot.until = now + longest;
        hot.set_aside(0.5 * speed * turning * longest * longest);
    } else {
        const double radius = 1.0 / std::abs(b.piece.w);
        const Vec centre = at + left_of(velocity) * (1.0 / (speed * b.piece.w));
        hot.x = centre.x;
        hot.y = centre.y;
        hot.vx = hot.vy = 0.0;
        hot.until = b.end;
        hot.set_aside(radius * (1.0 + 1e-9));
    }
}

double Bodies::gap_between(BodyId one, BodyId other, Vec* normal, Vec* point) const {
    if (hot_[one].is_disc && hot_[other].is_disc) {
        const Vec here = pose(one).at, there = pose(other).at, apart = there - here;
        const double away = length(apart), reach = hot_[one].radius + hot_[other].radius;
        const Vec n = away > 0.0 ? apart * (1.0 / away) : Vec{1.0, 0.0};
        if (normal) *normal = n;
        if (point) *point = here + n * (hot_[one].radius + 0.5 * (away - reach));
        return away - reach;
    }
    const Touch touch = gap(*bodies_[one].shape, pose(one), *bodies_[other].shape, pose(other));
    if (normal) *normal = touch.normal;
    if (point) *point = touch.point;
    return touch.gap;
}

}  // namespace kumi
