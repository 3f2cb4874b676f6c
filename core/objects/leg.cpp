// Legs and pieces as Python sees them.
#include "objects/plane.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace kumi {

namespace {

PyTypeObject* LegType = nullptr;
PyTypeObject* PatternType = nullptr;  // a leg with a function of its user's, which may know the leg
PyTypeObject* PieceType = nullptr;

struct LegObject {
    PyObject_HEAD Leg leg;
};

struct PieceObject {
    PyObject_HEAD Piece piece;
    std::shared_ptr<Pattern> pattern;  // the one that the piece asks
};

thread_local int patterns_asked [[gnu::tls_model("initial-exec")]] = 0;

thread_local std::uint64_t plane_at_work [[gnu::tls_model("initial-exec")]] = 0;
std::vector<std::uint64_t> asking;  // the planes at work that wait for a pattern's answer, in whatever thread

// While a pattern is asked, its plane is in the midst of its work: nobody may change it, in no thread.
class Within {
  public:
    Within() : plane_(plane_at_work) {
        asking.push_back(plane_);
        ++patterns_asked;
    }
    ~Within() {
        --patterns_asked;
        asking.erase(std::find(asking.begin(), asking.end(), plane_));
        plane_at_work = plane_;
    }

  private:
    std::uint64_t plane_;
};

// A pattern that asks a Python function for (x, y, heading).
class Asked : public Pattern {
  public:
    Asked(PyObject* function, double top_speed) : function_(Ref::borrow(function)), top_(top_speed) {}

    Pose pose(double clock) override {
        if (is_broken_ || PyErr_Occurred()) return last_;
        const Within within;
        // Whoever asks may lose this pattern meanwhile: the function may end the run.
        const std::shared_ptr<Pattern> alive = shared_from_this();
        Ref function = Ref::borrow(function_.get());
        Ref answer(PyObject_CallFunction(function.get(), "d", clock));
        Ref parts(answer ? PySequence_Fast(answer.get(), "a pattern returns (x, y, heading)") : nullptr);
        if (parts && PySequence_Fast_GET_SIZE(parts.get()) != 3)
            PyErr_Format(PyExc_TypeError, "a pattern returns (x, y, heading), not %s",
                         shown(answer.get()).c_str());
        else if (parts) {
            const double x = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(parts.get(), 0));
            const double y = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(parts.get(), 1));
            const double heading = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(parts.get(), 2));
            if (!PyErr_Occurred() && !(std::isfinite(x) && std::isfinite(y) && std::isfinite(heading)))
                PyErr_Format(PyExc_ValueError, "a pattern returns finite numbers, not %s",
                             shown(answer.get()).c_str());
            else if (!PyErr_Occurred() && is_too_fast(clock, {x, y}))
                PyErr_Format(PyExc_ValueError,
                             "a pattern said that it is never faster than %s m/s, but it went %s m in %s s "
                             "before t = %s s",
                             shown(top_).c_str(), shown(length(Vec{x, y} - last_.at)).c_str(),
                             shown(std::abs(clock - asked_)).c_str(), shown(clock).c_str());
            else if (!PyErr_Occurred()) {
                last_ = {{x, y}, heading};
                asked_ = clock;
            }
        }
        is_broken_ = PyErr_Occurred() != nullptr;
        return last_;
    }

    bool is_broken() const override { return is_broken_; }
    PyObject* function() const { return function_.get(); }
    void forget() {
        function_ = Ref();
        is_broken_ = true;
    }

  private:
    Ref function_;
    double top_;
    double asked_ = -1.0;  // when it was last asked
    Pose last_{};

    bool is_too_fast(double clock, Vec at) const {
        if (asked_ < 0.0) return false;
        const double way = length(at - last_.at), most = top_ * std::abs(clock - asked_);
        return way > most * (1.0 + 1e-6) + 1e-9 * (1.0 + length(at));
    }

    bool is_broken_ = false;  // it raised once: the error is told once, and the body stays where it was
};

