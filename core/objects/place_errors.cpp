// How far are members of a formation from their places? A place is fixed to another member, and turns with it.
//
// Errors stand between the ends of motions: when one is over, the error of that member is worked out anew, and those of all
// whose places it carries. Their mean over all members is counted over time.
#include "numbers/elementary.hpp"
#include "objects/plane.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

namespace kumi {

namespace {

constexpr long NOBODY_AHEAD = -1;

struct Placed {
    long carrier = NOBODY_AHEAD;     // of its place, by number
    double ahead = 0.0, left = 0.0;  // of the carrier, by metres
    std::vector<std::size_t> carried;
    BodyObject* body = nullptr;  // owned; null where poses are asked for
    double error = 0.0;
    double heading = 0.0;  // of which these are cosine and sine
    Vec axis{1.0, 0.0};
};

struct Counted {
    std::vector<Placed> members;
    double limit, since, sum = 0.0, integral = 0.0, largest = 0.0;
    bool is_over = false, keeps_history = false;
    std::vector<double> history;  // instants and means, one after the other
    PyObject *pose_of = nullptr, *cut = nullptr, *over = nullptr, *changed = nullptr;  // owned, or null
};

struct PlaceErrorsObject {
    PyObject_HEAD Counted counted;
};

PyTypeObject* PlaceErrorsType = nullptr;

Counted& counted_of(PyObject* self) { return reinterpret_cast<PlaceErrorsObject*>(self)->counted; }

PyObject* errors_new(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* object = type->tp_alloc(type, 0);
    if (object) new (&counted_of(object)) Counted();
    return object;
}

int errors_init(PyObject* object, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"places", "limit", "since", nullptr};
    PyObject* places;
    double limit, since = 0.0;
    Counted& counted = counted_of(object);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Od|d:PlaceErrors", const_cast<char**>(names), &places,
                                     &limit, &since))
        return -1;
    Ref given(PySequence_Tuple(places));
    if (!given) return -1;
    std::vector<Placed> members(static_cast<std::size_t>(PyTuple_GET_SIZE(given.get())));
    for (std::size_t i = 0; i < members.size(); ++i) {
        Placed& member = members[i];
        PyObject* place = PyTuple_GET_ITEM(given.get(), static_cast<Py_ssize_t>(i));
        if (place == Py_None) continue;
        if (!PyTuple_Check(place) ||
            !PyArg_ParseTuple(place, "ldd", &member.carrier, &member.ahead, &member.left) ||
            member.carrier < 0 || member.carrier >= static_cast<long>(members.size())) {
            PyErr_Format(PyExc_ValueError,
                         "a place is None, or the number of a member from 0 to %zd, metres ahead of it and "
                         "metres to its left, not %s",
                         members.size() - 1, shown(place).c_str());
            return -1;
        }
        members[static_cast<std::size_t>(member.carrier)].carried.push_back(i);
    }
    if (members.empty()) PyErr_SetString(PyExc_ValueError, "a formation has members");
    if (!counted.members.empty()) PyErr_SetString(PyExc_TypeError, "this formation is measured already");
    if (PyErr_Occurred()) return -1;
    counted.members = std::move(members);
    counted.limit = limit;
    counted.since = since;
    return 0;
}

int errors_traverse(PyObject* object, visitproc visit, void* arg) {
    Counted& counted = counted_of(object);
    Py_VISIT(Py_TYPE(object));
    for (PyObject* one : {counted.pose_of, counted.cut, counted.over, counted.changed}) Py_VISIT(one);
    for (const Placed& member : counted.members) Py_VISIT(reinterpret_cast<PyObject*>(member.body));
    return 0;
}

int errors_clear(PyObject* object) {
    Counted& counted = counted_of(object);
    for (PyObject** one : {&counted.pose_of, &counted.cut, &counted.over, &counted.changed}) Py_CLEAR(*one);
    for (Placed& member : counted.members) Py_CLEAR(member.body);
    return 0;
}

void errors_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    errors_clear(object);
    counted_of(object).~Counted();
    type->tp_free(object);
    Py_DECREF(type);
}

bool tell_function(PyObject* told, std::size_t number) {
    if (!told || told == Py_None) return true;
    Ref alive = Ref::borrow(told), given(PyLong_FromSize_t(number));
    return given && Ref(PyObject_CallOneArg(told, given.get()));
}

bool find_pose(const Counted& counted, std::size_t number, Pose& pose) {
    if (const BodyObject* body = counted.members[number].body) {
        pose = wrapped(pose_of(body));
        return !PyErr_Occurred();
    }
    if (!counted.pose_of || counted.pose_of == Py_None) {
        PyErr_SetString(PyExc_TypeError, "places are not known: give bodies to follow(), or set pose_of");
        return false;
    }
    Ref asked = Ref::borrow(counted.pose_of), given(PyLong_FromSize_t(number));
    Ref found(given ? PyObject_CallOneArg(asked.get(), given.get()) : nullptr);
    Ref parts(found ? PySequence_Tuple(found.get()) : nullptr);
    return parts && PyArg_ParseTuple(parts.get(), "ddd", &pose.at.x, &pose.at.y, &pose.heading);
}

