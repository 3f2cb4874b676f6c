// Which of a hundred bodies may this one meet at all?
//
// With so many bodies cells do not pay: leaving one costs as much as comparing with fifty others, if those lie side by
// side in memory and the processor does four or eight at once. So places and velocities are kept number by number,
// rounded to 24 bits: each body where it would have been at a common instant, the epoch, seen from a common origin.
//
// The answer is "perhaps" or "no", and "no" is sure. With everything within E of the origin for now, and within 2 E for
// as long as the epoch lasts, rounding moves what lies between two places by less than 26 u E, velocities by less than 6 u V,
// and so the cross and the dot product of both by less than 120 u E V, where u = 2^-24 and V is the fastest speed, E
// divided by how long the epoch lasts. Comparisons leave room for 128 u E V, and radii and speeds are taken one part in a
// hundred larger. What is decided in the end is decided from the exact numbers.
#pragma once

#include "numbers/vec.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace kumi {

class Straights {
  public:
    static constexpr std::size_t ROOM = 256;  // bodies

    // Whether those who are compared are not too small for numbers this coarse: else too many are "perhaps".
    static bool is_fine(double extent, double radius) { return extent * ROUNDING * UNIT < 0.1 * radius; }

    // From `now` on all are kept anew, those who are set: seen from `origin`, all within `extent`, and none faster.
    void begin(double now, Vec origin, double extent, double speed) {
        epoch_ = now;
        origin_ = origin;
        extent_ = extent;
        longest_ = speed > 0.0 ? extent / speed : INFINITY;
        speed_ = speed;
        const double both = extent * speed;  // whose square is within what such numbers can hold
        holds_ = (both == 0.0) | ((both > 1e-15) & (both < 1e15));
        std::fill_n(x_, ROOM, NAN);
        std::fill_n(others_, ROOM / 64, 0);
    }
    bool holds(double now) const { return holds_ && now - epoch_ <= longest_; }

    // A disc at constant velocity, where it is now, and how long it is of interest.
    void set(std::size_t body, double now, Vec at, Vec velocity, double radius, double until) {
        const Vec from = at - origin_;
        const double passed = now - epoch_, speed = length(velocity);
        holds_ &= (std::abs(from.x) <= extent_) & (std::abs(from.y) <= extent_) & (speed <= speed_) &
                  (2.0 * radius <= extent_);
        x_[body] = static_cast<float>(from.x - velocity.x * passed);
        y_[body] = static_cast<float>(from.y - velocity.y * passed);
        vx_[body] = static_cast<float>(velocity.x);
        vy_[body] = static_cast<float>(velocity.y);
        speed_of_[body] = static_cast<float>(LARGER * speed);
        radius_[body] = static_cast<float>(LARGER * radius);
        set_until(body, until);
        others_[body / 64] &= ~(std::uint64_t{1} << body % 64);
    }
    void set_until(std::size_t body, double until) { until_[body] = static_cast<float>(until - epoch_); }
    // Any other body: always perhaps.
    void set_other(std::size_t body) {
        forget(body);
        others_[body / 64] |= std::uint64_t{1} << body % 64;
    }
    // None at all.
    void forget(std::size_t body) {
        x_[body] = NAN;
        others_[body / 64] &= ~(std::uint64_t{1} << body % 64);
    }

    // Of the first `count` bodies those that this one, which is set, may meet while they are of interest: a bit for each.
    void find(std::size_t body, std::size_t count, double now, std::uint64_t* found) const;

  private:
    static constexpr double UNIT = 0x1p-24, ROUNDING = 128.0, LARGER = 1.01;

    double epoch_ = 0.0, extent_ = 0.0, longest_ = 0.0, speed_ = 0.0;
    Vec origin_;
    bool holds_ = false;
    std::uint64_t others_[ROOM / 64] = {};
    alignas(64) float x_[ROOM] = {}, y_[ROOM] = {}, vx_[ROOM] = {}, vy_[ROOM] = {}, radius_[ROOM] = {},
                      speed_of_[ROOM] = {}, until_[ROOM] = {};

    struct One {
        float x, y, vx, vy, radius, speed;
        float passed;  // since the epoch
        float apart,
            slack;  // what rounding may do to the dot product, and to the square of the cross product
    };
    void compare(const One& one, std::size_t count, std::int32_t* answers) const;
    void compare_by_eights(const One& one, std::size_t count, std::int32_t* answers) const;
};

}  // namespace kumi
