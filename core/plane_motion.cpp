// Motion on the plane: how it begins, goes on and ends.
#include "plane.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kumi {

double Plane::odometer(BodyId id) const { return way_at(id, now); }

double Plane::way_at(BodyId id, double time) const {
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

double Plane::turned(BodyId id) const { return turned_at(id, now); }

double Plane::turned_at(BodyId id, double time) const {
    const Body& b = bodies_[id];
    return b.turned + (b.piece.turns() ? b.piece.turned(course(id).clock_at(time)) : 0.0);
}

void Plane::by(BodyId id, double time, double& way, double& turned) const {
    way = way_at(id, time);
    turned = turned_at(id, time);
}

// How a point of the body moves: with its centre, and around it.
Vec Plane::point_velocity(BodyId id, Vec point) const {
    if (!bodies_[id].piece.turns()) return velocity(id);
    return velocity(id) + left_of(point - pose(id).at) * turning(id);
}

double Plane::turning(BodyId id) const {
    const Body& b = bodies_[id];
    if (!b.piece.turns()) return 0.0;
    const double clock = course(id).clock_at(now);
    if (b.piece.kind == Piece::Kind::line) return b.piece.w * b.rate;
    if (b.piece.kind == Piece::Kind::arc) return b.piece.w * (b.piece.v + b.piece.a * clock) * b.rate;
    const double step = 1e-6;
    return (b.piece.at(clock + step).heading - b.piece.at(clock).heading) / step * b.rate;
}

void Plane::keep_way(BodyId id) {
    Body& b = bodies_[id];
    if (!b.piece.moves() && !b.piece.turns()) return;
    const double way = odometer(id), all = turned(id);
    b.way = way;
    b.turned = all;
}

void Plane::refresh_hot(BodyId id) {
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
    hot.is_plain = hot.is_simple && disc && !hot.lets_pass;
    if (!same) ++hot.version;
}

void Plane::set_course(BodyId id, const Piece& piece, double clock) {
    bodies_[id].piece = piece;
    begin_course(id, clock);
}

// Sets out on the piece that a body has.
void Plane::begin_course(BodyId id, double clock) {
    Body& b = bodies_[id];
    const Piece& piece = b.piece;
    b.since = now;
    b.clock = clock;
    b.rate = regions_.empty() ? 1.0 : rate_here(id);
    b.end = std::isinf(piece.duration) ? INFINITE_TIME : std::max(now, now + (piece.duration - clock) / b.rate);
    if (piece.pattern) asks_patterns_ = true;
    if (piece.pattern || b.rare) {
        Rare& rare = own_rare(id);
        rare.pattern = piece.pattern ? piece.pattern->shared_from_this() : nullptr;
        rare.sample = INFINITE_TIME;
        b.aside = rare.first();
    }
    if (journal.is_open() && b.is_moving) {
        if (piece.kind != Piece::Kind::pattern) {
            journal.write(now, 'M', id, b.rate, clock, piece);
        } else {
            journal.tell(now, Journal::Record('M').put(id).put(b.rate).put(clock).put(piece));
            if (journal.keeps) write_sample(id);
        }
    }
    const std::uint32_t version = hot_[id].version;
    refresh_hot(id);
    if (!is_predicted_) return;
    if (hot_[id].version != version) {
        changed(id);
    } else if (!bodies_[id].is_dirty) {  // it turns where it stood: only the end is new
        if (open_watches_) watch_changed(id);
        plan_body(id);
    }
    if (listener && hot_[id].is_followed) tell({Notice::Kind::moved, id, NOBODY, NO_OBSTACLE, {}, Why::arrived, false});
}

// A user's pattern cannot be stored, but what it did can: as even pieces, a hundred a second.
Piece Plane::sampled(BodyId id) const {
    const Body& b = bodies_[id];
    const double clock = course(id).clock_at(now), left = b.piece.duration - clock;
    Leg leg;
    leg.kind = Leg::Kind::glide;
    leg.amount = std::clamp(0.01 * b.rate, 0.0, std::max(0.0, left));
    const Pose next = b.piece.at(clock + leg.amount);
    leg.goal = next.at;
    leg.heading = next.heading;
    Piece piece;
    const char* problem = nullptr;
    if (!resolve(leg, pose(id), piece, problem)) piece = resting(next);
    return piece;
}

void Plane::write_sample(BodyId id) {
    Body& b = bodies_[id];
    const Piece piece = sampled(id);
    journal.keep(now, Journal::Record('M').put(id).put(b.rate).put(0.0).put(piece));
    Rare& rare = own_rare(id);
    const double next = now + piece.duration / b.rate;
    rare.sample = piece.duration > 0.0 && next < b.end ? next : INFINITE_TIME;
    b.aside = rare.first();
}

void Plane::rest_at(BodyId id, Pose pose) {
    bodies_[id].is_moving = false;
    if (bodies_[id].rare) bodies_[id].rare->legs.clear();
    set_course(id, resting(pose), 0.0);
}

// A body that rests for good has no legs to come, and asks no pattern.
void Plane::forget_legs(Body& b) {
    if (!b.rare) return;
    b.rare->legs.clear();
    b.rare->pattern.reset();
}

// What the legs amount to, in the words of a log: a command, its goal, what there is to turn and to go.
void Plane::write_command(BodyId id, const std::vector<Leg>& legs, const Pose& from) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::uint8_t kind = 8;
    Vec goal{none, none};
    double angle = 0.0, distance = 0.0, turn_speed = 0.0, speed = 0.0;
    for (const Leg& leg : legs) {
        switch (leg.kind) {
        case Leg::Kind::spin:
            if (kind == 8) kind = 3;
            angle += leg.amount;
            turn_speed = leg.speed;
            break;
        case Leg::Kind::line:
            kind = 1;
            goal = leg.goal;
            distance = length(leg.goal - from.at);
            speed = std::max(speed, leg.speed);
            break;
        case Leg::Kind::forward:
            kind = std::isinf(leg.amount) ? 6 : 2;
            distance += leg.amount;
            speed = std::max(speed, leg.speed);
            break;
        case Leg::Kind::arc:
            kind = std::isinf(leg.amount) ? 6 : 4;
            angle += leg.amount;
            distance += std::abs(leg.amount * leg.radius);
            speed = std::max(speed, leg.speed);
            break;
        case Leg::Kind::glide:
            kind = 5;
            goal = leg.goal;
            break;
        default:
            break;
        }
    }
    const auto record = Journal::Record('K').put(id).put(kind).put(goal).put(angle).put(distance).put(turn_speed).put(speed);
    journal.keep(now, record);
    standing_.commanded(id, now, record);
}

