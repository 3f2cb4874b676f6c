// Predictions: whom a body touches next, what it meets, and where the ground changes.
#include "plane.hpp"

#include "arc.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace kumi {

namespace {

constexpr double SURELY = 1e-6;  // by this share of their reach bodies must be apart that need no closer look

// When a disc at constant velocity meets the box around it from inside.
double meet_box(Vec at, double vx, double vy, double radius, const Box& box, double longest, int& side) {
    double best = INFINITE_TIME;
    const double rooms[4] = {at.y - radius - box.bottom, box.right - radius - at.x, box.top - radius - at.y,
                             at.x - radius - box.left};
    const double speeds[4] = {-vy, vx, vy, -vx};
    for (int i = 0; i < 4; ++i) {
        if (speeds[i] <= 0.0) continue;
        double wait = rooms[i] / speeds[i];
        if (rooms[i] <= TOUCHING * radius) {
            // Along the side, but for rounding: a contact only where that adds up to something.
            const bool is_along = speeds[i] * speeds[i] <= 1e-18 * (vx * vx + vy * vy);
            wait = is_along ? (rooms[i] + TOUCHING * radius) / speeds[i] : 0.0;
            if (wait >= longest || speeds[i] * longest - rooms[i] <= TOUCHING * radius) continue;
        }
        if (wait > longest && speeds[i] * (wait - longest) <= TOUCHING * radius) wait = longest;
        if (wait < best) {
            best = wait;
            side = i;
        }
    }
    return best;
}

// Whether a disc is well within the box there.
bool ends_inside(Vec at, double radius, const Box& box) {
    const double margin = radius * (1.0 + 4.0 * TOUCHING);
    return (at.x - box.left > margin) & (box.right - at.x > margin) & (at.y - box.bottom > margin) & (box.top - at.y > margin);
}

// Whether a disc is within the box, or out of it by no more than rounding: it is not, where it was let pass.
bool begins_inside(Vec at, double radius, const Box& box) {
    const double margin = radius * (1.0 - SURELY);
    return (at.x - box.left >= margin) & (box.right - at.x >= margin) & (at.y - box.bottom >= margin) & (box.top - at.y >= margin);
}

// A place that lies behind on the circle comes again after the way round; one less than `slack` behind is here.
double ahead(const Arc& arc, double way, double slack) { return way < -slack ? way + arc.round() : std::max(0.0, way); }

// Ways along a piece at which its path passes the border of a region in the wanted sense.
double way_to_side(const Piece& piece, double done, Vec a, Vec b, bool enters) {
    const Vec along = b - a;
    const double extent = length(along);
    const Vec inward = left_of(along) * (1.0 / extent);
    const double slack = 1e-12 * (extent + length(a));
    if (piece.kind == Piece::Kind::line) {
        const double rate = dot(piece.u, inward);
        if (rate == 0.0 || (rate > 0.0) != enters) return INFINITE_TIME;
        const Vec p = piece.first.at + piece.u * done;
        const double way = dot(a - p, inward) / rate;
        if (way < -slack) return INFINITE_TIME;
        const double foot = dot(p + piece.u * way - a, along) / extent;
        return foot >= -slack && foot <= extent + slack ? std::max(0.0, way) : INFINITE_TIME;
    }
    const Arc arc(turned(piece.u, piece.w * done), piece.w);
    const Vec p = piece.first.at + bent(piece.u, done, piece.w * done) - a;
    const Crossing crossing = arc.side(dot(p, inward), inward);
    if (crossing.under <= 0.0) return INFINITE_TIME;
    const double way = ahead(arc, enters ? arc.way_out(crossing) : arc.way_in(crossing), slack);
    const double foot = dot(p + arc.offset(way), along) / extent;
    return foot >= -slack && foot <= extent + slack ? way : INFINITE_TIME;
}

double way_to_round(const Piece& piece, double done, Vec centre, double radius, bool enters) {
    if (piece.kind == Piece::Kind::line) {
        const Vec m = piece.first.at + piece.u * done - centre;
        const double b = dot(m, piece.u), aside = cross(m, piece.u);
        if (std::abs(aside) >= radius) return INFINITE_TIME;
        const double half = std::sqrt((radius - aside) * (radius + aside));
        const double way = enters ? -b - half : half - b;
        return way < -1e-9 * radius ? INFINITE_TIME : std::max(0.0, way);
    }
    const Arc arc(turned(piece.u, piece.w * done), piece.w);
    const Crossing crossing = arc.disc(centre - piece.first.at - bent(piece.u, done, piece.w * done), radius);
    if (crossing.under <= 0.0) return INFINITE_TIME;
    return ahead(arc, enters ? arc.way_in(crossing) : arc.way_out(crossing), 1e-9 * radius);
}

}  // namespace

