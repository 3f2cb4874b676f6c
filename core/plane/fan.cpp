// What do many rays from one place hit first?
//
// Seen from there, each body and each part of an obstacle takes a stretch of directions. So a fan of rays that are evenly
// spread looks at each thing once, the nearest first, and compares it with the rays of its stretch alone, by the arithmetic of a
// single ray: a stretch may be too wide, never too narrow, so every ray finds what it would find by itself.
#include "plane/queries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace kumi {

namespace {

constexpr double WHOLE_TURN = 2.0 * std::numbers::pi;
constexpr float STRETCH_SLACK = 1e-3f;                        // radians, more than rough_direction() is off
constexpr std::size_t FEW_RAYS = 4, TOGETHER = 4, BINS = 32;  // of distance, by which things are put in order
constexpr std::size_t PARTS_PER_RAY = 4;  // of obstacles: of more, each ray looks for its own by cells

// The direction of a vector, less than a thousandth off. Nothing branches, so that many are found at once.
inline float rough_direction(float x, float y) {
    constexpr float HALF_TURN = std::numbers::pi_v<float>;
    const float right = std::abs(x), up = std::abs(y);
    const float less = up < right ? up : right, more = up < right ? right : up;
    const float share = less / (more + 1e-30f), s = share * share;
    const float flat = ((-0.0464964749f * s + 0.15931422f) * s - 0.327622764f) * s * share + share;
    const float steep = up > right ? 0.5f * HALF_TURN - flat : flat;
    const float ahead = x < 0.0f ? HALF_TURN - steep : steep;
    return y < 0.0f ? -ahead : ahead;
}

double rough_direction(Vec v) { return rough_direction(static_cast<float>(v.x), static_cast<float>(v.y)); }

// Half of the angle that a disc takes, seen from outside, or a little more; from inside, all there is.
inline float half_angle(float radius, float away) {
    const float sine = radius / (away + 1e-30f);  // the arcsine is largest above this at 1
    const float half = sine + (0.5f * std::numbers::pi_v<float> - 1.0f) * sine * sine * sine + STRETCH_SLACK;
    return sine < 0.999f ? half : static_cast<float>(WHOLE_TURN);
}

double half_angle(double radius, Vec m) {
    return half_angle(static_cast<float>(radius * (1.0 + 1e-6)), static_cast<float>(length(m)));
}

// The rays of a fan, which turn on evenly, but for rounding.
class Fan {
  public:
    Fan(const double* angles, std::size_t count) : first_(count ? angles[0] : 0.0), count_(count) {
        if (count < FEW_RAYS) return;
        span_ = angles[count - 1] - first_;
        step_ = span_ / static_cast<double>(count - 1);
        per_step_ = (1.0 - 1e-12) / step_;
        first_in_turn_ = static_cast<float>(std::remainder(first_, WHOLE_TURN));  // as directions are told
        if (first_in_turn_ > -std::numbers::pi_v<float>) first_in_turn_ -= static_cast<float>(WHOLE_TURN);
        for (std::size_t i = 0; i < count; ++i)
            uneven_ = std::max(uneven_, std::abs(angles[i] - (first_ + step_ * static_cast<double>(i))));
    }

    bool is_even() const {
        return step_ > 0.0 && uneven_ < 0.5 * step_ && span_ < 2.0 * WHOLE_TURN && std::abs(first_) < 1e6;
    }

    // How far a direction is to the left of the first ray: from 0 to a whole turn, or a little beyond either.
    float turn_to(float towards) const {
        const float turn = towards - first_in_turn_;  // from 0 to two whole turns
        return turn >= static_cast<float>(WHOLE_TURN) ? turn - static_cast<float>(WHOLE_TURN) : turn;
    }

    // The rays within half a stretch of a turn, and perhaps a few beside them: from one to before another.
    template <class Visit> void visit(double turn, double half, Visit&& visit) const {
        half += uneven_;
        if (half >= std::numbers::pi) {
            visit(std::size_t{0}, count_);
            return;
        }
        const auto visit_there = [&](double middle) {
            const double last = (middle + half) * per_step_, begin = (middle - half) * per_step_;
            const std::size_t end =
                last < static_cast<double>(count_ - 1) ? static_cast<std::size_t>(last) + 1 : count_;
            visit(begin > 0.0 ? static_cast<std::size_t>(begin) : 0, end);
        };
        if (turn - half <= span_) visit_there(turn);
        if (turn + half >= WHOLE_TURN) visit_there(turn - WHOLE_TURN);
        for (double next = turn + WHOLE_TURN; next - half <= span_; next += WHOLE_TURN) visit_there(next);
    }

