// Which discs, and which walls, are near each of many?
//
// Discs lie in a grid of cells as wide as the reach, sorted by cell. For a few discs all are compared. The answer is the same
// either way: by distance, and at one distance by number.
#pragma once

#include <cstddef>
#include <vector>

#include "numbers/vec.hpp"

namespace kumi::avoidance {

// All points within `radius` of a line between two places.
struct Wall {
    Vec start, end;
    double radius;
};

inline Vec nearest_on(const Wall& wall, Vec at) {
    const Vec way = wall.end - wall.start;
    const double size = square(way);
    if (size == 0.0) return wall.start;
    const double share = dot(at - wall.start, way) / size;
    return share <= 0.0 ? wall.start : share >= 1.0 ? wall.end : wall.start + way * share;
}

struct Near {
    double square;
    std::size_t number;

    bool operator<(const Near& o) const {
        return square < o.square || (square == o.square && number < o.number);
    }
};

class Neighbourhood {
  public:
    // `radii` are those of the discs, added to the reach: a disc is near where its edge is.
    Neighbourhood(const Vec* places, const double* radii, std::size_t count, double reach);

    // Those near a place, at most so many, the nearest first; without the disc of a number.
    void find(Vec at, std::size_t without, std::size_t most, std::vector<Near>& found) const;

  private:
    long column(double x) const;
    long row(double y) const;
    void look(Vec at, std::size_t number, std::size_t without, std::size_t most,
              std::vector<Near>& found) const;

    const Vec* places_;
    const double* radii_;
    std::size_t count_;
    double reach_, largest_ = 0.0, side_ = 0.0;
    Vec corner_;
    long columns_ = 0, rows_ = 0;
    std::vector<std::size_t> starts_, order_;
};

// The walls whose surface may be within the reach of a place, by number. Cells hold the walls whose box, widened by the reach, meets
// them.
class Walls {
  public:
    Walls(const std::vector<Wall>& walls, double reach);

    template <typename Visit> void near(Vec at, const Visit& visit) const {
        if (lists_.empty()) {
            for (const Wall& wall : walls_) visit(wall);
            return;
        }
        const Vec off = at - corner_;
        if (!(off.x >= 0.0 && off.y >= 0.0)) return;
        const double column = off.x / side_, row = off.y / side_;
        if (!(column < columns_ && row < rows_)) return;
        const std::size_t cell = static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                                 static_cast<std::size_t>(column);
        for (std::size_t number : lists_[cell]) visit(walls_[number]);
    }

  private:
    const std::vector<Wall>& walls_;
    Vec corner_;
    double side_ = 0.0, columns_ = 0.0, rows_ = 0.0;
    std::vector<std::vector<std::size_t>> lists_;
};

}  // namespace kumi::avoidance
