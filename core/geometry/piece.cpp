#include "geometry/piece.hpp"

#include "geometry/arc.hpp"
#include "numbers/elementary.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace kumi {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double TURN = 2.0 * std::numbers::pi;
constexpr double SAME_HEADING = 1e-12;  // radians: so little is lost in counting revolutions

// How long a way takes from speed v with acceleration a; infinity where the speed is used up before.
double time_for(double way, double v, double a) {
    if (way <= 0.0) return 0.0;
    if (a == 0.0) return v > 0.0 ? way / v : INFINITE;
    const double under = v * v + 2.0 * a * way;
    if (under < 0.0) return INFINITE;
    return 2.0 * way / (v + std::sqrt(under));  // stable for either sign of a
}

// A plan that brakes to a halt at its end may miss it by rounding: the halt is the end.
double time_for_all(double way, double v, double a, double slack = 0.0) {
    if (a < 0.0 && std::abs(v * v + 2.0 * a * way) <= 1e-9 * v * v - 2.0 * a * slack) return -v / a;
    return time_for(way, v, a);
}

}  // namespace

// An arc or a pattern before its end.
Pose Piece::at_curve(double clock) const {
    if (kind == Kind::pattern) return pattern ? pattern->pose(std::max(clock, 0.0)) : first;
    if (clock <= 0.0) return first;
    const double done = way(clock), angle = w * done;
    return {first.at + bent(u, done, angle), first.heading + angle};
}

Vec Piece::velocity(double clock) const {
    clock = std::clamp(clock, 0.0, duration);
    if (kind == Kind::pattern) {
        const double step = std::min(1e-6, duration > 0.0 ? duration : 1e-6);
        const double from = std::max(0.0, std::min(clock, duration - step));
        return (at(from + step).at - at(from).at) * (1.0 / step);
    }
    const double speed = v + a * clock;
    if (kind == Kind::line) return u * speed;
    return kumi::turned(u, w * way(clock)) * speed;
}

double Piece::turned(double clock) const {
    clock = std::clamp(clock, 0.0, duration);
    if (kind == Kind::pattern) return at(clock).heading - first.heading;
    return kind == Kind::line ? w * clock : w * way(clock);
}

double Piece::when(double d) const {
    const double time = time_for(d, v, a);
    return time <= duration ? time : INFINITE;
}

double Piece::top_speed() const {
    if (kind == Kind::pattern) return v;
    return std::max(std::abs(v), std::abs(v + a * duration));
}

double Piece::top_turning() const { return kind == Kind::arc ? std::abs(w) * top_speed() : std::abs(w); }

double Piece::top_acceleration() const {
    if (kind == Kind::pattern) return INFINITE;
    if (kind == Kind::line) return std::abs(a);
    const double speed = top_speed();
    return maths::hypot(std::abs(a), speed * speed * std::abs(w));
}

double wrap(Piece& piece) {
    const double heading = wrapped(piece.first.heading);
    if (heading == piece.first.heading || piece.kind == Piece::Kind::pattern) return 0.0;
    const double revolutions = std::nearbyint((piece.first.heading - heading) / TURN);
    piece.first.heading = heading;
    piece.last.heading -= revolutions * TURN;
    return revolutions;
}

