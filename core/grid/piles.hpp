// Which item is next, when estimates begin close together and spread? A queue in piles.
//
// An item lies on the pile of its estimate's rise above the first. Piles widen with the root of the rise: where all
// ways are about as long they tell small differences, and after long detours a few piles do. The last item of a pile
// comes first. Items lie in chunks that are used again, so that little memory is touched.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace kumi::grid {

template <typename T> class Piles {
  public:
    struct Entry {
        double estimate;
        T item;
    };

    explicit Piles(double first) : first_(first), heads_(4096, nullptr), filled_(4096 / 64) {}

    bool empty() const { return !size_; }

    void push(double estimate, const T& item) {
        const double rise = estimate - first_;
        const std::size_t pile =
            rise > 0.0 ? std::max(at_, static_cast<std::size_t>(FINE * std::sqrt(rise))) : at_;
        if (pile >= heads_.size()) grow(pile);
        Chunk*& head = heads_[pile];
        if (!head || head->size == CHUNK) head = fresh(head);
        head->entries[head->size++] = {estimate, item};
        filled_[pile / 64] |= std::uint64_t{1} << (pile % 64);
        ++size_;
    }

    // Only while it is not empty.
    Entry pop() {
        advance();
        Chunk*& head = heads_[at_];
        const Entry entry = head->entries[--head->size];
        if (!head->size) {
            Chunk* emptied = head;
            head = emptied->next;
            emptied->next = spare_;
            spare_ = emptied;
            if (!head) filled_[at_ / 64] &= ~(std::uint64_t{1} << (at_ % 64));
        }
        --size_;
        return entry;
    }

    // No entry has a smaller estimate than this, but for rounding.
    double least() const {
        const double root = static_cast<double>(at_) / FINE;
        return first_ + root * root;
    }

  private:
    static constexpr std::size_t CHUNK = 15;
    static constexpr double FINE = 128.0;  // piles to the root of a unit
    struct Chunk {
        std::size_t size;
        Chunk* next;
        Entry entries[CHUNK];
    };

    void grow(std::size_t pile) {
        const std::size_t piles = std::bit_ceil(pile + 1);
        heads_.resize(piles, nullptr);
        filled_.resize(piles / 64);
    }

    Chunk* fresh(Chunk* next) {
        Chunk* chunk = spare_;
        if (chunk)
            spare_ = chunk->next;
        else
            chunk = &chunks_.emplace_back();
        chunk->size = 0;
        chunk->next = next;
        return chunk;
    }

    void advance() {
        std::size_t word = at_ / 64;
        std::uint64_t rest = filled_[word] >> (at_ % 64) << (at_ % 64);
        while (!rest) rest = filled_[++word];
        at_ = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
    }

    double first_;
    std::size_t at_ = 0, size_ = 0;
    std::vector<Chunk*> heads_;
    std::vector<std::uint64_t> filled_;
    std::deque<Chunk> chunks_;
    Chunk* spare_ = nullptr;
};

}  // namespace kumi::grid
