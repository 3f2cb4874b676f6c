// The convoy of kumi.convoy.program once more, compiled: for studies of very many runs.
//
// The same decisions in the same order, on the same plane: motions, contacts and beams are those of the core. The
// models stay the truth: a test compares all measures of runs with the same seeds.
#pragma once

#include "numbers/chance.hpp"
#include "numbers/elementary.hpp"
#include "plane/plane.hpp"
#include "whiskers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace kumi::twins {

constexpr double pi = std::numbers::pi, tau = 2.0 * pi;

// Metres, seconds and radians; the order is that of kumi.convoy.twin.
struct Settings {
    double desired, diameter, step, leader_turn, scan_step, scan_reach, tolerance, learning, back_off;
    double dnf, drift_per_metre, reach, resolution, side_bearing, speed, turn_speed, side, room, break_up,
        feel;
};

struct Informed {
    double alpha, distance, beta;
};

enum class Phase { waiting, turning, moving, looking, giving_up, leader_turning, leader_going };
enum class Driving { rest, turn, ahead, back };  // what the motor was told

// What came between a robot and the one in front of it; the order is that of kumi.convoy.causes.
enum class Trouble { none, touched_wall, touched_robot, took_wall, took_robot, found_nobody, lost_message };

// The first trouble of a robot since it last saw the one in front.
struct Mishap {
    Trouble trouble = Trouble::none;
    int other = -1;  // the robot that was touched, or taken for the one in front, or that sent the message
    double time = 0;
    Vec at{};
};

struct Robot {
    Phase phase = Phase::waiting;
    double gap = 0, delta = 0, error = 0;
    Informed own{}, front{};
    bool has_front = false, back_is_there = true;
    int scans = 0;
    // What the layer above, which avoids, knows: what was wanted, and what the motor is doing.
    Driving wanted = Driving::rest, driving = Driving::rest;
    double distance = 0, way = 0;  // commanded; and what was gone before it went back
    Vec at{}, axis{1.0, 0.0};      // where the last motion ended, and where it looked then
    double heading = 0;
    bool is_backing = false;
    Mishap mishap{};
};

class Convoy : private Plane::Listener {
  public:
    // Each message between neighbours is lost with a chance; `links` has random numbers for each pair of them.
    Convoy(const Settings& settings, int steps, std::vector<Chance> chances, double message_loss,
           std::vector<Chance> links)
        : robots(chances.size()),
          set_(settings),
          steps_(steps),
          chances_(std::move(chances)),
          message_loss_(message_loss),
          links_(std::move(links)),
          box_{0.0, 0.0, set_.side, set_.side},
          plane_(&box_),
          whiskers_(lined_up(), set_.diameter / 2, set_.feel, set_.side_bearing, set_.side),
          leg_(1) {
        plane_.set_listener(this);
        plane_.narrow_cells(set_.desired +
                            set_.step);  // they go in a line, and look no farther than to the next
    }

    // Until it is over: what happens at the last instant happens wholly.
    void run() {
        plane_.next_time();
        set_off(0);
        while (!is_over_) {
            const double on_plane = plane_.next_time(), time = std::min(on_plane, whiskers_.next_time());
            if (time == INFINITE_TIME) break;
            plane_.set_now(time);
            if (on_plane <= time) plane_.act(time);
            finish_ended();
            whiskers_.act(time);
            while (!whiskers_.pressed.empty()) take_presses();
        }
        advance();
    }

    double now() const { return plane_.now(); }
    Pose pose(int i) const { return plane_.bodies().pose(static_cast<BodyId>(i)); }

    std::vector<Robot> robots;
    double integral = 0, warm_at = -1, integral_when_warm = 0, broke_up_at = -1, largest = 0, way = 0;
    long adjustments = 0, times_lost = 0, follower_steps = 0, leader_steps = 0, avoided = 0;
    std::vector<double> history;  // instants and mean errors, one after the other, where they are kept
    bool keeps_history = false;
    int broken = -1;  // the robot by whom it broke up, and what had come between it and its front robot
    Mishap why{};

  private:
    int size() const { return static_cast<int>(robots.size()); }

    Plane& lined_up() {
        const auto shape = std::make_shared<const Shape>(make_disc(set_.diameter / 2));
        for (int i = 0; i < size(); ++i) {
            plane_.add(shape,
                       {{set_.room + (size() - 1) * set_.desired - i * set_.desired, set_.side / 2}, 0.0});
            robots[i].gap = set_.desired;
            robots[i].at = plane_.bodies().pose(static_cast<BodyId>(i)).at;
        }
        return plane_;
    }

