// What do beams say about the cells they crossed?
//
// A cell holds evidence: the logarithm of the odds that it is occupied, less that of a cell nobody saw. A beam that
// went through a cell speaks for free, one that ended in it for occupied, in the measure in which its end, with its
// normal error, lies in the cell. Evidence adds up and is cut off at a limit.
//
// Cells lie in tiles of 16 by 16. Many maps (those of the particles of a filter) share one layout, which says what
// number a tile has; a tile that several maps have in common is one tile until one of them writes to it. A cell is
// (column, row), counted from the origin, also below 0: the map grows where it is needed.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "numbers/elementary.hpp"

namespace kumi {
namespace occupancy {

using Evidence = std::int16_t;
constexpr double UNIT = 1.0 / 256.0;  // of evidence, in nats
constexpr int SIDE_BITS = 4, SIDE = 1 << SIDE_BITS;
constexpr double FARTHEST = 1e8;  // cells from the origin

struct Tile {
    int owners = 1;
    std::array<Evidence, SIDE * SIDE> cells{};
};

// A tile with its count of owners.
class TileRef {
  public:
    TileRef() = default;
    TileRef(const TileRef& other) : tile_(other.tile_) {
        if (tile_) ++tile_->owners;
    }
    TileRef(TileRef&& other) noexcept : tile_(std::exchange(other.tile_, nullptr)) {}
    TileRef& operator=(TileRef other) noexcept {
        std::swap(tile_, other.tile_);
        return *this;
    }
    ~TileRef() {
        if (tile_ && --tile_->owners == 0) delete tile_;
    }

    const Tile* get() const { return tile_; }
    Tile* own() {
        if (!tile_) {
            tile_ = new Tile();
        } else if (tile_->owners > 1) {
            Tile* copy = new Tile(*tile_);
            copy->owners = 1;
            --tile_->owners;
            tile_ = copy;
        }
        return tile_;
    }

  private:
    Tile* tile_ = nullptr;
};

// Which number a tile has, by its column and row.
class Layout {
  public:
    int slot(int column, int row) const {
        const int c = column - left_, r = row - bottom_;
        return c >= 0 && r >= 0 && c < width_ && r < height_
                   ? slots_[static_cast<std::size_t>(r) * width_ + c]
                   : -1;
    }
    int slot_or_new(int column, int row);

    // Columns and rows of tiles that have numbers: left, bottom, right, top; the last two are outside.
    std::array<int, 4> bounds() const;
    int count() const { return count_; }

  private:
    int left_ = 0, bottom_ = 0, width_ = 0, height_ = 0, count_ = 0;
    std::vector<int> slots_;
};

// The evidence of one map.
class Layer {
  public:
    const Tile* tile(int slot) const {
        return slot >= 0 && slot < static_cast<int>(tiles_.size()) ? tiles_[slot].get() : nullptr;
    }
    Tile* own(int slot) {
        if (slot >= static_cast<int>(tiles_.size())) tiles_.resize(slot + 1);
        return tiles_[slot].own();
    }
    Evidence at(const Layout& layout, int column, int row) const;

  private:
    std::vector<TileRef> tiles_;
};

// How a range finder errs, and what its readings weigh.
struct Beams {
    double cell = 0.05;       // metres
    double reach = 0.8;       // metres
    double min_reach = 0.1;   // metres; what reads so near, or nearer, says nothing
    double deviation = 0.01;  // metres, of a reading
    double share = 0.02;      // of a reading, added to the deviation
    double hit = 2.0;         // evidence of a beam that ends in a cell, in nats
    double miss = 0.6;        // evidence of a beam that crosses a cell from side to side, in nats
    double most = 6.0;        // evidence a cell can have, in nats
    double prior = 0.06;      // how likely a cell that nobody saw stops a beam
    double stray = 0.05;      // how likely a reading has nothing to do with the map
    double spread(double range) const { return deviation + share * range; }
};

// A sensor on a body: its place ahead and to the left of the body's origin, and the unit vector along its beam.
struct Mount {
    double x, y, dx, dy;
};

struct Place {
    double x, y, heading;
};

// Where a beam leaves, and the unit vector along it.
struct Eye {
    double x, y, dx, dy;
};

// Visits the cells along a ray in order: visit(column, row, enter, leave) with distances in metres; false ends it.
template <typename Visit> void walk(const Eye& eye, double length, double cell, Visit visit) {
    const auto [x, y, dx, dy] = eye;
    if (!(std::fabs(x) < FARTHEST * cell && std::fabs(y) < FARTHEST * cell)) return;
    int column = static_cast<int>(std::floor(x / cell)), row = static_cast<int>(std::floor(y / cell));
    const int step_x = dx > 0 ? 1 : -1, step_y = dy > 0 ? 1 : -1;
    constexpr double NEVER = 1e300;
    const double per_x = dx != 0.0 ? cell / std::fabs(dx) : NEVER,
                 per_y = dy != 0.0 ? cell / std::fabs(dy) : NEVER;
    double next_x = dx != 0.0 ? ((column + (dx > 0)) * cell - x) / dx : NEVER;
    double next_y = dy != 0.0 ? ((row + (dy > 0)) * cell - y) / dy : NEVER;
    double enter = 0.0;
    while (enter < length) {
        const bool across = next_x < next_y;
        const double leave = across ? next_x : next_y;
        if (leave > enter && !visit(column, row, enter, leave)) return;
        enter = leave;
        if (across) {
            column += step_x;
            next_x += per_x;
        } else {
            row += step_y;
            next_y += per_y;
        }
    }
}

// Adds what a reading says; an infinite range is a beam that met nothing within reach, NaN no reading.
void add_beam(Layout& layout, Layer& layer, const Beams& beams, const Eye& eye, double range);

// How likely cells of each evidence stop a beam.
class Odds {
  public:
    explicit Odds(const Beams& beams);
    double operator[](int evidence) const {
        const int at = evidence + limit_;
        return stops_[at < 0 ? 0 : at > 2 * limit_ ? 2 * limit_ : at];
    }

  private:
    int limit_;
    std::vector<float> stops_;
};

// The density of a reading at a place on a map, times a metre. `shared` adds evidence of other maps; may be null.
double likelihood(const Layout& layout, const Layer& layer, const Layer* shared, const Beams& beams,
                  const Odds& odds, const Eye& eye, double range);

// Calls with each beam's number and eye, for a body at a place.
template <typename Call> void each_eye(const std::vector<Mount>& mounts, const Place& body, Call call) {
    const double c = maths::cos(body.heading), s = maths::sin(body.heading);
    for (std::size_t i = 0; i < mounts.size(); ++i) {
        const Mount& m = mounts[i];
        call(i, Eye{body.x + c * m.x - s * m.y, body.y + s * m.x + c * m.y, c * m.dx - s * m.dy,
                    s * m.dx + c * m.dy});
    }
}

}  // namespace occupancy
}  // namespace kumi
