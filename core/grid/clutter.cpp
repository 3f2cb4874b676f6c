// A* for 8 neighbours in clutter, cell by cell.
//
// Among many small obstacles jumps end after a few cells, and keeping track of them costs more than they save. Here a
// cell has one number of 32 bits, the length of the best known way to it; the way is found from the lengths at the end.
//
// Lengths are whole numbers: STRAIGHT for a straight and SLANT for a diagonal move. Their quotient is a convergent of the
// continued fraction of √2, so that two ways to a cell compare as their true lengths do while they differ by fewer than
// STRAIGHT diagonal moves. No way up to FARTHEST has as many; where a longer one would be needed, the search gives up.
//
// With the octile distance as the estimate, a move leaves the estimated total as it is, or raises it by 2 - √2 to 2 √2.
// So the open cells are a few stacks, each for totals of a range narrower than 2 - √2. A cell may be taken up from its
// stack before a shorter way to it is known; then it is taken up again.
#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "grid/search.hpp"

namespace kumi::grid {
namespace {

constexpr std::uint32_t STRAIGHT = 33461, SLANT = 47321;
constexpr std::uint32_t FARTHEST = STRAIGHT * SLANT;

// The cells at c - 1, c and c + 1 as three bits.
unsigned three(const Word* row, int c) {
    const std::ptrdiff_t w = (c - 1) >> 6;
    const int shift = (c - 1) & 63;
    Word word = row[w] >> shift;
    if (shift > 61) word |= row[w + 1] << (64 - shift);
    return word & 7;
}

class Clutter {
  public:
    Clutter(const Bits& bits, Cell start, Cell goal, Slate& slate)
        : bits_(bits), start_(start), goal_(goal), slate_(slate), lengths_(slate.squares) {
        if (slate.squares_past > 1u << 31)
            slate.squares = Squares<std::uint32_t>(bits.rows, bits.columns), slate.squares_past = 0;
        origin_ = slate.squares_past + 1;
        now_ = ahead(start) >> SHIFT;
        if (now_ <= FARTHEST >> SHIFT) look(start, 0);
    }
    ~Clutter() { slate_.squares_past = origin_ + ((std::min(now_, FARTHEST >> SHIFT) + STACKS) << SHIFT); }
    Clutter(const Clutter&) = delete;

    End run(Found& found) {
        while (now_ <= FARTHEST >> SHIFT) {
            std::vector<std::uint32_t>& stack = stacks_[now_ % STACKS];
            if (stack.empty()) {
                if (is_known(goal_) && length(goal_) >> SHIFT <= now_) return trace(found), End::found;
                if (std::all_of(stacks_, stacks_ + STACKS, [](const auto& one) { return one.empty(); }))
                    return End::none;
                ++now_;
                continue;
            }
            const Cell at{static_cast<int>(stack.back() >> 16), static_cast<int>(stack.back() & 0xffff)};
            stack.pop_back();
            clock_.tick();
            if ((length(at) + ahead(at)) >> SHIFT != now_) continue;  // a shorter way has been found since
            take(at);
            // A goal in a pocket would come out only when all else has been taken up.
            if (++taken_ == CELLS_BEFORE_LOOK && is_shut_in()) return End::none;
        }
        return End::gave_up;
    }

  private:
    static constexpr int SHIFT = 14;
    static constexpr std::uint32_t STACKS = 8, CELLS_BEFORE_LOOK = 1u << 16, POCKET = 1u << 13;
    static_assert((1u << SHIFT) < 2 * STRAIGHT - SLANT && (2 * SLANT >> SHIFT) + 1 < STACKS);

    static std::uint32_t packed(Cell cell) {
        return static_cast<std::uint32_t>(cell.row) << 16 | static_cast<std::uint32_t>(cell.column);
    }

