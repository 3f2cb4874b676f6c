// A pair of numbers with the arithmetic of the plane.
#pragma once

#include <cmath>
#include <numbers>

#include "numbers/elementary.hpp"

namespace kumi {

struct Vec {
    double x = 0.0, y = 0.0;

    constexpr bool operator==(const Vec&) const = default;
    constexpr Vec& operator+=(Vec o) { return *this = {x + o.x, y + o.y}; }
    constexpr Vec& operator-=(Vec o) { return *this = {x - o.x, y - o.y}; }
    constexpr Vec& operator*=(double s) { return *this = {x * s, y * s}; }
};

constexpr Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
constexpr Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
constexpr Vec operator-(Vec a) { return {-a.x, -a.y}; }
constexpr Vec operator*(Vec a, double s) { return {a.x * s, a.y * s}; }
constexpr Vec operator*(double s, Vec a) { return {a.x * s, a.y * s}; }
constexpr Vec operator/(Vec a, double s) { return {a.x / s, a.y / s}; }

constexpr double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
constexpr double cross(Vec a, Vec b) { return a.x * b.y - a.y * b.x; }
constexpr double square(Vec a) { return dot(a, a); }

// Three times as fast as hypot; coordinates are far from where squares overflow.
inline double length(Vec a) { return std::sqrt(a.x * a.x + a.y * a.y); }

// A quarter turn to the left.
constexpr Vec left_of(Vec a) { return {-a.y, a.x}; }

// The vector of length 1 at an angle from the first axis.
inline Vec direction(double angle) {
    const auto [sine, cosine] = maths::sine_cosine(angle);
    return {cosine, sine};
}

// The one of all numbers for a direction that a heading is: above -pi, up to pi. As many of the double next to 2 pi are taken
// away as needed, without rounding: that is nearer to the direction than two neighbouring doubles of this size are to each other,
// and four quarter turns of pi / 2 are none at all.
inline double wrapped(double angle) {
    constexpr double HALF = std::numbers::pi;
    if (angle > -HALF && angle <= HALF) return angle;
    const double rest = std::remainder(angle, 2.0 * HALF);
    return rest == -HALF ? HALF : rest;
}

// `a` turned by an angle, or by the direction of a unit vector, and back.
constexpr Vec turned(Vec a, Vec by) { return {a.x * by.x - a.y * by.y, a.x * by.y + a.y * by.x}; }
inline Vec turned(Vec a, double angle) { return turned(a, direction(angle)); }
constexpr Vec turned_back(Vec a, Vec by) { return {a.x * by.x + a.y * by.y, a.y * by.x - a.x * by.y}; }

}  // namespace kumi
