// What of the plane goes into the journal?
//
// The journal itself; what a state needs beside the motion of bodies, as long as a journal is kept; and the words for
// commands, patterns and obstacles.
#pragma once

#include "plane/bodies.hpp"
#include "plane/journal.hpp"
#include "plane/standing.hpp"

#include <map>
#include <string>
#include <vector>

namespace kumi {

class Recorder {
  public:
    Journal journal;

    explicit Recorder(Bodies& bodies) : bodies_(bodies) {}

    void keep_journal(bool keeps);  // from now on, beginning with the state of all bodies
    std::string snapshot() const;   // that state, as a journal
    // Keeps a record of what is none of the plane's own business, such as messages.
    void keep_record(const char* bytes, std::size_t length);

    // Writes down that an obstacle stands from now on, in words for who reads the journal; without words, that it is gone.
    void tell_obstacle(std::int32_t obstacle, const char* words);
    void write_command(BodyId body, const std::vector<Leg>& legs, const Pose& from);
    // What a pattern did, as a piece; and when the next one is due.
    void write_sample(BodyId body);

    // What happened to a body, for the state.
    void touched(BodyId body) {
        if (journal.keeps) standing_.touched(bodies_.number(body));
    }
    void rested(BodyId body) {
        if (journal.keeps) standing_.rested(bodies_.number(body));
    }
    void came(BodyId body) {
        if (journal.keeps) standing_.came(bodies_.number(body));
    }
    void left(BodyId body, bool fell) {
        if (journal.keeps) standing_.left(bodies_.number(body), fell);
    }
    void fell(BodyId body, Pose at) {
        if (journal.keeps) standing_.fell(bodies_.number(body), bodies_.now, at, bodies_.shape(body));
    }

  private:
    Bodies& bodies_;
    Standing standing_;
    std::map<std::int32_t, std::string>
        came_;  // obstacles that came while a journal was kept, and others that are gone since
    std::vector<std::int32_t> left_;

    Piece sampled(BodyId body) const;
};

}  // namespace kumi
