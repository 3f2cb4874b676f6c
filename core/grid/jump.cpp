// Jump point search on rows of bits.
//
// Of the many shortest ways of one cost only one kind is followed: with 8 neighbours diagonal moves come before
// straight ones, with 4 moves along a column before those along a row. A way of that kind turns otherwise only
// behind the corner of an obstacle, so only these corners are kept as nodes; the cells between are passed over
// 64 at a time. Lengths are kept as two whole numbers, straight and diagonal moves, and are exact.
#include <algorithm>
#include <limits>

#include "grid/queue.hpp"
#include "grid/search.hpp"

namespace kumi::grid {
namespace {

enum Way : std::uint8_t { EAST = 1, WEST = 2, SOUTH = 4, NORTH = 8, ALONG_ROW = 3, ALL_WAYS = 15 };

struct Node {
    Cell cell;
    std::int32_t straight, diagonal, parent;
    std::uint8_t open, done;  // ways in which it was reached: to be followed, and followed

    double cost() const { return straight + diagonal * DIAGONAL; }
};

class Jumps {
  public:
    Jumps(const Bits& bits, const Bits* columns, Cell start, Cell goal, std::size_t budget, Slate& slate)
        : bits_(bits),
          columns_(columns),
          goal_(goal),
          budget_(budget),
          index_(slate.nodes),
          queue_(estimate(start, 0, 0), 2.0 * (bits.rows + bits.columns), 0.25) {
        reach(start, 0, 0, -1, ALL_WAYS);
    }
    ~Jumps() {
        for (const Node& node : nodes_) index_[bits_.place(node.cell)] = 0;
    }
    Jumps(const Jumps&) = delete;

    End run(Found& found) {
        while (!queue_.empty() && queue_.least() < best_) {
            const auto [estimate, at, next] = queue_.pop();
            Node& node = nodes_[at];
            if (!node.open || estimate >= best_) continue;  // a shorter way has made it stale
            const std::uint8_t ways = node.open;
            node.done |= ways;
            node.open = 0;
            if (columns_)
                follow_eight(at, ways);
            else
                follow_four(at, ways);
            ++work_;
            if (work_ > budget_) return End::gave_up;
            if (work_ > rest_) rest_ = work_ + (std::size_t{1} << 22), pause();
        }
        if (!index_[bits_.place(goal_)]) return End::none;
        trace(index_[bits_.place(goal_)] - 1, found);
        return End::found;
    }

  private:
    void follow_four(std::int32_t at, std::uint8_t ways) {
        const Node node = nodes_[at];  // a copy: new nodes move the others
        const auto [r, c] = node.cell;
        if (node.parent < 0) ways = ALL_WAYS;
        bool up = node.parent < 0, down = up;
        for (const Way way : {EAST, WEST}) {
            if (!(ways & way)) continue;
            const int behind = way == EAST ? c - 1 : c + 1;
            up |= bits_.blocked(r - 1, behind);
            down |= bits_.blocked(r + 1, behind);
            along_row(r, c, way, node.straight, 0, at);
        }
        if (up) climb(node, -1, at);
        if (down) climb(node, 1, at);
    }

    void climb(const Node& node, int step, std::int32_t at) {
        const int c = node.cell.column;
        std::int32_t straight = node.straight;
        for (int r = node.cell.row + step; !bits_.blocked(r, c); r += step) {
            ++straight;
            if (goal_ == Cell{r, c}) return reach(goal_, straight, 0, at, step > 0 ? SOUTH : NORTH);
            along_row(r, c, EAST, straight, 0, at);
            along_row(r, c, WEST, straight, 0, at);
        }
    }

    void follow_eight(std::int32_t at, std::uint8_t ways) {
        const Node node = nodes_[at];
        const auto [r, c] = node.cell;
        std::uint8_t go = ways;  // straight ways to follow
        bool slant[2][2] = {};   // diagonals to follow: [south][east]
        if (node.parent < 0) {
            for (auto& half : slant) half[0] = half[1] = true;
        } else {
            for (const Way way : {EAST, WEST}) {
                if (!(ways & way)) continue;
                const int behind = way == EAST ? c - 1 : c + 1;
                if (bits_.blocked(r - 1, behind)) go |= NORTH, slant[0][way == EAST] = true;
                if (bits_.blocked(r + 1, behind)) go |= SOUTH, slant[1][way == EAST] = true;
            }
            for (const Way way : {SOUTH, NORTH}) {
                if (!(ways & way)) continue;
                const int behind = way == SOUTH ? r - 1 : r + 1;
                if (bits_.blocked(behind, c - 1)) go |= WEST, slant[way == SOUTH][0] = true;
                if (bits_.blocked(behind, c + 1)) go |= EAST, slant[way == SOUTH][1] = true;
            }
        }
        for (const Way way : {EAST, WEST})
            if (go & way) along_row(r, c, way, node.straight, node.diagonal, at);
        for (const Way way : {SOUTH, NORTH})
            if (go & way) along_column(r, c, way, node.straight, node.diagonal, at);
        for (const int south : {0, 1})
            for (const int east : {0, 1})
                if (slant[south][east]) slide(node, south ? 1 : -1, east ? 1 : -1, at);
    }

