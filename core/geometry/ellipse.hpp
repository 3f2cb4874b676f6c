// How far is an ellipse from corners, or from another ellipse?
//
// In a direction u, of length 1, two shapes are f(u) apart: the least p·u of the one minus the greatest of
// the other. The gap is the greatest f(u) of all directions, whether the shapes overlap or not. As a
// function of the angle f'' = -f - r, where r >= 0 is the sum of the radii of curvature where the shapes
// face each other. So f is concave wherever it is positive, and Newton's method finds the one maximum. Where
// shapes overlap there may be several maxima: directions are then divided into sectors, each with an upper
// bound, and a sector is divided again until it is ruled out or known to be concave.
//
// The ellipse has its centre at the origin and its half axes a and b along x and y.
#pragma once

#include <cstddef>

#include "numbers/vec.hpp"

namespace kumi {

struct Facing {
    double gap;
    Vec normal;      // from the ellipse to the other
    Vec on_ellipse;  // the point of the ellipse that is nearest, or deepest inside
};

// The corners are those of a convex polygon, counter-clockwise; one or two are fine, too.
Facing ellipse_to_corners(double a, double b, const Vec* corners, std::size_t n);

// The other ellipse has its centre at `at` and its half axis `c` in the direction of the unit vector `axis`.
Facing ellipse_to_ellipse(double a, double b, double c, double d, Vec at, Vec axis);

}  // namespace kumi
