// Two numbers of which the processor does both at once.
//
// Their arithmetic is the compiler's. Comparing them, and bringing them together from memory, is written out: there
// the compiler takes them apart, or sends them through memory, where the processor waits for them.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#else
#include <bit>
#endif

namespace kumi {

using Two [[gnu::vector_size(16)]] = double;

#ifdef __SSE2__

inline Two both(const double& one, const double& two) { return _mm_loadh_pd(_mm_load_sd(&one), &two); }
inline Two both(double one) { return _mm_set1_pd(one); }
inline Two lesser(Two a, Two b) { return _mm_min_pd(a, b); }

// Answers: all bits of a number are set where it is so.
inline Two is_less(Two a, Two b) { return _mm_cmplt_pd(a, b); }
inline Two is_at_most(Two a, Two b) { return _mm_cmple_pd(a, b); }
inline Two and_also(Two a, Two b) { return _mm_and_pd(a, b); }
inline Two or_else(Two a, Two b) { return _mm_or_pd(a, b); }
inline unsigned bits_of(Two answers) { return static_cast<unsigned>(_mm_movemask_pd(answers)); }

#else

using TwoAnswers = decltype(Two{} < Two{});

inline Two both(double one, double two) { return Two{one, two}; }
inline Two both(double one) { return Two{one, one}; }
inline Two lesser(Two a, Two b) { return a < b ? a : b; }
inline Two is_less(Two a, Two b) { return std::bit_cast<Two>(a < b); }
inline Two is_at_most(Two a, Two b) { return std::bit_cast<Two>(a <= b); }
inline Two and_also(Two a, Two b) {
    return std::bit_cast<Two>(std::bit_cast<TwoAnswers>(a) & std::bit_cast<TwoAnswers>(b));
}
inline Two or_else(Two a, Two b) {
    return std::bit_cast<Two>(std::bit_cast<TwoAnswers>(a) | std::bit_cast<TwoAnswers>(b));
}
inline unsigned bits_of(Two answers) {
    const TwoAnswers bits = std::bit_cast<TwoAnswers>(answers);
    return static_cast<unsigned>((bits[0] & 1) | (bits[1] & 2));
}

#endif

}  // namespace kumi