bool resolve(const Leg& leg, const Pose& from, Piece& piece, const char*& problem, double revolutions) {
    piece = Piece{};
    piece.first = piece.last = from;
    switch (leg.kind) {
    case Leg::Kind::rest:
        piece.duration = leg.amount;
        return true;
    case Leg::Kind::line: {
        piece = straight(from, leg.goal, leg.speed);
        if (piece.u == Vec{}) return true;  // it is there
        if (leg.acceleration == 0.0) break;
        const double slack = leg.acceleration < 0.0 ? 1e-14 * (length(from.at) + length(leg.goal)) : 0.0;
        piece.a = leg.acceleration;
        piece.duration = time_for_all(length(leg.goal - from.at), leg.speed, leg.acceleration, slack);
        break;
    }
    case Leg::Kind::forward: {
        const double way = std::abs(leg.amount);
        if (way == 0.0) return true;
        piece.u = direction(from.heading) * (leg.amount < 0.0 ? -1.0 : 1.0);
        piece.v = leg.speed;
        piece.a = leg.acceleration;
        piece.duration = time_for_all(way, leg.speed, leg.acceleration);
        if (std::isfinite(way)) piece.last.at = from.at + piece.u * way;
        break;
    }
    case Leg::Kind::spin:
        if (leg.amount == 0.0) return true;
        piece.w = leg.amount < 0.0 ? -leg.speed : leg.speed;
        piece.duration = std::abs(leg.amount) / leg.speed;
        piece.last.heading = from.heading + leg.amount;
        break;
    case Leg::Kind::arc: {
        if (leg.amount == 0.0) return true;
        piece.kind = Piece::Kind::arc;
        // Turning by `amount`: with the centre on the left a positive turn drives forward.
        piece.u = direction(from.heading) * ((leg.amount < 0.0) == (leg.radius < 0.0) ? 1.0 : -1.0);
        piece.w = (leg.amount < 0.0 ? -1.0 : 1.0) / std::abs(leg.radius);
        piece.v = leg.speed;
        piece.a = leg.acceleration;
        const double way = std::abs(leg.amount * leg.radius);
        piece.duration = time_for_all(way, leg.speed, leg.acceleration);
        if (std::isfinite(way))
            piece.last = {from.at + bent(piece.u, way, leg.amount), from.heading + leg.amount};
        break;
    }
    case Leg::Kind::glide: {
        const Vec step = leg.goal - from.at;
        const double way = length(step), heading = leg.heading - revolutions * TURN;
        piece.duration = leg.amount;
        piece.last = {leg.goal, heading};
        if (leg.amount == 0.0) {
            if (way == 0.0 && std::abs(heading - from.heading) <= SAME_HEADING) return true;
            problem = "a trajectory jumps: two samples of one time lie apart";
            return false;
        }
        if (way > 0.0) piece.u = step * (1.0 / way);
        piece.v = way / leg.amount;
        piece.w = (heading - from.heading) / leg.amount;
        return true;
    }
    case Leg::Kind::pattern: {
        piece.kind = Piece::Kind::pattern;
        piece.pattern = leg.pattern.get();
        piece.duration = leg.amount;
        piece.v = leg.radius;
        piece.w = leg.speed;
        piece.first = leg.pattern->pose(0.0);
        if (leg.pattern->is_broken()) {
            problem = "the pattern failed";
            return false;
        }
        if (length(piece.first.at - from.at) > 1e-9 * (1.0 + length(from.at))) {
            problem = "a pattern must begin where the body is";
            return false;
        }
        if (std::isfinite(leg.amount)) piece.last = leg.pattern->pose(leg.amount);
        problem = "the pattern failed";
        return !leg.pattern->is_broken();
    }
    }
    if (std::isnan(piece.duration) ||
        (std::isinf(piece.duration) && std::isfinite(leg.amount) && leg.kind != Leg::Kind::line) ||
        (std::isinf(piece.duration) && leg.kind == Leg::Kind::line)) {
        problem = std::isfinite(length(piece.last.at)) ? "the speed is used up before the end of the way"
                                                       : "the way has no end that numbers can hold";
        return false;
    }
    return true;
}

void write_piece(const Piece& piece, char* bytes) {
    *bytes++ = static_cast<char>(piece.kind);
    for (double field :
         {piece.first.at.x, piece.first.at.y, piece.first.heading, piece.u.x, piece.u.y, piece.v, piece.a,
          piece.w, piece.duration, piece.last.at.x, piece.last.at.y, piece.last.heading}) {
        std::memcpy(bytes, &field, 8);
        bytes += 8;
    }
}

Piece read_piece(const char* bytes) {
    Piece piece;
    double f[12];
    std::memcpy(f, bytes + 1, sizeof f);
    piece.kind = static_cast<Piece::Kind>(bytes[0]);
    piece.first = {{f[0], f[1]}, f[2]};
    piece.u = {f[3], f[4]};
    piece.v = f[5];
    piece.a = f[6];
    piece.w = f[7];
    piece.duration = f[8];
    piece.last = {{f[9], f[10]}, f[11]};
    return piece;
}

}  // namespace kumi