  private:
    double first_, span_ = 0.0, step_ = 0.0, per_step_ = 0.0, uneven_ = 0.0;
    float first_in_turn_ = 0.0f;
    std::size_t count_;
};

}  // namespace

void Queries::fan(Vec from, const double* angles, std::size_t count, double reach, BodyId ignoring,
                  bool bodies, Traits stopping, Hit* hits) const {
    const Fan fan(angles, count);
    const bool are_few = obstacles_.size() <= PARTS_PER_RAY * count;
    if (!fan.is_even() || (!are_few && !bodies)) {
        for (std::size_t i = 0; i < count; ++i)
            hits[i] = first_hit(from, direction(angles[i]), reach, ignoring, bodies, stopping);
        return;
    }
    if (const Solid* solid = stopping ? solid_at(from, stopping) : nullptr) {
        std::fill_n(hits, count, Hit{0.0, NOBODY, solid->obstacle, solid->traits});
        return;
    }
    std::vector<Vec>& along = scratch_.along;
    along.resize(count);
    scratch_.turns.resize(count);
    maths::sines_cosines(angles, count, scratch_.turns.data());
    for (std::size_t i = 0; i < count; ++i) along[i] = {scratch_.turns[i].cosine, scratch_.turns[i].sine};
    Hit nothing;
    nothing.distance = std::nextafter(reach, INFINITE_TIME);
    std::fill_n(hits, count, nothing);
    if (bodies) fan_bodies(from, fan, along, reach, ignoring, hits);
    if (stopping && !are_few)
        for (std::size_t i = 0; i < count; ++i) {
            const Hit hit = first_hit(from, along[i], reach, NOBODY, false, stopping);
            if (hit.distance < hits[i].distance) hits[i] = hit;
        }
    // The sides of the box come first. A box is convex: what is within reach is in it, if the square around that is.
    const Box* box = obstacles_.box();
    const Vec margin = Vec{reach, reach} * (1.0 + 1e-6);
    const bool is_inside = box && is_well_within(*box, from - margin) && is_well_within(*box, from + margin);
    for (std::uint32_t part = is_inside ? 4 : 0; stopping && are_few && part < obstacles_.size(); ++part) {
        const Fixed& fixed = obstacles_[part];
        if (!fixed.is(stopping)) continue;
        const Vec a = fixed.capsule.a - from, b = fixed.capsule.b - from;
        const double near = length(beside(fixed.capsule, from).away) - fixed.capsule.radius;
        const double margin = 1e-9 * (length(a) + length(b));
        if (near - margin > reach) continue;
        double middle = 0.0, half = WHOLE_TURN;
        if (near > margin) {
            const double at_a = rough_direction(a), half_a = half_angle(fixed.capsule.radius, a);
            const double half_b = half_angle(fixed.capsule.radius, b);
            const double aside = std::remainder(rough_direction(b) - at_a, WHOLE_TURN);
            if (std::abs(aside) < std::numbers::pi - 4.0 * STRETCH_SLACK) {
                const double low = std::min(-half_a, aside - half_b), high = std::max(half_a, aside + half_b);
                middle = at_a + 0.5 * (low + high);
                half = 0.5 * (high - low);
            }
        }
        fan.visit(fan.turn_to(static_cast<float>(std::remainder(middle, WHOLE_TURN))), half,
                  [&](std::size_t first, std::size_t end) {
                      for (std::size_t i = first; i < end; ++i) {
                          if (near - margin > hits[i].distance) continue;
                          const double way = ray_to_capsule(from, along[i], fixed.capsule);
                          if (way < hits[i].distance) hits[i] = {way, NOBODY, fixed.obstacle, fixed.traits};
                      }
                  });
    }
    for (std::size_t i = 0; i < count; ++i)
        if (hits[i].body == NOBODY && hits[i].obstacle == NO_OBSTACLE) hits[i].distance = INFINITE_TIME;
}

