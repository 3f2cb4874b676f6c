// The gap between two shapes: discs directly, polygons by their difference, ellipses by their extents.
//
// All vectors from a point of polygon A to one of polygon B form a convex polygon W. Its sides are those of B
// and those of A turned around, in the order of their directions. The gap is the distance from the origin to
// W, or minus that to its boundary when the origin lies inside.
//
// Polygons of many corners are round, mostly: then only those sides of W are looked at that face the other position nearly.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "geometry/ellipse.hpp"
#include "geometry/shape.hpp"

namespace kumi {
namespace {

constexpr double FACES = 1e-12;  // corners within this part of the size are at the same height
constexpr double NOISE = 1e-15;

// The corners of a polygon, or the centre of a disc, seen from the position of A.
class Corners {
  public:
    Corners(const Shape& shape, Vec at, double heading)
        : shape_(shape),
          heading_(heading),
          corners_(shape.kind == Shape::Kind::disc ? &CENTRE : shape.corners.data()),
          count_(shape.kind == Shape::Kind::disc ? 1 : shape.corners.size()),
          at_(at),
          axis_(direction(heading)) {}

    std::size_t count() const { return count_; }
    std::size_t sides() const { return count_ > 1 ? count_ : 0; }
    Vec operator[](std::size_t i) const { return at_ + turned(corners_[i], axis_); }
    std::size_t after(std::size_t i) const { return i + 1 < count_ ? i + 1 : 0; }

    // The corner that comes first when p·sign is ordered by y, then by x.
    std::size_t lowest(double sign) const {
        std::size_t lowest = 0;
        Vec least = (*this)[0] * sign;
        for (std::size_t i = 1; i < count_; ++i) {
            const Vec p = (*this)[i] * sign;
            if (p.y < least.y || (p.y == least.y && p.x < least.x)) least = p, lowest = i;
        }
        return lowest;
    }

    // How much farther its corners are from its position than its sides, or where there are few corners, all it can be.
    double slack() const { return count_ == 1 ? 0.0 : shape_.reach - shape_.radius - shape_.inner; }
    bool has_angles() const { return !shape_.angles.empty(); }

    // The first side at an angle or beyond it, and the angles of the side before it and of itself, each less the given one and
    // within a turn of it.
    std::size_t side_at(double angle) const { return kumi::side_at(shape_, angle - heading_); }
    double before(double angle) const { return off(side_at(angle) + count_ - 1, angle, -1.0); }
    double beyond(double angle) const { return off(side_at(angle), angle, 1.0); }

    // The corner that is foremost in a direction, and the one beside it.
    std::size_t foremost(Vec direction) const {
        return foremost_corner(shape_, turned_back(direction, axis_));
    }
    std::size_t beside(std::size_t i, std::size_t step) const { return (i + step) % count_; }

  private:
    double off(std::size_t side, double angle, double sign) const {
        constexpr double TURN = 2.0 * std::numbers::pi;
        const double away = std::fmod(sign * (shape_.angles[side % count_] + heading_ - angle), TURN);
        return away < 0.0 ? away + TURN : away;
    }

    static constexpr Vec CENTRE{0.0, 0.0};
    const Shape& shape_;
    double heading_;
    const Vec* corners_;
    std::size_t count_;
    Vec at_, axis_;
};

struct Apart {
    double gap;
    Vec normal;
};

// Collects the sides of W and keeps the least distance outside, and the greatest inside.
class Nearest {
  public:
    explicit Nearest(double size) : noise_(NOISE * size) {}

    void take_side(Vec from, Vec to) {
        const Vec along = to - from;
        const double size = square(along);
        if (size == 0.0) return;
        const double height = cross(along, from) / std::sqrt(size);
        const Vec across = left_of(along) / std::sqrt(size);
        if (height > deepest_.gap) deepest_ = {height, across};
        if (height < -noise_) return;
        const double share = -dot(from, along);
        if (share <= 0.0)
            take_corner(from, across);
        else if (share >= size)
            take_corner(to, across);
        else if (height < nearest_.gap)
            nearest_ = {height, across};
    }

    void take_corner(Vec corner, Vec otherwise) {
        const double distance = std::sqrt(square(corner));
        if (distance < nearest_.gap) nearest_ = {distance, distance > noise_ ? corner / distance : otherwise};
    }

