// Which places in a store are free?
//
// Whoever goes leaves its place, and who comes later takes it, so a store is as large as the most that were ever there at once.
// What happened to the one that left may still have to be told: its place is free only after `release`. The first free place is
// taken first: of what happens at one time that with the lower place comes first, so those who come to a store that is empty again
// are served in the order in which they came, as in a new one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace kumi {

class Slots {
  public:
    void leave(std::uint32_t slot) { left_.push_back(slot); }
    // Nobody will be told of those that left any more.
    void release() {
        for (std::uint32_t slot : left_) {
            free_.push_back(slot);
            std::push_heap(free_.begin(), free_.end(), std::greater{});
        }
        left_.clear();
    }
    // Gives a free place; false where there is none.
    bool take(std::uint32_t& slot) {
        if (free_.empty()) return false;
        std::pop_heap(free_.begin(), free_.end(), std::greater{});
        slot = free_.back();
        free_.pop_back();
        return true;
    }
    std::size_t bytes() const { return (free_.capacity() + left_.capacity()) * sizeof(std::uint32_t); }

  private:
    std::vector<std::uint32_t> free_;  // a heap, the least first
    std::vector<std::uint32_t> left_;
};

}  // namespace kumi
