// Which velocity within half-planes and a top speed is nearest to the one that is wanted?
//
// Half-planes are added one after the other. While the best velocity lies in the next one, it stays; else the new best lies on
// that one's border, where what the others leave is an interval. Where no velocity lies in all of them, the hard ones hold and the
// largest violation of the others is the least there is. Both answers are exact up to rounding: nothing is iterated. Written
// after the incremental programs of de Berg and others (2008), as in van den Berg and others (2011).
#pragma once

#include <vector>

#include "numbers/vec.hpp"

namespace kumi::avoidance {

// The velocities v with dot(normal, v) <= bound; the normal has length 1.
struct HalfPlane {
    Vec normal;
    double bound;

    double excess(Vec v) const { return dot(normal, v) - bound; }
};

class HalfPlanes {
  public:
    // The nearest velocity no longer than `top`. The first `hard` half-planes hold before the others; if even they leave nothing,
    // their largest violation is the least, and the others count for nothing.
    Vec nearest(Vec wanted, double top, std::size_t hard);

    std::vector<HalfPlane> planes;

  private:
    // What is to be best about a velocity: near a place, or far in a direction.
    struct Aim {
        Vec at;
        bool is_direction;
    };

    static bool best_on(const std::vector<HalfPlane>& planes, std::size_t number, Aim aim, double top,
                        Vec& v);
    static std::size_t best_within(const std::vector<HalfPlane>& planes, Aim aim, double top, Vec& v);
    Vec least_excess(Vec v, double top, std::size_t hard, std::size_t first) const;

    mutable std::vector<HalfPlane> level_;
};

}  // namespace kumi::avoidance