// Whether a contact comes before the motion ends. One that the end just misses, or that has only the last
// bit of a way before it, is moved to the end or dropped: what is less than TOUCHING is nothing.
bool Plane::is_in_time(double& time, double end, Vec apart, Vec moving, double reach) const {
    if (time <= end)
        return time > now || length(apart) - length(moving) * (end - now) < reach * (1.0 - TOUCHING);
    if (length(moving) * (time - end) > TOUCHING * reach) return false;
    time = end;
    return true;
}

void Plane::predict_all() {
    if (!is_shaped_ || shaped_for_ != alive_) shape_cells();
    is_predicted_ = true;
    for (BodyId id : dirty_) bodies_[id].is_dirty = false;
    dirty_.clear();
    for (BodyId id = 0; id < bodies_.size(); ++id)
        if (!bodies_[id].is_gone) predict(id);
    if (open_watches_) {
        for (BodyId id = 0; id < bodies_.size(); ++id)
            if (!bodies_[id].is_gone && std::exchange(bodies_[id].has_jumped, false)) recheck_watches(id);
        for (std::uint32_t watch = 0; watch < watches_.size(); ++watch)
            if (watches_[watch].is_open) predict_watch(watch);
    }
}

void Plane::predict(BodyId id) {
    Body& b = bodies_[id];
    b.crossing = cell_end(id, grid_, b.side);
    if (far_is_shaped_) predict_far(id);
    predict_contacts(id);
    predict_fixed(id);
    predict_ground(id);
    plan_body(id);
}

void Plane::predict_contacts(BodyId id) {
    Body& b = bodies_[id];
    b.contact = INFINITE_TIME;
    b.with = NOBODY;
    if (hot_[id].passes) return;
    if (b.is_gone) return;
    if (!grid_.holds(id)) {
        consider_all(id);
        return;
    }
    grid_.find_around(grid_.link(id), close_);
    consider_close(id);
    for (BodyId other : large_) consider(id, other);
}

// Without cells, or for a body that is too large for them.
void Plane::consider_all(BodyId id) {
    const Body& b = bodies_[id];
    const std::size_t count = bodies_.size();
    if (limit_ < 0.0 && count <= Straights::ROOM && hot_[id].is_plain) {
        ++looks_;
        if (!straights_.holds(now)) begin_straights();
        if (straights_.holds(now)) {
            std::uint64_t found[Straights::ROOM / 64];
            straights_.find(id, count, now, found);
            close_.clear();
            for (BodyId first = 0; first < count; first += 64)
                for (std::uint64_t left = found[first / 64]; left; left &= left - 1)
                    close_.push(first + static_cast<BodyId>(std::countr_zero(left)));
            consider_close(id);
            straights_.set_until(id, std::min(b.contact, hot_[id].until));
            return;
        }
    }
    for (BodyId other = 0; other < count; ++other)
        if (!bodies_[other].is_gone) consider(id, other);
}

// All that were found near, after their memory has been asked for.
void Plane::consider_close(BodyId id) {
    if (is_large())
        for (BodyId other : close_) __builtin_prefetch(&hot_[other]);
    if (!hot_[id].is_plain) {
        for (BodyId other : close_) consider(id, other);
        return;
    }
    // The usual case, written out: discs at constant velocity that let nobody pass, four at a time. There are seldom
    // more, so the processor guesses right that these are all.
    close_.pad(id);  // who never meets itself
    limit_ < 0.0 ? consider_plain<true>(id) : consider_plain<false>(id);
}

