#include "mapping/occupancy.hpp"
#include "numbers/elementary.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace kumi {
namespace occupancy {

namespace {
constexpr double MOST_TILES = 1 << 24;
}

int Layout::slot_or_new(int column, int row) {
    const int known = slot(column, row);
    if (known >= 0) return known;
    const int c = column - left_, r = row - bottom_;
    if (c < 0 || r < 0 || c >= width_ || r >= height_) {
        constexpr int MARGIN = 4;
        const int left = count_ ? std::min(left_, column - MARGIN) : column - MARGIN;
        const int bottom = count_ ? std::min(bottom_, row - MARGIN) : row - MARGIN;
        const int right = count_ ? std::max(left_ + width_, column + MARGIN + 1) : column + MARGIN + 1;
        const int top = count_ ? std::max(bottom_ + height_, row + MARGIN + 1) : row + MARGIN + 1;
        if ((static_cast<double>(right) - left) * (static_cast<double>(top) - bottom) > MOST_TILES)
            throw std::length_error(
                "a map has at most 16 million tiles of 16 by 16 cells; is a place far from all others?");
        std::vector<int> wider(static_cast<std::size_t>(right - left) * (top - bottom), -1);
        for (int y = 0; y < height_; ++y)
            for (int x = 0; x < width_; ++x)
                wider[static_cast<std::size_t>(y + bottom_ - bottom) * (right - left) + (x + left_ - left)] =
                    slots_[static_cast<std::size_t>(y) * width_ + x];
        left_ = left, bottom_ = bottom, width_ = right - left, height_ = top - bottom;
        slots_ = std::move(wider);
    }
    return slots_[static_cast<std::size_t>(row - bottom_) * width_ + (column - left_)] = count_++;
}

std::array<int, 4> Layout::bounds() const {
    int left = std::numeric_limits<int>::max(), bottom = left, right = std::numeric_limits<int>::min(),
        top = right;
    for (int y = 0; y < height_; ++y)
        for (int x = 0; x < width_; ++x)
            if (slots_[static_cast<std::size_t>(y) * width_ + x] >= 0) {
                left = std::min(left, x + left_), right = std::max(right, x + left_ + 1);
                bottom = std::min(bottom, y + bottom_), top = std::max(top, y + bottom_ + 1);
            }
    return count_ ? std::array<int, 4>{left, bottom, right, top} : std::array<int, 4>{0, 0, 0, 0};
}

namespace {

inline int place_in_tile(int column, int row) {
    return ((row & (SIDE - 1)) << SIDE_BITS) | (column & (SIDE - 1));
}

// Remembers the tile of the cell before, as the next one mostly lies in it, too.
template <typename Found> class Finder {
  public:
    explicit Finder(Found found) : found_(found) {}
    auto operator()(int column, int row) {
        const int c = column >> SIDE_BITS, r = row >> SIDE_BITS;
        if (c != column_ || r != row_ || !is_set_) {
            column_ = c, row_ = r, is_set_ = true;
            tile_ = found_(c, r);
        }
        return tile_;
    }

  private:
    Found found_;
    int column_ = 0, row_ = 0;
    bool is_set_ = false;
    decltype(std::declval<Found>()(0, 0)) tile_{};
};

constexpr double FAR = 3.5;  // standard deviations beyond which the end of a beam is taken not to lie

// The standard normal distribution function and the bell it grows by, from tables: they are asked for millions of times.
class Normal {
  public:
    Normal() {
        for (int i = 0; i <= 2 * HALF; ++i) {
            const double z = static_cast<double>(i - HALF) / STEPS;
            below_[i] = static_cast<float>(0.5 * maths::erfc(-z * 0.70710678118654752440));
            bell_[i] = static_cast<float>(maths::exp(-0.5 * z * z));
        }
    }
    double below(double z) const { return below_[index(z)]; }
    double bell(double z) const { return bell_[index(z)]; }

