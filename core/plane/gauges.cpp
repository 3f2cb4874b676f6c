// When has a supply fallen to a limit that time, way and turning use up?
//
// While a body drives evenly its use is a line, and with an acceleration a parabola, so the instant is a root. What is told is
// the first instant at which the use, as it is computed, has come that far: the last bits are found by halving around the root.
#include "plane/watches.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kumi {

namespace {

constexpr double LONGEST_USE = 1e9;  // seconds; what lasts longer never gets low
constexpr double LEAST_WIDTH =
    1e-300;  // seconds around the root, also where the root is 0: widths grow by a factor

}  // namespace

std::uint32_t Watches::gauge(BodyId body, const Gauge& gauge) {
    Watch watch;
    watch.owner = body;
    watch.gauge = std::make_unique<Gauge>(gauge);
    const std::uint32_t number = open(std::move(watch));
    fill(number, gauge.left, gauge.limit);
    return number;
}

double Watches::left(std::uint32_t number) const {
    const Watch& watch = watches_[number];
    return watch.gauge->left - used(*watch.gauge, watch.owner, bodies_.now);
}

void Watches::fill(std::uint32_t number, double left, double limit) {
    Watch& watch = watches_[number];
    Gauge& gauge = *watch.gauge;
    gauge.since = bodies_.now;
    bodies_.by(watch.owner, bodies_.now, gauge.way, gauge.turned);
    gauge.left = left;
    gauge.limit = limit;
    if (times_.is_predicted()) predict_gauge(number);
}

void Watches::drain(std::uint32_t number, double amount) {
    watches_[number].gauge->left -= amount;
    if (times_.is_predicted()) plan_watch(number, when_low(*watches_[number].gauge, watches_[number].owner));
}

// From the last mark to a time within the piece of motion under way: within one the body turns to one side only.
double Watches::used(const Gauge& gauge, BodyId body, double time) const {
    double way, turned;
    bodies_.by(body, time, way, turned);
    return gauge.idle * (time - gauge.since) + gauge.per_metre * (way - gauge.way) +
           gauge.per_radian * std::abs(turned - gauge.turned);
}

// What the piece that is over has used is taken off.
void Watches::predict_gauge(std::uint32_t number) {
    Watch& watch = watches_[number];
    Gauge& gauge = *watch.gauge;
    gauge.left -= used(gauge, watch.owner, bodies_.now);
    gauge.since = bodies_.now;
    bodies_.by(watch.owner, bodies_.now, gauge.way, gauge.turned);
    plan_watch(number, when_low(gauge, watch.owner));
}

double Watches::when_low(const Gauge& gauge, BodyId body) const {
    const double now = bodies_.now, spare = gauge.left - gauge.limit;
    if (spare == INFINITE_TIME) return INFINITE_TIME;
    const double done = used(gauge, body, now), rest = spare - done;
    if (rest <= 0.0) return now;
    const double longest = std::min(bodies_.piece_end(body) - now, LONGEST_USE), last = now + longest;
    if (!(used(gauge, body, last) >= spare)) return INFINITE_TIME;
    const double all = used(gauge, body, last) - done, half = used(gauge, body, now + 0.5 * longest) - done;
    const double rate = (4.0 * half - all) / longest, bend = (2.0 * all - 4.0 * half) / (longest * longest);
    const double wait = 2.0 * rest / (rate + std::sqrt(std::max(0.0, rate * rate + 4.0 * bend * rest)));
    double early = now, late = last;
    for (double width = std::max(LEAST_WIDTH, 4e-16 * (now + wait)); width < longest; width *= 16.0) {
        const double before = now + wait - width, after = now + wait + width;
        if (before > early && used(gauge, body, before) < spare) early = before;
        if (after < late && used(gauge, body, after) >= spare) late = after;
        if (early > now && late < last) break;
    }
    for (;;) {
        const double middle = early + (late - early) / 2.0;
        if (!(early < middle && middle < late)) return late;
        (used(gauge, body, middle) < spare ? early : late) = middle;
    }
}

}  // namespace kumi