    Apart result() const { return deepest_.gap < -noise_ ? deepest_ : nearest_; }

  private:
    double noise_;
    Apart deepest_{-std::numeric_limits<double>::infinity(), {1.0, 0.0}};
    Apart nearest_{std::numeric_limits<double>::infinity(), {1.0, 0.0}};
};

bool comes_before(Vec side, Vec other) {
    const auto is_upper = [](Vec v) { return v.y > 0.0 || (v.y == 0.0 && v.x > 0.0); };
    if (is_upper(side) != is_upper(other)) return is_upper(side);
    return cross(side, other) > 0.0;
}

// Some sides of W, in order: from which corners of A and B they go on, and how many of the sides of each.
struct Run {
    std::size_t i, j, left_a, left_b;
    bool is_short;  // less than half a turn
};

Run all_sides(const Corners& a, const Corners& b) {
    return {a.lowest(-1.0), b.lowest(1.0), a.sides(), b.sides(), false};
}

// The sides of W one of which is nearest to the origin, or deepest around it. W lies between two circles about the place
// of B, one through its farthest corners and one that none of its sides cuts. So the nearest point cannot be at a side whose
// normal is so far off the line between the positions that even the inner circle would be farther.
Run facing_sides(const Corners& a, const Corners& b, Vec offset) {
    constexpr double PI = std::numbers::pi, ROOM = 1e-9, WIDEST = 1.5;
    const double share = (a.slack() + b.slack()) / length(offset);
    const bool has_sides = a.has_angles() || b.has_angles();
    if (!has_sides || (a.sides() && !a.has_angles()) || (b.sides() && !b.has_angles()) || !(share < 0.5))
        return all_sides(a, b);
    const double off = 0.5 * PI * std::sqrt(share) + ROOM;  // at least the angle whose cosine is 1 - share
    const double along_b = maths::atan2(-offset.x, offset.y), along_a = along_b + PI;
    // One side more before and behind, for the corners there, and of the other polygon all that lie between.
    double back = off, ahead = off;
    for (const auto& [corners, along] : {std::pair{&a, along_a}, std::pair{&b, along_b}})
        if (corners->sides()) {
            back = std::max(back, off + corners->before(along - off) + ROOM);
            ahead = std::max(ahead, off + corners->beyond(along + off) + ROOM);
        }
    if (back > WIDEST || ahead > WIDEST) return all_sides(a, b);
    Run run{0, 0, 0, 0, true};
    if (a.sides()) {
        run.i = a.side_at(along_a - back);
        run.left_a = a.beside(a.side_at(along_a + ahead), a.count() - run.i);
    }
    if (b.sides()) {
        run.j = b.side_at(along_b - back);
        run.left_b = b.beside(b.side_at(along_b + ahead), b.count() - run.j);
    }
    return run;
}

Apart corners_apart(const Corners& a, const Corners& b, Vec offset, double size) {
    Nearest nearest(size);
    if (a.sides() + b.sides() == 0) {
        const Vec only = b[0] - a[0];
        const double distance = std::sqrt(square(only));
        return {distance, distance > 0.0 ? only / distance : Vec{1.0, 0.0}};
    }
    auto [i, j, left_a, left_b, is_short] = facing_sides(a, b, offset);
    Vec at_a = a[i], at_b = b[j], next_a = a[a.after(i)], next_b = b[b.after(j)];
    while (left_a + left_b > 0) {
        const Vec from = at_b - at_a, side_a = at_a - next_a, side_b = next_b - at_b;
        const bool is_b_first = is_short ? cross(side_b, side_a) > 0.0 : comes_before(side_b, side_a);
        const bool is_a_first = is_short ? cross(side_a, side_b) > 0.0 : comes_before(side_a, side_b);
        const bool take_a = left_a > 0 && (left_b == 0 || !is_b_first);
        const bool take_b = left_b > 0 && (left_a == 0 || !is_a_first);
        if (take_a) i = a.after(i), at_a = next_a, next_a = a[a.after(i)], --left_a;
        if (take_b) j = b.after(j), at_b = next_b, next_b = b[b.after(j)], --left_b;
        nearest.take_side(from, at_b - at_a);
    }
    return nearest.result();
}

// The part of a polygon's boundary that is foremost in a direction.
struct Front {
    double height, low, high;  // along the direction, and from where to where on the left of it

