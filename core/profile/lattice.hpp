// When can a vehicle on a fixed path be where, if parts of the path are closed for some time?
//
// The path is cut into cells by nodes, and at each node a few speeds are allowed: a lattice. Along a cell the vehicle
// speeds up or brakes evenly, so each step of the lattice takes a known time and comes to each closed piece of the cell
// after a known time. What is reached at a node with a speed is then a set of instants, kept as spans: a step shifts
// it, a closed piece cuts out of it, and standing stretches it. No time is rounded: what the lattice finds can be driven.
//
// The fastest speed of a node leads to the fastest speed of the next in the time given for it, whatever lies between.
//
// Idea: safe intervals (Phillips & Likhachev, 2011) over speeds as well as places.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace kumi::lattice {

constexpr double INF = std::numeric_limits<double>::infinity();

struct Span {
    double from, to;  // both included
};
using Spans = std::vector<Span>;

// A piece of a cell that is closed from `opens` to `closes`; `comes` and `goes` are the fastest drive's seconds from the
// start of the cell to the piece and out of it. A piece at the end of the path is never left: `goes` is infinite.
struct Piece {
    double low, high, opens, closes, comes, goes;
};

struct Cell {
    double length, seconds;     // `seconds`: of the fastest drive
    double least, bend;         // the least square of its speed, and the largest curvature
    std::vector<Piece> pieces;  // places from the start of the cell
    std::vector<Span> corners;  // place from the start of the cell and square of the fastest speed
};

struct Node {
    std::vector<double> squares;  // of speeds, growing; the last is the fastest
    double rest = 0.0;            // the vehicle stands here for so long at least, if its only speed is 0
    Spans closed;                 // when it must not stand here
};

struct Strength {
    double rise, fall, grip;  // accelerations
};

struct Stay {
    double square, comes, goes;
    bool is_fastest;  // along the cell behind it
};

class Lattice {
  public:
    Lattice(std::vector<Node> nodes, std::vector<Cell> cells, Strength strength);
    // One stay a node, of the drive that is earliest at the end; empty where there is none.
    std::vector<Stay> earliest();

  private:
    struct Step {
        std::size_t from, to;
        double seconds;
        bool is_fastest;
    };
    bool is_step(std::size_t cell, std::size_t from, std::size_t to, Step& step) const;
    std::size_t lowest(std::size_t cell, std::size_t from) const;
    void close(std::size_t cell, const Step& step);
    void reach(std::size_t cell);
    void stand(std::size_t node);
    Stay stay(std::size_t node, std::size_t level, double leaves) const;

    std::vector<Node> nodes_;
    std::vector<Cell> cells_;
    Strength strength_;
    std::vector<std::vector<Spans>> comes_, goes_;  // by node and speed
    Spans shut_;                                    // when a step must not begin
};

}  // namespace kumi::lattice
