// What is done to a body: commands, legs and its drive, being put elsewhere, and another shape.
#include "objects/body_methods.hpp"

#include <cmath>

namespace kumi {

namespace {

PyObject* raise_busy(BodyObject* self, PyObject* asked) {
    PyObject* kind = provided("Busy");
    Ref error(kind ? PyObject_CallFunction(kind, "OOO", self->name, self->motion, asked) : nullptr);
    if (error) PyErr_SetObject(kind, error.get());
    return nullptr;
}

// Whether a drive is one of kumi's own that carries this out as it is: wheels, or wheels that go in any direction, whether or
// not there is noise, and a car where the curve is wide enough for it. False, and nothing raised, for all others.
bool has_own_wheels(const BodyObject* self, double speed, double turn_speed) {
    static PyObject *&wheel = provided_slot("Wheel"), *&omni = provided_slot("Omni"),
                    *&car = provided_slot("Car");
    PyObject* kind = self->drive ? reinterpret_cast<PyObject*>(Py_TYPE(self->drive)) : nullptr;
    if (!kind || kind == wheel || kind == omni) return kind;
    if (kind != car || turn_speed == 0.0) return kind == car;
    Ref radius(get_attribute(self->drive, "min_radius"));
    const double least = radius ? PyFloat_AsDouble(radius.get()) : 0.0;
    const bool is_known = !PyErr_Occurred();
    PyErr_Clear();
    return is_known && std::abs(speed / turn_speed) >= least;
}

}  // namespace

PyObject* body_carry_out(PyObject* object, PyObject* command) {
    return plane_below(object) ? new_motion(body_of(object), command) : nullptr;
}

// A motion that nobody awaits: it goes on until it ends, is stopped or replaced.
PyObject* body_start(PyObject* object, PyObject* given) {
    if (!plane_under(object)) return nullptr;
    BodyObject* self = body_of(object);
    if (self->motion) return raise_busy(self, given);
    std::vector<Leg> legs;
    if (!read_legs(given, legs) || !begin_legs(self, legs, given)) return nullptr;
    replan(self->plane);
    Py_RETURN_NONE;
}

PyObject* body_steer(PyObject* object, PyObject* command) {
    if (!plane_below(object)) return nullptr;
    BodyObject* self = body_of(object);
    if (!self->drive)
        return PyErr_Format(PyExc_TypeError, "body '%s' has no drive, so it cannot carry out %s",
                            text(self->name), shown(command).c_str());
    if (self->motion) {
        Ref under_way(command_of(self->motion));
        PyObject* kind = under_way ? provided("Busy") : nullptr;
        Ref error(kind ? PyObject_CallFunction(kind, "OOO", self->name, under_way.get(), command) : nullptr);
        if (error) PyErr_SetObject(kind, error.get());
        return nullptr;
    }
    PyObject* arguments[3] = {self->drive, command, object};
    Ref legs(PyObject_VectorcallMethod(names.plan, arguments, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    return legs ? body_start(object, legs.get()) : nullptr;
}

PyObject* body_stop(PyObject* object, PyObject*) {
    Plane* plane = plane_below(object);
    if (!plane) return nullptr;
    if (!is_gone(body_of(object))) plane->stop(body_of(object)->id);
    replan(body_of(object)->plane);
    return unless_error(own_or_none(nullptr));
}

PyObject* body_remove(PyObject* object, PyObject*) {
    Plane* plane = plane_below(object);
    if (!plane) return nullptr;
    Ref alive = Ref::borrow(object);
    if (!is_gone(body_of(object))) plane->remove(body_of(object)->id, false);
    replan(body_of(object)->plane);
    return unless_error(own_or_none(nullptr));
}

PyObject* body_put(PyObject* object, PyObject* args) {
    double x, y, heading;
    Plane* plane = plane_under(object);
    if (!plane || !PyArg_ParseTuple(args, "ddd:put", &x, &y, &heading) ||
        !is_finite_pose("put()", x, y, heading))
        return nullptr;
    plane->put(body_of(object)->id, {{x, y}, heading});
    replan(body_of(object)->plane);
    return unless_error(own_or_none(nullptr));
}

PyObject* body_resize(PyObject* object, PyObject* shape) {
    std::shared_ptr<const Shape> form;
    Plane* plane = plane_under(object);
    if (!plane || !read_shape(shape, form)) return nullptr;
    plane->resize(body_of(object)->id, std::move(form));
    replan(body_of(object)->plane);
    return unless_error(own_or_none(nullptr));
}

PyObject* body_walk(PyObject* object, PyObject* args) {
    double slowest, fastest, left, bottom, right, top;
    Py_buffer seed;
    Plane* plane = plane_under(object);
    if (!plane || !PyArg_ParseTuple(args,
                                    "dddddd"
                                    "y*:walk",
                                    &slowest, &fastest, &left, &bottom, &right, &top, &seed))
        return nullptr;
    if (body_of(object)->motion) {
        PyBuffer_Release(&seed);
        return raise_busy(body_of(object), object);
    }
    std::array<std::uint64_t, 4> words{};
    bool fits = seed.len == 32;
    if (fits) std::memcpy(words.data(), seed.buf, 32);
    fits = fits && words != std::array<std::uint64_t, 4>{};
    PyBuffer_Release(&seed);
    const bool is_box =
        left <= right && bottom <= top && std::isfinite(right - left) && std::isfinite(top - bottom);
    if (!fits || !is_box || !(slowest > 0.0 && slowest <= fastest && std::isfinite(fastest)))
        return PyErr_Format(
            PyExc_ValueError,
            "walk() takes two speeds > 0, slowest first, a box, and a seed of 32 bytes that are not all 0");
    plane->walk(body_of(object)->id, Walker{Chance(words), {left, bottom, right, top}, slowest, fastest});
    replan(body_of(object)->plane);
    return unless_error(own_or_none(nullptr));
}

bool is_carry_out_of_plane(PyObject* function, PyObject* body) {
    return PyCFunction_CheckExact(function) && PyCFunction_GET_SELF(function) == body &&
           PyCFunction_GET_FUNCTION(function) == guarded<body_carry_out>;
}

bool is_steer_of_plane(PyObject* function, PyObject* body) {
    return PyCFunction_CheckExact(function) && PyCFunction_GET_SELF(function) == body &&
           PyCFunction_GET_FUNCTION(function) == guarded<body_steer>;
}

bool steers_at_once(BodyObject* body, double speed, double turn_speed) {
    thread_local std::vector<Leg> legs(1);
    if (body->motion || body->past || !has_own_wheels(body, speed, turn_speed) ||
        !steered(speed, turn_speed, legs[0]))
        return false;
    const bool begins = !present(body->plane).start(body->id, legs);
    if (begins) replan(body->plane);
    return begins;
}

bool begin_legs(BodyObject* body, const std::vector<Leg>& legs, PyObject* command) {
    Plane& plane = present(body->plane);
    for (const Leg& leg : legs) {
        if (leg.kind != Leg::Kind::line && leg.kind != Leg::Kind::glide) continue;
        if (!plane.queries().is_solid(leg.goal)) continue;
        PyObject* kind = provided("BadGoal");
        Ref goal(new_point(leg.goal));
        Ref error(kind && goal ? PyObject_CallFunction(kind, "OO", body->name, goal.get()) : nullptr);
        if (error) PyErr_SetObject(kind, error.get());
        return false;
    }
    if (const char* problem = plane.start(body->id, legs)) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "body '%s' cannot carry out %s: %s", text(body->name),
                         shown(command).c_str(), problem);
        return false;
    }
    return !PyErr_Occurred();
}

}  // namespace kumi
