// Ways over a grid of cells: what the searches share.
//
// A map is kept as rows of bits, blocked = 1, so that 64 cells are looked at in one step. Each row ends in at
// least one blocked bit, and a blocked row lies above and below: no search asks where the map ends.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace kumi::grid {

using Word = std::uint64_t;
inline const double DIAGONAL = std::sqrt(2.0);

struct Cell {
    int row, column;
    bool operator==(const Cell&) const = default;
};
using Cells = std::vector<Cell>;

// The steps to the eight cells around one; the first four go along rows and columns.
inline constexpr Cell MOVES[8] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, -1}, {-1, 1}};

// Lets Ctrl-C in: throws when a signal handler raised. Long loops call it now and then.
void pause();

struct Clock {
    static constexpr std::uint32_t OFTEN = 1u << 12;
    std::uint32_t ticks = 0;
    void tick() {
        if (++ticks % OFTEN == 0) pause();
    }
};

// Zeros that take no memory until they are touched.
template <typename T> class Zeros {
  public:
    explicit Zeros(std::size_t size)
        : size_(size), data_(static_cast<T*>(std::calloc(size ? size : 1, sizeof(T)))) {
        if (!data_) throw std::bad_alloc();
    }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }
    std::size_t size() const { return size_; }

  private:
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    std::size_t size_;
    std::unique_ptr<T, Free> data_;
};

// A number for each cell or corner, zero at first. Those of a square lie together, as a search goes to neighbours.
template <typename T> class Squares {
  public:
    Squares(int rows, int columns)
        : across_(static_cast<std::size_t>(columns >> BITS) + 1),
          values_(((static_cast<std::size_t>(rows) >> BITS) + 1) * across_ << 2 * BITS) {}
    T& operator()(int r, int c) { return values_[place(r, c)]; }
    const T& operator()(int r, int c) const { return values_[place(r, c)]; }

  private:
    static constexpr int BITS = 5, REST = (1 << BITS) - 1;
    std::size_t place(int r, int c) const {
        const std::size_t square =
            static_cast<std::size_t>(r >> BITS) * across_ + static_cast<std::size_t>(c >> BITS);
        return square << 2 * BITS | static_cast<std::size_t>((r & REST) << BITS | (c & REST));
    }
    std::size_t across_;
    Zeros<T> values_;
};

class Bits {
  public:
    Bits(int rows, int columns);
    // From one byte a cell; anything but 0 is blocked. `beyond_one` tells whether a byte is neither 0 nor 1.
    static Bits packed(const std::uint8_t* cells, int rows, int columns, bool& beyond_one);
    Bits transposed() const;

    int rows, columns;
    std::size_t stride;  // words in a row

    Word* row(int r) { return words_.get() + 1 + static_cast<std::size_t>(r + 1) * stride; }
    const Word* row(int r) const { return words_.get() + 1 + static_cast<std::size_t>(r + 1) * stride; }
    bool blocked(int r, int c) const { return row(r)[c >> 6] >> (c & 63) & 1; }  // from -1 to rows or columns
    bool blocked(Cell cell) const { return blocked(cell.row, cell.column); }
    bool has(Cell cell) const {
        return cell.row >= 0 && cell.row < rows && cell.column >= 0 && cell.column < columns;
    }
    std::size_t span() const { return stride * 64; }  // places in a row, those of the edge included
    std::size_t place(Cell cell) const { return cell.row * span() + cell.column; }
    std::size_t places() const { return rows * span(); }

    // Where a walk along a row first meets a corner behind which it may turn, or `goal`; -1 at an obstacle.
    int jump_up(int r, int c, int goal, std::size_t& work) const;    // to larger columns
    int jump_down(int r, int c, int goal, std::size_t& work) const;  // to smaller columns

    void close_edges();  // blocks all that lies outside the map

  private:
    std::unique_ptr<Word[]> words_;
};

struct Found {
    Cells cells;
    std::int64_t straight = 0, diagonal = 0;
};

enum class End { found, none, gave_up };

// What searches write on, kept from one to the next so that it need not be cleared: each leaves `nodes` as zeros,
// in `lengths` nothing above `past`, and in `squares` nothing above `squares_past`.
struct Slate {
    explicit Slate(const Bits& bits)
        : nodes(bits.places()), lengths(bits.places()), squares(bits.rows, bits.columns) {}
    Zeros<std::int32_t> nodes;
    Zeros<std::uint32_t> lengths;
    std::uint32_t past = 0;
    Squares<std::uint32_t> squares;
    std::uint32_t squares_past = 0;
};

// Jump point search (Harabor & Grastien 2011, 2014), for 8 neighbours with `columns`, the transposed map, for 4
// without. Gives up when it has looked at more than `budget` words.
End jump_search(const Bits& bits, const Bits* columns, Cell start, Cell goal, std::size_t budget,
                Slate& slate, Found& found);

// A* for 4 neighbours: the estimate stays or grows by 2, so that two stacks are the queue. Gives up when it has
// taken up more than `budget` cells.
End stack_search(const Bits& bits, Cell start, Cell goal, std::size_t budget, Slate& slate, Found& found);

// A* for 8 neighbours, cell by cell. Gives up on ways of more than some 47,000 cells, and on maps of more than 65,536
// rows or columns.
End clutter_search(const Bits& bits, Cell start, Cell goal, Slate& slate, Found& found);

// How many corners of obstacles and how many blocked cells there are to a cell, about. Random cells with 3 to 40 %
// blocked have 0.027 to 0.1 corners, shelves 0.018, caves 0.01, rooms and wide mazes 0.002.
struct Character {
    double corners, taken;
};
Character character_of(const Bits& bits);

// The least and the greatest finite cost, and the first place whose cost is not greater than 0, or -1.
struct Range {
    double least, greatest;
    std::int64_t wrong;
};
template <typename Cost> Range range_of(const Cost* costs, std::size_t size);

// A* with the cost of entering a cell, infinite where blocked.
template <typename Cost> bool cost_search(const Cost* costs, int rows, int columns, Cell start, Cell goal,
                                          bool diagonals, Range range, Found& found);

// Whether a segment between two centres stays in free cells; it may not pass between two that touch in a corner.
bool sees(const Bits& bits, Cell from, Cell to);
// Where a shortest way of any angle begins, bends and ends, in half cells: the centre of a cell has odd numbers, a corner
// even ones. Empty when there is no way. It may touch blocked cells, but not pass between two that touch in a corner.
using Places = Cells;
Places any_angle(const Bits& bits, Cell start, Cell goal);

// The map in which a disc of `radius` cells overlaps no blocked cell.
Bits inflated(const Bits& bits, double radius, bool edges);
// The squared distance of every cell to the next blocked one, in cells, centre to centre; `none` where there is none.
void squared_distances(const Bits& bits, float none, float* out);

}  // namespace kumi::grid
