// How the functions are computed: an argument is brought near to a place where the value is known from a table, or to
// the middle of a polynomial, without rounding where that would be felt; a number that needs more than 53 bits is kept
// as the sum of two.
#include "numbers/elementary.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>

#include "numbers/tables.hpp"

namespace kumi::maths {

namespace {

using tables::Pair;

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double NAN_ = std::numeric_limits<double>::quiet_NaN();
constexpr double ROUND = 0x1.8p52;  // added and taken away, it rounds to a whole number

constexpr std::uint64_t SIGN = 0x8000000000000000u;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
double number(std::uint64_t bits) { return std::bit_cast<double>(bits); }
double power_of_two(std::int64_t k) { return number(static_cast<std::uint64_t>(k + 1023) << 52); }

// a + b, exactly, where |a| is not less than |b|; and for any two.
Pair sum_of_larger(double a, double b) {
    const double high = a + b;
    return {high, (a - high) + b};
}
Pair sum(double a, double b) {
    const double high = a + b, back = high - a;
    return {high, (a - (high - back)) + (b - back)};
}

// a * b, exactly (Dekker), for factors below 2^970.
Pair product(double a, double b) {
    constexpr double HALVES = 0x1.0p27 + 1.0;
    const double ta = HALVES * a, tb = HALVES * b;
    const double ah = ta - (ta - a), bh = tb - (tb - b), al = a - ah, bl = b - bh;
    const double high = a * b;
    return {high, ((ah * bh - high) + ah * bl + al * bh) + al * bl};
}

// ---------------------------------------------------------------- sine, cosine

struct Reduced {
    double high, low;  // x less the nearest multiple of pi/2
    unsigned quarter;  // which multiple, of four
};

// For |x| of a million and more: the product with the binary digits of 2 / pi that matter (Payne and Hanek).
Reduced reduced_far(double x) {
    using Wide = unsigned __int128;
    const int exponent = static_cast<int>(bits(x) >> 52 & 0x7FF) - 1075;
    const std::uint64_t whole = (bits(x) & 0xFFFFFFFFFFFFFu) | 0x10000000000000u;
    // Digits that give multiples of four turns of a quarter are passed over.
    const int skipped = exponent > 2 ? exponent - 2 : 0, late = exponent < 2 ? 2 - exponent : 0;
    std::uint64_t digits[3];
    for (int k = 0; k < 3; ++k) {
        const int word = skipped / 64 + k, shift = skipped % 64;
        const std::uint64_t first = tables::TWO_OVER_PI[word], second = tables::TWO_OVER_PI[word + 1];
        digits[k] = shift ? first << shift | second >> (64 - shift) : first;
    }
    if (late) {
        digits[2] = digits[2] >> late | digits[1] << (64 - late);
        digits[1] = digits[1] >> late | digits[0] << (64 - late);
        digits[0] >>= late;
    }
    const Wide low = static_cast<Wide>(whole) * digits[2];
    const Wide middle = static_cast<Wide>(whole) * digits[1] + static_cast<std::uint64_t>(low >> 64);
    std::uint64_t top = whole * digits[0] + static_cast<std::uint64_t>(middle >> 64);
    std::uint64_t next = static_cast<std::uint64_t>(middle), last = static_cast<std::uint64_t>(low);
    // Two digits of quarters, then the fraction of one; above a half it counts back from the next quarter.
    unsigned quarter = static_cast<unsigned>(top >> 62);
    top = top << 2 | next >> 62, next = next << 2 | last >> 62, last <<= 2;
    const bool is_past = top >> 63;
    if (is_past) {
        ++quarter;
        last = ~last + 1, next = ~next + (last == 0), top = ~top + (last == 0 && next == 0);
    }
    // The first 53 digits that count, and the 53 that follow.
    int zeros = 0;
    while (top >> 63 == 0 && zeros < 128)
        top = top << 1 | next >> 63, next = next << 1 | last >> 63, last <<= 1, ++zeros;
    const double high = static_cast<double>(top >> 11) * power_of_two(-53 - zeros);
    const double rest = static_cast<double>((top & 0x7FF) << 42 | next >> 22) * power_of_two(-106 - zeros);
    Pair angle = product(high, tables::QUARTER_TURN.high);
    angle = sum_of_larger(angle.high,
                          angle.low + high * tables::QUARTER_TURN.low + rest * tables::QUARTER_TURN.high);
    const double sign = (bits(x) & SIGN ? -1.0 : 1.0), turned = is_past ? -sign : sign;
    return {turned * angle.high, turned * angle.low, sign < 0.0 ? 0u - quarter : quarter};
}

Reduced reduced(double x) {
    if (!(std::abs(x) < 0x1.0p20)) return reduced_far(x);
    const double shifted = x * (2.0 * std::numbers::inv_pi) + ROUND, k = shifted - ROUND;
    const auto& half_pi = tables::HALF_PI;
    // 86 digits of pi/2 are enough where x is not so near to a multiple of it that most of them cancel.
    const double near = x - k * half_pi[0], tail = k * tables::HALF_PI_TAIL, high = near - tail;
    if (std::abs(high) > 0x1.0p-8 && std::abs(x) < 0x1.0p12)
        return {high, (near - high) - tail, static_cast<unsigned>(bits(shifted))};
    const Pair first = sum(near, -(k * half_pi[1])), second = sum(first.high, -(k * half_pi[2]));
    const Pair all = sum_of_larger(second.high, (first.low + second.low) - k * half_pi[3]);
    return {all.high, all.low, static_cast<unsigned>(bits(shifted))};
}

double sine_near(double r, double low) {
    const auto& s = tables::SINE;
    const double z = r * r, z2 = z * z;
    const double rest = (s[1] + z * s[2]) + z2 * ((s[3] + z * s[4]) + z2 * s[5]);
    // sin (r + low) is about sin r + low cos r.
    return r + (z * r * (s[0] + z * rest) + low * (1.0 - 0.5 * z));
}

// The sine of -0 is -0.
double sine_small(double x) { return std::abs(x) < 0x1.0p-27 ? x : sine_near(x, 0.0); }

double cosine_near(double r, double low) {
    const auto& c = tables::COSINE;
    const double z = r * r, z2 = z * z, half = 0.5 * z, one = 1.0 - half;
    const double rest = (c[0] + z * c[1]) + z2 * ((c[2] + z * c[3]) + z2 * (c[4] + z * c[5]));
    return one + (((1.0 - one) - half) + (z2 * rest - r * low));
}

bool is_small(double x) { return std::abs(x) <= 0.25 * std::numbers::pi; }
bool is_finite(double x) { return std::abs(x) < INF; }

double negated_if(bool negate, double x) { return number(bits(x) ^ (negate ? SIGN : 0u)); }

// ---------------------------------------------------------------- logarithm, power

// log x = scale + log (1 + r): `scale` is the log of a number with few digits, near x, times a power of two.
struct LogParts {
    double scale, scale_low, r;
};

LogParts log_parts(double x) {
    constexpr std::uint64_t LEAST = 0x3FE6A00000000000u;  // 181 / 256
    std::uint64_t from = bits(x);
    std::int64_t k = 0;
    if (from < 0x0010000000000000u) from = bits(x * 0x1.0p54), k = -54;
    const std::uint64_t above = from - LEAST;
    k += static_cast<std::int64_t>(above) >> 52;
    const auto& entry = tables::LOG[above >> 45 & 127];
    const double z = number(from - (above & 0xFFF0000000000000u)), n = static_cast<double>(k);
    // Both products are exact, and so is their sum less 1: it has no more than 53 digits.
    const double upper = number(bits(z) & 0xFFFFFFFFF8000000u);
    const double r = (upper * entry.inverse - 1.0) + (z - upper) * entry.inverse;
    return {n * tables::LN2[0] + entry.high, n * tables::LN2[1] + entry.low, r};
}

// The logarithm of a positive finite number, to some 65 bits.
Pair long_log(double x) {
    const LogParts p = log_parts(x);
    const double r = p.r, r2 = r * r;
    const Pair square = product(r, r);
    const double cubic =
        (1.0 / 3.0 - r * 0.25) +
        r2 * ((0.2 - r * (1.0 / 6.0)) + r2 * ((1.0 / 7.0 - r * 0.125) + r2 * (1.0 / 9.0 - r * 0.1)));
    const Pair first = sum(p.scale, r), second = sum(first.high, -0.5 * square.high);
    const double low = p.scale_low + first.low + second.low - 0.5 * square.low + r * r2 * cubic;
    return sum_of_larger(second.high, low);
}

// e^(x + low).
double long_exp(double x, double low) {
    if (x > 709.8) return INF;
    if (x < -746.0) return 0.0;
    const double shifted = x * (128.0 * std::numbers::log2e) + ROUND, n = shifted - ROUND;
    const std::int64_t k = static_cast<std::int64_t>(n);
    const double r = ((x - n * tables::LN2_128[0]) - n * tables::LN2_128[1]) + low, r2 = r * r;
    const auto& entry = tables::POWER[k & 127];
    const double grown = r + r2 * ((0.5 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0)));
    const double value = entry.high + (entry.low + entry.high * grown);
    const std::int64_t scale = k >> 7;
    if (scale >= -1021 && scale < 1023)
        return number(bits(value) + (static_cast<std::uint64_t>(scale) << 52));
    const std::int64_t half = scale / 2;
    return value * power_of_two(half) * power_of_two(scale - half);
}

bool is_whole(double x) { return std::abs(x) >= 0x1.0p52 || x == std::floor(x); }
bool is_odd(double x) { return std::abs(x) < 0x1.0p53 && is_whole(x) && (static_cast<std::int64_t>(x) & 1); }

double times(Pair log, Pair factor) {
    const Pair whole = product(log.high, factor.high);
    return whole.high + (whole.low + log.high * factor.low + log.low * factor.high);
}

// log x, times a factor; the powers of two and ten have whole logarithms.
double log_to(double x, Pair factor) {
    if (!(x > 0.0) || x == INF) return log(x);
    return times(long_log(x), factor);
}

}  // namespace

