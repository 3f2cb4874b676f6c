// Who is near, and what stands near?
//
// The broad phase: cells wide enough that two bodies that touch are in the same or in neighbouring cells, and under each
// cell the parts of obstacles that can be touched from there. Few bodies need no cells: each is compared with all,
// quickly if they are discs that go straight.
#pragma once

#include "plane/bodies.hpp"
#include "plane/crossing.hpp"
#include "plane/grid.hpp"
#include "plane/obstacles.hpp"
#include "plane/straights.hpp"

#include <unordered_map>
#include <vector>

namespace kumi {

class Cells {
  public:
    Cells(const Bodies& bodies, const Obstacles& obstacles) : bodies_(bodies), obstacles_(obstacles) {}

    void narrow(double widest) { widest_cell_ = widest; }
    void reserve(std::size_t bodies) { grid_.reserve(bodies); }
    void shape();
    bool fits() const { return is_shaped_ && shaped_for_ == bodies_.alive(); }
    bool is_shaped() const { return is_shaped_; }
    // What they were made for has changed: they are made anew when they are needed.
    void outdate() { is_shaped_ = false; }
    // Whether so many close looks were needed that cells would have been better; and then to have them.
    bool are_missed() const;
    void set_needed(bool needed) {
        needs_cells_ = needed;
        is_shaped_ = false;
    }
    // Whether there are any, or each body is compared with all.
    bool are_there() const { return limit_ >= 0.0; }
    double limit() const { return limit_; }

    void insert(BodyId body);
    void remove(BodyId body);
    void move(BodyId body, const Grid::Link& to) { grid_.move(body, to); }
    const Grid& grid() const { return grid_; }
    const std::vector<BodyId>& large() const { return large_; }  // too large for cells
    std::size_t bytes() const { return grid_.bytes(); }

    // Without cells: what all others see of a body has changed.
    void show(BodyId body) {
        if (limit_ < 0.0 && body < Straights::ROOM) show_to_all(body);
    }
    // Those whom this one may meet, if it can be told so; and how long it is of interest to others.
    bool find_straight(BodyId body, Grid::Found& found);
    void set_until(BodyId body, double until) { straights_.set_until(body, until); }
    void count_close_look() { ++close_looks_; }

    // Parts of obstacles and of the borders of regions, but for those of the box.
    bool has_parts() const { return !by_cell_.empty(); }
    const std::vector<std::uint32_t>* fixed_in(std::int32_t ix, std::int32_t iy) const;
    const std::vector<std::uint32_t>& everywhere() const { return everywhere_; }
    template <class Visit> void visit_fixed(BodyId body, Visit&& visit) const;

  private:
    const Bodies& bodies_;
    const Obstacles& obstacles_;
    Grid grid_;
    double widest_cell_ = INFINITE_TIME;
    double limit_ = 0.0;  // the largest radius that the cells allow; below 0 there are none
    std::size_t shaped_for_ = 0;
    bool is_shaped_ = false, needs_cells_ = false;
    std::vector<BodyId> large_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_cell_;  // fixed parts
    std::vector<std::uint32_t> everywhere_;  // fixed parts that span many cells
    Straights straights_;                    // without cells
    std::uint64_t looks_ = 0,
                  close_looks_ =
                      0;  // without cells: predictions, and comparisons that took more than straight ways

    bool does_without_cells(const std::vector<double>& radii, double extent) const;
    void begin_straights();
    void show_to_all(BodyId body);
    void file_fixed();
    void file(std::uint32_t part);
};

template <class Visit> void Cells::visit_fixed(BodyId id, Visit&& visit) const {
    if (!grid_.holds(id)) {
        for (std::uint32_t part = obstacles_.box() ? 4 : 0; part < obstacles_.size(); ++part) visit(part);
        return;
    }
    const Grid::Link& link = grid_.link(id);
    if (const auto* parts = fixed_in(link.ix, link.iy))
        for (std::uint32_t part : *parts) visit(part);
    for (std::uint32_t part : everywhere_) visit(part);
}

}  // namespace kumi
