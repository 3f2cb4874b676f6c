// Bodies and obstacles come to the plane and go, and what is planned happens.
#include "plane/plane.hpp"

#include <algorithm>
#include <utility>

namespace kumi {

namespace {

constexpr std::size_t MANY =
    100'000;                 // events at one instant, and so many more for each body, are no accident
constexpr int AT_ONCE = 64;  // cells left before anybody else is looked after

}  // namespace

// Cells and predictions are made anew when the next time is asked for.
void Plane::outdate() {
    cells_.outdate();
    times_.outdate();
}

std::int32_t Plane::add_wall(Vec a, Vec b, double thickness, Traits traits) {
    outdate();
    return obstacles_.add_wall(a, b, thickness, traits);
}

std::int32_t Plane::add_pillar(Vec at, double radius, Traits traits) {
    outdate();
    return obstacles_.add_pillar(at, radius, traits);
}

std::int32_t Plane::add_block(const std::vector<Vec>& corners, Traits traits) {
    outdate();
    return obstacles_.add_block(corners, traits);
}

std::int32_t Plane::add_region(Region region) {
    outdate();
    const std::int32_t number = obstacles_.add_region(std::move(region));
    for (BodyId id = 0; id < bodies_.size(); ++id)
        if (!bodies_[id].is_gone) motion_.find_regions(id);
    return number;
}

// Predictions are made anew, so nobody knows its parts any more.
void Plane::remove_obstacle(std::int32_t obstacle) {
    outdate();
    contacts_.forget_obstacle(obstacle);
    obstacles_.remove(obstacle);
}

void Plane::shape_cells() {
    cells_.shape();
    for (BodyId id = 0; id < bodies_.size(); ++id)
        if (!bodies_[id].is_gone) watches_.insert(id);
}

void Plane::insert(BodyId id) {
    cells_.insert(id);
    watches_.insert(id);
    if (!cells_.is_shaped()) times_.outdate();
}

// It is elsewhere, or of another size.
void Plane::insert_anew(BodyId id) {
    cells_.remove(id);
    watches_.remove(id);
    if (cells_.is_shaped()) insert(id);
}

void Plane::predict(BodyId id) {
    watches_.predict_far(id);
    prediction_.predict(id);
    if (bodies_.hot(id).is_in_contact) contacts_.predict(id);
    times_.plan_body(id);
}

// A body that came, was put elsewhere or resized is where it is without having come there.
void Plane::recheck(BodyId id) {
    if (!std::exchange(bodies_[id].has_jumped, false)) return;
    response_.recheck(id);
    if (watches_.any()) watches_.recheck_watches(id);
}

void Plane::predict_all() {
    if (!cells_.fits()) shape_cells();
    times_.set_predicted(true);
    for (BodyId id = 0; id < bodies_.size(); ++id)
        if (!bodies_[id].is_gone) predict(id);
    for (BodyId id = 0; id < bodies_.size(); ++id)
        if (!bodies_[id].is_gone) recheck(id);
    if (watches_.any()) watches_.predict_all();
}

void Plane::predict_dirty() {
    for (std::size_t i = 0; i < times_.dirty().size(); ++i) {
        const BodyId id = times_.dirty()[i];
        bodies_[id].is_dirty = false;
        if (bodies_[id].is_gone) continue;
        predict(id);
        recheck(id);
        if (watches_.any()) watches_.watch_changed(id);
    }
    times_.clear_dirty();
}

void Plane::reserve(std::size_t bodies) {
    const std::size_t all = bodies_.size() + bodies;
    bodies_.reserve(all);
    times_.resize(all);
    cells_.reserve(all);
}

BodyId Plane::add(std::shared_ptr<const Shape> shape, Pose at) {
    at = wrapped(at);
    release();
    const BodyId id = bodies_.add(std::move(shape), at);
    times_.resize(bodies_.size());
    cells_.show(id);
    Journal& journal = recorder_.journal;
    recorder_.came(id);
    if (journal.is_open())
        journal.write(bodies_.now,
                      Journal::Record('A').put(bodies_.number(id)).put(at).put(bodies_.shape(id)));
    if (cells_.is_shaped())
        insert(id);
    else
        shape_cells();
    if (!obstacles_.regions().empty()) motion_.find_regions(id);
    bodies_[id].has_jumped = true;
    if (times_.is_predicted()) times_.changed(id);
    notices_.tell();
    return id;
}

void Plane::remove(BodyId id, bool fell) {
    if (bodies_[id].is_gone) return;
    release();
    contacts_.forget(id);
    const Pose at = bodies_.rest_for_good(id);
    bodies_.remove(id);
    cells_.show(id);
    times_.plan_body(id);
    cells_.remove(id);
    watches_.remove(id);
    Journal& journal = recorder_.journal;
    if (journal.is_open())
        journal.write(
            bodies_.now,
            Journal::Record('R').put(bodies_.number(id)).put(static_cast<std::uint8_t>(fell ? 1 : 0)));
    recorder_.left(id, fell);
    if (fell) recorder_.fell(id, at);
    watches_.forget(id);
    notices_.tell({Notice::Kind::ended, id, NOBODY, NO_OBSTACLE, {}, Why::gone, fell});
    notices_.tell();
}

void Plane::put(BodyId id, Pose at) {
    at = wrapped(at);
    bodies_.keep_way(id);
    if (bodies_[id].is_moving) motion_.finish(id, Why::stopped);
    motion_.rest_at(id, at);
    Journal& journal = recorder_.journal;
    if (journal.is_open()) journal.write(bodies_.now, Journal::Record('J').put(bodies_.number(id)).put(at));
    recorder_.rested(id);
    insert_anew(id);
    if (!obstacles_.regions().empty()) motion_.find_regions(id);
    ++bodies_.hot(id).version;
    bodies_[id].has_jumped = true;
    if (times_.is_predicted()) times_.changed(id);
    notices_.tell();
}

void Plane::resize(BodyId id, std::shared_ptr<const Shape> shape) {
    Body& b = bodies_[id];
    b.shape = std::move(shape);
    Journal& journal = recorder_.journal;
    if (journal.is_open())
        journal.write(bodies_.now, Journal::Record('S').put(bodies_.number(id)).put(*b.shape));
    const std::uint32_t version = bodies_.hot(id).version;
    bodies_.refresh_hot(id);
    cells_.show(id);
    bodies_.hot(id).version = version + 1;
    insert_anew(id);
    bodies_[id].has_jumped = true;
    if (times_.is_predicted()) times_.changed(id);
    notices_.tell();
}

void Plane::stop(BodyId id) {
    bodies_[id].walk = NO_WALK;
    if (!bodies_[id].is_moving) return;
    motion_.finish(id, Why::stopped);
    notices_.tell();
}

void Plane::halt() {
    cells_.set_needed(false);
    times_.set_predicted(false);
    notices_.clear();
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        times_.plan(id, INFINITE_TIME);
        if (bodies_[id].is_gone || !bodies_[id].is_moving) continue;
        bodies_.rest_for_good(id);
        cells_.show(id);
    }
    watches_.halt();
    contacts_.halt();
}

