// Which velocity does each of many discs choose among others and walls, by three rules?
//
// `orca_velocity`: reciprocal collision avoidance. Each pair that would meet within the horizon changes its relative velocity by the
// least that avoids this, each of the two by its share; the wanted velocity then moves to the nearest one that all pairs allow.
// A wall allows what does not reach it within a horizon of its own: the half-plane is that of the place nearest at rest, so that
// standing still is always allowed.
//
// `barrier_velocity`: a control barrier function. The distance to each other disc and each wall shrinks no faster than `gain` times
// itself, so that a period of at most 1 / gain cannot use it up.
//
// `potential_velocity`: the goal attracts and what is near repels; the sum is the velocity.
#pragma once

#include <vector>

#include "avoidance/half_planes.hpp"
#include "avoidance/neighbours.hpp"

namespace kumi::avoidance {

// One that is seen. `share` is the part of giving way that is left to who sees it: half where it does the same, all where it does
// nothing.
struct Seen {
    Vec place, velocity;
    double radius, share;
};

// One that decides, and what it wants: a velocity, or for a potential field the way to its goal.
struct Own {
    Vec place, velocity, wanted;
    double radius, top;
};

struct OrcaRule {
    double horizon, wall_horizon, period;
};
struct BarrierRule {
    double gain;
};
struct PotentialRule {
    double attraction, repulsion, influence;
};

// What a rule knows of the surroundings of one: the others near it, and all walls.
struct Scene {
    const std::vector<Seen>& seen;
    const Walls& walls;
    const std::vector<Near>& near;
};

HalfPlane orca_plane(const Own& own, const Seen& other, const OrcaRule& rule);

Vec orca_velocity(const Own& own, const Scene& scene, const OrcaRule& rule, HalfPlanes& work);
Vec barrier_velocity(const Own& own, const Scene& scene, const BarrierRule& rule, HalfPlanes& work);
Vec potential_velocity(const Own& own, const Scene& scene, const PotentialRule& rule);

}  // namespace kumi::avoidance