SineCosine sine_cosine(double x) {
    if (is_small(x)) return {sine_small(x), cosine_near(x, 0.0)};
    if (!is_finite(x)) return {NAN_, NAN_};
    const Reduced at = reduced(x);
    const double sine = sine_near(at.high, at.low), cosine = cosine_near(at.high, at.low);
    const bool is_across = at.quarter & 1;
    return {negated_if(at.quarter & 2, is_across ? cosine : sine),
            negated_if((at.quarter + 1) & 2, is_across ? sine : cosine)};
}

namespace {

// Four numbers, of which the processor does as many at once as it can, by the arithmetic of one. False where one of them is so
// large, or so near to a multiple of a quarter turn, that it takes more.
template <class Four, class FourBits>
[[gnu::always_inline]] inline bool find_four(const double* from, SineCosine* found) {
    Four x;
    std::memcpy(&x, from, sizeof x);
    const Four one = Four{} + 1.0, half = one * 0.5;
    const Four shifted = x * (2.0 * std::numbers::inv_pi) + ROUND, k = shifted - ROUND;
    const Four near = x - k * tables::HALF_PI[0], tail = k * tables::HALF_PI_TAIL, high = near - tail,
               low = (near - high) - tail;
    const Four size = x < 0.0 ? -x : x, left = high < 0.0 ? -high : high;
    const auto is_fine =
        (size < 0x1.0p12) & ((left > 0x1.0p-8) | ((size <= 0.25 * std::numbers::pi) & (size >= 0x1.0p-27)));
    if (!(is_fine[0] & is_fine[1] & is_fine[2] & is_fine[3])) return false;
    const auto& s = tables::SINE;
    const auto& c = tables::COSINE;
    const Four z = high * high, z2 = z * z, half_z = half * z, less = one - half_z;
    const Four sine_rest = (s[1] + z * s[2]) + z2 * ((s[3] + z * s[4]) + z2 * s[5]);
    const Four sine = high + (z * high * (s[0] + z * sine_rest) + low * (one - half * z));
    const Four cosine_rest = (c[0] + z * c[1]) + z2 * ((c[2] + z * c[3]) + z2 * (c[4] + z * c[5]));
    const Four cosine = less + (((one - less) - half_z) + (z2 * cosine_rest - high * low));
    const FourBits quarter = std::bit_cast<FourBits>(shifted);
    const auto is_across = (quarter & 1) != 0;
    const FourBits sine_bits = std::bit_cast<FourBits>(sine), cosine_bits = std::bit_cast<FourBits>(cosine);
    const Four sines = std::bit_cast<Four>((is_across ? cosine_bits : sine_bits) ^ ((quarter & 2) << 62));
    const Four cosines =
        std::bit_cast<Four>((is_across ? sine_bits : cosine_bits) ^ (((quarter + 1) & 2) << 62));
    for (int i = 0; i < 4; ++i) found[i] = {sines[i], cosines[i]};
    return true;
}

using Four [[gnu::vector_size(32)]] = double;
using FourBits [[gnu::vector_size(32)]] = std::uint64_t;

#if defined(__SSE2__) && defined(__GNUC__)
[[gnu::target("avx2")]] bool find_four_wide(const double* x, SineCosine* found) {
    return find_four<Four, FourBits>(x, found);
}
#endif
bool find_four_plain(const double* x, SineCosine* found) { return find_four<Four, FourBits>(x, found); }

}  // namespace

