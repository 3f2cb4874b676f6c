// Who is near? Cells of one size over the whole plane, which has no edge.
//
// A cell is kept in the bucket of its two numbers modulo powers of two, so the table is small however
// far bodies go. Cells far apart may share a bucket: those who look then meet bodies that are not near,
// which costs a little and is never wrong.
//
// Most cells hold few bodies: a bucket has room for three, and a list for those beyond. So looking around is
// copying without a question that the processor could guess wrong: a whole bucket each time, whatever it holds.
#pragma once

#include "numbers/vec.hpp"
#include "numbers/wide.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace kumi {

class Grid {
  public:
    struct Link {
        std::int32_t ix = OUT, iy = 0;
        bool operator==(const Link&) const = default;
    };

    // A list of bodies that were found, with room for what nine buckets hold.
    class Found {
      public:
        const std::uint32_t* begin() const { return bodies_.data(); }
        const std::uint32_t* end() const { return bodies_.data() + count_; }
        void clear() { count_ = 0; }
        void push(std::uint32_t body) {
            if (count_ >= bodies_.size()) bodies_.resize(2 * bodies_.size());
            bodies_[count_++] = body;
        }
        // Puts a body behind the list, four times, for those who read it by fours.
        void pad(std::uint32_t body) {
            if (count_ + 4 > bodies_.size()) bodies_.resize(2 * bodies_.size());
            std::fill_n(bodies_.data() + count_, 4, body);
        }

      private:
        friend class Grid;
        static constexpr std::size_t ROOM = 40;
        std::vector<std::uint32_t> bodies_ = std::vector<std::uint32_t>(ROOM);
        std::size_t count_ = 0;
    };

    static constexpr std::int32_t LAST = 2'000'000'000;  // beyond this many cells all are one

    double cell = 0.0;

    // For so many bodies, on an area of so many cells if that is known.
    void shape(double size, std::size_t bodies, double across = 0.0, double up = 0.0) {
        cell = size;
        per_metre_ = 1.0 / size;
        const unsigned square = std::max(2u, (static_cast<unsigned>(std::bit_width(bodies)) + 2) / 2);
        const auto side = [&](double cells) {
            unsigned bits = cells > 0.0 ? 2 : square;
            while (bits <= square && (1 << bits) < cells) ++bits;
            return bits;
        };
        shift_ = side(across);
        mask_x_ = (1 << shift_) - 1;
        mask_y_ = (1 << side(up)) - 1;
        buckets_.assign(static_cast<std::size_t>(mask_y_ + 1) << shift_, Bucket{});
        links_.assign(links_.size(), Link{});
    }

    void reserve(std::size_t bodies) {
        if (links_.size() < bodies) links_.resize(bodies);
    }

    std::int32_t index(double coordinate) const {
        const double number = coordinate * per_metre_;
        if (!(number > -1.0 * LAST)) return -LAST;
        if (number >= 1.0 * LAST) return LAST;
        const std::int32_t whole = static_cast<std::int32_t>(number);  // towards 0
        return whole - (whole > number);
    }
    double low(std::int32_t number) const { return number * cell; }
    double high(std::int32_t number) const { return (number + 1.0) * cell; }

    // Whether there is no other cell beyond.
    static bool is_last(std::int32_t number, bool upwards) { return number == (upwards ? LAST : -LAST); }

    static bool is_outermost(const Link& link) {
        return std::max(std::abs(link.ix), std::abs(link.iy)) >= LAST;
    }

    const Link& link(std::uint32_t body) const { return links_[body]; }
    bool holds(std::uint32_t body) const { return body < links_.size() && links_[body].ix != OUT; }

    void insert(std::uint32_t body, const Link& cell) {
        links_[body] = cell;
        add(bucket_of(cell.ix, cell.iy), body);
    }

    void remove(std::uint32_t body) {
        if (!holds(body)) return;
        Link& link = links_[body];
        take_out(bucket_of(link.ix, link.iy), body);
        link.ix = OUT;
    }

    // For one that is held.
    void move(std::uint32_t body, const Link& to) {
        const Link from = links_[body];
        take_out(bucket_of(from.ix, from.iy), body);
        insert(body, to);
    }

    template <class Visit> void visit_cell(std::int32_t ix, std::int32_t iy, Visit&& visit) const {
        const Bucket& bucket = bucket_of(ix, iy);
        for (std::uint32_t i = 0; i < bucket.count(); ++i) visit(bucket.few[i]);
        for (std::uint32_t at = bucket.more(); at != NONE; at = beyond_[at]) visit(at);
    }

    template <class Visit> void visit_around(std::int32_t ix, std::int32_t iy, Visit&& visit) const {
        for (std::int32_t y = iy - 1; y <= iy + 1; ++y)
            for (std::int32_t x = ix - 1; x <= ix + 1; ++x) visit_cell(x, y, visit);
    }

    // The first three of a cell, or who is given in the place of one that is missing: for fetching ahead.
    template <class Visit>
    void visit_few(std::int32_t ix, std::int32_t iy, std::uint32_t otherwise, Visit&& visit) const {
        const Bucket& bucket = bucket_of(ix, iy);
        for (std::uint32_t i = 0; i < FEW; ++i) visit(i < bucket.count() ? bucket.few[i] : otherwise);
    }

