// Where is each body now, and how far has it come?
//
// The store of all bodies, and the present time. A body has a slot while it is there, by which the plane knows it, and a number for
// good, by which everybody else does: slots are taken again, numbers never. As long as nobody has gone, they are the same.
#pragma once

#include "numbers/wide.hpp"
#include "plane/body.hpp"
#include "plane/slots.hpp"

namespace kumi {

class Bodies {
  public:
    double now = 0.0;

    void reserve(std::size_t bodies);  // room for so many in all
    BodyId add(std::shared_ptr<const Shape> shape, Pose pose);
    void remove(BodyId body);         // one that rests for good
    Pose rest_for_good(BodyId body);  // where it is now, with no legs to come

    Body& operator[](BodyId body) { return bodies_[body]; }
    const Body& operator[](BodyId body) const { return bodies_[body]; }
    Hot& hot(BodyId body) { return hot_[body]; }
    const Hot& hot(BodyId body) const { return hot_[body]; }
    const Rare& rare(BodyId body) const {
        static const Rare nothing;
        return bodies_[body].rare ? *bodies_[body].rare : nothing;
    }
    Rare& own_rare(BodyId body) {
        if (!bodies_[body].rare) bodies_[body].rare = std::make_unique<Rare>();
        return *bodies_[body].rare;
    }

    std::size_t size() const {
        return bodies_.size();
    }  // slots: the most bodies that were ever there at once
    std::size_t alive() const { return alive_; }
    std::size_t added() const { return added_; }  // ever
    std::uint32_t number(BodyId body) const { return body == NOBODY ? NOBODY : bodies_[body].number; }
    std::vector<BodyId> by_number() const;  // those who are there
    void sort_by_number(std::vector<BodyId>& bodies) const;
    // Nobody will be told any more of those who are gone: their slots are free.
    void release() { slots_.release(); }
    // Whether the bodies do not fit into the processor's nearer caches, so that fetching ahead pays.
    bool is_large() const { return bodies_.size() >= 4000; }
    std::size_t bytes() const;

    // What a contact does to them.
    void set_policy(Policy policy) { policy_ = policy; }
    Policy policy() const { return policy_; }
    bool may_overlap() const { return policy_ == Policy::pass || policy_ == Policy::ghost; }
    bool is_any_out() const { return is_any_out_; }  // some may be beyond the box
    void let_out() { is_any_out_ = true; }

    bool is_gone(BodyId body) const { return bodies_[body].is_gone; }
    const Shape& shape(BodyId body) const { return *bodies_[body].shape; }
    [[gnu::always_inline]] Pose pose(BodyId body) const { return course(body).pose(now); }
    Vec velocity(BodyId body) const { return course(body).velocity(now); }
    bool is_moving(BodyId body) const { return bodies_[body].is_moving; }
    // The instant since which every body rests; -inf where there are none, inf while one moves.
    double still_since() const;
    double odometer(BodyId body) const;
    double turned(BodyId body) const;
    double turning(BodyId body) const;  // radians a second now
    // The way and the turning of a body by a later time, if its piece goes on; and when that ends.
    void by(BodyId body, double time, double& way, double& turned) const;
    double piece_end(BodyId body) const { return bodies_[body].end; }

    Course course(BodyId body) const {
        const Body& b = bodies_[body];
        return {&b.piece, b.since, b.clock, b.rate};
    }
    Vec place(const Hot& hot) const {
        const double passed = now - hot.since;
        return {hot.x + hot.vx * passed, hot.y + hot.vy * passed};
    }
    Chord chord_of(BodyId body) const {
        const Hot& hot = hot_[body];
        if (hot.rests || hot.is_simple) return {place(hot), {hot.vx, hot.vy}, 0.0};
        if (hot.is_stretch() && now <= hot.until) return {place(hot), {hot.vx, hot.vy}, hot.aside()};
        return chord(course(body), now);
    }
    Vec place_of(BodyId body) const { return hot_[body].is_simple ? place(hot_[body]) : pose(body).at; }
    double way_at(BodyId body, double time) const;
    Vec point_velocity(BodyId body, Vec point) const;
    double gap_between(BodyId one, BodyId other, Vec* normal, Vec* point) const;

    // Adds the way of the present piece to that before it.
    void keep_way(BodyId body);
    // Brings what others see of a body to what it does now; its motion before lasted so long.
    void refresh_hot(BodyId body, double lasted = 0.0);
    // A bend without end, as programs steer, is soon replaced by the next: it is looked at in stretches, the first of them
    // twice as long as the motion before, each further one twice as long as the last, and then as the circle it goes round.
    void begin_stretch(BodyId body, double longest);

  private:
    Wide<Hot> hot_;
    Wide<Body> bodies_;
    Slots slots_;
    std::size_t alive_ = 0;
    std::uint32_t added_ = 0;
    Policy policy_ = Policy::stop;
    bool is_any_out_ = false;

    static void forget_legs(Body& body);
    double turned_at(BodyId body, double time) const;
};

}  // namespace kumi
