// The plane and its bodies as Python sees them.
//
// A plane is an atomic model with a queue of its own. Its node in the agenda stands at the time of the next
// thing that happens on the plane; cell crossings and other silent events up to the next event of
// anybody else are worked off in one go, so they never touch the agenda.
#pragma once

#include "model.hpp"
#include "plane.hpp"
#include "point.hpp"
#include "task.hpp"

namespace kumi {

constexpr int PLANE_RANK = 1;

struct BodyObject;
struct MotionObject;
class PlaneLink;

struct PlaneObject {
    AtomicObject model;
    Plane* plane;                     // owned; null until __init__
    PlaneLink* link;                  // owned
    std::vector<BodyObject*> bodies;  // owned, by number; null where nobody in Python holds one
    std::vector<PyObject*> told;      // owned, by number of the watch
    PyObject* names;                  // of the obstacles, a list
    PyObject* decide;                 // a callable, or null
    PyObject* last_shape;             // the shape that was added last, and its form: bodies that are alike share one
    std::shared_ptr<const Shape>* last_form;
    bool is_acting;
    bool was_in_run;
};

// What a contact needs comes first: with many robots this memory is far away, and it takes time to get it.
struct BodyObject {
    PyObject_HEAD
    PlaneObject* plane;    // owned
    MotionObject* motion;  // under way and awaited; borrowed
    BodyId id;
    BodyId touched_body;  // by the last contact
    Vec touched_at;
    PyObject* contacts;    // a signal, made when first asked for
    PyObject* at_contact;  // lists of callables for sensors, called before anybody is woken
    PyObject* chance;      // its random numbers in this run, made when first asked for
    PyObject* drive;
    std::int32_t touched_obstacle;
    PyObject* at_motion;
    PyObject* at_gone;
    PyObject* name;
    PyObject* shape;
};

extern PyTypeObject* PlaneType;
extern PyTypeObject* BodyType;

// True, with a Python error, while a user's pattern is asked where it is: it may not ask or change the world.
bool is_within_pattern();

// Brings the plane's clock to that of the run.
Plane& present(PlaneObject* self);

// Plans the plane's next turn after something was changed from outside.
void replan(PlaneObject* self);

// The result, unless a user's pattern raised while it was asked: then null.
PyObject* unless_error(PyObject* result);

// A motion has ended: whoever awaits it is woken.
void end_motion(BodyObject* body, Why why);

// What a body touched, borrowed: another body, or the name of anything else; and its name in any case.
PyObject* touched_thing(BodyObject* body);
PyObject* touched_name(BodyObject* body);
double touched_bearing(BodyObject* body);

// What a module of kumi, or of kumi.contract, has by that name; borrowed, it lives as long as the module.
PyObject* kumi_thing(const char* module, const char* name);
PyObject* contract_thing(const char* module, const char* name);

// Raises Blocked: a contact at a point with a thing, while the body stood and looked so. Always null.
PyObject* raise_blocked(Vec at, Pose from, PyObject* by, BodyId touched);

PyObject* new_motion(BodyObject* body, PyObject* command);
// A motion to a place: its command is made only when somebody asks for it.
PyObject* new_motion_to(BodyObject* body, PyObject* goal, PyObject* speed, PyObject* turn_speed);
PyObject* new_move_to(PyObject* goal, PyObject* speed, PyObject* turn_speed);
PyObject* command_of(MotionObject* motion);  // owned; null with a Python error
bool read_legs(PyObject* given, std::vector<Leg>& legs);
bool read_line(const char* asked, PyObject* goal, PyObject* speed, Leg& leg);  // as Leg.line() does
// Begins to move; `command` is what the legs carry out, for a message.
bool begin_legs(BodyObject* body, const std::vector<Leg>& legs, PyObject* command);

// What a body says of itself, as a new object; null with a Python error.
PyObject* body_position(PyObject* body);
PyObject* body_heading(PyObject* body);
PyObject* body_is_moving(PyObject* body);
PyObject* body_name(PyObject* body);
PyObject* body_number(PyObject* body);
PyObject* body_chance(PyObject* body);
PyObject* body_contacts(PyObject* body);

// Whether a function is the plane's own carry_out(), of this body.
bool is_carry_out_of_plane(PyObject* function, PyObject* body);

bool add_plane_types(PyObject* module);
bool add_body_types(PyObject* module);
bool add_motion_types(PyObject* module);
bool add_leg_types(PyObject* module);
bool add_blocked_type(PyObject* module);
bool add_robot_type(PyObject* module);

}  // namespace kumi
