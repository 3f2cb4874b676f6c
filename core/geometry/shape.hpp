// What space does a body take, and how far is it from another?
//
// A shape is convex and given in the frame of its body: the origin is the body's position, and heading 0
// looks along x. A polygon may have a rounding radius, which adds a rim all around; a polygon with one
// corner is then a disc, one with two a capsule. All answers are computed from the position of one body
// relative to the other, so they are as good far from the origin of the plane as near it.
//
// Shapes are closed: a point on the boundary is inside, and touching shapes have a gap of 0.
//
// This file does not know Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "numbers/vec.hpp"

namespace kumi {

struct Placed {
    Vec at;
    double heading = 0.0;
};

struct Shape {
    enum class Kind : std::uint8_t { disc, polygon, ellipse };

    Kind kind;
    double radius;             // of a disc; of the rounding of a polygon, 0 for a plain one
    double a, b;               // half axes of an ellipse, along and across the heading
    std::vector<Vec> corners;  // of a polygon, counter-clockwise
    double reach;              // radius of the smallest circle about the origin that holds the shape
    // Only of a polygon of MANY_CORNERS and more, so that a search need not go through all of them:
    double inner = 0.0;  // radius of the largest circle about the origin within the corners
    std::vector<double>
        angles;  // of the side after each corner, ascending by less than a turn from the first
};

constexpr std::size_t MANY_CORNERS = 16;

// These throw std::invalid_argument when no such shape exists. Corners may come in either order;
// those that repeat another or lie on a straight side are left out.
Shape make_disc(double radius);
Shape make_polygon(const std::vector<Vec>& corners, double rounding = 0.0);
Shape make_ellipse(double a, double b);

struct Touch {
    double gap;         // the distance, or when the shapes overlap minus the least way that parts them
    Vec normal;         // of length 1, from A to B
    Vec point;          // midway between the nearest points; midway along, where two sides face each other
    double half = 0.0;  // how far along those sides it goes on from there, to either side
};

Touch gap(const Shape& a, const Placed& at_a, const Shape& b, const Placed& at_b);

// Of a polygon with `angles`: the corner from which the first side at an angle or beyond it starts, and the corner that is
// foremost in a direction, both in its own frame.
std::size_t side_at(const Shape& shape, double angle);
std::size_t foremost_corner(const Shape& shape, Vec direction);

// How far the shape extends from its position in a direction: the greatest p·direction.
double extent(const Shape& shape, double heading, Vec direction);

// A point well inside the shape. The position is none where a polygon lies aside of it.
Vec middle(const Shape& shape, const Placed& placed);

bool inside(const Shape& shape, const Placed& placed, Vec point);

// The distance along the ray, whose direction has length 1, to where it first meets the shape:
// 0 when it starts inside, infinity when it misses.
double ray(const Shape& shape, const Placed& placed, Vec from, Vec direction);

}  // namespace kumi
