#include "plane/watches.hpp"
#include "numbers/elementary.hpp"
#include "plane/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace kumi {

namespace {

constexpr double TURN = 2.0 * std::numbers::pi;
constexpr int MOST_ITERATIONS = 200;
constexpr int MOST_DOUBLINGS = 2100;  // of the least number to the largest
constexpr double CERTAIN =
    1e-6;  // seconds by which two instants differ for certain, however they were computed

}  // namespace

void Watches::shape_far() {
    double widest = 0.0, largest = 0.0;
    for (const Watch& watch : watches_)
        if (watch.is_open) widest = std::max(widest, watch.within);
    for (BodyId id = 0; id < bodies_.size(); ++id)
        if (!bodies_[id].is_gone) largest = std::max(largest, bodies_.hot(id).radius);
    far_reach_ = widest;
    far_limit_ = largest;
    far_.shape((widest + largest) * 4.0 / 3.0 * 1.0001, std::max<std::size_t>(bodies_.alive(), 16));
    far_.reserve(bodies_.size());
    far_is_shaped_ = true;
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        if (bodies_[id].is_gone) continue;
        const Vec at = bodies_.pose(id).at;
        far_.insert(id, {far_.index(at.x), far_.index(at.y)});
        if (times_.is_predicted()) {
            predict_far(id);
            times_.plan_body(id);
        }
    }
    // In wider cells there are bodies around that were not looked at before.
    for (std::uint32_t watch = 0; times_.is_predicted() && watch < watches_.size(); ++watch)
        if (watches_[watch].is_open) predict_watch(watch);
}

std::uint32_t Watches::open(Watch watch) {
    std::uint32_t number;
    if (!slots_.take(number)) {
        number = static_cast<std::uint32_t>(watches_.size());
        watches_.emplace_back();
    }
    const double within = watch.within;
    bodies_.own_rare(watch.owner).watches.push_back(number);
    if (watch.feeler) ++open_feelers_;
    watches_[number] = std::move(watch);
    watch_times_.resize(watches_.size());
    ++open_watches_;
    open_feelers_ += watches_[number].feeler != nullptr;
    open_ranges_ += watches_[number].is_range();
    calm_.clear();
    if (within > 0.0 && (!far_is_shaped_ || within > far_reach_)) shape_far();
    return number;
}

std::uint32_t Watches::watch(BodyId body, double within, double view, double bearing, bool to_centres) {
    Watch watch;
    watch.owner = body;
    watch.within = within;
    watch.view = view;
    watch.bearing = bearing;
    watch.to_centres = to_centres;
    const std::uint32_t number = open(std::move(watch));
    const Grid::Link& link = far_.link(body);
    far_.visit_around(link.ix, link.iy, [&](BodyId other) {
        if (other != body && sees_now(watches_[number], other) &&
            std::find(watches_[number].inside.begin(), watches_[number].inside.end(), other) ==
                watches_[number].inside.end())
            watches_[number].inside.push_back(other);
    });
    if (times_.is_predicted()) predict_watch(number);
    return number;
}

void Watches::unwatch(std::uint32_t number) {
    Watch& watch = watches_[number];
    if (!watch.is_open) return;
    watch.is_open = false;
    watch.inside.clear();
    plan_watch(number, INFINITE_TIME);
    std::erase(bodies_.own_rare(watch.owner).watches, number);
    slots_.leave(number);
    --open_watches_;
    open_feelers_ -= watch.feeler != nullptr;
    open_ranges_ -= watch.is_range();
}

double Watches::range_to(const Watch& watch, BodyId other) const {
    return watch.to_centres ? watch.within : watch.within + bodies_.hot(other).radius;
}

bool Watches::sees_now(const Watch& watch, BodyId other) const {
    const Vec apart = bodies_.place_of(other) - bodies_.place_of(watch.owner);
    const double away = length(apart);
    if (away > range_to(watch, other)) return false;
    if (watch.view >= TURN) return true;
    const double angle = std::remainder(
        maths::atan2(apart.y, apart.x) - bodies_.pose(watch.owner).heading - watch.bearing, TURN);
    return std::abs(angle) <= 0.5 * watch.view;
}

