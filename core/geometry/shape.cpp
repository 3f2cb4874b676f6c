// Making shapes, and what one shape alone can be asked.
#include "geometry/shape.hpp"
#include "numbers/elementary.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

namespace kumi {
namespace {

constexpr double NONE = std::numeric_limits<double>::infinity();

// A corner that lies off the line through its neighbours by less than this part of their distance is straight.
constexpr double STRAIGHT = 1e-12;

std::string shown(double number) {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string shown(Vec p) { return "(" + shown(p.x) + ", " + shown(p.y) + ")"; }

void check_size(double size, const char* name) {
    if (size > 0.0 && std::isfinite(size)) return;
    throw std::invalid_argument(std::string(name) + " is a finite number > 0, not " + shown(size));
}

double signed_area(const std::vector<Vec>& corners) {
    double twice = 0.0;
    for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        twice += cross(corners[i] - corners[0], corners[i + 1] - corners[0]);
    return twice / 2;
}

// How far its sides are from the origin at least, and where they point.
void measure_sides(Shape& shape) {
    const auto& corners = shape.corners;
    shape.inner = shape.reach;
    shape.angles.reserve(corners.size());
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Vec along = corners[(i + 1) % corners.size()] - corners[i];
        shape.inner = std::min(shape.inner, std::max(0.0, cross(corners[i], along) / length(along)));
        double angle = maths::atan2(along.y, along.x);
        while (i > 0 && angle < shape.angles.back()) angle += 2.0 * std::numbers::pi;
        shape.angles.push_back(angle);
    }
}

bool is_straight(Vec before, Vec here, Vec after) {
    const Vec in = here - before, out = after - here;
    return std::abs(cross(in, out)) <= STRAIGHT * square(after - before) && dot(in, out) >= 0.0;
}

std::vector<Vec> without_straight_corners(const std::vector<Vec>& corners) {
    std::vector<Vec> kept;
    for (const Vec corner : corners)
        if (kept.empty() || corner != kept.back()) kept.push_back(corner);
    while (kept.size() > 1 && kept.back() == kept.front()) kept.pop_back();
    for (std::size_t i = 0; i < kept.size() && kept.size() > 2;) {
        const std::size_t n = kept.size();
        if (is_straight(kept[(i + n - 1) % n], kept[i], kept[(i + 1) % n]))
            kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    }
    return kept;
}

// A counter-clockwise polygon is convex when it turns left at each corner, and once around in all.
void check_convex(const std::vector<Vec>& corners) {
    const std::size_t n = corners.size();
    double turns = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec in = corners[i] - corners[(i + n - 1) % n], out = corners[(i + 1) % n] - corners[i];
        if (cross(in, out) <= 0.0)
            throw std::invalid_argument("the polygon of a body is convex, but turns inwards at the corner " +
                                        shown(corners[i]));
        turns += maths::atan2(cross(in, out), dot(in, out));
    }
    if (turns > 3 * std::numbers::pi)
        throw std::invalid_argument("the polygon of a body is convex, but its sides cross each other");
}

// The square of the distance from a point to a side, whose ends may be the same.
double squared_distance(Vec point, Vec start, Vec end) {
    const Vec along = end - start, to = point - start;
    const double size = square(along), share = dot(to, along);
    if (share <= 0.0) return square(to);
    if (share >= size) return square(point - end);
    const double off = cross(along, to);
    return off * off / size;
}

bool inside_polygon(const Shape& shape, Vec point) {
    const auto& corners = shape.corners;
    const double allowed = shape.radius * shape.radius;
    bool is_within = corners.size() > 2;
    for (std::size_t i = 0, last = corners.size() - 1; i < corners.size(); last = i++) {
        if (squared_distance(point, corners[last], corners[i]) <= allowed) return true;
        if (cross(corners[i] - corners[last], point - corners[last]) < 0.0) is_within = false;
    }
    return is_within;
}

bool inside_own_frame(const Shape& shape, Vec point) {
    switch (shape.kind) {
    case Shape::Kind::disc:
        return square(point) <= shape.radius * shape.radius;
    case Shape::Kind::ellipse:
        return square({point.x / shape.a, point.y / shape.b}) <= 1.0;
    case Shape::Kind::polygon:
        break;
    }
    return inside_polygon(shape, point);
}

// From outside to a circle about the origin. Where the ray is nearest to the centre comes first, so that
// nothing is lost when it starts far away.
double ray_to_circle(double radius, Vec from, Vec direction) {
    const double nearest = -dot(from, direction), off = cross(from, direction);
    const double half = (radius - off) * (radius + off);
    if (nearest < 0.0 || half < 0.0) return NONE;
    return std::max(0.0, nearest - std::sqrt(half));
}

double ray_to_ellipse(double a, double b, Vec from, Vec direction) {
    const Vec squeezed{direction.x / a, direction.y / b};
    const double speed = length(squeezed);
    return ray_to_circle(1.0, {from.x / a, from.y / b}, squeezed / speed) / speed;
}

double ray_to_side(Vec start, Vec end, Vec from, Vec direction) {
    const Vec along = end - start, to = start - from;
    const double slant = cross(direction, along);
    if (slant == 0.0) return NONE;  // a ray along a side meets the corner first
    const double distance = cross(to, along) / slant, share = cross(to, direction) / slant;
    return distance >= 0.0 && share >= 0.0 && share <= 1.0 ? distance : NONE;
}

// The ray is clipped by each side in turn, so that none slips through between two sides.
double ray_to_plain_polygon(const std::vector<Vec>& corners, Vec from, Vec direction) {
    double enters = 0.0, leaves = NONE;
    for (std::size_t i = 0, last = corners.size() - 1; i < corners.size(); last = i++) {
        const Vec along = corners[i] - corners[last];
        const double depth = cross(along, from - corners[last]), rate = cross(along, direction);
        if (rate > 0.0)
            enters = std::max(enters, -depth / rate);
        else if (rate < 0.0)
            leaves = std::min(leaves, -depth / rate);
        else if (depth < 0.0)
            return NONE;
    }
    return enters <= leaves ? enters : NONE;
}

double ray_to_polygon(const Shape& shape, Vec from, Vec direction) {
    if (shape.radius == 0.0 && shape.corners.size() > 2)
        return ray_to_plain_polygon(shape.corners, from, direction);
    const auto& corners = shape.corners;
    const double radius = shape.radius;
    double first = NONE;
    for (std::size_t i = 0, last = corners.size() - 1; i < corners.size(); last = i++) {
        first = std::min(first, ray_to_circle(radius, from - corners[i], direction));
        const Vec along = corners[i] - corners[last];
        const double size = length(along);
        if (size == 0.0) continue;
        const Vec rim = left_of(along) * (-radius / size);
        first = std::min(first, ray_to_side(corners[last] + rim, corners[i] + rim, from, direction));
    }
    return first;
}

}  // namespace

