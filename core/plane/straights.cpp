#include "plane/straights.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kumi {

// Two discs meet if they close, pass within their reach, and are not too far apart for the time they have. Written for
// one pair; the compiler makes it four pairs at once, or eight where the processor can do that.
[[gnu::always_inline]] inline void Straights::compare(const One& one, std::size_t count,
                                                      std::int32_t* answers) const {
    const One o = one;
    for (std::size_t i = 0; i < count; ++i) {
        const float x = o.x - (x_[i] + vx_[i] * o.passed), y = o.y - (y_[i] + vy_[i] * o.passed);
        const float along_x = o.vx - vx_[i], along_y = o.vy - vy_[i];
        const float reach = o.radius + radius_[i];
        const float closing = x * along_x + y * along_y, aside = x * along_y - y * along_x;
        const float speed = along_x * along_x + along_y * along_y;  // squared
        const float way = reach + (o.speed + speed_of_[i]) * (until_[i] - o.passed);
        answers[i] = -((closing < o.apart) & (aside * aside <= reach * reach * speed + o.slack) &
                       (x * x + y * y <= way * way));
    }
}

#if defined(__SSE2__) && defined(__GNUC__)
[[gnu::target("avx2")]] void Straights::compare_by_eights(const One& one, std::size_t count,
                                                          std::int32_t* answers) const {
    compare(one, count, answers);
}
#else
void Straights::compare_by_eights(const One& one, std::size_t count, std::int32_t* answers) const {
    compare(one, count, answers);
}
#endif

namespace {

bool has_eights() {
#if defined(__SSE2__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

// A bit for each of sixteen answers, which are 0 or -1.
std::uint64_t bits_of_sixteen(const std::int32_t* answers) {
#ifdef __SSE2__
    const auto four = [&](int i) { return _mm_load_si128(reinterpret_cast<const __m128i*>(answers + i)); };
    const __m128i eight = _mm_packs_epi32(four(0), four(4)), more = _mm_packs_epi32(four(8), four(12));
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_packs_epi16(eight, more)));
#else
    std::uint64_t bits = 0;
    for (int i = 0; i < 16; ++i) bits |= static_cast<std::uint64_t>(answers[i] & 1) << i;
    return bits;
#endif
}

}  // namespace

void Straights::find(std::size_t body, std::size_t count, double now, std::uint64_t* found) const {
    static const bool by_eights = has_eights();
    alignas(64) std::int32_t answers[ROOM];
    const double passed = now - epoch_, rounding = ROUNDING * UNIT * extent_ * speed_;
    const One one{x_[body] + vx_[body] * static_cast<float>(passed),
                  y_[body] + vy_[body] * static_cast<float>(passed),
                  vx_[body],
                  vy_[body],
                  radius_[body] + static_cast<float>(ROUNDING * UNIT * extent_),
                  speed_of_[body],
                  static_cast<float>(passed),
                  static_cast<float>(rounding),
                  static_cast<float>(64.0 * rounding * rounding)};
    const std::size_t all = (count + 15) / 16 * 16;
    if (by_eights)
        compare_by_eights(one, all, answers);
    else
        compare(one, all, answers);
    for (std::size_t i = 0; i < count; i += 64) {
        std::uint64_t bits = others_[i / 64];
        for (std::size_t j = i; j < i + 64 && j < all; j += 16)
            bits |= bits_of_sixteen(answers + j) << (j - i);
        found[i / 64] = bits;
    }
}

}  // namespace kumi
