// The gap of ellipses; the header tells how.
#include "geometry/ellipse.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace kumi {
namespace {

constexpr double TOLERANCE = 1e-14;  // of the gap, as a part of the size of the problem
constexpr double CLOSE = 1e-8;       // a step of Newton's method below this angle is the last one
constexpr int STEPS = 60;
constexpr int DIVISIONS = 400;
constexpr std::size_t SECTORS = 96;

Vec unit(Vec v) { return v / std::sqrt(square(v)); }

// What two shapes look like to each other in one direction.
struct Look {
    Vec u;
    Vec between;    // from the extreme point of the ellipse to that of the other
    double f;       // between·u
    double slope;   // df/dangle
    double r1, r2;  // radii of curvature
    double stiffness() const { return f + r1 + r2; }  // -d²f/dangle²
};

struct Sector {
    Look from, to;
};

// One ellipse at the origin against a point or another ellipse.
struct Pair {
    double aa, bb;
    Vec at;
    double cc = 0.0, dd = 0.0;
    Vec axis{1.0, 0.0};

    Look look(Vec u) const {
        const double h = std::sqrt(aa * u.x * u.x + bb * u.y * u.y), inverse = 1.0 / h;
        Vec between = at - Vec{aa * u.x, bb * u.y} * inverse;
        double f = dot(at, u) - h, r2 = 0.0;
        if (cc > 0.0) {
            const Vec v = turned_back(u, axis);
            const double k = std::sqrt(cc * v.x * v.x + dd * v.y * v.y), inverse_k = 1.0 / k;
            between -= turned(Vec{cc * v.x, dd * v.y} * inverse_k, axis);
            f -= k;
            r2 = cc * dd * inverse_k * inverse_k * inverse_k;
        }
        return {u, between, f, cross(u, between), aa * bb * inverse * inverse * inverse, r2};
    }

    Vec on_ellipse(Vec u) const {
        return Vec{aa * u.x, bb * u.y} / std::sqrt(aa * u.x * u.x + bb * u.y * u.y);
    }
};

bool is_between(Vec u, Vec from, Vec to) { return cross(from, u) > 0.0 && cross(u, to) > 0.0; }

// The direction across the chord of the two extreme points: it halves what is unknown, however thin the ellipse.
Vec across(const Sector& sector) {
    const Vec chord = sector.from.between - sector.to.between;
    const Vec out{chord.y, -chord.x};
    const double size = square(out);
    if (size > 0.0) {
        const Vec u = out / std::sqrt(size);
        if (is_between(u, sector.from.u, sector.to.u)) return u;
    }
    return unit(sector.from.u + sector.to.u);
}

// Newton's step, as a turn whose tangent is slope / stiffness. For points it leads straight to the maximum.
Vec stepped(const Look& here) { return unit(here.u * here.stiffness() + left_of(here.u) * here.slope); }

class Search {
  public:
    explicit Search(double size) : tolerance_(TOLERANCE * size) {
        best.f = -std::numeric_limits<double>::infinity();
    }

    Look best;

    bool offer(const Look& look, double grace = 0.0) {
        if (!(look.f > best.f - grace)) return false;
        best = look;
        return true;
    }

    // Looks for a higher f in a sector of at most a quarter turn, in which neither ellipse has an axis.
    void search(const Pair& pair, const Sector& whole) {
        std::array<Sector, SECTORS> waiting;
        std::size_t count = 0;
        waiting[count++] = whole;
        for (int i = 0; i < DIVISIONS && count > 0; ++i) {
            const Sector sector = waiting[--count];
            const Vec middle = across(sector);
            const double bound = most(sector, middle) - best.f;
            if (bound < -tolerance_) continue;
            if (is_concave(sector)) {
                climb(pair, sector);
            } else if (bound > tolerance_ && count + 2 <= SECTORS) {
                const Look look = pair.look(middle);
                offer(look);
                // The more promising half comes next.
                const bool first_is_lower = sector.to.f > sector.from.f;
                waiting[count++] = first_is_lower ? Sector{sector.from, look} : Sector{look, sector.to};
                waiting[count++] = first_is_lower ? Sector{look, sector.to} : Sector{sector.from, look};
            }
        }
    }

  private:
    double tolerance_;

    // An upper bound of f in the sector, the better of two. First: f is a minimum of linear functions, of which
    // those of the two extreme points are known. Second: f'' is bounded, as the radii of curvature are monotonic.
    static double most(const Sector& sector, Vec middle) {
        const Look &from = sector.from, &to = sector.to;
        double linear =
            std::max({from.f, to.f, std::max(dot(from.between, middle), dot(to.between, middle))});
        if (is_between(from.between, from.u, middle))
            linear = std::max(linear, std::sqrt(square(from.between)));
        if (is_between(to.between, middle, to.u)) linear = std::max(linear, std::sqrt(square(to.between)));
        const double higher = std::max(from.f, to.f);
        const double bend = higher + std::max(from.r1, to.r1) + std::max(from.r2, to.r2);
        const double share = square(to.u - from.u) * (1.2338 / 8);  // angle² / 8 up to a right angle
        return std::min(linear, higher + std::max(0.0, bend) * share / (1.0 - share));
    }

