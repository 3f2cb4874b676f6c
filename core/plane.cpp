// Bodies come to the plane and go, and what is planned happens.
#include "plane.hpp"

#include <algorithm>
#include <utility>

namespace kumi {

namespace {

constexpr std::size_t MANY = 100'000;  // events at one instant, and so many more for each body, are no accident
constexpr int AT_ONCE = 64;             // cells left before anybody else is looked after

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
    if (journal.keeps) standing_.rested(id);
    if (journal.keeps && fell) standing_.fell(id, now, at, *b.shape);
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
    if (journal.keeps) standing_.rested(id);
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

void Plane::act_on(BodyId id) {
    ++events;
    Body& b = bodies_[id];
    if (b.aside <= now && b.rare->ground <= now) {
        pass_ground(id);
    } else if (b.contact <= now) {
        const BodyId other = b.with;
        if (b.is_sure && other != NOBODY && hot_[other].version == b.with_version && !bodies_[other].is_gone) {
            touch(id, other);
        } else {
            predict_contacts(id);
            plan_body(id);
        }
    } else if (b.fixed <= now) {
        if (b.is_fixed_sure) {
            touch_fixed(id, b.fixed_with);
        } else {
            predict_fixed(id);
            plan_body(id);
        }
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
    if (wants_cells()) {
        needs_cells_ = true;
        is_shaped_ = false;
        predict_all();
    }
    if (!notices_.empty()) tell();
    return std::min(body_times_.time(), watch_times_.time());
}

// A user's pattern may fail when it is asked, which must be seen at once: with one, all goes step by step.
double Plane::cross_before(double limit) {
    for (int i = 0; i < AT_ONCE && !asks_patterns_; ++i) {
        const double time = body_times_.time();
        const BodyId id = body_times_.who();
        if (time >= limit || time >= watch_times_.time()) break;
        const Body& b = bodies_[id];
        if (b.crossing > time || std::min(std::min(b.contact, b.fixed), std::min(b.end, b.aside)) <= time) break;
        now = time;
        ++crossings;
        cross(id);
    }
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
        if (++acted_ > many) {
            stuck_on = body;
            return false;
        }
        if (time_of_watch < time_of_body) {
            act_on_watch(watch_times_.who());
        } else if (bodies_[body].is_dirty) {  // what was planned for it no longer holds
            plan(body, INFINITE_TIME);
        } else {
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

double Plane::still_since() const {
    double since = -INFINITE_TIME;
    for (const Body& b : bodies_) {
        if (b.is_gone) continue;
        if (b.is_moving) return INFINITE_TIME;
        since = std::max(since, b.since);
    }
    return since;
}

std::string Plane::snapshot() const {
    Journal state;
    state.keeps = true;
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        const Body& b = bodies_[id];
        if (b.is_gone) continue;
        double ordered = b.since;
        const std::string* command = b.is_moving ? standing_.command(id, ordered) : nullptr;
        state.write(b.is_moving ? ordered : now, Journal::Record('A').put(id).put(pose(id)).put(*b.shape));
        if (command) state.keep_record(ordered, command->data(), command->size());
        if (b.is_moving && b.piece.kind == Piece::Kind::pattern)
            state.write(now, Journal::Record('M').put(id).put(b.rate).put(0.0).put(sampled(id)));
        else if (b.is_moving)
            state.write(b.since, Journal::Record('M').put(id).put(b.rate).put(b.clock).put(b.piece));
    }
    for (const auto& [obstacle, words] : came_) state.write(now, obstacle_record(obstacle, words));
    for (std::int32_t obstacle : left_) state.write(now, 'X', static_cast<std::uint32_t>(obstacle));
    standing_.write(state, now);
    return state.take();
}

void Plane::keep_record(const char* bytes, std::size_t length) {
    if (!journal.keeps) return;
    journal.keep_record(now, bytes, length);
    standing_.take(now, bytes, length, bodies_.size());
}

std::size_t Plane::bytes() const {
    std::size_t all = bodies_.capacity() * (sizeof(Body)) + hot_.capacity() * sizeof(Hot) + body_times_.bytes() +
                      grid_.bytes() + far_.bytes();
    all += chances_.capacity() * sizeof(Bits);
    for (const Body& body : bodies_) all += body.rare ? sizeof(Rare) + body.rare->legs.capacity() * sizeof(Leg) : 0;
    return all;
}

}  // namespace kumi
