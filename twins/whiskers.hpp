// When does a whisker of a robot touch something? As kumi.sensing.touch tells it, for discs in a box.
//
// A whisker is a line without thickness that begins on the robot's surface. Between it and a thing there is a gap, which
// cannot close before so many seconds as its width over the speed at which the two can come closer; then it is looked at
// again. It is also looked at when somebody comes near or leaves, and when somebody near changes its motion. Most motions
// end too far from everything for that: they are told by one bound, and nothing is planned.
#pragma once

#include "geometry/arc.hpp"
#include "plane/plane.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kumi::twins {

inline double distance_from_line(Vec point, Vec begin, Vec end) {
    const Vec along = end - begin;
    const double whole = square(along);
    const double share = whole > 0.0 ? std::clamp(dot(point - begin, along) / whole, 0.0, 1.0) : 0.0;
    return length(begin + along * share - point);
}

class Whiskers {
  public:
    static constexpr double TOUCHING_GAP = 1e-9, FREE_GAP = 1e-3;  // metres, as in kumi.sensing.touch

    Whiskers(Plane& plane, double radius, double length, double bearing, double side)
        : plane_(plane), radius_(radius), tip_(radius + length), body_(make_disc(radius)) {
        if (length <= 0.0) return;
        for (const double at : {-bearing, bearing}) {
            const Vec half = direction(at) * (length / 2);
            feelers_.push_back({direction(at) * radius + half, make_polygon({-half, half})});
        }
        const Vec corners[4] = {{0.0, 0.0}, {side, 0.0}, {side, side}, {0.0, side}};
        for (int i = 0; i < 4; ++i) {
            const Vec middle = (corners[i] + corners[(i + 1) % 4]) * 0.5,
                      half = corners[(i + 1) % 4] - middle;
            walls_.push_back({middle, make_polygon({-half, half})});
        }
        whiskers_.resize(2 * plane.bodies().size());
        places_.resize(plane.bodies().size());
        is_close_.resize(plane.bodies().size(), false);
        passing_.resize(plane.bodies().size(), INFINITE_TIME);
        for (BodyId id = 0; id < plane.bodies().size(); ++id)
            places_[id] = {plane.bodies().pose(id).at, plane.bodies().pose(id).at, 0.0, 0.0, 0.0, 0.0, {}};
    }

    // A robot rests here, or turns on the spot.
    void rested(BodyId id, Vec at) {
        if (feelers_.empty()) return;
        places_[id] = {at, at, 0.0, 0.0, 0.0, plane_.now(), {}};
        if (is_close_[id] || !waiting_.empty())
            changed(id);  // else it was far from all on the way that led here
    }

    // A robot sets off from here, along `axis`, on a leg whose way bends by `drift`.
    void set_off(BodyId id, Vec at, Vec axis, double heading, const Leg& leg, double way, double drift) {
        if (feelers_.empty()) return;
        places_[id] = {at,
                       at + bent(axis, way, drift),
                       std::abs(way),
                       std::abs(way * drift) / 4.0,
                       heading,
                       plane_.now(),
                       leg};
        changed(id);
    }

    double next_time() const {
        double first = INFINITE_TIME;
        for (const std::uint32_t number : waiting_) first = std::min(first, whiskers_[number].next);
        for (const BodyId id : watching_) first = std::min(first, passing_[id]);
        return first;
    }

    // Looks at whatever is due.
    void act(double time) {
        for (std::size_t i = 0; i < watching_.size(); ++i) {
            const BodyId id = watching_[i];
            if (passing_[id] > time) continue;
            look_both(id);
            passing_[id] = next_passing(id);
        }
        for (std::size_t i = 0; i < waiting_.size(); ++i)
            if (whiskers_[waiting_[i]].next <= time) look(waiting_[i]);
        std::erase_if(watching_, [&](BodyId id) { return passing_[id] == INFINITE_TIME; });
        std::erase_if(waiting_,
                      [&](std::uint32_t number) { return whiskers_[number].next == INFINITE_TIME; });
    }

    std::vector<BodyId>
        pressed;  // robots whose whiskers have touched something, to be taken by whoever reads it

  private:
    struct Feeler {
        Vec middle;
        Shape shape;
    };
    struct Wall {
        Vec at;
        Shape shape;
    };
    struct Whisker {
        double next = INFINITE_TIME;
        bool is_touching = false;
    };
    // A way is within `bulge` of the straight line between its ends.
    struct Place {
        Vec at, end;
        double way, bulge, heading, since;
        Leg leg;
    };
    struct Gap {
        double width;
        Vec normal;
        BodyId other;
    };
    // How fast the points of a body can move until its motion ends.
    struct Pace {
        Vec velocity;
        double fastest;
        bool is_straight;

