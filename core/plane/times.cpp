#include "plane/times.hpp"

#include <algorithm>

namespace kumi {

namespace {

constexpr int PART = 7;             // the bodies are halved so often: of 128 parts the first is expected
constexpr std::uint32_t LATER = 8;  // turns until what was asked for has come

}  // namespace

void Times::plan_body(BodyId id) {
    const Body& b = bodies_[id];
    plan(id, std::min(std::min(std::min(b.contact, b.fixed), std::min(b.end, b.crossing)), b.aside));
}

void Times::plan(BodyId body, double time) {
    body_times_.set(body, std::max(time, bodies_.now));
    if (bodies_.is_large()) fetch_ahead(body);
}

void Times::set_predicted(bool is_predicted) {
    is_predicted_ = is_predicted;
    for (BodyId id : dirty_) bodies_[id].is_dirty = false;
    dirty_.clear();
}

// With many bodies, memory is the bottleneck. Whoever has become the first of a small part of all bodies will have its
// turn soon: what it needs is fetched. Some turns later that has come, and tells what else to fetch: whom it will
// touch, and the cells that it will look into. Some turns later those have come, too, and tell whom it will be compared
// with. Asking sooner would mean waiting for the memory here.
void Times::fetch_ahead(BodyId body) {
    const Grid& grid = cells_.grid();
    const auto fetch = [&](BodyId id, int lines) {
        asm volatile("");  // else the compiler finds that this changes nothing, and leaves the call out
        const char* first = reinterpret_cast<const char*>(&bodies_[id]);
        for (int i = 0; i < lines; ++i) __builtin_prefetch(first + 64 * i);
        __builtin_prefetch(&bodies_.hot(id));
        grid.fetch(id);
        body_times_.fetch(id);
    };
    const auto turns_ago = [&](std::uint32_t turns) -> BodyId& {
        return expected_[(turn_ - turns) % expected_.size()];
    };
    ++turn_;
    turns_ago(0) = body_times_.first_near(body, PART);
    fetch(turns_ago(0), 1);

    const BodyId soon = turns_ago(LATER);
    const Body& b = bodies_[soon];
    const bool touches = b.contact <= b.crossing && b.with != NOBODY;
    if (touches) {
        for (BodyId id : {soon, b.with}) {
            fetch(id, sizeof(Body) / 64);
            walkers_.fetch(id);
            if (notices_.listener) notices_.listener->expect(id);
        }
    }
    if (grid.holds(soon)) grid.fetch_around(touches ? grid.link(soon) : beyond(grid.link(soon), b.side));

    const BodyId next = turns_ago(2 * LATER);
    if (!grid.holds(next)) return;
    const Body& c = bodies_[next];
    const auto [ix, iy] = grid.link(next);
    const auto fetch_row = [&](std::int32_t x, std::int32_t y, std::int32_t across) {
        asm volatile("");
        for (std::int32_t aside = -1; aside <= 1; ++aside)
            grid.visit_few(x + across * aside, y + !across * aside, next,
                           [&](BodyId other) { __builtin_prefetch(&bodies_.hot(other)); });
    };
    if (c.contact <= c.crossing && c.with != NOBODY) {
        for (std::int32_t y = iy - 1; y <= iy + 1; ++y) fetch_row(ix, y, 1);
    } else {
        const Grid::Link row = beyond(beyond({ix, iy}, c.side), c.side);
        fetch_row(row.ix, row.iy, c.side >= Side::bottom);
    }
}

}  // namespace kumi
