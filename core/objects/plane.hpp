// The plane and its bodies as Python sees them.
//
// A plane is an atomic model with a queue of its own. Its node in the agenda stands at the time of the next
// thing that happens on the plane; cell crossings and other silent events up to the next event of
// anybody else are worked off in one go, so they never touch the agenda.
#pragma once

#include "kernel/model.hpp"
#include "kernel/task.hpp"
#include "objects/point.hpp"
#include "plane/plane.hpp"

#include <string_view>

namespace kumi {

constexpr int PLANE_RANK = 1;

struct BodyObject;
struct MotionObject;
class PlaneLink;

struct PlaneObject {
    AtomicObject model;
    Plane* plane;                     // owned; null until __init__
    PlaneLink* link;                  // owned
    std::vector<BodyObject*> bodies;  // owned, by slot; null where nobody in Python holds one
    std::vector<PyObject*> told;      // owned, by number of the watch
    PyObject* names;                  // of the obstacles, a list
    PyObject* decide;                 // a callable, or null
    PyObject* last_shape;  // the shape that was added last, and its form: bodies that are alike share one
    std::shared_ptr<const Shape>* last_form;
    std::uint64_t serial;  // tells planes apart, also those that are gone
    bool is_acting;
    bool was_in_run;
};

// What is known of a body that is gone: another may have its slot.
struct Past {
    Pose at;
    double way, turned;
};

// What a contact needs comes first: with many robots this memory is far away, and it takes time to get it.
struct BodyObject {
    PyObject_HEAD PlaneObject* plane;  // owned
    MotionObject* motion;              // under way and awaited; borrowed
    BodyId id;                         // its slot, as long as it has no past
    BodyId touched_body;               // by the last contact
    Vec touched_at;
    PyObject* contacts;    // a signal, made when first asked for
    PyObject* at_contact;  // lists of callables for sensors, called before anybody is woken
    PyObject* chance;      // its random numbers in this run, made when first asked for
    PyObject* drive;
    std::int32_t touched_obstacle;
    std::uint32_t number;
    std::uint32_t touches;  // contacts so far
    Past* past;             // owned; null as long as it is on the plane
    PyObject* at_motion;
    PyObject* at_gone;
    PyObject* name;
    PyObject* shape;
    PyObject* partings;       // a signal, made when first asked for
    PyObject* measured_by;    // its PlaceErrors, owned; null where there are none
    std::size_t measured_as;  // its number there
};

extern PyTypeObject* PlaneType;
extern PyTypeObject* BodyType;

// The slot of a body, NOBODY of one that is gone; and where it is or was.
inline BodyId slot_of(const BodyObject* body) { return body->past ? NOBODY : body->id; }
Pose pose_of(const BodyObject* body);
bool is_gone(const BodyObject* body);

// True, with a Python error, while a user's pattern is asked where it is: it may not ask or change the world.
bool is_within_pattern();

// True, with a Python error, while a plane waits for a pattern's answer, in whatever thread.
bool is_waiting_for_pattern(std::uint64_t serial);

// Says which plane is at work in this thread.
void set_plane_at_work(std::uint64_t serial);

// Brings the plane's clock to that of the run.
Plane& present(PlaneObject* self);

// Plans the plane's next turn after something was changed from outside.
void replan(PlaneObject* self);

// The result, unless a user's pattern raised while it was asked: then null.
PyObject* unless_error(PyObject* result);

// A motion has ended: whoever awaits it is woken.
void end_motion(BodyObject* body, Why why);

// What a body touches, borrowed: another body, or the name of anything else; and its name in any case.
PyObject* thing_of(PlaneObject* plane, BodyId other, std::int32_t obstacle);
PyObject* name_of(PlaneObject* plane, BodyId other, std::int32_t obstacle);
double touched_bearing(BodyObject* body);

// Raises Blocked: a contact at a point with a thing, while the body stood and looked so. Always null.
PyObject* raise_blocked(Vec at, Pose from, PyObject* by, std::uint32_t touched);

PyObject* new_motion(BodyObject* body, PyObject* command);
// A motion to a place: its command is made only when somebody asks for it.
PyObject* new_motion_to(BodyObject* body, PyObject* goal, PyObject* speed, PyObject* turn_speed);
PyObject* new_move_to(PyObject* goal, PyObject* speed, PyObject* turn_speed);
PyObject* command_of(MotionObject* motion);  // owned; null with a Python error
bool read_legs(PyObject* given, std::vector<Leg>& legs);
bool steered(double speed, double turn_speed, Leg& leg);  // without end; false where that is no leg
bool is_arc(const Leg& leg);                              // has a radius; false with a Python error
bool read_line(const char* asked, PyObject* goal, PyObject* speed, Leg& leg);  // as Leg.line() does
// Begins to move; `command` is what the legs carry out, for a message.
bool begin_legs(BodyObject* body, const std::vector<Leg>& legs, PyObject* command);

// The plane of a body that is still on it, at the present time; else null with Lost.
Plane* plane_under(PyObject* body);

// Writes down what a body did, in words for who reads the journal.
void write_note(PlaneObject* plane, std::uint32_t number, std::string_view words);

// A motion of a body is over whose place in a formation is measured; false with a Python error.
bool measure_place(const BodyObject* body, double now, bool is_complete);

// What a body says of itself, as a new object; null with a Python error.
PyObject* body_position(PyObject* body);
PyObject* body_heading(PyObject* body);
PyObject* body_is_moving(PyObject* body);
PyObject* body_name(PyObject* body);
PyObject* body_number(PyObject* body);
PyObject* body_chance(PyObject* body);
PyObject* body_contacts(PyObject* body);
PyObject* body_partings(PyObject* body);

// Whether a function is the plane's own carry_out(), or its own steer(), of this body.
bool is_carry_out_of_plane(PyObject* function, PyObject* body);
bool is_steer_of_plane(PyObject* function, PyObject* body);

// Drives on at a speed and a turning rate, without being awaited; false, and nothing is done or raised, where that takes more
// than kumi's own wheels and a body that is free: then the drive is asked with a command.
bool steers_at_once(BodyObject* body, double speed, double turn_speed);

// The body of a robot, borrowed, where it is one on a plane and nobody has given the two other answers; else null.
BodyObject* plain_body(PyObject* robot);
// The same where steer() is the core's own, too.
BodyObject* plainly_steered(PyObject* robot);

bool add_plane_types(PyObject* module);
bool add_body_types(PyObject* module);
bool add_motion_types(PyObject* module);
bool add_leg_types(PyObject* module);
bool add_blocked_type(PyObject* module);
bool add_robot_type(PyObject* module);
bool add_team_type(PyObject* module);
bool add_eye_type(PyObject* module);
bool add_place_errors_type(PyObject* module);

}  // namespace kumi
