// What holds beside the motion of bodies while a journal is kept: the command, the way and the reserved floor of each, what
// programs publish, where bodies fell, and how often each touched, sent and received.
//
// A state has it, so that who begins to read there knows what one knows who read from the beginning. Records of others are held by
// their tag: `W`, a way, until the motion ends or another command comes; `Z`, floor, until another `Z` of the same body; `P`, a
// published value, until another `P` of the same body and name. What a body had goes with it; only of those that fell it stays
// known where.
#pragma once

#include "plane/journal.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kumi {

class Standing {
  public:
    void came(std::uint32_t body) { last_[body]; }

    void left(std::uint32_t body, bool fell) {
        rested(body);
        held_.erase({'Z', body, {}});
        held_.erase(held_.lower_bound({'P', body, {}}), held_.lower_bound({'P', body + 1, {}}));
        if (!fell) last_.erase(body);
    }

    void commanded(std::uint32_t body, double now, const Journal::Record& record) {
        Last& last = last_[body];
        last.time = now;
        last.command.assign(record.data(), record.size());
        if (held_.empty()) return;
        if (const auto way = held_.find({'W', body, {}}); way != held_.end() && way->second.first < now)
            held_.erase(way);
    }

    void rested(std::uint32_t body) {
        last_[body].command.clear();
        if (!held_.empty()) held_.erase({'W', body, {}});
    }

    void fell(std::uint32_t body, double now, Pose at, const Shape& shape) {
        fell_.push_back({now, body, Journal::Record('A').put(body).put(at).put(shape)});
    }

    void touched(std::uint32_t body) { ++last_[body].contacts; }

    // A record that somebody else wrote. Who sends and receives need not be a body.
    void take(double now, const char* bytes, std::size_t length) {
        switch (length < 9 ? 0 : bytes[0]) {
        case 'W':
            held_[{'W', number(bytes + 1), {}}] = {now, std::string(bytes, length)};
            break;
        case 'Z':
            if (length > 9)
                held_[{'Z', number(bytes + 1), {}}] = {now, std::string(bytes, length)};
            else
                held_.erase({'Z', number(bytes + 1), {}});
            break;
        case 'P':
            publish(now, bytes, length);
            break;
        case 'Q':
            if (Last* last = length >= 13 ? find(number(bytes + 9)) : nullptr) ++last->sent;
            break;
        case 'G':
            if (Last* last = length >= 13 ? find(number(bytes + 9)) : nullptr) ++last->received;
            break;
        default:
            break;
        }
    }

    // The last command of a body that moves and when it was, or none.
    const std::string* command(std::uint32_t body, double& time) const {
        const auto last = last_.find(body);
        if (last == last_.end() || last->second.command.empty()) return nullptr;
        time = last->second.time;
        return &last->second.command;
    }

    // All but the commands, after the bodies.
    void write(Journal& state, double now) const {
        for (const auto& [time, body, record] : fell_) {
            state.write(time, record);
            state.write(time, 'R', body, std::uint8_t{1});
        }
        for (const auto& [key, held] : held_)
            state.keep_record(held.first, held.second.data(), held.second.size());
        std::vector<std::uint32_t> counted;
        for (const auto& [body, last] : last_)
            if (last.contacts || last.sent || last.received) counted.push_back(body);
        std::sort(counted.begin(), counted.end());
        for (std::uint32_t body : counted) {
            const Last& one = last_.at(body);
            state.write(now, 'I', body, one.contacts, one.sent, one.received);
        }
    }

  private:
    struct Last {
        double time = 0.0;
        std::string command;
        std::uint32_t contacts = 0, sent = 0, received = 0;
    };
    struct Fall {
        double time;
        std::uint32_t body;
        Journal::Record record;
    };
    std::unordered_map<std::uint32_t, Last> last_;  // of those who are there, and of those that fell
    std::vector<Fall> fell_;
    // By tag, body, and the name of what is published.
    std::map<std::tuple<char, std::uint32_t, std::string>, std::pair<double, std::string>> held_;

    // The name stands after its length at byte 9, and after it the kind of the value; kind 0 takes away what stood there.
    void publish(double now, const char* bytes, std::size_t length) {
        std::uint16_t letters = 0;
        if (length >= 11) std::memcpy(&letters, bytes + 9, sizeof letters);
        const std::size_t kind = 11 + std::size_t{letters};
        if (length <= kind) return;
        const std::tuple<char, std::uint32_t, std::string> key{'P', number(bytes + 1),
                                                               std::string(bytes + 11, letters)};
        if (bytes[kind] != 0)
            held_[key] = {now, std::string(bytes, length)};
        else
            held_.erase(key);
    }

    Last* find(std::uint32_t body) {
        const auto last = last_.find(body);
        return last == last_.end() ? nullptr : &last->second;
    }
    static std::uint32_t number(const char* bytes) {
        std::uint32_t value;
        std::memcpy(&value, bytes, sizeof value);
        return value;
    }
};

}  // namespace kumi