  private:
    static constexpr int STEPS = 128, HALF = 5 * STEPS;
    static int index(double z) {
        return static_cast<int>(std::clamp(z * STEPS + HALF + 0.5, 0.0, 2.0 * HALF));
    }
    float below_[2 * HALF + 1], bell_[2 * HALF + 1];
};

const Normal NORMAL;

}  // namespace

Evidence Layer::at(const Layout& layout, int column, int row) const {
    const Tile* found = tile(layout.slot(column >> SIDE_BITS, row >> SIDE_BITS));
    return found ? found->cells[place_in_tile(column, row)] : Evidence{0};
}

void add_beam(Layout& layout, Layer& layer, const Beams& beams, const Eye& eye, double range) {
    if (std::isnan(range) || range <= beams.min_reach) return;
    if (!(std::fabs(eye.x) < FARTHEST * beams.cell && std::fabs(eye.y) < FARTHEST * beams.cell))
        throw std::length_error(
            "a map reaches a hundred million cells to each side, and a robot is farther away");
    const bool is_hit = range <= beams.reach;
    const double spread = is_hit ? beams.spread(range) : 0.0;
    const double near = is_hit ? range - FAR * spread : beams.reach,
                 far = is_hit ? range + FAR * spread : beams.reach;
    const double most = beams.most / UNIT;
    Finder own([&](int c, int r) { return layer.own(layout.slot_or_new(c, r)); });
    walk(eye, far, beams.cell, [&](int column, int row, double enter, double leave) {
        // A beam that only cuts a corner off says little about the cell.
        const double crossed = std::min(1.0, (std::min(leave, far) - enter) / beams.cell);
        double says = -beams.miss * crossed;
        if (leave > near && is_hit) {
            const double before = NORMAL.below((enter - range) / spread),
                         within = NORMAL.below((leave - range) / spread) - before;
            says = beams.hit * within - beams.miss * crossed * (1.0 - before - within);
        }
        Evidence& kept = own(column, row)->cells[place_in_tile(column, row)];
        kept = static_cast<Evidence>(std::clamp(kept + std::nearbyint(says / UNIT), -most, most));
        return true;
    });
}

Odds::Odds(const Beams& beams) : limit_(static_cast<int>(2.0 * beams.most / UNIT)), stops_(2 * limit_ + 1) {
    const double prior = maths::log(beams.prior / (1.0 - beams.prior));
    for (int i = -limit_; i <= limit_; ++i)
        stops_[i + limit_] = static_cast<float>(1.0 / (1.0 + maths::exp(-(i * UNIT + prior))));
}

double likelihood(const Layout& layout, const Layer& layer, const Layer* shared, const Beams& beams,
                  const Odds& odds, const Eye& eye, double range) {
    if (std::isnan(range) || range <= beams.min_reach) return 1.0;
    const bool is_hit = range <= beams.reach;
    // A surface may lie anywhere in its cell: that widens the error of the beam.
    const double spread = is_hit ? maths::hypot(beams.spread(range), 0.29 * beams.cell) : 0.0;
    const double near = is_hit ? range - FAR * spread : beams.reach,
                 far = is_hit ? range + FAR * spread : beams.reach;
    struct Pair {
        const Tile *own, *shared;
    };
    Finder find([&](int c, int r) {
        const int slot = layout.slot(c, r);
        return Pair{layer.tile(slot), shared ? shared->tile(slot) : nullptr};
    });
    double passes = 1.0, density = 0.0;
    walk(eye, far, beams.cell, [&](int column, int row, double enter, double leave) {
        const Pair pair = find(column, row);
        const int at = place_in_tile(column, row);
        const int evidence =
            (pair.own ? pair.own->cells[at] : 0) + (pair.shared ? pair.shared->cells[at] : 0);
        const double crossed = std::min(1.0, 2.0 * (std::min(leave, far) - enter) / beams.cell);
        const double stops = odds[evidence] * crossed;
        if (is_hit && leave > near) {
            density += passes * stops * NORMAL.bell((0.5 * (enter + leave) - range) / spread);
        }
        passes *= 1.0 - stops;
        return passes > 1e-4;
    });
    constexpr double ROOT_TAU = 2.50662827463100050242;
    const double stray = beams.stray / beams.reach;
    if (is_hit) return (1.0 - beams.stray) * density / (ROOT_TAU * spread) + stray;
    return (1.0 - beams.stray) * passes + stray;
}

}  // namespace occupancy
}  // namespace kumi