    // Those of three cells in a row or a column, about the middle one, or of the nine around and in one, in place of what was
    // found before.
    void find_row(const Link& middle, bool is_row, Found& found) const {
        const auto [ix, iy] = middle;
        const std::int32_t across = is_row, up = !is_row;
        find<3>({number(ix - across, iy - up), number(ix, iy), number(ix + across, iy + up)}, found);
    }

    void find_around(const Link& middle, Found& found) const {
        const auto [ix, iy] = middle;
        const std::size_t columns[3] = {column(ix - 1), column(ix), column(ix + 1)};
        const std::size_t rows[3] = {row(iy - 1), row(iy), row(iy + 1)};
        find<9>({rows[0] | columns[0], rows[0] | columns[1], rows[0] | columns[2], rows[1] | columns[0],
                 rows[1] | columns[1], rows[1] | columns[2], rows[2] | columns[0], rows[2] | columns[1],
                 rows[2] | columns[2]},
                found);
    }

    // Asks for memory that will be needed.
    void fetch(std::uint32_t body) const { __builtin_prefetch(links_.data() + body); }
    void fetch_around(const Link& middle) const {
        asm volatile("");  // else the compiler finds that this changes nothing, and leaves the call out
        const auto [ix, iy] = middle;
        for (std::int32_t y = iy - 1; y <= iy + 1; ++y) {
            __builtin_prefetch(&bucket_of(ix - 1, y));
            __builtin_prefetch(&bucket_of(ix + 1, y));
        }
    }

    std::size_t bytes() const {
        return buckets_.capacity() * sizeof(Bucket) + links_.capacity() * sizeof(Link) +
               beyond_.capacity() * 4;
    }

  private:
    static constexpr std::int32_t OUT = std::numeric_limits<std::int32_t>::min();
    static constexpr std::uint32_t FEW = 3, NONE = 0x3FFFFFFFu;

    struct Bucket {
        std::uint32_t few[FEW] = {};
        std::uint32_t head =
            NONE << 2;  // the first of those beyond, and in the lower two bits how many there are here

        std::uint32_t count() const { return head & 3; }
        std::uint32_t more() const { return head >> 2; }
        void set_more(std::uint32_t body) { head = body << 2 | count(); }
    };
    static_assert(sizeof(Bucket) == 16);

    double per_metre_ = 0.0;
    unsigned shift_ = 0;
    std::int32_t mask_x_ = 0, mask_y_ = 0;
    Wide<Bucket> buckets_;
    Wide<Link> links_;
    std::vector<std::uint32_t> beyond_;  // the next in the list of its cell

    std::size_t column(std::int32_t ix) const { return static_cast<std::size_t>(ix & mask_x_); }
    std::size_t row(std::int32_t iy) const { return static_cast<std::size_t>(iy & mask_y_) << shift_; }
    std::size_t number(std::int32_t ix, std::int32_t iy) const { return row(iy) | column(ix); }
    Bucket& bucket_of(std::int32_t ix, std::int32_t iy) { return buckets_[number(ix, iy)]; }
    const Bucket& bucket_of(std::int32_t ix, std::int32_t iy) const { return buckets_[number(ix, iy)]; }

    void add(Bucket& bucket, std::uint32_t body) {
        if (bucket.count() < FEW) {
            bucket.few[bucket.count()] = body;
            ++bucket.head;
            return;
        }
        if (beyond_.size() < links_.size()) beyond_.resize(links_.size());
        beyond_[body] = bucket.more();
        bucket.set_more(body);
    }

    void take_out(Bucket& bucket, std::uint32_t body) {
        if (bucket.more() != NONE) {
            take_out_of_many(bucket, body);
            return;
        }
        // It is one of the few; what is left behind their number is older, so the first that is alike is meant.
        const std::uint32_t place = bucket.few[0] == body ? 0 : 2 - (bucket.few[1] == body);
        bucket.few[place] = bucket.few[bucket.count() - 1];
        --bucket.head;
    }

    void take_out_of_many(Bucket& bucket, std::uint32_t body) {
        for (std::uint32_t i = 0; i < FEW; ++i) {  // all are taken
            if (bucket.few[i] != body) continue;
            bucket.few[i] = bucket.more();
            bucket.set_more(beyond_[bucket.more()]);
            return;
        }
        std::uint32_t before = bucket.more();
        if (before == body) {
            bucket.set_more(beyond_[body]);
            return;
        }
        while (beyond_[before] != body) before = beyond_[before];
        beyond_[before] = beyond_[body];
    }

    template <std::size_t COUNT> void find(const std::size_t (&numbers)[COUNT], Found& found) const {
        const Bucket* buckets = buckets_.data();
        std::uint32_t* end = found.bodies_.data();
        std::uint32_t all = NONE << 2;
        for (std::size_t i = 0; i < COUNT; ++i) {
            const Bucket& bucket = buckets[numbers[i]];
            std::memcpy(end, &bucket, sizeof bucket);
            end += bucket.count();
            all &= bucket.head;
        }
        found.count_ = static_cast<std::size_t>(end - found.bodies_.data());
        if (all >> 2 == NONE) return;
        for (std::size_t number : numbers)
            for (std::uint32_t at = buckets[number].more(); at != NONE; at = beyond_[at]) found.push(at);
    }
};

}  // namespace kumi
