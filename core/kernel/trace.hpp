// What happened, as bytes that are the same for the same run on every machine, and their hash.
//
// Records are encoded compactly: a tag, the number of the model, and the value. The time is written
// when it changes. Values are encoded by content: numbers, text, bytes, containers, enumerations,
// dataclasses and other records field by field, arrays by their buffer, other objects by what pickle
// would store. What cannot be stored contributes the name of its type. Nothing depends on addresses or on Python's hash seed.
#pragma once

#include "python/python.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>

namespace kumi {

// A 128-bit running hash. Each step is a bijection of the state for a given block, so no block can
// erase what came before it.
class Hash128 {
  public:
    static constexpr std::size_t BLOCK = 16;  // a last part that is shorter is marked as such

    void update(const char* bytes, std::size_t length) {
        length_ += length;
        while (length >= BLOCK) {
            std::uint64_t x, y;
            std::memcpy(&x, bytes, 8);
            std::memcpy(&y, bytes + 8, 8);
            mix(x, y);
            bytes += BLOCK;
            length -= BLOCK;
        }
        if (length) {
            std::uint64_t tail[2] = {0, 0};
            std::memcpy(tail, bytes, length);
            mix(tail[0], tail[1] ^ 0x9E3779B97F4A7C15ull);
        }
    }

    std::string hex() const;

  private:
    std::uint64_t a_ = 0x243F6A8885A308D3ull;
    std::uint64_t b_ = 0x13198A2E03707344ull;
    std::uint64_t length_ = 0;

    static std::uint64_t rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

    void mix(std::uint64_t x, std::uint64_t y) {
        a_ = rotate((a_ ^ x) * 0x9FB21C651E98DF25ull, 31);
        b_ = rotate((b_ ^ y) * 0xC2B2AE3D27D4EB4Full, 29);
        a_ += b_;
        b_ += rotate(a_, 17);
    }
};

class TraceBytes {
  public:
    TraceBytes() = default;
    TraceBytes(const TraceBytes&) = delete;
    void put(char tag) { room(1)[0] = tag; }
    void put(std::uint32_t number) { std::memcpy(room(4), &number, 4); }
    void put(std::uint64_t number) { std::memcpy(room(8), &number, 8); }
    void put(double number) {
        if (number != number) number = __builtin_nan("");
        std::memcpy(room(8), &number, 8);
    }
    void put(const char* bytes, std::size_t length);
    // Room for a few bytes that the caller writes, as put() would. What came before is hashed now: the processor does
    // so beside its other work.
    char* take(std::size_t length) {
        catch_up();
        put(static_cast<std::uint64_t>(length));
        return room(length);
    }

    // Encodes a value by content. False with a Python error when reading it raised one.
    bool put_value(PyObject* value, int depth = 0);

    // The hash of everything so far. Asking for it does not change what comes later.
    std::string digest() {
        catch_up();
        Hash128 hash = hash_;
        hash.update(buffer_ + hashed_, used_ - hashed_);
        return hash.hex();
    }

  private:
    static constexpr std::size_t SIZE = 1 << 14;
    char buffer_[SIZE];
    std::size_t used_ = 0, hashed_ = 0;  // how much of the buffer is filled, and how much the hash knows
    Hash128 hash_;

    static constexpr int DEEPEST = 64;
    static constexpr std::size_t LARGEST = 100'000;
    PyObject* open_[DEEPEST] = {};  // the parts that are being written
    std::size_t budget_ = 0;

    char* room(std::size_t length) {
        if (used_ + length > SIZE) flush();
        char* place = buffer_ + used_;
        used_ += length;
        return place;
    }

    // Hashes all whole blocks.
    void catch_up() {
        const std::size_t whole = (used_ - hashed_) / Hash128::BLOCK * Hash128::BLOCK;
        hash_.update(buffer_ + hashed_, whole);
        hashed_ += whole;
    }

    void flush() {
        hash_.update(buffer_ + hashed_, used_ - hashed_);
        used_ = hashed_ = 0;
    }
    struct Layout {
        Ref type;
        std::string name;
        Ref fields;  // a tuple of names, or null
        bool is_enumeration, has_own_reduce;
    };
    static constexpr std::size_t MOST_LAYOUTS = 1024;
    std::unordered_map<PyTypeObject*, Layout> layouts_;
    std::unordered_map<PyObject*, Ref> nameless_;  // classes that cannot be stored

    const Layout* layout_of(PyTypeObject* type);
    bool put_fields(PyObject* value, PyObject* names, int depth);
    bool put_unordered(PyObject* value, int depth);
    bool put_items(const Py_buffer& view);
    bool put_reduced(PyObject* value, int depth);
};

}  // namespace kumi
