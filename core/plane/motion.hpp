// How does a motion begin, go on and end?
//
// A motion is a list of legs, each of which becomes a piece when its turn comes. Whatever a body does next is set here, and
// here it is seen to that predictions, watches, the journal and the listener learn of it.
#pragma once

#include "plane/bodies.hpp"
#include "plane/cells.hpp"
#include "plane/notices.hpp"
#include "plane/obstacles.hpp"
#include "plane/recorder.hpp"
#include "plane/times.hpp"
#include "plane/walkers.hpp"
#include "plane/watches.hpp"

#include <vector>

namespace kumi {

class Motion {
  public:
    Motion(Bodies& bodies, const Obstacles& obstacles, Walkers& walkers, Cells& cells, Times& times,
           Watches& watches, Recorder& recorder, Notices& notices)
        : bodies_(bodies),
          obstacles_(obstacles),
          walkers_(walkers),
          cells_(cells),
          times_(times),
          watches_(watches),
          recorder_(recorder),
          notices_(notices) {}

    // Replaces what is under way; null where it can begin, else a sentence.
    const char* start(BodyId body, const std::vector<Leg>& legs);
    void walk(BodyId body, const Walker& walker);
    void stroll(BodyId body, Vec away);
    const char* next_piece(BodyId body);
    void set_course(BodyId body, const Piece& piece, double clock);
    void rest_at(BodyId body, Pose pose);
    void finish(BodyId body, Why why);

    void find_regions(BodyId body);                        // in which it is
    bool asks_patterns() const { return asks_patterns_; }  // whether a body ever went by a user's own pattern

  private:
    Bodies& bodies_;
    const Obstacles& obstacles_;
    Walkers& walkers_;
    Cells& cells_;
    Times& times_;
    Watches& watches_;
    Recorder& recorder_;
    Notices& notices_;
    bool asks_patterns_ = false;

    void begin_course(BodyId body, double clock);
};

}  // namespace kumi
