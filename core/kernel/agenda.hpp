// What happens next?
//
// The agenda orders everything that will happen by (time, rank, order of scheduling). Entries are part
// of whatever is scheduled, so an entry knows its place and can be moved or withdrawn in O(log n)
// without leaving anything behind. Entries due at the current instant wait in plain queues, one a rank:
// a cascade of zero-time steps never touches the heap.
//
// This file knows neither Python nor models.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

namespace kumi {

constexpr double NEVER = std::numeric_limits<double>::infinity();
constexpr int RANKS = 8;

struct Entry {
    enum class Place : std::uint8_t { idle, ahead, due, gathered };

    double time = NEVER;
    std::uint32_t slot = 0;
    std::uint8_t rank = 0;
    Place place = Place::idle;
};

// Told of every planning, where somebody needs more than the order of one agenda.
struct Planning {
    virtual ~Planning() = default;
    virtual void note(Entry* entry) = 0;
    virtual void forget(Entry* entry) = 0;
};

class Agenda {
  public:
    double now = 0.0;
    Planning* planning = nullptr;

    std::size_t size() const { return heap_.size() + due_count_; }

    // Plans `entry` for `time`, which may not lie before `now`. An entry planned before is moved.
    void schedule(Entry* entry, double time) {
        assert(time >= now);
        if (time == NEVER) {
            withdraw(entry);
            return;
        }
        if (time == now) {
            withdraw(entry);
            entry->time = time;
            entry->place = Entry::Place::due;
            auto& queue = due_[entry->rank];
            entry->slot = static_cast<std::uint32_t>(queue.size());
            queue.push_back(entry);
            ranks_due_ |= 1u << entry->rank;
            ++live_[entry->rank];
            ++due_count_;
        } else if (entry->place == Entry::Place::ahead) {
            Key key{time, tie(entry), entry};
            entry->time = time;
            if (key < heap_[entry->slot])
                sift_up(entry->slot, key);
            else
                sift_down(entry->slot, key);
        } else {
            withdraw(entry);
            entry->time = time;
            entry->place = Entry::Place::ahead;
            heap_.emplace_back();
            sift_up(heap_.size() - 1, Key{time, tie(entry), entry});
        }
        if (planning) planning->note(entry);
    }

    void withdraw(Entry* entry) {
        switch (entry->place) {
        case Entry::Place::idle:
            return;
        case Entry::Place::ahead:
            remove_from_heap(entry->slot);
            break;
        case Entry::Place::due:
            remove_from_queue(entry);
            break;
        case Entry::Place::gathered:
            gathered_[entry->slot] = nullptr;
            break;
        }
        entry->place = Entry::Place::idle;
        entry->time = NEVER;
        if (planning) planning->forget(entry);
    }

    double next_time() const {
        if (due_count_) return now;
        return heap_.empty() ? NEVER : heap_.front().time;
    }

    // Moves the clock to the next time and takes out the entries of the least rank planned for it, in
    // order of scheduling. Entries withdrawn before their turn become null. An entry found in the heap
    // was planned before the clock came here, so it precedes those in the queue of the same rank.
    std::vector<Entry*>& gather() {
        for (Entry* left : gathered_)  // of a step that was broken off
            if (left) done(left);
        gathered_.clear();
        double time = next_time();
        if (time == NEVER) return gathered_;
        const unsigned rank = next_rank();
        now = time;
        while (!heap_.empty() && heap_.front().time == time && heap_.front().rank() == rank) {
            Entry* entry = heap_.front().entry;
            remove_from_heap(0);
            take(entry);
        }
        if (ranks_due_ >> rank & 1u) {
            for (Entry* entry : due_[rank])
                if (entry) take(entry);
            due_count_ -= live_[rank];
            forget(rank);
        }
        return gathered_;
    }

