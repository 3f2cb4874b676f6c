// Another plan, from nothing: guided ejection.
//
// One robot after the other is put into the plan on the way it likes best, through others if need be. Those it meets are
// taken out and wait to be put in again; each time that happens to a robot it becomes dearer to meet. So robots learn
// who has no other way. Where there is little room such a plan takes much longer than one of LaCAM, but refinement
// brings it further down.
//
// Source, for vehicles and their customers: Nagata & Bräysy, A powerful route minimization heuristic for the vehicle
// routing problem with time windows, 2009.
#pragma once

#include "mapf/soft.hpp"
#include "numbers/chance.hpp"

namespace kumi::mapf {

class Eject {
  public:
    Eject(const Problem& problem, kumi::Bits& chance);

    enum class End { going, whole, given_up };
    End step();  // puts in one robot
    Plan& plan() { return plan_; }
    std::size_t work() const { return soft_.work(); }

  private:
    Problem problem_;
    kumi::Bits& chance_;
    Steps longest_;
    Visits visits_;
    Soft soft_;
    Plan plan_;
    std::vector<int> waiting_;
    std::vector<Steps> prices_;
};

}  // namespace kumi::mapf
