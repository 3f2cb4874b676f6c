// What hangs together on a grid, and how many moves is it from a cell?
#pragma once

#include <cstdint>
#include <vector>

namespace kumi {
namespace grid {

// The number of moves along rows and columns from a place to each cell that is not 0; -1 where none lead.
std::vector<std::int32_t> count_moves(const std::uint8_t* cells, int rows, int columns, int row, int column);

// A number from 1 on for each set of cells, not 0, that hang together, also across corners, in the order of their first cells;
// 0 elsewhere.
std::vector<std::int32_t> label(const std::uint8_t* cells, int rows, int columns);

}  // namespace grid
}  // namespace kumi
