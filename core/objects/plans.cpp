#include "objects/plans.hpp"

#include "numbers/chance.hpp"
#include "numbers/elementary.hpp"

#include <nanobind/nanobind.h>

#include <cmath>
#include <numbers>

namespace nb = nanobind;

namespace kumi {

namespace {

// Attributes that are asked for at every motion.
struct Attribute {
    const char* characters;
    PyObject* text = nullptr;

    // The number under this name, if it is a float; else false, and nothing is raised.
    bool read(PyObject* object, double& value) {
        if (!text) text = PyUnicode_InternFromString(characters);
        Ref found(text ? PyObject_GetAttr(object, text) : nullptr);
        if (!found) PyErr_Clear();
        if (!found || !PyFloat_CheckExact(found.get())) return false;
        value = PyFloat_AS_DOUBLE(found.get());
        return true;
    }
};

Attribute usual_speed{"speed"}, usual_turn_speed{"turn_speed"}, acceleration{"acceleration"};
Attribute distance_of{"distance"}, angle_of{"angle"};
Attribute uniform_way{"dnf"}, uniform_drift{"anf"};
Attribute normal_way{"of_distance"}, normal_drift{"of_drift"}, normal_turn{"of_angle"};

bool is_size(double value) { return value > 0.0 && std::isfinite(value); }

// How motions err: not at all, or as UniformErrors or GaussianErrors say it.
class Errors {
  public:
    // False where it is another noise, or has no numbers.
    bool read(PyObject* drive, BodyObject* body) {
        static PyObject *&uniform = provided_slot("UniformErrors"),
                        *&gaussian = provided_slot("GaussianErrors");
        Ref noise(PyObject_GetAttr(drive, names.noise));
        if (!noise) PyErr_Clear();
        if (!noise || noise.get() == Py_None) return static_cast<bool>(noise);
        PyObject* kind = reinterpret_cast<PyObject*>(Py_TYPE(noise.get()));
        is_normal_ = kind == gaussian;
        if (is_normal_ ? !(normal_way.read(noise.get(), way_) && normal_drift.read(noise.get(), drift_) &&
                           normal_turn.read(noise.get(), turn_))
                       : kind != uniform || !(uniform_way.read(noise.get(), way_) &&
                                              uniform_drift.read(noise.get(), drift_)))
            return false;
        body_chance_ = Ref(body_chance(reinterpret_cast<PyObject*>(body)));
        if (!body_chance_) PyErr_Clear();
        if (!body_chance_ || !nb::isinstance<Chance>(nb::handle(body_chance_.get())) ||
            !nb::inst_ready(nb::handle(body_chance_.get())))
            return false;
        chance_ = nb::inst_ptr<Chance>(nb::handle(body_chance_.get()));
        return true;
    }

    bool are_there() const { return chance_ != nullptr; }
    double way(double distance) {
        return distance * (1.0 + (is_normal_ ? normal(way_) : way_ * chance_->between(-1.0, 1.0)));
    }
    double drift(double distance) {
        if (is_normal_) return std::abs(distance) * normal(drift_);
        return drift_ * std::abs(distance) * chance_->between(-1.0, 1.0) * (std::numbers::pi / 180.0);
    }
    double turn(double angle) { return chance_ && is_normal_ ? angle * (1.0 + normal(turn_)) : angle; }

  private:
    bool is_normal_ = false;
    double way_ = 0.0, drift_ = 0.0, turn_ = 0.0;
    Ref body_chance_;
    Chance* chance_ = nullptr;

    double normal(double deviation) { return 0.0 + deviation * chance_->normal(); }
};

// Wheels of kumi's own, as far as their motions are planned here.
class Wheels {
  public:
    // False where the drive is another one, accelerates, or errs in its own way.
    bool read(BodyObject* body) {
        static PyObject *&wheel = provided_slot("Wheel"), *&omni = provided_slot("Omni");
        drive_ = body->drive;
        PyObject* kind = reinterpret_cast<PyObject*>(Py_TYPE(drive_));
        turns_first_ = kind == wheel;
        double rate;
        return (turns_first_ ? acceleration.read(drive_, rate) && std::isinf(rate) : kind == omni) &&
               errors_.read(drive_, body);
    }
    bool turns_first() const { return turns_first_; }
    bool is_exact() const { return !errors_.are_there(); }

