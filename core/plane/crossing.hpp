// When does a body leave its cell, and which comes next?
//
// For the cells in which bodies look for contacts, and for those of watches.
#pragma once

#include "numbers/two.hpp"
#include "plane/bodies.hpp"
#include "plane/grid.hpp"

#include <algorithm>

namespace kumi {

constexpr double OVERHANG = 0.125;  // of a cell: how far a body on a curved way may be outside its own

inline Grid::Link beyond(const Grid::Link& link, Side side) {
    constexpr Grid::Link steps[] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const Grid::Link& step = steps[static_cast<int>(side)];
    return {link.ix + step.ix, link.iy + step.iy};
}

// The side by which one comes from a cell into the next; none if that is not next to it.
inline Side side_towards(const Grid::Link& from, const Grid::Link& to) {
    for (Side side : {Side::left, Side::right, Side::bottom, Side::top})
        if (beyond(from, side) == to) return side;
    return Side::none;
}

// When a body on a straight way leaves its cell, and by which side; both ways at once, and without a question that the
// processor would guess wrong.
inline double straight_cell_end(const Hot& hot, double now, const Grid& grid, const Grid::Link& link,
                                Side& side) {
    const Two speed = both(hot.vx, hot.vy), at = both(hot.x, hot.y) + speed * both(now - hot.since);
    const unsigned onwards = bits_of(is_less(both(0.0), speed));
    const int is_right = onwards & 1, is_up = onwards >> 1;
    const Two border = both(grid.low(link.ix + is_right), grid.low(link.iy + is_up));
    const Two way = (border - at) / speed;
    double wait = hot.vx != 0.0 ? way[0] : INFINITE_TIME, wait_up = hot.vy != 0.0 ? way[1] : INFINITE_TIME;
    if (Grid::is_outermost(link)) [[unlikely]] {
        if (Grid::is_last(link.ix, is_right)) wait = INFINITE_TIME;
        if (Grid::is_last(link.iy, is_up)) wait_up = INFINITE_TIME;
    }
    const int is_by_row = wait_up < wait, leaves = is_by_row | (wait < INFINITE_TIME);
    const int is_onwards = is_right ^ ((is_right ^ is_up) & -is_by_row);
    side = static_cast<Side>(leaves + (leaves & is_onwards) + 2 * is_by_row);
    return now + std::max(0.0, std::min(wait, wait_up));
}

// When the next stretch of a bend without end is to be looked at; never for all else.
inline double stretch_end(const Hot& hot) { return hot.is_stretch() ? hot.until : INFINITE_TIME; }

inline double cell_end(const Bodies& bodies, BodyId id, const Grid& grid, Side& side) {
    side = Side::none;
    const Hot& hot = bodies.hot(id);
    if (!grid.holds(id)) return stretch_end(hot);
    const Grid::Link& link = grid.link(id);
    if (hot.is_simple) return straight_cell_end(hot, bodies.now, grid, link, side);
    if (!bodies[id].piece.moves()) return INFINITE_TIME;
    const double over = OVERHANG * grid.cell;
    if (hot.is_stretch() && hot.until < INFINITE_TIME) {  // seldom is it about to leave
        const Vec from = bodies.place(hot), to = from + Vec{hot.vx, hot.vy} * (hot.until - bodies.now);
        const double margin = over - hot.aside();
        if ((std::max(from.x, to.x) <= grid.high(link.ix) + margin) &
            (std::min(from.x, to.x) >= grid.low(link.ix) - margin) &
            (std::max(from.y, to.y) <= grid.high(link.iy) + margin) &
            (std::min(from.y, to.y) >= grid.low(link.iy) - margin))
            return hot.until;
    }
    const Vec at = bodies.pose(id).at;
    const double room = std::min(std::min(grid.high(link.ix) - at.x, at.x - grid.low(link.ix)),
                                 std::min(grid.high(link.iy) - at.y, at.y - grid.low(link.iy))) +
                        over;
    const double top = bodies.course(id).top_speed();
    return top > 0.0 ? std::min(bodies.now + std::max(0.0, room) / top, stretch_end(hot)) : INFINITE_TIME;
}

// The cell that a body comes into: the next on its straight way, or on a curved one the cell it is in.
inline Grid::Link next_cell(const Bodies& bodies, BodyId id, const Grid& grid, Side side) {
    if (side != Side::none) return beyond(grid.link(id), side);
    const Vec at = bodies.pose(id).at;
    return {grid.index(at.x), grid.index(at.y)};
}

}  // namespace kumi
