// The convoy of kumi.programs.convoy once more, compiled: for studies of very many runs.
//
// The same decisions in the same order, on an agenda with one event for each robot that moves. Turns and arcs have
// closed forms; a beam meets discs and four walls. The models stay the truth: a test compares all measures of runs
// with the same seeds. What a contact does is not told here. A motion that might touch something ends the run with
// `touches`, and the caller runs the models instead.
#pragma once

#include "../core/chance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>
#include <vector>

namespace kumi::twins {

constexpr double pi = std::numbers::pi, tau = 2.0 * pi;

// Metres, seconds and radians; the order is that of kumi.experiment.convoy.twin.
struct Settings {
    double desired, diameter, step, leader_turn, scan_step, scan_reach, tolerance, learning;
    double dnf, drift_per_metre, reach, resolution, side_bearing, speed, turn_speed, side, room, break_up, feel;
};

struct Place {
    double x, y;
};

struct Informed {
    double alpha, distance, beta;
};

enum class Phase { waiting, turning, moving, looking, giving_up, leader_turning, leader_going };

struct Robot {
    double x = 0, y = 0, heading = 0;
    // The motion under way: from when to when, how far and by which angle.
    double begin = 0, end = 0, way = 0, angle = 0;
    bool is_moving = false;
    Phase phase = Phase::waiting;
    double gap = 0, delta = 0, error = 0;
    Informed own{}, front{};
    bool has_front = false, back_is_there = true;
    int scans = 0;

    Place at(double time) const {
        if (!is_moving || way == 0.0) return {x, y};
        const double share = (time - begin) / (end - begin);
        if (angle == 0.0) return {x + share * way * std::cos(heading), y + share * way * std::sin(heading)};
        const double radius = way / angle, then = heading + share * angle;
        return {x + radius * (std::sin(then) - std::sin(heading)), y - radius * (std::cos(then) - std::cos(heading))};
    }
};

class Convoy {
  public:
    Convoy(const Settings& settings, int steps, std::vector<Chance> chances)
        : robots(chances.size()), set_(settings), steps_(steps), chances_(std::move(chances)), radius_(settings.diameter / 2) {
        const int count = size();
        for (int i = 0; i < count; ++i) {
            robots[i].x = set_.room + (count - 1) * set_.desired - i * set_.desired;
            robots[i].y = set_.side / 2;
            robots[i].gap = set_.desired;
        }
    }

    void run() {
        set_off(0);
        while (!is_over_ && !agenda_.empty()) {
            const Event event = agenda_.top();
            agenda_.pop();
            integral += sum_ / size() * (event.time - now);
            now = event.time;
            finish(event.robot);
        }
    }

    std::vector<Robot> robots;
    double now = 0, integral = 0, warm_at = -1, integral_when_warm = 0, broke_up_at = -1, largest = 0;
    long adjustments = 0, times_lost = 0, follower_steps = 0, leader_steps = 0;
    bool touches = false;

  private:
    struct Event {
        double time;
        long order;
        int robot;
        bool operator<(const Event& other) const { return time != other.time ? time > other.time : order > other.order; }
    };

    int size() const { return static_cast<int>(robots.size()); }

    void finish(int i) {
        Robot& robot = robots[i];
        const Place place = robot.at(now);
        robot.x = place.x, robot.y = place.y;
        robot.heading += robot.angle;
        robot.is_moving = false;
        update_error(i);
        update_error(i + 1);
        switch (robot.phase) {
        case Phase::turning: go(i); break;
        case Phase::moving:
        case Phase::looking: look(i); break;
        case Phase::giving_up: inform(i); break;
        case Phase::leader_turning: lead(); break;
        default: inform(0);
        }
    }

