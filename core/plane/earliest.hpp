// Whose time is the least?
//
// One time for each number; of equal times that of the lower number comes first. Times lie eight to a line of
// the processor's cache. Above the lines stands a tree, in which eight lines have one above them that keeps the
// least time of each, and whose it is. Setting a time looks through one line on each level, without a guess for
// the processor to get wrong, and moves nothing: a heap would write the new place of each entry it passes
// somewhere else in memory. With eight to a line, a million times are six lines high.
#pragma once

#include "geometry/contact.hpp"
#include "numbers/wide.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kumi {

class Earliest {
  public:
    std::uint32_t who() const { return top_[top_[1].time < top_[0].time].who; }
    double time() const { return std::min(top_[0].time, top_[1].time); }

    // Makes room for the numbers below `count`.
    void resize(std::size_t count) {
        const std::size_t lines = (count + WIDTH - 1) / WIDTH;
        if (lines <= lines_.size()) return;
        lines_.resize(lines);
        if (lines > room_) grow(std::bit_ceil(lines));
    }

    // The time is not negative. What depends on the new time is kept short: the least of the others in each line is
    // found without it, and so ahead of it.
    void set(std::uint32_t who, double time) {
        std::size_t slot = who;
        double least = time + 0.0;  // not the negative zero
        std::uint32_t first = who;
        {
            Line& line = lines_[slot / WIDTH];
            const Least others = least_but(line, slot % WIDTH);
            line.times[slot % WIDTH] = least;
            take_earlier(least, first, slot % WIDTH, others,
                         who - static_cast<std::uint32_t>(slot % WIDTH) + others.place);
            slot /= WIDTH;
        }
        Level* tree = tree_.data();
        for (int level = 0; level < levels_; ++level) {
            Level& above = tree[begins_[level] + slot / WIDTH];
            const Least others = least_but(above.least, slot % WIDTH);
            above.least.times[slot % WIDTH] = least;
            above.who[slot % WIDTH] = first;
            take_earlier(least, first, slot % WIDTH, others, above.who[others.place]);
            slot /= WIDTH;
        }
        top_[slot] = {least, first};
    }

    // Who is the first of a part of all, that in which `who` lies: after so many halvings.
    std::uint32_t first_near(std::uint32_t who, int halvings) const {
        const int height = std::max(std::countr_zero(room_) - halvings, 0), level = height / 3;
        if (level >= levels_) return this->who();
        std::size_t slot = who >> 3 * (level + 1);
        const Level& line = tree_[begins_[level] + slot / WIDTH];
        const std::size_t count = std::size_t{1} << height % 3;  // lines that are one part together
        std::size_t best = slot % WIDTH & ~(count - 1);
        for (std::size_t i = best + 1, end = best + count; i < end; ++i)
            best = line.least.times[i] < line.least.times[best] ? i : best;
        return line.who[best];
    }

    void fetch(std::uint32_t who) const { __builtin_prefetch(&lines_[who / WIDTH]); }

    std::size_t bytes() const { return lines_.capacity() * sizeof(Line) + tree_.capacity() * sizeof(Level); }

  private:
    static constexpr std::size_t WIDTH = 8;
    static constexpr int MOST_LEVELS = 11;  // eight to their power are more than there are numbers

    struct Entry {
        double time = INFINITE_TIME;
        std::uint32_t who = 0;
    };
    struct alignas(64) Line {
        double times[WIDTH] = {INFINITE_TIME, INFINITE_TIME, INFINITE_TIME, INFINITE_TIME,
                               INFINITE_TIME, INFINITE_TIME, INFINITE_TIME, INFINITE_TIME};
    };
    struct Level {
        Line least;
        std::uint32_t who[WIDTH] = {};
    };
    Wide<Line> lines_ = Wide<Line>(1);
    Wide<Level> tree_;  // the lowest level first, above the lines
    std::array<std::size_t, MOST_LEVELS> begins_{};
    int levels_ = 0;
    std::size_t room_ = 1;  // for so many lines
    Entry top_[2];          // above the highest level, which has one line or two

    void grow(std::size_t room) {
        room_ = room;
        levels_ = 0;
        std::size_t all = 0;
        for (std::size_t below = room; below > 2; ++levels_) {
            begins_[static_cast<std::size_t>(levels_)] = all;
            below = (below + WIDTH - 1) / WIDTH;
            all += below;
        }
        tree_.assign(all, {});
        top_[0] = top_[1] = {};
        for (std::size_t line = 0; line < lines_.size(); ++line)
            set(static_cast<std::uint32_t>(line * WIDTH), lines_[line].times[0]);
    }

    struct Least {
        double time;
        std::uint32_t place;  // the first of several
    };

    // Of a time in its place and the least of the others in its line, the earlier; of equal ones that in the first place.
    static void take_earlier(double& time, std::uint32_t& who, std::size_t place, const Least& others,
                             std::uint32_t whose) {
        const bool is_earlier = (time < others.time) | ((time == others.time) & (place < others.place));
        who ^= (who ^ whose) & (static_cast<std::uint32_t>(is_earlier) - 1);  // without a guess
        time = std::min(time, others.time);
    }

    // The least of a line without one place; that place itself if there is no other time.
#ifdef __SSE2__
    static Least least_but(const Line& line, std::size_t place) {
        // That time is covered by one without end before the least is looked for.
        const double* cover = COVERS[place].times;
        const auto others = [&](int i) {
            return _mm_max_pd(_mm_load_pd(line.times + i), _mm_load_pd(cover + i));
        };
        const __m128d a = others(0), b = others(2), c = others(4), d = others(6);
        __m128d least = _mm_min_pd(_mm_min_pd(a, b), _mm_min_pd(c, d));
        least = _mm_min_pd(least, _mm_shuffle_pd(least, least, 1));
        const auto is = [&](__m128d pair) { return _mm_castpd_si128(_mm_cmpeq_pd(pair, least)); };
        const __m128i halves = _mm_packs_epi16(_mm_packs_epi32(is(a), is(b)), _mm_packs_epi32(is(c), is(d)));
        const unsigned which = static_cast<unsigned>(_mm_movemask_epi8(halves));  // two bits each
        return {_mm_cvtsd_f64(least), static_cast<std::uint32_t>(std::countr_zero(which)) / 2};
    }

    static constexpr std::array<Line, WIDTH> covers() {
        std::array<Line, WIDTH> covers;
        for (std::size_t place = 0; place < WIDTH; ++place)
            for (std::size_t i = 0; i < WIDTH; ++i) covers[place].times[i] = i == place ? INFINITE_TIME : 0.0;
        return covers;
    }
    static const std::array<Line, WIDTH> COVERS;
#else
    static Least least_but(const Line& line, std::size_t place) {
        Least least{INFINITE_TIME, static_cast<std::uint32_t>(place)};
        for (std::uint32_t i = 0; i < WIDTH; ++i)
            if (i != place && line.times[i] < least.time) least = {line.times[i], i};
        return least;
    }
#endif
};

#ifdef __SSE2__
inline constexpr std::array<Earliest::Line, Earliest::WIDTH> Earliest::COVERS = Earliest::covers();
#endif

}  // namespace kumi
