#include "avoidance/half_planes.hpp"

#include <algorithm>
#include <cmath>

namespace kumi::avoidance {

namespace {

// Below this share of the top speed, or this sine of an angle, a difference is rounding.
constexpr double ROUNDING = 1e-12;

}  // namespace

// The best velocity on the border of a half-plane, within those before it. False where they leave nothing.
bool HalfPlanes::best_on(const std::vector<HalfPlane>& planes, std::size_t number, Aim aim, double top,
                         Vec& v) {
    const HalfPlane& own = planes[number];
    const double square_left = top * top - own.bound * own.bound;
    if (square_left < 0.0) return false;
    const Vec middle = own.normal * own.bound, along = left_of(own.normal);
    double high = std::sqrt(square_left), low = -high;
    for (std::size_t i = 0; i < number; ++i) {
        const double slope = dot(planes[i].normal, along), rest = -planes[i].excess(middle);
        if (std::abs(slope) <= ROUNDING) {
            if (rest < -ROUNDING * top) return false;
        } else if (slope > 0.0) {
            high = std::min(high, rest / slope);
        } else {
            low = std::max(low, rest / slope);
        }
        if (low > high) {
            if (low - high > ROUNDING * top) return false;
            low = high = 0.5 * (low + high);
        }
    }
    const double side = dot(aim.at, along);
    double s = side;
    if (aim.is_direction) s = side > 0.0 ? high : side < 0.0 ? low : 0.0;
    v = middle + along * std::clamp(s, low, high);
    return true;
}

// The best velocity of all, and how many half-planes it lies in: all, or those before the first that leaves nothing.
std::size_t HalfPlanes::best_within(const std::vector<HalfPlane>& planes, Aim aim, double top, Vec& v) {
    const double size = length(aim.at);
    v = aim.is_direction || size > top ? aim.at * (size > 0.0 ? top / size : 0.0) : aim.at;
    for (std::size_t i = 0; i < planes.size(); ++i)
        if (planes[i].excess(v) > 0.0 && !best_on(planes, i, aim, top, v)) return i;
    return planes.size();
}

// The velocity with the least violation of the half-planes from `first` on, those before it being kept by `v`: each that is
// violated most is the level to which the others are compared.
Vec HalfPlanes::least_excess(Vec v, double top, std::size_t hard, std::size_t first) const {
    double worst = 0.0;
    for (std::size_t i = first; i < planes.size(); ++i) {
        const HalfPlane& own = planes[i];
        if (own.excess(v) <= worst) continue;
        level_.assign(planes.begin(), planes.begin() + static_cast<std::ptrdiff_t>(hard));
        for (std::size_t j = hard; j < i; ++j) {
            const Vec between = planes[j].normal - own.normal;
            const double size = length(between);
            if (size > ROUNDING) level_.push_back({between / size, (planes[j].bound - own.bound) / size});
        }
        Vec found;
        // By rounding alone there may seem to be nothing; the velocity so far is then as good.
        if (best_within(level_, {-own.normal, true}, top, found) == level_.size()) v = found;
        worst = std::max(worst, own.excess(v));
    }
    return v;
}

Vec HalfPlanes::nearest(Vec wanted, double top, std::size_t hard) {
    Vec v;
    const std::size_t kept = best_within(planes, {wanted, false}, top, v);
    if (kept == planes.size()) return v;
    if (kept >= hard) return least_excess(v, top, hard, kept);
    planes.resize(hard);
    return least_excess(v, top, 0, kept);
}

}  // namespace kumi::avoidance
