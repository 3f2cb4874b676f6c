// What kumi's own wheels plan most often, without a call of Python.
//
// A way straight ahead, a turn on the spot and a way to a place: of wheels without acceleration that are exact, or err as
// kumi.motion.noise says. The numbers, and their order, are those of kumi.motion.drives. All else the drive plans itself.
#pragma once

#include "objects/plane.hpp"

namespace kumi {

enum class Planned { here, by_the_drive, failed };

Planned plan_command(BodyObject* body, PyObject* command, std::vector<Leg>& legs);
// Of a motion to a place, for wheels that turn on the spot.
Planned plan_towards(BodyObject* body, PyObject* goal, PyObject* speed, PyObject* turn_speed,
                     std::vector<Leg>& legs);

}  // namespace kumi
