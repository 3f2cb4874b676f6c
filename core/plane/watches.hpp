// Who comes within range of a body, and who leaves it, at the exact instant?
//
// A range is like a body that nothing bumps into. It has cells of its own, as wide as the widest range,
// and each watch keeps the next passing of its border, as a body keeps its next contact.
//
// A watch may also be a feeler, a shape fixed to its body that bends and stops nobody: it tells when it touches something
// after it touched nothing, and has to be clear of all by FREE before it tells again. Or it is a gauge, a supply that time, way
// and turning use up: it tells when that has fallen to a limit.
#pragma once

#include "plane/bodies.hpp"
#include "plane/cells.hpp"
#include "plane/earliest.hpp"
#include "plane/grid.hpp"
#include "plane/notices.hpp"
#include "plane/slots.hpp"
#include "plane/times.hpp"

#include <memory>
#include <vector>

namespace kumi {

constexpr double FREE = 1e-3;  // metres: the gap of a feeler that was closed is open again when it is wider

class Watches {
  public:
    Watches(Bodies& bodies, const Obstacles& obstacles, const Cells& cells, Times& times, Notices& notices)
        : bodies_(bodies), obstacles_(obstacles), cells_(cells), times_(times), notices_(notices) {}

    // The range goes to the surface of others, or to their centres.
    std::uint32_t watch(BodyId body, double within, double view, double bearing, bool to_centres);
    std::uint32_t feel(BodyId body, std::shared_ptr<const Shape> feeler);
    bool touches(BodyId body, const Shape& feeler, double width) const;  // something within that width, now
    struct Gauge {
        double idle, per_metre, per_radian;  // used in a second, for a metre of the way, for a radian turned
        double left, limit;                  // at `since`; of a limit of -inf it never tells
        double since = 0.0, way = 0.0, turned = 0.0;
    };
    std::uint32_t gauge(BodyId body, const Gauge& gauge);
    bool is_range(std::size_t watch) const { return watch < watches_.size() && watches_[watch].is_range(); }
    bool is_gauge(std::size_t watch) const { return watch < watches_.size() && watches_[watch].gauge; }
    double left(std::uint32_t watch) const;  // in a gauge, now
    void fill(std::uint32_t watch, double left, double limit);
    void drain(std::uint32_t watch, double amount);
    void unwatch(std::uint32_t watch);
    void release() { slots_.release(); }  // nobody will be told any more of those that were closed
    bool is_watching(std::uint32_t watch) const { return watches_[watch].is_open; }
    const std::vector<BodyId>& watched(std::uint32_t watch) const { return watches_[watch].inside; }

    bool any() const { return open_watches_ != 0; }
    double time() const { return watch_times_.time(); }
    std::uint32_t who() const { return watch_times_.who(); }
    std::size_t bytes() const { return far_.bytes() + watches_.capacity() * sizeof(Watch) + slots_.bytes(); }

    // Bodies come and go.
    void insert(BodyId body);
    void remove(BodyId body);  // from its cell
    void forget(BodyId body);  // it is gone: nobody sees it, and it sees nobody

    void predict_all();
    void halt();  // nothing happens any more
    void predict_far(BodyId body);
    void watch_changed(BodyId body);  // its motion
    void recheck_watches(BodyId body);

    // What happens: the border of a range is passed, or a cell is left.
    void act_on_watch(std::uint32_t watch);
    bool is_far(BodyId body) const { return far_.holds(body); }
    void cross_far(BodyId body);

  private:
    struct Watch {
        BodyId owner = NOBODY;
        double within = 0.0, view = 0.0, bearing = 0.0;
        std::vector<BodyId> inside;
        double time = INFINITE_TIME;
        BodyId other = NOBODY;
        std::uint32_t owner_version = 0, other_version = 0;
        bool enters = false, is_sure = true, is_open = true, to_centres = false;
        // Those who pass the border before anybody else does, up to a time; as long as the motion of the owner is that of then.
        static constexpr std::size_t FEW = 8;
        BodyId soon[FEW] = {};
        double soon_times[FEW] = {};
        std::size_t soon_count = 0;
        double known_until = -INFINITE_TIME;
        bool is_touching = false;             // of a feeler
        std::shared_ptr<const Shape> feeler;  // null where it is none
        std::unique_ptr<Gauge> gauge;         // null where it is none

        bool is_range() const { return !feeler && !gauge; }
        void note_passing(BodyId other, double time);
    };

    Bodies& bodies_;
    const Obstacles& obstacles_;
    const Cells& cells_;
    Times& times_;
    Notices& notices_;
    std::vector<Watch> watches_;
    Slots slots_;
    std::size_t open_watches_ = 0, open_feelers_ = 0, open_ranges_ = 0;
    Earliest watch_times_;  // of equal times the lower number comes first
    Grid far_;
    double far_reach_ = 0.0,
           far_limit_ = 0.0;  // the widest range and the largest radius that the cells for watches allow
    bool far_is_shaped_ = false;

    std::uint32_t open(Watch watch);
    void look_around(BodyId body);
    void shape_far();
    void predict_watch(std::uint32_t watch);
    void predict_again(std::uint32_t watch);
    void consider_watch(std::uint32_t watch, BodyId other);
    bool stay_apart(BodyId one, BodyId other, double range) const;
    Meeting passing(const Watch& watch, BodyId other, bool& enters) const;
    void recheck_watch(std::uint32_t watch, BodyId other);
    double range_to(const Watch& watch, BodyId other) const;
    bool sees_now(const Watch& watch, BodyId other) const;
    Meeting watch_meeting(const Watch& watch, BodyId other, bool enters) const;
    void set_inside(std::uint32_t watch, BodyId other, bool inside);
    void plan_watch(std::uint32_t watch, double time);
    void tell(std::uint32_t watch);

    // What may come to a feeler of a body as long as motions go on as they do: others, and parts of obstacles.
    struct Near {
        std::vector<BodyId> bodies;
        std::vector<const Fixed*> parts;

        bool is_nothing() const { return bodies.empty() && parts.empty(); }
    };
    Near near(BodyId body, double within) const;
    bool stays_near(BodyId one, const Chord& other, double within, double after, const Hot& mover) const;
    // That no feeler touches anything until a body comes to the end of its piece of motion, and as long as it stays there.
    struct Calm {
        Vec at;
        bool is_sure = false;
    };
    std::vector<Calm> calm_;  // by body; empty where nothing is known
    bool is_calm(BodyId body) const;
    void keep_calm(BodyId body, const Near& around);
    template <class Visit> void visit_parts(BodyId body, double within, Visit&& visit) const;
    bool touches(BodyId body, const Shape& feeler, double width, const Near& near) const;
    void predict_feeler(std::uint32_t watch);
    void predict_feeler(std::uint32_t watch, const Near& near);
    void consider_feeler(Watch& watch, BodyId other);
    bool closed_form(const Watch& watch, BodyId other, double radius, bool enters, double& time) const;
    void keep(Watch& watch, const Meeting& found, BodyId other);
    void predict_gauge(std::uint32_t watch);
    double used(const Gauge& gauge, BodyId body, double time) const;
    double when_low(const Gauge& gauge, BodyId body) const;
};

}  // namespace kumi