Meeting Watches::watch_meeting(const Watch& watch, BodyId other, bool enters) const {
    const Course one = bodies_.course(watch.owner), two = bodies_.course(other);
    const double range = range_to(watch, other);
    const double ends = std::min(bodies_[watch.owner].end, bodies_[other].end);
    if (watch.view >= TURN) {
        if (!bodies_[watch.owner].piece.moves() && !bodies_[other].piece.moves()) return {};
        return enters ? enter_range(one, two, range, bodies_.now, ends)
                      : leave_range(one, two, range, bodies_.now, ends);
    }
    // A sector: outside is where this is positive. It cannot change faster than the two move and turn.
    const double half = 0.5 * watch.view;
    const auto outside = [&](double time) {
        const Pose here = one.pose(time);
        const Vec apart = kumi::turned(two.pose(time).at - here.at, -(here.heading + watch.bearing));
        const double left = dot(apart, left_of(direction(half)));
        const double right = dot(apart, -left_of(direction(-half)));
        const double wedge = half <= 0.5 * std::numbers::pi ? std::max(left, right) : std::min(left, right);
        return std::max(length(apart) - range, wedge);
    };
    const double top = one.top_speed() + two.top_speed() + one.top_turning() * (range + 1e-9);
    if (top == 0.0) return {};
    const double slack = 1e-12 * range;
    const auto away_at = [&](double time) { return enters ? outside(time) : -outside(time); };
    double time = bodies_.now;
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        const double away = away_at(time);
        if (away > slack) {
            // Turning sweeps farther out the farther away the other is.
            const double far = length(one.pose(time).at - two.pose(time).at);
            const double next =
                time + away / (one.top_speed() + two.top_speed() + one.top_turning() * std::max(far, range));
            if (next <= time) return {time, true};  // nearer than the clock can tell
            time = next;
            if (time >= ends) return {};
            continue;
        }
        // On the border, as near as can be told: does it pass, or turn back?
        double before = time, step = std::max({slack / top, 4e-16 * std::abs(time), 1e-300});
        for (int doublings = 0;; ++doublings) {
            const double next = before + step;
            if (next >= ends || doublings > MOST_DOUBLINGS) return {};
            const double then = away_at(next);
            if (then < -slack) {
                double inside = next;
                for (int k = 0; k < 60 && inside - before > 1e-15 * std::abs(inside); ++k) {
                    const double middle = 0.5 * (before + inside);
                    (away_at(middle) < 0.0 ? inside : before) = middle;
                }
                return {std::max(bodies_.now, inside), true};
            }
            before = next;
            if (then > slack) break;
            step *= 2.0;
        }
        time = before;
    }
    return {time, false};
}

void Watches::consider_watch(std::uint32_t number, BodyId other) {
    Watch& watch = watches_[number];
    if (other == watch.owner || bodies_[other].is_gone) return;
    if (watch.feeler) {
        watch.is_touching ? predict_feeler(number) : consider_feeler(watch, other);
        return;
    }
    bool enters;
    const Meeting found = passing(watch, other, enters);
    watch.note_passing(other, found.time);
    if (found.time >= watch.time) return;
    keep(watch, found, other);
    watch.enters = enters;
}

// Those who are soon to pass, and when, as computed last; of more than there is room for, the latest is left out.
void Watches::Watch::note_passing(BodyId other, double time) {
    std::size_t at = static_cast<std::size_t>(std::find(soon, soon + soon_count, other) - soon);
    if (at < soon_count) {
        soon_times[at] = time;
        return;
    }
    if (time >= known_until) return;
    if (soon_count < FEW) {
        ++soon_count;
    } else {
        at = static_cast<std::size_t>(std::max_element(soon_times, soon_times + FEW) - soon_times);
        known_until = std::min(known_until, std::max(time, soon_times[at]));
        if (time >= soon_times[at]) return;
    }
    soon[at] = other;
    soon_times[at] = time;
}

Meeting Watches::passing(const Watch& watch, BodyId other, bool& enters) const {
    enters = true;
    if (stay_apart(watch.owner, other, range_to(watch, other))) return {};
    enters = std::find(watch.inside.begin(), watch.inside.end(), other) == watch.inside.end();
    return watch_meeting(watch, other, enters);
}

// Both go straight, are farther apart than that, and never come so near, by more than rounding.
bool Watches::stay_apart(BodyId one, BodyId other, double range) const {
    const Hot &mine = bodies_.hot(one), &theirs = bodies_.hot(other);
    if (!mine.is_simple || !theirs.is_simple) return false;
    const Vec apart = bodies_.place(theirs) - bodies_.place(mine),
              moving{theirs.vx - mine.vx, theirs.vy - mine.vy};
    const double beyond = square(apart) - range * range * (1.0 + SURELY), closing = -dot(apart, moving);
    if (beyond <= 0.0) return false;
    return closing < -SURELY * beyond || closing * closing < beyond * square(moving);
}

void Watches::keep(Watch& watch, const Meeting& found, BodyId other) {
    watch.time = found.time;
    watch.other = other;
    watch.is_sure = found.sure;
    watch.owner_version = bodies_.hot(watch.owner).version;
    watch.other_version = other == NOBODY ? 0 : bodies_.hot(other).version;
}