template <bool ALL>
void Plane::consider_plain(BodyId id) {
    const Hot* hot = hot_.data();
    const Vec here = place(hot[id]);
    const BodyId *other = close_.begin(), *end = close_.end();
    while (other < end) {
        const Hot &a = hot[other[0]], &b = hot[other[1]], &c = hot[other[2]], &d = hot[other[3]];
        const bool are_plain = a.is_plain & b.is_plain & c.is_plain & d.is_plain;
        Two until[2] = {both(a.until, b.until), both(c.until, d.until)};
        for (int i = 0; i < 2 && ALL; ++i)
            until[i] = lesser(until[i], both(bodies_[other[2 * i]].contact, bodies_[other[2 * i + 1]].contact));
        const unsigned first = may_come_first(id, here, a, b, until[0]) | may_come_first(id, here, c, d, until[1]) << 2;
        for (unsigned left = are_plain ? first : 15u; left; left &= left - 1) consider(id, other[std::countr_zero(left)]);
        other += 4;
    }
}

// Which of two plain bodies may touch a third before that touches whom it will as known so far, a bit for each: by then
// the gap has closed, or the centres have passed each other. An answer without a root, a quotient or a question in
// between; that it is "perhaps" more often than it need be costs little.
inline unsigned Plane::may_come_first(BodyId id, Vec here, const Hot& one, const Hot& two, Two theirs) const {
    const Hot& hot = hot_[id];
    const Two until = lesser(both(std::min(bodies_[id].contact, hot.until)), theirs), present = both(now);
    const Two wait = until - present, passed = present - both(one.since, two.since);
    const Two vx = both(one.vx, two.vx), vy = both(one.vy, two.vy);
    const Two x = both(here.x) - (both(one.x, two.x) + vx * passed), y = both(here.y) - (both(one.y, two.y) + vy * passed);
    const Two along_x = both(hot.vx) - vx, along_y = both(hot.vy) - vy;
    const Two reach = both(hot.radius) + both(one.radius, two.radius), square = reach * reach;
    const Two closing = x * along_x + y * along_y, aside = x * along_y - y * along_x;
    const Two speed = along_x * along_x + along_y * along_y;  // squared
    const Two then = closing + speed * wait;
    const Two open = x * x + y * y - square + wait * (closing + then);
    const Two is_closed = is_at_most(open, both(4.0 * TOUCHING) * square);
    const Two is_past = and_also(is_at_most(both(0.0), then), is_at_most(aside * aside, square * speed));
    return bits_of(and_also(is_less(closing, both(0.0)), or_else(is_closed, is_past)));
}

void Plane::keep_straight(BodyId id, BodyId other, Vec apart, Vec moving, double reach) {
    double time = now + meet_straight(apart, moving, reach);
    if (time > bodies_[id].contact || time == INFINITE_TIME) return;
    if (limit_ < 0.0 && time > bodies_[other].contact) return;  // by then the other has looked around again, and seen this one
    if (is_in_time(time, std::min(hot_[id].until, hot_[other].until), apart, moving, reach)) keep(id, other, {time, true});
}

// Keeps a contact that comes before the one known so far. Of contacts at one time that with the lower number
// counts, so nothing depends on the order in which bodies are found.
void Plane::keep(BodyId id, BodyId other, Meeting found) {
    Body& b = bodies_[id];
    if (found.time > b.contact || found.time == INFINITE_TIME || (found.time == b.contact && other >= b.with)) return;
    b.contact = found.time;
    b.with = other;
    b.with_version = hot_[other].version;
    b.is_sure = found.sure;
}

void Plane::consider(BodyId id, BodyId other) {
    if (id == other) return;
    const Hot& a = hot_[id];
    const Hot& b = hot_[other];
    if (a.rests && b.rests) return;
    if (a.lets_pass || b.lets_pass) {
        const auto& one = rare(id).passing;
        const auto& two = rare(other).passing;
        if (std::find(one.begin(), one.end(), other) != one.end() || std::find(two.begin(), two.end(), id) != two.end()) return;
    }
    if (a.is_simple && b.is_simple && a.is_disc && b.is_disc) {
        const Vec apart = place(a) - place(b), moving{a.vx - b.vx, a.vy - b.vy};
        keep_straight(id, other, apart, moving, a.radius + b.radius);
    } else {
        ++close_looks_;
        keep(id, other, meeting(id, other));
    }
}

