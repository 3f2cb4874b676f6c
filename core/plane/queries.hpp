// What is in the way, what does a ray hit, and who is near?
#pragma once

#include "plane/bodies.hpp"
#include "plane/cells.hpp"
#include "plane/obstacles.hpp"

#include <vector>

namespace kumi {

struct Hit {
    double distance = INFINITE_TIME;
    BodyId body = NOBODY;
    std::int32_t obstacle = NO_OBSTACLE;
    bool echoes_light = true;  // a ray of light comes back from there
};

class Queries {
  public:
    Queries(const Bodies& bodies, const Obstacles& obstacles, const Cells& cells)
        : bodies_(bodies), obstacles_(obstacles), cells_(cells) {}

    // What would be in the way of a body there: a body, an obstacle, or nothing.
    Hit in_the_way(const Shape& shape, const Pose& pose, BodyId ignoring = NOBODY) const;
    bool is_solid(Vec point) const;  // inside an obstacle that stops bodies, or outside the box
    // What a ray meets first, of bodies and of obstacles with one of the traits that stop it.
    Hit first_hit(Vec from, Vec along, double reach, BodyId ignoring, bool bodies, Traits stopping) const;
    void near(Vec at, double within, std::vector<BodyId>& found) const;
    void near_obstacles(Vec at, double within, std::vector<Hit>& found) const;
    // The obstacles within a distance of a straight way, those nearest to its middle first.
    std::vector<std::int32_t> obstacles_along(Vec from, Vec to, double within) const;
    BodyId body_in(std::int32_t obstacle) const;  // the first body that an obstacle overlaps, or NOBODY
    double least_gap() const;                     // between any two bodies, or body and obstacle, now

  private:
    template <class Visit> void visit_parts_along(Vec from, Vec to, double within, Visit&& visit) const;

    const Bodies& bodies_;
    const Obstacles& obstacles_;
    const Cells& cells_;

    template <class Around, class Within> void visit_beam(Vec from, Vec along, double reach,
                                                          const double& best, Around&& around,
                                                          Within&& within) const;
};

}  // namespace kumi
