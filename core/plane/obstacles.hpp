// What stands on the plane, and where does other ground lie?
//
// The box around the plane, obstacles, and regions of the ground. All of them, but for the inside of blocks and regions,
// are made of parts of one kind, capsules, which the cells file by place. An obstacle's number is given to no other.
#pragma once

#include "geometry/contact.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace kumi {

constexpr std::int32_t NO_OBSTACLE = -1;
constexpr std::int32_t BORDER = -2;

struct Box {
    double left, bottom, right, top;
    bool operator==(const Box&) const = default;
};

// Within the box, and not on its border but for rounding.
inline bool is_well_within(const Box& box, Vec at) {
    const double margin = 1e-9 * (box.right - box.left + box.top - box.bottom);
    return (at.x - box.left > margin) & (box.right - at.x > margin) & (at.y - box.bottom > margin) &
           (box.top - at.y > margin);
}

// Whether a place lies within an outline.
bool is_within(const std::vector<Vec>& corners, Vec at);

// A region of the ground. With a radius it is a disc about its only corner.
struct Region {
    enum class Kind : std::uint8_t { slow, hole };
    Kind kind;
    double factor;
    double radius;
    std::vector<Vec> corners;  // counter-clockwise

    bool holds(Vec at) const;
};

// What an obstacle is to those who come upon it, one bit each. The border of a region has none of them, ground that is
// forbidden only stops bodies, and the box around the plane has them all.
using Traits = std::uint8_t;
constexpr Traits STANDS = 1;  // it is there to be found, of whatever material
constexpr Traits STOPS_BODIES = 2;
constexpr Traits STOPS_LIGHT = 4;
constexpr Traits ECHOES_LIGHT = 8;
constexpr Traits ECHOES_SOUND = 16;
constexpr Traits EVERYTHING = 31;

struct Fixed {  // a part of an obstacle, or of the border of a region
    Capsule capsule;
    std::shared_ptr<const Shape> shape;
    std::int32_t obstacle;
    std::int32_t region;
    Traits traits;

    bool is(Traits wanted) const { return (traits & wanted) != 0; }

    Pose placed() const { return {(capsule.a + capsule.b) * 0.5, 0.0}; }
};

struct Solid {  // for "is this place inside?"
    std::vector<Vec> corners;
    std::int32_t obstacle;
    Traits traits;

    bool is(Traits wanted) const { return (traits & wanted) != 0; }
};

class Obstacles {
  public:
    explicit Obstacles(const Box* box);

    const Box* box() const { return has_box_ ? &box_ : nullptr; }
    std::int32_t count() const { return obstacles_; }  // how many were ever added, regions among them
    std::int32_t add_wall(Vec a, Vec b, double thickness, Traits traits);
    std::int32_t add_pillar(Vec at, double radius, Traits traits);
    std::int32_t add_block(const std::vector<Vec>& corners, Traits traits);
    std::int32_t add_region(Region region);
    void remove(std::int32_t obstacle);

    // The parts, those of the box first.
    std::size_t size() const { return fixed_.size(); }
    const Fixed& operator[](std::size_t part) const { return fixed_[part]; }
    const std::vector<Fixed>& parts() const { return fixed_; }
    const std::vector<std::uint32_t>& box_parts() const { return box_parts_; }
    bool is_only_box() const { return fixed_.size() == box_parts_.size(); }
    const std::vector<Solid>& solids() const { return solids_; }

    // The ground: the region that counts in a place, all that lie there, and the slowest of some.
    const std::vector<Region>& regions() const { return regions_; }
    const Region* ground(Vec at) const;
    double rate_in(const std::vector<std::uint32_t>& regions) const;

  private:
    bool has_box_ = false;
    Box box_{};
    std::vector<Fixed> fixed_;
    std::vector<Solid> solids_;
    std::vector<Region> regions_;
    std::vector<std::uint32_t> box_parts_;
    std::int32_t obstacles_ = 0;
};

}  // namespace kumi
