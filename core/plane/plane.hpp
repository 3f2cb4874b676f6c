// What happens next on the plane?
//
// Bodies move in closed form. For each the plane predicts the next thing that happens to it (it touches
// another body, meets an obstacle, enters other ground, comes to the end of its piece, leaves its cell)
// and keeps the least of their times. A prediction is kept by one of the two it concerns, with the version of
// the other's motion; when that has changed, the prediction is made anew. So nothing is withdrawn and
// looked for: whatever is stale is found out when its time comes.
//
// Each part of this answers a question of its own, and its header says which:
//
//     bodies, obstacles, walkers    what there is
//     cells                         who and what is near: the broad phase
//     prediction                    whom and what a body meets next: the narrow phase
//     times                         who has the next turn
//     motion, response              what a body does next, by itself and after a contact
//     contacts                      which contacts last, and when they end
//     watches, queries              who sees whom
//     recorder, notices             who learns of it
//
// The plane owns them, lets bodies and obstacles come and go, and makes happen what is next. A part refers only to
// parts above it in the list of members.
//
// This file does not know Python. What happens is told to a listener, after the plane is in order.
#pragma once

#include "plane/bodies.hpp"
#include "plane/cells.hpp"
#include "plane/contacts.hpp"
#include "plane/motion.hpp"
#include "plane/notices.hpp"
#include "plane/obstacles.hpp"
#include "plane/prediction.hpp"
#include "plane/queries.hpp"
#include "plane/recorder.hpp"
#include "plane/response.hpp"
#include "plane/times.hpp"
#include "plane/walkers.hpp"
#include "plane/watches.hpp"

#include <memory>
#include <string>
#include <vector>

namespace kumi {

class Plane {
  public:
    using Listener = kumi::Listener;

    BodyId stuck_on = 0;  // to whom something was to happen when there was no end

    explicit Plane(const Box* box) : obstacles_(box) {}
    Plane(const Plane&) = delete;  // its parts refer to each other
    Plane& operator=(const Plane&) = delete;

    double now() const { return bodies_.now; }
    void set_now(double time) { bodies_.now = time; }
    void set_listener(Listener* listener) { notices_.listener = listener; }
    std::uint64_t events() const { return events_; }
    std::uint64_t crossings() const { return crossings_; }
    std::uint64_t contact_count() const { return response_.contact_count(); }
    std::size_t bytes() const;

    // Who is there, and what can be asked.
    const Bodies& bodies() const { return bodies_; }
    const Obstacles& obstacles() const { return obstacles_; }
    const Queries& queries() const { return queries_; }
    Watches& watches() { return watches_; }
    Recorder& recorder() { return recorder_; }
    std::size_t added() const { return bodies_.added(); }
    std::size_t alive() const { return bodies_.alive(); }

    // What stands and lies on the plane.
    std::int32_t add_wall(Vec a, Vec b, double thickness, Traits traits);
    std::int32_t add_pillar(Vec at, double radius, Traits traits);
    std::int32_t add_block(const std::vector<Vec>& corners, Traits traits);
    std::int32_t add_region(Region region);
    void remove_obstacle(std::int32_t obstacle);
    void set_policy(Policy policy) { bodies_.set_policy(policy); }
    void narrow_cells(double widest) { cells_.narrow(widest); }  // for bodies that crowd on a wide plane

    // Bodies.
    void reserve(std::size_t bodies);  // room for so many more
    BodyId add(std::shared_ptr<const Shape> shape, Pose pose);
    void remove(BodyId body, bool fell);
    void put(BodyId body, Pose pose);
    void resize(BodyId body, std::shared_ptr<const Shape> shape);
    // Tells the listener of each change of a body's motion.
    void follow(BodyId body) { bodies_.hot(body).is_followed = true; }
    // Tells it of the end of each contact of a body that begins from now on, and of those that are let pass already.
    void tell_partings(BodyId body) { bodies_.hot(body).tells_partings = true; }

    // Motion. `start` replaces what is under way; null where it can begin, else a sentence.
    const char* start(BodyId body, const std::vector<Leg>& legs) { return motion_.start(body, legs); }
    void stop(BodyId body);
    void halt();  // all bodies, without telling anybody: the run is over
    void walk(BodyId body, const Walker& walker) { motion_.walk(body, walker); }

    // When something happens next, and making it happen.
    bool has_changed() const { return times_.has_changed(); }
    double next_time();
    // Works off what nobody sees, cells that are left before `limit`, a few of them; returns the next time after that.
    double cross_before(double limit);
    // Everything planned for `time`, which is next_time(); false if there is no end to it.
    bool act(double time);

  private:
    Bodies bodies_;
    Obstacles obstacles_;
    Walkers walkers_;
    Notices notices_;
    Recorder recorder_{bodies_};
    Cells cells_{bodies_, obstacles_};
    Times times_{bodies_, cells_, walkers_, notices_};
    Watches watches_{bodies_, obstacles_, cells_, times_, notices_};
    Contacts contacts_{bodies_, obstacles_, notices_};
    Prediction prediction_{bodies_, obstacles_, cells_, contacts_};
    Motion motion_{bodies_, obstacles_, walkers_, cells_, times_, watches_, recorder_, notices_};
    Response response_{bodies_,     obstacles_, cells_,    times_,  contacts_,
                       prediction_, motion_,    recorder_, notices_};
    Queries queries_{bodies_, obstacles_, cells_};
    std::uint64_t events_ = 0, crossings_ = 0;
    bool is_acting_ = false;
    double acted_at_ = -1.0;
    std::size_t acted_ = 0;  // events at that instant

    double aside() const { return std::min(watches_.time(), contacts_.time()); }  // what is no body's own
    void outdate();
    void release();
    void shape_cells();
    void insert(BodyId body);
    void insert_anew(BodyId body);
    void predict(BodyId body);
    void predict_all();
    void predict_dirty();
    void recheck(BodyId body);
    void cross(BodyId body);
    void act_on(BodyId body);
};

}  // namespace kumi
