#include "plane/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kumi {

namespace {

// That an obstacle stands from now on, in words.
Journal::Record obstacle_record(std::int32_t obstacle, const std::string& words) {
    Journal::Record record('O');
    record.put(static_cast<std::uint32_t>(obstacle)).put(static_cast<std::uint32_t>(words.size()));
    for (char letter : words) record.put(letter);
    return record;
}

}  // namespace

void Recorder::keep_journal(bool keeps) {
    journal.keeps = keeps;
    journal.restamp();
    if (!keeps) return;
    for (BodyId id : bodies_.by_number()) standing_.came(bodies_.number(id));
    journal.keep(snapshot());
}

std::string Recorder::snapshot() const {
    Journal state;
    state.keeps = true;
    for (BodyId id : bodies_.by_number()) {
        const Body& b = bodies_[id];
        double ordered = b.since;
        const std::string* command = b.is_moving ? standing_.command(b.number, ordered) : nullptr;
        state.write(b.is_moving ? ordered : bodies_.now,
                    Journal::Record('A').put(b.number).put(wrapped(bodies_.pose(id))).put(*b.shape));
        if (command) state.keep_record(ordered, command->data(), command->size());
        if (b.is_moving && b.piece.kind == Piece::Kind::pattern)
            state.write(bodies_.now,
                        Journal::Record('M').put(b.number).put(b.rate).put(0.0).put(sampled(id)));
        else if (b.is_moving)
            state.write(b.since, Journal::Record('M').put(b.number).put(b.rate).put(b.clock).put(b.piece));
    }
    for (const auto& [obstacle, words] : came_) state.write(bodies_.now, obstacle_record(obstacle, words));
    for (std::int32_t obstacle : left_) state.write(bodies_.now, 'X', static_cast<std::uint32_t>(obstacle));
    standing_.write(state, bodies_.now);
    return state.take();
}

void Recorder::keep_record(const char* bytes, std::size_t length) {
    if (!journal.keeps) return;
    journal.keep_record(bodies_.now, bytes, length);
    standing_.take(bodies_.now, bytes, length);
}

void Recorder::tell_obstacle(std::int32_t obstacle, const char* words) {
    if (words) {
        journal.write(bodies_.now, obstacle_record(obstacle, words));
        if (journal.keeps) came_[obstacle] = words;
    } else {
        journal.write(bodies_.now, 'X', static_cast<std::uint32_t>(obstacle));
        if (journal.keeps && !came_.erase(obstacle)) left_.push_back(obstacle);
    }
}

// A user's pattern cannot be stored, but what it did can: as even pieces, a hundred a second.
Piece Recorder::sampled(BodyId id) const {
    const Body& b = bodies_[id];
    const double clock = bodies_.course(id).clock_at(bodies_.now), left = b.piece.duration - clock;
    Leg leg;
    leg.kind = Leg::Kind::glide;
    leg.amount = std::clamp(0.01 * b.rate, 0.0, std::max(0.0, left));
    const Pose next = b.piece.at(clock + leg.amount);
    leg.goal = next.at;
    leg.heading = next.heading;
    Piece piece;
    const char* problem = nullptr;
    if (!resolve(leg, bodies_.pose(id), piece, problem)) piece = resting(next);
    wrap(piece);
    return piece;
}

void Recorder::write_sample(BodyId id) {
    Body& b = bodies_[id];
    const Piece piece = sampled(id);
    journal.keep(bodies_.now, Journal::Record('M').put(b.number).put(b.rate).put(0.0).put(piece));
    Rare& rare = bodies_.own_rare(id);
    const double next = bodies_.now + piece.duration / b.rate;
    rare.sample = piece.duration > 0.0 && next < b.end ? next : INFINITE_TIME;
    b.aside = rare.first();
}

// What the legs amount to, in the words of a log: a command, its goal, what there is to turn and to go.
void Recorder::write_command(BodyId id, const std::vector<Leg>& legs, const Pose& from) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::uint8_t kind = 8;
    Vec goal{none, none};
    double angle = 0.0, distance = 0.0, turn_speed = 0.0, speed = 0.0;
    for (const Leg& leg : legs) {
        switch (leg.kind) {
        case Leg::Kind::spin:
            if (kind == 8) kind = 3;
            angle += leg.amount;
            turn_speed = leg.speed;
            break;
        case Leg::Kind::line:
            kind = 1;
            goal = leg.goal;
            distance = length(leg.goal - from.at);
            speed = std::max(speed, leg.speed);
            break;
        case Leg::Kind::forward:
            kind = std::isinf(leg.amount) ? 6 : 2;
            distance += leg.amount;
            speed = std::max(speed, leg.speed);
            break;
        case Leg::Kind::arc:
            kind = std::isinf(leg.amount) ? 6 : 4;
            angle += leg.amount;
            distance += std::abs(leg.amount * leg.radius);
            speed = std::max(speed, leg.speed);
            break;
        case Leg::Kind::glide:
            kind = 5;
            goal = leg.goal;
            break;
        default:
            break;
        }
    }
    const auto record = Journal::Record('K')
                            .put(bodies_.number(id))
                            .put(kind)
                            .put(goal)
                            .put(angle)
                            .put(distance)
                            .put(turn_speed)
                            .put(speed);
    journal.keep(bodies_.now, record);
    standing_.commanded(bodies_.number(id), bodies_.now, record);
}

}  // namespace kumi