const char* Plane::start(BodyId id, const std::vector<Leg>& legs) {
    if (bodies_[id].is_gone) return "it is gone";
    const Pose from = pose(id);
    Pose at = from;
    Piece first, piece;
    std::size_t begin = legs.size();
    const char* problem = nullptr;
    for (std::size_t i = 0; i < legs.size(); ++i) {
        if (!resolve(legs[i], at, piece, problem)) return problem;
        if (begin == legs.size() && piece.duration > 0.0) {
            begin = i;
            first = piece;
            if (i + 1 == legs.size()) break;
        }
        at = piece.last;
        if (std::isinf(piece.duration)) break;
    }
    keep_way(id);
    if (hot_[id].lets_pass) forget_passing(id);
    Body& b = bodies_[id];
    b.is_moving = true;
    if (journal.keeps) write_command(id, legs, from);
    const bool is_last = begin + 1 >= legs.size();
    if (!is_last || b.rare) {
        Rare& rare = own_rare(id);
        rare.legs = is_last ? std::vector<Leg>() : legs;
        rare.next_leg = is_last ? 0 : static_cast<std::uint32_t>(begin + 1);
    }
    if (!regions_.empty()) find_regions(id);
    set_course(id, begin < legs.size() ? first : resting(at, 0.0), 0.0);
    return nullptr;
}

