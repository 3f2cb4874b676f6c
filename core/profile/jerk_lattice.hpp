// The earliest drive over a lattice of speeds that can be made smooth: see `lattice.hpp` for the lattice.
//
// A drive that is averaged over a window of time has a bounded jerk if between speeding up and braking, and between
// braking and speeding up, it keeps its speed for a window at least. So each speed of a node is reached in one of two
// phases, speeding up or braking. Along a cell a drive keeps its phase; it changes it where it goes evenly over as many
// cells as it passes in a window, or stands for a window.
#pragma once

#include <array>

#include "profile/lattice.hpp"

namespace kumi::lattice {

class JerkLattice {
  public:
    JerkLattice(std::vector<Node> nodes, std::vector<Cell> cells, Strength strength, double window);
    // One stay a node, of the drive from rest that is earliest at the end; empty where there is none.
    std::vector<Stay> earliest();

  private:
    enum Phase : std::size_t { up, down };
    struct Mark {
        std::size_t node, level;
        Phase phase;
    };
    struct Step {  // from a node on over some cells, with a change of the square of speed that is even
        std::size_t from, cells;
        double first, last, seconds;
    };
    bool is_step(std::size_t cell, double first, double last, Phase phase, Step& step) const;
    bool is_flip(const Mark& from, Step& step, std::size_t& level) const;
    void shut(const Step& step);
    void carry(const Spans& spans, const Step& step, Spans& there);
    void leave(std::size_t node);
    void stand(std::size_t node);
    bool is_open(const Spans& spans, const Step& step, double leaves);
    bool came_from(const Mark& to, double comes, Mark& from, Step& step);
    std::vector<Stay> traced();
    Spans& at(const Mark& mark) { return comes_[mark.node][mark.phase][mark.level]; }
    const Spans& ready(std::size_t node, std::size_t level, Phase phase) const;

    std::vector<Node> nodes_;
    std::vector<Cell> cells_;
    Strength strength_;
    double window_;
    std::vector<std::array<std::vector<Spans>, 2>> comes_;  // by node, phase and speed
    std::vector<Spans> goes_;                               // by node, from rest
    Spans shut_;                                            // when a step must not begin
};

}  // namespace kumi::lattice
