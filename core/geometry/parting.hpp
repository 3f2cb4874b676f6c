// When do two that touch or overlap part?
//
// Where their gap opens by more than TOUCHING of their size: what is less counts as nothing, as it does where contacts
// begin. So rounding parts nobody who goes along another, and who has parted is not touching at that instant.
//
// Two discs at constant velocity part at the later root of the quadratic whose earlier root is their contact. All else is
// advanced: the gap opens no faster than speeds, and of discs accelerations, allow, so each step goes as far as they
// surely have not parted. Nothing bounds how the gap of other shapes bends, nor that on a pattern: there a step is at
// least FEELING of their size, and a gap that opens and closes again within one step is not seen.
#pragma once

#include "geometry/contact.hpp"

#include <algorithm>
#include <cmath>

namespace kumi {

// The wait until two discs at constant velocity, not both at rest, that are within `reach` now are so no more.
inline double part_straight(Vec apart, Vec moving, double reach) {
    const double speed = square(moving), along = dot(apart, moving), aside = cross(apart, moving);
    const double root = std::sqrt(std::max(0.0, reach * reach * speed - aside * aside));
    // The later root, in the form without cancellation.
    const double wait =
        along > 0.0 ? (reach * reach - square(apart)) / (along + root) : (root - along) / speed;
    return std::max(0.0, wait);
}

// A gap at an instant: how wide it is, how fast it opens, and for the next `sure` seconds no faster than that by `bending`
// a second.
struct Opening {
    double open;
    double rate = 0.0, bending = INFINITE_TIME, sure = 0.0;
};

// An instant after `closed`, when the gap is no wider than `slack`, and no later than `open`, when it is: the first at
// which it is, but for once more as much.
template <class Look> double first_open(Look&& look, double closed, double open, double slack) {
    const auto wider = [&](double time) { return look(time).open - 1.5 * slack; };
    double low = wider(closed), high = wider(open);
    // The false position, with the Illinois rule: an end that stays is weighed half.
    for (int side = 0; high > 0.5 * slack && open - closed > 4.0 * ROUNDING * std::abs(open);) {
        const double guess = closed + (open - closed) * (low / (low - high));
        const double middle = guess > closed && guess < open ? guess : 0.5 * (closed + open);
        const double here = wider(middle);
        if (here > -0.5 * slack) {
            open = middle;
            if (here <= 0.5 * slack) break;
            high = here;
            low *= side > 0 ? 0.5 : 1.0;
            side = 1;
        } else {
            closed = middle;
            low = here;
            high *= side < 0 ? 0.5 : 1.0;
            side = -1;
        }
    }
    return open;
}

// When the gap at which `look` looks opens by more than `slack`, between `now` and `until`. It opens by no more than `top` a
// second, and is looked at no more often than each `least` seconds.
template <class Look>
Meeting part(Look&& look, double top, double slack, double least, double now, double until) {
    double time = now, before = now;
    for (int i = 0; i < 200; ++i) {
        const Opening here = look(time);
        if (here.open > slack) return {before < time ? first_open(look, before, time, slack) : time, true};
        if (time >= until || top == 0.0) return {};
        // To twice of what counts as nothing: steps to just that would come ever nearer to it, and never there.
        const double left = 2.0 * slack - here.open;
        double step = std::max(left / top, least);
        if (std::isfinite(here.bending))
            step = std::max(step, std::min(safe_step(left, -here.rate, here.bending), here.sure));
        before = time;
        time = std::min(until, std::max(time + step, std::nextafter(time, INFINITE_TIME)));
    }
    return {time, false};
}

}  // namespace kumi
