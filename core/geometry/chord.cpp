#include "geometry/chord.hpp"

#include <algorithm>
#include <cmath>

namespace kumi {

namespace {

Span clipped(double from, double to) { return {std::max(0.0, from), std::min(1.0, to)}; }

// The part within half a thickness of a stretch, between its ends.
Span chord_of_bar(Vec start, Vec end, const Capsule& bar) {
    const Vec side = bar.b - bar.a;
    const double extent = length(side);
    const Vec along = side / extent, across = left_of(along);
    double first = 0.0, last = 1.0;
    const auto cut = [&](Vec axis, double low, double high) {
        const double at = dot(start - bar.a, axis), to = dot(end - bar.a, axis);
        if (at == to) return low < at && at < high;
        const double one = (low - at) / (to - at), other = (high - at) / (to - at);
        first = std::max(first, std::min(one, other));
        last = std::min(last, std::max(one, other));
        return true;
    };
    if (!cut(along, 0.0, extent) || !cut(across, -bar.radius, bar.radius)) return {};
    return clipped(first, last);
}

}  // namespace

Span chord_of_disc(Vec start, Vec end, Vec centre, double radius) {
    const Vec step = end - start, back = start - centre;
    const double whole = square(step);
    if (whole == 0.0) return {};
    const double half = dot(step, back) / whole;
    const double root = half * half - (square(back) - radius * radius) / whole;
    if (!(root > 0.0)) return {};
    return clipped(-half - std::sqrt(root), -half + std::sqrt(root));
}

Span chord_of_capsule(Vec start, Vec end, const Capsule& capsule) {
    if (capsule.a == capsule.b) return chord_of_disc(start, end, capsule.a, capsule.radius);
    if (!(capsule.radius > 0.0)) return {};
    Span whole{};
    for (const Span part :
         {chord_of_disc(start, end, capsule.a, capsule.radius),
          chord_of_disc(start, end, capsule.b, capsule.radius), chord_of_bar(start, end, capsule)}) {
        if (!part.is_there()) continue;
        if (!whole.is_there())
            whole = part;
        else
            whole = {std::min(whole.from, part.from), std::max(whole.to, part.to)};
    }
    return whole;
}

double distance_of(Vec start, Vec end, const Capsule& capsule) {
    const Vec step = end - start, side = capsule.b - capsule.a;
    const double left = cross(step, capsule.a - start), right = cross(step, capsule.b - start);
    const double front = cross(side, start - capsule.a), back = cross(side, end - capsule.a);
    if (std::min(left, right) < 0.0 && std::max(left, right) > 0.0 && std::min(front, back) < 0.0 &&
        std::max(front, back) > 0.0)
        return 0.0;
    const Capsule way{start, end, 0.0};
    return std::min({length(beside(capsule, start).away), length(beside(capsule, end).away),
                     length(beside(way, capsule.a).away), length(beside(way, capsule.b).away)});
}

}  // namespace kumi
