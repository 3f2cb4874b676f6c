#include "plane/contacts.hpp"
#include "geometry/parting.hpp"

#include <algorithm>
#include <cmath>

namespace kumi {

namespace {

// How the gap of a disc opens to what is `apart` from its centre and moves so: while that is at least half as far
// away as now, the gap bends outwards no faster than the way itself does and the direction turns.
Opening open_round(Vec apart, Vec moving, double reach, double top, double acceleration) {
    const double away = length(apart);
    if (away == 0.0) return {-reach};
    return {away - reach, dot(apart, moving) / away, acceleration + 2.0 * top * top / away, 0.5 * away / top};
}

// What a body is in contact with that does not move: the parts of an obstacle, and what lies within them.
class Stands {
  public:
    Stands(const Obstacles& obstacles, std::int32_t obstacle) {
        for (const Fixed& fixed : obstacles.parts())
            if (fixed.region < 0 && fixed.obstacle == obstacle) parts_.push_back(&fixed);
        for (const Solid& solid : obstacles.solids())
            if (solid.obstacle == obstacle) solid_ = &solid;
    }

    // What counts as touching it.
    double slack(const Shape& shape, Vec here) const {
        double most = 0.0;
        for (const Fixed* fixed : parts_) {
            const double far = std::max(length(fixed->capsule.a), length(fixed->capsule.b));
            most = std::max(
                most, TOUCHING * (shape.reach + fixed->capsule.radius) + ROUNDING * (length(here) + far));
        }
        return most;
    }

    Opening look(const Shape& shape, const Course& course, double top, double time) const {
        const Pose here = course.pose(time);
        const bool is_disc = shape.kind == Shape::Kind::disc;
        const Vec velocity = is_disc ? course.velocity(time) : Vec{};
        Opening nearest{INFINITE_TIME};
        for (const Fixed* fixed : parts_) {
            const Vec apart = beside(fixed->capsule, here.at).away;
            const double reach = shape.reach + fixed->capsule.radius;
            if (length(apart) - reach >= nearest.open) continue;
            const Opening one = is_disc ? open_round(apart, velocity, reach, top, course.top_acceleration())
                                        : Opening{gap(shape, here, *fixed->shape, fixed->placed()).gap};
            if (one.open < nearest.open) nearest = one;
        }
        // No side goes through it, so all of it is where one of its points is.
        if (nearest.open > 0.0 && solid_ && is_within(solid_->corners, middle(shape, here)))
            return {-nearest.open};
        return nearest;
    }

