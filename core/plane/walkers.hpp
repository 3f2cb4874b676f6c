// How does a body go about without a program?
//
// A random walker goes from one random place in a box to the next. Most walk alike, so what they share is kept once.
#pragma once

#include "numbers/chance.hpp"
#include "numbers/wide.hpp"
#include "plane/body.hpp"
#include "plane/obstacles.hpp"

#include <algorithm>
#include <vector>

namespace kumi {

struct Walker {
    Bits chance;
    Box box;
    double slowest, fastest;
};

struct Walk {
    Box box;
    double slowest, fastest;
    bool operator==(const Walk&) const = default;
};

class Walkers {
  public:
    // Of so many bodies this one walks from now on; gives the number of its walk.
    std::uint32_t add(BodyId id, const Walker& walker, std::size_t bodies) {
        const Walk walk{walker.box, walker.slowest, walker.fastest};
        const auto found = std::find(walks_.rbegin(), walks_.rend(), walk);  // most walk alike
        std::uint32_t number = static_cast<std::uint32_t>(walks_.rend() - found) - 1;
        if (found == walks_.rend()) {
            number = static_cast<std::uint32_t>(walks_.size());
            walks_.push_back(walk);
        }
        if (chances_.size() <= id) chances_.resize(bodies);
        chances_[id] = walker.chance;
        return number;
    }

    const Walk& walk(std::uint32_t number) const { return walks_[number]; }
    Bits& chance(BodyId body) { return chances_[body]; }
    // Asks for memory that will be needed.
    void fetch(BodyId body) const {
        if (body < chances_.size()) __builtin_prefetch(&chances_[body]);
    }
    std::size_t bytes() const { return chances_.capacity() * sizeof(Bits); }

  private:
    std::vector<Walk> walks_;
    Wide<Bits> chances_;  // of walkers, by body
};

}  // namespace kumi