        double towards(Vec along) const { return is_straight ? dot(velocity, along) : fastest; }
    };

    static double distance(Vec point, const Place& line) {
        return distance_from_line(point, line.at, line.end);
    }

    static bool cross_each_other(const Place& a, const Place& b) {
        const auto splits = [](const Place& line, Vec one, Vec other) {
            const Vec along = line.end - line.at;
            return cross(along, one - line.at) * cross(along, other - line.at) < 0.0;
        };
        return splits(a, b.at, b.end) && splits(b, a.at, a.end);
    }

    // Whether one of two may come within reach of the other's whiskers, whenever they drive their ways.
    bool may_meet(const Place& a, const Place& b) const {
        const double reach = tip_ + radius_ + 1e-6, most = reach + a.way + b.way;
        if (square(a.at - b.at) > most * most) return false;
        const double nearest =
            std::min({distance(a.at, b), distance(a.end, b), distance(b.at, a), distance(b.end, a)});
        return nearest <= reach + a.bulge + b.bulge || cross_each_other(a, b);
    }

    bool is_near_wall(const Place& place) const {
        const double side = 2.0 * walls_[0].at.x, near = tip_ + 1e-6 + place.bulge;
        const auto is_near = [&](Vec at) { return std::min({at.x, at.y, side - at.x, side - at.y}) <= near; };
        return is_near(place.at) || is_near(place.end);
    }

    void changed(BodyId id) {
        const bool nobody_waits = waiting_.empty();
        bool is_close = is_near_wall(places_[id]) || is_touching(id);
        for (BodyId other = 0; other < places_.size(); ++other) {
            if (other == id) continue;
            const bool may = may_meet(places_[id], places_[other]);
            is_close = is_close || may;
            is_close_[other] = is_close_[other] || may;
            if (!may && (nobody_waits || !is_waiting(other))) continue;
            if (length(plane_.bodies().pose(id).at - plane_.bodies().pose(other).at) <=
                watched() + TOUCHING_GAP)
                look_both(other);
            watch(other);
        }
        const bool was_waiting = is_waiting(id);
        is_close_[id] = is_close;
        if (!is_close && !was_waiting) return;
        look_both(id);
        watch(id);
    }

    // Somebody is near whose centre is within this distance.
    double watched() const { return 2.0 * tip_ + radius_; }

    bool is_waiting(BodyId id) const {
        return whiskers_[2 * id].next < INFINITE_TIME || whiskers_[2 * id + 1].next < INFINITE_TIME;
    }

    void watch(BodyId id) {
        const bool was_watching = std::find(watching_.begin(), watching_.end(), id) != watching_.end();
        passing_[id] = next_passing(id);
        if (!was_watching && passing_[id] < INFINITE_TIME) watching_.push_back(id);
    }

    // When somebody next comes near a robot, or leaves.
    double next_passing(BodyId id) const {
        double first = INFINITE_TIME;
        const Place& mine = places_[id];
        for (BodyId other = 0; other < places_.size(); ++other) {
            const double most = watched() + mine.way + places_[other].way + 1e-6;
            if (other == id || square(places_[other].at - mine.at) > most * most) continue;
            if (mine.way == 0.0 && places_[other].way == 0.0) continue;
            first = std::min(first, passing_time(id, other));
        }
        return first;
    }

    double passing_time(BodyId id, BodyId other) const {
        const Piece one = piece(id), two = piece(other);
        const Course mine{&one, places_[id].since, 0.0, 1.0}, theirs{&two, places_[other].since, 0.0, 1.0};
        const double until = std::min({plane_.bodies().piece_end(id), plane_.bodies().piece_end(other),
                                       mine.end(), theirs.end()}),
                     range = watched();
        const bool is_inside =
            length(mine.pose(plane_.now()).at - theirs.pose(plane_.now()).at) <= range * (1.0 + 1e-9);
        double from = plane_.now();
        for (;;) {
            const Meeting meeting = is_inside ? leave_range(mine, theirs, range, from, until)
                                              : enter_range(mine, theirs, range, from, until);
            if (meeting.time == INFINITE_TIME) return INFINITE_TIME;
            if (meeting.sure)
                return meeting.time > plane_.now() + 1e-9 ? meeting.time : INFINITE_TIME;  // it passes now
            from = meeting.time;
        }
    }

    Piece piece(BodyId id) const {
        const Place& place = places_[id];
        Piece found = resting({place.at, place.heading});
        const char* problem = nullptr;
        if (place.way > 0.0) resolve(place.leg, {place.at, place.heading}, found, problem);
        return found;
    }