    static bool is_concave(const Sector& sector) {
        const Look &from = sector.from, &to = sector.to;
        double least = std::min(from.f, to.f);
        if (least < 0.0) least /= std::sqrt((1.0 + dot(from.u, to.u)) / 2);
        return least + std::min(from.r1, to.r1) + std::min(from.r2, to.r2) > 0.0;
    }

    void climb(const Pair& pair, Sector sector) {
        if (sector.from.slope <= 0.0 || sector.to.slope >= 0.0) return;
        Vec next = across(sector);
        for (int i = 0; i < STEPS; ++i) {
            const Look look = pair.look(next);
            const bool is_close = std::abs(look.slope) <= CLOSE * look.stiffness();
            (look.slope > 0.0 ? sector.from : sector.to) = look;
            next = stepped(look);
            if (is_close) break;
            if (!is_between(next, sector.from.u, sector.to.u)) next = across(sector);
        }
        offer(pair.look(next), tolerance_);
    }
};

// Newton's method without a safety net. Where it ends with f > 0, there is no other maximum.
bool climb_freely(const Pair& pair, Search& search) {
    Look look = pair.look(square(pair.at) > 0.0 ? unit(pair.at) : Vec{1.0, 0.0});
    for (int i = 0; i < 8; ++i) {
        if (look.stiffness() <= 0.0) break;
        const bool is_close = std::abs(look.slope) <= CLOSE * look.stiffness();
        look = pair.look(stepped(look));
        if (is_close) break;
    }
    search.offer(look);
    return look.f > 0.0 && std::abs(look.slope) <= CLOSE * look.stiffness();
}

// The first axis direction after u.
Vec next_axis(Vec u) {
    if (u.x > 0.0 && u.y >= 0.0) return {0.0, 1.0};
    if (u.x <= 0.0 && u.y > 0.0) return {-1.0, 0.0};
    if (u.x < 0.0 && u.y <= 0.0) return {0.0, -1.0};
    return {1.0, 0.0};
}

// All directions from one to another, at most half a turn on, against one corner.
void search_arc(const Pair& pair, Search& search, Vec from, Vec to) {
    if (cross(from, to) <= 0.0 && dot(from, to) > 0.0) return;
    Look last = pair.look(from);
    for (int i = 0; i < 5; ++i) {
        const Vec axis = next_axis(last.u);
        const bool is_end = cross(last.u, to) >= 0.0 && dot(last.u, to) > 0.0 && cross(to, axis) >= 0.0;
        const Look look = pair.look(is_end ? to : axis);
        search.offer(look);
        search.search(pair, {last, look});
        if (is_end) return;
        last = look;
    }
}

Facing found(const Pair& pair, const Search& search) {
    return {search.best.f, search.best.u, pair.on_ellipse(search.best.u)};
}

Facing to_point(double a, double b, Vec point) {
    const Pair pair{a * a, b * b, point};
    Search search(a + b + length(point));
    if (!climb_freely(pair, search)) {
        search_arc(pair, search, {1.0, 0.0}, {-1.0, 0.0});
        search_arc(pair, search, {-1.0, 0.0}, {1.0, 0.0});
    }
    return found(pair, search);
}

}  // namespace

Facing ellipse_to_ellipse(double a, double b, double c, double d, Vec at, Vec axis) {
    const Pair pair{a * a, b * b, at, c * c, d * d, axis};
    Search search(a + b + c + d + length(at));
    if (climb_freely(pair, search)) return found(pair, search);
    for (int quarter = 0; quarter < 4 && !(axis.x > 0.0 && axis.y >= 0.0); ++quarter) axis = left_of(axis);
    std::array<Look, 9> looks;
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec own = i == 0 ? Vec{1.0, 0.0} : left_of(looks[2 * i - 2].u);
        looks[2 * i] = pair.look(own);
        looks[2 * i + 1] = pair.look(axis);
        axis = left_of(axis);
    }
    looks[8] = looks[0];
    for (const Look& look : looks) search.offer(look);
    for (std::size_t i = 0; i < 8; ++i)
        if (cross(looks[i].u, looks[i + 1].u) > 0.0) search.search(pair, {looks[i], looks[i + 1]});
    return found(pair, search);
}

Facing ellipse_to_corners(double a, double b, const Vec* corners, std::size_t n) {
    if (n == 1) return to_point(a, b, corners[0]);
    double size = a + b;
    for (std::size_t i = 0; i < n; ++i) size = std::max(size, a + b + length(corners[i]));
    Search search(size);
    Pair pair{a * a, b * b, corners[0]};
    const auto facing = [&](std::size_t side) {
        return unit(left_of(corners[(side + 1) % n] - corners[side % n]));
    };
    const auto search_corner = [&](std::size_t corner) {
        pair.at = corners[corner % n];
        search_arc(pair, search, facing(corner + n - 1), facing(corner));
    };
    std::size_t best = 0;
    for (std::size_t side = 0; side < n; ++side) {
        pair.at = corners[side];
        if (search.offer(pair.look(facing(side)))) best = side;
    }
    if (search.best.f <= 0.0) {
        for (std::size_t corner = 0; corner < n; ++corner) search_corner(corner);
        return found(pair, search);
    }
    // The one maximum lies at this side or at one of its corners.
    if (search.best.slope < 0.0) {
        search_corner(best);
    } else {
        pair.at = corners[(best + 1) % n];
        if (pair.look(search.best.u).slope > 0.0) search_corner(best + 1);
    }
    return found(pair, search);
}

}  // namespace kumi