  private:
    std::vector<const Fixed*> parts_;
    const Solid* solid_ = nullptr;
};

}  // namespace

std::uint32_t Contacts::find(Pair pair, bool passes) const {
    for (std::uint32_t number : bodies_.rare(pair.body).lasting) {
        const Lasting& one = lasting_[number];
        const BodyId other = one.pair.body == pair.body ? one.pair.other : one.pair.body;
        if (other == pair.other && one.pair.obstacle == pair.obstacle && one.passes >= passes) return number;
    }
    return NONE;
}

void Contacts::begin(Pair pair, double open, bool passes) {
    const double slack = std::max(slack_of(pair), open);  // wider only where the clock is too coarse
    std::uint32_t number = find(pair, false);
    if (number == NONE && free_.empty()) {
        number = static_cast<std::uint32_t>(lasting_.size());
        lasting_.emplace_back();
        ends_.resize(lasting_.size());
    } else if (number == NONE) {
        number = free_.back();
        free_.pop_back();
    } else {
        // The pair is in a contact already, which goes on: it keeps its number, is told once, and once it lets the
        // two pass, it does so to its end. The wider slack counts, or a contact that began apart would end at once.
        lasting_[number].slack = std::max(lasting_[number].slack, slack);
        lasting_[number].passes |= passes;
        predict_end(number);
        return;
    }
    lasting_[number] = {pair, slack, 0, 0, passes, true, false};
    for (BodyId id : {pair.body, pair.other}) {
        if (id == NOBODY) continue;
        bodies_.own_rare(id).lasting.push_back(number);
        bodies_.hot(id).is_in_contact = true;
    }
    predict_end(number);
}

void Contacts::end(std::uint32_t number) {
    Lasting& lasting = lasting_[number];
    const Pair pair = lasting.pair;
    lasting.is_over = true;
    ends_.set(number, INFINITE_TIME);
    free_.push_back(number);
    for (BodyId id : {pair.body, pair.other}) {
        if (id == NOBODY) continue;
        auto& numbers = bodies_.own_rare(id).lasting;
        std::erase(numbers, number);
        bodies_.hot(id).is_in_contact = !numbers.empty();
        if (bodies_.hot(id).tells_partings && !bodies_[id].is_walker())
            notices_.tell({Notice::Kind::parted,
                           id,
                           id == pair.body ? pair.other : pair.body,
                           pair.obstacle,
                           {},
                           Why::contact,
                           false});
    }
}

bool Contacts::act(std::uint32_t number, Pair& pair) {
    const Lasting& lasting = lasting_[number];
    pair = lasting.pair;
    // A prediction is valid for the motions from which it was made. When either has changed, or the search gave up at its
    // last step and so only says "not before this instant", the end is predicted anew from here.
    const bool holds = lasting.version == bodies_.hot(pair.body).version &&
                       (pair.other == NOBODY || lasting.other_version == bodies_.hot(pair.other).version);
    if (!holds || !lasting.is_sure) {
        predict_end(number);
        return false;
    }
    end(number);
    return true;
}

void Contacts::forget(BodyId body) {
    // Over a copy, here and in `recheck`: `end` takes the number out of the body's own list.
    for (std::uint32_t number : std::vector<std::uint32_t>(bodies_.rare(body).lasting)) end(number);
}

void Contacts::forget_obstacle(std::int32_t obstacle) {
    for (std::uint32_t number = 0; number < lasting_.size(); ++number)
        if (const Lasting& one = lasting_[number];
            !one.is_over && one.pair.other == NOBODY && one.pair.obstacle == obstacle)
            end(number);
}

void Contacts::recheck(BodyId body) {
    for (std::uint32_t number : std::vector<std::uint32_t>(bodies_.rare(body).lasting))
        if (gap_of(lasting_[number].pair) > lasting_[number].slack) end(number);
}

void Contacts::predict(BodyId body) {
    for (std::uint32_t number : bodies_.rare(body).lasting) predict_end(number);
}

void Contacts::halt() {
    for (std::uint32_t number = 0; number < lasting_.size(); ++number) ends_.set(number, INFINITE_TIME);
}

void Contacts::predict_end(std::uint32_t number) {
    Lasting& lasting = lasting_[number];
    const auto [body, other, obstacle] = lasting.pair;
    const Meeting found = other == NOBODY ? parting_of_obstacle(lasting) : parting_of_bodies(lasting);
    lasting.is_sure = found.sure;
    lasting.version = bodies_.hot(body).version;
    lasting.other_version = other == NOBODY ? 0 : bodies_.hot(other).version;
    // Rounding may put the end a last bit before now, and the agenda does not go back.
    ends_.set(number, std::max(found.time, bodies_.now));
}

// What counts as touching, where contacts begin, too.
double Contacts::slack_of(Pair pair) const {
    const Vec here = bodies_.place_of(pair.body);
    if (pair.other == NOBODY) return Stands(obstacles_, pair.obstacle).slack(*bodies_[pair.body].shape, here);
    return TOUCHING * (bodies_.hot(pair.body).radius + bodies_.hot(pair.other).radius) +
           ROUNDING * (length(here) + length(bodies_.place_of(pair.other)));
}

double Contacts::gap_of(Pair pair) const {
    if (pair.other != NOBODY) return bodies_.gap_between(pair.body, pair.other, nullptr, nullptr);
    return Stands(obstacles_, pair.obstacle)
        .look(*bodies_[pair.body].shape, bodies_.course(pair.body), 1.0, bodies_.now)
        .open;
}

Meeting Contacts::parting_of_bodies(const Lasting& lasting) const {
    const auto [one, other, obstacle] = lasting.pair;
    const Hot &a = bodies_.hot(one), &b = bodies_.hot(other);
    // Only until the first of the two motions ends: whatever comes next predicts the end of this contact anew.
    const double now = bodies_.now, until = std::min(a.until, b.until), slack = lasting.slack;
    const Course way = bodies_.course(one), way_of_other = bodies_.course(other);
    const Shape &shape = *bodies_[one].shape, &shape_of_other = *bodies_[other].shape;
    const double size = a.radius + b.radius;
    const double top = top_speed(way, shape) + top_speed(way_of_other, shape_of_other);
    if (!a.is_disc || !b.is_disc) {
        const auto look = [&](double time) {
            return Opening{gap(shape, way.pose(time), shape_of_other, way_of_other.pose(time)).gap};
        };
        const double small = std::min(shape.reach, shape_of_other.reach);
        return part(look, top, slack, FEELING * small / top, now, until);
    }
    if (a.is_simple && b.is_simple) {
        const Vec apart = bodies_.place(a) - bodies_.place(b), moving{a.vx - b.vx, a.vy - b.vy};
        // Both tests before the root: outside of the slack the two have parted, and at the same velocity they never will,
        // which `part_straight` could not answer without dividing by zero.
        if (length(apart) > size + slack) return {now, true};
        if (square(moving) == 0.0) return {};
        const double time = now + part_straight(apart, moving, size);
        // What opens by no more than nothing until the motion ends is closed still.
        if (time >= until ||
            (until < INFINITE_TIME && length(apart + moving * (until - now)) <= size + slack))
            return {};
        return {time, true};
    }
    const double acceleration = way.top_acceleration() + way_of_other.top_acceleration();
    const auto look = [&](double time) {
        return open_round(way.pose(time).at - way_of_other.pose(time).at,
                          way.velocity(time) - way_of_other.velocity(time), size, top, acceleration);
    };
    return part(look, top, slack, std::isfinite(acceleration) ? 0.0 : FEELING * size / top, now, until);
}

Meeting Contacts::parting_of_obstacle(const Lasting& lasting) const {
    const BodyId id = lasting.pair.body;
    const Course way = bodies_.course(id);
    const Shape& shape = *bodies_[id].shape;
    const Stands stands(obstacles_, lasting.pair.obstacle);
    const double top = top_speed(way, shape);
    const bool bends_evenly = shape.kind == Shape::Kind::disc && std::isfinite(way.top_acceleration());
    return part([&](double time) { return stands.look(shape, way, top, time); }, top, lasting.slack,
                bends_evenly ? 0.0 : FEELING * shape.reach / top, bodies_.now, bodies_.hot(id).until);
}

}  // namespace kumi
