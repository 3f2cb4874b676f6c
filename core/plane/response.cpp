#include "plane/response.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace kumi {

namespace {

constexpr double PRESENT = 1e-9;  // a contact whose gap is wider than this share of the size is none yet

}  // namespace

// Rounding has brought bodies closer than touching: they are taken back on their ways, as little as opens
// the gap again. A body at the beginning of its piece stays there.
template <class Open> void Response::take_back(BodyId one, BodyId other, double first, Open&& open) {
    const double before_one = bodies_[one].clock, before_other = other == NOBODY ? 0.0 : bodies_[other].clock;
    const auto set = [&](double back) {
        bool is_last = true;
        for (BodyId id : {one, other}) {
            if (id == NOBODY || !bodies_[id].is_moving) continue;
            Body& b = bodies_[id];
            const double run = b.rate * (bodies_.now - b.since);
            const double clock = (id == one ? before_one : before_other) - b.rate * back;
            b.clock = std::max(clock, -run);  // not before the piece began
            is_last = is_last && clock <= -run;
        }
        return is_last;
    };
    double good = first > 0.0 ? first : 1e-15;
    int doublings = 0;
    while (!set(good) && open() < 0.0 && doublings < 60) {
        good *= doublings < 3 ? 1.5 : 2.0;
        ++doublings;
    }
    if (doublings < 4) return;
    double bad = 0.0;
    for (int i = 0; i < 60 && good - bad > 1e-3 * good; ++i) {
        const double middle = 0.5 * (good + bad);
        set(middle);
        (open() < 0.0 ? bad : good) = middle;
    }
    set(good);
}

// Two bodies touch.
void Response::touch(BodyId one, BodyId other) {
    if (contacts_.lets_pass({one, other, NO_OBSTACLE})) {  // the other has seen it first
        prediction_.predict_contacts(one);
        times_.plan_body(one);
        return;
    }
    Vec normal, point;
    double open = bodies_.gap_between(one, other, &normal, &point);
    const double size = bodies_.hot(one).radius + bodies_.hot(other).radius;
    if (open > PRESENT * size) {
        // Not yet; unless the clock is too coarse to tell that time from bodies_.now.
        prediction_.predict_contacts(one);
        if (bodies_[one].with != other || bodies_[one].contact > bodies_.now) {
            times_.plan_body(one);
            return;
        }
    }
    const Contacts::Pair pair{one, other, NO_OBSTACLE};
    tell(pair, point);
    // Both are asked before either does anything: whether one stops is no news to the other.
    const Policy does = decide(one, other, NO_OBSTACLE, point),
                 other_does = decide(other, one, NO_OBSTACLE, point);
    const bool passes = does == Policy::pass || other_does == Policy::pass;
    if (bodies_.policy() == Policy::ask) open = bodies_.gap_between(one, other, nullptr, nullptr);
    if (open < 0.0 && !passes) {
        const double closing =
            dot(bodies_.point_velocity(one, point) - bodies_.point_velocity(other, point), normal);
        take_back(one, other, closing > 0.0 ? -open / closing : 0.0,
                  [&] { return bodies_.gap_between(one, other, nullptr, nullptr); });
    }
    keep(pair, open, passes);
    respond(one, does, normal);
    respond(other, other_does, -normal);
    // If their motion did not change, the prediction is used up all the same, the one each keeps of the other.
    for (BodyId id : {one, other}) {
        const Body& b = bodies_[id];
        if (b.is_dirty || b.is_gone || b.contact > bodies_.now || b.with != (id == one ? other : one))
            continue;
        prediction_.predict_contacts(id);
        times_.plan_body(id);
    }
}

