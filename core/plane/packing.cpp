#include "plane/packing.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <vector>

namespace kumi {

namespace {

using Word = std::uint64_t;

constexpr double UNENDING = std::numeric_limits<double>::infinity();

// The fields of a record: n for the number of a body, h, i and l for other whole numbers of two, four and eight bytes, b for a
// byte, d for a double. A tag without fields begins no record.
const char* fields_of(char tag) {
    switch (tag) {
    case 'T':
        return "d";
    case 'A':
    case 'J':
        return "nddd";
    case 'R':
        return "nb";
    case 'S':
        return "n";
    case 'K':
        return "nbdddddd";
    case 'M':
        return "nddbdddddddddddd";
    case 'E':
        return "nbddd";
    case 'C':
        return "niidd";
    case 'N':
    case 'O':
    case 'P':
    case 'W':
    case 'Z':
        return "ni";
    case 'I':
        return "niii";
    case 'X':
        return "i";
    case 'Q':
        return "liihi";
    case 'G':
        return "li";
    case 'D':
        return "lih";
    }
    return nullptr;
}

std::size_t size_of(char field) {
    return field == 'b' ? 1 : field == 'h' ? 2 : field == 'd' || field == 'l' ? 8 : 4;
}

std::size_t size_of(const char* fields) {
    std::size_t size = 0;
    for (; *fields; ++fields) size += size_of(*fields);
    return size;
}

std::uint64_t whole_at(const char* bytes, std::size_t size) {
    std::uint64_t whole = 0;
    std::memcpy(&whole, bytes, size);
    return whole;
}

// How long is what follows the fields? Longer than there is room for where that cannot be.
std::size_t tail_of(char tag, const char* record, const char* tail, std::size_t room) {
    switch (tag) {
    case 'A':
    case 'S':  // a shape: a disc, a polygon, an ellipse
        if (room < 3) return 9;
        if (*tail == 1) return 3 + 16 * whole_at(tail + 1, 2);
        return *tail == 0 ? 9 : *tail == 2 ? 17 : room + 1;
    case 'N':
    case 'O':
    case 'P':
    case 'W':
    case 'Z':
        return whole_at(record + 4, 4);
    case 'Q':
        return 4 * whole_at(record + 12, 4) + whole_at(record + 16, 2) + whole_at(record + 18, 4);
    case 'D':
        return whole_at(record + 12, 2);
    }
    return 0;
}

// What both directions know of the records before.
class Known {
  public:
    static constexpr unsigned LIKELY = 7;

    // The record that follows is of this body.
    void meet(std::uint32_t body) {
        if (body == body_ && !said_.empty()) return;
        body_ = body;
        const auto [found, is_new] = places_.try_emplace(body, said_.size());
        if (is_new) said_.emplace_back();
        at_ = found->second;
    }
    std::uint32_t body() const { return body_; }

    // The last whole number of a field.
    std::uint64_t& whole(char tag, std::size_t field) {
        return wholes_[static_cast<unsigned char>(tag) & 31][field];
    }

    // What a double of a record is likely to be, of which the doubles before are known.
    void foresee(char tag, std::size_t number, Word (&likely)[LIKELY]) const {
        const Twice& before = place_of(tag, number);
        likely[0] = before.last;
        likely[1] = before.other;
        for (unsigned i = 2; i < LIKELY; ++i) likely[i] = 0;
        if (tag == 'T') return;
        const Said& said = said_[at_];
        const auto last = [&](std::size_t place) { return said.numbers[place].last; };
        const auto real = [&](std::size_t place) { return std::bit_cast<double>(last(place)); };
        const auto put = [&](unsigned i, double value) { likely[i] = std::bit_cast<Word>(value); };
        if (tag == 'A' || tag == 'J' || tag == 'E') likely[3] = last(LAST + number);
        if (tag == 'K') {
            put(3, UNENDING);
            put(4, std::numeric_limits<double>::quiet_NaN());
        }
        if (tag != 'M') return;
        const std::size_t place = MOTION + number;
        if (place == RATE) {
            put(3, 1.0);
        } else if (place >= FIRST && place < ALONG) {
            likely[3] = last(POSE + place - FIRST);
            likely[4] = last(LAST + place - FIRST);
        } else if (place == SPEED) {
            likely[3] = last(TOLD_SPEED);
        } else if (place == TURNING) {
            put(3, std::copysign(real(TOLD_TURN_SPEED), real(TOLD_ANGLE)));
        } else if (place == DURATION) {
            put(3, std::abs(real(TOLD_ANGLE)) / real(TOLD_TURN_SPEED));
            put(4, real(TOLD_DISTANCE) / real(TOLD_SPEED));
            put(5, UNENDING);
        } else if (place >= LAST) {
            likely[3] = last(FIRST + place - LAST);
            if (place < LAST + 2) likely[4] = last(GOAL + place - LAST);
        }
    }

