// How a beam of sight crosses the rows of a map, and which corners it finds.
//
// A beam gives up what another corner reaches on a shorter way. Where a corner beside the beam is known on a way shorter
// than that by the root, all points are nearer by the corner that lie on its side of a hyperbola, and so is all that
// lies behind them. In the open this is what ends long beams: those along the aisles of a warehouse, above all.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include "grid/piles.hpp"
#include "grid/search.hpp"

namespace kumi::grid {

inline constexpr double ENDLESS = std::numeric_limits<double>::infinity();
inline constexpr int NO_WALL = std::numeric_limits<int>::min();

// The first blocked cell of a row from `c` on; there is one at each end.
template <int RIGHT> int blocked_from(const Word* row, int c) {
    std::ptrdiff_t w = c >> 6;
    if constexpr (RIGHT > 0) {
        Word word = row[w] >> (c & 63) << (c & 63);
        while (!word) word = row[++w];
        return static_cast<int>(w * 64) + std::countr_zero(word);
    }
    Word word = row[w] << (63 - (c & 63)) >> (63 - (c & 63));
    while (!word) word = row[--w];
    return static_cast<int>(w * 64) + 63 - std::countl_zero(word);
}

// The first free cell of a row from `c` on, or one beyond `last` when there is none up to it.
template <int RIGHT> int free_from(const Word* row, int c, int last) {
    std::ptrdiff_t w = c >> 6;
    if constexpr (RIGHT > 0) {
        for (Word word = ~row[w] >> (c & 63) << (c & 63);; word = ~row[++w]) {
            if (word) return static_cast<int>(w * 64) + std::countr_zero(word);
            if (w * 64 + 63 >= last) return last + 1;
        }
    }
    for (Word word = ~row[w] << (63 - (c & 63)) >> (63 - (c & 63));; word = ~row[--w]) {
        if (word) return static_cast<int>(w * 64) + 63 - std::countl_zero(word);
        if (w * 64 <= last) return last - 1;
    }
}

inline bool taken(const Word* row, int cell) { return row[cell >> 6] >> (cell & 63) & 1; }

struct Root {
    Cell place;  // in half cells, so that centres of cells are whole numbers, too
    std::int32_t parent;
};

// Lines from a root that come to a row of cells, between two slopes. `wall` is the column at which the row before ends,
// where the outermost line touches that end.
struct Strip {
    std::int32_t row, wall;
    double least, most;
};

struct Beam {
    Strip strip;
    Cell corner;    // the root's place, in half cells
    double length;  // of the way to it
    std::int32_t root;
    std::int8_t down, right;
};

// What is known of the ways from a start to a goal.
struct Ways {
    Ways(const Bits& map, Cell start, Cell goal_)
        : bits(map),
          goal(goal_),
          goal_row(goal.row + 0.5),
          goal_column(goal.column + 0.5),
          grain(1.0 / (8.0 * map.rows)),
          known(map.rows, map.columns),
          first(away(start.row + 0.5, start.column + 0.5)),
          queue(first) {}

    double away(double row, double column) const {
        return std::sqrt((row - goal_row) * (row - goal_row) +
                         (column - goal_column) * (column - goal_column));
    }

