// What a range finder without errors asks at every reading: how far is it to what its body looks at?
//
// It measures as kumi.sensing.range_finders says. Where it sits is worked out there, once for each shape of the body.
#include "objects/body_methods.hpp"
#include "objects/plane.hpp"
#include "python/spares.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numbers>
#include <string>

namespace kumi {

namespace {

struct Eye {
    BodyObject* body = nullptr;  // owned
    PyObject* place = nullptr;   // owned; tells how far from the centre it sits
    std::shared_ptr<const Shape> shape;
    double away = 0.0;  // from the centre, on that shape
    double bearing = 0.0, view = 0.0, reach = 0.0, least = 0.0, resolution = 0.0;
    Traits stopping = 0, echoing = 0;
    std::string note;         // for the journal
    PyObject* met = nullptr;  // the body that its last beam met, owned; null for anything else
};

struct EyeObject {
    PyObject_HEAD Eye eye;
};

// A reading to await: it is made then, and there at once.
struct LookObject {
    PyObject_HEAD EyeObject* eye;  // owned
    Origin origin;
    bool used;
};

PyTypeObject *EyeType = nullptr, *LookType = nullptr;
Spares<LookObject, 16> spare_looks;

Eye& eye_of(PyObject* self) { return reinterpret_cast<EyeObject*>(self)->eye; }
LookObject* look_of(PyObject* self) { return reinterpret_cast<LookObject*>(self); }

PyObject* eye_new(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* object = type->tp_alloc(type, 0);
    if (object) new (&eye_of(object)) Eye();
    return object;
}

int eye_init(PyObject* object, PyObject* args, PyObject*) {
    PyObject *body, *place;
    const char* note;
    Eye& eye = eye_of(object);
    if (!PyArg_ParseTuple(args, "O!Odddddbbs:Eye", BodyType, &body, &place, &eye.bearing, &eye.view,
                          &eye.reach, &eye.least, &eye.resolution, &eye.stopping, &eye.echoing, &note))
        return -1;
    if (!(eye.reach > 0.0 && std::isfinite(eye.bearing) && eye.view >= 0.0 && eye.view < std::numbers::pi &&
          eye.resolution >= 0.0 && std::isfinite(eye.least))) {
        PyErr_SetString(
            PyExc_ValueError,
            "an eye has a reach > 0, a finite bearing, a view from 0 to less than pi, a resolution "
            "of at least 0 and a finite min_reach");
        return -1;
    }
    Py_INCREF(body);
    Py_XSETREF(eye.body, reinterpret_cast<BodyObject*>(body));
    Py_INCREF(place);
    Py_XSETREF(eye.place, place);
    eye.note = note;
    return 0;
}

int eye_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(reinterpret_cast<PyObject*>(eye_of(object).body));
    Py_VISIT(eye_of(object).place);
    Py_VISIT(eye_of(object).met);
    return 0;
}

int eye_clear(PyObject* object) {
    Py_CLEAR(eye_of(object).place);
    Py_CLEAR(eye_of(object).met);
    return 0;
}

void eye_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    Py_XDECREF(reinterpret_cast<PyObject*>(eye_of(object).body));
    Py_XDECREF(eye_of(object).place);
    Py_XDECREF(eye_of(object).met);
    eye_of(object).~Eye();
    type->tp_free(object);
    Py_DECREF(type);
}

// How far it is to what is nearest; infinity where nothing is in reach. False with a Python error.
bool find(Eye& eye, double& distance) {
    if (!eye.body) PyErr_SetString(PyExc_TypeError, "this eye is on no body");
    if (!eye.body) return false;
    Ref held(Py_NewRef(reinterpret_cast<PyObject*>(eye.body)));  // to ask where it sits may put it on another
    const BodyObject* body = eye.body;
    if (!plane_below(held.get())) return false;
    if (is_within_pattern() || is_waiting_for_pattern(body->plane->serial)) return false;
    Plane& plane = present(body->plane);
    if (!body->past && plane.bodies()[body->id].shape != eye.shape) {
        Ref away(eye.place ? PyObject_CallNoArgs(eye.place) : nullptr);
        eye.away = away ? PyFloat_AsDouble(away.get()) : 0.0;
        if (PyErr_Occurred()) return false;
        eye.shape = plane.bodies()[body->id].shape;
    }
    const Pose pose = wrapped(pose_of(body));
    const double middle = pose.heading + eye.bearing;
    plane.next_time();  // cells are in order
    const Vec along = direction(middle), at = pose.at + along * eye.away;
    if (eye.view == 0.0) {
        const Hit hit = plane.queries().first_hit(at, along, eye.reach, slot_of(body), true, eye.stopping);
        distance = (hit.traits & eye.echoing) != 0 ? hit.distance : INFINITE_TIME;
        const auto& bodies = body->plane->bodies;
        PyObject* met = hit.body < bodies.size() ? reinterpret_cast<PyObject*>(bodies[hit.body]) : nullptr;
        Py_XINCREF(met);
        Py_XSETREF(eye.met, met);
    } else {
        distance = plane.queries().nearest_in({middle, eye.view}, at, eye.reach, slot_of(body), eye.stopping,
                                              eye.echoing);
    }
    return !PyErr_Occurred();
}