    void learn(char tag, std::size_t number, Word word) {
        Twice& before = const_cast<Twice&>(place_of(tag, number));
        if (word == before.last) return;
        before.other = before.last;
        before.last = word;
    }

  private:
    // Where the doubles of records are kept: of commands, of motions, where a body was put or ended, of contacts.
    enum : std::size_t {
        GOAL = 0,
        TOLD_ANGLE = 2,
        TOLD_DISTANCE,
        TOLD_TURN_SPEED,
        TOLD_SPEED,
        MOTION = 6,
        RATE = 6,
        FIRST = 8,
        ALONG = 11,
        SPEED = 13,
        TURNING = 15,
        DURATION,
        LAST = 17,
        POSE = 20,
        TOUCHED = 23,
        PLACES = 25
    };
    // The last number, and the last one that was another.
    struct Twice {
        Word last = 0, other = 0;
    };
    struct Said {
        Twice numbers[PLACES];
    };

    std::vector<Said> said_;
    std::unordered_map<std::uint32_t, std::size_t> places_;
    std::size_t at_ = 0;
    std::uint32_t body_ = 0;
    Twice time_;
    std::uint64_t wholes_[32][8] = {};

    const Twice& place_of(char tag, std::size_t number) const {
        if (tag == 'T') return time_;
        const std::size_t first = tag == 'K' ? GOAL : tag == 'M' ? MOTION : tag == 'C' ? TOUCHED : POSE;
        return said_[at_].numbers[first + number];
    }
};

// Half a byte for each double: which of the likely ones it is, or SPELT and in how many of its lower bytes it differs.
constexpr unsigned SPELT = Known::LIKELY;

// A step from the last whole number, small where it is short in either direction.
std::uint64_t as_step(std::uint64_t whole, std::uint64_t before, std::size_t size) {
    const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
    const auto step = static_cast<std::int64_t>((whole - before) << unused) >> unused;
    return static_cast<std::uint64_t>(step) << 1 ^ static_cast<std::uint64_t>(step >> 63);
}
std::uint64_t after_step(std::uint64_t step, std::uint64_t before) {
    return before + (step >> 1 ^ (~(step & 1) + 1));
}

class Packer {
  public:
    Packer(std::string_view journal, PackedJournal& packed)
        : outline_(packed.outline), numbers_(packed.numbers) {
        outline_.reserve(journal.size() / 6);
        numbers_.reserve(journal.size() / 4);
    }

    void tag(char tag) {
        tag_ = tag;
        number_ = 0;
        outline_.push_back(tag);
    }
    void byte(const char* from) { outline_.push_back(*from); }
    void whole(const char* from, std::size_t field, std::size_t size, bool is_body) {
        const std::uint64_t whole = whole_at(from, size);
        std::uint64_t& before = known_.whole(tag_, field);
        std::uint64_t step = as_step(whole, is_body ? known_.body() : before, size);
        before = whole;
        if (is_body) known_.meet(static_cast<std::uint32_t>(whole));
        for (; step > 127; step >>= 7) outline_.push_back(static_cast<char>(step | 128));
        outline_.push_back(static_cast<char>(step));
    }
    void real(const char* from) {
        const Word word = whole_at(from, 8);
        Word likely[Known::LIKELY];
        known_.foresee(tag_, number_, likely);
        unsigned code = 0;
        while (code < Known::LIKELY && likely[code] != word) ++code;
        if (code == Known::LIKELY) {
            const unsigned bytes = 8 - static_cast<unsigned>(std::countl_zero(word ^ likely[0])) / 8;
            numbers_.append(reinterpret_cast<const char*>(&word), bytes);
            code = SPELT + bytes;
        }
        known_.learn(tag_, number_, word);
        if (number_++ % 2 == 0)
            outline_.push_back(static_cast<char>(code));
        else
            outline_.back() = static_cast<char>(static_cast<unsigned char>(outline_.back()) | code << 4);
    }
    void tail(const char* from, std::size_t length) { outline_.append(from, length); }

