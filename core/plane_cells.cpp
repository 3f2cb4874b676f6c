// Cells of the plane: how wide they are, who is in them, and when a body leaves its own.
#include "plane.hpp"


#include <algorithm>
#include <cmath>

namespace kumi {

namespace {

constexpr std::size_t FEW_BODIES = 24, FEW_PARTS = 64, MANY_CELLS = 4096;
constexpr std::size_t SOME_BODIES = 128;                   // that can do without cells where nothing stands between them
constexpr std::uint64_t MANY_LOOKS = 1000, CLOSE_LOOKS = 8;  // more close looks than these, and so many for each prediction

std::uint64_t key_of(std::int32_t ix, std::int32_t iy) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(ix)) << 32 | static_cast<std::uint32_t>(iy);
}

}  // namespace

void Plane::shape_cells() {
    std::vector<double> radii;
    double left = INFINITE_TIME, bottom = INFINITE_TIME, right = -INFINITE_TIME, top = -INFINITE_TIME;
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        if (bodies_[id].is_gone) continue;
        radii.push_back(hot_[id].radius);
        const Vec at = pose(id).at;
        left = std::min(left, at.x);
        right = std::max(right, at.x);
        bottom = std::min(bottom, at.y);
        top = std::max(top, at.y);
    }
    std::sort(radii.begin(), radii.end());
    const std::size_t count = radii.size();
    if (does_without_cells(radii, std::max(right - left, top - bottom))) {
        limit_ = -1.0;  // all are compared with all
        looks_ = close_looks_ = 0;
    } else if (count == 0) {
        limit_ = 1.0;
    } else {
        const double usual = 4.0 * radii[count / 2];
        const std::size_t larger = static_cast<std::size_t>(radii.end() - std::upper_bound(radii.begin(), radii.end(), usual));
        limit_ = larger > std::max<std::size_t>(16, count / 50) ? radii.back() : std::min(usual, radii.back());
    }
    const double area = has_box_ ? (box_.right - box_.left) * (box_.top - box_.bottom)
                                 : std::max(0.0, (right - left) * (top - bottom));
    // Narrow cells mean fewer bodies to compare with and more crossings. Where all bodies fit into the
    // processor's cache crossings are cheap, with many they are not: measured, not derived.
    const double width = std::clamp(0.6 + 0.1 * std::log10(static_cast<double>(count + 1) / 100.0), 0.6, 0.7);
    const double room = count ? width * std::sqrt(area / static_cast<double>(count)) : 0.0;
    const double cell = std::max(8.0 / 3.0 * 1.0001 * std::max(limit_, 1e-300), std::min(room, widest_cell_));
    shaped_for_ = count;
    large_.clear();
    if (has_box_)
        grid_.shape(cell, std::max<std::size_t>(count, 16), (box_.right - box_.left) / cell + 2.0, (box_.top - box_.bottom) / cell + 2.0);
    else
        grid_.shape(cell, std::max<std::size_t>(count, 16));
    grid_.reserve(bodies_.size());
    is_shaped_ = true;
    for (BodyId id = 0; id < bodies_.size(); ++id)
        if (!bodies_[id].is_gone) insert(id);
    by_cell_.clear();
    everywhere_.clear();
    if (limit_ < 0.0)
        begin_straights();
    else
        file_fixed();
}

// Few bodies among few parts are compared with all. So are some more, if that is quick: discs that go straight, in a
// box or on an open plane. How often others are met shows in the run.
bool Plane::does_without_cells(const std::vector<double>& radii, double extent) const {
    const std::size_t count = radii.size();
    if (count <= FEW_BODIES && fixed_.size() <= FEW_PARTS) return true;
    if (has_box_) extent = std::max({extent, box_.right - box_.left, box_.top - box_.bottom});
    return count <= SOME_BODIES && bodies_.size() <= Straights::ROOM && fixed_.size() <= box_parts_.size() && !needs_cells_ &&
           count > 0 && Straights::is_fine(extent, radii[count / 2]);
}

// Whether so many close looks were needed that cells would have been better.
bool Plane::wants_cells() const {
    return limit_ < 0.0 && alive_ > FEW_BODIES && close_looks_ > MANY_LOOKS + CLOSE_LOOKS * looks_;
}

