// Where does an arc lead, and where does it meet a circle or a straight side? For every radius, from the
// tightest to one so wide that the arc is as good as a line.
//
// A centre far away would eat the digits of the places near by. So all is told from the body: its direction u,
// the direction n across it on the side of the centre, and the curve k = 1 / radius. A way s turns it by k s, and the
// chord of that way points in the direction halfway between. With x = 2 tan(k s / 2) / k, which is s where k is
// 0, the body has come by (x u + k x² / 2 n) / (1 + k² x² / 4). What it meets is a root of a x² - 2 b x + c,
// and the closer k is to 0, the closer are the coefficients, and the root, to those of the straight line.
#pragma once

#include "numbers/elementary.hpp"
#include "numbers/vec.hpp"

#include <cmath>
#include <numbers>

namespace kumi {

// Where a way leads that begins in the direction of the unit vector `along` and turns by `angle`, positive to the left.
inline Vec bent(Vec along, double way, double angle) {
    const double half = 0.5 * angle;
    const Vec middle = direction(half);
    return turned(along, middle) * (half == 0.0 ? way : way * (middle.y / half));
}

// What becomes of the distance to something, as a x² - 2 b x + c, with `under` = b² - a c: it passes 0 where `under`
// is not negative, and half of it falls or grows there by the root of `under` for each metre of the way.
struct Crossing {
    double a, b, c, under;
};

class Arc {
  public:
    Arc(Vec along, double turning) : along_(along), turning_(turning), curve_(std::abs(turning)) {}

    Vec along() const { return along_; }
    Vec bending() const { return left_of(along_) * turning_; }  // how the direction changes with the way
    double round() const { return 2.0 * std::numbers::pi / curve_; }
    Vec offset(double way) const { return bent(along_, way, turning_ * way); }

    // The disc of `reach` around what is `apart` from here: the square of the distance, less that of `reach`.
    Crossing disc(Vec apart, double reach) const {
        const double open = (length(apart) - reach) * (length(apart) + reach);
        const double aside =
            dot(across(), apart) - 0.5 * curve_ * open;  // by how much it would miss the centre
        return {1.0 - curve_ * (aside + 0.25 * curve_ * open), dot(along_, apart), open,
                (reach - aside) * (reach + aside)};
    }
    // What lies below a straight side: twice the distance, which is `open` here and grows along `normal`.
    Crossing side(double open, Vec normal) const {
        const double rate = dot(along_, normal), bend = curve_ * open, turns = dot(across(), normal);
        return {curve_ * (turns + 0.5 * bend), -rate, 2.0 * open, rate * rate - bend * (2.0 * turns + bend)};
    }

    // The way to the place where it comes in, or out: at most half the circle ahead, or below 0 if it lies behind.
    double way_in(const Crossing& crossing) const {
        const double root = std::sqrt(crossing.under);
        return crossing.b > 0.0 ? way(crossing.c, crossing.b + root) : way(crossing.b - root, crossing.a);
    }
    double way_out(const Crossing& crossing) const {
        const double root = std::sqrt(crossing.under);
        return crossing.b < 0.0 ? way(crossing.c, crossing.b - root) : way(crossing.b + root, crossing.a);
    }

  private:
    Vec along_;
    double turning_, curve_;

    Vec across() const { return turning_ < 0.0 ? -left_of(along_) : left_of(along_); }
    // The way at which x = up / down.
    double way(double up, double down) const {
        if (down == 0.0) return 0.5 * round();
        return 2.0 * maths::atan2(0.5 * curve_ * std::copysign(1.0, down) * up, std::abs(down)) / curve_;
    }
};

}  // namespace kumi