void Response::touch_fixed(BodyId id, std::int32_t part) {
    const Pose at = bodies_.pose(id);
    const Body& b = bodies_[id];
    const Fixed& fixed = obstacles_[static_cast<std::size_t>(part)];
    Vec point, normal;
    double open;
    if (b.shape->kind == Shape::Kind::disc) {
        const Vec from = beside(fixed.capsule, at.at).away;
        const double away = length(from);
        open = away - b.shape->reach - fixed.capsule.radius;
        normal = away > 0.0 ? from * (-1.0 / away) : direction(at.heading);
        point = at.at + normal * b.shape->reach;
    } else {
        const Touch touch = gap(*b.shape, at, *fixed.shape, fixed.placed());
        open = touch.gap;
        normal = touch.normal;
        point = touch.point;
    }
    const double size = b.shape->reach;
    if (open > PRESENT * size) {
        prediction_.predict_fixed(id);
        if (bodies_[id].fixed > bodies_.now) {
            times_.plan_body(id);
            return;
        }
    }
    const Contacts::Pair pair{id, NOBODY, fixed.obstacle};
    tell(pair, point);
    const auto open_now = [&] {
        return gap(*bodies_[id].shape, bodies_.pose(id), *obstacles_[static_cast<std::size_t>(part)].shape,
                   obstacles_[static_cast<std::size_t>(part)].placed())
            .gap;
    };
    const Policy does = decide(id, NOBODY, pair.obstacle, point);
    if (bodies_.policy() == Policy::ask) open = open_now();
    if (open < 0.0 && does != Policy::pass) {
        const double closing = dot(bodies_.point_velocity(id, point), normal);
        take_back(id, NOBODY, closing > 0.0 ? -open / closing : 0.0, open_now);
    }
    keep(pair, open, does == Policy::pass);
    respond(id, does, normal);
    if (!bodies_[id].is_dirty && !bodies_[id].is_gone && bodies_[id].fixed <= bodies_.now) {
        prediction_.predict_fixed(id);
        times_.plan_body(id);
    }
}

// A contact counts, is written down and told.
void Response::tell(const Contacts::Pair& pair, Vec point) {
    ++contact_count_;
    if (recorder_.journal.is_open())
        recorder_.journal.write(bodies_.now, 'C', bodies_.number(pair.body),
                                pair.other == NOBODY ? NOBODY : bodies_.number(pair.other), pair.obstacle,
                                point);
    for (BodyId id : {pair.body, pair.other}) {
        if (id == NOBODY) continue;
        recorder_.touched(id);
        if (!bodies_[id].is_walker())
            notices_.tell({Notice::Kind::touched, id, id == pair.body ? pair.other : pair.body, pair.obstacle,
                           point, Why::contact, false});
    }
}

Policy Response::decide(BodyId id, BodyId other, std::int32_t obstacle, Vec point) {
    if (!bodies_[id].is_moving) return Policy::stop;
    if (bodies_.policy() != Policy::ask) return bodies_.policy();
    return notices_.listener ? notices_.listener->decide(id, other, obstacle, point) : Policy::stop;
}

// A contact lasts that is let pass, or of whose end somebody wants to hear.
void Response::keep(const Contacts::Pair& pair, double open, bool passes) {
    const bool is_asked = bodies_.hot(pair.body).tells_partings ||
                          (pair.other != NOBODY && bodies_.hot(pair.other).tells_partings);
    if (!passes && !is_asked) return;
    if (bodies_[pair.body].is_gone || (pair.other != NOBODY && bodies_[pair.other].is_gone)) return;
    if (passes && pair.obstacle == BORDER) bodies_.let_out();
    contacts_.begin(pair, open, passes);
}

void Response::respond(BodyId id, Policy policy, Vec normal) {
    if (bodies_[id].is_gone || !bodies_[id].is_moving || policy == Policy::pass) return;
    if (bodies_[id].is_walker())
        motion_.stroll(id, normal);
    else if (policy == Policy::slide)
        slide(id, normal);
    else
        motion_.finish(id, Why::contact);
}

