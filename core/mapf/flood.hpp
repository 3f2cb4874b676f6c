// The fastest way of one robot among others that keep to theirs, where there are many: a flood.
//
// All places where the robot can be at an instant are a string of bits, row after row of the map with a wall between
// them. A step in each direction is a shift of it, and where the others are then is taken away. In a jam, where all ways
// are late, a search from state to state looks at nearly everything, too, but at one place at a time and not at 64.
// Where the others are, and which places they leave in which direction, are such strings, one for each instant.
#pragma once

#include "mapf/mapf.hpp"

namespace kumi::mapf {

class Flood {
  public:
    explicit Flood(const Problem& problem);
    // Forgets the others; ways end before so many steps from now on. False where that takes too much memory, or floods
    // take too long, since the map is large.
    bool begin(Steps horizon);
    void add(const Places& way) { write(way, true); }
    void remove(const Places& way) { write(way, false); }
    // The way of a robot that arrives after `most` steps at the latest; empty where there is none. Of ways as early one
    // is taken by chance.
    Places way(int robot, Steps most, std::uint64_t chance);
    Steps horizon() const { return horizon_; }
    std::size_t work() const { return work_; }  // words taken up so far

  private:
    using Word = std::uint64_t;
    enum Set : std::size_t { taken, up, right, down, left, SETS };
    static bool has(const Word* bits, std::size_t at) { return bits[at >> 6] >> (at & 63) & 1; }
    void write(const Places& way, bool is_there);
    void mark(Set set, Steps time, std::size_t bit, bool is_there);
    Set towards(std::size_t from, std::size_t to) const {
        return to == from + 1 ? right : to + 1 == from ? left : to > from ? down : up;
    }
    Word* others(Set set, Steps time) {
        return others_.data() + (static_cast<std::size_t>(time) * SETS + set) * words_;
    }
    Word* reached(Steps time) {
        return reached_.data() + static_cast<std::size_t>(time) * (words_ + 2 * margin_) + margin_;
    }
    bool can_be(std::size_t bit, Steps time) {
        return first_ <= bit >> 6 && bit >> 6 <= last_ && has(reached(time), bit);
    }
    Steps last_visit(std::size_t bit);
    bool spread(Steps time);
    Places traced(std::size_t bit, Steps last, std::uint64_t chance);

    Problem problem_;
    std::size_t stride_, words_, margin_;  // bits of a row, words of a string, words of a row and one more
    Share memory_;
    Steps horizon_ = 0;
    std::vector<std::size_t> bits_;  // by place
    std::vector<Place> places_;      // by bit
    std::vector<Word> walls_, others_, reached_;
    std::size_t first_ = 0, last_ = 0;  // the words in which the robot can be
    std::size_t work_ = 0;
    grid::Clock clock_;
};

}  // namespace kumi::mapf
