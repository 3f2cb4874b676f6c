// Floods, and the ways back to where they came from.
#include "mapf/flood.hpp"

#include <algorithm>

namespace kumi::mapf {

Flood::Flood(const Problem& problem) : problem_(problem), memory_(problem.memory) {
    const Graph& graph = problem.graph;
    const auto places = static_cast<Place>(graph.size());
    stride_ = graph.columns() + 1;
    stride_ += stride_ % 64 == 0;  // so that no shift is by a whole word
    words_ = ((graph.cell(places - 1) / graph.columns() + 1) * stride_ + 63) / 64;
    margin_ = stride_ / 64 + 1;
    memory_.take((graph.size() + words_) * sizeof(Word) + words_ * 64 * sizeof(Place));
    walls_.assign(words_, ~Word{0});
    places_.assign(words_ * 64, -1);
    for (Place place = 0; place < places; ++place) {
        const std::size_t cell = graph.cell(place);
        const std::size_t bit = cell / graph.columns() * stride_ + cell % graph.columns();
        bits_.push_back(bit);
        places_[bit] = place;
        walls_[bit >> 6] ^= Word{1} << (bit & 63);
    }
}

bool Flood::begin(Steps horizon) {
    constexpr std::size_t MOST_WORDS = 256, PART = 16;  // of the memory
    const auto instants = static_cast<std::size_t>(horizon);
    const std::size_t there = others_.size() + reached_.size();
    const std::size_t needed = instants * (SETS * words_ + words_ + 2 * margin_);
    const std::size_t more = needed > there ? (needed - there) * sizeof(Word) : 0;
    if (words_ > MOST_WORDS || needed * sizeof(Word) > problem_.memory.most / PART) return false;
    if (problem_.memory.used + more > problem_.memory.most) return false;
    memory_.take(more);
    horizon_ = horizon;
    others_.assign(instants * SETS * words_, 0);
    for (Steps time = 0; time < horizon; ++time) std::ranges::copy(walls_, others(taken, time));
    reached_.assign(instants * (words_ + 2 * margin_), 0);
    return true;
}

void Flood::mark(Set set, Steps time, std::size_t bit, bool is_there) {
    Word& word = others(set, time)[bit >> 6];
    const Word mask = Word{1} << (bit & 63);
    word = is_there ? word | mask : word & ~mask;
}

void Flood::write(const Places& way, bool is_there) {
    const Steps last = static_cast<Steps>(way.size()) - 1;
    for (Steps time = 0; time < horizon_; ++time) {
        const std::size_t bit = bits_[way[std::min(time, last)]];
        mark(taken, time, bit, is_there);
        if (time >= last) continue;
        const std::size_t next = bits_[way[time + 1]];
        if (next != bit) mark(towards(bit, next), time, bit, is_there);
    }
}

// When somebody is at a place for the last time.
Steps Flood::last_visit(std::size_t bit) {
    Steps time = horizon_ - 1;
    while (time >= 0 && !has(others(taken, time), bit)) --time;
    return time;
}

Places Flood::way(int robot, Steps most, std::uint64_t chance) {
    const std::size_t start = bits_[problem_.starts[robot]], goal = bits_[problem_.goals[robot]];
    const Steps visited = last_visit(goal);
    most = std::min(most, horizon_ - 1);
    if (visited >= most) return {};
    std::fill_n(reached(0), words_, 0);
    reached(0)[start >> 6] = Word{1} << (start & 63);
    first_ = last_ = start >> 6;
    for (Steps time = 0; time <= most; ++time) {
        clock_.tick();
        if (time > visited && can_be(goal, time)) return traced(goal, time, chance);
        if (time == most || !spread(time)) break;
    }
    return {};
}

// From one instant to the next; false when the robot can be nowhere then. Around the words that are filled lie as many
// as will be looked at, cleared of earlier floods.
bool Flood::spread(Steps time) {
    const auto before = [&](std::size_t words) { return first_ < words ? 0 : first_ - words; };
    const auto after = [&](std::size_t words) { return std::min(words_ - 1, last_ + words); };
    const std::size_t first = before(margin_), last = after(margin_);
    const std::size_t whole = stride_ / 64, part = stride_ % 64;
    const Word* const now = reached(time);
    Word* const __restrict next = reached(time + 1);
    std::fill(next + before(3 * margin_), next + after(3 * margin_) + 1, 0);
    const Word *const there = others(taken, time + 1), *const ups = others(up, time),
                      *const rights = others(right, time), *const downs = others(down, time),
                      *const lefts = others(left, time);
    for (std::size_t i = first; i <= last; ++i) {
        const Word rightwards = (now[i] << 1 | now[i - 1] >> 63) & ~lefts[i];
        const Word leftwards = (now[i] >> 1 | now[i + 1] << 63) & ~rights[i];
        const Word downwards = (now[i - whole] << part | now[i - whole - 1] >> (64 - part)) & ~ups[i];
        const Word upwards = (now[i + whole] >> part | now[i + whole + 1] << (64 - part)) & ~downs[i];
        next[i] = (now[i] | rightwards | leftwards | downwards | upwards) & ~there[i];
    }
    work_ += last - first + 1;
    first_ = first;
    last_ = last;
    while (first_ <= last_ && !next[first_]) ++first_;
    if (first_ > last_) return false;
    while (!next[last_]) --last_;
    return true;
}

// Back from the end: the robot waits as early as it can or as late, and its turns are tried in an order by chance.
Places Flood::traced(std::size_t bit, Steps last, std::uint64_t chance) {
    Places way(static_cast<std::size_t>(last) + 1);
    const bool waits_late = chance & 4;
    for (Steps time = last;; --time) {
        const Place at = places_[bit];
        way[time] = at;
        if (time == 0) return way;
        const Word* const before = reached(time - 1);
        if (waits_late && has(before, bit)) continue;
        const auto near = problem_.graph.near(at);
        for (std::size_t i = 0; i < near.size(); ++i) {
            const std::size_t from = bits_[near[(i + chance) % near.size()]];
            if (!has(before, from) || has(others(towards(bit, from), time - 1), bit)) continue;
            bit = from;
            break;
        }
    }
}

}  // namespace kumi::mapf