    // What the plane tells.
    void expect(BodyId) override {}
    void touched(BodyId, BodyId, std::int32_t, Vec) override {}
    void parted(BodyId, BodyId, std::int32_t) override {}
    void moved(BodyId) override {}
    void watched(std::uint32_t, BodyId, bool) override {}
    Policy decide(BodyId, BodyId, std::int32_t, Vec) override { return Policy::stop; }
    void ended(BodyId id, Why why) override {
        ended_.emplace_back(static_cast<int>(id), why == Why::arrived);
    }

    // A touch ends a motion that goes ahead, unless its robot avoids something already.
    void take_presses() {
        const std::vector<BodyId> pressed = std::exchange(whiskers_.pressed, {});
        for (const BodyId id : pressed) {
            const Robot& robot = robots[id];
            if (robot.driving == Driving::ahead && !robot.is_backing) plane_.stop(id);
        }
        finish_ended();
    }

    void finish_ended() {
        for (std::size_t i = 0; i < ended_.size(); ++i) finish(ended_[i].first, ended_[i].second);
        ended_.clear();
    }

    // The motor.
    void start(int i, const Leg& leg) {
        leg_[0] = leg;
        plane_.start(static_cast<BodyId>(i), leg_);
    }

    void turn(int i, double angle) {
        robots[i].wanted = robots[i].driving = Driving::turn;
        Leg leg;
        leg.kind = Leg::Kind::spin;
        leg.amount = angle;
        leg.speed = set_.turn_speed;
        start(i, leg);
        whiskers_.rested(static_cast<BodyId>(i), robots[i].at);
    }

    void forward(int i, double distance) {
        robots[i].wanted = distance > 0.0 ? Driving::ahead : Driving::back;
        drive(i, distance);
    }

    void drive(int i, double distance) {
        Robot& robot = robots[i];
        robot.driving = distance > 0.0 ? Driving::ahead : Driving::back;
        robot.distance = distance;
        double drift = 0.0, length = distance;
        if (set_.dnf != 0.0 || set_.drift_per_metre != 0.0) {
            drift = (set_.drift_per_metre * std::fabs(distance) * (-1.0 + 2.0 * chances_[i].unit())) *
                    (pi / 180.0);
            length = distance * (1.0 + set_.dnf * (-1.0 + 2.0 * chances_[i].unit()));
        }
        Leg leg;
        leg.speed = set_.speed;
        leg.kind = drift != 0.0 && length != 0.0 ? Leg::Kind::arc : Leg::Kind::forward;
        leg.amount = leg.kind == Leg::Kind::arc ? drift : length;
        leg.radius = leg.kind == Leg::Kind::arc ? length / drift : 0.0;
        start(i, leg);
        whiskers_.set_off(static_cast<BodyId>(i), robot.at, robot.axis, robot.heading, leg, length, drift);
    }

    // A motion is over. One that was cut short is followed by a little way back, before the convoy's layer hears of it.
    void finish(int i, bool is_complete) {
        Robot& robot = robots[i];
        const Pose pose = plane_.bodies().pose(static_cast<BodyId>(i));
        const Vec begin = std::exchange(robot.at, pose.at);
        robot.heading = pose.heading;
        robot.axis = direction(pose.heading);
        whiskers_.rested(static_cast<BodyId>(i), robot.at);
        double gone = robot.driving == Driving::turn ? 0.0 : robot.distance;
        if (!is_complete) {
            gone = length(robot.at - begin);
            if (robot.driving == Driving::back) gone = -gone;
            const int other = nearest(i);
            note(i, other < 0 ? Trouble::touched_wall : Trouble::touched_robot, other);
        }
        measure(i);
        if (robot.is_backing) {
            robot.is_backing = false;
            go_on(i, false, robot.way + gone);
        } else if (is_complete) {
            go_on(i, true, gone);
        } else {
            ++avoided;
            robot.is_backing = true;
            robot.way = gone;
            drive(i, robot.wanted == Driving::ahead ? -set_.back_off : set_.back_off);
        }
    }

    void go_on(int i, bool is_complete, double gone) {
        Robot& robot = robots[i];
        switch (robot.phase) {
        case Phase::turning:
            go(i);
            break;
        case Phase::moving:
            robot.own.distance = gone;
            [[fallthrough]];
        case Phase::looking:
            look(i);
            break;
        case Phase::giving_up:
            note(i, Trouble::found_nobody);
            inform(i);
            break;
        case Phase::leader_turning:
            lead();
            break;
        default:
            was_cut_ = !is_complete;
            robot.own.distance = gone;
            inform(0);
        }
    }

