// What holds beside the motion of bodies while a journal is kept: the command, the way and the reserved floor of each, where bodies
// fell, and how often each touched, sent and received.
//
// A state has it, so that who begins to read there knows what one knows who read from the beginning. Records of others are held by
// their tag: `W`, a way, until the motion ends or another command comes; `Z`, floor, until another `Z` of the same body.
#pragma once

#include "journal.hpp"

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kumi {

class Standing {
  public:
    void commanded(std::uint32_t body, double now, const Journal::Record& record) {
        Last& last = of(body);
        last.time = now;
        last.command.assign(record.data(), record.size());
        if (const auto way = held_.find({'W', body}); way != held_.end() && way->second.first < now) held_.erase(way);
    }

    void rested(std::uint32_t body) {
        of(body).command.clear();
        held_.erase({'W', body});
    }

    void fell(std::uint32_t body, double now, Pose at, const Shape& shape) {
        fell_.push_back({now, body, Journal::Record('A').put(body).put(at).put(shape)});
    }

    void touched(std::uint32_t body) { ++of(body).contacts; }

    // A record that somebody else wrote, while there are so many bodies.
    void take(double now, const char* bytes, std::size_t length, std::size_t bodies) {
        switch (length < 9 ? 0 : bytes[0]) {
        case 'W':
            held_[{'W', number(bytes + 1)}] = {now, std::string(bytes, length)};
            break;
        case 'Z':
            if (length > 9) held_[{'Z', number(bytes + 1)}] = {now, std::string(bytes, length)};
            else held_.erase({'Z', number(bytes + 1)});
            break;
        case 'Q':
            if (length >= 13 && number(bytes + 9) < bodies) ++of(number(bytes + 9)).sent;
            break;
        case 'G':
            if (length >= 13 && number(bytes + 9) < bodies) ++of(number(bytes + 9)).received;
            break;
        default:
            break;
        }
    }

    // The last command of a body that moves and when it was, or none.
    const std::string* command(std::uint32_t body, double& time) const {
        if (body >= last_.size() || last_[body].command.empty()) return nullptr;
        time = last_[body].time;
        return &last_[body].command;
    }

    // All but the commands, after the bodies.
    void write(Journal& state, double now) const {
        for (const auto& [time, body, record] : fell_) {
            state.write(time, record);
            state.write(time, 'R', body, std::uint8_t{1});
        }
        for (const auto& [key, held] : held_) state.keep_record(held.first, held.second.data(), held.second.size());
        for (std::uint32_t body = 0; body < last_.size(); ++body)
            if (const Last& one = last_[body]; one.contacts || one.sent || one.received)
                state.write(now, 'I', body, one.contacts, one.sent, one.received);
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
    std::vector<Last> last_;
    std::vector<Fall> fell_;
    std::map<std::pair<char, std::uint32_t>, std::pair<double, std::string>> held_;

    Last& of(std::uint32_t body) {
        if (body >= last_.size()) last_.resize(body + 1);
        return last_[body];
    }
    static std::uint32_t number(const char* bytes) {
        std::uint32_t value;
        std::memcpy(&value, bytes, sizeof value);
        return value;
    }
};

}  // namespace kumi
