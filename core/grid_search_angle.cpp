// Ways of any angle from cell to cell: Lazy Theta* (Nash, Koenig & Tovey 2010).
//
// A cell's parent is any cell that sees it, not only a neighbour. Whether it does is looked up late, when the cell
// is taken up. The way is short, but not always the shortest.
#include <algorithm>

#include "grid_search.hpp"

namespace kumi::grid {
namespace {

struct Entry {
    double estimate;
    std::uint32_t place, order;
    bool operator<(const Entry& other) const {
        return estimate != other.estimate ? estimate > other.estimate : order < other.order;
    }
};

double distance(Cell a, Cell b) { return std::hypot(a.row - b.row, a.column - b.column); }

class Angles {
public:
    Angles(const Bits& bits, Cell start, Cell goal)
        : bits_(bits), goal_(goal), known_(bits.places()), parent_(bits.places()), closed_(bits.places()) {
        open(start, start, 1.0);
    }

    Cells run() {
        while (!heap_.empty()) {
            const Cell at = cell(heap_.front().place);
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.pop_back();
            if (closed_[bits_.place(at)]) continue;
            clock_.tick();
            settle(at);
            closed_[bits_.place(at)] = 1;
            if (at == goal_) return trace();
            const Cell parent = cell(parent_[bits_.place(at)]);
            each_neighbour(at, [&](Cell to) {
                if (closed_[bits_.place(to)]) return;
                const double cost = known_[bits_.place(parent)] + distance(parent, to);
                const double before = known_[bits_.place(to)];
                if (before == 0.0 || cost < before) open(to, parent, cost);
            });
        }
        return {};
    }

private:
    Cell cell(std::uint32_t place) const {
        return {static_cast<int>(place / bits_.span()), static_cast<int>(place % bits_.span())};
    }

    template <typename Visit>
    void each_neighbour(Cell at, Visit visit) const {
        for (int down = -1; down <= 1; ++down)
            for (int right = -1; right <= 1; ++right) {
                const Cell to{at.row + down, at.column + right};
                if (to == at || bits_.blocked(to)) continue;
                if (down && right && (bits_.blocked(at.row, to.column) || bits_.blocked(to.row, at.column))) continue;
                visit(to);
            }
    }

    // When the parent does not see the cell after all, the best closed neighbour takes its place.
    void settle(Cell at) {
        const std::size_t here = bits_.place(at);
        if (sees(bits_, cell(parent_[here]), at)) return;
        known_[here] = 0.0;
        each_neighbour(at, [&](Cell from) {
            if (!closed_[bits_.place(from)]) return;
            const double cost = known_[bits_.place(from)] + distance(from, at);
            if (known_[here] != 0.0 && cost >= known_[here]) return;
            known_[here] = cost;
            parent_[here] = static_cast<std::uint32_t>(bits_.place(from));
        });
    }

    void open(Cell at, Cell parent, double cost) {
        const std::size_t here = bits_.place(at);
        known_[here] = cost;
        parent_[here] = static_cast<std::uint32_t>(bits_.place(parent));
        heap_.push_back({cost + distance(at, goal_), static_cast<std::uint32_t>(here), order_++});
        std::push_heap(heap_.begin(), heap_.end());
    }

    Cells trace() const {
        Cells cells{goal_};
        for (Cell at = goal_;;) {
            const Cell from = cell(parent_[bits_.place(at)]);
            if (from == at) break;
            cells.push_back(at = from);
        }
        std::reverse(cells.begin(), cells.end());
        return cells;
    }

    const Bits& bits_;
    Cell goal_;
    Zeros<double> known_;
    Zeros<std::uint32_t> parent_;
    Zeros<std::uint8_t> closed_;
    std::vector<Entry> heap_;
    std::uint32_t order_ = 0;
    Clock clock_;
};

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
        if (order == 0 && (bits.blocked(at.row + down, at.column) || bits.blocked(at.row, at.column + right))) return false;
        if (order <= 0) at.row += down, ++rows;
        if (order >= 0) at.column += right, ++columns;
    }
    return false;
}

Cells pulled(const Bits& bits, const Cells& cells) {
    Cells kept;
    for (const Cell cell : cells) {
        // From the one before the last: the last is needed only where that one does not see this cell.
        while (kept.size() >= 2 && sees(bits, kept[kept.size() - 2], cell)) kept.pop_back();
        kept.push_back(cell);
    }
    return kept;
}

Cells any_angle(const Bits& bits, Cell start, Cell goal) { return Angles(bits, start, goal).run(); }

}  // namespace kumi::grid