void Watches::predict_watch(std::uint32_t number) {
    Watch& watch = watches_[number];
    if (watch.feeler) return predict_feeler(number);
    if (watch.gauge) return predict_gauge(number);
    watch.time = watch.known_until = INFINITE_TIME;
    watch.soon_count = 0;
    const auto look = [&](BodyId other) {
        if (other == watch.owner || bodies_[other].is_gone) return;
        bool enters;
        const Meeting found = passing(watch, other, enters);
        watch.note_passing(other, found.time);
        if (found.time >= watch.time) return;
        keep(watch, found, other);
        watch.enters = enters;
    };
    const Grid::Link& link = far_.link(watch.owner);
    far_.visit_around(link.ix, link.iy, look);
    for (BodyId other : watch.inside)
        if (std::find(watch.soon, watch.soon + watch.soon_count, other) == watch.soon + watch.soon_count)
            look(other);
    plan_watch(number, watch.time);
}

// Somebody has passed the border, and no motion has changed for it: of those who are soon to pass, one is next. Where that is not
// certain, or two are equally soon, all are looked at.
void Watches::predict_again(std::uint32_t number) {
    Watch& watch = watches_[number];
    const bool is_known = watch.owner_version == bodies_.hot(watch.owner).version;
    Meeting first;
    BodyId who = NOBODY;
    bool first_enters = false, are_two = false;
    for (std::size_t i = 0; is_known && i < watch.soon_count; ++i) {
        if (bodies_[watch.soon[i]].is_gone) continue;
        bool enters;
        const Meeting found = passing(watch, watch.soon[i], enters);
        are_two = are_two || (found.time == first.time && who != NOBODY);
        if (found.time >= first.time) continue;
        are_two = false;
        first = found;
        who = watch.soon[i];
        first_enters = enters;
    }
    if (!is_known || are_two || who == NOBODY || !(first.time + CERTAIN < watch.known_until))
        return predict_watch(number);
    keep(watch, first, who);
    watch.enters = first_enters;
    plan_watch(number, watch.time);
}

void Watches::watch_changed(BodyId body) {
    for (std::uint32_t number : bodies_.rare(body).watches)
        if (watches_[number].gauge) predict_gauge(number);
    if (!is_calm(body)) look_around(body);
}

bool Watches::is_calm(BodyId body) const {
    constexpr double SAME = 1e-9;  // metres: by more than that a feeler is clear of what it may not touch
    return body < calm_.size() && calm_[body].is_sure && open_ranges_ == 0 && !bodies_[body].piece.moves() &&
           square(bodies_.place_of(body) - calm_[body].at) <= SAME * SAME;
}

void Watches::keep_calm(BodyId body, const Near& around) {
    if (calm_.size() < bodies_.size()) calm_.resize(bodies_.size());
    calm_[body] = {bodies_[body].piece.last.at, around.is_nothing()};
    for (const BodyId other : around.bodies) calm_[other].is_sure = false;
}

// The motion of a body has changed, or it came into another cell: its own watches look anew, those of
// others look at it.
void Watches::look_around(BodyId body) {
    if (!far_is_shaped_ || !far_.holds(body)) return;
    Near around;  // also all to whose feelers this body may come
    if (open_feelers_) {
        around = near(body, far_reach_);
        keep_calm(body, around);
    }
    for (std::uint32_t number : bodies_.rare(body).watches)
        if (watches_[number].feeler)
            predict_feeler(number, around);
        else if (!watches_[number].gauge)
            predict_watch(number);
    const double widest = far_reach_ + std::max(far_limit_, bodies_.hot(body).radius);
    const auto look = [&](BodyId owner) {
        if (owner == body) return;
        const bool are_apart = stay_apart(owner, body, widest);
        if (are_apart && !open_feelers_) return;
        for (std::uint32_t number : bodies_.rare(owner).watches) {
            if (watches_[number].gauge || (are_apart && !watches_[number].is_touching)) continue;
            const double before = watches_[number].time;
            consider_watch(number, body);
            if (watches_[number].time != before) plan_watch(number, watches_[number].time);
        }
    };
    if (open_ranges_ == 0) {
        for (const BodyId owner : around.bodies) look(owner);
    } else if (open_watches_ != bodies_.rare(body).watches.size()) {
        const Grid::Link link = far_.link(body);
        far_.visit_around(link.ix, link.iy, look);
    }
}

// A body that was put elsewhere, added or resized may be on the other side of a border without having
// passed it: of its own watches, and of those of others, near or far.
void Watches::recheck_watches(BodyId body) {
    calm_.clear();
    if (!far_is_shaped_ || !far_.holds(body)) return;
    const Grid::Link link = far_.link(body);
    for (std::uint32_t number : bodies_.rare(body).watches) {
        if (!watches_[number].is_range()) {
            predict_watch(number);
            continue;
        }
        for (BodyId other : std::vector<BodyId>(watches_[number].inside)) recheck_watch(number, other);
        far_.visit_around(link.ix, link.iy, [&](BodyId other) { recheck_watch(number, other); });
    }
    for (std::uint32_t number = 0; number < watches_.size(); ++number)
        if (watches_[number].is_open && watches_[number].owner != body) recheck_watch(number, body);
}

