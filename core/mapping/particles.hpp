// Where is a car that draws its map as it goes, by an encoder, a steering angle and some beams?
//
// A Rao-Blackwellised particle filter (Murphy 1999; Grisetti, Stachniss and Burgard 2007): each particle is one
// account of the way so far, with the map that follows from it. It also has its own guess of what is wrong with the
// encoder's scale and the steering's zero, and of how late the wheel turns between two readings, since those errors,
// which stay, and not those that come and go, make dead reckoning fail. Particles whose maps foresaw the readings are
// copied, the others die.
#pragma once

#include <vector>

#include "mapping/occupancy.hpp"
#include "numbers/chance.hpp"

namespace kumi {
namespace occupancy {

// How a car's own senses err.
struct Odometry {
    double wheelbase = 0.15;         // metres
    double way_noise = 0.02;         // share of each way, drawn for each reading
    double way_bias = 0.02;          // share of each way, the same for all readings of a robot
    double steering_noise = 0.0175;  // radians, drawn for each reading
    double steering_bias = 0.0175;   // radians, the same for all readings of a robot
    double lag = 0.1;  // share of the way between two readings that the wheel still stood as at the first
};

struct Settings {
    double least_step = 0.01;  // metres of way between two readings that count
    double temper =
        0.2;  // the power to which the likelihood of a reading counts: readings are not independent
    double jitter =
        0.005;  // metres and radians (a root) a metre by which particles differ more than odometry says
    double wander = 0.05;      // by which share of its spread a bias changes on a metre of way
    double shared_most = 1.0;  // nats that the evidence of others counts at most
};

// What is wrong with a car's own senses all the time.
struct Errors {
    double scale = 0.0;  // by which share ways are longer than read
    double zero = 0.0;   // radians by which the wheel stands more to the left than read
    double lag = 0.0;    // share of a way that the wheel still stands as at the reading before
};

struct Particle {
    Place at{};
    Errors errors{};
    double weight = 0.0, score = 0.0;  // logarithms: since the last selection, and since the start
    Layer map;
};

struct Estimate {
    Place at;
    double spread;  // root mean square distance of the particles from it
};

class Particles {
  public:
    // Draws its own sequence of random numbers from the one it is given, and guesses of the errors around those given.
    Particles(Chance& chance, int count, Place start, Place doubt, Errors errors, std::vector<Mount> mounts,
              const Beams& beams, const Odometry& odometry, const Settings& settings);

    // Takes a way and a steering angle, then what the beams read at its end; NaN is no reading, infinite no hit.
    void step(double way, double steering, const double* ranges);
    Estimate estimate() const;
    const Particle& best() const;

    // Sets evidence of others for weighing, as an array of rows from a cell on; no array takes it away.
    void share(const float* nats, int rows, int columns, int first_column, int first_row);

    const Layout& layout() const { return layout_; }
    const std::vector<Particle>& particles() const { return particles_; }
    std::size_t mounts() const { return mounts_.size(); }

  private:
    void move(double way, double steering);
    void weigh(const double* ranges);
    void select();
    void draw(const double* ranges);

    Chance chance_;
    std::vector<Mount> mounts_;
    Beams beams_;
    Odometry odometry_;
    Settings settings_;
    Odds odds_;
    Layout layout_;
    Layer shared_;
    bool has_shared_ = false;
    std::vector<Particle> particles_;
    double unread_;          // metres since the last reading that counted
    double steered_ = 0.0;   // the steering angle of the reading before
    bool has_read_ = false;  // whether there was one
};

// Where a car is after a way with its front wheel at an angle: an exact arc of the middle of its rear axle.
Place driven(const Place& from, double way, double steering, double wheelbase);

}  // namespace occupancy
}  // namespace kumi
