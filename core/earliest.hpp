// Whose time is the least?
//
// One time for each number; of equal times that of the lower number comes first. Times lie eight to a line of
// the processor's cache; above the lines stands a knock-out tree that keeps for each pair of lines the
// earlier one. Setting a time plays its way up again, a fixed number of comparisons without a guess for the
// processor to get wrong, and moves nothing: a heap would write the new place of each entry it passes
// somewhere else in memory.
#pragma once

#include "contact.hpp"
#include "wide.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace kumi {

class Earliest {
  public:
    std::uint32_t who() const { return tree_[1].who; }
    double time() const { return std::bit_cast<double>(tree_[1].time); }

    // Makes room for the numbers below `count`.
    void resize(std::size_t count) {
        const std::size_t lines = (count + 7) / 8;
        if (lines <= lines_.size()) return;
        lines_.resize(lines);
        if (lines <= leaves_) return;
        leaves_ = std::bit_ceil(lines);
        tree_.assign(2 * leaves_, {});
        for (std::size_t line = 0; line < lines; ++line) tree_[leaves_ + line] = first_of(line);
        for (std::size_t node = leaves_ - 1; node > 0; --node)
            tree_[node] = earlier(tree_[2 * node], tree_[2 * node + 1], 0);
    }

    // The time is not negative.
    void set(std::uint32_t who, double time) {
        lines_[who / 8].times[who % 8] = std::bit_cast<std::uint64_t>(time + 0.0);  // not the negative zero
        std::size_t node = leaves_ + who / 8;
        Entry best = first_of(who / 8);
        Entry* tree = tree_.data();
        tree[node] = best;
        for (; node > 1; node /= 2) {
            best = earlier(best, tree[node ^ 1], node & 1);
            tree[node / 2] = best;
        }
    }

    // Who is the first of a part of all, that in which `who` lies: after so many halvings.
    std::uint32_t first_near(std::uint32_t who, int halvings) const {
        const std::size_t node = leaves_ + who / 8;
        return tree_[node >> std::max(0, static_cast<int>(std::bit_width(leaves_)) - 1 - halvings)].who;
    }

    void fetch(std::uint32_t who) const { __builtin_prefetch(&lines_[who / 8]); }

    std::size_t bytes() const { return lines_.capacity() * sizeof(Line) + tree_.capacity() * sizeof(Entry); }

  private:
    // Times that are not negative are in the same order as their bits, and choosing by bits takes no jump.
    static constexpr std::uint64_t NEVER = std::bit_cast<std::uint64_t>(INFINITE_TIME);

    struct Entry {
        std::uint64_t time = NEVER;
        std::uint32_t who = 0;
    };
    struct alignas(64) Line {
        std::uint64_t times[8] = {NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER};
    };
    Wide<Line> lines_ = Wide<Line>(1);
    Wide<Entry> tree_ = Wide<Entry>(2);  // the root is 1, the children of n are 2n and 2n + 1
    std::size_t leaves_ = 1;

    // Of two with equal times it is the second if `is_second_lower` is 1, else the first.
    static Entry earlier(const Entry& first, const Entry& second, std::uint64_t is_second_lower) {
        const std::uint64_t mask = -static_cast<std::uint64_t>(second.time < first.time + is_second_lower);
        return {first.time ^ ((first.time ^ second.time) & mask),
                first.who ^ ((first.who ^ second.who) & static_cast<std::uint32_t>(mask))};
    }

    Entry first_of(std::size_t line) const {
        const std::uint64_t* t = lines_[line].times;
        const std::uint64_t least = std::min(std::min(std::min(t[0], t[1]), std::min(t[2], t[3])),
                                             std::min(std::min(t[4], t[5]), std::min(t[6], t[7])));
        unsigned which = 0;
        for (unsigned i = 0; i < 8; ++i) which |= static_cast<unsigned>(t[i] == least) << i;
        return {least, static_cast<std::uint32_t>(line * 8) + static_cast<std::uint32_t>(std::countr_zero(which))};
    }
};

}  // namespace kumi