    void update_error(int i) {
        if (i < 1 || i >= size()) return;
        const Robot& front = robots[i - 1];
        Robot& robot = robots[i];
        const double error = std::hypot(robot.x - front.x + set_.desired * std::cos(front.heading),
                                        robot.y - front.y + set_.desired * std::sin(front.heading));
        sum_ += error - robot.error;
        robot.error = error;
        largest = std::max(largest, error);
        if (error > set_.break_up && broke_up_at < 0.0) broke_up_at = now, is_over_ = true;
    }

    void start(int i, double way, double angle, double duration) {
        Robot& robot = robots[i];
        robot.way = way, robot.angle = angle;
        robot.begin = now, robot.end = now + duration;
        robot.is_moving = true;
        agenda_.push({robot.end, order_++, i});
    }

    void turn(int i, double angle) { start(i, 0.0, angle, std::fabs(angle) / set_.turn_speed); }

    void forward(int i, double distance) {
        double way = distance, angle = 0.0;
        if (set_.dnf != 0.0 || set_.drift_per_metre != 0.0) {
            angle = (set_.drift_per_metre * std::fabs(distance) * (-1.0 + 2.0 * chances_[i].unit())) * (pi / 180.0);
            way = distance * (1.0 + set_.dnf * (-1.0 + 2.0 * chances_[i].unit()));
        }
        start(i, way, angle, std::fabs(way) / set_.speed);
        if (might_touch(i)) touches = is_over_ = true;
    }

    // Whether the straight lines of two ways come too close, whenever they are driven; arcs bulge a little.
    bool might_touch(int i) const {
        const Robot& robot = robots[i];
        const Place from{robot.x, robot.y}, to = robot.at(robot.end);
        const double bulge = std::fabs(robot.way * robot.angle) / 4, own = radius_ + set_.feel + bulge;
        if (std::min({to.x, to.y, set_.side - to.x, set_.side - to.y}) < own) return true;
        for (int j = 0; j < size(); ++j) {
            const Robot& other = robots[j];
            if (j == i || std::hypot(other.x - from.x, other.y - from.y) > own + radius_ + std::fabs(robot.way) + std::fabs(other.way)) continue;
            const Place there = other.at(now), then = other.is_moving ? other.at(other.end) : there;
            const double least = own + radius_ + (other.is_moving ? std::fabs(other.way * other.angle) / 4 : 0.0);
            const double nearest = std::min({distance(there, from, to), distance(then, from, to), distance(from, there, then), distance(to, there, then)});
            if (nearest < least || cross(from, to, there, then)) return true;
        }
        return false;
    }

    static double distance(Place point, Place from, Place to) {
        const double x = to.x - from.x, y = to.y - from.y, square = x * x + y * y;
        const double share = square > 0.0 ? std::clamp(((point.x - from.x) * x + (point.y - from.y) * y) / square, 0.0, 1.0) : 0.0;
        return std::hypot(from.x + share * x - point.x, from.y + share * y - point.y);
    }