void sines_cosines(const double* x, std::size_t count, SineCosine* found) {
#if defined(__SSE2__) && defined(__GNUC__)
    static const auto find_four_here = __builtin_cpu_supports("avx2") ? find_four_wide : find_four_plain;
#else
    constexpr auto find_four_here = find_four_plain;
#endif
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4)
        if (!find_four_here(x + i, found + i))
            for (std::size_t k = i; k < i + 4; ++k) found[k] = sine_cosine(x[k]);
    for (; i < count; ++i) found[i] = sine_cosine(x[i]);
}

double sin(double x) {
    if (is_small(x)) return sine_small(x);
    if (!is_finite(x)) return NAN_;
    const Reduced at = reduced(x);
    return negated_if(at.quarter & 2,
                      at.quarter & 1 ? cosine_near(at.high, at.low) : sine_near(at.high, at.low));
}

double cos(double x) {
    if (is_small(x)) return cosine_near(x, 0.0);
    if (!is_finite(x)) return NAN_;
    const Reduced at = reduced(x);
    return negated_if((at.quarter + 1) & 2,
                      at.quarter & 1 ? sine_near(at.high, at.low) : cosine_near(at.high, at.low));
}

double tan(double x) {
    if (std::abs(x) < 0x1.0p-27) return x;
    const SineCosine at = sine_cosine(x);
    return at.sine / at.cosine;
}