    // The speed that is stated, or the usual one; false where it is none.
    bool read_speed(PyObject* stated, Attribute& usual, double& speed) const {
        if (stated == Py_None) return usual.read(drive_, speed) && is_size(speed);
        speed = PyFloat_CheckExact(stated) ? PyFloat_AS_DOUBLE(stated) : 0.0;
        return is_size(speed);
    }

    Planned turn(double angle, double speed, std::vector<Leg>& legs) {
        Leg& leg = legs.emplace_back();
        leg.kind = Leg::Kind::spin;
        leg.amount = errors_.turn(angle);
        leg.speed = speed;
        return Planned::here;
    }

    // Straight ahead, or back; errors bend it.
    Planned go(double distance, double speed, std::vector<Leg>& legs) {
        Leg& leg = legs.emplace_back();
        leg.kind = Leg::Kind::forward;
        leg.amount = distance;
        leg.speed = speed;
        if (is_exact()) return Planned::here;
        const double drift = errors_.drift(distance);
        leg.amount = errors_.way(distance);
        if (drift == 0.0 || leg.amount == 0.0) return Planned::here;
        leg.kind = Leg::Kind::arc;
        leg.radius = leg.amount / drift;
        leg.amount = drift;
        return is_arc(leg) ? Planned::here : Planned::failed;
    }

  private:
    PyObject* drive_ = nullptr;
    bool turns_first_ = false;
    Errors errors_;
};

}  // namespace

Planned plan_command(BodyObject* body, PyObject* command, std::vector<Leg>& legs) {
    static PyObject *&forward = provided_slot("Forward"), *&turn = provided_slot("Turn");
    PyObject* kind = reinterpret_cast<PyObject*>(Py_TYPE(command));
    const bool is_turn = kind == turn;
    Wheels wheels;
    double amount, speed;
    if (!(is_turn || kind == forward) || !(is_turn ? angle_of : distance_of).read(command, amount) ||
        !std::isfinite(amount) || !wheels.read(body))
        return Planned::by_the_drive;
    Ref stated(PyObject_GetAttr(command, names.speed));
    if (!stated || !wheels.read_speed(stated.get(), is_turn ? usual_turn_speed : usual_speed, speed))
        return Planned::by_the_drive;
    legs.clear();
    return is_turn ? wheels.turn(amount, speed, legs) : wheels.go(amount, speed, legs);
}

Planned plan_towards(BodyObject* body, PyObject* goal, PyObject* speed, PyObject* turn_speed,
                     std::vector<Leg>& legs) {
    Wheels wheels;
    double pace, rate;
    if (Py_TYPE(goal) != PointType || !wheels.read(body) || !wheels.turns_first() ||
        !wheels.read_speed(speed, usual_speed, pace) ||
        !wheels.read_speed(turn_speed, usual_turn_speed, rate))
        return Planned::by_the_drive;
    legs.clear();
    const Vec to = reinterpret_cast<PointObject*>(goal)->at;
    const Pose from = wrapped(pose_of(body));
    const Vec step = to - from.at;
    const double distance = length(step);
    if (distance == 0.0) return Planned::here;
    const double angle = std::remainder(maths::atan2(step.y, step.x) - from.heading, 2.0 * std::numbers::pi);
    if (angle != 0.0) wheels.turn(angle, rate, legs);
    if (!wheels.is_exact()) return wheels.go(distance, pace, legs);
    Leg& leg = legs.emplace_back();
    leg.kind = Leg::Kind::line;
    leg.goal = to;
    leg.speed = pace;
    return Planned::here;
}

}  // namespace kumi
