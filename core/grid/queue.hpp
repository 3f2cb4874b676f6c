// Which node is next? A queue in buckets.
//
// Estimates of a search with a consistent heuristic never fall by more than rounding, and one move raises them by
// at most twice its length. So a ring of narrow buckets holds all that is open, and nothing is sorted. Within a
// bucket the last comes first, and a node may come a little before one with a smaller estimate: whoever uses the
// queue takes a shorter way to a known node, and stops only when no bucket can hold a better one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kumi::grid {

class Buckets {
  public:
    struct Entry {
        double estimate;
        std::int32_t node, next;
    };

    // `first` is the least estimate, `rise` the most by which one move can raise it, `width` that of a bucket.
    Buckets(double first, double rise, double width)
        : first_(first),
          per_unit_(1.0 / std::max(width, 1e-290)),
          ring_(std::bit_ceil(static_cast<std::size_t>(std::min(rise * per_unit_, MOST)) + 64)),
          heads_(ring_, -1),
          filled_(ring_ / 64) {}

    bool empty() const { return !size_; }

    void push(double estimate, std::int32_t node) {
        const double above = (estimate - first_) * per_unit_;
        const std::size_t bucket =
            above > static_cast<double>(at_) ? static_cast<std::size_t>(std::min(above, FARTHEST)) : at_;
        const std::size_t slot = bucket & (ring_ - 1);
        std::int32_t place = spare_;
        if (place >= 0)
            spare_ = entries_[place].next;
        else
            place = static_cast<std::int32_t>(entries_.size()), entries_.emplace_back();
        entries_[place] = {estimate, node, heads_[slot]};
        heads_[slot] = place;
        filled_[slot / 64] |= std::uint64_t{1} << (slot % 64);
        ++size_;
    }

    // Only while it is not empty.
    Entry pop() {
        advance();
        const std::size_t slot = at_ & (ring_ - 1);
        const std::int32_t place = heads_[slot];
        const Entry entry = entries_[place];
        heads_[slot] = entry.next;
        if (entry.next < 0) filled_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
        entries_[place].next = spare_;
        spare_ = place;
        --size_;
        return entry;
    }

    // No entry has a smaller estimate than this.
    double least() const { return first_ + static_cast<double>(at_) / per_unit_; }

  private:
    void advance() {
        for (;;) {
            const std::size_t slot = at_ & (ring_ - 1);
            const std::uint64_t rest = filled_[slot / 64] >> (slot % 64);
            if (rest) {
                at_ += static_cast<std::size_t>(std::countr_zero(rest));
                return;
            }
            at_ += 64 - slot % 64;
        }
    }

    static constexpr double MOST = 1 << 20, FARTHEST = 1e18;
    double first_, per_unit_;
    std::size_t ring_, at_ = 0, size_ = 0;
    std::vector<std::int32_t> heads_;
    std::vector<std::uint64_t> filled_;
    std::vector<Entry> entries_;
    std::int32_t spare_ = -1;
};

}  // namespace kumi::grid