// The piece under way is over: the next leg begins where it ended.
const char* Plane::next_piece(BodyId id) {
    Pose from = bodies_[id].piece.last;
    Piece piece;
    const char* problem = nullptr;
    for (Rare* rare = bodies_[id].rare.get(); rare && rare->next_leg < rare->legs.size();) {
        const Leg& leg = rare->legs[rare->next_leg++];
        if (!resolve(leg, from, piece, problem)) break;
        if (piece.duration > 0.0) {
            keep_way(id);
            set_course(id, piece, 0.0);
            return nullptr;
        }
        from = piece.last;
    }
    bodies_[id].piece.last = from;
    finish(id, Why::arrived);
    return problem;
}

void Plane::finish(BodyId id, Why why) {
    if (bodies_[id].is_walker() && why == Why::arrived) {
        stroll(id, {});
        return;
    }
    const Pose at = why == Why::arrived ? bodies_[id].piece.last : pose(id);
    keep_way(id);
    rest_at(id, at);
    if (journal.is_open())
        journal.write(now, 'E', id, static_cast<std::uint8_t>(why), at);
    if (journal.keeps) standing_.rested(id);
    if (!bodies_[id].is_walker())
        tell({Notice::Kind::ended, id, NOBODY, NO_OBSTACLE, {}, why, false});
}

void Plane::stop(BodyId id) {
    bodies_[id].walk = NO_WALK;
    if (!bodies_[id].is_moving) return;
    finish(id, Why::stopped);
    tell();
}

void Plane::halt() {
    is_predicted_ = is_shaped_ = false;
    for (BodyId id : dirty_) bodies_[id].is_dirty = false;
    dirty_.clear();
    notices_.clear();
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        Body& b = bodies_[id];
        plan(id, INFINITE_TIME);
        if (b.is_gone || !b.is_moving) continue;
        const Pose at = pose(id);
        keep_way(id);
        b.walk = NO_WALK;
        b.is_moving = false;
        b.piece = resting(at);
        forget_legs(b);
        b.since = now;
        b.clock = 0.0;
        b.end = INFINITE_TIME;
        refresh_hot(id);
    }
    for (std::uint32_t watch = 0; watch < watches_.size(); ++watch) plan_watch(watch, INFINITE_TIME);
}

void Plane::walk(BodyId id, const Walker& walker) {
    const Walk walk{walker.box, walker.slowest, walker.fastest};
    const auto found = std::find(walks_.rbegin(), walks_.rend(), walk);  // most walk alike
    bodies_[id].walk = static_cast<std::uint32_t>(walks_.rend() - found) - 1;
    if (found == walks_.rend()) {
        bodies_[id].walk = static_cast<std::uint32_t>(walks_.size());
        walks_.push_back(walk);
    }
    if (chances_.size() <= id) chances_.resize(bodies_.size());
    chances_[id] = walker.chance;
    stroll(id, {});
}

void Plane::stroll(BodyId id, Vec towards_contact) {
    keep_way(id);
    Body& b = bodies_[id];
    const Walk& walk = walks_[b.walk];
    Bits& chance = chances_[id];
    const Box& box = walk.box;
    const double margin = b.shape->reach;
    const Pose from = pose(id);
    const double pause = 0.05 + 0.1 * chance.unit();
    b.slides = b.slid_at == now ? b.slides + 1 : 1;
    b.slid_at = now;
    // Hemmed in, it rests a little instead of trying again and again at one instant.
    const int most = b.slides > 4 ? 0 : 32;
    Vec goal;
    bool has_goal = false;
    for (int tries = 0; tries < most && !has_goal; ++tries) {
        goal.x = box.left + margin + (box.right - box.left - 2.0 * margin) * chance.unit();
        goal.y = box.bottom + margin + (box.top - box.bottom - 2.0 * margin) * chance.unit();
        has_goal = !(dot(goal - from.at, towards_contact) > 0.0);
    }
    if (has_goal)
        b.piece = straight(from, goal, walk.slowest + (walk.fastest - walk.slowest) * chance.unit());
    else
        b.piece = resting(from, pause);
    b.is_moving = true;
    if (!regions_.empty()) find_regions(id);
    begin_course(id, 0.0);
}

}  // namespace kumi