void Plane::cross(BodyId id) {
    ++crossings_;
    if (const Hot& hot = bodies_.hot(id); hot.is_stretch() && hot.until <= bodies_.now) {
        bodies_.begin_stretch(id, 2.0 * (hot.until - hot.since));
        predict(id);
        return;
    }
    prediction_.cross(id);
    times_.plan_body(id);
}

void Plane::act_on(BodyId id) {
    ++events_;
    Body& b = bodies_[id];
    if (b.aside <= bodies_.now && b.rare->ground <= bodies_.now) {
        if (response_.pass_ground(id)) remove(id, true);
    } else if (b.contact <= bodies_.now) {
        const BodyId other = b.with;
        if (b.is_sure && other != NOBODY && bodies_.hot(other).version == b.with_version &&
            !bodies_[other].is_gone) {
            response_.touch(id, other);
        } else {
            prediction_.predict_contacts(id);
            times_.plan_body(id);
        }
    } else if (b.fixed <= bodies_.now) {
        if (b.is_fixed_sure) {
            response_.touch_fixed(id, b.fixed_with);
        } else {
            prediction_.predict_fixed(id);
            times_.plan_body(id);
        }
    } else if (b.end <= bodies_.now) {
        motion_.next_piece(id);
    } else if (b.aside <= bodies_.now && b.rare->sample <= bodies_.now) {
        --events_;
        recorder_.write_sample(id);
        times_.plan_body(id);
    } else if (!times_.is_predicted()) {  // the cells were made anew meanwhile: then all is predicted anew
        --events_;
        times_.plan(id, INFINITE_TIME);
    } else if (b.crossing <= bodies_.now) {
        --events_;
        cross(id);
    } else if (watches_.is_far(id)) {
        --events_;
        ++crossings_;
        watches_.cross_far(id);
    } else {  // numbers so large that no time can be computed from them
        times_.plan(id, INFINITE_TIME);
    }
}

