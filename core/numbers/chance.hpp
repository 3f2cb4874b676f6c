// Random numbers that are the same on every machine and with every version of Python.
//
// The generator is xoshiro256++ (Blackman and Vigna). Two hundred and fifty-six bits of seed come from
// outside, where a hash makes streams of different names independent.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "numbers/elementary.hpp"

namespace kumi {

// Uniform numbers.
class Bits {
  public:
    explicit Bits(const std::array<std::uint64_t, 4>& seed = {}) : state_(seed) {}

    std::uint64_t bits() {
        auto& s = state_;
        std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
        std::uint64_t t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = std::rotl(s[3], 45);
        return result;
    }

    // In [0, 1), on a grid of 2^-53.
    double unit() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

    // In [0, count), without bias (Lemire's method).
    std::uint64_t below(std::uint64_t count) {
        unsigned __int128 product = static_cast<unsigned __int128>(bits()) * count;
        if (static_cast<std::uint64_t>(product) < count) {
            const std::uint64_t least = -count % count;
            while (static_cast<std::uint64_t>(product) < least)
                product = static_cast<unsigned __int128>(bits()) * count;
        }
        return static_cast<std::uint64_t>(product >> 64);
    }

  private:
    std::array<std::uint64_t, 4> state_;
};

// Numbers of other distributions, too.
class Chance : public Bits {
  public:
    using Bits::Bits;

    // Marsaglia's polar method; the second number of each pair is kept for the next call.
    double normal() {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        double x, y, square;
        do {
            x = 2.0 * unit() - 1.0;
            y = 2.0 * unit() - 1.0;
            square = x * x + y * y;
        } while (square >= 1.0 || square == 0.0);
        double factor = std::sqrt(-2.0 * maths::log(square) / square);
        spare_ = y * factor;
        has_spare_ = true;
        return x * factor;
    }

    // In [low, high), for finite ends.
    double between(double low, double high) {
        const double share = unit(), width = high - low;
        const double drawn = std::isfinite(width) ? low + width * share : low * (1.0 - share) + high * share;
        return drawn < high || low == high ? drawn : std::nextafter(high, low);
    }

    double exponential() { return -maths::log1p(-unit()); }

  private:
    double spare_ = 0.0;
    bool has_spare_ = false;
};

}  // namespace kumi