    bool is_touching(BodyId id) const {
        return whiskers_[2 * id].is_touching || whiskers_[2 * id + 1].is_touching;
    }

    void look_both(BodyId id) {
        for (std::uint32_t number = 2 * id; number < 2 * id + 2; ++number) {
            const bool was_waiting = std::find(waiting_.begin(), waiting_.end(), number) != waiting_.end();
            look(number);
            if (!was_waiting && whiskers_[number].next < INFINITE_TIME) waiting_.push_back(number);
        }
    }

    Pace pace(BodyId id, double reach) const {
        const Vec velocity = plane_.bodies().velocity(id);
        const double turning = plane_.bodies().turning(id);
        return {velocity, length(velocity) + std::abs(turning) * reach, turning == 0.0};
    }

    void look(std::uint32_t number) {
        Whisker& whisker = whiskers_[number];
        const BodyId id = number / 2;
        const Pace mine = pace(id, tip_);
        find_gaps(number, way_left(id) + 2.0 * tip_);
        double narrowest = INFINITE_TIME;
        for (const Gap& gap : gaps_) narrowest = std::min(narrowest, gap.width);
        const bool was_touching = whisker.is_touching;
        whisker.is_touching = narrowest <= (was_touching ? FREE_GAP : TOUCHING_GAP);
        if (whisker.is_touching && !was_touching) pressed.push_back(id);
        double wait = INFINITE_TIME;
        for (const Gap& gap : gaps_)
            wait = std::min(wait, whisker.is_touching ? opens(gap, mine) : closes(gap, mine));
        whisker.next = plane_.now() + wait;
    }

    double closes(const Gap& gap, const Pace& mine) const {
        double speed = mine.towards(gap.normal);
        if (gap.other != NOBODY) speed += pace(gap.other, 0.0).towards(-gap.normal);
        return speed > 0.0 ? gap.width / speed : INFINITE_TIME;
    }

    double opens(const Gap& gap, const Pace& mine) const {
        if (gap.width > FREE_GAP) return INFINITE_TIME;
        const double speed = mine.fastest + (gap.other != NOBODY ? pace(gap.other, 0.0).fastest : 0.0);
        return speed > 0.0 ? std::max(FREE_GAP, -gap.width) / speed : INFINITE_TIME;
    }

    double way_left(BodyId id) const {
        if (!plane_.bodies().is_moving(id)) return 0.0;
        double way, turned;
        plane_.bodies().by(id, plane_.bodies().piece_end(id), way, turned);
        return way - plane_.bodies().odometer(id);
    }

    void find_gaps(std::uint32_t number, double within) {
        gaps_.clear();
        const BodyId id = number / 2;
        const Feeler& feeler = feelers_[number % 2];
        const Pose pose = wrapped(plane_.bodies().pose(id));
        const Pose here{pose.at + turned(feeler.middle, pose.heading), pose.heading};
        const double far = within + feeler.shape.reach;
        for (BodyId other = 0; other < places_.size(); ++other) {
            const double most = far + radius_ + places_[other].way;
            if (other == id || square(places_[other].at - here.at) > most * most) continue;
            const Vec there = plane_.bodies().pose(other).at;
            if (length(there - here.at) - radius_ > far) continue;
            const Touch touch = gap(feeler.shape, here, body_, {there, 0.0});
            gaps_.push_back({touch.gap, touch.normal, other});
        }
        const double side = 2.0 * walls_[0].at.x;
        if (std::min({here.at.x, here.at.y, side - here.at.x, side - here.at.y}) > far) return;
        for (const Wall& wall : walls_) {
            const Touch touch = gap(feeler.shape, here, wall.shape, {wall.at, 0.0});
            if (touch.gap <= within) gaps_.push_back({touch.gap, touch.normal, NOBODY});
        }
    }

    Plane& plane_;
    double radius_, tip_;
    Shape body_;
    std::vector<Feeler> feelers_;
    std::vector<Wall> walls_;
    std::vector<Whisker> whiskers_;       // two for each robot, the right one first
    std::vector<std::uint32_t> waiting_;  // those that will look again
    std::vector<Place> places_;           // where a motion began, and how long its way is
    std::vector<bool>
        is_close_;  // whether something may be within reach of its whiskers on the way under way
    std::vector<double> passing_;   // when somebody next comes near each robot, or leaves
    std::vector<BodyId> watching_;  // those for whom that is known
    std::vector<Gap> gaps_;
};

}  // namespace kumi::twins
