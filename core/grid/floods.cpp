#include "grid/floods.hpp"

#include <algorithm>
#include <cstddef>

namespace kumi {
namespace grid {

namespace {

struct Place {
    int row, column;
};

// Calls with the places around one, those beside it first.
template <typename Call> void around(Place here, int rows, int columns, bool with_corners, Call call) {
    for (int up = -1; up <= 1; ++up)
        for (int across = -1; across <= 1; ++across) {
            const Place there{here.row + up, here.column + across};
            if ((up == 0) == (across == 0) && (!with_corners || (up == 0 && across == 0))) continue;
            if (there.row >= 0 && there.row < rows && there.column >= 0 && there.column < columns)
                call(there, static_cast<std::size_t>(there.row) * columns + there.column);
        }
}

}  // namespace

std::vector<std::int32_t> count_moves(const std::uint8_t* cells, int rows, int columns, int row, int column) {
    std::vector<std::int32_t> moves(static_cast<std::size_t>(rows) * columns, -1);
    const std::size_t start = static_cast<std::size_t>(row) * columns + column;
    if (!cells[start]) return moves;
    moves[start] = 0;
    std::vector<Place> edge{{row, column}}, next;
    for (std::int32_t count = 1; !edge.empty(); ++count) {
        next.clear();
        for (const Place here : edge)
            around(here, rows, columns, false, [&](Place there, std::size_t at) {
                if (!cells[at] || moves[at] >= 0) return;
                moves[at] = count;
                next.push_back(there);
            });
        std::swap(edge, next);
    }
    return moves;
}

std::vector<std::int32_t> label(const std::uint8_t* cells, int rows, int columns) {
    std::vector<std::int32_t> labels(static_cast<std::size_t>(rows) * columns, 0);
    std::vector<Place> ahead;
    std::int32_t count = 0;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const std::size_t start = static_cast<std::size_t>(row) * columns + column;
            if (!cells[start] || labels[start]) continue;
            labels[start] = ++count;
            ahead.assign(1, {row, column});
            while (!ahead.empty()) {
                const Place here = ahead.back();
                ahead.pop_back();
                around(here, rows, columns, true, [&](Place there, std::size_t at) {
                    if (!cells[at] || labels[at]) return;
                    labels[at] = count;
                    ahead.push_back(there);
                });
            }
        }
    return labels;
}

}  // namespace grid
}  // namespace kumi