    void slide(const Node& node, int down, int right, std::int32_t at) {
        auto [r, c] = node.cell;
        std::int32_t diagonal = node.diagonal;
        for (;;) {
            if (bits_.blocked(r + down, c) || bits_.blocked(r, c + right) ||
                bits_.blocked(r + down, c + right))
                return;
            r += down, c += right, ++diagonal;
            if (goal_ == Cell{r, c}) return reach(goal_, node.straight, diagonal, at, EAST);
            along_row(r, c, right > 0 ? EAST : WEST, node.straight, diagonal, at);
            along_column(r, c, down > 0 ? SOUTH : NORTH, node.straight, diagonal, at);
        }
    }

    void along_row(int r, int c, Way way, std::int32_t straight, std::int32_t diagonal, std::int32_t at) {
        const int goal = r == goal_.row ? goal_.column : -1;
        const int to = way == EAST ? bits_.jump_up(r, c, goal, work_) : bits_.jump_down(r, c, goal, work_);
        if (to >= 0) reach({r, to}, straight + std::abs(to - c), diagonal, at, way);
    }

    void along_column(int r, int c, Way way, std::int32_t straight, std::int32_t diagonal, std::int32_t at) {
        const int goal = c == goal_.column ? goal_.row : -1;
        const int to =
            way == SOUTH ? columns_->jump_up(c, r, goal, work_) : columns_->jump_down(c, r, goal, work_);
        if (to >= 0) reach({to, c}, straight + std::abs(to - r), diagonal, at, way);
    }

    void reach(Cell cell, std::int32_t straight, std::int32_t diagonal, std::int32_t parent,
               std::uint8_t way) {
        std::int32_t& known = index_[bits_.place(cell)];
        if (!known) {
            nodes_.push_back({cell, straight, diagonal, parent, way, 0});
            known = static_cast<std::int32_t>(nodes_.size());
            return push(known - 1);
        }
        Node& node = nodes_[known - 1];
        const double cost = straight + diagonal * DIAGONAL, before = node.cost();
        if (cost > before) return;
        if (cost < before) {
            node = {cell, straight, diagonal, parent, way, 0};
        } else {
            // As short, from another side: what is natural from here on differs, so both are followed.
            if ((node.open | node.done) & way) return;
            const bool waits = node.open;
            node.open |= way;
            if (waits) return;
        }
        push(known - 1);
    }

    double estimate(Cell cell, std::int32_t straight, std::int32_t diagonal) const {
        const int down = std::abs(goal_.row - cell.row), right = std::abs(goal_.column - cell.column);
        const int both = columns_ ? std::min(down, right) : 0;
        return (straight + down + right - 2 * both) + (diagonal + both) * DIAGONAL;
    }

    void push(std::int32_t at) {
        const Node& node = nodes_[at];
        if (node.cell == goal_) {
            best_ = node.cost();
            return;
        }
        const double total = estimate(node.cell, node.straight, node.diagonal);
        if (total < best_) queue_.push(total, at);
    }

    void trace(std::int32_t at, Found& found) const {
        found.straight = nodes_[at].straight;
        found.diagonal = nodes_[at].diagonal;
        found.cells.reserve(static_cast<std::size_t>(found.straight + found.diagonal) + 1);
        // Backwards: first the moves that came last, those along a row, or straight ones.
        for (; nodes_[at].parent >= 0; at = nodes_[at].parent) {
            Cell cell = nodes_[at].cell;
            const Cell from = nodes_[nodes_[at].parent].cell;
            while (!(cell == from)) {
                found.cells.push_back(cell);
                const int down = from.row - cell.row, right = from.column - cell.column;
                const bool slants = columns_ && std::abs(down) == std::abs(right);
                const bool across = columns_ ? std::abs(right) > std::abs(down) : right != 0;
                if (slants || !across) cell.row += down > 0 ? 1 : -1;
                if (slants || across) cell.column += right > 0 ? 1 : -1;
            }
        }
        found.cells.push_back(nodes_[at].cell);
        std::reverse(found.cells.begin(), found.cells.end());
    }

    const Bits& bits_;
    const Bits* columns_;
    Cell goal_;
    std::size_t budget_, work_ = 0;
    Zeros<std::int32_t>& index_;  // one more than the node of a place
    std::vector<Node> nodes_;
    Buckets queue_;
    double best_ = std::numeric_limits<double>::infinity();  // the length of the best known way to the goal
    std::size_t rest_ = 0;  // how much work there was when signals are looked at next
};

}  // namespace

End jump_search(const Bits& bits, const Bits* columns, Cell start, Cell goal, std::size_t budget,
                Slate& slate, Found& found) {
    return Jumps(bits, columns, start, goal, budget, slate).run(found);
}

}  // namespace kumi::grid