// Whether two bodies cannot touch while both motions last, as is seen at once: their chords keep apart.
bool Plane::stay_apart(BodyId id, BodyId other) const {
    const Hot& a = hot_[id];
    const Hot& b = hot_[other];
    const Chord one = chord_of(id), two = chord_of(other);
    const Vec apart = one.at - two.at, moving = one.velocity - two.velocity;
    const double longest = std::min(a.until, b.until) - now, closing = -dot(apart, moving), speed = square(moving);
    const double when = closing <= 0.0 ? 0.0 : closing >= speed * longest ? longest : closing / speed;
    const double reach = (a.radius + b.radius) * (1.0 + SURELY) + one.aside + two.aside;
    return square(apart + moving * when) > reach * reach;
}

Meeting Plane::meeting(BodyId id, BodyId other) const {
    const Hot& a = hot_[id];
    const Hot& b = hot_[other];
    if (a.is_disc && b.is_disc && stay_apart(id, other)) return {};
    const Course one = course(id), two = course(other);
    if (a.is_disc && b.is_disc) {
        const auto has_closed_form = [](const Course& course) { return course.piece->kind != Piece::Kind::pattern; };
        if (b.rests && has_closed_form(one)) return {meet_capsule(one, a.radius, {place(b), place(b), b.radius}, now), true};
        if (a.rests && has_closed_form(two)) return {meet_capsule(two, b.radius, {place(a), place(a), a.radius}, now), true};
        return meet_discs(one, two, a.radius + b.radius, now, std::min(hot_[id].until, hot_[other].until));
    }
    return meet_shapes(one, *bodies_[id].shape, two, *bodies_[other].shape, now, std::min(hot_[id].until, hot_[other].until));
}

double Plane::gap_between(BodyId one, BodyId other, Vec* normal, Vec* point) const {
    if (hot_[one].is_disc && hot_[other].is_disc) {
        const Vec here = pose(one).at, there = pose(other).at, apart = there - here;
        const double away = length(apart), reach = hot_[one].radius + hot_[other].radius;
        const Vec n = away > 0.0 ? apart * (1.0 / away) : Vec{1.0, 0.0};
        if (normal) *normal = n;
        if (point) *point = here + n * (hot_[one].radius + 0.5 * (away - reach));
        return away - reach;
    }
    const Touch touch = gap(*bodies_[one].shape, pose(one), *bodies_[other].shape, pose(other));
    if (normal) *normal = touch.normal;
    if (point) *point = touch.point;
    return touch.gap;
}

template <class Visit>
void Plane::visit_fixed(BodyId id, Visit&& visit) const {
    if (!grid_.holds(id)) {
        for (std::uint32_t part = has_box_ ? 4 : 0; part < fixed_.size(); ++part) visit(part);
        return;
    }
    const Grid::Link& link = grid_.link(id);
    if (const auto* parts = fixed_in(link.ix, link.iy))
        for (std::uint32_t part : *parts) visit(part);
    for (std::uint32_t part : everywhere_) visit(part);
}

void Plane::predict_fixed(BodyId id) {
    Body& b = bodies_[id];
    b.fixed = INFINITE_TIME;
    b.is_fixed_sure = true;
    const Hot& hot = hot_[id];
    if (hot.rests || hot.passes || b.is_gone) return;
    const bool is_disc = hot.is_disc;
    const Course way = course(id);
    const auto passes = [&](std::int32_t obstacle) {
        if (!hot.lets_pass) return false;
        const auto& passing = rare(id).passing_fixed;
        return std::find(passing.begin(), passing.end(), obstacle) != passing.end();
    };
    const auto meet = [&](std::uint32_t part) {
        const Fixed& fixed = fixed_[part];
        if (fixed.region >= 0 || passes(fixed.obstacle)) return;
        Meeting found;
        if (is_disc && b.piece.kind != Piece::Kind::pattern) {
            found.time = meet_capsule(way, hot.radius, fixed.capsule, now);
        } else {
            const Piece still = resting(fixed.placed());
            found = meet_shapes(way, *b.shape, {&still, now, 0.0, 1.0}, *fixed.shape, now, b.end);
        }
        if (found.time < b.fixed) {
            b.fixed = found.time;
            b.fixed_with = static_cast<std::int32_t>(part);
            b.is_fixed_sure = found.sure;
        }
    };
    if (has_box_ && !passes(BORDER)) {
        const bool is_in = is_disc && hot.is_simple && (!has_let_pass_ || begins_inside(place(hot), hot.radius, box_));
        if (is_in && std::isfinite(b.piece.duration) && ends_inside(b.piece.last.at, hot.radius, box_)) {
            // The box is convex: between two places within it is no side of it.
        } else if (is_in) {
            int side = 0;
            const double wait = meet_box(place(hot), hot.vx, hot.vy, hot.radius, box_, b.end - now, side);
            if (wait < INFINITE_TIME) {
                b.fixed = now + std::max(0.0, wait);
                b.fixed_with = side;
            }
        } else if (const double left = b.piece.kind == Piece::Kind::arc ? way_at(id, b.end) - odometer(id) : INFINITE_TIME;
                   !is_disc || !ends_inside(way.pose(now).at, hot.radius + left, box_)) {  // else it does not come that far
            for (std::uint32_t part : box_parts_) meet(part);
        }
    }
    if (fixed_.size() > box_parts_.size()) visit_fixed(id, meet);
}

