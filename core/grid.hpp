// Who is near? Cells of one size over the whole plane, which has no edge.
//
// A cell is kept in the bucket of its two numbers modulo powers of two, so the table is small however
// far bodies go. Cells far apart may share a bucket: those who look then meet bodies that are not near,
// which costs a little and is never wrong.
#pragma once

#include "vec.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace kumi {

class Grid {
  public:
    struct Link {
        std::int32_t next = -1, before = -1;
        std::int32_t ix = 0, iy = 0;
        bool is_in = false;
    };

    static constexpr std::int32_t LAST = 2'000'000'000;  // beyond this many cells all are one

    double cell = 0.0;

    void shape(double size, std::size_t bodies) {
        cell = size;
        per_metre_ = 1.0 / size;
        const unsigned side = std::max(2u, (static_cast<unsigned>(std::bit_width(bodies)) + 2) / 2);
        shift_ = side;
        mask_ = (1 << side) - 1;
        heads_.assign(std::size_t{1} << (2 * side), -1);
        for (Link& link : links_) link = Link{};
    }

    void reserve(std::size_t bodies) { links_.resize(bodies); }

    std::int32_t index(double coordinate) const {
        const double number = std::floor(coordinate * per_metre_);
        return static_cast<std::int32_t>(std::fmin(std::fmax(number, -1.0 * LAST), 1.0 * LAST));
    }
    double low(std::int32_t number) const { return number * cell; }
    double high(std::int32_t number) const { return (number + 1.0) * cell; }

    const Link& link(std::uint32_t body) const { return links_[body]; }
    bool holds(std::uint32_t body) const { return body < links_.size() && links_[body].is_in; }

    void insert(std::uint32_t body, std::int32_t ix, std::int32_t iy) {
        Link& link = links_[body];
        std::int32_t& head = heads_[bucket(ix, iy)];
        link = {head, -1, ix, iy, true};
        if (head >= 0) links_[static_cast<std::size_t>(head)].before = static_cast<std::int32_t>(body);
        head = static_cast<std::int32_t>(body);
    }

    void remove(std::uint32_t body) {
        Link& link = links_[body];
        if (!link.is_in) return;
        if (link.before >= 0)
            links_[static_cast<std::size_t>(link.before)].next = link.next;
        else
            heads_[bucket(link.ix, link.iy)] = link.next;
        if (link.next >= 0) links_[static_cast<std::size_t>(link.next)].before = link.before;
        link.is_in = false;
    }

    template <class Visit>
    void visit_cell(std::int32_t ix, std::int32_t iy, Visit&& visit) const {
        for (std::int32_t at = heads_[bucket(ix, iy)]; at >= 0; at = links_[static_cast<std::size_t>(at)].next)
            visit(static_cast<std::uint32_t>(at));
    }

    template <class Visit>
    void visit_around(std::int32_t ix, std::int32_t iy, Visit&& visit) const {
        for (std::int32_t y = iy - 1; y <= iy + 1; ++y)
            for (std::int32_t x = ix - 1; x <= ix + 1; ++x) visit_cell(x, y, visit);
    }

  private:
    double per_metre_ = 0.0;
    unsigned shift_ = 0;
    std::int32_t mask_ = 0;
    std::vector<std::int32_t> heads_;
    std::vector<Link> links_;

    std::size_t bucket(std::int32_t ix, std::int32_t iy) const {
        return static_cast<std::size_t>(iy & mask_) << shift_ | static_cast<std::size_t>(ix & mask_);
    }
};

}  // namespace kumi
