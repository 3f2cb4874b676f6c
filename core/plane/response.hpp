// What does a contact do to those who touch?
//
// A body stops, slides on along the surface, or passes, as the policy says; a walker that does not pass goes elsewhere. At the border of
// other ground the clock of its piece changes its rate.
#pragma once

#include "plane/bodies.hpp"
#include "plane/cells.hpp"
#include "plane/contacts.hpp"
#include "plane/motion.hpp"
#include "plane/notices.hpp"
#include "plane/obstacles.hpp"
#include "plane/prediction.hpp"
#include "plane/recorder.hpp"
#include "plane/times.hpp"

namespace kumi {

class Response {
  public:
    Response(Bodies& bodies, const Obstacles& obstacles, const Cells& cells, Times& times, Contacts& contacts,
             Prediction& prediction, Motion& motion, Recorder& recorder, Notices& notices)
        : bodies_(bodies),
          obstacles_(obstacles),
          cells_(cells),
          times_(times),
          contacts_(contacts),
          prediction_(prediction),
          motion_(motion),
          recorder_(recorder),
          notices_(notices) {}

    std::uint64_t contact_count() const { return contact_count_; }  // so far

    void touch(BodyId body, BodyId other);
    void touch_fixed(BodyId body, std::int32_t part);
    void part(std::uint32_t contact);  // it is over: the two can touch again
    // A body came, was put elsewhere or has another size: it may overlap others without having touched them, or no longer.
    void recheck(BodyId body);
    bool pass_ground(BodyId body);  // whether it falls into a hole

  private:
    Bodies& bodies_;
    const Obstacles& obstacles_;
    const Cells& cells_;
    Times& times_;
    Contacts& contacts_;
    Prediction& prediction_;
    Motion& motion_;
    Recorder& recorder_;
    Notices& notices_;
    std::uint64_t contact_count_ = 0;

    template <class Open> void take_back(BodyId one, BodyId other, double first, Open&& open);
    void tell(const Contacts::Pair& pair, Vec point);
    Policy decide(BodyId body, BodyId other, std::int32_t obstacle, Vec point);
    void keep(const Contacts::Pair& pair, double open, bool passes);
    void respond(BodyId body, Policy policy, Vec normal);
    void slide(BodyId body, Vec normal);
};

}  // namespace kumi
