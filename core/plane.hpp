// What happens next on the plane?
//
// Bodies move in closed form. For each the plane predicts the next thing that happens to it (it touches
// another body, meets an obstacle, enters other ground, comes to the end of its piece, leaves its cell)
// and keeps the least of their times. A prediction is kept by one of the two it concerns, with the version of
// the other's motion; when that has changed, the prediction is made anew. So nothing is withdrawn and
// looked for: whatever is stale is found out when its time comes.
//
// A body sees only those in its own and the eight cells around. Cells are wide enough that two bodies
// that touch are in the same or in neighbouring cells. Few bodies need no cells: each sees all.
//
// This file does not know Python. What happens is told to a listener, after the plane is in order.
#pragma once

#include "chance.hpp"
#include "contact.hpp"
#include "earliest.hpp"
#include "grid.hpp"
#include "journal.hpp"
#include "standing.hpp"
#include "straights.hpp"
#include "two.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace kumi {

using BodyId = std::uint32_t;
constexpr BodyId NOBODY = 0xFFFFFFFFu;
constexpr std::uint32_t NO_WALK = 0xFFFFFFFFu;
constexpr std::int32_t NO_OBSTACLE = -1;
constexpr std::int32_t BORDER = -2;

enum class Why : std::uint8_t { arrived, stopped, contact, gone };
enum class Policy : std::uint8_t { stop, slide, pass, ask };

struct Box {
    double left, bottom, right, top;
    bool operator==(const Box&) const = default;
};

// A region of the ground. With a radius it is a disc about its only corner.
struct Region {
    enum class Kind : std::uint8_t { slow, hole };
    Kind kind;
    double factor;
    double radius;
    std::vector<Vec> corners;  // counter-clockwise
};

// A random walker without a program: it goes from one random place to the next.
struct Walker {
    Bits chance;
    Box box;
    double slowest, fastest;
};

struct Hit {
    double distance = INFINITE_TIME;
    BodyId body = NOBODY;
    std::int32_t obstacle = NO_OBSTACLE;
};

// That an obstacle stands from now on, in words.
Journal::Record obstacle_record(std::int32_t obstacle, const std::string& words);

// The capsule as a shape about its middle.
std::shared_ptr<const Shape> capsule_shape(const Capsule& capsule);

class Plane {
  public:
    class Listener {
      public:
        virtual ~Listener() = default;
        // Something will be told of this body in a moment: its memory may be fetched.
        virtual void expect(BodyId body) = 0;
        virtual void touched(BodyId body, BodyId other, std::int32_t obstacle, Vec point) = 0;
        virtual void ended(BodyId body, Why why) = 0;
        virtual void moved(BodyId body) = 0;
        virtual void watched(std::uint32_t watch, BodyId other, bool entered) = 0;
        // Decides what a contact does to `body`; only asked where the policy says so.
        virtual Policy decide(BodyId body, BodyId other, std::int32_t obstacle, Vec point) = 0;
    };

    double now = 0.0;
    std::uint64_t events = 0, collisions = 0, crossings = 0;
    Listener* listener = nullptr;
    Journal journal;

    explicit Plane(const Box* box);

    // What stands and lies on the plane.
    const Box* box() const { return has_box_ ? &box_ : nullptr; }
    std::int32_t add_wall(Vec a, Vec b, double thickness);
    std::int32_t add_pillar(Vec at, double radius, bool is_seen);
    std::int32_t add_block(const std::vector<Vec>& corners, bool is_seen);
    std::int32_t add_region(Region region);
    void remove_obstacle(std::int32_t obstacle);
    // Writes down that an obstacle stands from now on, in words for who reads the journal; without words, that it is gone.
    void tell_obstacle(std::int32_t obstacle, const char* words);
    BodyId body_in(std::int32_t obstacle) const;  // the first body that an obstacle overlaps, or NOBODY
    void set_policy(Policy policy) {
        policy_ = policy;
        has_let_pass_ |= policy == Policy::pass;
    }
    void narrow_cells(double widest) { widest_cell_ = widest; }  // for bodies that crowd together on a wide plane

    // Bodies.
    void reserve(std::size_t bodies);  // room for so many more
    BodyId add(std::shared_ptr<const Shape> shape, Pose pose);
    void remove(BodyId body, bool fell);
    void put(BodyId body, Pose pose);
    void resize(BodyId body, std::shared_ptr<const Shape> shape);
    std::size_t size() const { return bodies_.size(); }
    std::size_t alive() const { return alive_; }
    bool has_changed() const { return !dirty_.empty() || !is_predicted_; }
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

