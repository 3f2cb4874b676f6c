// Where is a body at any instant? Motion in closed form.
//
// A drive gives legs: "to that place at this speed", "turn by so much". A leg that begins becomes a
// piece: it knows its first and its last pose, and every pose between as a function of its own clock.
// Terrain slows the clock, not the piece. On its path a body never goes back within a piece, so the way
// along it grows with the clock and can be inverted.
#pragma once

#include "geometry/shape.hpp"

#include <cstdint>
#include <limits>
#include <memory>

namespace kumi {

using Pose = Placed;

// A user's own pattern: position as a function of time, with bounds of its speed.
class Pattern : public std::enable_shared_from_this<Pattern> {
  public:
    virtual ~Pattern() = default;
    virtual Pose pose(double clock) = 0;
    virtual bool is_broken() const = 0;
};

struct Leg {
    enum class Kind : std::uint8_t { rest, line, forward, spin, arc, glide, pattern };
    Kind kind = Kind::rest;
    Vec goal;                   // line, glide
    double amount = 0.0;        // forward: distance; spin, arc: angle; rest, glide, pattern: duration
    double radius = 0.0;        // arc: positive turns left; pattern: speed bound
    double speed = 0.0;         // along the path; spin: radians a second, positive; pattern: turning bound
    double acceleration = 0.0;  // along the path
    double heading = 0.0;       // glide: at the end
    std::shared_ptr<Pattern> pattern;
};

struct Piece {
    enum class Kind : std::uint8_t { line, arc, pattern };
    Kind kind = Kind::line;
    Pose first{};
    Vec u;           // unit direction of the path at the beginning
    double v = 0.0;  // speed at the beginning, along the path
    double a = 0.0;  // acceleration along the path
    double w = 0.0;  // line: turning a second; arc: turning a metre of the way, positive to the left
    double duration = 0.0;
    Pose last{};
    Pattern* pattern = nullptr;  // kept alive by whoever keeps the piece

    static constexpr int BYTES = 97;

    // The pose when the piece's own clock stands at `clock`.
    [[gnu::always_inline]] Pose at(double clock) const {
        if (clock >= duration) return last;
        if (kind != Kind::line) return at_curve(clock);
        return clock <= 0.0 ? first : Pose{first.at + u * way(clock), first.heading + w * clock};
    }
    // Metres a second of the own clock.
    Vec velocity(double clock) const;
    double way(double clock) const { return clock * (v + 0.5 * a * clock); }
    double turned(double clock) const;
    // The clock when the way along the path has reached `way`; infinity where it never does.
    double when(double way) const;

    bool moves() const { return kind == Kind::pattern || v != 0.0 || a != 0.0; }
    bool turns() const { return w != 0.0; }
    // A constant velocity: positions are linear in time.
    bool is_simple() const { return kind == Kind::line && a == 0.0; }

    double top_speed() const;
    double top_turning() const;       // radians a second of the own clock
    double top_acceleration() const;  // of the position, as a vector; infinity for patterns

  private:
    Pose at_curve(double clock) const;
};

// Stays in its place.
inline Piece resting(const Pose& pose, double duration = std::numeric_limits<double>::infinity()) {
    Piece piece;
    piece.first = piece.last = pose;
    piece.duration = duration;
    return piece;
}

// Goes straight to a place at one speed.
inline Piece straight(const Pose& from, Vec goal, double speed) {
    const Vec step = goal - from.at;
    const double way = length(step);
    Piece piece;
    piece.first = from;
    piece.last = {goal, from.heading};
    if (way == 0.0) return piece;
    piece.u = step * (1.0 / way);
    piece.v = speed;
    piece.duration = speed > 0.0 ? way / speed : std::numeric_limits<double>::infinity();
    return piece;
}

// A pose with its heading wrapped.
inline Pose wrapped(const Pose& pose) { return {pose.at, wrapped(pose.heading)}; }

// Lets a piece begin with a wrapped heading, and turn on from there; gives how many revolutions that takes off. A pattern says
// itself where it looks.
double wrap(Piece& piece);

// The piece that a leg becomes at `from`. False, with a sentence in `problem`, where that is impossible. A leg that states a heading
// counts it on through the legs before it, of which so many `revolutions` were taken off.
bool resolve(const Leg& leg, const Pose& from, Piece& piece, const char*& problem, double revolutions = 0.0);

void write_piece(const Piece& piece, char* bytes);
Piece read_piece(const char* bytes);

}  // namespace kumi