    // What is measured: errors stand between the ends of motions.
    void advance() {
        integral += sum_ / size() * (plane_.now() - since_);
        since_ = plane_.now();
    }

    void measure(int i) {
        advance();
        update_error(i);
        update_error(i + 1);
        if (keeps_history) history.insert(history.end(), {plane_.now(), sum_ / size()});
    }

    void update_error(int i) {
        if (i < 1 || i >= size()) return;
        const Robot& front = robots[i - 1];
        const double error = length(robots[i].at - front.at + front.axis * set_.desired);
        sum_ += error - robots[i].error;
        robots[i].error = error;
        largest = std::max(largest, error);
        if (error > set_.break_up) break_up(i, robots[i].mishap);
    }

    void break_up(int i, const Mishap& mishap) {
        if (broke_up_at >= 0.0) return;
        broke_up_at = plane_.now();
        is_over_ = true;
        broken = i;
        why =
            mishap.trouble == Trouble::none ? Mishap{Trouble::none, -1, plane_.now(), robots[i].at} : mishap;
    }

    // Why a robot does not see the one in front any more: the first thing that happened since it last did.
    void note(int i, Trouble trouble, int other = -1) {
        Mishap& mishap = robots[i].mishap;
        if (i > 0 && mishap.trouble == Trouble::none) mishap = {trouble, other, plane_.now(), robots[i].at};
    }

    // What is nearest to a robot and its whiskers: another robot, or -1 for a wall.
    int nearest(int i) const {
        const Vec at = robots[i].at;
        const double radius = set_.diameter / 2, tip = radius + set_.feel;
        Vec tips[3] = {at, at, at};
        if (set_.feel > 0.0) {
            tips[1] = at + direction(robots[i].heading - set_.side_bearing) * tip;
            tips[2] = at + direction(robots[i].heading + set_.side_bearing) * tip;
        }
        double least = INFINITE_TIME;
        for (int k = 0; k < 3; ++k) {
            const Vec p = tips[k];
            const double wall = std::min({p.x, p.y, set_.side - p.x, set_.side - p.y});
            least = std::min(least, k == 0 ? wall - radius : wall);
        }
        int found = -1;
        for (int j = 0; j < size(); ++j) {
            if (j == i) continue;
            const Vec there = plane_.bodies().pose(static_cast<BodyId>(j)).at;
            double away = length(there - at) - radius;
            for (int k = 1; k < 3; ++k) away = std::min(away, distance_from_line(there, at, tips[k]));
            if (away - radius < least) least = away - radius, found = j;
        }
        return found;
    }

    struct Reading {
        double distance;
        bool is_hit;
        BodyId body;  // whom the beam met; NOBODY for a wall
    };

    Reading range(int i, double bearing) const {
        const BodyId id = static_cast<BodyId>(i);
        const Vec along =
            bearing == 0.0 ? robots[i].axis : direction(wrapped(plane_.bodies().pose(id).heading) + bearing);
        const Hit hit = plane_.queries().first_hit(robots[i].at + along * (set_.diameter / 2), along,
                                                   set_.reach, id, true, true);
        const double found = hit.distance;
        if (found > set_.reach) return {set_.reach, false, NOBODY};
        const double parts = std::nearbyint(1.0 / set_.resolution),
                     steps = std::nearbyint(found / set_.resolution);
        const bool is_whole = parts != 0.0 && std::fabs(parts * set_.resolution - 1.0) < 1e-12;
        return {is_whole ? steps / parts : steps * set_.resolution, true, hit.body};
    }

    // The leader.
    void lead() {
        Robot& leader = robots[0];
        const Reading right = range(0, -set_.side_bearing), ahead = range(0, 0.0),
                      left = range(0, set_.side_bearing);
        const bool is_free = !(right.is_hit || ahead.is_hit || left.is_hit || was_cut_);
        if (is_free || std::fabs(leader.own.alpha) + set_.leader_turn > tau) {
            leader.phase = Phase::leader_going;
            forward(0, set_.step);
            return;
        }
        if (side_ == 0.0)
            side_ = left.distance == right.distance  ? last_side_
                    : left.distance > right.distance ? 1.0
                                                     : -1.0;
        was_cut_ = false;
        last_side_ = side_;
        leader.own.alpha += side_ * set_.leader_turn;
        leader.phase = Phase::leader_turning;
        turn(0, side_ * set_.leader_turn);
    }