    // The rank of the entries that `gather` would take; RANKS if there are none.
    unsigned next_rank() const {
        unsigned rank = due_count_ ? static_cast<unsigned>(__builtin_ctz(ranks_due_)) : RANKS;
        if (!heap_.empty() && heap_.front().time == next_time() && heap_.front().rank() < rank)
            rank = heap_.front().rank();
        return rank;
    }

    // The entry ahead that comes first, or null.
    Entry* upcoming() const { return heap_.empty() ? nullptr : heap_.front().entry; }

    // Says that a gathered entry has had its turn.
    static void done(Entry* entry) {
        entry->place = Entry::Place::idle;
        entry->time = NEVER;
    }

  private:
    struct Key {
        double time;
        std::uint64_t tie;  // rank in the upper eight bits, order of scheduling below
        Entry* entry;

        bool operator<(const Key& other) const {
            return time < other.time || (time == other.time && tie < other.tie);
        }
        unsigned rank() const { return static_cast<unsigned>(tie >> 56); }
    };

    std::vector<Key> heap_;  // four children a node: fewer levels, and siblings share cache lines
    std::array<std::vector<Entry*>, RANKS> due_;  // withdrawn entries are null until swept
    std::array<std::size_t, RANKS> live_{};
    std::vector<Entry*> gathered_;
    std::size_t due_count_ = 0;
    unsigned ranks_due_ = 0;
    std::uint64_t scheduled_ = 0;

    std::uint64_t tie(const Entry* entry) {
        return static_cast<std::uint64_t>(entry->rank) << 56 | scheduled_++;
    }

    // Sweeps when more than half of the queue is null, so a queue never holds much that is withdrawn.
    void remove_from_queue(Entry* entry) {
        const unsigned rank = entry->rank;
        auto& queue = due_[rank];
        queue[entry->slot] = nullptr;
        --due_count_;
        if (--live_[rank] == 0) {
            forget(rank);
        } else if (queue.size() > 16 && queue.size() > 2 * live_[rank]) {
            std::size_t kept = 0;
            for (Entry* live : queue) {
                if (!live) continue;
                live->slot = static_cast<std::uint32_t>(kept);
                queue[kept++] = live;
            }
            queue.resize(kept);
        }
    }

    void forget(unsigned rank) {
        due_[rank].clear();
        live_[rank] = 0;
        ranks_due_ &= ~(1u << rank);
    }

    void take(Entry* entry) {
        entry->place = Entry::Place::gathered;
        entry->slot = static_cast<std::uint32_t>(gathered_.size());
        gathered_.push_back(entry);
    }

    void put(std::size_t slot, const Key& key) {
        heap_[slot] = key;
        key.entry->slot = static_cast<std::uint32_t>(slot);
    }

    void sift_up(std::size_t slot, Key key) {
        while (slot > 0) {
            std::size_t parent = (slot - 1) / 4;
            if (!(key < heap_[parent])) break;
            put(slot, heap_[parent]);
            slot = parent;
        }
        put(slot, key);
    }

    void sift_down(std::size_t slot, Key key) {
        const std::size_t size = heap_.size();
        for (;;) {
            std::size_t first = slot * 4 + 1;
            if (first >= size) break;
            std::size_t last = first + 4 < size ? first + 4 : size;
            std::size_t least = first;
            for (std::size_t child = first + 1; child < last; ++child)
                if (heap_[child] < heap_[least]) least = child;
            if (!(heap_[least] < key)) break;
            put(slot, heap_[least]);
            slot = least;
        }
        put(slot, key);
    }

    void remove_from_heap(std::size_t slot) {
        // With many entries, memory is the bottleneck: fetch the candidates for the next turns early.
        for (std::size_t next = 1; next < 5 && next < heap_.size(); ++next)
            __builtin_prefetch(heap_[next].entry);
        Key last = heap_.back();
        heap_.pop_back();
        if (slot == heap_.size()) return;
        if (slot > 0 && last < heap_[(slot - 1) / 4])
            sift_up(slot, last);
        else
            sift_down(slot, last);
    }
};

}  // namespace kumi