// Seen from the middle, and on an open plane with room to go on.
void Plane::begin_straights() {
    const std::size_t count = std::min(bodies_.size(), Straights::ROOM);
    double left = INFINITE_TIME, bottom = INFINITE_TIME, right = -INFINITE_TIME, top = -INFINITE_TIME;
    double largest = 0.0, fastest = 0.0;
    if (has_box_) {
        left = box_.left;
        bottom = box_.bottom;
        right = box_.right;
        top = box_.top;
    }
    for (BodyId id = 0; id < count; ++id) {
        const Hot& hot = hot_[id];
        if (bodies_[id].is_gone || !hot.is_plain) continue;
        const Vec at = place(hot);
        left = std::min(left, at.x);
        right = std::max(right, at.x);
        bottom = std::min(bottom, at.y);
        top = std::max(top, at.y);
        largest = std::max(largest, hot.radius);
        fastest = std::max(fastest, length({hot.vx, hot.vy}));
    }
    const double across = std::max({right - left, top - bottom, 4.0 * largest, 0.0});
    const Vec middle = left <= right ? Vec{0.5 * (left + right), 0.5 * (bottom + top)} : Vec{};
    straights_.begin(now, middle, (has_box_ ? 0.5 : 1.0) * across * (1.0 + 1e-9), fastest);
    for (BodyId id = 0; id < count; ++id) show_to_all(id);
}

// What all others see of a body.
void Plane::show_to_all(BodyId id) {
    const Hot& hot = hot_[id];
    if (bodies_[id].is_gone)
        straights_.forget(id);
    else if (hot.is_plain)
        straights_.set(id, now, place(hot), {hot.vx, hot.vy}, hot.radius, std::min(bodies_[id].contact, hot.until));
    else
        straights_.set_other(id);
}

void Plane::file_fixed() {
    for (std::uint32_t part = 0; part < fixed_.size(); ++part)
        if (fixed_[part].obstacle != BORDER || fixed_[part].region >= 0) file(part);
}

// Files a part under each cell from which a body could touch it, row by row.
void Plane::file(std::uint32_t part) {
    const Capsule& capsule = fixed_[part].capsule;
    const double reach = capsule.radius + limit_ + OVERHANG * grid_.cell + 1e-9 * grid_.cell;
    const Vec a = capsule.a.y <= capsule.b.y ? capsule.a : capsule.b;
    const Vec b = capsule.a.y <= capsule.b.y ? capsule.b : capsule.a;
    const std::int32_t first = grid_.index(a.y - reach), last = grid_.index(b.y + reach);
    std::vector<std::uint64_t> keys;
    for (std::int32_t iy = first; iy <= last; ++iy) {
        const double low = grid_.low(iy) - reach, high = grid_.high(iy) + reach;
        double from = a.x, to = b.x;  // the stretch of the part between these heights
        if (b.y > a.y) {
            const double slope = (b.x - a.x) / (b.y - a.y);
            from = a.x + slope * (std::clamp(low, a.y, b.y) - a.y);
            to = a.x + slope * (std::clamp(high, a.y, b.y) - a.y);
        }
        if (from > to) std::swap(from, to);
        for (std::int32_t ix = grid_.index(from - reach); ix <= grid_.index(to + reach); ++ix) {
            keys.push_back(key_of(ix, iy));
            if (keys.size() > MANY_CELLS) {
                everywhere_.push_back(part);
                return;
            }
        }
    }
    for (std::uint64_t key : keys) by_cell_[key].push_back(part);
}

const std::vector<std::uint32_t>* Plane::fixed_in(std::int32_t ix, std::int32_t iy) const {
    if (by_cell_.empty()) return nullptr;
    const auto found = by_cell_.find(key_of(ix, iy));
    return found == by_cell_.end() ? nullptr : &found->second;
}

void Plane::insert(BodyId id) {
    if (hot_[id].radius > limit_) {
        large_.push_back(id);
    } else {
        grid_.reserve(bodies_.size());
        const Vec at = pose(id).at;
        grid_.insert(id, {grid_.index(at.x), grid_.index(at.y)});
    }
    if (far_is_shaped_ && hot_[id].radius > far_limit_) {
        shape_far();
    } else if (far_is_shaped_ && !far_.holds(id)) {
        far_.reserve(bodies_.size());
        const Vec at = pose(id).at;
        far_.insert(id, {far_.index(at.x), far_.index(at.y)});
    }
    // Twice as many bodies: narrower cells pay again.
    if (alive_ > 2 * std::max<std::size_t>(shaped_for_, FEW_BODIES / 2) || (limit_ < 0.0 && alive_ > SOME_BODIES))
        is_shaped_ = is_predicted_ = false;
}

