// What happened on the plane, as bytes: enough to rebuild its state at any time.
//
// The layout is little-endian without padding; docs/recording.md describes it.
#pragma once

#include "geometry/piece.hpp"

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kumi {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "run files are little-endian");

class Journal {
  public:
    // Where the bytes go besides the buffer: the trace hash of the run.
    class Reader {
      public:
        virtual ~Reader() = default;
        virtual void read(const char* bytes, std::size_t length) = 0;
        // The same for a few bytes that the caller writes there himself; null where nobody reads.
        virtual char* room(std::size_t length) = 0;
    };

    bool keeps = false;  // for a run file
    Reader* reader = nullptr;

    bool is_open() const { return keeps || reader; }

    template <class Value> static constexpr std::size_t size_of = sizeof(Value);
    template <class Value> static void lay(char* to, const Value& value) {
        static_assert(std::is_arithmetic_v<Value>);
        std::memcpy(to, &value, sizeof value);
    }
    static void lay(char* to, const Vec& at) {
        lay(to, at.x);
        lay(to + 8, at.y);
    }
    static void lay(char* to, const Pose& pose) {
        lay(to, pose.at);
        lay(to + 16, pose.heading);
    }
    static void lay(char* to, const Piece& piece) { write_piece(piece, to); }

    class Record {
      public:
        Record(char tag) { put(tag); }
        template <class Value> Record& put(const Value& value) {
            lay(grow(size_of<Value>), value);
            return *this;
        }
        Record& put(const Shape& shape) {
            put(static_cast<std::uint8_t>(shape.kind));
            if (shape.kind == Shape::Kind::disc) return put(shape.radius);
            if (shape.kind == Shape::Kind::ellipse) return put(shape.a).put(shape.b);
            put(static_cast<std::uint16_t>(shape.corners.size()));
            for (Vec corner : shape.corners) put(corner);
            return *this;
        }
        const char* data() const { return spilled_.empty() ? few_ : spilled_.data(); }
        std::size_t size() const { return size_; }

      private:
        char few_[192];
        std::size_t size_ = 0;
        std::string spilled_;

        char* grow(std::size_t by) {
            const std::size_t at = size_;
            size_ += by;
            return size_ <= sizeof few_ ? few_ + at : spill(at);
        }
        [[gnu::noinline]] char* spill(std::size_t at) {
            if (spilled_.empty()) spilled_.assign(few_, at);
            spilled_.resize(size_);
            return spilled_.data() + at;
        }
    };

    void write(double now, const Record& record) {
        stamp(now);
        append(record.data(), record.size());
    }

    // A record of known length, laid where it belongs. What was just put together piece by piece cannot be copied as a
    // whole before it has reached the memory, and the processor waits: this is for what is written at every contact.
    template <class... Values> void write(double now, char tag, const Values&... values) {
        stamp(now);
        constexpr std::size_t length = 1 + (size_of<Values> + ...);
        const auto lay_all = [&](char* to) {
            *to++ = tag;
            ((lay(to, values), to += size_of<Values>), ...);
        };
        if (keeps) {
            kept_.resize(kept_.size() + length);
            lay_all(kept_.data() + kept_.size() - length);
        }
        if (reader)
            if (char* to = reader->room(length)) lay_all(to);
    }

    // For the reader alone.
    void tell(double now, const Record& record) {
        const bool kept = std::exchange(keeps, false);
        write(now, record);
        keeps = kept;
    }

    // For the run file alone: what follows from the rest, but is good to read.
    void keep(double now, const Record& record) {
        stamp(now);
        kept_.append(record.data(), record.size());
    }

    // The same for a whole record that somebody else wrote; the reader learns nothing, not even the time.
    void keep_record(double now, const char* bytes, std::size_t length) {
        Reader* none = std::exchange(reader, nullptr);
        stamp(now);
        reader = none;
        kept_.append(bytes, length);
    }

    std::string take() {
        restamp();
        return std::exchange(kept_, std::string());
    }
    // The same for those who copy the bytes: the memory is used again.
    std::string_view kept() const { return kept_; }
    void forget() {
        restamp();
        kept_.clear();
    }
    void keep(const std::string& bytes) { kept_ += bytes; }
    // After this the next record states its time again.
    void restamp() { kept_time_ = -1.0; }

  private:
    std::string kept_;
    double kept_time_ = -1.0, read_time_ = -1.0;

    void stamp(double now) {
        if (keeps && now != kept_time_) {
            kept_time_ = now;
            kept_.resize(kept_.size() + 9);
            lay_time(kept_.data() + kept_.size() - 9, now);
        }
        if (reader && now != read_time_) {
            read_time_ = now;
            if (char* to = reader->room(9)) lay_time(to, now);
        }
    }

    static void lay_time(char* to, double now) {
        *to = 'T';
        lay(to + 1, now);
    }

    void append(const char* bytes, std::size_t length) {
        if (keeps) kept_.append(bytes, length);
        if (reader) reader->read(bytes, length);
    }
};

template <> constexpr std::size_t Journal::size_of<Piece> = Piece::BYTES;

}  // namespace kumi
