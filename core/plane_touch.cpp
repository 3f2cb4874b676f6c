// What a contact does: to those who touch, and at the border of other ground.
#include "plane.hpp"

#include <algorithm>
#include <cmath>

namespace kumi {

namespace {

constexpr double PRESENT = 1e-9;  // a contact whose gap is wider than this share of the size is none yet

}  // namespace

// Rounding has brought bodies closer than touching: they are taken back on their ways, as little as opens
// the gap again. A body at the beginning of its piece stays there.
template <class Open>
void Plane::take_back(BodyId one, BodyId other, double first, Open&& open) {
    const double before_one = bodies_[one].clock, before_other = other == NOBODY ? 0.0 : bodies_[other].clock;
    const auto set = [&](double back) {
        bool is_last = true;
        for (BodyId id : {one, other}) {
            if (id == NOBODY || !bodies_[id].is_moving) continue;
            Body& b = bodies_[id];
            const double run = b.rate * (now - b.since);
            const double clock = (id == one ? before_one : before_other) - b.rate * back;
            b.clock = std::max(clock, -run);  // not before the piece began
            is_last = is_last && clock <= -run;
        }
        return is_last;
    };
    double good = first > 0.0 ? first : 1e-15;
    int doublings = 0;
    while (!set(good) && open() < 0.0 && doublings < 60) {
        good *= doublings < 3 ? 1.5 : 2.0;
        ++doublings;
    }
    if (doublings < 4) return;
    double bad = 0.0;
    for (int i = 0; i < 60 && good - bad > 1e-3 * good; ++i) {
        const double middle = 0.5 * (good + bad);
        set(middle);
        (open() < 0.0 ? bad : good) = middle;
    }
    set(good);
}

// Two bodies touch.
void Plane::touch(BodyId one, BodyId other) {
    Vec normal, point;
    double open = gap_between(one, other, &normal, &point);
    const double size = hot_[one].radius + hot_[other].radius;
    if (open > PRESENT * size) {
        // Not yet; unless the clock is too coarse to tell that time from now.
        predict_contacts(one);
        if (bodies_[one].with != other || bodies_[one].contact > now) {
            plan_body(one);
            return;
        }
    }
    ++collisions;
    if (journal.is_open())
        journal.write(now, 'C', one, other, NO_OBSTACLE, point);
    if (journal.keeps)
        for (BodyId id : {one, other}) standing_.touched(id);
    if (open < 0.0) {
        const double closing = dot(point_velocity(one, point) - point_velocity(other, point), normal);
        take_back(one, other, closing > 0.0 ? -open / closing : 0.0,
                  [&] { return gap_between(one, other, nullptr, nullptr); });
    }
    for (BodyId id : {one, other})
        if (!bodies_[id].is_walker())
            tell({Notice::Kind::touched, id, id == one ? other : one, NO_OBSTACLE, point, Why::contact, false});
    respond(one, other, NO_OBSTACLE, point, normal);
    respond(other, one, NO_OBSTACLE, point, -normal);
    // If their motion did not change, the prediction is used up all the same, the one each keeps of the other.
    for (BodyId id : {one, other}) {
        const Body& b = bodies_[id];
        if (b.is_dirty || b.is_gone || b.contact > now || b.with != (id == one ? other : one)) continue;
        predict_contacts(id);
        plan_body(id);
    }
}

void Plane::touch_fixed(BodyId id, std::int32_t part) {
    const Pose at = pose(id);
    const Body& b = bodies_[id];
    const Fixed& fixed = fixed_[static_cast<std::size_t>(part)];
    Vec point, normal;
    double open;
    if (b.shape->kind == Shape::Kind::disc) {
        const Vec from = beside(fixed.capsule, at.at).away;
        const double away = length(from);
        open = away - b.shape->reach - fixed.capsule.radius;
        normal = away > 0.0 ? from * (-1.0 / away) : direction(at.heading);
        point = at.at + normal * b.shape->reach;
    } else {
        const Touch touch = gap(*b.shape, at, *fixed.shape, fixed.placed());
        open = touch.gap;
        normal = touch.normal;
        point = touch.point;
    }
    const double size = b.shape->reach;
    if (open > PRESENT * size) {
        predict_fixed(id);
        if (bodies_[id].fixed > now) {
            plan_body(id);
            return;
        }
    }
    ++collisions;
    if (journal.is_open())
        journal.write(now, 'C', id, NOBODY, fixed.obstacle, point);
    if (journal.keeps) standing_.touched(id);
    if (open < 0.0) {
        const double closing = dot(point_velocity(id, point), normal);
        take_back(id, NOBODY, closing > 0.0 ? -open / closing : 0.0, [&] {
            return gap(*bodies_[id].shape, pose(id), *fixed_[static_cast<std::size_t>(part)].shape,
                       fixed_[static_cast<std::size_t>(part)].placed()).gap;
        });
    }
    if (!bodies_[id].is_walker()) tell({Notice::Kind::touched, id, NOBODY, fixed.obstacle, point, Why::contact, false});
    respond(id, NOBODY, fixed.obstacle, point, normal);
    if (!bodies_[id].is_dirty && !bodies_[id].is_gone && bodies_[id].fixed <= now) {
        predict_fixed(id);
        plan_body(id);
    }
}

void Plane::respond(BodyId id, BodyId other, std::int32_t obstacle, Vec point, Vec normal) {
    if (!bodies_[id].is_moving) return;
    Policy policy = policy_;
    if (policy == Policy::ask) policy = listener ? listener->decide(id, other, obstacle, point) : Policy::stop;
    if (bodies_[id].is_gone || !bodies_[id].is_moving) return;
    if (bodies_[id].is_walker()) {
        stroll(id, normal);
    } else if (policy == Policy::slide) {
        slide(id, normal);
    } else if (policy == Policy::pass) {
        if (other != NOBODY)
            own_rare(id).passing.push_back(other);
        else
            own_rare(id).passing_fixed.push_back(obstacle);
        hot_[id].lets_pass = has_let_pass_ = true;
        hot_[id].is_plain = false;
        if (is_seen_by_all(id)) show_to_all(id);
    } else {
        finish(id, Why::contact);
    }
}

// What is left of the velocity along the surface goes on for as long as the piece would have.
void Plane::slide(BodyId id, Vec normal) {
    const Vec v = velocity(id);
    const double into = dot(v, normal);
    const Vec along = v - normal * std::max(0.0, into);
    const double speed = length(along);
    Body& b = bodies_[id];
    const double left = b.piece.duration - course(id).clock_at(now);
    b.slides = (now - b.slid_at) * length(v) <= 1e-6 * b.shape->reach ? b.slides + 1 : 1;
    b.slid_at = now;
    // Between two surfaces it would go to and fro without end, in smaller and smaller steps: there it stops.
    const Rare& rare = this->rare(id);
    const double told = rare.next_leg > 0 && rare.next_leg <= rare.legs.size() ? rare.legs[rare.next_leg - 1].speed : b.piece.v;
    if (speed <= 1e-9 * std::max(told, length(v)) || left <= 0.0 || b.slides > 2) {
        finish(id, Why::contact);
        return;
    }
    const double rate = b.rate;
    const Pose at = pose(id);
    keep_way(id);
    Piece piece = resting(at, left);
    piece.u = along * (1.0 / speed);
    piece.v = speed / rate;
    if (std::isfinite(left)) piece.last.at = at.at + piece.u * (piece.v * left);
    set_course(id, piece, 0.0);
}

// Who was let pass is in the way again once it is no longer overlapped.
void Plane::forget_passing(BodyId id) {
    Body& b = bodies_[id];
    Rare& rare = own_rare(id);
    std::erase_if(rare.passing, [&](BodyId other) {
        return bodies_[other].is_gone || gap_between(id, other, nullptr, nullptr) > 0.0;
    });
    std::erase_if(rare.passing_fixed, [&](std::int32_t obstacle) {
        for (const Fixed& fixed : fixed_)
            if (fixed.region < 0 && fixed.obstacle == obstacle &&
                gap(*b.shape, pose(id), *fixed.shape, fixed.placed()).gap <= 0.0)
                return false;
        return true;
    });
    hot_[id].lets_pass = !rare.passing.empty() || !rare.passing_fixed.empty();
    hot_[id].is_plain = hot_[id].is_simple && hot_[id].is_disc && !hot_[id].lets_pass;
    if (is_seen_by_all(id)) show_to_all(id);
}

void Plane::pass_ground(BodyId id) {
    Body& b = bodies_[id];
    Rare& rare = own_rare(id);
    const std::uint32_t region = static_cast<std::uint32_t>(fixed_[static_cast<std::size_t>(rare.ground_with)].region);
    const bool is_again = rare.passed_at == now && rare.passed == static_cast<std::int32_t>(region);
    rare.passes = is_again ? rare.passes + 1 : 1;
    rare.passed_at = now;
    rare.passed = static_cast<std::int32_t>(region);
    std::erase(rare.regions, region);
    if (rare.ground_enters) rare.regions.push_back(region);
    if (rare.ground_enters && regions_[region].kind == Region::Kind::hole) {
        remove(id, true);
        return;
    }
    // The clock of the piece goes on from where it stands, at another rate.
    const Piece piece = b.piece;
    set_course(id, piece, course(id).clock_at(now));
}

}  // namespace kumi