    Front(const Corners& corners, Vec direction, double size)
        : height(-std::numeric_limits<double>::infinity()) {
        const auto take = [&](std::size_t i) {
            const double h = dot(corners[i], direction), side = cross(direction, corners[i]);
            if (h < height - FACES * size) return false;
            if (h > height + FACES * size)
                height = h, low = high = side;
            else
                height = std::max(height, h), low = std::min(low, side), high = std::max(high, side);
            return true;
        };
        if (!corners.has_angles()) {
            for (std::size_t i = 0; i < corners.count(); ++i) take(i);
            return;
        }
        const std::size_t first = corners.foremost(direction), count = corners.count();
        take(first);
        for (const std::size_t step : {std::size_t{1}, count - 1})
            for (std::size_t i = corners.beside(first, step); i != first && take(i);)
                i = corners.beside(i, step);
    }
};

Touch polygons(const Shape& a, const Placed& at_a, const Shape& b, const Placed& at_b) {
    const Vec offset = at_b.at - at_a.at;
    const Corners corners_a(a, {0.0, 0.0}, at_a.heading), corners_b(b, offset, at_b.heading);
    const double size = a.reach + b.reach + std::sqrt(square(offset));
    auto [gap, normal] = corners_apart(corners_a, corners_b, offset, size);
    gap -= a.radius + b.radius;
    const Front front_a(corners_a, normal, size), front_b(corners_b, -normal, size);
    // Where both fronts overlap, seen sideways, the middle of that; else midway between their near ends.
    const double low = std::max(front_a.low, -front_b.high), high = std::min(front_a.high, -front_b.low);
    const double along = front_a.height + a.radius + gap / 2, side = (low + high) / 2;
    return {gap, normal, at_a.at + normal * along + left_of(normal) * side, std::max(0.0, (high - low) / 2)};
}

Touch discs(const Shape& a, const Placed& at_a, const Shape& b, const Placed& at_b) {
    const Vec offset = at_b.at - at_a.at;
    const double distance = length(offset);
    const Vec normal = distance > 0.0 ? offset / distance : Vec{1.0, 0.0};
    const double gap = distance - (a.radius + b.radius);
    return {gap, normal, at_a.at + normal * (a.radius + gap / 2)};
}

Facing ellipse_first(const Shape& ellipse, const Placed& at, const Shape& other, const Placed& at_other) {
    const Vec axis = direction(at.heading);
    const Vec offset = turned_back(at_other.at - at.at, axis);
    const Vec axis_other = turned_back(direction(at_other.heading), axis);
    switch (other.kind) {
    case Shape::Kind::ellipse:
        return ellipse_to_ellipse(ellipse.a, ellipse.b, other.a, other.b, offset, axis_other);
    case Shape::Kind::disc:
        return ellipse_to_corners(ellipse.a, ellipse.b, &offset, 1);
    case Shape::Kind::polygon:
        break;
    }
    std::vector<Vec> corners;
    corners.reserve(other.corners.size());
    for (const Vec corner : other.corners) corners.push_back(offset + turned(corner, axis_other));
    return ellipse_to_corners(ellipse.a, ellipse.b, corners.data(), corners.size());
}

Touch ellipse(const Shape& a, const Placed& at_a, const Shape& b, const Placed& at_b) {
    Facing facing = ellipse_first(a, at_a, b, at_b);
    facing.gap -= b.radius;
    const Vec axis = direction(at_a.heading), normal = turned(facing.normal, axis);
    return {facing.gap, normal, at_a.at + turned(facing.on_ellipse, axis) + normal * (facing.gap / 2)};
}

}  // namespace

Touch gap(const Shape& a, const Placed& at_a, const Shape& b, const Placed& at_b) {
    if (a.kind == Shape::Kind::ellipse) return ellipse(a, at_a, b, at_b);
    if (b.kind == Shape::Kind::ellipse) {
        const Touch touch = ellipse(b, at_b, a, at_a);
        return {touch.gap, -touch.normal, touch.point};
    }
    if (a.kind == Shape::Kind::disc && b.kind == Shape::Kind::disc) return discs(a, at_a, b, at_b);
    return polygons(a, at_a, b, at_b);
}

}  // namespace kumi