    std::uint32_t ahead(Cell cell) const {
        const auto down = static_cast<std::uint32_t>(std::abs(goal_.row - cell.row)),
                   right = static_cast<std::uint32_t>(std::abs(goal_.column - cell.column));
        const std::uint32_t both = std::min(down, right);
        return (std::max(down, right) - both) * STRAIGHT + both * SLANT;
    }

    bool is_known(Cell cell) const { return lengths_(cell.row, cell.column) >= origin_; }
    std::uint32_t length(Cell cell) const { return lengths_(cell.row, cell.column) - origin_; }

    void take(Cell at) {
        const auto [r, c] = at;
        const Word* row = bits_.row(r);
        const unsigned above = three(row - bits_.stride, c), here = three(row, c),
                       below = three(row + bits_.stride, c);
        const bool north = !(above & 2), south = !(below & 2), west = !(here & 1), east = !(here & 4);
        const std::uint32_t straight = length(at) + STRAIGHT, slant = length(at) + SLANT;
        if (north) look({r - 1, c}, straight);
        if (west) look({r, c - 1}, straight);
        if (east) look({r, c + 1}, straight);
        if (south) look({r + 1, c}, straight);
        if (north && west && !(above & 1)) look({r - 1, c - 1}, slant);
        if (north && east && !(above & 4)) look({r - 1, c + 1}, slant);
        if (south && west && !(below & 1)) look({r + 1, c - 1}, slant);
        if (south && east && !(below & 4)) look({r + 1, c + 1}, slant);
    }

    void look(Cell cell, std::uint32_t length) {
        std::uint32_t& known = lengths_(cell.row, cell.column);
        if (known >= origin_ && known - origin_ <= length) return;
        known = origin_ + length;
        stacks_[((length + ahead(cell)) >> SHIFT) % STACKS].push_back(packed(cell));
    }

    // Whether the goal lies in a small part of the map that the start is not in.
    bool is_shut_in() const {
        std::unordered_set<std::uint32_t> seen{packed(goal_)};
        Cells open{goal_};
        while (!open.empty()) {
            const Cell at = open.back();
            open.pop_back();
            if (at == start_ || seen.size() > POCKET) return false;
            for (int move = 0; move < 4; ++move) {
                const Cell to{at.row + MOVES[move].row, at.column + MOVES[move].column};
                if (!bits_.blocked(to) && seen.insert(packed(to)).second) open.push_back(to);
            }
        }
        return true;
    }

    void trace(Found& found) const {
        Cell at = goal_;
        found.cells.push_back(at);
        while (!(at == start_)) {
            at = before(at, found);
            found.cells.push_back(at);
        }
        std::reverse(found.cells.begin(), found.cells.end());
    }

    // The cell from which a shortest way comes to this one.
    Cell before(Cell at, Found& found) const {
        for (int move = 0; move < 8; ++move) {
            const Cell from{at.row - MOVES[move].row, at.column - MOVES[move].column};
            if (bits_.blocked(from) || !is_known(from)) continue;
            if (length(from) + (move < 4 ? STRAIGHT : SLANT) != length(at)) continue;
            if (bits_.blocked(at.row, from.column) || bits_.blocked(from.row, at.column)) continue;
            ++(move < 4 ? found.straight : found.diagonal);
            return from;
        }
        throw std::logic_error("a cell of the way was reached from nowhere");
    }

    const Bits& bits_;
    Cell start_, goal_;
    Slate& slate_;
    Squares<std::uint32_t>& lengths_;  // beginning at `origin_`; less than that where no way is known
    std::uint32_t origin_ = 0, now_ = 0, taken_ = 0;
    std::vector<std::uint32_t>
        stacks_[STACKS];  // of the total `now_` in steps of 2 to the power of SHIFT, and above
    Clock clock_;
};

}  // namespace

End clutter_search(const Bits& bits, Cell start, Cell goal, Slate& slate, Found& found) {
    if (std::max(bits.rows, bits.columns) > 1 << 16) return End::gave_up;
    return Clutter(bits, start, goal, slate).run(found);
}

}  // namespace kumi::grid