template <class Rays> void Queries::fan_bodies(Vec from, const Rays& fan, const std::vector<Vec>& along,
                                               double reach, BodyId ignoring, Hit* hits) const {
    // Who is around, and where, as closely as it takes to put them in order: radii are a little larger, and gaps smaller.
    std::vector<BodyId>& ids = scratch_.ids;
    if (ids.size() < bodies_.size()) {
        ids.resize(bodies_.size());
        scratch_.numbers.resize(6 * bodies_.size());
        scratch_.bins.resize(bodies_.size());
        scratch_.order.resize(bodies_.size());
    }
    float* const numbers = scratch_.numbers.data();
    float* const __restrict x = numbers, * const __restrict y = numbers + ids.size(), * const __restrict radius = numbers + 2 * ids.size(), * const __restrict near = numbers + 3 * ids.size(), * const __restrict turn = numbers + 4 * ids.size(), * const __restrict half = numbers + 5 * ids.size();
    const bool are_all_there = bodies_.alive() == bodies_.size();
    std::size_t count = 0;
    visit_near(from, reach, [&](BodyId other) {
        const Hot& hot = bodies_.hot(other);
        const Vec m = (hot.is_simple ? bodies_.place(hot) : bodies_.pose(other).at) - from;
        ids[count] = other;
        x[count] = static_cast<float>(m.x);
        y[count] = static_cast<float>(m.y);
        radius[count] = static_cast<float>(hot.radius * (1.0 + 1e-6));
        const double most = reach + hot.radius;
        count +=
            (square(m) <= most * most) & (other != ignoring) & (are_all_there || !bodies_[other].is_gone);
    });
    float farthest = 0.0f;
    for (std::size_t i = 0; i < count; ++i) {
        const float away = std::sqrt(x[i] * x[i] + y[i] * y[i]) * (1.0f - 1e-6f);
        near[i] = away - radius[i];
        turn[i] = fan.turn_to(rough_direction(x[i], y[i]));
        half[i] = half_angle(radius[i], away);
    }
    for (std::size_t i = 0; i < count; ++i) {
        farthest = std::max(farthest, near[i]);
    }
    std::array<std::uint32_t, BINS + 1> ends{};
    std::vector<std::uint8_t>& bins = scratch_.bins;
    const float per_metre = farthest > 0.0f ? (static_cast<float>(BINS) - 0.5f) / farthest : 0.0f;
    for (std::size_t i = 0; i < count; ++i)
        ++ends[(bins[i] = static_cast<std::uint8_t>(std::max(0.0f, near[i] * per_metre))) + 1u];
    for (std::size_t i = 0; i < BINS; ++i) ends[i + 1] += ends[i];
    std::vector<std::uint32_t>& order = scratch_.order;
    for (std::uint32_t i = 0; i < count; ++i) order[ends[bins[i]]++] = i;
    // Of a few rays beside each other, how far the farthest still goes: most of those far away are behind others.
    std::vector<double>& open = scratch_.open;
    open.assign(along.size() / TOGETHER + 1, INFINITE_TIME);
    for (std::size_t next = 0; next < count; ++next) {
        const std::uint32_t i = order[next];
        const BodyId id = ids[i];
        const double closest = near[i];
        fan.visit(turn[i], half[i], [&](std::size_t first, std::size_t end) {
            bool is_open = false;
            for (std::size_t k = first / TOGETHER; k <= (end - 1) / TOGETHER; ++k)
                is_open |= closest <= open[k];
            if (!is_open) return;
            const Hot& hot = bodies_.hot(id);
            const Vec m = bodies_.place_of(id) - from;
            const double apart = square(m) - hot.radius * hot.radius;
            bool has_hit = false;
            for (std::size_t k = first; k < end; ++k) {
                const double aside = kumi::cross(along[k], m), ahead = dot(m, along[k]);
                if (std::abs(aside) > hot.radius || ahead < -hot.radius) continue;
                const auto to_round = [&] {  // as ray_to_round() has it
                    return apart <= 0.0 ? 0.0
                           : ahead <= 0.0
                               ? INFINITE_TIME
                               : apart / (ahead + std::sqrt((hot.radius - aside) * (hot.radius + aside)));
                };
                const double way =
                    hot.is_disc ? to_round() : ray(bodies_.shape(id), bodies_.pose(id), from, along[k]);
                if (!(way < hits[k].distance)) continue;
                hits[k] = {way, id, NO_OBSTACLE};
                has_hit = true;
            }
            for (std::size_t k = first / TOGETHER; has_hit && k <= (end - 1) / TOGETHER; ++k) {
                const std::size_t last = std::min((k + 1) * TOGETHER, along.size());
                open[k] = 0.0;
                for (std::size_t j = k * TOGETHER; j < last; ++j)
                    open[k] = std::max(open[k], hits[j].distance);
            }
        });
    }
}

}  // namespace kumi
