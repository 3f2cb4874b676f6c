// When something happens next: one time for each body and each watch.
#include "plane.hpp"

#include <algorithm>

namespace kumi {

void Plane::plan_body(BodyId id) {
    const Body& b = bodies_[id];
    plan(id, std::min(std::min(std::min(b.contact, b.fixed), std::min(b.end, b.crossing)), b.aside));
}

void Plane::plan(BodyId body, double time) {
    body_times_.set(body, std::max(time, now));
    if (is_large()) fetch_ahead(body);
}

void Plane::plan_watch(std::uint32_t watch, double time) { watch_times_.set(watch, std::max(time, now)); }

// With many bodies, memory is the bottleneck. Whoever has become the first of a sixty-fourth of all bodies will
// have its turn soon: what it needs is fetched. When it is the first of a sixteenth, that has come, and tells
// what else to fetch: whom it will touch, or the cells that it will look into. When it is the first of a quarter,
// those have come, too, and tell whom it will be compared with.
void Plane::fetch_ahead(BodyId body) const {
    asm volatile("");  // else the compiler finds that this changes nothing, and leaves the call out
    const auto fetch = [&](BodyId id, int lines) {
        const char* first = reinterpret_cast<const char*>(&bodies_[id]);
        for (int i = 0; i < lines; ++i) __builtin_prefetch(first + 64 * i);
        __builtin_prefetch(&hot_[id]);
        grid_.fetch(id);
        body_times_.fetch(id);
    };
    fetch(body_times_.first_near(body, 6), 1);
    const BodyId soon = body_times_.first_near(body, 4);
    const Body& b = bodies_[soon];
    if (b.contact <= b.crossing && b.with != NOBODY) {
        for (BodyId id : {soon, b.with}) {
            fetch(id, sizeof(Body) / 64);
            if (id < chances_.size()) __builtin_prefetch(&chances_[id]);
        }
    } else if (grid_.holds(soon) && b.side != Side::none) {
        grid_.fetch_around(beyond(grid_.link(soon), b.side));
    }
    if (bodies_.size() < 100'000) return;  // nearer memory comes in time without this
    const BodyId next = body_times_.first_near(body, 2);
    const Side side = bodies_[next].side;
    if (!grid_.holds(next) || side == Side::none) return;
    const auto [ix, iy] = grid_.link(next);
    const std::int32_t across = (side == Side::right) - (side == Side::left), up = (side == Side::top) - (side == Side::bottom);
    for (std::int32_t aside = -1; aside <= 1; ++aside)
        grid_.visit_few(ix + 2 * across + (across ? 0 : aside), iy + 2 * up + (across ? aside : 0),
                        [&](BodyId other) { __builtin_prefetch(&hot_[other]); });
}

}  // namespace kumi
