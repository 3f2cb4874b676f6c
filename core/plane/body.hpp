// What is known of one body?
//
// Three records, by how often they are read: what comparing it with another needs, one line of the processor's cache;
// its motion and its predictions; and what few bodies have.
#pragma once

#include "geometry/contact.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace kumi {

using BodyId = std::uint32_t;
constexpr BodyId NOBODY = 0xFFFFFFFFu;
constexpr std::uint32_t NO_WALK = 0xFFFFFFFFu;

enum class Policy : std::uint8_t { stop, slide, pass, ghost, ask };  // what a contact does; a ghost has none
enum class Side : std::uint8_t { none, left, right, bottom, top };   // of a cell

struct alignas(64) Hot {  // one cache line: all that a prediction between simple bodies needs
    double x, y, vx, vy, since, radius;
    double
        until;  // as long as what was predicted of it holds: one that stays in its place is there after its piece, too
    std::uint32_t version;
    bool is_simple : 1, is_disc : 1, is_ghost : 1, rests : 1, is_in_contact : 1, is_plain : 1,
        is_followed : 1, tells_partings : 1;
    std::uint32_t aside_bits : 24;  // of a number of 32 bits the first 24, rounded up

    // How far it may be from the straight way that is told here, until then; infinite where nothing is known.
    double aside() const { return std::bit_cast<float>(static_cast<std::uint32_t>(aside_bits) << 8); }
    void set_aside(double most) {
        constexpr std::uint32_t UNKNOWN = 0x7F8000;  // infinity
        aside_bits = most == 0.0   ? 0
                     : most < 1e30 ? (std::bit_cast<std::uint32_t>(static_cast<float>(most)) >> 8) + 1
                                   : UNKNOWN;
    }
    // Whether it bends without end, and is looked at stretch by stretch; see Bodies::begin_stretch.
    bool is_stretch() const { return !is_simple && aside_bits > 0 && aside_bits < 0x7F8000; }
};
static_assert(sizeof(Hot) == 64);

// What few bodies have: made when it is first needed.
struct Rare {
    double ground = INFINITE_TIME, far_crossing = INFINITE_TIME;
    double sample = INFINITE_TIME;  // when the run file needs the next sample of its pattern
    std::int32_t ground_with = -1;  // which border of the ground it will pass
    bool ground_enters = false;
    Side far_side = Side::none;
    std::uint32_t next_leg = 0;
    std::vector<Leg> legs;               // those to come; empty where the present one is the last
    double revolutions = 0.0;            // that the legs so far have made, and wrapping took off the heading
    std::shared_ptr<Pattern> pattern;    // the one that its piece asks
    std::vector<std::uint32_t> regions;  // in which it is
    std::vector<std::uint32_t> watches;
    double passed_at =
        -1.0;  // when it last passed a border of the ground, which, and how often at that instant
    std::int32_t passed = -1;
    int passes = 0;
    std::vector<std::uint32_t> lasting;  // contacts in which it is, those that are kept

    double first() const { return std::min({ground, far_crossing, sample}); }
};

struct alignas(64) Body {
    // The first line of the cache is all that leaving a cell needs.
    double contact = INFINITE_TIME, fixed = INFINITE_TIME, end = INFINITE_TIME, crossing = INFINITE_TIME;
    double aside = INFINITE_TIME;  // the first of its rare times
    BodyId with = NOBODY;          // whom it will touch
    std::uint32_t with_version = 0;
    std::int32_t fixed_with = -1;  // which fixed part it will meet
    bool is_moving = false, is_gone = false, is_sure = true, is_fixed_sure = true, is_dirty = false,
         has_jumped = false;
    Side side = Side::none;        // by which it leaves its cell
    std::uint32_t walk = NO_WALK;  // how it goes about without a program
    double since = 0.0, clock = 0.0, rate = 1.0;
    double way = 0.0, turned = 0.0;  // before this piece
    double slid_at = -1.0;           // when it last slid along something, and how often by then
    int slides = 0;
    std::uint32_t number = 0;  // for good; see Bodies
    std::unique_ptr<Rare> rare;
    Piece piece;
    std::shared_ptr<const Shape> shape;

    bool is_walker() const { return walk != NO_WALK; }
};
static_assert(sizeof(Body) == 256);

}  // namespace kumi
