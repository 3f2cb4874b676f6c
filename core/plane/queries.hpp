// What is in the way, what does a ray hit, and who is near?
#pragma once

#include "numbers/elementary.hpp"
#include "plane/bodies.hpp"
#include "plane/cells.hpp"
#include "plane/obstacles.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kumi {

struct Hit {
    double distance = INFINITE_TIME;
    BodyId body = NOBODY;
    std::int32_t obstacle = NO_OBSTACLE;
    Traits traits = EVERYTHING;  // of the obstacle
};

// What separates a place from a thing, and the direction there, of length 1; below 0 the place is within it.
struct Gap {
    Hit hit;
    Vec normal;
};

// Somebody who is in sight: how far the surface is, and in which direction from the viewer's heading.
struct Sight {
    BodyId body;
    double distance, bearing;
};

// A field of view: the direction of its middle and its whole width, its edges included.
struct Sector {
    double middle, width;

    bool holds(double direction) const;
};

// How far a direction is from another, between -pi and pi, positive to the left.
double off(double direction, double middle);

// How far along a ray a disc, or a capsule, is met: 0 where the ray begins in it, infinity where it misses.
double ray_to_round(Vec from, Vec along, Vec centre, double radius);
double ray_to_capsule(Vec from, Vec along, const Capsule& capsule);

class Queries {
  public:
    Queries(const Bodies& bodies, const Obstacles& obstacles, const Cells& cells)
        : bodies_(bodies), obstacles_(obstacles), cells_(cells) {}

    // What would be in the way of a body there: a body, an obstacle, or nothing.
    Hit in_the_way(const Shape& shape, const Pose& pose, BodyId ignoring = NOBODY) const;
    bool is_solid(Vec point) const;  // inside an obstacle that stops bodies, or outside the box
    // What a ray meets first, of bodies and of obstacles with one of the traits that stop it.
    Hit first_hit(Vec from, Vec along, double reach, BodyId ignoring, bool bodies, Traits stopping) const;
    // The same of many rays from one place, which is quick where they turn on evenly.
    void fan(Vec from, const double* angles, std::size_t count, double reach, BodyId ignoring, bool bodies,
             Traits stopping, Hit* hits) const;
    // From how far away a ray comes back; infinity where it does not.
    double echo(Vec from, double angle, double reach, BodyId ignoring, Traits stopping, Traits echoing) const;
    // How far it is to the nearest surface in a cone that echoes and that nothing swallowing hides.
    double nearest_in(const Sector& cone, Vec from, double reach, BodyId ignoring, Traits stopping,
                      Traits echoing) const;
    // What stands and goes within a distance, each thing at its nearest point within a field of view.
    void around(Vec at, double within, BodyId ignoring, Traits meeting, const Sector& sector,
                std::vector<Gap>& found) const;
    // Who is in sight of a body, by number: others in the way hide them, or do not.
    void in_sight(BodyId viewer, double within, double view, double bearing, bool is_hidden_by_others,
                  std::vector<Sight>& found) const;
    void near(Vec at, double within, std::vector<BodyId>& found) const;
    void near_obstacles(Vec at, double within, std::vector<Hit>& found) const;
    // The obstacles within a distance of a straight way, those nearest to its middle first.
    std::vector<std::int32_t> obstacles_along(Vec from, Vec to, double within) const;
    BodyId body_in(std::int32_t obstacle) const;  // the first body that an obstacle overlaps, or NOBODY
    double least_gap() const;                     // between any two bodies, or body and obstacle, now

  private:
    bool is_hidden(BodyId viewer, BodyId other, Vec from, Vec along, double away,
                   const std::vector<BodyId>& close) const;
    template <class Visit> void visit_parts_along(Vec from, Vec to, double within, Visit&& visit) const;

    const Bodies& bodies_;
    const Obstacles& obstacles_;
    const Cells& cells_;
    // Memory of a fan of rays, which is asked for again and again.
    mutable struct {
        std::vector<maths::SineCosine> turns;
        std::vector<Vec> along;
        std::vector<BodyId> ids;
        std::vector<float> numbers;
        std::vector<std::uint8_t> bins;
        std::vector<std::uint32_t> order;
        std::vector<double> open;
    } scratch_;

    const Solid* solid_at(Vec point, Traits traits) const;  // in which it is, of those with one of the traits
    template <class Rays> void fan_bodies(Vec from, const Rays& fan, const std::vector<Vec>& along,
                                          double reach, BodyId ignoring, Hit* hits) const;
    // All that may be within a distance; those who are gone may be among them.
    template <class Visit> void visit_near(Vec at, double within, Visit&& visit) const;
    // What stands and goes within a distance; bodies only if they are worth a closer look.
    template <class Worth, class Visit> void visit_gaps(Vec at, double within, BodyId ignoring,
                                                        Traits meeting, Worth&& is_worth,
                                                        Visit&& visit) const;
    double nearest_echo_in(const Sector& cone, Vec from, double reach, BodyId ignoring, Traits stopping,
                           Traits echoing, const std::vector<Gap>& swallowing) const;
    template <class Around, class Within> void visit_beam(Vec from, Vec along, double reach,
                                                          const double& best, Around&& around,
                                                          Within&& within) const;
};

template <class Visit> void Queries::visit_near(Vec at, double within, Visit&& visit) const {
    const Grid& grid = cells_.grid();
    const double reach = within + std::max(0.0, cells_.limit()) + 0.25 * grid.cell;
    const double across =
        cells_.is_shaped() && cells_.are_there() ? 2.0 * reach / grid.cell + 1.0 : INFINITE_TIME;
    if (across * across > static_cast<double>(bodies_.alive())) {
        for (BodyId other = 0; other < bodies_.size(); ++other) visit(other);
        return;
    }
    for (std::int32_t iy = grid.index(at.y - reach); iy <= grid.index(at.y + reach); ++iy)
        for (std::int32_t ix = grid.index(at.x - reach); ix <= grid.index(at.x + reach); ++ix)
            grid.visit_cell(ix, iy, [&](BodyId other) {
                if (grid.link(other).ix == ix && grid.link(other).iy == iy) visit(other);
            });
    for (BodyId other : cells_.large()) visit(other);
}

}  // namespace kumi