    static double side_of(Place a, Place b, Place c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

    static bool cross(Place a, Place b, Place c, Place d) {
        return side_of(a, b, c) * side_of(a, b, d) < 0.0 && side_of(c, d, a) * side_of(c, d, b) < 0.0;
    }

    struct Reading {
        double distance;
        bool is_hit;
    };

    Reading range(int i, double bearing) const {
        const Robot& robot = robots[i];
        const double dx = std::cos(robot.heading + bearing), dy = std::sin(robot.heading + bearing);
        const double x = robot.x + radius_ * dx, y = robot.y + radius_ * dy;
        double best = 1e300;
        if (dx != 0.0) best = std::min(best, ((dx > 0.0 ? set_.side : 0.0) - x) / dx);
        if (dy != 0.0) best = std::min(best, ((dy > 0.0 ? set_.side : 0.0) - y) / dy);
        for (int j = 0; j < size(); ++j) {
            const Robot& other = robots[j];
            const double far = set_.reach + set_.diameter + (other.is_moving ? std::fabs(other.way) : 0.0);
            const double ax = other.x - robot.x, ay = other.y - robot.y;
            if (j == i || ax * ax + ay * ay > far * far) continue;
            const Place there = other.at(now);
            const double along = (there.x - x) * dx + (there.y - y) * dy, across = (there.x - x) * dy - (there.y - y) * dx;
            const double half = radius_ * radius_ - across * across;
            if (half >= 0.0 && along + std::sqrt(half) >= 0.0) best = std::min(best, std::max(0.0, along - std::sqrt(half)));
        }
        if (best > set_.reach) return {set_.reach, false};
        return {std::nearbyint(best / set_.resolution) / std::nearbyint(1.0 / set_.resolution), true};
    }

    void lead() {
        Robot& leader = robots[0];
        const Reading right = range(0, -set_.side_bearing), ahead = range(0, 0.0), left = range(0, set_.side_bearing);
        const bool is_free = !(right.is_hit || ahead.is_hit || left.is_hit);
        if (is_free || std::fabs(leader.own.alpha) + set_.leader_turn > tau) {
            leader.phase = Phase::leader_going;
            leader.own.distance = set_.step;
            forward(0, set_.step);
            return;
        }
        if (side_ == 0.0) side_ = left.distance == right.distance ? last_side_ : left.distance > right.distance ? 1.0 : -1.0;
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
        const double direction = robot.front.alpha + robot.delta;
        const double ahead = robot.gap + robot.front.distance * std::cos(direction), left = robot.front.distance * std::sin(direction);
        robot.own.alpha = std::atan2(left, ahead);
        robot.own.distance = std::hypot(ahead, left) - set_.desired;
        robot.scans = 0;
        robot.phase = Phase::turning;
        if (robot.own.alpha != 0.0) turn(i, robot.own.alpha);
        else go(i);
    }

    void go(int i) {
        robots[i].phase = Phase::moving;
        if (robots[i].own.distance != 0.0) forward(i, robots[i].own.distance);
        else look(i);
    }

    void look(int i) {
        Robot& robot = robots[i];
        robot.phase = Phase::looking;
        const Reading seen = range(i, 0.0);
        const double gap = seen.distance + set_.diameter;
        if (seen.is_hit && std::fabs(gap - set_.desired) <= set_.tolerance + 1e-9) {
            if (set_.learning > 0.0 && robot.front.distance != 0.0) learn(robot, gap);
            robot.gap = gap;
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

    void learn(Robot& robot, double gap) const {
        const double heading = robot.own.alpha + robot.own.beta, sign = robot.front.distance < 0.0 ? -1.0 : 1.0;
        const double ahead = robot.own.distance * std::cos(robot.own.alpha) + gap * std::cos(heading) - robot.gap;
        const double left = robot.own.distance * std::sin(robot.own.alpha) + gap * std::sin(heading);
        const double seen = std::remainder(std::atan2(sign * left, sign * ahead) - robot.front.alpha, tau);
        robot.delta += set_.learning * std::remainder(seen - robot.delta, tau);
    }

    void inform(int i) {
        Robot& robot = robots[i];
        robot.phase = Phase::waiting;
        if (i == 0) {
            if (++leader_steps == size()) warm_at = now, integral_when_warm = integral;
            if (leader_steps >= steps_) is_over_ = true;
        } else {
            robot.delta = std::remainder(robot.delta + robot.front.alpha + robot.front.beta - robot.own.alpha - robot.own.beta, tau);
            robot.has_front = false;
            ++follower_steps;
            robots[i - 1].back_is_there = true;
        }
        if (i + 1 < size()) {
            robots[i + 1].front = robot.own;
            robots[i + 1].has_front = true;
        }
        if (is_over_) return;
        if (i + 1 < size()) set_off(i + 1);
        if (i > 0) set_off(i - 1);
        set_off(i);
    }

    Settings set_;
    int steps_;
    std::vector<Chance> chances_;
    double radius_, sum_ = 0, side_ = 0, last_side_ = 1;
    std::priority_queue<Event> agenda_;
    long order_ = 0;
    bool is_over_ = false;
};

}  // namespace kumi::twins