// Lets others have the slots of those who are gone, unless something of these is still to be told, or in the midst of it.
void Plane::release() {
    if (is_acting_ || !notices_.is_idle()) return;
    bodies_.release();
    watches_.release();
}

double Plane::next_time() {
    release();
    if (!times_.is_predicted()) predict_all();
    if (!times_.dirty().empty()) predict_dirty();
    if (cells_.are_missed()) {
        cells_.set_needed(true);
        predict_all();
    }
    if (!notices_.empty()) notices_.tell();
    return std::min(times_.time(), aside());
}

// A user's pattern may fail when it is asked, which must be seen at once: with one, all goes step by step.
double Plane::cross_before(double limit) {
    for (int i = 0; i < AT_ONCE && !motion_.asks_patterns(); ++i) {
        const double time = times_.time();
        const BodyId id = times_.who();
        if (time >= limit || time >= aside()) break;
        const Body& b = bodies_[id];
        if (b.crossing > time || std::min(std::min(b.contact, b.fixed), std::min(b.end, b.aside)) <= time)
            break;
        bodies_.now = time;
        cross(id);
    }
    return std::min(times_.time(), aside());
}

bool Plane::act(double time) {
    struct Acting {
        bool& is_acting;
        explicit Acting(bool& flag) : is_acting(flag) { is_acting = true; }
        ~Acting() { is_acting = false; }
    } const acting(is_acting_);
    if (time != bodies_.now || time != acted_at_) {
        acted_at_ = time;
        acted_ = 0;
    }
    bodies_.now = time;
    const std::size_t many = MANY + 1000 * bodies_.alive();
    for (;;) {
        const double time_of_body = times_.time(), time_aside = aside();
        const BodyId body = times_.who();
        if (std::min(time_of_body, time_aside) > bodies_.now) break;
        if (++acted_ > many) {
            stuck_on = body;
            return false;
        }
        if (contacts_.time() <= std::min(time_of_body, bodies_.now)) {
            ++events_;
            response_.part(contacts_.who());  // at one instant contacts end before others begin
        } else if (watches_.time() <= std::min(time_of_body, bodies_.now)) {  // before the motion ends there
            ++events_;
            watches_.act_on_watch(watches_.who());
        } else if (bodies_[body].is_dirty) {  // what was planned for it no longer holds
            times_.plan(body, INFINITE_TIME);
        } else {
            act_on(body);
        }
        if (!notices_.empty()) notices_.tell();
    }
    return true;
}

std::size_t Plane::bytes() const {
    return bodies_.bytes() + times_.bytes() + cells_.bytes() + watches_.bytes() + walkers_.bytes();
}

}  // namespace kumi