    // Tells the listener of each change of a body's motion.
    void follow(BodyId body) { hot_[body].is_followed = true; }
    // The way and the turning of a body by a later time, if its piece goes on; and when that ends.
    void by(BodyId body, double time, double& way, double& turned) const;
    double piece_end(BodyId body) const { return bodies_[body].end; }

    // Motion. `start` replaces what is under way; null where it can begin, else a sentence.
    const char* start(BodyId body, const std::vector<Leg>& legs);
    void stop(BodyId body);
    void halt();  // all bodies, without telling anybody: the run is over
    void walk(BodyId body, const Walker& walker);

    // What would be in the way of a body there: a body, an obstacle, or nothing.
    Hit in_the_way(const Shape& shape, const Pose& pose, BodyId ignoring = NOBODY) const;
    bool is_solid(Vec point) const;  // inside an obstacle, or outside the box
    Hit first_hit(Vec from, Vec along, double reach, BodyId ignoring, bool bodies, bool obstacles) const;
    void near(Vec at, double within, std::vector<BodyId>& found) const;
    void near_obstacles(Vec at, double within, std::vector<Hit>& found) const;
    const Region* ground(Vec at) const;
    double least_gap() const;  // between any two bodies, or body and obstacle, now

    // Watches: who is within range of a body.
    std::uint32_t watch(BodyId body, double within, double view, double bearing);
    void unwatch(std::uint32_t watch);
    bool is_watching(std::uint32_t watch) const { return watches_[watch].is_open; }
    const std::vector<BodyId>& watched(std::uint32_t watch) const { return watches_[watch].inside; }

    // When something happens next, and making it happen.
    double next_time();
    // Works off what nobody sees, cells that are left before `limit`, a few of them; returns the next time after that.
    double cross_before(double limit);
    bool act(double time);  // everything planned for `time`, which is next_time(); false if there is no end to it
    BodyId stuck_on = 0;    // to whom something was to happen when there was no end

    std::size_t bytes() const;
    void keep_journal(bool keeps);  // from now on, beginning with the state of all bodies
    std::string snapshot() const;   // that state, as a journal
    // Keeps a record of what is none of the plane's own business, such as messages.
    void keep_record(const char* bytes, std::size_t length);

  private:
    struct alignas(64) Hot {  // one cache line: all that a prediction between simple bodies needs
        double x, y, vx, vy, since, radius;
        double until;  // as long as what was predicted of it holds: one that stays in its place is there after its piece, too
        std::uint32_t version;
        bool is_simple : 1, is_disc : 1, passes : 1, rests : 1, lets_pass : 1, is_plain : 1, is_followed : 1;
    };
    static_assert(sizeof(Hot) == 64);
    enum class Side : std::uint8_t { none, left, right, bottom, top };
    // What few bodies have: made when it is first needed.
    struct Rare {
        double ground = INFINITE_TIME, far_crossing = INFINITE_TIME;
        double sample = INFINITE_TIME;   // when the run file needs the next sample of its pattern
        std::int32_t ground_with = -1;   // which border of the ground it will pass
        bool ground_enters = false;
        Side far_side = Side::none;
        std::uint32_t next_leg = 0;
        std::vector<Leg> legs;               // those to come; empty where the present one is the last
        std::shared_ptr<Pattern> pattern;    // the one that its piece asks
        std::vector<std::uint32_t> regions;  // in which it is
        std::vector<std::uint32_t> watches;
        double passed_at = -1.0;  // when it last passed a border of the ground, which, and how often at that instant
        std::int32_t passed = -1;
        int passes = 0;
        std::vector<BodyId> passing;  // bodies and obstacles it was allowed to go through
        std::vector<std::int32_t> passing_fixed;

        double first() const { return std::min({ground, far_crossing, sample}); }
    };
    struct alignas(64) Body {
        // The first line of the cache is all that leaving a cell needs.
        double contact = INFINITE_TIME, fixed = INFINITE_TIME, end = INFINITE_TIME, crossing = INFINITE_TIME;
        double aside = INFINITE_TIME;   // the first of its rare times
        BodyId with = NOBODY;           // whom it will touch
        std::uint32_t with_version = 0;
        std::int32_t fixed_with = -1;   // which fixed part it will meet
        bool is_moving = false, is_gone = false, is_sure = true, is_fixed_sure = true, is_dirty = false, has_jumped = false;
        Side side = Side::none;         // by which it leaves its cell
        std::uint32_t walk = NO_WALK;   // how it goes about without a program
        double since = 0.0, clock = 0.0, rate = 1.0;
        double way = 0.0, turned = 0.0;  // before this piece
        double slid_at = -1.0;           // when it last slid along something, and how often by then
        int slides = 0;
        std::unique_ptr<Rare> rare;
        Piece piece;
        std::shared_ptr<const Shape> shape;

