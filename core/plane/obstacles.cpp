#include "plane/obstacles.hpp"

#include <algorithm>
#include <utility>

namespace kumi {

namespace {

// The capsule as a shape about its middle.
std::shared_ptr<const Shape> capsule_shape(const Capsule& capsule) {
    const Vec middle = (capsule.a + capsule.b) * 0.5;
    auto shape = std::make_shared<Shape>();
    shape->kind = Shape::Kind::polygon;
    shape->radius = capsule.radius;
    shape->a = shape->b = 0.0;
    shape->corners = {capsule.a - middle};
    if (!(capsule.a == capsule.b)) shape->corners.push_back(capsule.b - middle);
    shape->reach = length(capsule.a - middle) + capsule.radius;
    return shape;
}

}  // namespace

bool is_within(const std::vector<Vec>& corners, Vec at) {
    bool inside = false;
    for (std::size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
        const Vec a = corners[i], b = corners[j];
        if ((a.y > at.y) != (b.y > at.y) && at.x < (b.x - a.x) * (at.y - a.y) / (b.y - a.y) + a.x)
            inside = !inside;
    }
    return inside;
}

bool Region::holds(Vec at) const {
    if (radius > 0.0) return length(at - corners[0]) < radius;
    return is_within(corners, at);
}

Obstacles::Obstacles(const Box* box) {
    if (!box) return;
    has_box_ = true;
    box_ = *box;
    const Vec corners[4] = {
        {box->left, box->bottom}, {box->right, box->bottom}, {box->right, box->top}, {box->left, box->top}};
    for (int i = 0; i < 4; ++i) {
        const Vec a = corners[i], b = corners[(i + 1) % 4];
        box_parts_.push_back(static_cast<std::uint32_t>(fixed_.size()));
        fixed_.push_back({{a, b, 0.0}, capsule_shape({a, b, 0.0}), BORDER, -1, EVERYTHING});
    }
}

std::int32_t Obstacles::add_wall(Vec a, Vec b, double thickness, Traits traits) {
    const Capsule capsule{a, b, 0.5 * thickness};
    fixed_.push_back({capsule, capsule_shape(capsule), obstacles_, -1, traits});
    return obstacles_++;
}

std::int32_t Obstacles::add_pillar(Vec at, double radius, Traits traits) {
    const Capsule capsule{at, at, radius};
    fixed_.push_back({capsule, capsule_shape(capsule), obstacles_, -1, traits});
    return obstacles_++;
}

std::int32_t Obstacles::add_block(const std::vector<Vec>& corners, Traits traits) {
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Capsule capsule{corners[i], corners[(i + 1) % corners.size()], 0.0};
        fixed_.push_back({capsule, capsule_shape(capsule), obstacles_, -1, traits});
    }
    solids_.push_back({corners, obstacles_, traits});
    return obstacles_++;
}

// A round region has one part: a disc of no width, whose border is the region's own circle.
std::int32_t Obstacles::add_region(Region region) {
    const std::int32_t number = static_cast<std::int32_t>(regions_.size());
    if (region.radius > 0.0) {
        const Capsule capsule{region.corners[0], region.corners[0], region.radius};
        fixed_.push_back({capsule, nullptr, obstacles_, number, 0});
    } else {
        for (std::size_t i = 0; i < region.corners.size(); ++i) {
            const Capsule capsule{region.corners[i], region.corners[(i + 1) % region.corners.size()], 0.0};
            fixed_.push_back({capsule, nullptr, obstacles_, number, 0});
        }
    }
    regions_.push_back(std::move(region));
    ++obstacles_;
    return obstacles_ - 1;
}

void Obstacles::remove(std::int32_t obstacle) {
    std::erase_if(fixed_, [&](const Fixed& fixed) { return fixed.obstacle == obstacle && fixed.region < 0; });
    std::erase_if(solids_, [&](const Solid& solid) { return solid.obstacle == obstacle; });
}

const Region* Obstacles::ground(Vec at) const {
    const Region* found = nullptr;
    for (const Region& region : regions_) {
        if (!region.holds(at)) continue;
        if (region.kind == Region::Kind::hole) return &region;
        if (!found || region.factor < found->factor) found = &region;
    }
    return found;
}

double Obstacles::rate_in(const std::vector<std::uint32_t>& regions) const {
    double rate = 1.0;
    for (std::uint32_t region : regions)
        if (regions_[region].kind == Region::Kind::slow) rate = std::min(rate, regions_[region].factor);
    return rate;
}

}  // namespace kumi
