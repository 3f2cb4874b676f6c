// Motion on the plane: how it begins, changes and ends.
#include "plane.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kumi {

namespace {

constexpr double PRESENT = 1e-9;  // a contact whose gap is wider than this share of the size is none yet
constexpr std::size_t MANY = 100'000;  // events at one instant, and so many more for each body, are no accident

Piece resting(const Pose& pose, double duration = INFINITE_TIME) {
    Piece piece;
    piece.first = piece.last = pose;
    piece.duration = duration;
    return piece;
}

}  // namespace

Plane::Plane(const Box* box) {
    if (!box) return;
    has_box_ = true;
    box_ = *box;
    const Vec corners[4] = {{box->left, box->bottom}, {box->right, box->bottom}, {box->right, box->top}, {box->left, box->top}};
    for (int i = 0; i < 4; ++i) {
        const Vec a = corners[i], b = corners[(i + 1) % 4];
        box_parts_.push_back(static_cast<std::uint32_t>(fixed_.size()));
        fixed_.push_back({{a, b, 0.0}, capsule_shape({a, b, 0.0}), BORDER, -1, true});
    }
}

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
    hot.is_plain = hot.is_simple && disc && !hot.lets_pass;
    if (!same) ++hot.version;
}

void Plane::set_course(BodyId id, const Piece& piece, double clock) {
    Body& b = bodies_[id];
    b.piece = piece;
    b.since = now;
    b.clock = clock;
    b.rate = regions_.empty() ? 1.0 : rate_here(id);
    b.end = std::isinf(piece.duration) ? INFINITE_TIME : std::max(now, now + (piece.duration - clock) / b.rate);
    if (piece.pattern || b.rare) {
        Rare& rare = own_rare(id);
        rare.pattern = piece.pattern ? piece.pattern->shared_from_this() : nullptr;
        rare.sample = INFINITE_TIME;
        b.aside = rare.first();
    }
    if (journal.is_open() && b.is_moving) {
        const Journal::Record record = Journal::Record('M').put(id).put(b.rate).put(clock).put(piece);
        if (piece.kind != Piece::Kind::pattern)
            journal.write(now, record);
        else
            journal.tell(now, record);
        if (piece.kind == Piece::Kind::pattern && journal.keeps) write_sample(id);
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

// Its predictions no longer hold. New ones are made when the next time is asked for: a body that stops and
// goes on at one instant is predicted once.
void Plane::changed(BodyId id) {
    Body& b = bodies_[id];
    if (b.is_dirty) return;
    b.is_dirty = true;
    dirty_.push_back(id);
}

void Plane::predict_dirty() {
    for (std::size_t i = 0; i < dirty_.size(); ++i) {
        const BodyId id = dirty_[i];
        bodies_[id].is_dirty = false;
        if (bodies_[id].is_gone) continue;
        predict(id);
        if (open_watches_ && std::exchange(bodies_[id].has_jumped, false)) recheck_watches(id);
        if (open_watches_) watch_changed(id);
    }
    dirty_.clear();
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
    journal.keep(now, Journal::Record('K').put(id).put(kind).put(goal).put(angle).put(distance).put(turn_speed).put(speed));
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
        journal.write(now, Journal::Record('E').put(id).put(static_cast<std::uint8_t>(why)).put(at));
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
    Leg leg;
    leg.kind = Leg::Kind::rest;
    leg.amount = 0.05 + 0.1 * chance.unit();
    b.slides = b.slid_at == now ? b.slides + 1 : 1;
    b.slid_at = now;
    // Hemmed in, it rests a little instead of trying again and again at one instant.
    const int most = b.slides > 4 ? 0 : 32;
    for (int tries = 0; tries < most; ++tries) {
        leg.goal.x = box.left + margin + (box.right - box.left - 2.0 * margin) * chance.unit();
        leg.goal.y = box.bottom + margin + (box.top - box.bottom - 2.0 * margin) * chance.unit();
        if (dot(leg.goal - from.at, towards_contact) > 0.0) continue;
        leg.kind = Leg::Kind::line;
        leg.speed = walk.slowest + (walk.fastest - walk.slowest) * chance.unit();
        break;
    }
    Piece piece;
    const char* problem = nullptr;
    resolve(leg, from, piece, problem);
    b.is_moving = true;
    if (!regions_.empty()) find_regions(id);
    set_course(id, piece, 0.0);
}

void Plane::reserve(std::size_t bodies) {
    const std::size_t all = bodies_.size() + bodies;
    bodies_.reserve(all);
    hot_.reserve(all);
    body_times_.resize(all);
    grid_.reserve(all);
}

BodyId Plane::add(std::shared_ptr<const Shape> shape, Pose at) {
    const BodyId id = static_cast<BodyId>(bodies_.size());
    bodies_.emplace_back();
    hot_.push_back({});
    body_times_.resize(bodies_.size());
    Body& b = bodies_.back();
    b.shape = std::move(shape);
    b.since = now;
    b.piece = resting(at);
    hot_[id].version = 0;
    refresh_hot(id);
    hot_[id].passes = policy_ == Policy::pass;
    ++alive_;
    if (journal.is_open()) journal.write(now, Journal::Record('A').put(id).put(at).put(*b.shape));
    if (is_shaped_)
        insert(id);
    else
        shape_cells();
    if (!regions_.empty()) find_regions(id);
    b.has_jumped = true;
    if (is_predicted_) changed(id);
    tell();
    return id;
}

void Plane::remove(BodyId id, bool fell) {
    Body& b = bodies_[id];
    if (b.is_gone) return;
    keep_way(id);
    const Pose at = pose(id);
    b.walk = NO_WALK;
    b.is_gone = true;
    b.is_moving = false;
    b.piece = resting(at);
    forget_legs(b);
    b.since = now;
    b.clock = 0.0;
    refresh_hot(id);
    ++hot_[id].version;
    b.contact = b.fixed = b.end = b.crossing = b.aside = INFINITE_TIME;
    if (b.rare) b.rare->ground = b.rare->far_crossing = b.rare->sample = INFINITE_TIME;
    plan_body(id);
    grid_.holds(id) ? grid_.remove(id) : void();
    far_.holds(id) ? far_.remove(id) : void();
    std::erase(large_, id);
    --alive_;
    if (journal.is_open())
        journal.write(now, Journal::Record('R').put(id).put(static_cast<std::uint8_t>(fell ? 1 : 0)));
    for (std::uint32_t watch : std::vector<std::uint32_t>(rare(id).watches)) unwatch(watch);
    for (std::uint32_t watch = 0; open_watches_ && watch < watches_.size(); ++watch)
        if (watches_[watch].is_open) set_inside(watch, id, false);
    tell({Notice::Kind::ended, id, NOBODY, NO_OBSTACLE, {}, Why::gone, fell});
    tell();
}

void Plane::put(BodyId id, Pose at) {
    keep_way(id);
    if (bodies_[id].is_moving) finish(id, Why::stopped);
    rest_at(id, at);
    if (journal.is_open()) journal.write(now, Journal::Record('J').put(id).put(at));
    if (grid_.holds(id)) grid_.remove(id);
    if (far_.holds(id)) far_.remove(id);
    std::erase(large_, id);
    if (is_shaped_) insert(id);
    if (!regions_.empty()) find_regions(id);
    ++hot_[id].version;
    bodies_[id].has_jumped = true;
    if (is_predicted_) changed(id);
    tell();
}

void Plane::resize(BodyId id, std::shared_ptr<const Shape> shape) {
    Body& b = bodies_[id];
    b.shape = std::move(shape);
    if (journal.is_open()) journal.write(now, Journal::Record('S').put(id).put(*b.shape));
    const std::uint32_t version = hot_[id].version;
    refresh_hot(id);
    hot_[id].version = version + 1;
    if (grid_.holds(id)) grid_.remove(id);
    if (far_.holds(id)) far_.remove(id);
    std::erase(large_, id);
    if (is_shaped_) insert(id);
    bodies_[id].has_jumped = true;
    if (is_predicted_) changed(id);
    tell();
}

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
        journal.write(now, Journal::Record('C').put(one).put(other).put(NO_OBSTACLE).put(point));
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
        const Vec q = nearest(fixed.capsule, at.at);
        const double away = length(at.at - q);
        open = away - b.shape->reach - fixed.capsule.radius;
        normal = away > 0.0 ? (q - at.at) * (1.0 / away) : direction(at.heading);
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
        journal.write(now, Journal::Record('C').put(id).put(NOBODY).put(fixed.obstacle).put(point));
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
        hot_[id].lets_pass = true;
        hot_[id].is_plain = false;
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

void Plane::act_on(BodyId id) {
    ++events;
    Body& b = bodies_[id];
    if (b.aside <= now && b.rare->ground <= now) {
        pass_ground(id);
    } else if (b.contact <= now) {
        const BodyId other = b.with;
        if (listener && other != NOBODY) {
            listener->expect(id);
            listener->expect(other);
        }
        if (b.is_sure && other != NOBODY && hot_[other].version == b.with_version && !bodies_[other].is_gone) {
            touch(id, other);
        } else {
            predict_contacts(id);
            plan_body(id);
        }
    } else if (b.fixed <= now) {
        touch_fixed(id, b.fixed_with);
    } else if (b.end <= now) {
        next_piece(id);
    } else if (b.aside <= now && b.rare->sample <= now) {
        --events;
        write_sample(id);
        plan_body(id);
    } else if (b.crossing <= now) {
        --events;
        ++crossings;
        cross(id);
    } else {
        --events;
        ++crossings;
        cross_far(id);
    }
}

double Plane::next_time() {
    if (!is_predicted_) predict_all();
    if (!dirty_.empty()) predict_dirty();
    if (!notices_.empty()) tell();
    return std::min(body_times_.time(), watch_times_.time());
}

bool Plane::act(double time) {
    if (time != now || time != acted_at_) {
        acted_at_ = time;
        acted_ = 0;
    }
    now = time;
    const std::size_t many = MANY + 1000 * alive_;
    for (;;) {
        const double time_of_body = body_times_.time(), time_of_watch = watch_times_.time();
        const BodyId body = body_times_.who();
        if (std::min(time_of_body, time_of_watch) > now) break;
        if (++acted_ > many) return false;
        if (time_of_watch < time_of_body) {
            act_on_watch(watch_times_.who());
        } else if (bodies_[body].is_dirty) {  // what was planned for it no longer holds
            plan(body, INFINITE_TIME);
        } else {
            // With many bodies, memory is the bottleneck: fetch the candidates for the next turn early.
            body_times_.visit_next([&](BodyId next) {
                __builtin_prefetch(&bodies_[next]);
                __builtin_prefetch(&hot_[next]);
            });
            act_on(body);
        }
        if (!notices_.empty()) tell();
    }
    return true;
}

void Plane::tell() {
    if (is_telling_) return;
    is_telling_ = true;
    for (std::size_t i = 0; i < notices_.size(); ++i) {
        const Notice notice = notices_[i];
        if (!listener) continue;
        switch (notice.kind) {
        case Notice::Kind::touched:
            listener->touched(notice.body, notice.other, notice.obstacle, notice.point);
            break;
        case Notice::Kind::ended:
            listener->ended(notice.body, notice.why);
            break;
        case Notice::Kind::moved:
            listener->moved(notice.body);
            break;
        case Notice::Kind::watched:
            listener->watched(notice.body, notice.other, notice.entered);
            break;
        }
    }
    notices_.clear();
    is_telling_ = false;
}

void Plane::keep_journal(bool keeps) {
    journal.keeps = keeps;
    journal.restamp();
    if (keeps) journal.keep(snapshot());
}

std::string Plane::snapshot() const {
    Journal state;
    state.keeps = true;
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        const Body& b = bodies_[id];
        if (b.is_gone) continue;
        state.write(b.is_moving ? b.since : now, Journal::Record('A').put(id).put(pose(id)).put(*b.shape));
        if (b.is_moving && b.piece.kind == Piece::Kind::pattern)
            state.write(now, Journal::Record('M').put(id).put(b.rate).put(0.0).put(sampled(id)));
        else if (b.is_moving)
            state.write(b.since, Journal::Record('M').put(id).put(b.rate).put(b.clock).put(b.piece));
    }
    return state.take();
}

std::size_t Plane::bytes() const {
    std::size_t all = bodies_.capacity() * (sizeof(Body)) + hot_.capacity() * sizeof(Hot) + body_times_.bytes() +
                      grid_.bytes() + far_.bytes();
    all += chances_.capacity() * sizeof(Bits);
    for (const Body& body : bodies_) all += body.rare ? sizeof(Rare) + body.rare->legs.capacity() * sizeof(Leg) : 0;
    return all;
}

}  // namespace kumi
