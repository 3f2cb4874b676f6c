// The gap between two shapes: discs directly, polygons by their difference, ellipses by their extents.
//
// All vectors from a point of polygon A to one of polygon B form a convex polygon W. Its sides are those of B
// and those of A turned around, in the order of their directions. The gap is the distance from the origin to
// W, or minus that to its boundary when the origin lies inside.
#include <algorithm>
#include <limits>

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
        : corners_(shape.kind == Shape::Kind::disc ? &CENTRE : shape.corners.data()),
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

  private:
    static constexpr Vec CENTRE{0.0, 0.0};
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

Apart corners_apart(const Corners& a, const Corners& b, double size) {
    Nearest nearest(size);
    std::size_t i = a.lowest(-1.0), j = b.lowest(1.0);
    Vec at_a = a[i], at_b = b[j], next_a = a[a.after(i)], next_b = b[b.after(j)];
    std::size_t left_a = a.sides(), left_b = b.sides();
    if (left_a + left_b == 0) {
        const Vec only = at_b - at_a;
        const double distance = std::sqrt(square(only));
        return {distance, distance > 0.0 ? only / distance : Vec{1.0, 0.0}};
    }
    while (left_a + left_b > 0) {
        const Vec from = at_b - at_a, side_a = at_a - next_a, side_b = next_b - at_b;
        const bool take_a = left_a > 0 && (left_b == 0 || !comes_before(side_b, side_a));
        const bool take_b = left_b > 0 && (left_a == 0 || !comes_before(side_a, side_b));
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
        for (std::size_t i = 0; i < corners.count(); ++i) {
            const double h = dot(corners[i], direction), side = cross(direction, corners[i]);
            if (h > height + FACES * size)
                height = h, low = high = side;
            else if (h >= height - FACES * size)
                height = std::max(height, h), low = std::min(low, side), high = std::max(high, side);
        }
    }
};

Touch polygons(const Shape& a, const Placed& at_a, const Shape& b, const Placed& at_b) {
    const Vec offset = at_b.at - at_a.at;
    const Corners corners_a(a, {0.0, 0.0}, at_a.heading), corners_b(b, offset, at_b.heading);
    const double size = a.reach + b.reach + std::sqrt(square(offset));
    auto [gap, normal] = corners_apart(corners_a, corners_b, size);
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
