#include "grid/lines.hpp"

#include <algorithm>
#include <limits>

#include "numbers/elementary.hpp"

namespace kumi {
namespace grid {

namespace {

constexpr std::size_t LARGEST_BLOCK = 64, LEAST_BLOCK = 4;
constexpr double NONE = std::numeric_limits<double>::infinity();

Vec foot(const Line& line, Vec place) {
    const Vec along = line.end - line.start, away = place - line.start;
    const double whole = square(along);
    const double share = dot(away, along) / (whole > 0.0 ? whole : 1.0);
    return line.start + std::min(std::max(share, 0.0), 1.0) * along;
}

double gap(const Line& line, Vec place) {
    const Vec off = place - foot(line, place);
    return maths::hypot(off.x, off.y) - line.radius;
}

}  // namespace

namespace {

// What is looked at together: columns and rows from the first up to but without the last.
struct Part {
    std::size_t left, top, right, bottom;
};

struct Search {
    const double *xs, *ys;
    std::size_t columns;
    double *distance, *nearest;

    void look(const Part& part, const std::vector<const Line*>& lines) const {
        for (std::size_t row = part.top; row < part.bottom; ++row)
            for (std::size_t column = part.left; column < part.right; ++column) {
                const Vec place{xs[column], ys[row]};
                const std::size_t at = row * columns + column;
                distance[at] = NONE;
                const Line* best = nullptr;
                for (const Line* line : lines) {
                    const double here = gap(*line, place);
                    if (here < distance[at]) distance[at] = here, best = line;
                }
                const Vec there = best ? foot(*best, place) : Vec{NONE, NONE};
                nearest[2 * at] = there.x, nearest[2 * at + 1] = there.y;
            }
    }

    // Looks at blocks of a side, and in each at smaller ones.
    void divide(const Part& part, const std::vector<const Line*>& lines, std::size_t side) const {
        if (side < LEAST_BLOCK || lines.size() <= 1) return look(part, lines);
        std::vector<double> gaps(lines.size());
        std::vector<const Line*> near;
        for (std::size_t top = part.top; top < part.bottom; top += side)
            for (std::size_t left = part.left; left < part.right; left += side) {
                const Part block{left, top, std::min(part.right, left + side),
                                 std::min(part.bottom, top + side)};
                const Vec low{xs[block.left], ys[block.top]}, high{xs[block.right - 1], ys[block.bottom - 1]};
                const Vec middle = 0.5 * (low + high);
                double least = NONE;
                for (std::size_t i = 0; i < lines.size(); ++i)
                    least = std::min(least, gaps[i] = gap(*lines[i], middle));
                const double reach = least + length(high - low) * (1.0 + 1e-9);
                near.clear();
                for (std::size_t i = 0; i < lines.size(); ++i)
                    if (gaps[i] <= reach) near.push_back(lines[i]);
                divide(block, near, side / 4);
            }
    }
};

}  // namespace

void find_nearest(const std::vector<Line>& lines, const double* xs, std::size_t columns, const double* ys,
                  std::size_t rows, double* distance, double* nearest) {
    std::vector<const Line*> all;
    for (const Line& line : lines) all.push_back(&line);
    Search{xs, ys, columns, distance, nearest}.divide({0, 0, columns, rows}, all, LARGEST_BLOCK);
}

}  // namespace grid
}  // namespace kumi
