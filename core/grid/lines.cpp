#include "grid/lines.hpp"

#include <algorithm>
#include <limits>

#include "numbers/elementary.hpp"

namespace kumi {
namespace grid {

namespace {

constexpr std::size_t BLOCK = 16;
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

void find_nearest(const std::vector<Line>& lines, const double* xs, std::size_t columns, const double* ys,
                  std::size_t rows, double* distance, double* nearest) {
    std::vector<double> gaps(lines.size());
    std::vector<const Line*> near;
    for (std::size_t top = 0; top < rows; top += BLOCK)
        for (std::size_t left = 0; left < columns; left += BLOCK) {
            const std::size_t last_row = std::min(rows, top + BLOCK),
                              last_column = std::min(columns, left + BLOCK);
            const Vec low{xs[left], ys[top]}, high{xs[last_column - 1], ys[last_row - 1]};
            const Vec middle = 0.5 * (low + high);
            double least = NONE;
            for (std::size_t i = 0; i < lines.size(); ++i)
                least = std::min(least, gaps[i] = gap(lines[i], middle));
            const double reach = least + length(high - low) * (1.0 + 1e-9);
            near.clear();
            for (std::size_t i = 0; i < lines.size(); ++i)
                if (gaps[i] <= reach) near.push_back(&lines[i]);
            for (std::size_t row = top; row < last_row; ++row)
                for (std::size_t column = left; column < last_column; ++column) {
                    const Vec place{xs[column], ys[row]};
                    const std::size_t at = row * columns + column;
                    distance[at] = NONE;
                    const Line* best = nullptr;
                    for (const Line* line : near) {
                        const double here = gap(*line, place);
                        if (here < distance[at]) distance[at] = here, best = line;
                    }
                    const Vec there = best ? foot(*best, place) : Vec{NONE, NONE};
                    nearest[2 * at] = there.x, nearest[2 * at + 1] = there.y;
                }
        }
}

}  // namespace grid
}  // namespace kumi