// The angle is told from the nearest one whose tangent is a 64th: of the two sides, and of those turned back by it.
double atan2(double y, double x) {
    if (x != x || y != y) return NAN_;
    double near = std::abs(x), far = std::abs(y);
    const bool is_steep = far > near, is_back = bits(x) & SIGN;
    if (is_steep) std::swap(near, far);
    if (near == INF) far = far == INF ? 1.0 : 0.0, near = 1.0;
    if (near > 0x1.0p1000) near *= 0x1.0p-100, far *= 0x1.0p-100;
    if (near < 0x1.0p-900) near *= 0x1.0p100, far *= 0x1.0p100;
    const double slope = near == 0.0 ? 0.0 : far / near;
    const int j = static_cast<int>(slope * 64.0 + 0.5);
    double r = slope;
    if (j) {
        const double c = j * 0x1.0p-6, upper = number(bits(near) & ~std::uint64_t{0xFF});
        r = ((far - c * upper) - c * (near - upper)) / (near + c * far);
    }
    const double z = r * r;
    const double angle = r + r * z * (-1.0 / 3.0 + z * (0.2 + z * (-1.0 / 7.0)));
    const auto& entry = tables::ARCTANGENT[j];
    const double sign = is_steep != is_back ? -1.0 : 1.0, quarters = is_steep ? 1.0 : is_back ? 2.0 : 0.0;
    if (quarters == 0.0) return std::copysign(entry.high + (entry.low + angle), y);
    const Pair base = sum_of_larger(quarters * tables::QUARTER_TURN.high, sign * entry.high);
    const double low = quarters * tables::QUARTER_TURN.low + sign * (entry.low + angle);
    return std::copysign(base.high + (base.low + low), y);
}

