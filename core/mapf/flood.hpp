// The fastest way of one robot among others that keep to theirs, where there are many: a flood.
//
// All places where the robot can be at an instant are a string of bits, row after row of the map with a wall between
// them. A step in each direction is a shift of it, and where the others are then is taken away. In a jam, where all ways
// are late, a search from state to state looks at nearly everything, too, but at one place at a time and not at 64.
// Where the others are on their way, and where each of them goes next, are three such strings for each instant. Those at
// their goals are in none of them: a flood gathers them as it comes to the instants at which they arrive.
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
    // Who is there, and the two bits of the direction in which it goes on: they mean nothing where nobody is, and for one
    // who stays, whom nobody can pass either way.
    enum Set : std::size_t { taken, low, high, SETS };
    enum Direction : std::size_t { up, right, down, left };
    static bool has(const Word* bits, std::size_t at) { return bits[at >> 6] >> (at & 63) & 1; }
    void write(const Places& way, bool is_there);
    Direction towards(std::size_t from, std::size_t to) const {
        return to == from + 1 ? right : to + 1 == from ? left : to > from ? down : up;
    }
    Word* others(Set set, Steps time) {
        return others_.data() + (static_cast<std::size_t>(time) * SETS + set) * words_;
    }
    // Whether one of the others goes from a place to a neighbour.
    bool goes(Steps time, std::size_t from, std::size_t to) {
        const Direction direction = towards(from, to);
        return has(others(taken, time), from) && has(others(low, time), from) == (direction & 1) &&
               has(others(high, time), from) == direction >> 1;
    }
    void settle(Steps time) {
        for (const std::size_t bit : arrivals_[time]) settled_[bit >> 6] |= Word{1} << (bit & 63);
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
    std::vector<std::vector<std::size_t>>
        arrivals_;                      // the goals of others, by the instants from which on they stay
    std::vector<Word> settled_;         // walls, and goals at which others have arrived
    std::size_t first_ = 0, last_ = 0;  // the words in which the robot can be
    std::size_t work_ = 0;
    grid::Clock clock_;
};

}  // namespace kumi::mapf