PyObject* new_leg(Leg leg) {
    PyTypeObject* type = leg.pattern ? PatternType : LegType;
    LegObject* self = reinterpret_cast<LegObject*>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    new (&self->leg) Leg(std::move(leg));
    return reinterpret_cast<PyObject*>(self);
}

void leg_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    if (type == PatternType) PyObject_GC_UnTrack(object);
    reinterpret_cast<LegObject*>(object)->leg.~Leg();
    type->tp_free(object);
    Py_DECREF(type);
}

// The function counts as the leg's own only while no body has a copy of the leg.
int pattern_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    const Leg& leg = reinterpret_cast<LegObject*>(object)->leg;
    if (leg.pattern.use_count() == 1) Py_VISIT(static_cast<Asked*>(leg.pattern.get())->function());
    return 0;
}

int pattern_clear(PyObject* object) {
    const Leg& leg = reinterpret_cast<LegObject*>(object)->leg;
    if (leg.pattern.use_count() == 1) static_cast<Asked*>(leg.pattern.get())->forget();
    return 0;
}

bool is_leg(PyObject* object) { return Py_TYPE(object) == LegType || Py_TYPE(object) == PatternType; }

bool read_number(const char* what, const char* name, PyObject* object, double& value) {
    value = PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object) : PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: %s is a number, not %s", what, name, shown(object).c_str());
        return false;
    }
    if (!std::isnan(value)) return true;
    PyErr_Format(PyExc_ValueError, "%s: %s is a number, not nan", what, name);
    return false;
}

bool is_positive(const char* what, const char* name, double value, const char* unit) {
    if (value > 0.0 && std::isfinite(value)) return true;
    PyErr_Format(PyExc_ValueError, "%s: %s is a number of %s > 0, not %s", what, name, unit,
                 shown(value).c_str());
    return false;
}

bool is_speed(const char* what, double speed, double acceleration) {
    if (!std::isfinite(acceleration)) {
        PyErr_Format(PyExc_ValueError,
                     "%s: acceleration is a finite number of metres a second a second, not %s", what,
                     shown(acceleration).c_str());
        return false;
    }
    if (acceleration != 0.0 && speed >= 0.0 && std::isfinite(speed)) return true;
    return is_positive(what, "speed", speed, "metres a second");
}

bool has_end(const char* what, double amount, double acceleration) {
    if (std::isfinite(amount) || acceleration == 0.0) return true;
    PyErr_Format(PyExc_ValueError, "%s: a way without end has no acceleration, but it is %s", what,
                 shown(acceleration).c_str());
    return false;
}

// Arguments are few and fixed, and legs are made often: they are read by hand.
bool take(const char* what, PyObject* const* arguments, Py_ssize_t count, Py_ssize_t least, Py_ssize_t most) {
    (void)arguments;
    if (count >= least && count <= most) return true;
    PyErr_Format(PyExc_TypeError, "%s takes %zd to %zd arguments, but got %zd", what, least, most, count);
    return false;
}

PyObject* make_line(PyObject*, PyObject* const* given, Py_ssize_t count) {
    Leg leg;
    if (!take("line()", given, count, 2, 3) ||
        (count > 2 && !read_number("line()", "acceleration", given[2], leg.acceleration)) ||
        !read_line("line()", given[0], given[1], leg))
        return nullptr;
    return new_leg(leg);
}

PyObject* make_forward(PyObject*, PyObject* const* given, Py_ssize_t count) {
    Leg leg;
    leg.kind = Leg::Kind::forward;
    if (!take("forward()", given, count, 2, 3) ||
        !read_number("forward()", "distance", given[0], leg.amount) ||
        !read_number("forward()", "speed", given[1], leg.speed) ||
        (count > 2 && !read_number("forward()", "acceleration", given[2], leg.acceleration)) ||
        !is_speed("forward()", leg.speed, leg.acceleration) ||
        !has_end("forward()", leg.amount, leg.acceleration))
        return nullptr;
    return new_leg(leg);
}

