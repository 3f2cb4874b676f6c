// Shortest ways at any angle: beams of sight from corner to corner, in the manner of Anya (Harabor, Grastien, Öz & Aksakalli
// 2016).
//
// A shortest way among blocked cells is a chain of segments that bends only at corners of blocked cells, each time
// around the cell. A root is such a corner, or the start; from it a beam, all lines between two slopes in one quadrant,
// crosses the rows of cells one by one. What a row leaves free splits the beam, and where a beam touches a corner that it
// could bend around, the corner is the next root. Beams wait in a queue by a lower bound of the ways through them.
//
// A corner with one blocked cell of four is all that a way bends around: two blocked cells side by side are a straight
// wall, three leave no room to bend, and between two that touch in a corner no way passes. Of ways to a corner the
// shortest is kept; of two as short either will do, as both may be continued wherever a shortest way goes on.
//
// Lines of the map lie at whole numbers, centres of cells between them. Slopes are columns per row, quotients of two
// small numbers, which compare as the fractions do: two that differ do so by more than a rounded quotient can hide. Only
// where a beam is cut short because it is overtaken its slope is any number; what lies so near is not needed there.
#include "grid/beams.hpp"

namespace kumi::grid {
namespace {

// How far a beam is followed beyond the present estimate: the less, the closer ways are to the straight line.
double ahead_of(double rise) { return std::min(8.0, 0.1 + 0.5 * rise); }

void follow(Ways& ways, const Beam& beam, double limit) {
    if (beam.root && ways.known(beam.corner.row / 2, beam.corner.column / 2) < beam.length) return;
    if (beam.down > 0)
        beam.right > 0 ? Quadrant<1, 1>(ways, beam, limit).follow()
                       : Quadrant<1, -1>(ways, beam, limit).follow();
    else
        beam.right > 0 ? Quadrant<-1, 1>(ways, beam, limit).follow()
                       : Quadrant<-1, -1>(ways, beam, limit).follow();
}

bool is_straight(Cell one, Cell middle, Cell other) {
    return static_cast<std::int64_t>(middle.row - one.row) * (other.column - one.column) ==
           static_cast<std::int64_t>(middle.column - one.column) * (other.row - one.row);
}

Places trace(const Ways& ways) {
    Places places{{2 * ways.goal.row + 1, 2 * ways.goal.column + 1}};
    for (std::int32_t at = ways.last; at >= 0; at = ways.roots[at].parent) {
        const Cell here = ways.roots[at].place;
        // A corner on the straight line is none.
        while (places.size() >= 2 && is_straight(places[places.size() - 2], places.back(), here))
            places.pop_back();
        places.push_back(here);
    }
    std::reverse(places.begin(), places.end());
    return places;
}

}  // namespace

// The cells are visited in order along the segment, compared in whole numbers. Through a corner of four cells it
// may pass only where both cells beside it are free.
bool sees(const Bits& bits, Cell from, Cell to) {
    const std::int64_t high = std::abs(to.row - from.row), wide = std::abs(to.column - from.column);
    const int down = to.row > from.row ? 1 : -1, right = to.column > from.column ? 1 : -1;
    Cell at = from;
    std::int64_t rows = 0, columns = 0;  // borders crossed so far
    while (!bits.blocked(at)) {
        if (at == to) return true;
        // The next border of a row lies at (2 rows + 1) / 2 high of the way, that of a column likewise.
        const std::int64_t order = (2 * rows + 1) * wide - (2 * columns + 1) * high;
        if (order == 0 && (bits.blocked(at.row + down, at.column) || bits.blocked(at.row, at.column + right)))
            return false;
        if (order <= 0) at.row += down, ++rows;
        if (order >= 0) at.column += right, ++columns;
    }
    return false;
}

Places any_angle(const Bits& bits, Cell start, Cell goal) {
    const Cell place{2 * start.row + 1, 2 * start.column + 1};
    if (start == goal) return {place, place};
    Ways ways(bits, start, goal);
    ways.roots.push_back({place, -1});
    for (const std::int8_t down : {1, -1})
        for (const std::int8_t right : {1, -1})
            ways.queue.push(ways.first, {{start.row, NO_WALL, 0.0, ENDLESS}, place, 0.0, 0, down, right});
    while (!ways.queue.empty() && ways.queue.least() < ways.best) {
        const auto [estimate, beam] = ways.queue.pop();
        if (estimate < ways.best) follow(ways, beam, estimate + ahead_of(estimate - ways.first));
    }
    return ways.best < ENDLESS ? trace(ways) : Places{};
}

}  // namespace kumi::grid