void Plane::predict_ground(BodyId id) {
    Body& b = bodies_[id];
    if (b.rare) {
        b.rare->ground = INFINITE_TIME;
        b.aside = b.rare->first();
    }
    if (regions_.empty() || b.is_gone || !b.piece.moves()) return;
    Rare& rare = own_rare(id);
    const Piece& piece = b.piece;
    const double clock = std::max(0.0, course(id).clock_at(now));
    const double done = piece.kind == Piece::Kind::pattern ? 0.0 : piece.way(clock);
    visit_fixed(id, [&](std::uint32_t part) {
        const Fixed& fixed = fixed_[part];
        if (fixed.region < 0) return;
        const Region& region = regions_[static_cast<std::size_t>(fixed.region)];
        const bool inside = std::find(rare.regions.begin(), rare.regions.end(), static_cast<std::uint32_t>(fixed.region)) != rare.regions.end();
        double time = INFINITE_TIME;
        if (piece.kind == Piece::Kind::pattern) {
            // Advanced by the bound of the speed until it is on the other side.
            const double top = course(id).top_speed();
            double at = now;
            for (int i = 0; i < 100'000 && at < b.end && top > 0.0; ++i) {
                const Vec p = course(id).pose(at).at;
                if (is_inside(region, p) != inside) {
                    time = at;
                    break;
                }
                const double away = region.radius > 0.0 ? std::abs(length(p - region.corners[0]) - region.radius)
                                                        : length(beside(fixed.capsule, p).away);
                at += std::max(away, 1e-10 * (1.0 + length(p))) / top;
            }
        } else {
            const double way = region.radius > 0.0 ? way_to_round(piece, done, region.corners[0], region.radius, !inside)
                                                   : way_to_side(piece, done, fixed.capsule.a, fixed.capsule.b, !inside);
            // At a corner it may enter and leave at once, which is once enough.
            const bool is_corner = rare.passed_at == now && rare.passed == fixed.region && rare.passes >= 2 && way < 1e-9;
            if (way < INFINITE_TIME && !is_corner) {
                const double when = piece.when(done + way);
                if (when < INFINITE_TIME) time = std::max(now, b.since + (when - b.clock) / b.rate);
            }
        }
        if (time < rare.ground) {
            rare.ground = time;
            rare.ground_with = static_cast<std::int32_t>(part);
            rare.ground_enters = !inside;
        }
    });
    b.aside = rare.first();
}

bool Plane::is_inside(const Region& region, Vec at) const {
    if (region.radius > 0.0) return length(at - region.corners[0]) < region.radius;
    bool inside = false;
    const std::size_t n = region.corners.size();
    for (std::size_t i = 0, j = n - 1; i < n; j = i++) {
        const Vec a = region.corners[i], b = region.corners[j];
        if ((a.y > at.y) != (b.y > at.y) && at.x < (b.x - a.x) * (at.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
    }
    return inside;
}

void Plane::find_regions(BodyId id) {
    if (bodies_[id].rare) bodies_[id].rare->regions.clear();
    const Vec at = pose(id).at;
    for (std::uint32_t region = 0; region < regions_.size(); ++region)
        if (is_inside(regions_[region], at)) own_rare(id).regions.push_back(region);
}

double Plane::rate_here(BodyId id) const {
    double rate = 1.0;
    for (std::uint32_t region : rare(id).regions)
        if (regions_[region].kind == Region::Kind::slow) rate = std::min(rate, regions_[region].factor);
    return rate;
}

}  // namespace kumi