PyObject* make_spin(PyObject*, PyObject* const* given, Py_ssize_t count) {
    Leg leg;
    leg.kind = Leg::Kind::spin;
    if (!take("spin()", given, count, 2, 2) || !read_number("spin()", "angle", given[0], leg.amount) ||
        !read_number("spin()", "speed", given[1], leg.speed) ||
        !is_positive("spin()", "speed", leg.speed, "radians a second"))
        return nullptr;
    return new_leg(leg);
}

PyObject* make_arc(PyObject*, PyObject* const* given, Py_ssize_t count) {
    Leg leg;
    leg.kind = Leg::Kind::arc;
    if (!take("arc()", given, count, 3, 4) || !read_number("arc()", "radius", given[0], leg.radius) ||
        !read_number("arc()", "angle", given[1], leg.amount) ||
        !read_number("arc()", "speed", given[2], leg.speed) ||
        (count > 3 && !read_number("arc()", "acceleration", given[3], leg.acceleration)) ||
        !is_speed("arc()", leg.speed, leg.acceleration) || !has_end("arc()", leg.amount, leg.acceleration))
        return nullptr;
    return is_arc(leg) ? new_leg(leg) : nullptr;
}

PyObject* make_rest(PyObject*, PyObject* duration) {
    Leg leg;
    if (!read_number("rest()", "duration", duration, leg.amount)) return nullptr;
    if (leg.amount < 0.0) {
        PyErr_Format(PyExc_ValueError, "rest(): duration is a number of seconds >= 0, not %s",
                     shown(leg.amount).c_str());
        return nullptr;
    }
    return new_leg(leg);
}

PyObject* make_glide(PyObject*, PyObject* const* given, Py_ssize_t count) {
    Leg leg;
    leg.kind = Leg::Kind::glide;
    if (!take("glide()", given, count, 3, 3) || !read_point("glide()", given[0], leg.goal) ||
        !read_number("glide()", "heading", given[1], leg.heading) ||
        !read_number("glide()", "duration", given[2], leg.amount))
        return nullptr;
    if (std::isinf(leg.heading)) {
        PyErr_Format(PyExc_ValueError, "glide(): heading is a finite number of radians, not %s",
                     shown(leg.heading).c_str());
        return nullptr;
    }
    if (!(leg.amount >= 0.0) || std::isinf(leg.amount)) {
        PyErr_Format(PyExc_ValueError, "glide(): duration is a number of seconds >= 0, not %s",
                     shown(leg.amount).c_str());
        return nullptr;
    }
    return new_leg(leg);
}

PyObject* make_pattern(PyObject*, PyObject* const* given, Py_ssize_t count) {
    Leg leg;
    leg.kind = Leg::Kind::pattern;
    if (!take("pattern()", given, count, 4, 4)) return nullptr;
    if (!PyCallable_Check(given[0])) {
        PyErr_Format(PyExc_TypeError, "pattern(): position is a function of time, not %s",
                     shown(given[0]).c_str());
        return nullptr;
    }
    if (!read_number("pattern()", "duration", given[1], leg.amount) ||
        !is_positive("pattern()", "duration", leg.amount, "seconds") ||
        !read_number("pattern()", "top_speed", given[2], leg.radius) ||
        !is_positive("pattern()", "top_speed", leg.radius, "metres a second") ||
        !read_number("pattern()", "top_turn_speed", given[3], leg.speed))
        return nullptr;
    if (!(leg.speed >= 0.0) || std::isinf(leg.speed)) {
        PyErr_Format(PyExc_ValueError,
                     "pattern(): top_turn_speed is a number of radians a second >= 0, not %s",
                     shown(leg.speed).c_str());
        return nullptr;
    }
    leg.pattern = std::make_shared<Asked>(given[0], leg.radius);
    return new_leg(leg);
}

PyObject* leg_repr(PyObject* object) {
    const Leg& leg = reinterpret_cast<LegObject*>(object)->leg;
    static const char* names[] = {"rest", "line", "forward", "spin", "arc", "glide", "pattern"};
    return PyUnicode_FromFormat("<leg: %s>", names[static_cast<int>(leg.kind)]);
}