void Response::part(std::uint32_t contact) {
    Contacts::Pair pair;
    if (!contacts_.act(contact, pair) || bodies_[pair.body].is_dirty) return;
    if (pair.other != NOBODY)
        prediction_.predict_contacts(pair.body);
    else
        prediction_.predict_fixed(pair.body);
    times_.plan_body(pair.body);
}

void Response::recheck(BodyId id) {
    if (bodies_.hot(id).is_in_contact) contacts_.recheck(id);
    if (bodies_.policy() != Policy::pass) return;
    std::vector<BodyId> others;
    if (!cells_.grid().holds(id)) {
        others.resize(bodies_.size());
        std::iota(others.begin(), others.end(), 0u);
    } else {
        const Grid::Link& link = cells_.grid().link(id);
        cells_.grid().visit_around(link.ix, link.iy, [&](BodyId other) { others.push_back(other); });
        others.insert(others.end(), cells_.large().begin(), cells_.large().end());
        std::sort(others.begin(), others.end());
    }
    for (BodyId other : others) {
        if (other == id || bodies_[other].is_gone) continue;
        const Contacts::Pair pair{std::min(id, other), std::max(id, other), NO_OBSTACLE};
        Vec point;
        const double open = bodies_.gap_between(pair.body, pair.other, nullptr, &point);
        if (open >= -TOUCHING * (bodies_.hot(id).radius + bodies_.hot(other).radius) ||
            contacts_.lets_pass(pair))
            continue;
        tell(pair, point);
        keep(pair, open, true);
    }
}

// What is left of the velocity along the surface goes on for as long as the piece would have.
void Response::slide(BodyId id, Vec normal) {
    const Vec v = bodies_.velocity(id);
    const double into = dot(v, normal);
    const Vec along = v - normal * std::max(0.0, into);
    const double speed = length(along);
    Body& b = bodies_[id];
    const double left = b.piece.duration - bodies_.course(id).clock_at(bodies_.now);
    b.slides = (bodies_.now - b.slid_at) * length(v) <= 1e-6 * b.shape->reach ? b.slides + 1 : 1;
    b.slid_at = bodies_.now;
    // Between two surfaces it would go to and fro without end, in smaller and smaller steps: there it stops.
    const Rare& rare = bodies_.rare(id);
    const double told = rare.next_leg > 0 && rare.next_leg <= rare.legs.size()
                            ? rare.legs[rare.next_leg - 1].speed
                            : b.piece.v;
    if (speed <= 1e-9 * std::max(told, length(v)) || left <= 0.0 || b.slides > 2) {
        motion_.finish(id, Why::contact);
        return;
    }
    const double rate = b.rate;
    const Pose at = bodies_.pose(id);
    bodies_.keep_way(id);
    Piece piece = resting(at, left);
    piece.u = along * (1.0 / speed);
    piece.v = speed / rate;
    if (std::isfinite(left)) piece.last.at = at.at + piece.u * (piece.v * left);
    motion_.set_course(id, piece, 0.0);
}

bool Response::pass_ground(BodyId id) {
    Body& b = bodies_[id];
    Rare& rare = bodies_.own_rare(id);
    const std::uint32_t region =
        static_cast<std::uint32_t>(obstacles_[static_cast<std::size_t>(rare.ground_with)].region);
    const bool is_again = rare.passed_at == bodies_.now && rare.passed == static_cast<std::int32_t>(region);
    rare.passes = is_again ? rare.passes + 1 : 1;
    rare.passed_at = bodies_.now;
    rare.passed = static_cast<std::int32_t>(region);
    std::erase(rare.regions, region);
    if (rare.ground_enters) rare.regions.push_back(region);
    if (rare.ground_enters && obstacles_.regions()[region].kind == Region::Kind::hole) return true;
    // The clock of the piece goes on from where it stands, at another rate.
    const Piece piece = b.piece;
    motion_.set_course(id, piece, bodies_.course(id).clock_at(bodies_.now));
    return false;
}

}  // namespace kumi
