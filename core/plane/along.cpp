// Which obstacles are on a straight way, or beside it?
#include "plane/queries.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/chord.hpp"

namespace kumi {

// Visits the parts of obstacles that may be within a distance of a way, some of them more than once: those filed under the cells
// of a band around it, row by row, or all of them where these cells are many.
template <class Visit> void Queries::visit_parts_along(Vec from, Vec to, double within, Visit&& visit) const {
    const Grid& grid = cells_.grid();
    within = std::max(0.0, within);
    const Vec a = from.y <= to.y ? from : to, b = from.y <= to.y ? to : from;
    const bool has_cells = cells_.is_shaped() && cells_.are_there();
    const double across =
        has_cells ? (std::abs(b.x - a.x) + b.y - a.y + 2.0 * within) / grid.cell + 2.0 : 0.0;
    const double wide = has_cells ? 2.0 * within / grid.cell + 2.0 : 0.0;
    if (!has_cells || across * wide > static_cast<double>(obstacles_.size())) {
        for (std::uint32_t part = 0; part < obstacles_.size(); ++part) visit(part);
        return;
    }
    for (std::int32_t iy = grid.index(a.y - within); iy <= grid.index(b.y + within); ++iy) {
        double left = a.x, right = b.x;  // of the way between the heights that are near this row
        const double slope = b.y > a.y ? (b.x - a.x) / (b.y - a.y) : INFINITE_TIME;
        if (std::isfinite(slope)) {
            left = a.x + slope * (std::clamp(grid.low(iy) - within, a.y, b.y) - a.y);
            right = a.x + slope * (std::clamp(grid.high(iy) + within, a.y, b.y) - a.y);
        }
        if (left > right) std::swap(left, right);
        for (std::int32_t ix = grid.index(left - within); ix <= grid.index(right + within); ++ix)
            if (const auto* parts = cells_.fixed_in(ix, iy))
                for (std::uint32_t part : *parts) visit(part);
    }
    for (std::uint32_t part : cells_.everywhere()) visit(part);
}

std::vector<std::int32_t> Queries::obstacles_along(Vec from, Vec to, double within) const {
    const Vec middle = from + (to - from) / 2.0;
    std::vector<std::pair<double, std::int32_t>> found;
    const Box way{std::min(from.x, to.x), std::min(from.y, to.y), std::max(from.x, to.x),
                  std::max(from.y, to.y)};
    visit_parts_along(from, to, within, [&](std::uint32_t part) {
        const Fixed& fixed = obstacles_[part];
        if (!fixed.is(STANDS)) return;
        const Capsule& capsule = fixed.capsule;
        const double room = within + capsule.radius;
        if (std::max(capsule.a.x, capsule.b.x) < way.left - room ||
            std::min(capsule.a.x, capsule.b.x) > way.right + room ||
            std::max(capsule.a.y, capsule.b.y) < way.bottom - room ||
            std::min(capsule.a.y, capsule.b.y) > way.top + room || distance_of(from, to, capsule) > room)
            return;
        found.emplace_back(std::max(0.0, length(beside(capsule, middle).away) - capsule.radius),
                           fixed.obstacle);
    });
    for (const Solid& solid : obstacles_.solids())
        if (solid.is(STANDS) && (is_within(solid.corners, middle) || is_within(solid.corners, from)))
            found.emplace_back(is_within(solid.corners, middle) ? 0.0 : length(middle - from),
                               solid.obstacle);
    std::sort(found.begin(), found.end());
    std::vector<std::int32_t> numbers;
    for (const auto& [distance, obstacle] : found)
        if (std::find(numbers.begin(), numbers.end(), obstacle) == numbers.end()) numbers.push_back(obstacle);
    return numbers;
}

}  // namespace kumi