  private:
    std::string &outline_, &numbers_;
    Known known_;
    char tag_ = 0;
    std::size_t number_ = 0;
};

class Unpacker {
  public:
    Unpacker(std::string_view outline, std::string_view numbers) : outline_(outline), numbers_(numbers) {}

    bool has_more() const { return is_whole_ && at_ < outline_.size(); }
    bool is_done() const { return is_whole_ && at_ == outline_.size() && from_ == numbers_.size(); }
    std::size_t left() const { return outline_.size() - at_; }
    const char* here() const { return outline_.data() + at_; }

    char tag() {
        number_ = 0;
        return tag_ = next();
    }
    void byte(char* to) { *to = next(); }
    void whole(char* to, std::size_t field, std::size_t size, bool is_body) {
        std::uint64_t step = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(next());
            step |= std::uint64_t{byte & 127u} << shift;
            if (byte < 128) break;
        }
        std::uint64_t& before = known_.whole(tag_, field);
        const std::uint64_t whole = after_step(step, is_body ? known_.body() : before);
        std::memcpy(to, &whole, size);
        before = whole_at(to, size);
        if (is_body) known_.meet(static_cast<std::uint32_t>(before));
    }
    void real(char* to) {
        if (number_ % 2 == 0) codes_ = static_cast<unsigned char>(next());
        const unsigned code = number_ % 2 == 0 ? codes_ & 15u : codes_ >> 4;
        Word likely[Known::LIKELY];
        known_.foresee(tag_, number_, likely);
        Word word = likely[code < Known::LIKELY ? code : 0];
        if (code > SPELT) {
            const std::size_t bytes = code - SPELT;
            is_whole_ = is_whole_ && bytes <= numbers_.size() - from_;
            if (!is_whole_) return;
            std::memcpy(&word, numbers_.data() + from_, bytes);
            from_ += bytes;
        }
        known_.learn(tag_, number_++, word);
        std::memcpy(to, &word, 8);
    }
    void skip(std::size_t length) { at_ += length; }

  private:
    std::string_view outline_, numbers_;
    std::size_t at_ = 0, from_ = 0;
    bool is_whole_ = true;
    Known known_;
    char tag_ = 0;
    std::size_t number_ = 0;
    unsigned codes_ = 0;

    char next() {
        is_whole_ = is_whole_ && at_ < outline_.size();
        return is_whole_ ? outline_[at_++] : '\0';
    }
};

constexpr std::size_t MOST_FIELDS = 4 + 1 + 14 * 8;  // bytes, of a motion

// Goes through the fields of a record, which lie one behind the other.
template <class Bytes, class Coder> void go_through(const char* fields, Bytes* record, Coder& coder) {
    for (std::size_t i = 0; fields[i]; record += size_of(fields[i++])) {
        if (fields[i] == 'd')
            coder.real(record);
        else if (fields[i] == 'b')
            coder.byte(record);
        else
            coder.whole(record, i, size_of(fields[i]), fields[i] == 'n');
    }
}

}  // namespace

bool pack_journal(std::string_view journal, PackedJournal& packed) {
    Packer packer(journal, packed);
    for (std::size_t at = 0; at < journal.size();) {
        const char tag = journal[at++], *record = journal.data() + at;
        const char* fields = fields_of(tag);
        if (!fields || size_of(fields) > journal.size() - at) return false;
        at += size_of(fields);
        const std::size_t room = journal.size() - at, tail = tail_of(tag, record, journal.data() + at, room);
        if (tail > room) return false;
        packer.tag(tag);
        go_through(fields, record, packer);
        packer.tail(journal.data() + at, tail);
        at += tail;
    }
    return true;
}

bool unpack_journal(std::string_view outline, std::string_view numbers, std::size_t length,
                    std::string& journal) {
    Unpacker packed(outline, numbers);
    char record[MOST_FIELDS] = {};
    while (packed.has_more()) {
        const char tag = packed.tag();
        const char* fields = fields_of(tag);
        if (!fields) return false;
        go_through(fields, record, packed);
        const std::size_t tail = tail_of(tag, record, packed.here(), packed.left());
        if (tail > packed.left() || journal.size() + 1 + size_of(fields) + tail > length) return false;
        journal.push_back(tag);
        journal.append(record, size_of(fields)).append(packed.here(), tail);
        packed.skip(tail);
    }
    return packed.is_done() && journal.size() == length;
}

}  // namespace kumi