void advance(Counted& counted, double now) {
    counted.integral += counted.sum / static_cast<double>(counted.members.size()) * (now - counted.since);
    counted.since = now;
}

bool update(Counted& counted, std::size_t number) {
    if (counted.members[number].carrier == NOBODY_AHEAD) return true;
    Pose mine, carrier;
    if (!find_pose(counted, static_cast<std::size_t>(counted.members[number].carrier), carrier) ||
        !find_pose(counted, number, mine))
        return false;
    Placed& member = counted.members[number];
    Placed& ahead = counted.members[static_cast<std::size_t>(member.carrier)];
    if (ahead.heading != carrier.heading) {
        ahead.heading = carrier.heading;
        ahead.axis = {maths::cos(carrier.heading), maths::sin(carrier.heading)};
    }
    const auto [c, s] = ahead.axis;
    const double error = maths::hypot(mine.at.x - carrier.at.x - member.ahead * c + member.left * s,
                                      mine.at.y - carrier.at.y - member.ahead * s - member.left * c);
    counted.sum += error - member.error;
    member.error = error;
    counted.largest = std::max(counted.largest, error);
    if (!tell_function(counted.changed, number)) return false;
    if (!(error > counted.limit) || std::exchange(counted.is_over, true)) return true;
    return tell_function(counted.over, number);
}

// A motion of a member is over. False with a Python error.
bool end_motion_of(Counted& counted, std::size_t number, double now, bool is_complete) {
    if (!is_complete && !tell_function(counted.cut, number)) return false;
    advance(counted, now);
    if (!update(counted, number)) return false;
    for (std::size_t i = 0; i < counted.members[number].carried.size(); ++i)
        if (!update(counted, counted.members[number].carried[i])) return false;
    if (counted.keeps_history)
        counted.history.insert(counted.history.end(),
                               {now, counted.sum / static_cast<double>(counted.members.size())});
    return true;
}

PyObject* errors_ended(PyObject* self, PyObject* args) {
    Py_ssize_t number;
    double now;
    int is_complete;
    if (!PyArg_ParseTuple(args, "ndp:ended", &number, &now, &is_complete)) return nullptr;
    if (number < 0 || static_cast<std::size_t>(number) >= counted_of(self).members.size())
        return PyErr_Format(PyExc_IndexError, "a formation of %zu has no member %zd",
                            counted_of(self).members.size(), number);
    if (!end_motion_of(counted_of(self), static_cast<std::size_t>(number), now, is_complete != 0))
        return nullptr;
    Py_RETURN_NONE;
}

PyObject* errors_follow(PyObject* self, PyObject* bodies) {
    Ref given(PySequence_Tuple(bodies));
    if (!given) return nullptr;
    std::vector<Placed>& members = counted_of(self).members;
    bool fits = static_cast<std::size_t>(PyTuple_GET_SIZE(given.get())) == members.size();
    for (std::size_t i = 0; fits && i < members.size(); ++i)
        fits = PyObject_TypeCheck(PyTuple_GET_ITEM(given.get(), static_cast<Py_ssize_t>(i)), BodyType) != 0;
    if (!fits)
        return PyErr_Format(PyExc_TypeError, "follow() takes %zu bodies on a plane, not %s", members.size(),
                            shown(bodies).c_str());
    for (std::size_t i = 0; i < members.size(); ++i) {
        PyObject* body = PyTuple_GET_ITEM(given.get(), static_cast<Py_ssize_t>(i));
        Py_INCREF(body);
        Py_XSETREF(members[i].body, reinterpret_cast<BodyObject*>(body));
        Py_INCREF(self);
        Py_XSETREF(members[i].body->measured_by, self);
        members[i].body->measured_as = i;
    }
    Py_RETURN_NONE;
}

PyObject* errors_advance(PyObject* self, PyObject* time) {
    const double now = PyFloat_AsDouble(time);
    if (PyErr_Occurred()) return nullptr;
    advance(counted_of(self), now);
    Py_RETURN_NONE;
}