void Watches::recheck_watch(std::uint32_t number, BodyId other) {
    const Watch& watch = watches_[number];
    if (watch.gauge) return;
    if (watch.feeler) {  // one that touches nothing learns nothing from a body that is out of its reach
        const double reach = (watch.within + bodies_.hot(other).radius) * (1.0 + SURELY) + FREE;
        const Vec apart = bodies_.place_of(other) - bodies_.place_of(watch.owner);
        if (watch.is_touching || square(apart) <= reach * reach) predict_feeler(number);
        return;
    }
    watches_[number].known_until = -INFINITE_TIME;
    if (other != watch.owner && !bodies_[other].is_gone) set_inside(number, other, sees_now(watch, other));
}

void Watches::set_inside(std::uint32_t number, BodyId other, bool inside) {
    Watch& watch = watches_[number];
    const auto found = std::find(watch.inside.begin(), watch.inside.end(), other);
    if ((found != watch.inside.end()) == inside) return;
    if (inside)
        watch.inside.push_back(other);
    else
        watch.inside.erase(found);
    notices_.tell({Notice::Kind::watched, number, other, NO_OBSTACLE, {}, Why::arrived, inside});
}

void Watches::tell(std::uint32_t number) {
    notices_.tell({Notice::Kind::watched, number, NOBODY, NO_OBSTACLE, {}, Why::arrived, true});
}

void Watches::act_on_watch(std::uint32_t number) {
    Watch& watch = watches_[number];
    if (watch.gauge) {
        watch.gauge->limit = -INFINITE_TIME;
        plan_watch(number, INFINITE_TIME);
        tell(number);
        return;
    }
    if (watch.feeler) {
        const bool is_valid =
            watch.is_sure && watch.owner_version == bodies_.hot(watch.owner).version &&
            (watch.other == NOBODY ||
             (!bodies_[watch.other].is_gone && watch.other_version == bodies_.hot(watch.other).version));
        if (is_valid && !watch.is_touching) {
            watch.is_touching = true;
            tell(number);
        }
        predict_feeler(number);
        return;
    }
    const bool valid = watch.is_sure && watch.other != NOBODY && !bodies_[watch.other].is_gone &&
                       watch.owner_version == bodies_.hot(watch.owner).version &&
                       watch.other_version == bodies_.hot(watch.other).version;
    if (valid) set_inside(number, watch.other, watch.enters);
    predict_again(number);
}

void Watches::plan_watch(std::uint32_t watch, double time) {
    watch_times_.set(watch, std::max(time, bodies_.now));
}

void Watches::insert(BodyId id) {
    calm_.clear();
    if (far_is_shaped_ && bodies_.hot(id).radius > far_limit_) {
        shape_far();
    } else if (far_is_shaped_ && !far_.holds(id)) {
        far_.reserve(bodies_.size());
        const Vec at = bodies_.pose(id).at;
        far_.insert(id, {far_.index(at.x), far_.index(at.y)});
    }
}

void Watches::remove(BodyId id) {
    if (far_.holds(id)) far_.remove(id);
}

void Watches::forget(BodyId id) {
    for (std::uint32_t watch : std::vector<std::uint32_t>(bodies_.rare(id).watches)) unwatch(watch);
    for (std::uint32_t watch = 0; open_watches_ && watch < watches_.size(); ++watch)
        if (watches_[watch].is_open && watches_[watch].is_range()) {
            watches_[watch].known_until = -INFINITE_TIME;
            set_inside(watch, id, false);
        }
}

void Watches::predict_all() {
    calm_.clear();
    for (std::uint32_t watch = 0; watch < watches_.size(); ++watch)
        if (watches_[watch].is_open) predict_watch(watch);
}

void Watches::halt() {
    for (std::uint32_t watch = 0; watch < watches_.size(); ++watch) plan_watch(watch, INFINITE_TIME);
}

void Watches::predict_far(BodyId id) {
    if (!far_is_shaped_) return;
    Rare& rare = bodies_.own_rare(id);
    rare.far_crossing = cell_end(bodies_, id, far_, rare.far_side);
    bodies_[id].aside = rare.first();
}

void Watches::cross_far(BodyId id) {
    const Grid::Link to = next_cell(bodies_, id, far_, bodies_.rare(id).far_side);
    if (to != far_.link(id)) {
        far_.move(id, to);
        look_around(id);
    }
    predict_far(id);
    times_.plan_body(id);
}

}  // namespace kumi
