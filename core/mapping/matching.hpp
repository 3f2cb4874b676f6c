// How well does one map lie on another? The sums that a match of two maps asks for many thousand times.
//
// Points are the middles of cells, counted in cells, and turned about their origin. All sums are of whole numbers, or added
// from the first to the last, so that they are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kumi {
namespace matching {

constexpr int WINDOW = 8;  // shifts to each side that are scored at once

// Points, x and y each, and the cosine and sine of the angle by which they are turned.
struct Points {
    const double* at;
    std::size_t count;
    double cosine, sine;
};

struct Size {
    std::ptrdiff_t rows, columns;
};

// Counts the points that lie in each square of `side` cells; indices wrap around.
void count_points(const Points& points, int side, Size size, double* counts);

// Adds for each of WINDOW by WINDOW shifts, from the first row and column on, what the cells are worth to which it shifts the
// points; cells outside are worth nothing. Around the cells there are WINDOW rows and columns of zeros, which `size` includes.
void add_scores(const Points& points, const std::int16_t* gains, Size size, std::ptrdiff_t row,
                std::ptrdiff_t column, std::int64_t* scores);

struct Shift {
    double x, y;
};

// The sum of what places are worth, between the middles of cells by interpolation: those of points that are shifted, turned,
// and shifted again. The last shift counts from the middle of the first cell.
double sum_worth(const Points& points, Shift before, Shift after, Shift corner, const double* worth,
                 Size size);

}  // namespace matching
}  // namespace kumi
