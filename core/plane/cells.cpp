#include "plane/cells.hpp"
#include "numbers/elementary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kumi {

namespace {

constexpr std::size_t FEW_BODIES = 24, FEW_PARTS = 64, MANY_CELLS = 4096;
constexpr std::size_t SOME_BODIES = 128;  // that can do without cells where nothing stands between them
constexpr std::uint64_t MANY_LOOKS = 1000,
                        CLOSE_LOOKS = 8;  // more close looks than these, and so many for each prediction

std::uint64_t key_of(std::int32_t ix, std::int32_t iy) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(ix)) << 32 | static_cast<std::uint32_t>(iy);
}

}  // namespace

void Cells::shape() {
    const Box* box = obstacles_.box();
    std::vector<double> radii;
    double left = INFINITE_TIME, bottom = INFINITE_TIME, right = -INFINITE_TIME, top = -INFINITE_TIME;
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        if (bodies_[id].is_gone) continue;
        radii.push_back(bodies_.hot(id).radius);
        const Vec at = bodies_.pose(id).at;
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
        const std::size_t larger =
            static_cast<std::size_t>(radii.end() - std::upper_bound(radii.begin(), radii.end(), usual));
        limit_ =
            larger > std::max<std::size_t>(16, count / 50) ? radii.back() : std::min(usual, radii.back());
    }
    const double area = box ? (box->right - box->left) * (box->top - box->bottom)
                            : std::max(0.0, (right - left) * (top - bottom));
    // Narrow cells mean fewer bodies to compare with and more crossings. Where all bodies fit into the
    // processor's cache crossings are cheap, with many they are not: measured, not derived.
    const double width =
        std::clamp(0.6 + 0.1 * maths::log10(static_cast<double>(count + 1) / 100.0), 0.6, 0.7);
    const double room = count ? width * std::sqrt(area / static_cast<double>(count)) : 0.0;
    const double cell = std::max(8.0 / 3.0 * 1.0001 * std::max(limit_, 1e-300), std::min(room, widest_cell_));
    shaped_for_ = count;
    large_.clear();
    if (box)
        grid_.shape(cell, std::max<std::size_t>(count, 16), (box->right - box->left) / cell + 2.0,
                    (box->top - box->bottom) / cell + 2.0);
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
bool Cells::does_without_cells(const std::vector<double>& radii, double extent) const {
    const Box* box = obstacles_.box();
    const std::size_t count = radii.size();
    if (count <= FEW_BODIES && obstacles_.size() <= FEW_PARTS) return true;
    if (box) extent = std::max({extent, box->right - box->left, box->top - box->bottom});
    return count <= SOME_BODIES && bodies_.size() <= Straights::ROOM && obstacles_.is_only_box() &&
           !needs_cells_ && count > 0 && Straights::is_fine(extent, radii[count / 2]);
}

// Whether so many close looks were needed that cells would have been better.
bool Cells::are_missed() const {
    return limit_ < 0.0 && bodies_.alive() > FEW_BODIES && close_looks_ > MANY_LOOKS + CLOSE_LOOKS * looks_;
}

// Seen from the middle, and on an open plane with room to go on.
void Cells::begin_straights() {
    const Box* box = obstacles_.box();
    const std::size_t count = std::min(bodies_.size(), Straights::ROOM);
    double left = INFINITE_TIME, bottom = INFINITE_TIME, right = -INFINITE_TIME, top = -INFINITE_TIME;
    double largest = 0.0, fastest = 0.0;
    if (box) {
        left = box->left;
        bottom = box->bottom;
        right = box->right;
        top = box->top;
    }
    for (BodyId id = 0; id < count; ++id) {
        const Hot& hot = bodies_.hot(id);
        if (bodies_[id].is_gone || !hot.is_plain) continue;
        const Vec at = bodies_.place(hot);
        left = std::min(left, at.x);
        right = std::max(right, at.x);
        bottom = std::min(bottom, at.y);
        top = std::max(top, at.y);
        largest = std::max(largest, hot.radius);
        fastest = std::max(fastest, length({hot.vx, hot.vy}));
    }
    const double across = std::max({right - left, top - bottom, 4.0 * largest, 0.0});
    const Vec middle = left <= right ? Vec{0.5 * (left + right), 0.5 * (bottom + top)} : Vec{};
    straights_.begin(bodies_.now, middle, (box ? 0.5 : 1.0) * across * (1.0 + 1e-9), fastest);
    for (BodyId id = 0; id < count; ++id) show_to_all(id);
}

bool Cells::find_straight(BodyId id, Grid::Found& close) {
    const std::size_t count = bodies_.size();
    if (limit_ >= 0.0 || count > Straights::ROOM || !bodies_.hot(id).is_plain) return false;
    ++looks_;
    if (!straights_.holds(bodies_.now)) begin_straights();
    if (!straights_.holds(bodies_.now)) return false;
    std::uint64_t found[Straights::ROOM / 64];
    straights_.find(id, count, bodies_.now, found);
    close.clear();
    for (BodyId first = 0; first < count; first += 64)
        for (std::uint64_t left = found[first / 64]; left; left &= left - 1)
            close.push(first + static_cast<BodyId>(std::countr_zero(left)));
    return true;
}

// What all others see of a body.
void Cells::show_to_all(BodyId id) {
    const Hot& hot = bodies_.hot(id);
    if (bodies_[id].is_gone)
        straights_.forget(id);
    else if (hot.is_plain)
        straights_.set(id, bodies_.now, bodies_.place(hot), {hot.vx, hot.vy}, hot.radius,
                       std::min(bodies_[id].contact, hot.until));
    else
        straights_.set_other(id);
}

void Cells::file_fixed() {
    for (std::uint32_t part = 0; part < obstacles_.size(); ++part)
        if (obstacles_[part].obstacle != BORDER || obstacles_[part].region >= 0) file(part);
}

// Files a part under each cell from which a body could touch it, row by row.
void Cells::file(std::uint32_t part) {
    const Capsule& capsule = obstacles_[part].capsule;
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

const std::vector<std::uint32_t>* Cells::fixed_in(std::int32_t ix, std::int32_t iy) const {
    if (by_cell_.empty()) return nullptr;
    const auto found = by_cell_.find(key_of(ix, iy));
    return found == by_cell_.end() ? nullptr : &found->second;
}

void Cells::insert(BodyId id) {
    if (bodies_.hot(id).radius > limit_) {
        large_.push_back(id);
    } else {
        grid_.reserve(bodies_.size());
        const Vec at = bodies_.pose(id).at;
        grid_.insert(id, {grid_.index(at.x), grid_.index(at.y)});
    }
    // Twice as many bodies: narrower cells pay again.
    if (bodies_.alive() > 2 * std::max<std::size_t>(shaped_for_, FEW_BODIES / 2) ||
        (limit_ < 0.0 && bodies_.alive() > SOME_BODIES))
        is_shaped_ = false;
}

void Cells::remove(BodyId id) {
    if (grid_.holds(id)) grid_.remove(id);
    std::erase(large_, id);
}

}  // namespace kumi