// Whole parts of a metre are divided, not multiplied: 57 hundredths are 0.57, and 57 * 0.01 is not.
double rounded(double value, double resolution) {
    if (resolution == 0.0) return value;
    const double steps = std::nearbyint(value / resolution), parts = std::nearbyint(1.0 / resolution);
    return std::abs(parts * resolution - 1.0) < 1e-12 ? steps / parts : steps * resolution;
}

PyObject* eye_nearest(PyObject* self, PyObject*) {
    double distance;
    if (!find(eye_of(self), distance)) return nullptr;
    return std::isinf(distance) ? own_or_none(nullptr) : PyFloat_FromDouble(distance);
}

PyObject* eye_look(PyObject* self, PyObject*) {
    LookObject* look = spare_looks.take(LookType);
    if (!look) return nullptr;
    Py_INCREF(self);
    look->eye = reinterpret_cast<EyeObject*>(self);
    look->origin = Origin::here();
    look->used = false;
    return reinterpret_cast<PyObject*>(look);
}

PySendResult look_send(PyObject* object, PyObject*, PyObject** result) {
    static const Provision range("Range");
    LookObject* self = look_of(object);
    Eye& eye = self->eye->eye;
    *result = nullptr;
    if (std::exchange(self->used, true)) {
        PyErr_SetString(PyExc_RuntimeError, "a reading is awaited once");
        return PYGEN_ERROR;
    }
    double distance;
    if (!eye.body) return find(eye, distance), PYGEN_ERROR;
    if (!plane_under(reinterpret_cast<PyObject*>(eye.body))) return PYGEN_ERROR;
    write_note(eye.body->plane, eye.body->number, eye.note);
    if (!find(eye, distance)) return PYGEN_ERROR;
    const bool is_hit = !std::isinf(distance);
    const double read =
        is_hit ? rounded(std::min(std::max(distance, eye.least), eye.reach), eye.resolution) : eye.reach;
    Ref number(PyFloat_FromDouble(read));
    PyObject* parts[2] = {number.get(), is_hit ? Py_True : Py_False};
    *result = range.get() && number ? PyObject_Vectorcall(range.get(), parts, 2, nullptr) : nullptr;
    return *result ? PYGEN_RETURN : PYGEN_ERROR;
}

void look_dealloc(PyObject* object) {
    LookObject* self = look_of(object);
    if (!self->used) report_never_awaited("a reading", self->origin);
    Py_CLEAR(self->eye);
    spare_looks.give(object);
}

int look_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(reinterpret_cast<PyObject*>(look_of(object)->eye));
    return 0;
}

PyObject* eye_get_met(PyObject* self, void*) { return own_or_none(eye_of(self).met); }

PyGetSetDef eye_getset[] = {{"met", guarded<eye_get_met>, nullptr,
                             "The body that its last beam met; None for anything else, and of a cone.\n\n"
                             "Type: PlaneBody | None",
                             nullptr},
                            {}};

PyMethodDef eye_methods[] = {
    {"nearest", guarded<eye_nearest>, METH_NOARGS,
     "nearest($self, /)\n--\n\nThe true distance; None where nothing is in reach.\n\nType: () -> float | "
     "None"},
    {"look", guarded<eye_look>, METH_NOARGS,
     "look($self, /)\n--\n\nA reading to await, which the journal knows of.\n\nType: () -> Awaitable[Any]"},
    {}};

PyType_Slot eye_slots[] = {
    {Py_tp_doc, const_cast<char*>(
                    "Eye(body, place, bearing, view, reach, min_reach, resolution, stopping, echoing, note, "
                    "/)\n--\n\nWhat a range finder without errors measures with.\n\n"
                    "Type: (body: PlaneBody, place: Callable[[], float], bearing: float, view: float, reach: "
                    "float, min_reach: float, resolution: float, stopping: int, echoing: int, note: str, /) "
                    "-> None")},
    {Py_tp_new, reinterpret_cast<void*>(guarded<eye_new>)},
    {Py_tp_init, reinterpret_cast<void*>(guarded<eye_init>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<eye_dealloc>)},
    {Py_tp_traverse, reinterpret_cast<void*>(eye_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(eye_clear)},
    {Py_tp_methods, eye_methods},
    {Py_tp_getset, eye_getset},
    {0, nullptr}};
PyType_Spec eye_spec{"kumi._core.Eye", sizeof(EyeObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                     eye_slots};

PyType_Slot look_slots[] = {{Py_tp_doc, const_cast<char*>("A reading to await.")},
                            {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<look_dealloc>)},
                            {Py_tp_traverse, reinterpret_cast<void*>(look_traverse)},
                            {Py_am_await, reinterpret_cast<void*>(await_self)},
                            {Py_am_send, reinterpret_cast<void*>(guarded<look_send>)},
                            {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                            {Py_tp_iternext, reinterpret_cast<void*>(guarded<next_by_send>)},
                            {0, nullptr}};
PyType_Spec look_spec{"kumi._core.Look", sizeof(LookObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      look_slots};

}  // namespace

bool add_eye_type(PyObject* module) {
    EyeType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&eye_spec));
    LookType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&look_spec));
    return EyeType && LookType && PyModule_AddType(module, EyeType) == 0;
}

}  // namespace kumi