double atan(double x) { return atan2(x, 1.0); }
double asin(double x) { return atan2(x, std::sqrt((1.0 - x) * (1.0 + x))); }
double acos(double x) { return atan2(std::sqrt((1.0 - x) * (1.0 + x)), x); }

double exp(double x) { return x != x ? x : long_exp(x, 0.0); }

double log(double x) {
    if (!(x > 0.0)) return x == 0.0 ? -INF : NAN_;
    if (x == INF) return INF;
    const LogParts p = log_parts(x);
    const double r = p.r, r2 = r * r;
    const double rest =
        (1.0 / 3.0 - r * 0.25) + r2 * ((0.2 - r * (1.0 / 6.0)) + r2 * (1.0 / 7.0 - r * 0.125));
    const Pair first = sum_of_larger(p.scale, r);
    return first.high + ((first.low + p.scale_low) + r2 * (r * rest - 0.5));
}

double log1p(double x) {
    if (!(x > -1.0) || x == INF) return log(1.0 + x);
    if (std::abs(x) < 0x1.0p-54) return x;
    const Pair one = sum(1.0, x);
    const Pair log = long_log(one.high);
    return log.high + (log.low + one.low / one.high);
}

double log2(double x) { return log_to(x, tables::HALF); }
double log10(double x) { return log_to(x, tables::TENTH); }

double pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return NAN_;
    const double size = std::abs(x);
    const bool is_negative = (bits(x) & SIGN) && is_odd(y);
    if (size == 0.0 || size == INF) return negated_if(is_negative, (size == 0.0) == (y > 0.0) ? 0.0 : INF);
    if (!(x > 0.0) && !is_whole(y)) return NAN_;
    if (size == 1.0) return is_negative ? -1.0 : 1.0;
    if (std::abs(y) > 0x1.0p66) return (size > 1.0) == (y > 0.0) ? INF : 0.0;
    const Pair log = long_log(size), power = product(y, log.high);
    const Pair whole = sum_of_larger(power.high, power.low + y * log.low);
    return negated_if(is_negative, long_exp(whole.high, whole.low));
}

// With the rounding of the root taken back (Borges 2020).
double hypot(double x, double y) {
    double a = std::abs(x), b = std::abs(y);
    if (a == INF || b == INF) return INF;
    if (!(a >= b)) std::swap(a, b);
    if (b == 0.0 || a != a || b != b) return a + b;
    double scale = 1.0;
    if (a > 0x1.0p510) scale = 0x1.0p600;
    if (b < 0x1.0p-510) scale = a > 1.0 ? 1.0 : 0x1.0p-600;
    a /= scale, b /= scale;
    if (b < a * 0x1.0p-54) return a * scale;
    const double h = std::sqrt(a * a + b * b);
    double error;
    if (h <= 2.0 * b) {
        const double d = h - b;
        error = a * (2.0 * d - a) + (d - 2.0 * (a - b)) * d;
    } else {
        const double d = h - a;
        error = 2.0 * d * (a - 2.0 * b) + (4.0 * d - b) * b + d * d;
    }
    return (h - error / (2.0 * h)) * scale;
}

// By the series of erf where that is short, else by a continued fraction, from its end.
double erfc(double x) {
    if (x != x) return x;
    if (x < 0.0) return 2.0 - erfc(-x);
    if (x > 27.5) return 0.0;
    const Pair square = product(x, x);
    const double bell = long_exp(-square.high, -square.low) * std::numbers::inv_sqrtpi;
    if (x < 1.0) {
        double term = x, total = 0.0;
        for (int n = 1; n < 40; ++n) total += term, term *= 2.0 * square.high / (2 * n + 1);
        return 1.0 - 2.0 * bell * total;
    }
    double tail = 0.0;
    for (int n = 20 + static_cast<int>(240.0 / square.high); n > 0; --n) tail = 0.5 * n / (x + tail);
    return bell / (x + tail);
}

}  // namespace kumi::maths
