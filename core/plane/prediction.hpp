// Whom does a body touch next, what does it meet, and where does the ground change?
//
// The narrow phase of collision detection: what the cells do not rule out is computed in closed form where there is one.
// The answers are kept with the body, a contact with the version of the other's motion.
#pragma once

#include "plane/bodies.hpp"
#include "plane/cells.hpp"
#include "plane/contacts.hpp"
#include "plane/obstacles.hpp"

namespace kumi {

constexpr double SURELY = 1e-6;  // by this share of their reach bodies must be apart that need no closer look

class Prediction {
  public:
    Prediction(Bodies& bodies, const Obstacles& obstacles, Cells& cells, const Contacts& contacts)
        : bodies_(bodies), obstacles_(obstacles), cells_(cells), contacts_(contacts) {}

    void predict(BodyId body);  // all of it, and when it leaves its cell
    void predict_contacts(BodyId body);
    void predict_fixed(BodyId body);
    void predict_ground(BodyId body);
    void cross(BodyId body);  // it comes into the next cell: what is new there

  private:
    Bodies& bodies_;
    const Obstacles& obstacles_;
    Cells& cells_;
    const Contacts& contacts_;
    Grid::Found close_;  // scratch of predict_contacts and cross

    void consider_all(BodyId body);
    void consider_close(BodyId body);
    template <bool ALL> void consider_plain(BodyId body);
    void consider(BodyId body, BodyId other);
    bool stay_apart(BodyId one, BodyId other) const;
    Meeting meeting(BodyId one, BodyId other) const;
    bool is_in_time(double& time, double end, Vec apart, Vec moving, double reach) const;
    void keep_straight(BodyId body, BodyId other, Vec apart, Vec moving, double reach);
    void keep(BodyId body, BodyId other, Meeting found);
};

}  // namespace kumi
