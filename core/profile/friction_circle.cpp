#include "profile/friction_circle.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kumi {
namespace {

// By how much z can grow over a way, the circle being kept at the faster end.
double gain(double z, double way, double bend, double grip, double rate) {
    const double most = 2.0 * rate * way;
    // (g / 2h)² + κ²(z + g)² = A², solved for the gain g.
    const double turn = 4.0 * way * way * bend * bend;
    const double half = turn * z;
    const double rest = 4.0 * way * way * (grip * grip - bend * z * bend * z);
    const double root = half * half + (1.0 + turn) * rest;
    const double result = root > 0.0 ? (std::sqrt(root) - half) / (1.0 + turn) : 0.0;
    return std::min(most, std::max(result, 0.0));
}

}  // namespace

void keep_friction_circle(const std::vector<double>& ways, const std::vector<double>& bends,
                          std::vector<double>& caps, double grip, double rise, double fall) {
    for (std::size_t i = ways.size(); i-- > 0;)
        caps[i] = std::min(caps[i], caps[i + 1] + gain(caps[i + 1], ways[i], bends[i], grip, fall));
    for (std::size_t i = 0; i < ways.size(); ++i)
        caps[i + 1] = std::min(caps[i + 1], caps[i] + gain(caps[i], ways[i], bends[i], grip, rise));
}

}  // namespace kumi
