// How far is each of a grid of places from the nearest of some lines?
#pragma once

#include <cstddef>
#include <vector>

#include "numbers/vec.hpp"

namespace kumi {
namespace grid {

// A straight line with a rim all around.
struct Line {
    Vec start, end;
    double radius;
};

// Sets for each place its distance from the nearest line, the first of equals, and the nearest point of that line's middle;
// both infinite where there is none. Places are counted along the rows, block by block: what is farther from the middle of a
// block than the nearest line by more than the block is wide is nearest to none of its places.
void find_nearest(const std::vector<Line>& lines, const double* xs, std::size_t columns, const double* ys,
                  std::size_t rows, double* distance, double* nearest);

}  // namespace grid
}  // namespace kumi
