#include "mapping/matching.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kumi {
namespace matching {

namespace {

constexpr double FARTHEST = 1e9;  // cells

// Calls with the column and the row of each point; what is not a place on the plane is left out.
template <typename Call> void each_cell(const Points& points, Call call) {
    for (std::size_t i = 0; i < points.count; ++i) {
        const double x = points.at[2 * i], y = points.at[2 * i + 1];
        const double column = std::floor(x * points.cosine + y * -points.sine),
                     row = std::floor(x * points.sine + y * points.cosine);
        if (std::abs(column) < FARTHEST && std::abs(row) < FARTHEST)
            call(static_cast<std::ptrdiff_t>(column), static_cast<std::ptrdiff_t>(row));
    }
}

std::ptrdiff_t floored(std::ptrdiff_t number, std::ptrdiff_t by) {
    return number >= 0 ? number / by : -((-number + by - 1) / by);
}

}  // namespace

void count_points(const Points& points, int side, Size size, double* counts) {
    each_cell(points, [&](std::ptrdiff_t column, std::ptrdiff_t row) {
        std::ptrdiff_t c = floored(column, side) % size.columns, r = floored(row, side) % size.rows;
        if (c < 0) c += size.columns;
        if (r < 0) r += size.rows;
        counts[r * size.columns + c] += 1.0;
    });
}

void add_scores(const Points& points, const std::int16_t* gains, Size size, std::ptrdiff_t first_row,
                std::ptrdiff_t first_column, std::int64_t* scores) {
    // Sums of 16 bits fit into 32 for as many points; then they are added up.
    constexpr int MOST = 1 << 15;
    std::array<std::int32_t, WINDOW * WINDOW> part{};
    int count = 0;
    const auto add_up = [&] {
        for (std::size_t i = 0; i < part.size(); ++i) scores[i] += part[i];
        part = {};
        count = 0;
    };
    each_cell(points, [&](std::ptrdiff_t column, std::ptrdiff_t row) {
        const std::ptrdiff_t r = row + first_row + WINDOW, c = column + first_column + WINDOW;
        if (r < 0 || c < 0 || r + WINDOW > size.rows || c + WINDOW > size.columns) return;
        const std::int16_t* from = gains + r * size.columns + c;
        std::int32_t* to = part.data();
        for (int y = 0; y < WINDOW; ++y, from += size.columns, to += WINDOW)
            for (int x = 0; x < WINDOW; ++x) to[x] += from[x];
        if (++count == MOST) add_up();
    });
    add_up();
}

double sum_worth(const Points& points, Shift before, Shift after, Shift corner, const double* worth,
                 Size size) {
    double sum = 0.0;
    const double last_column = static_cast<double>(size.columns - 1),
                 last_row = static_cast<double>(size.rows - 1);
    for (std::size_t i = 0; i < points.count; ++i) {
        const double px = points.at[2 * i] - before.x, py = points.at[2 * i + 1] - before.y;
        const double x = px * points.cosine + py * -points.sine + after.x - corner.x,
                     y = px * points.sine + py * points.cosine + after.y - corner.y;
        const double column = std::floor(x), row = std::floor(y);
        if (!(column >= 0.0 && row >= 0.0 && column < last_column && row < last_row)) continue;
        const double u = x - column, v = y - row;
        const double* at =
            worth + static_cast<std::ptrdiff_t>(row) * size.columns + static_cast<std::ptrdiff_t>(column);
        sum += (1 - u) * (1 - v) * at[0] + u * (1 - v) * at[1] + (1 - u) * v * at[size.columns] +
               u * v * at[size.columns + 1];
    }
    return sum;
}

}  // namespace matching
}  // namespace kumi
