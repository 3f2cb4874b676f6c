// Where does a vehicle's speed stay at its tops for too short a time, and how high may they then be?
//
// A chain of straight lines over the way holds squares of speeds. Each top that lasts for less than a window of time is
// cut off at the height where it lasts so long.
#pragma once

#include <vector>

namespace kumi {

struct Chain {
    std::vector<double> s, z;
};

Chain without_short_tops(const Chain& chain, double window);

}  // namespace kumi
