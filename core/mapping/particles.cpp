#include "mapping/particles.hpp"
#include "numbers/elementary.hpp"

#include <algorithm>

namespace kumi {
namespace occupancy {

Place driven(const Place& from, double way, double steering, double wheelbase) {
    const double turn = way * maths::tan(steering) / wheelbase;
    // The chord of an arc: its length is way * sin(turn/2) / (turn/2), its direction halfway through the turn.
    const double half = 0.5 * turn;
    const double chord =
        std::fabs(half) < 1e-6 ? way * (1.0 - half * half / 6.0) : way * maths::sin(half) / half;
    return {from.x + chord * maths::cos(from.heading + half),
            from.y + chord * maths::sin(from.heading + half), from.heading + turn};
}

Particles::Particles(Chance& chance, int count, Place start, Place doubt, Errors errors,
                     std::vector<Mount> mounts, const Beams& beams, const Odometry& odometry,
                     const Settings& settings)
    : chance_({chance.bits(), chance.bits(), chance.bits(), chance.bits() | 1}),
      mounts_(std::move(mounts)),
      beams_(beams),
      odometry_(odometry),
      settings_(settings),
      odds_(beams),
      particles_(count),
      unread_(settings.least_step) {
    for (Particle& one : particles_) {
        one.at = {start.x + doubt.x * chance_.normal(), start.y + doubt.y * chance_.normal(),
                  start.heading + doubt.heading * chance_.normal()};
        one.errors.scale = errors.scale + odometry_.way_bias * chance_.normal();
        one.errors.zero = errors.zero + odometry_.steering_bias * chance_.normal();
        one.errors.lag = errors.lag + odometry_.lag * chance_.normal();
    }
}

void Particles::step(double way, double steering, const double* ranges) {
    if (way != 0.0) move(way, steering);
    steered_ = steering, has_read_ = true;
    unread_ += std::fabs(way);
    if (unread_ < settings_.least_step) return;
    unread_ = 0.0;
    weigh(ranges);
    select();
    draw(ranges);
}

void Particles::move(double way, double steering) {
    const double length = std::fabs(way), root = std::sqrt(length);
    const double change = has_read_ ? steering - steered_ : 0.0;
    for (Particle& one : particles_) {
        auto& [scale, zero, lag] = one.errors;
        scale += settings_.wander * odometry_.way_bias * root * chance_.normal();
        zero += settings_.wander * odometry_.steering_bias * root * chance_.normal();
        const double went = way * (1.0 + scale) + odometry_.way_noise * length * chance_.normal();
        const double angle = steering + zero - lag * change + odometry_.steering_noise * chance_.normal();
        one.at = driven(one.at, went, std::clamp(angle, -1.5, 1.5), odometry_.wheelbase);
        one.at.heading += settings_.jitter * root * chance_.normal();
        one.at.x += settings_.jitter * root * chance_.normal();
        one.at.y += settings_.jitter * root * chance_.normal();
    }
}

void Particles::weigh(const double* ranges) {
    for (Particle& one : particles_) {
        double product = 1.0;
        each_eye(mounts_, one.at, [&](std::size_t i, const Eye& eye) {
            product *=
                likelihood(layout_, one.map, has_shared_ ? &shared_ : nullptr, beams_, odds_, eye, ranges[i]);
        });
        const double gain = settings_.temper * maths::log(product);
        one.weight += gain;
        one.score += gain;
    }
    double most = -1e300;
    for (const Particle& one : particles_) most = std::max(most, one.weight);
    for (Particle& one : particles_) one.weight -= most;
}

void Particles::select() {
    const std::size_t count = particles_.size();
    std::vector<double> shares(count);
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += shares[i] = maths::exp(particles_[i].weight);
    for (double& share : shares) {
        share /= sum;
        squares += share * share;
    }
    if (squares * count <= 2.0) return;  // more than half of the particles count
    std::vector<Particle> chosen;
    chosen.reserve(count);
    double at = chance_.unit() / count, reached = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        reached += shares[i];
        for (; chosen.size() < count && (at < reached || i + 1 == count); at += 1.0 / count) {
            chosen.push_back(particles_[i]);
            chosen.back().weight = 0.0;
        }
    }
    particles_ = std::move(chosen);
}

void Particles::draw(const double* ranges) {
    for (Particle& one : particles_)
        each_eye(mounts_, one.at,
                 [&](std::size_t i, const Eye& eye) { add_beam(layout_, one.map, beams_, eye, ranges[i]); });
}

Estimate Particles::estimate() const {
    double sum = 0.0, x = 0.0, y = 0.0, c = 0.0, s = 0.0, squares = 0.0;
    for (const Particle& one : particles_) {
        const double share = maths::exp(one.weight);
        sum += share, x += share * one.at.x, y += share * one.at.y;
        c += share * maths::cos(one.at.heading), s += share * maths::sin(one.at.heading);
    }
    x /= sum, y /= sum;
    for (const Particle& one : particles_)
        squares +=
            maths::exp(one.weight) * ((one.at.x - x) * (one.at.x - x) + (one.at.y - y) * (one.at.y - y));
    return {{x, y, maths::atan2(s, c)}, std::sqrt(squares / sum)};
}

const Particle& Particles::best() const {
    return *std::max_element(particles_.begin(), particles_.end(),
                             [](const Particle& a, const Particle& b) { return a.score < b.score; });
}

void Particles::share(const float* nats, int rows, int columns, int first_column, int first_row) {
    shared_ = Layer();
    has_shared_ = nats != nullptr;
    if (!nats) return;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const float says = nats[static_cast<std::size_t>(r) * columns + c];
            if (says == 0.0f) continue;
            const int column = first_column + c, row = first_row + r;
            Tile* tile = shared_.own(layout_.slot_or_new(column >> SIDE_BITS, row >> SIDE_BITS));
            const double kept =
                std::clamp(static_cast<double>(says), -settings_.shared_most, settings_.shared_most);
            tile->cells[((row & (SIDE - 1)) << SIDE_BITS) | (column & (SIDE - 1))] =
                static_cast<Evidence>(kept / UNIT);
        }
}

}  // namespace occupancy
}  // namespace kumi