PyMethodDef leg_methods[] = {
    {"line", reinterpret_cast<PyCFunction>(guarded<make_line>), METH_FASTCALL | METH_STATIC,
     "line(goal, speed, acceleration=0.0, /)\n--\n\nStraight to a place, without turning.\n\n"
     "Type: (goal: Point | tuple[float, float], speed: float, acceleration: float = 0.0, /) -> Leg"},
    {"forward", reinterpret_cast<PyCFunction>(guarded<make_forward>), METH_FASTCALL | METH_STATIC,
     "forward(distance, speed, acceleration=0.0, /)\n--\n\nStraight along the heading, backwards if "
     "negative.\n\n"
     "Type: (distance: float, speed: float, acceleration: float = 0.0, /) -> Leg"},
    {"spin", reinterpret_cast<PyCFunction>(guarded<make_spin>), METH_FASTCALL | METH_STATIC,
     "spin(angle, speed, /)\n--\n\nTurn on the spot, counter-clockwise if positive.\n\n"
     "Type: (angle: float, speed: float, /) -> Leg"},
    {"arc", reinterpret_cast<PyCFunction>(guarded<make_arc>), METH_FASTCALL | METH_STATIC,
     "arc(radius, angle, speed, acceleration=0.0, /)\n--\n\nAround a centre to the left (positive radius) or "
     "right, turning by `angle`: forward where both have one sign, else back.\n\n"
     "Type: (radius: float, angle: float, speed: float, acceleration: float = 0.0, /) -> Leg"},
    {"rest", guarded<make_rest>, METH_O | METH_STATIC,
     "rest(duration, /)\n--\n\nStay where it is.\n\nType: (duration: float, /) -> Leg"},
    {"glide", reinterpret_cast<PyCFunction>(guarded<make_glide>), METH_FASTCALL | METH_STATIC,
     "glide(goal, heading, duration, /)\n--\n\nEvenly to a place and a heading, in a given time.\n\n"
     "Type: (goal: Point | tuple[float, float], heading: float, duration: float, /) -> Leg"},
    {"pattern", reinterpret_cast<PyCFunction>(guarded<make_pattern>), METH_FASTCALL | METH_STATIC,
     "pattern(pose, duration, top_speed, top_turn_speed, /)\n--\n\nA motion of one's own: pose(t) gives (x, "
     "y, heading) for 0 <= t <= duration.\n\n"
     "Type: (pose: Callable[[float], tuple[float, float, float]], duration: float, top_speed: float, "
     "top_turn_speed: float, /) -> Leg"},
    {}};

