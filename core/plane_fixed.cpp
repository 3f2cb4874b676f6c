// What stands on the plane, and questions about it: what is in the way, what does a ray hit, who is near?
#include "plane.hpp"

#include <algorithm>
#include <cmath>

namespace kumi {

namespace {

bool is_within(const std::vector<Vec>& corners, Vec at) {
    bool inside = false;
    for (std::size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
        const Vec a = corners[i], b = corners[j];
        if ((a.y > at.y) != (b.y > at.y) && at.x < (b.x - a.x) * (at.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
    }
    return inside;
}

bool is_outside(const Box& box, Vec at) {
    return at.x < box.left || at.x > box.right || at.y < box.bottom || at.y > box.top;
}

// Within the box, and not on its border but for rounding.
bool is_well_within(const Box& box, Vec at) {
    const double margin = 1e-9 * (box.right - box.left + box.top - box.bottom);
    return (at.x - box.left > margin) & (box.right - at.x > margin) & (at.y - box.bottom > margin) & (box.top - at.y > margin);
}

double ray_to_round(Vec from, Vec along, Vec centre, double radius) {
    const Vec m = from - centre;
    const double b = dot(m, along), c = square(m) - radius * radius;
    if (c <= 0.0) return 0.0;
    if (b >= 0.0) return INFINITE_TIME;
    const double aside = cross(m, along);
    const double under = (radius - aside) * (radius + aside);
    return under < 0.0 ? INFINITE_TIME : c / (-b + std::sqrt(under));
}

double ray_to_capsule(Vec from, Vec along, const Capsule& capsule) {
    if (capsule.radius > 0.0 && length(beside(capsule, from).away) <= capsule.radius) return 0.0;
    double best = INFINITE_TIME;
    if (capsule.radius > 0.0)
        best = std::min(ray_to_round(from, along, capsule.a, capsule.radius),
                        ray_to_round(from, along, capsule.b, capsule.radius));
    const Vec side = capsule.b - capsule.a;
    const double extent = length(side);
    if (extent == 0.0) return best;
    Vec n = left_of(side) * (1.0 / extent);
    double away = dot(from - capsule.a, n);
    if (away < 0.0 || (away == 0.0 && dot(along, n) > 0.0)) {  // who stands on a line meets it either way
        n = -n;
        away = -away;
    }
    const double rate = dot(along, n);
    if (rate < 0.0 && away >= capsule.radius) {
        const double way = (away - capsule.radius) / -rate;
        const double foot = dot(from + along * way - capsule.a, side) / (extent * extent);
        if (foot >= 0.0 && foot <= 1.0) best = std::min(best, way);
    }
    return best;
}

}  // namespace

Journal::Record obstacle_record(std::int32_t obstacle, const std::string& words) {
    Journal::Record record('O');
    record.put(static_cast<std::uint32_t>(obstacle)).put(static_cast<std::uint32_t>(words.size()));
    for (char letter : words) record.put(letter);
    return record;
}

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

std::int32_t Plane::add_wall(Vec a, Vec b, double thickness) {
    const Capsule capsule{a, b, 0.5 * thickness};
    fixed_.push_back({capsule, capsule_shape(capsule), obstacles_, -1, true});
    is_shaped_ = is_predicted_ = false;
    return obstacles_++;
}

std::int32_t Plane::add_pillar(Vec at, double radius, bool is_seen) {
    const Capsule capsule{at, at, radius};
    fixed_.push_back({capsule, capsule_shape(capsule), obstacles_, -1, is_seen});
    is_shaped_ = is_predicted_ = false;
    return obstacles_++;
}

std::int32_t Plane::add_block(const std::vector<Vec>& corners, bool is_seen) {
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Capsule capsule{corners[i], corners[(i + 1) % corners.size()], 0.0};
        fixed_.push_back({capsule, capsule_shape(capsule), obstacles_, -1, is_seen});
    }
    solids_.push_back({corners, obstacles_, is_seen});
    is_shaped_ = is_predicted_ = false;
    return obstacles_++;
}

// A round region has one part: a disc of no width, whose border is the region's own circle.
std::int32_t Plane::add_region(Region region) {
    const std::int32_t number = static_cast<std::int32_t>(regions_.size());
    if (region.radius > 0.0) {
        const Capsule capsule{region.corners[0], region.corners[0], region.radius};
        fixed_.push_back({capsule, nullptr, obstacles_, number, false});
    } else {
        for (std::size_t i = 0; i < region.corners.size(); ++i) {
            const Capsule capsule{region.corners[i], region.corners[(i + 1) % region.corners.size()], 0.0};
            fixed_.push_back({capsule, nullptr, obstacles_, number, false});
        }
    }
    regions_.push_back(std::move(region));
    is_shaped_ = is_predicted_ = false;
    for (BodyId id = 0; id < bodies_.size(); ++id)
        if (!bodies_[id].is_gone) find_regions(id);
    ++obstacles_;
    return obstacles_ - 1;
}

void Plane::tell_obstacle(std::int32_t obstacle, const char* words) {
    if (words) {
        journal.write(now, obstacle_record(obstacle, words));
        if (journal.keeps) came_[obstacle] = words;
    } else {
        journal.write(now, 'X', static_cast<std::uint32_t>(obstacle));
        if (journal.keeps && !came_.erase(obstacle)) left_.push_back(obstacle);
    }
}

// Its number is given to no other. Predictions are made anew, so nobody knows its parts any more.
void Plane::remove_obstacle(std::int32_t obstacle) {
    std::erase_if(fixed_, [&](const Fixed& fixed) { return fixed.obstacle == obstacle && fixed.region < 0; });
    std::erase_if(solids_, [&](const Solid& solid) { return solid.obstacle == obstacle; });
    is_shaped_ = is_predicted_ = false;
}

BodyId Plane::body_in(std::int32_t obstacle) const {
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        if (bodies_[id].is_gone) continue;
        const Shape& shape = *bodies_[id].shape;
        const Pose here = pose(id);
        const auto overlaps = [&](const Fixed& fixed) {
            return fixed.obstacle == obstacle && fixed.region < 0 &&
                   gap(shape, here, *fixed.shape, fixed.placed()).gap < -TOUCHING * shape.reach;
        };
        const Vec within = middle(shape, here);
        const auto holds = [&](const Solid& solid) { return solid.obstacle == obstacle && is_within(solid.corners, within); };
        if (std::any_of(fixed_.begin(), fixed_.end(), overlaps) || std::any_of(solids_.begin(), solids_.end(), holds)) return id;
    }
    return NOBODY;
}

const Region* Plane::ground(Vec at) const {
    const Region* found = nullptr;
    for (const Region& region : regions_) {
        if (!is_inside(region, at)) continue;
        if (region.kind == Region::Kind::hole) return &region;
        if (!found || region.factor < found->factor) found = &region;
    }
    return found;
}

bool Plane::is_solid(Vec at) const {
    if (has_box_ && is_outside(box_, at)) return true;
    for (const Solid& solid : solids_)
        if (is_within(solid.corners, at)) return true;
    const auto holds = [&](std::uint32_t part) {
        const Fixed& fixed = fixed_[part];
        return fixed.region < 0 && fixed.capsule.radius > 0.0 &&
               length(beside(fixed.capsule, at).away) < fixed.capsule.radius;
    };
    if (!is_shaped_ || limit_ < 0.0) {
        for (std::uint32_t part = 0; part < fixed_.size(); ++part)
            if (holds(part)) return true;
        return false;
    }
    if (const auto* parts = fixed_in(grid_.index(at.x), grid_.index(at.y)))
        for (std::uint32_t part : *parts)
            if (holds(part)) return true;
    return std::any_of(everywhere_.begin(), everywhere_.end(), holds);
}

Hit Plane::in_the_way(const Shape& shape, const Pose& pose, BodyId ignoring) const {
    Hit worst;
    worst.distance = -TOUCHING * shape.reach;
    const auto try_body = [&](BodyId other) {
        if (other == ignoring || bodies_[other].is_gone) return;
        const double open = gap(shape, pose, *bodies_[other].shape, this->pose(other)).gap;
        if (open < worst.distance - TOUCHING * hot_[other].radius) worst = {open, other, NO_OBSTACLE};
    };
    std::vector<BodyId> close;
    near(pose.at, shape.reach, close);
    if (policy_ != Policy::pass)
        for (BodyId other : close) try_body(other);
    if (worst.body != NOBODY) return worst;
    for (std::uint32_t part = 0; part < fixed_.size(); ++part) {
        const Fixed& fixed = fixed_[part];
        if (fixed.region >= 0) continue;
        if (length(beside(fixed.capsule, pose.at).away) > shape.reach + fixed.capsule.radius) continue;
        const double open = gap(shape, pose, *fixed.shape, fixed.placed()).gap;
        if (open < worst.distance) return {open, NOBODY, fixed.obstacle};
    }
    const Vec within = middle(shape, pose);  // no border goes through the shape, so all of it is where one of its points is
    for (const Solid& solid : solids_)
        if (is_within(solid.corners, within)) return {-INFINITE_TIME, NOBODY, solid.obstacle};
    if (has_box_ && is_outside(box_, within)) return {-INFINITE_TIME, NOBODY, BORDER};
    return {};
}

void Plane::near(Vec at, double within, std::vector<BodyId>& found) const {
    const auto try_body = [&](BodyId other) {
        if (bodies_[other].is_gone) return;
        const double away = length(place_of(other) - at);
        if (hot_[other].is_disc ? away - hot_[other].radius <= within
                                : away - hot_[other].radius <= within &&
                                      gap(Shape{Shape::Kind::disc, 0.0, 0.0, 0.0, {}, 0.0}, {at, 0.0}, *bodies_[other].shape,
                                          pose(other)).gap <= within)
            found.push_back(other);
    };
    const double reach = within + std::max(0.0, limit_) + 0.25 * grid_.cell;
    const double across = is_shaped_ && limit_ >= 0.0 ? 2.0 * reach / grid_.cell + 1.0 : INFINITE_TIME;
    if (across * across > static_cast<double>(alive_)) {
        for (BodyId other = 0; other < bodies_.size(); ++other) try_body(other);
        return;
    }
    for (std::int32_t iy = grid_.index(at.y - reach); iy <= grid_.index(at.y + reach); ++iy)
        for (std::int32_t ix = grid_.index(at.x - reach); ix <= grid_.index(at.x + reach); ++ix)
            grid_.visit_cell(ix, iy, [&](BodyId other) {
                if (grid_.link(other).ix == ix && grid_.link(other).iy == iy) try_body(other);
            });
    for (BodyId other : large_) try_body(other);
    std::sort(found.begin(), found.end());
}

void Plane::near_obstacles(Vec at, double within, std::vector<Hit>& found) const {
    const auto try_part = [&](std::uint32_t part) {
        const Fixed& fixed = fixed_[part];
        if (fixed.region >= 0 || !fixed.is_seen) return;
        const double away = std::max(0.0, length(beside(fixed.capsule, at).away) - fixed.capsule.radius);
        if (away > within) return;
        for (Hit& hit : found) {
            if (hit.obstacle != fixed.obstacle) continue;
            hit.distance = std::min(hit.distance, away);
            return;
        }
        found.push_back({away, NOBODY, fixed.obstacle});
    };
    for (std::uint32_t part = 0; part < fixed_.size(); ++part) try_part(part);
    for (const Solid& solid : solids_) {
        if (!solid.is_seen || !is_within(solid.corners, at)) continue;
        std::erase_if(found, [&](const Hit& hit) { return hit.obstacle == solid.obstacle; });
        found.push_back({0.0, NOBODY, solid.obstacle});
    }
    std::sort(found.begin(), found.end(), [](const Hit& a, const Hit& b) { return a.distance < b.distance; });
}

// Visits the cells in which bodies may be that a beam meets, and those through which it goes, until `best` is nearer.
template <class Around, class Within>
void Plane::visit_beam(Vec from, Vec along, double reach, const double& best, Around&& around, Within&& within) const {
    if (reach <= SHORT_BEAM * grid_.cell) {  // the cells about the box around it are few
        const Vec to = from + along * reach;
        const double margin = limit_ + (OVERHANG + 1e-9) * grid_.cell;
        const auto first = [&](double a, double b, double aside) { return grid_.index(std::min(a, b) - aside); };
        const auto last = [&](double a, double b, double aside) { return grid_.index(std::max(a, b) + aside); };
        const std::int32_t right = last(from.x, to.x, margin), top = last(from.y, to.y, margin);
        for (std::int32_t y = first(from.y, to.y, margin); y <= top; ++y)
            for (std::int32_t x = first(from.x, to.x, margin); x <= right; ++x) around(x, y);
        if (fixed_.size() == box_parts_.size()) return;
        for (std::int32_t y = first(from.y, to.y, 0.0); y <= last(from.y, to.y, 0.0); ++y)
            for (std::int32_t x = first(from.x, to.x, 0.0); x <= last(from.x, to.x, 0.0); ++x) within(x, y);
        return;
    }
    std::int32_t ix = grid_.index(from.x), iy = grid_.index(from.y);
    for (std::int32_t y = iy - 1; y <= iy + 1; ++y)
        for (std::int32_t x = ix - 1; x <= ix + 1; ++x) around(x, y);
    for (double way = 0.0; way - 2.0 * grid_.cell <= best && way <= reach + grid_.cell;) {
        within(ix, iy);
        const double to_x = along.x > 0.0   ? (grid_.high(ix) - from.x) / along.x
                            : along.x < 0.0 ? (grid_.low(ix) - from.x) / along.x
                                            : INFINITE_TIME;
        const double to_y = along.y > 0.0   ? (grid_.high(iy) - from.y) / along.y
                            : along.y < 0.0 ? (grid_.low(iy) - from.y) / along.y
                                            : INFINITE_TIME;
        way = std::min(to_x, to_y);
        if (to_x <= to_y) {
            const std::int32_t step = along.x > 0.0 ? 1 : -1;
            ix += step;
            for (std::int32_t y = iy - 1; y <= iy + 1; ++y) around(ix + step, y);
        } else {
            const std::int32_t step = along.y > 0.0 ? 1 : -1;
            iy += step;
            for (std::int32_t x = ix - 1; x <= ix + 1; ++x) around(x, iy + step);
        }
    }
}

Hit Plane::first_hit(Vec from, Vec along, double reach, BodyId ignoring, bool bodies, bool obstacles) const {
    Hit best;
    best.distance = std::nextafter(reach, INFINITE_TIME);
    const auto try_body = [&](BodyId other) {
        if (other == ignoring || bodies_[other].is_gone) return;
        const Hot& hot = hot_[other];
        if (!hot.is_simple && !hot.rests) {  // most are off the beam by far, and where they are takes long to tell
            const Chord chord = chord_of(other);
            const Vec m = chord.at - from;
            const double within = hot.radius * (1.0 + 1e-6) + chord.aside, ahead = dot(m, along);
            if (std::abs(kumi::cross(along, m)) > within || ahead < -within || ahead - within > best.distance) return;
        }
        const Vec at = place_of(other);
        const Vec m = at - from;
        if (std::abs(kumi::cross(along, m)) > hot.radius || dot(m, along) < -hot.radius) return;
        const double way = hot.is_disc ? ray_to_round(from, along, at, hot.radius)
                                       : ray(*bodies_[other].shape, pose(other), from, along);
        if (way < best.distance) best = {way, other, NO_OBSTACLE};
    };
    const auto try_part = [&](std::uint32_t part) {
        const Fixed& fixed = fixed_[part];
        if (fixed.region >= 0 || !fixed.is_seen) return;
        const double way = ray_to_capsule(from, along, fixed.capsule);
        if (way < best.distance) best = {way, NOBODY, fixed.obstacle};
    };
    if (obstacles) {
        for (const Solid& solid : solids_)
            if (solid.is_seen && is_within(solid.corners, from)) return {0.0, NOBODY, solid.obstacle};
        if (!has_box_ || !is_well_within(box_, from) || !is_well_within(box_, from + along * reach))  // a box is convex
            for (std::uint32_t part : box_parts_) try_part(part);
    }
    const double cells = is_shaped_ && limit_ >= 0.0 ? 3.0 * std::min(reach, best.distance) / grid_.cell : INFINITE_TIME;
    if (cells > static_cast<double>(alive_ + fixed_.size())) {
        for (BodyId other = 0; bodies && other < bodies_.size(); ++other) try_body(other);
        for (std::uint32_t part = 0; obstacles && part < fixed_.size(); ++part) try_part(part);
    } else {
        visit_beam(from, along, reach, best.distance, [&](std::int32_t ix, std::int32_t iy) {
            if (bodies) grid_.visit_cell(ix, iy, try_body);
        }, [&](std::int32_t ix, std::int32_t iy) {
            if (const auto* parts = obstacles ? fixed_in(ix, iy) : nullptr)
                for (std::uint32_t part : *parts) try_part(part);
        });
        for (BodyId other : large_)
            if (bodies) try_body(other);
        for (std::uint32_t part : everywhere_)
            if (obstacles) try_part(part);
    }
    if (best.body == NOBODY && best.obstacle == NO_OBSTACLE) best.distance = INFINITE_TIME;
    return best;
}

double Plane::least_gap() const {
    double least = INFINITE_TIME;
    for (BodyId id = 0; id < bodies_.size(); ++id) {
        if (bodies_[id].is_gone) continue;
        const auto compare = [&](BodyId other) {
            if (other != id && !bodies_[other].is_gone) least = std::min(least, gap_between(id, other, nullptr, nullptr));
        };
        if (grid_.holds(id)) {
            const Grid::Link& link = grid_.link(id);
            grid_.visit_around(link.ix, link.iy, compare);
            for (BodyId other : large_) compare(other);
        } else {
            for (BodyId other = 0; other < bodies_.size(); ++other) compare(other);
        }
        for (const Fixed& fixed : fixed_)
            if (fixed.region < 0) least = std::min(least, gap(*bodies_[id].shape, pose(id), *fixed.shape, fixed.placed()).gap);
    }
    return least;
}

}  // namespace kumi
