// Shapes as Python sees them: kumi._core.Shape, and what can be asked about placed ones.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "geometry/chord.hpp"
#include "geometry/shape.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace kumi {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

Shape polygon_of(const Pairs& pairs, double rounding) {
    std::vector<Vec> corners;
    corners.reserve(pairs.size());
    for (const auto& [x, y] : pairs) corners.push_back({x, y});
    return make_polygon(corners, rounding);
}

nb::tuple corners_of(const Shape& shape) {
    nb::list corners;
    for (const Vec corner : shape.corners) corners.append(nb::make_tuple(corner.x, corner.y));
    return nb::tuple(corners);
}

const char* kind_of(const Shape& shape) {
    switch (shape.kind) {
    case Shape::Kind::disc:
        return "disc";
    case Shape::Kind::polygon:
        return "polygon";
    case Shape::Kind::ellipse:
        break;
    }
    return "ellipse";
}

nb::tuple gap_of(const Shape& a, double ax, double ay, double ah, const Shape& b, double bx, double by,
                 double bh) {
    const Touch touch = gap(a, {{ax, ay}, ah}, b, {{bx, by}, bh});
    return nb::make_tuple(touch.gap, touch.normal.x, touch.normal.y, touch.point.x, touch.point.y);
}

double ray_of(const Shape& shape, double x, double y, double h, double fx, double fy, double dx, double dy) {
    return ray(shape, {{x, y}, h}, {fx, fy}, {dx, dy});
}

nb::bytes rays_of(const Shape& shape, double x, double y, double h, double fx, double fy,
                  nb::bytes directions) {
    std::string found(directions.size() / 8 * 8, '\0');
    for (std::size_t i = 0; i + 8 <= directions.size(); i += 8) {
        double angle;
        std::memcpy(&angle, directions.c_str() + i, 8);
        const double way = ray(shape, {{x, y}, h}, {fx, fy}, direction(angle));
        std::memcpy(found.data() + i, &way, 8);
    }
    return nb::bytes(found.data(), found.size());
}

bool contains_of(const Shape& shape, double x, double y, double h, double px, double py) {
    return inside(shape, {{x, y}, h}, {px, py});
}

double extent_of(const Shape& shape, double h, double dx, double dy) { return extent(shape, h, {dx, dy}); }

double chord_of(double ax, double ay, double bx, double by, double radius, double fx, double fy, double tx,
                double ty) {
    const Vec from{fx, fy}, to{tx, ty};
    const Span span = chord_of_capsule(from, to, {{ax, ay}, {bx, by}, radius});
    return span.is_there() ? (span.to - span.from) * length(to - from) : 0.0;
}

}  // namespace

void add_shapes(nb::module_& module) {
    nb::class_<Shape>(module, "Shape", nb::is_final(),
                      "The space a body takes, in the frame of the body: convex.")
        .def_static("disc", &make_disc, "radius"_a, nb::sig("def disc(radius: float) -> Shape"),
                    "A disc about the position.")
        .def_static(
            "polygon", &polygon_of, "corners"_a, "rounding"_a = 0.0,
            nb::sig("def polygon(corners: Sequence[tuple[float, float]], rounding: float = 0.0) -> Shape"),
            "A convex polygon, with a rim of `rounding` around it.")
        .def_static("ellipse", &make_ellipse, "a"_a, "b"_a,
                    nb::sig("def ellipse(a: float, b: float) -> Shape"),
                    "An ellipse about the position, with half axis `a` along the heading and `b` across.")
        .def_prop_ro("kind", &kind_of, nb::sig("def kind(self) -> str"), "'disc', 'polygon' or 'ellipse'.")
        .def_prop_ro(
            "reach", [](const Shape& self) { return self.reach; },
            "The radius of the smallest circle about the position that holds the shape.")
        .def_prop_ro("corners", &corners_of, nb::sig("def corners(self) -> tuple[tuple[float, float], ...]"),
                     "The corners of a polygon, counter-clockwise; none of another shape.");

    module.def(
        "gap", &gap_of, "a"_a, "ax"_a, "ay"_a, "ah"_a, "b"_a, "bx"_a, "by"_a, "bh"_a,
        nb::sig(
            "def gap(a: Shape, ax: float, ay: float, ah: float, b: Shape, bx: float, by: float, bh: float) "
            "-> tuple[float, float, float, float, float]"),
        "The signed gap between two placed shapes, the normal from the one to the other, and the point "
        "between.");
    module.def(
        "ray_hit", &ray_of, "shape"_a, "x"_a, "y"_a, "h"_a, "fx"_a, "fy"_a, "dx"_a, "dy"_a,
        nb::sig("def ray_hit(shape: Shape, x: float, y: float, h: float, fx: float, fy: float, "
                "dx: float, dy: float) -> float"),
        "How far a ray from (fx, fy) in the unit direction (dx, dy) goes before it meets the placed shape.");
    module.def("ray_hits", &rays_of, "shape"_a, "x"_a, "y"_a, "h"_a, "fx"_a, "fy"_a, "directions"_a,
               nb::sig("def ray_hits(shape: Shape, x: float, y: float, h: float, fx: float, fy: float, "
                       "directions: bytes) -> "
                       "bytes"),
               "How far each of many rays from (fx, fy) goes before it meets the placed shape; directions "
               "and distances are "
               "doubles.");
    module.def(
        "contains", &contains_of, "shape"_a, "x"_a, "y"_a, "h"_a, "px"_a, "py"_a,
        nb::sig("def contains(shape: Shape, x: float, y: float, h: float, px: float, py: float) -> bool"),
        "Whether the placed shape holds the point, its boundary included.");
    module.def(
        "chord", &chord_of, "ax"_a, "ay"_a, "bx"_a, "by"_a, "radius"_a, "fx"_a, "fy"_a, "tx"_a, "ty"_a,
        nb::sig("def chord(ax: float, ay: float, bx: float, by: float, radius: float, fx: float, fy: float, "
                "tx: float, ty: float) -> float"),
        "How many metres of the way from (fx, fy) to (tx, ty) lie within `radius` of the stretch from (ax, "
        "ay) to "
        "(bx, by).");
    module.def("extent", &extent_of, "shape"_a, "h"_a, "dx"_a, "dy"_a,
               nb::sig("def extent(shape: Shape, h: float, dx: float, dy: float) -> float"),
               "How far the shape extends from its position in a unit direction.");
}

}  // namespace kumi
