// How much of a straight way lies in a capsule?
#pragma once

#include "geometry/contact.hpp"

namespace kumi {

// The part of a way between two shares of its length; none where `to` is not above `from`.
struct Span {
    double from = 0.0, to = 0.0;
    bool is_there() const { return from < to; }
};

// The part of a way within a disc, and within a capsule: both are convex, so there is one at most.
Span chord_of_disc(Vec start, Vec end, Vec centre, double radius);
Span chord_of_capsule(Vec start, Vec end, const Capsule& capsule);

// The least distance of a way from a capsule's middle line.
double distance_of(Vec start, Vec end, const Capsule& capsule);

}  // namespace kumi
