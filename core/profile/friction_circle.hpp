// How fast can a vehicle go when its tyres share their grip between the curve and speeding up?
//
// In a cell of the way the acceleration is even, and z = v² and |κ| are at most those of the faster end and the sharpest
// place: (z1 - z0)² / 4h² + κ² max(z0, z1)² <= A². See kumi.planning.profile.
#pragma once

#include <vector>

namespace kumi {

// Lower the caps at the ends of cells to the highest squares of speeds that keep to the circle of friction.
void keep_friction_circle(const std::vector<double>& ways, const std::vector<double>& bends,
                          std::vector<double>& caps, double grip, double rise, double fall);

}  // namespace kumi