    const Bits& bits;
    Cell goal;
    double goal_row, goal_column;
    double grain;           // a line enters at a corner when it does so nearly
    Squares<double> known;  // the lengths of the best known ways to corners; 0 where there is none
    double first;           // the straight line
    Piles<Beam> queue;
    std::vector<Root> roots;
    std::vector<Strip> strips;  // of the beam that is being followed
    double best = ENDLESS;
    std::int32_t last = -1;  // the root from which the goal is seen on the best way
    Clock clock;
};

// Follows one beam to larger (1) or smaller (-1) rows and columns.
template <int DOWN, int RIGHT> class Quadrant {
  public:
    // Until what is left is worth more than `limit`.
    Quadrant(Ways& ways, const Beam& beam, double limit)
        : ways_(ways),
          bits_(ways.bits),
          from_(beam),
          row_(0.5 * beam.corner.row),
          column_(0.5 * beam.corner.column),
          limit_(limit) {}

    void follow() {
        std::vector<Strip>& strips = ways_.strips;
        strips.assign(1, from_.strip);
        while (!strips.empty()) {
            ways_.clock.tick();
            Strip strip = strips.back();
            strips.pop_back();
            if (std::abs(strip.row + 0.5 - row_) < 0.75) {
                begin(strip);
                continue;
            }
            if (strip.most >= FAR && !trim(strip)) continue;
            if (const double bound = least_through(strip); bound > limit_)
                wait(bound, strip);
            else if (!split(strip))
                cross(strip);
        }
    }

  private:
    static constexpr double WIDE = 64.0;    // a strip is parted
    static constexpr double FAR = 12.0;     // a strip may be trimmed
    static constexpr int NEIGHBOURS = 32;   // corners that may trim it
    static constexpr int REACH = 64;        // rows ahead that are looked at to trim one that goes straight
    static constexpr double MARGIN = 1e-7;  // by which a way counts as shorter than another

    struct Row {
        int number, line;     // the line is the one by which the beam comes
        double deep, deeper;  // the distances of its two lines from the root
        const Word *here, *before;
    };

    Row row_at(int number) const {
        const int line = near_line(number);
        return {number,
                line,
                std::abs(line - row_),
                std::abs(line + DOWN - row_),
                bits_.row(number),
                bits_.row(number - DOWN)};
    }

    // Lines and cells as the beam meets them.
    static int near_line(int row) { return DOWN > 0 ? row : row + 1; }
    static int cell_after(int line) { return RIGHT > 0 ? line : line - 1; }
    static int line_before(int cell) { return RIGHT > 0 ? cell : cell + 1; }
    double ahead(int line) const { return RIGHT * (line - column_); }

    void wait(double bound, const Strip& strip) {
        if (bound >= ways_.best) return;
        Beam rest = from_;
        rest.strip = strip;
        ways_.queue.push(bound, rest);
    }

    // Parts a strip that is wide, so that what lies far to the side can wait.
    bool split(const Strip& strip) {
        const double deep = std::abs(near_line(strip.row) - row_);
        if ((strip.most - strip.least) * deep < WIDE) return false;
        const double middle = std::floor(0.5 * (strip.least + strip.most) * deep) / deep;
        ways_.strips.push_back({strip.row, NO_WALL, strip.least, middle});
        ways_.strips.push_back({strip.row, strip.wall, middle, strip.most});
        return true;
    }

    // No way from the root through the strip to the goal is shorter: straight on, or by reflection if the goal lies back.
    double least_through(const Strip& strip) const {
        const double line = near_line(strip.row);
        return from_.length + least_past(row_, column_, line, RIGHT, strip.least, strip.most);
    }

    double least_past(double row, double column, double line, int right, double least, double most) const {
        const double deep = std::abs(line - row), beyond = std::abs(ways_.goal_row - line);
        const double slope = right * (ways_.goal_column - column) / (deep + beyond);
        const double side = deep * std::clamp(slope, least, most);
        return std::sqrt(deep * deep + side * side) + ways_.away(line, column + right * side);
    }

    // The row in which the root lies, or beside which. The line along it bends around what ends on its other side, up to
    // a corner that is reached better; a wall says from which column on that is still to be looked at.
    void begin(const Strip& strip) {
        const Row row = row_at(strip.row);
        const int cell = from_.root ? cell_after(from_.corner.column / 2) : from_.corner.column / 2;
        const int end = blocked_from<RIGHT>(row.here, cell);
        if (strip.wall == NO_WALL) pass(row, cell, end, strip.least, strip.most, 0.0, 0.0);
        if (!from_.root || strip.most < ENDLESS) return;
        for (int at = strip.wall == NO_WALL ? cell : strip.wall;;) {
            at = blocked_from<RIGHT>(row.before, at);
            if ((end - at) * RIGHT <= 0) return;
            at = free_from<RIGHT>(row.before, at, end);
            if ((end - at) * RIGHT <= 0) return;
            const int corner = line_before(at);
            const double length = from_.length + ahead(corner);
            if (const double bound = length + ways_.away(row.line, corner); bound > limit_)
                return wait(bound, {strip.row, at - RIGHT, ENDLESS, ENDLESS});
            reach(row.line, corner, strip.row - DOWN, 0.0, ENDLESS, -DOWN, RIGHT);
            if (is_shorter(ways_.known(row.line, corner), length)) return;
        }
    }

    static bool is_shorter(double known, double length) { return known != 0.0 && known + MARGIN < length; }

    // A corner lies straight ahead of the root, `far` away, and the way to it is longer than that to the root by `more`.
    // On the parallel one cell beside, the corner is the nearer one from this distance on.
    static double parting(double far, double more) {
        const double rest = (far - more) * (far + more);
        return rest > 0.0 ? 0.5 * (far + more * std::sqrt(1.0 + 4.0 / rest)) : ENDLESS;
    }

    // Takes from a long strip that has left the row beside the root what corners along that row reach on a shorter way;
    // false when nothing is left.
    bool trim(Strip& strip) const {
        const int line = near_line(strip.row) - DOWN;
        if (!from_.root || 2 * line != from_.corner.row) return true;
        const Word* before = bits_.row(strip.row - 2 * DOWN);
        int cell = cell_after(from_.corner.column / 2);
        for (int count = 0; count < NEIGHBOURS; ++count) {
            cell = taken(before, cell) ? free_from<RIGHT>(before, cell, RIGHT > 0 ? bits_.columns : -1)
                                       : blocked_from<RIGHT>(before, cell);
            const int corner = line_before(cell);
            const double far = ahead(corner);
            if (cell < 0 || cell >= bits_.columns || far >= strip.most) return true;
            const double known = ways_.known(line, corner);
            if (!is_shorter(known, from_.length + far)) continue;
            const double most = std::ceil(parting(far, known + MARGIN - from_.length));
            if (most <= strip.least) return false;
            if (most < strip.most) strip.most = most, strip.wall = NO_WALL;
        }
        return true;
    }

    // Within the loop of its only caller it is a fifth faster; what it reaches stands apart for the same reason.
    [[gnu::always_inline]] void cross(const Strip& strip) {
        const Row row = row_at(strip.row);
        const double high = pass_wall(row, strip);
        double least = strip.least, low = 0.0;
        int cell = 0;
        if (!enter(row, strip.most, cell, least, low)) return;
        const int last = static_cast<int>(column_ + RIGHT * strip.most * row.deep + 0.5) + RIGHT;
        for (;;) {
            if (taken(row.here, cell)) {
                cell = free_from<RIGHT>(row.here, cell, std::clamp(last, -1, bits_.columns));
                const int corner = line_before(cell);
                least = ahead(corner) / row.deep;
                if (least > strip.most || taken(row.before, cell)) return;
                low = reach(row.line, corner, row.number, 0.0, least, DOWN, RIGHT);
            }
            const int end = blocked_from<RIGHT>(row.here, cell);
            const bool is_last = ahead(line_before(end)) >= strip.most * row.deep;
            pass(row, cell, end, least, strip.most, low, is_last ? high : 0.0);
            if (is_last) return;
            cell = end;
            low = 0.0;
        }
    }

    // Bends around the end of the row before; returns the length of the best way to it if the beam goes on beside it.
    double pass_wall(const Row& row, const Strip& strip) {
        if (strip.wall == NO_WALL) return 0.0;
        const int cell = cell_after(strip.wall);
        if (taken(row.here, cell - RIGHT)) return 0.0;
        if (taken(row.here, cell)) return ways_.known(row.line, strip.wall);
        return reach(row.line, strip.wall, row.number, strip.most, ENDLESS, DOWN, RIGHT);
    }

    // The first cell of a row, with the corner at which it is entered, if it is one; false when none can be.
    bool enter(const Row& row, double most, int& cell, double& least, double& low) {
        const double entry = column_ + RIGHT * least * row.deep;
        const int whole = static_cast<int>(entry + 0.5);
        const bool is_on_line = std::abs(entry - whole) < ways_.grain;
        cell = is_on_line ? cell_after(whole) : static_cast<int>(entry);
        if (!is_on_line || taken(row.here, cell)) return true;
        const bool beside = taken(row.here, cell - RIGHT), behind = taken(row.before, cell - RIGHT);
        if (beside && taken(row.before, cell)) return false;  // between two cells that touch in a corner
        if (least > 0.0) {
            if (beside && !behind) low = reach(row.line, whole, row.number, 0.0, least, DOWN, RIGHT);
            return true;
        }
        if (!beside && behind) reach(row.line, whole, row.number, 0.0, ENDLESS, DOWN, -RIGHT);
        if (beside != behind && from_.root) least = beside_straight(row, cell, ways_.known(row.line, whole));
        return least <= most;
    }

    // The least slope that is left where a corner straight ahead is known. What it takes away has to lie in free cells
    // as far as the parting, and the goal not among them.
    double beside_straight(const Row& row, int cell, double known) const {
        if (!is_shorter(known, from_.length + row.deep) || ways_.goal.column == cell) return 0.0;
        const double far = std::max(row.deeper, std::ceil(parting(row.deep, known + MARGIN - from_.length)));
        if (far > row.deep + REACH) return 0.0;
        for (int at = row.number, rows = static_cast<int>(far - row.deep); rows; --rows, at += DOWN)
            if (bits_.blocked(at, cell)) return 0.0;
        return 1.0 / far;
    }

    // Lets lines from the free cells up to `end` into the next row. At the first of them may lie a corner to which a way
    // of length `low` is known, and one of length `high` where the outermost line enters.
    void pass(const Row& row, int cell, int end, double least, double most, double low, double high) {
        const Cell goal = ways_.goal;
        if (row.number == goal.row && (goal.column - cell) * RIGHT >= 0 && (end - goal.column) * RIGHT > 0)
            arrive(least, most);
        const double inner = least * row.deep, outer = most * row.deep;
        int wall = line_before(end);
        const double slope = ahead(wall) / row.deeper;
        if (slope <= most)
            most = slope;
        else
            wall = NO_WALL;
        if (least > most) return;
        if (low != 0.0) {
            if (is_nearer(low, inner, most, row)) return;
            const double middle = 0.5 * (least + most);
            if (is_nearer(low, inner, middle, row)) least = middle;
        }
        if (high != 0.0) {
            if (is_nearer(high, outer, least, row)) return;
            const double middle = 0.5 * (least + most);
            if (is_nearer(high, outer, middle, row)) most = middle, wall = NO_WALL;
        }
        ways_.strips.push_back({row.number + DOWN, wall, least, most});
    }

    // Whether the point at which a line leaves the row is nearer by a corner where the beam enters, `wide` to the side.
    bool is_nearer(double known, double wide, double slope, const Row& row) const {
        const double side = slope * row.deeper, aside = side - wide, step = row.deeper - row.deep;
        return known + MARGIN + std::sqrt(aside * aside + step * step) <
               from_.length + std::sqrt(side * side + row.deeper * row.deeper);
    }

    // A corner around which ways may bend, into the row and between the slopes given; returns the length of the best
    // known way to it, or 0.
    [[gnu::noinline]] double reach(int line, int column, int row, double least, double most, int down,
                                   int right) {
        const double high = line - row_, wide = column - column_;
        const double length = from_.length + std::sqrt(high * high + wide * wide);
        double& known = ways_.known(line, column);
        if (known != 0.0 && known <= length) return known;
        const double estimate = length + least_from(line, column, row, least, most, down, right);
        if (estimate >= ways_.best) return known;
        known = length;
        const Cell place{2 * line, 2 * column};
        const auto root = static_cast<std::int32_t>(ways_.roots.size());
        ways_.roots.push_back({place, from_.root});
        ways_.queue.push(estimate, {{row, NO_WALL, least, most},
                                    place,
                                    length,
                                    root,
                                    static_cast<std::int8_t>(down),
                                    static_cast<std::int8_t>(right)});
        return length;
    }

    // A way from a corner ends in the row beside it, crosses the far line of that row, or runs along the near one to
    // the next corner.
    double least_from(int line, int column, int row, double least, double most, int down, int right) const {
        if (row == ways_.goal.row) return ways_.away(line, column);
        const double across = least_past(line, column, line + down, right, least, most);
        return most < ENDLESS ? across : std::min(across, 1.0 + ways_.away(line, column + right));
    }

    void arrive(double least, double most) {
        const double wide = RIGHT * (ways_.goal_column - column_), high = std::abs(ways_.goal_row - row_);
        if (wide < 0.0 || (high > 0.0 && (wide / high < least || wide / high > most))) return;
        const double length = from_.length + std::sqrt(high * high + wide * wide);
        if (length < ways_.best) ways_.best = length, ways_.last = from_.root;
    }

    Ways& ways_;
    const Bits& bits_;
    const Beam from_;
    const double row_, column_;  // of the root
    const double limit_;
};

}  // namespace kumi::grid
