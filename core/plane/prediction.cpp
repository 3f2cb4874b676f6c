// Contacts between bodies.
#include "plane/prediction.hpp"
#include "numbers/two.hpp"

#include <algorithm>
#include <bit>

namespace kumi {

namespace {

// Which of two plain bodies may touch a third before that touches whom it will as known so far, a bit for each: by then
// the gap has closed, or the centres have passed each other. An answer without a root, a quotient or a question in
// between; that it is "perhaps" more often than it need be costs little.
inline unsigned may_come_first(const Bodies& bodies, BodyId id, Vec here, const Hot& one, const Hot& two,
                               Two theirs) {
    const Hot& hot = bodies.hot(id);
    const Two until = lesser(both(std::min(bodies[id].contact, hot.until)), theirs),
              present = both(bodies.now);
    const Two wait = until - present, passed = present - both(one.since, two.since);
    const Two vx = both(one.vx, two.vx), vy = both(one.vy, two.vy);
    const Two x = both(here.x) - (both(one.x, two.x) + vx * passed),
              y = both(here.y) - (both(one.y, two.y) + vy * passed);
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

}  // namespace

// Whether a contact comes before the motion ends. One that the end just misses, or that has only the last
// bit of a way before it, is moved to the end or dropped: what is less than TOUCHING is nothing.
bool Prediction::is_in_time(double& time, double end, Vec apart, Vec moving, double reach) const {
    if (time <= end)
        return time > bodies_.now ||
               length(apart) - length(moving) * (end - bodies_.now) < reach * (1.0 - TOUCHING);
    if (length(moving) * (time - end) > TOUCHING * reach) return false;
    time = end;
    return true;
}

void Prediction::predict(BodyId id) {
    Body& b = bodies_[id];
    b.crossing = cell_end(bodies_, id, cells_.grid(), b.side);
    predict_contacts(id);
    predict_fixed(id);
    predict_ground(id);
}

void Prediction::cross(BodyId id) {
    Body& b = bodies_[id];
    const Hot& hot = bodies_.hot(id);
    const Grid& grid = cells_.grid();
    const Side by = b.side;
    const Grid::Link from = grid.link(id), to = next_cell(bodies_, id, grid, by);
    if (to != from) cells_.move(id, to);
    b.crossing = hot.is_simple ? straight_cell_end(hot, bodies_.now, grid, to, b.side)
                               : cell_end(bodies_, id, grid, b.side);
    if (to == from) return;
    // The contact known so far stays valid: it was found among all cells around the old one. Only the row of cells that
    // comes into reach beyond the side that was crossed can hold a body that was not considered yet.
    if (!hot.is_ghost) {
        const Side side = by != Side::none ? by : side_towards(from, to);
        if (side != Side::none)
            grid.find_row(beyond(to, side), side >= Side::bottom, close_);
        else
            grid.find_around(to, close_);
        consider_close(id);
    }
    if (cells_.has_parts()) {
        predict_fixed(id);
        predict_ground(id);
    }
}

void Prediction::predict_contacts(BodyId id) {
    Body& b = bodies_[id];
    b.contact = INFINITE_TIME;
    b.with = NOBODY;
    if (bodies_.hot(id).is_ghost) return;
    if (b.is_gone) return;
    if (!cells_.grid().holds(id)) {
        consider_all(id);
        return;
    }
    cells_.grid().find_around(cells_.grid().link(id), close_);
    consider_close(id);
    for (BodyId other : cells_.large()) consider(id, other);
}

// Without cells, or for a body that is too large for them.
void Prediction::consider_all(BodyId id) {
    if (cells_.find_straight(id, close_)) {
        consider_close(id);
        cells_.set_until(id, std::min(bodies_[id].contact, bodies_.hot(id).until));
        return;
    }
    for (BodyId other = 0; other < bodies_.size(); ++other)
        if (!bodies_[other].is_gone) consider(id, other);
}

// All that were found near, after their memory has been asked for.
void Prediction::consider_close(BodyId id) {
    if (bodies_.is_large())
        for (BodyId other : close_) __builtin_prefetch(&bodies_.hot(other));
    if (!bodies_.hot(id).is_plain) {
        for (BodyId other : close_) consider(id, other);
        return;
    }
    // The usual case, written out: discs at constant velocity that let nobody pass, four at a time. There are seldom
    // more, so the processor guesses right that these are all.
    close_.pad(id);  // who never meets itself
    !cells_.are_there() ? consider_plain<true>(id) : consider_plain<false>(id);
}

template <bool ALL> void Prediction::consider_plain(BodyId id) {
    const Bodies& bodies = bodies_;
    const Hot* hot = &bodies.hot(0);
    const Vec here = bodies.place(hot[id]);
    const BodyId *other = close_.begin(), *end = close_.end();
    while (other < end) {
        const Hot &a = hot[other[0]], &b = hot[other[1]], &c = hot[other[2]], &d = hot[other[3]];
        const bool are_plain = a.is_plain & b.is_plain & c.is_plain & d.is_plain;
        Two until[2] = {both(a.until, b.until), both(c.until, d.until)};
        for (int i = 0; i < 2 && ALL; ++i)
            until[i] = lesser(until[i], both(bodies[other[2 * i]].contact, bodies[other[2 * i + 1]].contact));
        const unsigned first = may_come_first(bodies, id, here, a, b, until[0]) |
                               may_come_first(bodies, id, here, c, d, until[1]) << 2;
        for (unsigned left = are_plain ? first : 15u; left; left &= left - 1)
            consider(id, other[std::countr_zero(left)]);
        other += 4;
    }
}

void Prediction::keep_straight(BodyId id, BodyId other, Vec apart, Vec moving, double reach) {
    double time = bodies_.now + meet_straight(apart, moving, reach);
    if (time > bodies_[id].contact || time == INFINITE_TIME) return;
    // Without cells each body that changes its motion looks at all others: the other one touches somebody before this
    // contact, and looks at this body again then.
    if (!cells_.are_there() && time > bodies_[other].contact) return;
    if (is_in_time(time, std::min(bodies_.hot(id).until, bodies_.hot(other).until), apart, moving, reach))
        keep(id, other, {time, true});
}

// Keeps a contact that comes before the one known so far. Of contacts at one time that with the lower number
// counts, so nothing depends on the order in which bodies are found.
void Prediction::keep(BodyId id, BodyId other, Meeting found) {
    Body& b = bodies_[id];
    const bool comes_first = found.time < b.contact || (found.time == b.contact && other < b.with);
    if (!comes_first || found.time == INFINITE_TIME) return;  // of sizes beyond all measure it is no number
    b.contact = found.time;
    b.with = other;
    // The other body has no entry for this contact. If it changes its motion first, it looks around for itself, and this
    // entry is out of date but not searched for and removed: at its instant the version differs, and it is predicted anew.
    b.with_version = bodies_.hot(other).version;
    b.is_sure = found.sure;
}

void Prediction::consider(BodyId id, BodyId other) {
    if (id == other) return;
    const Hot& a = bodies_.hot(id);
    const Hot& b = bodies_.hot(other);
    if (a.rests && b.rests) return;
    // A contact that lets the two pass lasts until they have parted; found again in between, it would be told twice.
    if (contacts_.lets_pass({id, other, NO_OBSTACLE})) return;
    if (a.is_simple && b.is_simple && a.is_disc && b.is_disc) {
        const Vec apart = bodies_.place(a) - bodies_.place(b), moving{a.vx - b.vx, a.vy - b.vy};
        keep_straight(id, other, apart, moving, a.radius + b.radius);
    } else {
        cells_.count_close_look();
        keep(id, other, meeting(id, other));
    }
}

// Whether two bodies cannot touch while both motions last, as is seen at once: their chords keep apart.
bool Prediction::stay_apart(BodyId id, BodyId other) const {
    const Hot& a = bodies_.hot(id);
    const Hot& b = bodies_.hot(other);
    const Chord one = bodies_.chord_of(id), two = bodies_.chord_of(other);
    const Vec apart = one.at - two.at, moving = one.velocity - two.velocity;
    const double longest = std::min(a.until, b.until) - bodies_.now, closing = -dot(apart, moving),
                 speed = square(moving);
    const double when = closing <= 0.0 ? 0.0 : closing >= speed * longest ? longest : closing / speed;
    const double reach = (a.radius + b.radius) * (1.0 + SURELY) + one.aside + two.aside;
    return square(apart + moving * when) > reach * reach;
}

Meeting Prediction::meeting(BodyId id, BodyId other) const {
    const Hot& a = bodies_.hot(id);
    const Hot& b = bodies_.hot(other);
    // A cheap test that is sure in one direction only: most pairs that share cells never come near each other.
    if (((a.is_disc && b.is_disc) || a.is_stretch() || b.is_stretch()) && stay_apart(id, other)) return {};
    const Course one = bodies_.course(id), two = bodies_.course(other);
    if (a.is_disc && b.is_disc) {
        const auto has_closed_form = [](const Course& course) {
            return course.piece->kind != Piece::Kind::pattern;
        };
        if (b.rests && has_closed_form(one))
            return {meet_capsule(one, a.radius, {bodies_.place(b), bodies_.place(b), b.radius}, bodies_.now),
                    true};
        if (a.rests && has_closed_form(two))
            return {meet_capsule(two, b.radius, {bodies_.place(a), bodies_.place(a), a.radius}, bodies_.now),
                    true};
        return meet_discs(one, two, a.radius + b.radius, bodies_.now,
                          std::min(bodies_.hot(id).until, bodies_.hot(other).until));
    }
    return meet_shapes(one, *bodies_[id].shape, two, *bodies_[other].shape, bodies_.now,
                       std::min(bodies_.hot(id).until, bodies_.hot(other).until));
}

}  // namespace kumi
