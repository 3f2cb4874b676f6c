// Rows of bits: packing, turning over, jumping along, growing obstacles.
#include <bit>
#include <cstring>
#include <limits>

#include "grid/search.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kumi::grid {
namespace {

constexpr Word ALL = ~Word{0};

#if defined(__SSE2__)
// 64 cells as bits; what is not 0 or 1 shows in `seen`.
Word word_of(const std::uint8_t* cells, __m128i& seen) {
    const __m128i zero = _mm_setzero_si128();
    Word word = 0;
    for (int part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + 16 * part));
        seen = _mm_or_si128(seen, bytes);
        const auto free = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, zero)));
        word |= static_cast<Word>(free ^ 0xffffu) << (16 * part);
    }
    return word;
}
#endif

void transpose(Word block[64]) {
    Word mask = 0x00000000ffffffffull;
    for (int width = 32; width; width >>= 1, mask ^= mask << width)
        for (int k = 0; k < 64; k = ((k | width) + 1) & ~width) {
            const Word swap = ((block[k] >> width) ^ block[k | width]) & mask;
            block[k] ^= swap << width;
            block[k | width] ^= swap;
        }
}

}  // namespace

Bits::Bits(int rows_, int columns_)
    : rows(rows_),
      columns(columns_),
      stride(static_cast<std::size_t>(columns_) / 64 + 1),
      words_(new Word[(static_cast<std::size_t>(rows_) + 2) * stride + 2]) {
    words_[0] = ALL;
    words_[(static_cast<std::size_t>(rows) + 2) * stride + 1] = ALL;
    close_edges();
}

void Bits::close_edges() {
    for (const int r : {-1, rows})
        for (std::size_t w = 0; w < stride; ++w) row(r)[w] = ALL;
    for (int r = 0; r < rows; ++r) row(r)[stride - 1] |= ALL << (columns & 63);
}

Bits Bits::packed(const std::uint8_t* cells, int rows, int columns, bool& beyond_one) {
    Bits bits(rows, columns);
    const std::size_t whole = static_cast<std::size_t>(columns) / 64;
    std::uint8_t others = 0;
#if defined(__SSE2__)
    __m128i seen = _mm_setzero_si128();
#endif
    for (int r = 0; r < rows; ++r) {
        const std::uint8_t* from = cells + static_cast<std::size_t>(r) * columns;
        Word* to = bits.row(r);
        for (std::size_t w = 0; w < whole; ++w) {
#if defined(__SSE2__)
            to[w] = word_of(from + 64 * w, seen);
#else
            Word word = 0;
            for (int i = 0; i < 64; ++i) {
                others |= from[64 * w + i];
                word |= static_cast<Word>(from[64 * w + i] != 0) << i;
            }
            to[w] = word;
#endif
        }
        Word last = ALL << (columns & 63);
        for (int i = 0; i < (columns & 63); ++i) {
            others |= from[64 * whole + i];
            last |= static_cast<Word>(from[64 * whole + i] != 0) << i;
        }
        to[whole] = last;
    }
#if defined(__SSE2__)
    std::uint8_t bytes[16];
    std::memcpy(bytes, &seen, 16);
    for (const std::uint8_t byte : bytes) others |= byte;
#endif
    beyond_one = others > 1;
    return bits;
}

Bits Bits::transposed() const {
    Bits result(columns, rows);
    Word block[64];
    // Rows inside: what is written stays near, and a line of memory that was read serves the next eight words.
    for (std::size_t w = 0; w < stride; ++w)
        for (int r = 0; r < rows; r += 64) {
            const int high = std::min(64, rows - r), wide = std::min(64, columns - static_cast<int>(64 * w));
            for (int k = 0; k < 64; ++k) block[k] = k < high ? row(r + k)[w] : ALL;
            transpose(block);
            for (int k = 0; k < wide; ++k) result.row(static_cast<int>(64 * w) + k)[r / 64] = block[k];
        }
    result.close_edges();
    return result;
}

// A corner behind which to turn: in a neighbouring row the cell beside is free, the one before it blocked.
int Bits::jump_up(int r, int c, int goal, std::size_t& work) const {
    const Word *here = row(r), *above = here - stride, *below = here + stride;
    std::ptrdiff_t w = (c + 1) >> 6;
    Word mask = ALL << ((c + 1) & 63);
    for (;; ++w, mask = ALL) {
        ++work;
        const Word turns = ((above[w] << 1 | above[w - 1] >> 63) & ~above[w]) |
                           ((below[w] << 1 | below[w - 1] >> 63) & ~below[w]);
        const Word stop = (here[w] | turns) & mask;
        if (!stop) continue;
        const int at = static_cast<int>(w * 64) + std::countr_zero(stop);
        if (goal > c && goal <= at) return goal;
        return here[w] >> (at & 63) & 1 ? -1 : at;
    }
}

int Bits::jump_down(int r, int c, int goal, std::size_t& work) const {
    const Word *here = row(r), *above = here - stride, *below = here + stride;
    std::ptrdiff_t w = (c - 1) >> 6;
    Word mask = ALL >> (63 - ((c - 1) & 63));
    for (;; --w, mask = ALL) {
        ++work;
        const Word turns = ((above[w] >> 1 | above[w + 1] << 63) & ~above[w]) |
                           ((below[w] >> 1 | below[w + 1] << 63) & ~below[w]);
        const Word stop = (here[w] | turns) & mask;
        if (!stop) continue;
        const int at = static_cast<int>(w * 64) + 63 - std::countl_zero(stop);
        if (goal >= 0 && goal < c && goal >= at) return goal;
        return here[w] >> (at & 63) & 1 ? -1 : at;
    }
}

