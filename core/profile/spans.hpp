// Sets of instants, kept as spans of time: what both lattices of speeds share.
#pragma once

#include <algorithm>
#include <cmath>

#include "profile/lattice.hpp"

namespace kumi::lattice {

inline constexpr double CLOSE = 1e-10;  // seconds lost by rounding on the way back

// Put spans in order and join those that meet.
inline void tidy(Spans& spans) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.from < b.from; });
    std::size_t kept = 0;
    for (const Span& span : spans) {
        if (kept && span.from <= spans[kept - 1].to)
            spans[kept - 1].to = std::max(spans[kept - 1].to, span.to);
        else
            spans[kept++] = span;
    }
    spans.resize(kept);
}

// Forget short spans next to others until few are left. The first one stays.
inline void thin(Spans& spans) {
    constexpr std::size_t MOST = 64;  // spans kept of one node and speed
    if (spans.size() <= MOST) return;
    double apart = (spans.back().from - spans.front().from) / (8.0 * MOST);
    while (spans.size() > MOST) {
        std::size_t kept = 1;
        for (std::size_t i = 1; i < spans.size(); ++i)
            if (spans[i].from >= spans[kept - 1].to + apart || spans[i].to - spans[i].from >= apart)
                spans[kept++] = spans[i];
        spans.resize(kept);
        apart *= 2.0;
    }
}

// Call with each part of a span that is not shut.
template <typename Call> void each_open(const Span& span, const Spans& shut, Call call) {
    double begin = span.from;
    for (const Span& one : shut) {
        if (one.to <= begin) continue;
        if (one.from >= span.to) break;
        if (one.from >= begin) call(begin, one.from);
        begin = one.to;
        if (begin > span.to) break;
    }
    if (begin <= span.to) call(begin, span.to);
}

// Call with each span in which one who comes to rest in a span may go on, after so much rest, from a place that is closed
// at times.
template <typename Call> void each_rest(const Span& span, const Spans& closed, double rest, Call call) {
    double free = -INF;
    for (std::size_t i = 0; i <= closed.size(); ++i) {
        const double end = i < closed.size() ? closed[i].from : INF;
        const double begin = std::max(span.from, free) + rest;
        if (std::max(span.from, free) <= std::min(span.to, end) && begin <= end) call(begin, end);
        if (i < closed.size()) free = closed[i].to;
    }
}

// When one who was at rest at the latest at an instant came there: as early as it could.
inline double came_to_rest(const Spans& comes, const Spans& closed, double latest) {
    double free = -INF;
    for (const Span& one : closed)
        if (one.to <= latest + CLOSE) free = one.to;
    for (const Span& span : comes)
        if (span.to >= free - CLOSE) return std::max(span.from, free);
    return latest;
}

// The seconds over the first `way` metres of a step that begins with a square of speed and changes it evenly.
inline double passed(double way, double square, double slope) {
    if (way <= 0.0) return 0.0;
    return 2.0 * way / (std::sqrt(square) + std::sqrt(std::max(square + slope * way, 0.0)));
}

}  // namespace kumi::lattice
