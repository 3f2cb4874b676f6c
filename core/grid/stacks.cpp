// A* for 4 neighbours and moves of length 1, without a heap.
//
// With the distance along rows and columns as the estimate, a move towards the goal leaves the estimated total as
// it is, and any other raises it by 2. So two stacks hold all open cells: those of the present total, and those
// of the next. In clutter, where jumps are short, this is the faster search.
#include <algorithm>

#include "grid/search.hpp"

namespace kumi::grid {

End stack_search(const Bits& bits, Cell start, Cell goal, std::size_t budget, Slate& slate, Found& found) {
    if (slate.past > 1u << 31) slate.lengths = Zeros<std::uint32_t>(bits.places()), slate.past = 0;
    // The length of the best known way to a place, counted from `origin`; less than that where none is known.
    Zeros<std::uint32_t>& length = slate.lengths;
    const std::uint32_t origin = slate.past + 1;
    Cells now{start}, later;
    length[bits.place(start)] = origin;
    const auto away = [&](Cell cell) {
        return static_cast<std::uint32_t>(std::abs(goal.row - cell.row) +
                                          std::abs(goal.column - cell.column));
    };
    std::uint32_t total = away(start) + origin;
    slate.past = total + 2;
    Clock clock;
    bool there = start == goal;
    const auto look = [&](Cell cell, std::uint32_t next, bool nearer) {
        if (bits.blocked(cell)) return;
        std::uint32_t& known = length[bits.place(cell)];
        if (known >= origin && known <= next) return;
        known = next;
        (nearer ? now : later).push_back(cell);
    };
    while (!there) {
        if (now.empty()) {
            if (later.empty()) return End::none;
            now.swap(later);
            total += 2;
            slate.past = total + 2;
        }
        const Cell at = now.back();
        now.pop_back();
        clock.tick();
        if (!budget--) return End::gave_up;
        const std::uint32_t here = length[bits.place(at)];
        if (here + away(at) != total) continue;  // a shorter way has been found since
        there = at == goal;
        const auto [r, c] = at;
        look({r, c + 1}, here + 1, c < goal.column);
        look({r + 1, c}, here + 1, r < goal.row);
        look({r, c - 1}, here + 1, c > goal.column);
        look({r - 1, c}, here + 1, r > goal.row);
    }
    found.straight = length[bits.place(goal)] - origin;
    found.cells.reserve(static_cast<std::size_t>(found.straight) + 1);
    Cell at = goal;
    for (std::uint32_t left = length[bits.place(goal)];; --left) {
        found.cells.push_back(at);
        if (at == start) break;
        const auto [r, c] = at;
        for (const Cell cell : {Cell{r, c - 1}, Cell{r - 1, c}, Cell{r, c + 1}, Cell{r + 1, c}})
            if (bits.has(cell) && length[bits.place(cell)] == left - 1) {
                at = cell;
                break;
            }
    }
    std::reverse(found.cells.begin(), found.cells.end());
    return End::found;
}

}  // namespace kumi::grid