        bool is_walker() const { return walk != NO_WALK; }
    };
    static_assert(sizeof(Body) == 256);
    struct Walk {
        Box box;
        double slowest, fastest;
        bool operator==(const Walk&) const = default;
    };
    struct Fixed {  // a part of an obstacle, or of the border of a region
        Capsule capsule;
        std::shared_ptr<const Shape> shape;
        std::int32_t obstacle;
        std::int32_t region;
        bool is_seen;

        Pose placed() const { return {(capsule.a + capsule.b) * 0.5, 0.0}; }
    };
    struct Solid {  // for "is this place inside?"
        std::vector<Vec> corners;
        std::int32_t obstacle;
        bool is_seen;
    };
    struct Watch {
        BodyId owner;
        double within, view, bearing;
        std::vector<BodyId> inside;
        double time = INFINITE_TIME;
        BodyId other = NOBODY;
        std::uint32_t owner_version = 0, other_version = 0;
        bool enters = false, is_sure = true, is_open = true;
    };
    struct Notice {
        enum class Kind : std::uint8_t { touched, ended, moved, watched } kind;
        BodyId body, other;
        std::int32_t obstacle;
        Vec point;
        Why why;
        bool entered;
    };
    bool has_box_ = false;
    Box box_{};
    Policy policy_ = Policy::stop;
    bool has_let_pass_ = false;  // so that bodies may be anywhere
    Wide<Hot> hot_;
    Wide<Body> bodies_;
    std::vector<Walk> walks_;
    Wide<Bits> chances_;  // of walkers, by body
    std::vector<Fixed> fixed_;
    std::vector<Solid> solids_;
    std::vector<Region> regions_;
    std::vector<Watch> watches_;
    std::vector<BodyId> large_;
    std::size_t alive_ = 0, open_watches_ = 0;
    std::int32_t obstacles_ = 0;
    std::map<std::int32_t, std::string> came_;  // obstacles that came while a journal was kept, and others that are gone since
    std::vector<std::int32_t> left_;
    Standing standing_;

    static constexpr double OVERHANG = 0.125;   // of a cell: how far a body on a curved way may be outside its own
    static constexpr double SHORT_BEAM = 2.0;  // cells
    Grid grid_, far_;
    double widest_cell_ = INFINITE_TIME;
    double limit_ = 0.0;       // the largest radius that the cells allow; below 0 there are none
    Straights straights_;      // without cells
    std::uint64_t looks_ = 0, close_looks_ = 0;  // without cells: predictions, and comparisons that took more than straight ways
    bool needs_cells_ = false;
    std::size_t shaped_for_ = 0;
    double far_reach_ = 0.0, far_limit_ = 0.0;  // the widest range and the largest radius that the cells for watches allow
    bool is_shaped_ = false, is_predicted_ = false, far_is_shaped_ = false;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_cell_;  // fixed parts
    std::vector<std::uint32_t> everywhere_;                                 // fixed parts that span many cells
    std::vector<std::uint32_t> box_parts_;

    Earliest body_times_, watch_times_;  // of equal times a body's comes first, and the lower number
    std::array<BodyId, 32> expected_{};  // who will have its turn soon, the last that were found
    std::uint32_t turn_ = 0;
    Grid::Found close_;  // scratch of predict_contacts and cross
    std::vector<Notice> notices_;
    std::vector<BodyId> dirty_;  // whose motion changed since it was predicted
    bool is_telling_ = false, asks_patterns_ = false;
    double acted_at_ = -1.0;
    std::size_t acted_ = 0;  // events at that instant

    // Whether the bodies do not fit into the processor's nearer caches, so that fetching ahead pays.
    bool is_large() const { return bodies_.size() >= 4000; }

