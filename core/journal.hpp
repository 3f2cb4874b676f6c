// What happened on the plane, as bytes: enough to rebuild its state at any time.
//
// The layout is little-endian without padding; docs/recording.md describes it.
#pragma once

#include "piece.hpp"

#include <cstring>
#include <string>
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
    };

    bool keeps = false;  // for a run file
    Reader* reader = nullptr;

    bool is_open() const { return keeps || reader; }

    class Record {
      public:
        Record(char tag) { put(tag); }
        Record& put(char value) { return raw(value); }
        Record& put(std::uint8_t value) { return raw(value); }
        Record& put(std::uint16_t value) { return raw(value); }
        Record& put(std::uint32_t value) { return raw(value); }
        Record& put(std::int32_t value) { return raw(value); }
        Record& put(double value) { return raw(value); }
        Record& put(const Pose& pose) { return put(pose.at.x).put(pose.at.y).put(pose.heading); }
        Record& put(Vec at) { return put(at.x).put(at.y); }
        Record& put(const Shape& shape) {
            put(static_cast<std::uint8_t>(shape.kind));
            if (shape.kind == Shape::Kind::disc) return put(shape.radius);
            if (shape.kind == Shape::Kind::ellipse) return put(shape.a).put(shape.b);
            put(static_cast<std::uint16_t>(shape.corners.size()));
            for (Vec corner : shape.corners) put(corner);
            return *this;
        }
        Record& put(const Piece& piece) {
            write_piece(piece, grow(Piece::BYTES));
            return *this;
        }
        const char* data() const { return spilled_.empty() ? few_ : spilled_.data(); }
        std::size_t size() const { return size_; }

      private:
        char few_[192];
        std::size_t size_ = 0;
        std::string spilled_;

        template <class T>
        Record& raw(T value) {
            std::memcpy(grow(sizeof value), &value, sizeof value);
            return *this;
        }
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
    void keep(const std::string& bytes) { kept_ += bytes; }
    // After this the next record states its time again.
    void restamp() { kept_time_ = -1.0; }

  private:
    std::string kept_;
    double kept_time_ = -1.0, read_time_ = -1.0;

    void stamp(double now) {
        char bytes[9] = {'T'};
        std::memcpy(bytes + 1, &now, 8);
        if (keeps && now != kept_time_) {
            kept_time_ = now;
            kept_.append(bytes, 9);
        }
        if (reader && now != read_time_) {
            read_time_ = now;
            reader->read(bytes, 9);
        }
    }

    void append(const char* bytes, std::size_t length) {
        if (keeps) kept_.append(bytes, length);
        if (reader) reader->read(bytes, length);
    }
};

}  // namespace kumi
