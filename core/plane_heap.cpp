// When something happens next: one time for each body and each watch.
#include "plane.hpp"

#include <algorithm>

namespace kumi {

void Plane::plan_body(BodyId id) {
    const Body& b = bodies_[id];
    plan(id, std::min(std::min(std::min(b.contact, b.fixed), std::min(b.end, b.crossing)), b.aside));
}

void Plane::plan(BodyId body, double time) { body_times_.set(body, std::max(time, now)); }

void Plane::plan_watch(std::uint32_t watch, double time) { watch_times_.set(watch, std::max(time, now)); }

}  // namespace kumi