    void set_off(int i) {
        Robot& robot = robots[i];
        if (robot.phase != Phase::waiting || !robot.back_is_there || (i > 0 && !robot.has_front)) return;
        robot.back_is_there = i == size() - 1;
        robot.own = {0.0, 0.0, 0.0};
        if (i == 0) {
            side_ = 0.0;
            lead();
            return;
        }
        const double angle = robot.front.alpha + robot.delta;
        const double ahead = robot.gap + robot.front.distance * maths::cos(angle),
                     left = robot.front.distance * maths::sin(angle);
        robot.own.alpha = maths::atan2(left, ahead);
        robot.own.distance = maths::hypot(ahead, left) - set_.desired;
        robot.scans = 0;
        robot.phase = Phase::turning;
        if (robot.own.alpha != 0.0)
            turn(i, robot.own.alpha);
        else
            go(i);
    }

    void go(int i) {
        robots[i].phase = Phase::moving;
        if (robots[i].own.distance != 0.0)
            forward(i, robots[i].own.distance);
        else
            look(i);
    }

    void look(int i) {
        Robot& robot = robots[i];
        robot.phase = Phase::looking;
        const Reading seen = range(i, 0.0);
        const double gap = seen.distance + set_.diameter;
        if (seen.is_hit && std::fabs(gap - set_.desired) <= set_.tolerance + 1e-9) {
            if (set_.learning > 0.0 && robot.front.distance != 0.0) learn(robot, gap);
            robot.gap = gap;
            take(i, seen.body);
            inform(i);
            return;
        }
        if (robot.scans++ == 0) ++adjustments;
        const double offset = set_.scan_step * ((robot.scans + 1) / 2), before = robot.own.beta;
        const bool gives_up = offset > set_.scan_reach;
        robot.own.beta = gives_up ? 0.0 : robot.scans % 2 ? offset : -offset;
        if (gives_up) {
            robot.phase = Phase::giving_up;
            ++times_lost;
            robot.gap = set_.desired;
        }
        turn(i, robot.own.beta - before);
    }

    // It takes what its beam met for the robot in front, rightly or not.
    void take(int i, BodyId met) {
        if (met == static_cast<BodyId>(i - 1))
            robots[i].mishap = {};
        else
            note(i, met == NOBODY ? Trouble::took_wall : Trouble::took_robot,
                 met == NOBODY ? -1 : static_cast<int>(met));
    }

    void learn(Robot& robot, double gap) const {
        const double heading = robot.own.alpha + robot.own.beta,
                     sign = robot.front.distance < 0.0 ? -1.0 : 1.0;
        const double ahead =
            robot.own.distance * maths::cos(robot.own.alpha) + gap * maths::cos(heading) - robot.gap;
        const double left = robot.own.distance * maths::sin(robot.own.alpha) + gap * maths::sin(heading);
        const double seen = std::remainder(maths::atan2(sign * left, sign * ahead) - robot.front.alpha, tau);
        robot.delta += set_.learning * std::remainder(seen - robot.delta, tau);
    }

    void inform(int i) {
        Robot& robot = robots[i];
        robot.phase = Phase::waiting;
        if (i == 0) {
            ++leader_steps;
            way += robot.own.distance;
            if (leader_steps == size()) advance(), warm_at = plane_.now(), integral_when_warm = integral;
            if (leader_steps >= steps_) is_over_ = true;
        } else {
            robot.delta = std::remainder(
                robot.delta + robot.front.alpha + robot.front.beta - robot.own.alpha - robot.own.beta, tau);
            robot.has_front = false;
            ++follower_steps;
            robots[i - 1].back_is_there = arrives(i, i - 1);
        }
        if (i + 1 < size()) {
            robots[i + 1].front = robot.own;
            robots[i + 1].has_front = arrives(i, i + 1);
        }
        if (i + 1 < size()) set_off(i + 1);
        if (i > 0) set_off(i - 1);
        set_off(i);
    }

    // Who waits for a message that is lost waits for good: nobody repeats it.
    bool arrives(int from, int to) {
        if (message_loss_ <= 0.0 || links_[std::min(from, to)].unit() >= message_loss_) return true;
        break_up(to, {Trouble::lost_message, from, plane_.now(), robots[to].at});
        return false;
    }

    Settings set_;
    int steps_;
    std::vector<Chance> chances_;
    double message_loss_;
    std::vector<Chance> links_;
    Box box_;
    Plane plane_;
    Whiskers whiskers_;
    std::vector<Leg> leg_;
    std::vector<std::pair<int, bool>> ended_;
    double sum_ = 0, since_ = 0, side_ = 0, last_side_ = 1;
    bool is_over_ = false, was_cut_ = false;
};

}  // namespace kumi::twins
