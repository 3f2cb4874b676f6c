#include "plane/motion.hpp"

#include <algorithm>
#include <cmath>

namespace kumi {

void Motion::set_course(BodyId id, const Piece& piece, double clock) {
    Body& b = bodies_[id];
    b.piece = piece;
    const double revolutions = wrap(b.piece);
    if (b.rare) b.rare->revolutions += revolutions;
    begin_course(id, clock);
}

// Sets out on the piece that a body has.
void Motion::begin_course(BodyId id, double clock) {
    Body& b = bodies_[id];
    const Piece& piece = b.piece;
    const double lasted = bodies_.now - b.since;
    b.since = bodies_.now;
    b.clock = clock;
    b.rate = obstacles_.regions().empty() ? 1.0 : obstacles_.rate_in(bodies_.rare(id).regions);
    b.end = std::isinf(piece.duration)
                ? INFINITE_TIME
                : std::max(bodies_.now, bodies_.now + (piece.duration - clock) / b.rate);
    if (piece.pattern) asks_patterns_ = true;
    if (piece.pattern || b.rare) {
        Rare& rare = bodies_.own_rare(id);
        rare.pattern = piece.pattern ? piece.pattern->shared_from_this() : nullptr;
        rare.sample = INFINITE_TIME;
        b.aside = rare.first();
    }
    if (recorder_.journal.is_open() && b.is_moving) {
        if (piece.kind != Piece::Kind::pattern) {
            recorder_.journal.write(bodies_.now, 'M', b.number, b.rate, clock, piece);
        } else {
            recorder_.journal.tell(bodies_.now,
                                   Journal::Record('M').put(b.number).put(b.rate).put(clock).put(piece));
            if (recorder_.journal.keeps) recorder_.write_sample(id);
        }
    }
    const std::uint32_t version = bodies_.hot(id).version;
    bodies_.refresh_hot(id, lasted);
    cells_.show(id);
    if (!times_.is_predicted()) return;
    if (bodies_.hot(id).version != version) {
        times_.changed(id);
    } else if (!bodies_[id].is_dirty) {  // it turns where it stood: only the end is new
        if (watches_.any()) watches_.watch_changed(id);
        times_.plan_body(id);
    }
    if (notices_.listener && bodies_.hot(id).is_followed)
        notices_.tell({Notice::Kind::moved, id, NOBODY, NO_OBSTACLE, {}, Why::arrived, false});
}

void Motion::rest_at(BodyId id, Pose pose) {
    bodies_[id].is_moving = false;
    if (bodies_[id].rare) bodies_[id].rare->legs.clear();
    set_course(id, resting(pose), 0.0);
}

const char* Motion::start(BodyId id, const std::vector<Leg>& legs) {
    if (bodies_[id].is_gone) return "it is gone";
    const Pose from = wrapped(bodies_.pose(id));
    Pose at = from;
    Piece first, piece;
    std::size_t begin = legs.size();
    const char* problem = nullptr;
    for (std::size_t i = 0; i < legs.size(); ++i) {
        if (!resolve(legs[i], at, piece, problem)) return problem;
        if (begin == legs.size() && piece.duration > 0.0) {
            begin = i;
            first = piece;
            if (i + 1 == legs.size()) break;
        }
        at = piece.last;
        if (std::isinf(piece.duration)) break;
    }
    bodies_.keep_way(id);
    Body& b = bodies_[id];
    b.is_moving = true;
    if (recorder_.journal.keeps) recorder_.write_command(id, legs, from);
    const bool is_last = begin + 1 >= legs.size();
    if (!is_last || b.rare) {
        Rare& rare = bodies_.own_rare(id);
        rare.legs = is_last ? std::vector<Leg>() : legs;
        rare.next_leg = is_last ? 0 : static_cast<std::uint32_t>(begin + 1);
        rare.revolutions = 0.0;
    }
    if (!obstacles_.regions().empty()) find_regions(id);
    set_course(id, begin < legs.size() ? first : resting(at, 0.0), 0.0);
    return nullptr;
}

// The piece under way is over: the next leg begins where it ended.
const char* Motion::next_piece(BodyId id) {
    Pose from = bodies_[id].piece.last;
    Piece piece;
    const char* problem = nullptr;
    for (Rare* rare = bodies_[id].rare.get(); rare && rare->next_leg < rare->legs.size();) {
        const Leg leg = rare->legs[rare->next_leg++];  // a pattern that is asked may end the motion
        if (!resolve(leg, from, piece, problem, rare->revolutions)) break;
        if (piece.duration > 0.0) {
            bodies_.keep_way(id);
            set_course(id, piece, 0.0);
            return nullptr;
        }
        from = piece.last;
    }
    bodies_[id].piece.last = from;
    finish(id, Why::arrived);
    return problem;
}

void Motion::finish(BodyId id, Why why) {
    if (bodies_[id].is_walker() && why == Why::arrived) {
        stroll(id, {});
        return;
    }
    const Pose at = wrapped(why == Why::arrived ? bodies_[id].piece.last : bodies_.pose(id));
    bodies_.keep_way(id);
    rest_at(id, at);
    if (recorder_.journal.is_open())
        recorder_.journal.write(bodies_.now, 'E', bodies_.number(id), static_cast<std::uint8_t>(why), at);
    recorder_.rested(id);
    if (!bodies_[id].is_walker())
        notices_.tell({Notice::Kind::ended, id, NOBODY, NO_OBSTACLE, {}, why, false});
}

void Motion::walk(BodyId id, const Walker& walker) {
    bodies_[id].walk = walkers_.add(id, walker, bodies_.size());
    stroll(id, {});
}

void Motion::stroll(BodyId id, Vec towards_contact) {
    bodies_.keep_way(id);
    Body& b = bodies_[id];
    const Walk& walk = walkers_.walk(b.walk);
    Bits& chance = walkers_.chance(id);
    const Box& box = walk.box;
    const double margin = b.shape->reach;
    const Pose from = bodies_.pose(id);
    const double pause = 0.05 + 0.1 * chance.unit();
    b.slides = b.slid_at == bodies_.now ? b.slides + 1 : 1;
    b.slid_at = bodies_.now;
    // Hemmed in, it rests a little instead of trying again and again at one instant.
    const int most = b.slides > 4 ? 0 : 32;
    Vec goal;
    bool has_goal = false;
    for (int tries = 0; tries < most && !has_goal; ++tries) {
        goal.x = box.left + margin + (box.right - box.left - 2.0 * margin) * chance.unit();
        goal.y = box.bottom + margin + (box.top - box.bottom - 2.0 * margin) * chance.unit();
        has_goal = !(dot(goal - from.at, towards_contact) > 0.0);
    }
    if (has_goal)
        b.piece = straight(from, goal, walk.slowest + (walk.fastest - walk.slowest) * chance.unit());
    else
        b.piece = resting(from, pause);
    b.is_moving = true;
    if (!obstacles_.regions().empty()) find_regions(id);
    begin_course(id, 0.0);
}

void Motion::find_regions(BodyId id) {
    if (bodies_[id].rare) bodies_[id].rare->regions.clear();
    const Vec at = bodies_.pose(id).at;
    for (std::uint32_t region = 0; region < obstacles_.regions().size(); ++region)
        if (obstacles_.regions()[region].holds(at)) bodies_.own_rare(id).regions.push_back(region);
}

}  // namespace kumi
