// The picture of a camera: what stands upright on a floor of tiles, column by column.
#include "numbers/elementary.hpp"
#include "python/python.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace nb = nanobind;
using namespace nanobind::literals;

namespace kumi {

namespace {

using Rgb = std::array<double, 3>;

constexpr Rgb SKY{186.0, 206.0, 226.0}, HAZE{204.0, 214.0, 222.0};
constexpr Rgb TILES[2] = {{150.0, 144.0, 132.0}, {130.0, 124.0, 112.0}};
constexpr double TILE_SIDE = 0.5;     // metres: motion is seen by tiles
constexpr double HAZE_LENGTH = 12.0;  // metres after which little more than a third of a colour is left
constexpr double NEAREST_DEPTH = 1e-3;

Rgb mixed(const Rgb& from, const Rgb& to, double share) {
    Rgb colour;
    for (std::size_t i = 0; i < 3; ++i) colour[i] = from[i] + (to[i] - from[i]) * share;
    return colour;
}

// As it looks from afar: the farther, the more haze.
Rgb hazed(const Rgb& colour, double depth) { return mixed(HAZE, colour, maths::exp(-depth / HAZE_LENGTH)); }

std::vector<double> doubles_of(const nb::bytes& bytes) {
    std::vector<double> found(bytes.size() / 8);
    if (!found.empty()) std::memcpy(found.data(), bytes.c_str(), 8 * found.size());
    return found;
}

// `sides` is how far each column is to the left, for one metre ahead, and `drops` how far each row is down.
class Canvas {
  public:
    Canvas(double eye, nb::bytes sides, nb::bytes drops)
        : eye_(eye),
          sides_(doubles_of(sides)),
          drops_(doubles_of(drops)),
          depths_(sides_.size() * drops_.size(), std::numeric_limits<double>::infinity()),
          pixels_(3 * depths_.size()) {
        if (depths_.empty()) throw nb::value_error("a canvas has columns and rows");
    }

    void draw_ground(double x, double y, double cosine, double sine) {
        const double highest = std::max(-drops_[0], 1e-9);
        for (std::size_t row = 0; row < drops_.size(); ++row) {
            const double drop = drops_[row];
            if (!(drop > 0.0)) {
                const Rgb sky = mixed(HAZE, SKY, std::clamp(-drop / highest, 0.0, 1.0));
                for (std::size_t column = 0; column < sides_.size(); ++column) put(row, column, sky);
                continue;
            }
            const double ahead = eye_ / drop, from_x = x + ahead * cosine, from_y = y + ahead * sine;
            const Rgb tiles[2] = {hazed(TILES[0], ahead), hazed(TILES[1], ahead)};
            for (std::size_t column = 0; column < sides_.size(); ++column) {
                const double left = ahead * sides_[column];
                const double across = std::floor((from_x - left * sine) / TILE_SIDE);
                const double along = std::floor((from_y + left * cosine) / TILE_SIDE);
                const double tile = across + along;  // beyond all floors there are no tiles
                put(row, column, tiles[std::abs(tile) < 1e18 ? static_cast<std::int64_t>(tile) & 1 : 0]);
            }
        }
    }

    // How far ahead it is in each column, infinity for nothing; how high; and its colours.
    void draw_upright(nb::bytes ahead, double top, nb::bytes colours) {
        const std::vector<double> depths = doubles_of(ahead), lit = doubles_of(colours);
        if (depths.size() != sides_.size() || lit.size() != 3 * sides_.size())
            throw nb::value_error("what is upright has a depth and a colour for each column");
        for (std::size_t column = 0; column < depths.size(); ++column)
            if (std::isfinite(depths[column]))
                draw_column(column, depths[column], top,
                            {lit[3 * column], lit[3 * column + 1], lit[3 * column + 2]});
    }

    // An upright cylinder, darker at its edges. A column goes through the points t · (1, side); the first one at the radius from the
    // axis is the nearer root of a quadratic. A cylinder around the eye, or behind it, is not seen.
    void draw_round(double ahead, double left, double radius, double top, double red, double green,
                    double blue) {
        if (ahead <= -radius) return;
        const double open = ahead * ahead + left * left - radius * radius;
        for (std::size_t column = 0; column < sides_.size(); ++column) {
            const double side = sides_[column], a = 1.0 + side * side, b = ahead + left * side;
            const double rest = b * b - a * open;
            if (!(rest >= 0.0)) continue;
            const double depth = (b - std::sqrt(rest)) / a;
            if (!(depth > 0.0)) continue;
            const double from_axis = depth - ahead, aside = depth * side - left;
            const double out = maths::hypot(from_axis, aside), toward = -(from_axis + aside * side);
            const double facing = toward / std::max(out * std::sqrt(1.0 + side * side), 1e-9);
            const double light = 0.6 + 0.4 * std::clamp(facing, 0.0, 1.0);
            draw_column(column, depth, top, {red * light, green * light, blue * light});
        }
    }

    nb::bytes pixels() const { return nb::bytes(pixels_.data(), pixels_.size()); }

  private:
    double eye_;
    std::vector<double> sides_, drops_, depths_;
    std::vector<std::uint8_t> pixels_;

    void put(std::size_t row, std::size_t column, const Rgb& colour) {
        std::uint8_t* pixel = pixels_.data() + 3 * (row * sides_.size() + column);
        for (std::size_t i = 0; i < 3; ++i)
            pixel[i] = static_cast<std::uint8_t>(std::min(std::max(0.0, std::nearbyint(colour[i])), 255.0));
    }

    void draw_column(std::size_t column, double ahead, double top, const Rgb& colour) {
        const double depth = std::max(ahead, NEAREST_DEPTH), highest = (eye_ - top) / depth,
                     lowest = eye_ / depth;
        const Rgb seen = hazed(colour, depth);
        auto row = static_cast<std::size_t>(std::lower_bound(drops_.begin(), drops_.end(), highest) -
                                            drops_.begin());
        for (; row < drops_.size() && drops_[row] <= lowest; ++row) {
            double& before = depths_[row * sides_.size() + column];
            if (!(depth < before)) continue;
            before = depth;
            put(row, column, seen);
        }
    }
};

}  // namespace

void add_canvas(nb::module_& module) {
    nb::class_<Canvas>(module, "Canvas", nb::is_final(),
                       "A picture that is being drawn, of what is before an eye.")
        .def(nb::init<double, nb::bytes, nb::bytes>(), "eye"_a, "sides"_a, "drops"_a)
        .def("draw_ground", &Canvas::draw_ground, "x"_a, "y"_a, "cosine"_a, "sine"_a,
             "Fill the picture with sky, and with a floor of tiles, as seen from a place in a direction.")
        .def("draw_upright", &Canvas::draw_upright, "ahead"_a, "top"_a, "colours"_a,
             "Draw what stands on the floor: how far ahead in each column (inf for nothing), how high, and "
             "its colours.")
        .def("draw_round", &Canvas::draw_round, "ahead"_a, "left"_a, "radius"_a, "top"_a, "red"_a, "green"_a,
             "blue"_a, "Draw an upright cylinder, darker at its edges.")
        .def("pixels", &Canvas::pixels, "The picture: three bytes a pixel, row by row from the top.");
}

}  // namespace kumi
