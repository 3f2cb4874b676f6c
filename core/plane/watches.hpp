// Who comes within range of a body, and who leaves it, at the exact instant?
//
// A range is like a body that nothing bumps into. It has cells of its own, as wide as the widest range,
// and each watch keeps the next passing of its border, as a body keeps its next contact.
#pragma once

#include "plane/bodies.hpp"
#include "plane/earliest.hpp"
#include "plane/grid.hpp"
#include "plane/notices.hpp"
#include "plane/slots.hpp"
#include "plane/times.hpp"

#include <vector>

namespace kumi {

class Watches {
  public:
    Watches(Bodies& bodies, Times& times, Notices& notices)
        : bodies_(bodies), times_(times), notices_(notices) {}

    // The range goes to the surface of others, or to their centres.
    std::uint32_t watch(BodyId body, double within, double view, double bearing, bool to_centres);
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
    void watch_changed(BodyId body);
    void recheck_watches(BodyId body);

    // What happens: the border of a range is passed, or a cell is left.
    void act_on_watch(std::uint32_t watch);
    bool is_far(BodyId body) const { return far_.holds(body); }
    void cross_far(BodyId body);

  private:
    struct Watch {
        BodyId owner;
        double within, view, bearing;
        std::vector<BodyId> inside;
        double time = INFINITE_TIME;
        BodyId other = NOBODY;
        std::uint32_t owner_version = 0, other_version = 0;
        bool enters = false, is_sure = true, is_open = true, to_centres = false;
    };

    Bodies& bodies_;
    Times& times_;
    Notices& notices_;
    std::vector<Watch> watches_;
    Slots slots_;
    std::size_t open_watches_ = 0;
    Earliest watch_times_;  // of equal times the lower number comes first
    Grid far_;
    double far_reach_ = 0.0,
           far_limit_ = 0.0;  // the widest range and the largest radius that the cells for watches allow
    bool far_is_shaped_ = false;

    void shape_far();
    void predict_watch(std::uint32_t watch);
    void consider_watch(std::uint32_t watch, BodyId other);
    void recheck_watch(std::uint32_t watch, BodyId other);
    double range_to(const Watch& watch, BodyId other) const;
    bool sees_now(const Watch& watch, BodyId other) const;
    Meeting watch_meeting(const Watch& watch, BodyId other, bool enters) const;
    void set_inside(std::uint32_t watch, BodyId other, bool inside);
    void plan_watch(std::uint32_t watch, double time);
};

}  // namespace kumi