PyType_Slot leg_slots[] = {
    {Py_tp_doc, const_cast<char*>("A part of a motion as a drive gives it: where to, how fast.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(leg_dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<leg_repr>)},
    {Py_tp_methods, leg_methods},
    {0, nullptr}};
PyType_Spec leg_spec{"kumi._core.Leg", sizeof(LegObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_BASETYPE, leg_slots};

PyType_Slot pattern_slots[] = {{Py_tp_doc, const_cast<char*>("A leg with a function of its user's.")},
                               {Py_tp_dealloc, reinterpret_cast<void*>(leg_dealloc)},
                               {Py_tp_traverse, reinterpret_cast<void*>(pattern_traverse)},
                               {Py_tp_clear, reinterpret_cast<void*>(pattern_clear)},
                               {0, nullptr}};
PyType_Spec pattern_spec{"kumi._core.PatternLeg", sizeof(LegObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         pattern_slots};

const Piece& piece_of(PyObject* object) { return reinterpret_cast<PieceObject*>(object)->piece; }

PyObject* new_piece(const Piece& piece) {
    PieceObject* self = reinterpret_cast<PieceObject*>(PieceType->tp_alloc(PieceType, 0));
    if (!self) return nullptr;
    new (&self->piece) Piece(piece);
    new (&self->pattern)
        std::shared_ptr<Pattern>(piece.pattern ? piece.pattern->shared_from_this() : nullptr);
    return reinterpret_cast<PyObject*>(self);
}

void piece_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    reinterpret_cast<PieceObject*>(object)->pattern.~shared_ptr();
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject* piece_from_bytes(PyObject*, PyObject* bytes) {
    char* data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(bytes, &data, &size) < 0) return nullptr;
    if (size != Piece::BYTES || static_cast<unsigned char>(data[0]) > 2) {
        PyErr_Format(PyExc_ValueError, "a piece is %d bytes that begin with its kind, 0 to 2", Piece::BYTES);
        return nullptr;
    }
    return new_piece(read_piece(data));
}

PyObject* piece_of_leg(PyObject*, PyObject* const* given, Py_ssize_t count) {
    Pose from{};
    if (!take("Piece.of()", given, count, 3, 3)) return nullptr;
    if (!is_leg(given[0])) {
        PyErr_Format(PyExc_TypeError, "Piece.of() takes a leg, not %s", shown(given[0]).c_str());
        return nullptr;
    }
    if (!read_point("Piece.of()", given[1], from.at) ||
        !read_number("Piece.of()", "heading", given[2], from.heading))
        return nullptr;
    Piece piece;
    const char* problem = nullptr;
    if (!resolve(reinterpret_cast<LegObject*>(given[0])->leg, from, piece, problem)) {
        PyErr_SetString(PyExc_ValueError, problem);
        return nullptr;
    }
    return PyErr_Occurred() ? nullptr : new_piece(piece);
}

PyObject* piece_at(PyObject* self, PyObject* clock) {
    double value;
    if (!read_number("at()", "clock", clock, value)) return nullptr;
    const Pose pose = piece_of(self).at(value);
    return PyErr_Occurred() ? nullptr : Py_BuildValue("ddd", pose.at.x, pose.at.y, pose.heading);
}

PyObject* piece_get_duration(PyObject* self, void*) { return PyFloat_FromDouble(piece_of(self).duration); }
PyObject* piece_get_length(PyObject* self, void*) {
    const Piece& piece = piece_of(self);
    return PyFloat_FromDouble(
        piece.kind == Piece::Kind::pattern || !piece.moves() ? 0.0 : piece.way(piece.duration));
}
PyObject* piece_get_kind(PyObject* self, void*) {
    static const char* names[] = {"line", "arc", "pattern"};
    return PyUnicode_FromString(names[static_cast<int>(piece_of(self).kind)]);
}

PyMethodDef piece_methods[] = {
    {"from_bytes", guarded<piece_from_bytes>, METH_O | METH_STATIC,
     "from_bytes(data, /)\n--\n\nThe piece that a journal holds.\n\nType: (data: bytes, /) -> Piece"},
    {"of", reinterpret_cast<PyCFunction>(guarded<piece_of_leg>), METH_FASTCALL | METH_STATIC,
     "of(leg, position, heading, /)\n--\n\nWhat a leg becomes for a body that stands there.\n\n"
     "Type: (leg: Leg, position: Point | tuple[float, float], heading: float, /) -> Piece"},
    {"at", guarded<piece_at>, METH_O,
     "at($self, clock, /)\n--\n\nThe place and heading when the piece's own clock stands there.\n\n"
     "Type: (clock: float, /) -> tuple[float, float, float]"},
    {}};
PyGetSetDef piece_getset[] = {
    {"duration", guarded<piece_get_duration>, nullptr,
     "Seconds of its own clock; inf where it has no end.\n\nType: float", nullptr},
    {"length", guarded<piece_get_length>, nullptr, "Metres along the path; 0 for patterns.\n\nType: float",
     nullptr},
    {"kind", guarded<piece_get_kind>, nullptr, "line, arc or pattern.\n\nType: str", nullptr},
    {}};
PyType_Slot piece_slots[] = {
    {Py_tp_doc,
     const_cast<char*>("A stretch of motion in closed form: where a body is at any instant of it.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(piece_dealloc)},
    {Py_tp_methods, piece_methods},
    {Py_tp_getset, piece_getset},
    {0, nullptr}};
PyType_Spec piece_spec{"kumi._core.Piece", sizeof(PieceObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                       piece_slots};

}  // namespace

void set_plane_at_work(std::uint64_t serial) { plane_at_work = serial; }

bool is_waiting_for_pattern(std::uint64_t serial) {
    if (asking.empty() || std::find(asking.begin(), asking.end(), serial) == asking.end()) return false;
    PyErr_SetString(PyExc_RuntimeError,
                    "the world waits for the answer of a pattern: it may not be asked or changed meanwhile");
    return true;
}

bool is_within_pattern() {
    if (!patterns_asked) return false;
    PyErr_SetString(PyExc_RuntimeError,
                    "a pattern gives a pose and does nothing else: it may not ask or change the world");
    return true;
}

bool is_arc(const Leg& leg) {
    if (std::isfinite(leg.radius) && leg.radius != 0.0) return true;
    PyErr_Format(PyExc_ValueError,
                 "arc(): radius is a number of metres other than 0, positive to the left, not %s",
                 shown(leg.radius).c_str());
    return false;
}

// As `steered` of kumi.motion.drives says it.
bool steered(double speed, double turn_speed, Leg& leg) {
    const double radius = turn_speed == 0.0 ? INFINITE_TIME : speed / turn_speed;
    if (!std::isfinite(speed) || !std::isfinite(turn_speed)) return false;
    leg.amount = INFINITE_TIME;
    leg.acceleration = 0.0;
    if (speed == 0.0 && turn_speed == 0.0) {
        leg.kind = Leg::Kind::rest;
    } else if (turn_speed == 0.0 || (speed != 0.0 && std::isinf(radius))) {
        leg.kind = Leg::Kind::forward;
        leg.amount = std::copysign(INFINITE_TIME, speed);
        leg.speed = std::abs(speed);
    } else if (speed == 0.0 || std::isinf(turn_speed / speed)) {
        leg.kind = Leg::Kind::spin;
        leg.amount = std::copysign(INFINITE_TIME, turn_speed);
        leg.speed = std::abs(turn_speed);
    } else {
        leg.kind = Leg::Kind::arc;
        leg.radius = radius;
        leg.amount = std::copysign(INFINITE_TIME, turn_speed);
        leg.speed = std::abs(speed);
    }
    return true;
}

bool read_line(const char* asked, PyObject* goal, PyObject* speed, Leg& leg) {
    leg.kind = Leg::Kind::line;
    return read_point(asked, goal, leg.goal) && read_number(asked, "speed", speed, leg.speed) &&
           is_speed(asked, leg.speed, leg.acceleration);
}

bool read_legs(PyObject* given, std::vector<Leg>& legs) {
    legs.clear();
    if (is_leg(given)) {
        legs.push_back(reinterpret_cast<LegObject*>(given)->leg);
        return true;
    }
    Ref items(PySequence_Fast(given, "a drive gives legs"));
    if (!items) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "a drive's plan() gives legs, not %s", shown(given).c_str());
        return false;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
        PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
        if (!is_leg(item)) {
            PyErr_Format(PyExc_TypeError, "a drive's plan() gives legs, not %s", shown(item).c_str());
            return false;
        }
        legs.push_back(reinterpret_cast<LegObject*>(item)->leg);
    }
    return true;
}

bool add_leg_types(PyObject* module) {
    LegType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&leg_spec));
    PieceType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&piece_spec));
    Ref bases(LegType ? PyTuple_Pack(1, LegType) : nullptr);
    PatternType = bases
                      ? reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&pattern_spec, bases.get()))
                      : nullptr;
    return LegType && PatternType && PieceType && PyModule_AddType(module, LegType) == 0 &&
           PyModule_AddType(module, PieceType) == 0;
}

}  // namespace kumi