// Corners on some rows, behind which a way to larger columns may turn to larger rows. The rows lie about as the golden
// section has it: at even distances, shelves and walls could hide between them.
Character character_of(const Bits& bits) {
    constexpr int SAMPLES = 64;
    std::size_t corners = 0, taken = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        const double turn = k * 0.6180339887498949;
        const int r = static_cast<int>((turn - std::floor(turn)) * bits.rows);
        const Word *here = bits.row(r), *below = bits.row(r + 1);
        for (std::size_t w = 0; w < bits.stride; ++w) {
            const Word passed = ~(here[w] | here[w] << 1 | here[w - 1] >> 63);
            const Word turns = (below[w] << 1 | below[w - 1] >> 63) & ~below[w] & passed;
            corners += static_cast<std::size_t>(std::popcount(turns));
            taken += static_cast<std::size_t>(std::popcount(here[w]));
        }
        taken -= bits.stride * 64 - static_cast<std::size_t>(bits.columns);
    }
    const double cells = static_cast<double>(SAMPLES) * bits.columns;
    return {static_cast<double>(corners) / cells, static_cast<double>(taken) / cells};
}

// How far a cell may lie to the side, `away` rows off, for a disc to overlap it, `columns` at most; -1 when it never does.
static int reach(double radius, int away, int columns) {
    const double up = std::max(away - 0.5, 0.0);
    const double left = radius * radius - up * up;
    if (!(left > 0.0)) return -1;
    // Overlap: side - 0.5 < sqrt(left), or side = 0.
    const double side = std::ceil(std::sqrt(left) + 0.5) - 1.0;
    return side < columns ? std::max(static_cast<int>(side), 0) : columns;
}

Bits inflated(const Bits& bits, double radius, bool edges) {
    const int rows = bits.rows, columns = bits.columns;
    const int margin = static_cast<int>(
        std::min(std::ceil(radius) + 1.0, static_cast<double>(std::max(rows, columns)) + 1.0));
    Bits result(rows, columns);
    for (int r = 0; r < rows; ++r) std::memcpy(result.row(r), bits.row(r), bits.stride * sizeof(Word));
    std::vector<Word> wide(bits.stride), next(bits.stride);
    Clock clock;
    for (int r = edges ? -1 : 0; r < (edges ? rows + 1 : rows); ++r) {
        std::memcpy(wide.data(), bits.row(r), bits.stride * sizeof(Word));
        const Word tail = ALL << (columns & 63);
        if (!edges) wide.back() &= ~tail;
        bool any = false;
        for (const Word word : wide) any |= word != 0;
        if (!any) continue;
        int reached = 0;
        for (int away = margin; away >= 0; --away) {
            const int side = reach(radius, away, columns);
            if (side < 0) continue;
            for (; reached < side; ++reached) {
                clock.tick();
                const Word left = edges ? Word{1} : 0;
                for (std::size_t w = 0; w < bits.stride; ++w)
                    next[w] = wide[w] | wide[w] << 1 | (w ? wide[w - 1] >> 63 : left) | wide[w] >> 1 |
                              (w + 1 < bits.stride ? wide[w + 1] << 63 : 0);
                wide.swap(next);
            }
            for (const int to : {r - away, r + away})
                if (to >= 0 && to < rows)
                    for (std::size_t w = 0; w < bits.stride; ++w) result.row(to)[w] |= wide[w];
        }
    }
    result.close_edges();
    return result;
}

// Felzenszwalb & Huttenlocher 2012: along columns by counting, along rows by the lower envelope of parabolas.
void squared_distances(const Bits& bits, float none, float* out) {
    const int rows = bits.rows, columns = bits.columns;
    const auto at = [&](int r, int c) -> float& { return out[static_cast<std::size_t>(r) * columns + c]; };
    constexpr float FAR = std::numeric_limits<float>::infinity();
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
            at(r, c) = bits.blocked(r, c) ? 0.0f : r ? at(r - 1, c) + 1.0f : FAR;
    for (int r = rows - 2; r >= 0; --r)
        for (int c = 0; c < columns; ++c) at(r, c) = std::min(at(r, c), at(r + 1, c) + 1.0f);
    std::vector<double> height(columns), from(columns + 1);
    std::vector<int> peak(columns);
    for (int r = 0; r < rows; ++r) {
        if (r % 64 == 0) pause();
        int count = 0;
        for (int c = 0; c < columns; ++c) {
            if (at(r, c) == FAR) continue;
            height[c] = static_cast<double>(at(r, c)) * at(r, c);
            double cross = -std::numeric_limits<double>::infinity();
            while (count) {
                const int p = peak[count - 1];
                cross = (height[c] + static_cast<double>(c) * c - height[p] - static_cast<double>(p) * p) /
                        (2.0 * (c - p));
                if (cross > from[count - 1]) break;
                --count;
            }
            from[count] = count ? cross : -std::numeric_limits<double>::infinity();
            peak[count++] = c;
        }
        for (int c = 0, k = 0; c < columns; ++c) {
            if (!count) {
                at(r, c) = none;
                continue;
            }
            while (k + 1 < count && from[k + 1] < c) ++k;
            const double off = c - peak[k];
            at(r, c) = static_cast<float>(off * off + height[peak[k]]);
        }
    }
}

}  // namespace kumi::grid