    const Rare& rare(BodyId body) const {
        static const Rare nothing;
        return bodies_[body].rare ? *bodies_[body].rare : nothing;
    }
    Rare& own_rare(BodyId body) {
        if (!bodies_[body].rare) bodies_[body].rare = std::make_unique<Rare>();
        return *bodies_[body].rare;
    }

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
        return hot.rests || hot.is_simple ? Chord{place(hot), {hot.vx, hot.vy}, 0.0} : chord(course(body), now);
    }

    Vec place_of(BodyId body) const { return hot_[body].is_simple ? place(hot_[body]) : pose(body).at; }

    // plane.cpp, plane_motion.cpp, plane_touch.cpp
    void rest_at(BodyId body, Pose pose);
    void set_course(BodyId body, const Piece& piece, double clock);
    void begin_course(BodyId body, double clock);
    void keep_way(BodyId body);
    static void forget_legs(Body& body);
    double way_at(BodyId body, double time) const;
    double turned_at(BodyId body, double time) const;
    Vec point_velocity(BodyId body, Vec point) const;
    void write_sample(BodyId body);
    Piece sampled(BodyId body) const;
    void write_command(BodyId body, const std::vector<Leg>& legs, const Pose& from);
    const char* next_piece(BodyId body);
    void finish(BodyId body, Why why);
    void refresh_hot(BodyId body);
    void changed(BodyId body);
    void predict_dirty();
    void touch(BodyId body, BodyId other);
    template <class Open>
    void take_back(BodyId one, BodyId other, double first, Open&& open);
    void touch_fixed(BodyId body, std::int32_t part);
    void respond(BodyId body, BodyId other, std::int32_t obstacle, Vec point, Vec normal);
    void slide(BodyId body, Vec normal);
    void pass_ground(BodyId body);
    void forget_passing(BodyId body);
    void stroll(BodyId body, Vec away);
    void act_on(BodyId body);
    void tell();
    void tell(Notice notice) { notices_.push_back(notice); }

    // plane_cells.cpp
    void shape_cells();
    bool does_without_cells(const std::vector<double>& radii, double extent) const;
    bool is_seen_by_all(BodyId body) const { return limit_ < 0.0 && body < Straights::ROOM; }
    bool wants_cells() const;
    void begin_straights();
    void show_to_all(BodyId body);
    void file_fixed();
    void file(std::uint32_t part);
    void insert(BodyId body);
    double straight_cell_end(const Hot& hot, const Grid& grid, const Grid::Link& link, Side& side) const;
    double cell_end(BodyId body, const Grid& grid, Side& side) const;
    Grid::Link next_cell(BodyId body, const Grid& grid, Side side) const;
    static Side side_towards(const Grid::Link& from, const Grid::Link& to);
    static Grid::Link beyond(const Grid::Link& link, Side side) {
        constexpr Grid::Link steps[] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        const Grid::Link& step = steps[static_cast<int>(side)];
        return {link.ix + step.ix, link.iy + step.iy};
    }
    void cross(BodyId body);
    void predict_far(BodyId body);
    void cross_far(BodyId body);
    const std::vector<std::uint32_t>* fixed_in(std::int32_t ix, std::int32_t iy) const;
    template <class Visit>
    void visit_fixed(BodyId body, Visit&& visit) const;
    template <class Around, class Within>
    void visit_beam(Vec from, Vec along, double reach, const double& best, Around&& around, Within&& within) const;

    // plane_contacts.cpp
    void predict_all();
    void predict(BodyId body);
    void predict_contacts(BodyId body);
    void consider_all(BodyId body);
    void predict_fixed(BodyId body);
    void predict_ground(BodyId body);
    bool stay_apart(BodyId one, BodyId other) const;
    Meeting meeting(BodyId one, BodyId other) const;
    void consider(BodyId body, BodyId other);
    void consider_close(BodyId body);
    template <bool ALL>
    void consider_plain(BodyId body);
    unsigned may_come_first(BodyId body, Vec here, const Hot& one, const Hot& two, Two theirs) const;
    void keep_straight(BodyId body, BodyId other, Vec apart, Vec moving, double reach);
    void keep(BodyId body, BodyId other, Meeting found);
    bool is_in_time(double& time, double end, Vec apart, Vec moving, double reach) const;
    double gap_between(BodyId one, BodyId other, Vec* normal, Vec* point) const;
    void find_regions(BodyId body);
    double rate_here(BodyId body) const;
    bool is_inside(const Region& region, Vec at) const;

    // plane_watch.cpp
    void shape_far();
    void predict_watch(std::uint32_t watch);
    void consider_watch(std::uint32_t watch, BodyId other);
    void watch_changed(BodyId body);
    void recheck_watch(std::uint32_t watch, BodyId other);
    void recheck_watches(BodyId body);
    void act_on_watch(std::uint32_t watch);
    bool sees_now(const Watch& watch, BodyId other) const;
    Meeting watch_meeting(const Watch& watch, BodyId other, bool enters) const;
    void set_inside(std::uint32_t watch, BodyId other, bool inside);

    // plane_times.cpp
    void plan(BodyId body, double time);
    void plan_watch(std::uint32_t watch, double time);
    void plan_body(BodyId body);
    void fetch_ahead(BodyId body);
};

}  // namespace kumi