PyObject* get_errors(PyObject* self, void*) {
    const std::vector<Placed>& members = counted_of(self).members;
    Ref list(PyList_New(static_cast<Py_ssize_t>(members.size())));
    for (std::size_t i = 0; list && i < members.size(); ++i)
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), PyFloat_FromDouble(members[i].error));
    return unless_error(list.release());
}
PyObject* get_mean(PyObject* self, void*) {
    return PyFloat_FromDouble(counted_of(self).sum / static_cast<double>(counted_of(self).members.size()));
}
PyObject* get_integral(PyObject* self, void*) { return PyFloat_FromDouble(counted_of(self).integral); }
PyObject* get_largest(PyObject* self, void*) { return PyFloat_FromDouble(counted_of(self).largest); }
PyObject* get_history(PyObject* self, void*) {
    const std::vector<double>& history = counted_of(self).history;
    return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(history.data()),
                                     static_cast<Py_ssize_t>(history.size() * sizeof(double)));
}
PyObject* get_keeps_history(PyObject* self, void*) { return PyBool_FromLong(counted_of(self).keeps_history); }
int set_keeps_history(PyObject* self, PyObject* value, void*) {
    const int keeps = value ? PyObject_IsTrue(value) : 0;
    if (keeps >= 0) counted_of(self).keeps_history = keeps != 0;
    return keeps < 0 ? -1 : 0;
}

template <PyObject* Counted::* FUNCTION> PyObject* get_function(PyObject* self, void*) {
    return own_or_none(counted_of(self).*FUNCTION);
}
template <PyObject* Counted::* FUNCTION> int set_function(PyObject* self, PyObject* value, void*) {
    Py_XINCREF(value);
    Py_XSETREF(counted_of(self).*FUNCTION, value);
    return 0;
}

PyMethodDef errors_methods[] = {
    {"follow", guarded<errors_follow>, METH_O,
     "follow($self, bodies, /)\n--\n\nMeasure by itself whenever a motion of these members is over.\n\n"
     "Type: (bodies: Sequence[PlaneBody], /) -> None"},
    {"ended", guarded<errors_ended>, METH_VARARGS,
     "ended($self, number, time, is_complete, /)\n--\n\nA motion of a member is over, told by hand.\n\n"
     "Type: (number: int, time: float, is_complete: bool, /) -> None"},
    {"advance", guarded<errors_advance>, METH_O,
     "advance($self, time, /)\n--\n\nCount the time until then.\n\nType: (time: float, /) -> None"},
    {}};

#define FUNCTION_OF(name, doc, type)                                                      \
    {#name, guarded<get_function<&Counted::name>>, guarded<set_function<&Counted::name>>, \
     doc "\n\nType: " type " | None", nullptr}
PyGetSetDef errors_getset[] = {
    FUNCTION_OF(pose_of, "Where a member is that follow() was not given: x, y and heading.",
                "Callable[[int], tuple[float, float, float]]"),
    FUNCTION_OF(cut, "Told of a member whose motion was cut short, before anything is measured.",
                "Callable[[int], object]"),
    FUNCTION_OF(over, "Told of the first member whose error is above the limit.", "Callable[[int], object]"),
    FUNCTION_OF(changed, "Told of each member whose error was worked out anew.", "Callable[[int], object]"),
    {"errors", guarded<get_errors>, nullptr, "The error of each member in metres.\n\nType: list[float]",
     nullptr},
    {"mean", guarded<get_mean>, nullptr, "Their mean in metres.\n\nType: float", nullptr},
    {"integral", guarded<get_integral>, nullptr,
     "The mean over time until the last end of a motion, or advance().\n\nType: float", nullptr},
    {"largest", guarded<get_largest>, nullptr, "The largest error so far.\n\nType: float", nullptr},
    {"keeps_history", guarded<get_keeps_history>, guarded<set_keeps_history>,
     "Whether each instant and the mean then are written down.\n\nType: bool", nullptr},
    {"history", guarded<get_history>, nullptr,
     "What was written down, as doubles: instant, mean, instant, mean.\n\nType: bytes", nullptr},
    {}};
#undef FUNCTION_OF

PyType_Slot errors_slots[] = {
    {Py_tp_doc, const_cast<char*>(
                    "PlaceErrors(places, limit, since=0.0)\n--\n\nHow far members of a formation are from "
                    "their places: for each None, or the number of the member that carries its place, and "
                    "where that is, in metres ahead of that one and to its left.\n\n"
                    "Type: (places: Sequence[tuple[int, float, float] | None], limit: float, since: float = "
                    "0.0) -> None")},
    {Py_tp_new, reinterpret_cast<void*>(guarded<errors_new>)},
    {Py_tp_init, reinterpret_cast<void*>(guarded<errors_init>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<errors_dealloc>)},
    {Py_tp_traverse, reinterpret_cast<void*>(errors_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(errors_clear)},
    {Py_tp_methods, errors_methods},
    {Py_tp_getset, errors_getset},
    {0, nullptr}};
PyType_Spec errors_spec{"kumi._core.PlaceErrors", sizeof(PlaceErrorsObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, errors_slots};

}  // namespace

bool measure_place(const BodyObject* body, double now, bool is_complete) {
    Ref alive = Ref::borrow(body->measured_by);
    return end_motion_of(counted_of(alive.get()), body->measured_as, now, is_complete);
}

bool add_place_errors_type(PyObject* module) {
    PlaceErrorsType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&errors_spec));
    return PlaceErrorsType && PyModule_AddType(module, PlaceErrorsType) == 0;
}

}  // namespace kumi
