// What does a sensor read of a true distance?
//
// In the order of its draws: none where a distance is beyond the reach, one for a dropout, and one or more for the error.
#pragma once

#include "numbers/chance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kumi {

struct Misreading {
    int spread;  // the kind of the error: +1 a normal one, -1 one evenly spread, 0 none
    double size, share, dropout, least, reach;

    double operator()(double distance, Chance& chance) const {
        if (distance > reach || (dropout != 0.0 && chance.unit() < dropout))
            return std::numeric_limits<double>::infinity();
        if (spread > 0)
            distance = distance + (size + share * std::abs(distance)) * chance.normal();
        else if (spread < 0)
            distance = distance + (size + share * std::abs(distance)) * chance.between(-1.0, 1.0);
        return std::min(std::max(distance, least), reach);
    }
};

}  // namespace kumi