Shape make_disc(double radius) {
    check_size(radius, "the radius of a disc");
    return {Shape::Kind::disc, radius, 0.0, 0.0, {}, radius};
}

Shape make_ellipse(double a, double b) {
    check_size(a, "a half axis of an ellipse");
    check_size(b, "a half axis of an ellipse");
    return {Shape::Kind::ellipse, 0.0, a, b, {}, std::max(a, b)};
}

Shape make_polygon(const std::vector<Vec>& given, double rounding) {
    if (given.empty()) throw std::invalid_argument("a polygon has corners, but none are given");
    if (!(rounding >= 0.0) || !std::isfinite(rounding))
        throw std::invalid_argument("the rounding of a polygon is a finite number >= 0, not " +
                                    shown(rounding));
    for (const Vec corner : given)
        if (!std::isfinite(corner.x) || !std::isfinite(corner.y))
            throw std::invalid_argument("a corner has finite coordinates, not " + shown(corner));
    std::vector<Vec> corners = without_straight_corners(given);
    if (signed_area(corners) < 0.0) std::reverse(corners.begin(), corners.end());
    if (corners.size() > 2) check_convex(corners);
    double reach = 0.0;
    for (const Vec corner : corners) reach = std::max(reach, length(corner));
    Shape shape{Shape::Kind::polygon, rounding, 0.0, 0.0, std::move(corners), reach + rounding};
    if (shape.corners.size() >= MANY_CORNERS) measure_sides(shape);
    return shape;
}

std::size_t side_at(const Shape& shape, double angle) {
    constexpr double TURN = 2.0 * std::numbers::pi;
    const auto& angles = shape.angles;
    double wanted = angles.front() + std::fmod(angle - angles.front(), TURN);
    if (wanted < angles.front()) wanted += TURN;
    const auto found = std::lower_bound(angles.begin(), angles.end(), wanted);
    return found == angles.end() ? 0 : static_cast<std::size_t>(found - angles.begin());
}

std::size_t foremost_corner(const Shape& shape, Vec direction) {
    const auto& corners = shape.corners;
    const std::size_t count = corners.size();
    std::size_t best = side_at(shape, maths::atan2(direction.x, -direction.y));
    // By the angles it is this corner or, but for rounding, one beside it.
    for (const std::size_t step : {std::size_t{1}, count - 1})
        for (std::size_t next = (best + step) % count;
             dot(corners[next], direction) > dot(corners[best], direction); next = (best + step) % count)
            best = next;
    return best;
}

double extent(const Shape& shape, double heading, Vec towards) {
    const Vec own = turned_back(towards, direction(heading));
    switch (shape.kind) {
    case Shape::Kind::disc:
        return shape.radius * length(own);
    case Shape::Kind::ellipse:
        return length({shape.a * own.x, shape.b * own.y});
    case Shape::Kind::polygon:
        break;
    }
    double most = -NONE;
    if (!shape.angles.empty())
        most = dot(shape.corners[foremost_corner(shape, own)], own);
    else
        for (const Vec corner : shape.corners) most = std::max(most, dot(corner, own));
    return most + shape.radius * length(own);
}

Vec middle(const Shape& shape, const Placed& placed) {
    if (shape.kind != Shape::Kind::polygon) return placed.at;
    Vec sum{0.0, 0.0};
    for (const Vec corner : shape.corners) sum = sum + corner;
    return placed.at + turned(sum / static_cast<double>(shape.corners.size()), direction(placed.heading));
}

bool inside(const Shape& shape, const Placed& placed, Vec point) {
    return inside_own_frame(shape, turned_back(point - placed.at, direction(placed.heading)));
}

double ray(const Shape& shape, const Placed& placed, Vec from, Vec along) {
    const Vec axis = direction(placed.heading);
    const Vec start = turned_back(from - placed.at, axis), way = turned_back(along, axis);
    if (inside_own_frame(shape, start)) return 0.0;
    switch (shape.kind) {
    case Shape::Kind::disc:
        return ray_to_circle(shape.radius, start, way);
    case Shape::Kind::ellipse:
        return ray_to_ellipse(shape.a, shape.b, start, way);
    case Shape::Kind::polygon:
        break;
    }
    return ray_to_polygon(shape, start, way);
}

}  // namespace kumi
