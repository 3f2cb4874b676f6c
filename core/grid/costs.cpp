// A* over cells that cost something to enter.
//
// A move costs its length times the cost of the cell it enters. Costs are the caller's array, of which no copy is
// made; what the search writes down, 9 bytes a cell, takes memory only where it has been.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "grid/queue.hpp"
#include "grid/search.hpp"

namespace kumi::grid {
namespace {

template <typename Cost, int NEIGHBOURS> class Costs {
  public:
    Costs(const Cost* costs, int rows, int columns, Cell start, Cell goal, Range range)
        : costs_(costs),
          rows_(rows),
          columns_(columns),
          goal_(goal),
          floor_(range.least * (1.0 - 1e-12)),
          known_(static_cast<std::size_t>(rows) * columns),
          from_(known_.size()),
          queue_(ORIGIN + ahead(start), 3.0 * range.greatest,
                 std::max(range.least / 4.0, range.greatest / MOST_BUCKETS)) {
        for (int move = 0; move < 8; ++move) steps_[move] = MOVES[move].row * columns + MOVES[move].column;
        from_[place(start)] = OPEN;
        open(start, ORIGIN);
    }

    bool run(Found& found) {
        while (!queue_.empty() && queue_.least() < best_) {
            const auto [estimate, node, next] = queue_.pop();
            clock_.tick();
            std::uint8_t& reached = from_[static_cast<std::size_t>(node)];
            if (estimate >= best_ || !(reached & OPEN)) continue;  // taken up since, by a cheaper way
            reached &= static_cast<std::uint8_t>(~OPEN);
            const Cell at{node / columns_, node % columns_};
            const double here = known_[static_cast<std::size_t>(node)];
            const bool is_inside =
                at.row > 0 && at.row < rows_ - 1 && at.column > 0 && at.column < columns_ - 1;
            for (int move = 0; move < NEIGHBOURS; ++move) {
                const Cell to{at.row + MOVES[move].row, at.column + MOVES[move].column};
                if (!is_inside && !has(to)) continue;
                const std::size_t there = static_cast<std::size_t>(node + steps_[move]);
                const double before = known_[there];
                if (before != 0.0 && before <= here) continue;
                const Cost entered = costs_[there];
                if (!(entered < BLOCKED) || (move >= 4 && is_corner(at, to))) continue;
                const double cost = here + static_cast<double>(entered) * (move < 4 ? 1.0 : DIAGONAL);
                if (before != 0.0 && cost >= before) continue;
                from_[there] = static_cast<std::uint8_t>(move) | OPEN;
                open(to, cost);
            }
        }
        if (known_[place(goal_)] == 0.0) return false;
        trace(found);
        return true;
    }

  private:
    // What is known begins at 1, so that 0 stands for nothing known.
    static constexpr double ORIGIN = 1.0;
    static constexpr std::uint8_t OPEN = 0x80;
    static constexpr Cost BLOCKED = std::numeric_limits<Cost>::infinity();

    std::size_t place(Cell cell) const { return static_cast<std::size_t>(cell.row) * columns_ + cell.column; }
    bool has(Cell cell) const {
        return cell.row >= 0 && cell.row < rows_ && cell.column >= 0 && cell.column < columns_;
    }
    // Whether a cell beside a diagonal move is blocked.
    bool is_corner(Cell at, Cell to) const {
        return costs_[place({at.row, to.column})] == BLOCKED || costs_[place({to.row, at.column})] == BLOCKED;
    }

    // A little less than the least cost, so that rounding never makes the estimate too large.
    double ahead(Cell cell) const {
        const int down = std::abs(goal_.row - cell.row), right = std::abs(goal_.column - cell.column);
        const int both = NEIGHBOURS == 8 ? std::min(down, right) : 0;
        return (down + right - 2 * both + both * DIAGONAL) * floor_;
    }

    void open(Cell cell, double cost) {
        known_[place(cell)] = cost;
        if (cell == goal_)
            best_ = cost;
        else if (const double total = cost + ahead(cell); total < best_)
            queue_.push(total, static_cast<std::int32_t>(place(cell)));
    }

    void trace(Found& found) const {
        Cell at = goal_;
        found.cells.push_back(at);
        while (known_[place(at)] != ORIGIN) {
            if (found.cells.size() > known_.size()) throw std::invalid_argument("a cost is a number > 0");
            const Cell move = MOVES[from_[place(at)] & ~OPEN];
            at = {at.row - move.row, at.column - move.column};
            found.cells.push_back(at);
        }
        std::reverse(found.cells.begin(), found.cells.end());
    }

    // So many, at most, hold the rise of one move: where costs differ more, buckets are wide, and some cells are
    // taken up twice.
    static constexpr double MOST_BUCKETS = 4096.0;

    const Cost* costs_;
    int rows_, columns_;
    Cell goal_;
    double floor_;
    Zeros<double> known_;
    Zeros<std::uint8_t> from_;  // by which move a cell was reached, and whether it is to be taken up
    std::ptrdiff_t steps_[8];
    Buckets queue_;
    double best_ = std::numeric_limits<double>::infinity();
    Clock clock_;
};

}  // namespace

// Eight at a time, without a branch: the compiler makes vector instructions of it.
template <typename Cost> Range range_of(const Cost* costs, std::size_t size) {
    constexpr std::size_t LANES = 8;
    constexpr Cost FAR = std::numeric_limits<Cost>::infinity();
    Cost least[LANES], greatest[LANES];
    int wrong[LANES] = {};
    std::fill_n(least, LANES, FAR);
    std::fill_n(greatest, LANES, Cost{0});
    const auto look = [&](std::size_t i, std::size_t lane) {
        const Cost cost = costs[i], finite = cost < FAR ? cost : Cost{0};
        wrong[lane] |= !(cost > Cost{0});
        least[lane] = cost < least[lane] ? cost : least[lane];
        greatest[lane] = finite > greatest[lane] ? finite : greatest[lane];
    };
    std::size_t i = 0;
    for (; i + LANES <= size; i += LANES)
        for (std::size_t lane = 0; lane < LANES; ++lane) look(i + lane, lane);
    for (; i < size; ++i) look(i, 0);
    Range range{*std::min_element(least, least + LANES), *std::max_element(greatest, greatest + LANES), -1};
    if (std::any_of(wrong, wrong + LANES, [](int is_wrong) { return is_wrong; }))
        for (range.wrong = 0; costs[range.wrong] > Cost{0};) ++range.wrong;
    return range;
}

template <typename Cost> bool cost_search(const Cost* costs, int rows, int columns, Cell start, Cell goal,
                                          bool diagonals, Range range, Found& found) {
    if (diagonals) return Costs<Cost, 8>(costs, rows, columns, start, goal, range).run(found);
    return Costs<Cost, 4>(costs, rows, columns, start, goal, range).run(found);
}

template Range range_of(const float*, std::size_t);
template Range range_of(const double*, std::size_t);
template bool cost_search(const float*, int, int, Cell, Cell, bool, Range, Found&);
template bool cost_search(const double*, int, int, Cell, Cell, bool, Range, Found&);

}  // namespace kumi::grid