// When a body on a straight way leaves its cell, and by which side; both ways at once, and without a question that the
// processor would guess wrong.
double Plane::straight_cell_end(const Hot& hot, const Grid& grid, const Grid::Link& link, Side& side) const {
    const Two speed = both(hot.vx, hot.vy), at = both(hot.x, hot.y) + speed * both(now - hot.since);
    const unsigned onwards = bits_of(is_less(both(0.0), speed));
    const int is_right = onwards & 1, is_up = onwards >> 1;
    const Two border = both(grid.low(link.ix + is_right), grid.low(link.iy + is_up));
    const Two way = (border - at) / speed;
    double wait = hot.vx != 0.0 ? way[0] : INFINITE_TIME, wait_up = hot.vy != 0.0 ? way[1] : INFINITE_TIME;
    if (Grid::is_outermost(link)) [[unlikely]] {
        if (Grid::is_last(link.ix, is_right)) wait = INFINITE_TIME;
        if (Grid::is_last(link.iy, is_up)) wait_up = INFINITE_TIME;
    }
    const int is_by_row = wait_up < wait, leaves = is_by_row | (wait < INFINITE_TIME);
    const int is_onwards = is_right ^ ((is_right ^ is_up) & -is_by_row);
    side = static_cast<Side>(leaves + (leaves & is_onwards) + 2 * is_by_row);
    return now + std::max(0.0, std::min(wait, wait_up));
}

double Plane::cell_end(BodyId id, const Grid& grid, Side& side) const {
    side = Side::none;
    if (!grid.holds(id)) return INFINITE_TIME;
    const Hot& hot = hot_[id];
    const Grid::Link& link = grid.link(id);
    if (hot.is_simple) return straight_cell_end(hot, grid, link, side);
    if (!bodies_[id].piece.moves()) return INFINITE_TIME;
    const Vec at = pose(id).at;
    const double over = OVERHANG * grid.cell;
    const double room = std::min(std::min(grid.high(link.ix) - at.x, at.x - grid.low(link.ix)),
                                 std::min(grid.high(link.iy) - at.y, at.y - grid.low(link.iy))) + over;
    const double top = course(id).top_speed();
    return top > 0.0 ? now + std::max(0.0, room) / top : INFINITE_TIME;
}

// The cell that a body comes into: the next on its straight way, or on a curved one the cell it is in.
Grid::Link Plane::next_cell(BodyId id, const Grid& grid, Side side) const {
    if (side != Side::none) return beyond(grid.link(id), side);
    const Vec at = pose(id).at;
    return {grid.index(at.x), grid.index(at.y)};
}

// The side by which one comes from a cell into the next; none if that is not next to it.
Plane::Side Plane::side_towards(const Grid::Link& from, const Grid::Link& to) {
    for (Side side : {Side::left, Side::right, Side::bottom, Side::top})
        if (beyond(from, side) == to) return side;
    return Side::none;
}

void Plane::cross(BodyId id) {
    Body& b = bodies_[id];
    const Hot& hot = hot_[id];
    const Side by = b.side;
    const Grid::Link from = grid_.link(id), to = next_cell(id, grid_, by);
    if (to != from) grid_.move(id, to);
    b.crossing = hot.is_simple ? straight_cell_end(hot, grid_, to, b.side) : cell_end(id, grid_, b.side);
    if (to != from) {
        if (!hot.passes) {
            const Side side = by != Side::none ? by : side_towards(from, to);
            if (side != Side::none)
                grid_.find_row(beyond(to, side), side >= Side::bottom, close_);
            else
                grid_.find_around(to, close_);
            consider_close(id);
        }
        if (!by_cell_.empty()) {
            predict_fixed(id);
            predict_ground(id);
        }
    }
    plan_body(id);
}

void Plane::predict_far(BodyId id) {
    Rare& rare = own_rare(id);
    rare.far_crossing = cell_end(id, far_, rare.far_side);
    bodies_[id].aside = rare.first();
}

void Plane::cross_far(BodyId id) {
    const Grid::Link to = next_cell(id, far_, rare(id).far_side);
    if (to != far_.link(id)) {
        far_.move(id, to);
        watch_changed(id);
    }
    predict_far(id);
    plan_body(id);
}

}  // namespace kumi
