// What a program asks of its robot again and again: where it is, its random numbers, a motion to a place.
//
// A robot knows its body through the contract alone. Where the body is one on a plane, and nobody has given
// it other answers, what it offers is called directly; any other body is asked by name.
#include "objects/plane.hpp"

#include <array>
#include <cmath>

namespace kumi {

namespace {

struct RobotObject {
    PyObject_HEAD PyObject* body;  // owned
    PyObject* carry_out;           // of the body, owned
    PyObject* home;                // owned
    unsigned version;              // of its class when that was looked at; 0 for none
    bool is_on_plane;              // the body is a plain one on a plane
    bool is_plain;                 // and no class of robots gives other answers
    bool moves_plainly;            // nor has the robot another `move_to`
    bool steers_plainly;           // nor robot or body another `steer`
};

PyTypeObject* RobotType = nullptr;

RobotObject* robot_of(PyObject* self) { return reinterpret_cast<RobotObject*>(self); }

using Getter = PyObject* (*)(PyObject*);

// What a robot passes on as its body says it.
struct Question {
    const char* name;
    Getter on_plane;
    PyObject* text;
};

enum QuestionIndex : std::size_t {
    POSITION,
    HEADING,
    IS_MOVING,
    NAME,
    NUMBER,
    CHANCE,
    CONTACTS,
    PARTINGS,
    QUESTIONS
};

std::array<Question, QUESTIONS> questions{{{"position", body_position, nullptr},
                                           {"heading", body_heading, nullptr},
                                           {"is_moving", body_is_moving, nullptr},
                                           {"name", body_name, nullptr},
                                           {"number", body_number, nullptr},
                                           {"chance", body_chance, nullptr},
                                           {"contacts", body_contacts, nullptr},
                                           {"partings", body_partings, nullptr}}};

PyObject *move_to_text = nullptr, *steer_text = nullptr;

bool is_as_in(PyTypeObject* base, PyTypeObject* type, PyObject* name) {
    Ref own(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), name));
    Ref plain(PyObject_GetAttr(reinterpret_cast<PyObject*>(base), name));
    PyErr_Clear();
    return own && own.get() == plain.get();
}

// Whether a class answers every question as its base does.
bool has_answers_of(PyTypeObject* base, PyTypeObject* type) {
    for (const Question& question : questions)
        if (!is_as_in(base, type, question.text)) return false;
    return true;
}

int robot_init(PyObject* object, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"body", nullptr};
    PyObject* body;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Robot", const_cast<char**>(names), &body)) return -1;
    Ref action(PyObject_GetAttr(body, kumi::names.carry_out));
    Ref home(action ? PyObject_GetAttr(body, questions[POSITION].text) : nullptr);
    if (!home) return -1;
    RobotObject* self = robot_of(object);
    self->is_on_plane = PyObject_TypeCheck(body, BodyType) && is_carry_out_of_plane(action.get(), body) &&
                        has_answers_of(BodyType, Py_TYPE(body));
    self->is_plain = self->is_on_plane && has_answers_of(RobotType, Py_TYPE(object));
    self->moves_plainly = self->is_plain && is_as_in(RobotType, Py_TYPE(object), move_to_text);
    Ref steer(PyObject_GetAttr(body, steer_text));
    PyErr_Clear();
    self->steers_plainly = self->is_plain && steer && is_steer_of_plane(steer.get(), body) &&
                           is_as_in(RobotType, Py_TYPE(object), steer_text);
    self->version = Py_TYPE(object)->tp_version_tag;
    if (self->version == 0) self->is_plain = self->moves_plainly = self->steers_plainly = false;
    Py_INCREF(body);
    Py_XSETREF(self->body, body);
    Py_XSETREF(self->carry_out, action.release());
    Py_XSETREF(self->home, home.release());
    return 0;
}

int robot_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(robot_of(object)->body);
    Py_VISIT(robot_of(object)->carry_out);
    Py_VISIT(robot_of(object)->home);
    return 0;
}

int robot_clear(PyObject* object) {
    RobotObject* self = robot_of(object);
    self->is_on_plane = self->is_plain = self->moves_plainly = self->steers_plainly = false;
    Py_CLEAR(robot_of(object)->body);
    Py_CLEAR(robot_of(object)->carry_out);
    Py_CLEAR(robot_of(object)->home);
    return 0;
}

void robot_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    robot_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject* robot_move_to(PyObject* object, PyObject* const* given, Py_ssize_t count, PyObject* keywords);
PyObject* robot_steer(PyObject* object, PyObject* const* given, Py_ssize_t count, PyObject* keywords);

PyMethodDef robot_methods[] = {
    {"move_to", reinterpret_cast<PyCFunction>(guarded<robot_move_to>), METH_FASTCALL | METH_KEYWORDS,
     "move_to($self, goal, speed=None, turn_speed=None)\n--\n\n"
     "Go to a place; gives where it stopped. Raises Blocked at a contact, Busy if it moves already.\n\n"
     "Type: (goal: Point | tuple[float, float], speed: float | None = None, turn_speed: float | None = None) "
     "-> Awaitable[Point]"},
    {"steer", reinterpret_cast<PyCFunction>(guarded<robot_steer>), METH_FASTCALL | METH_KEYWORDS,
     "steer($self, speed, turn_speed=0.0)\n--\n\n"
     "Drive at a speed and turn at a rate from now on, until told otherwise or blocked.\n\n"
     "Type: (speed: float, turn_speed: float = 0.0) -> None"},
    {}};
PyMethodDef& move_to_method = robot_methods[0];

// Whoever gives one robot another `move_to`, or another `steer`, gets that one.
int robot_setattro(PyObject* object, PyObject* name, PyObject* value) {
    if (PyUnicode_Compare(name, move_to_text) == 0) robot_of(object)->moves_plainly = false;
    if (PyUnicode_Compare(name, steer_text) == 0) robot_of(object)->steers_plainly = false;
    return PyObject_GenericSetAttr(object, name, value);
}

// What programs ask for most is answered without a search, as long as nobody has changed the class. A name that the
// robot does not have may be that of a sensor.
PyObject* robot_getattro(PyObject* object, PyObject* name) {
    if (robot_of(object)->is_plain && robot_of(object)->version == Py_TYPE(object)->tp_version_tag) {
        if (name == questions[CHANCE].text) return body_chance(robot_of(object)->body);
        if (name == questions[POSITION].text) return body_position(robot_of(object)->body);
        if (name == move_to_text && robot_of(object)->moves_plainly)
            return PyCFunction_New(&move_to_method, object);
    }
    PyObject* found = PyObject_GenericGetAttr(object, name);
    if (found || name == kumi::names.missing || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    return PyObject_CallMethodOneArg(object, kumi::names.missing, name);
}

PyObject* no_body(PyObject* object) {
    PyErr_Format(PyExc_TypeError, "%s.__init__ did not call super().__init__(body)",
                 Py_TYPE(object)->tp_name);
    return nullptr;
}

PyObject* robot_answer(PyObject* object, void* asked) {
    const RobotObject* self = robot_of(object);
    const Question& question = *static_cast<const Question*>(asked);
    if (self->is_on_plane) return question.on_plane(self->body);
    return self->body ? PyObject_GetAttr(self->body, question.text) : no_body(object);
}

PyObject* robot_heading(PyObject* object, void* asked) {
    Ref heading(robot_answer(object, asked));
    const double value = heading ? PyFloat_AsDouble(heading.get()) : 0.0;
    if (PyErr_Occurred()) return nullptr;
    if (std::isinf(value))
        return PyErr_Format(PyExc_ValueError, "a heading is a finite number, not %s", shown(value).c_str());
    return PyFloat_FromDouble(wrapped(value));
}

PyObject* robot_move_to(PyObject* object, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
    PyObject* const texts[3] = {kumi::names.goal, kumi::names.speed, kumi::names.turn_speed};
    RobotObject* self = robot_of(object);
    PyObject* parts[3] = {nullptr, Py_None, Py_None};
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    if (count > 3)
        return PyErr_Format(PyExc_TypeError, "move_to() takes 1 to 3 arguments, but got %zd", count);
    for (Py_ssize_t i = 0; i < count; ++i) parts[i] = given[i];
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* name = PyTuple_GET_ITEM(keywords, i);
        Py_ssize_t place = 0;
        while (place < 3 && PyUnicode_Compare(name, texts[place]) != 0) ++place;
        if (place == 3)
            return PyErr_Format(PyExc_TypeError, "move_to() got an unexpected keyword argument %R", name);
        if (place < count)
            return PyErr_Format(PyExc_TypeError, "move_to() got multiple values for argument %R", name);
        parts[place] = given[count + i];
    }
    if (!parts[0]) return PyErr_Format(PyExc_TypeError, "move_to() misses its argument 'goal'");
    if (self->is_on_plane)
        return new_motion_to(reinterpret_cast<BodyObject*>(self->body), parts[0], parts[1], parts[2]);
    if (!self->body) return no_body(object);
    Ref command(new_move_to(parts[0], parts[1], parts[2]));
    return command ? PyObject_CallOneArg(self->carry_out, command.get()) : nullptr;
}

// Reads the arguments of steer(), with what Python says where they do not fit.
bool read_steer(PyObject* const* given, Py_ssize_t count, PyObject* keywords, PyObject* (&parts)[2]) {
    PyObject* const texts[2] = {kumi::names.speed, kumi::names.turn_speed};
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    bool fits = count <= 2;
    if (!fits) PyErr_Format(PyExc_TypeError, "steer() takes 1 to 2 arguments, but got %zd", count);
    for (Py_ssize_t i = 0; fits && i < count; ++i) parts[i] = given[i];
    for (Py_ssize_t i = 0; fits && i < named; ++i) {
        PyObject* name = PyTuple_GET_ITEM(keywords, i);
        Py_ssize_t place = 0;
        while (place < 2 && PyUnicode_Compare(name, texts[place]) != 0) ++place;
        fits = place < 2 && place >= count;
        if (place == 2)
            PyErr_Format(PyExc_TypeError, "steer() got an unexpected keyword argument %R", name);
        else if (!fits)
            PyErr_Format(PyExc_TypeError, "steer() got multiple values for argument %R", name);
        else
            parts[place] = given[count + i];
    }
    if (fits && !parts[0]) {
        PyErr_Format(PyExc_TypeError, "steer() misses its argument 'speed'");
        fits = false;
    }
    return fits;
}

PyObject* robot_steer(PyObject* object, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
    RobotObject* self = robot_of(object);
    PyObject* parts[2] = {nullptr, nullptr};
    if (!read_steer(given, count, keywords, parts)) return nullptr;
    const auto is_number = [](PyObject* part) { return PyFloat_CheckExact(part) || PyLong_CheckExact(part); };
    if (is_number(parts[0]) && (!parts[1] || is_number(parts[1]))) {
        const double speed = PyFloat_AsDouble(parts[0]), turn = parts[1] ? PyFloat_AsDouble(parts[1]) : 0.0;
        BodyObject* body = PyErr_Occurred() ? nullptr : plainly_steered(object);
        PyErr_Clear();  // what is too large is refused below, in the words of the drive
        if (body && !is_within_pattern() && !is_waiting_for_pattern(body->plane->serial) &&
            steers_at_once(body, speed, turn))
            return unless_error(own_or_none(nullptr));
        if (PyErr_Occurred()) return nullptr;
    }
    if (!self->body) return no_body(object);
    static const Provision kind("Steer");
    Ref command(kind.get() ? PyObject_Vectorcall(kind.get(), parts, parts[1] ? 2 : 1, nullptr) : nullptr);
    return command ? PyObject_CallMethodOneArg(self->body, steer_text, command.get()) : nullptr;
}

PyObject* robot_get_body(PyObject* object, void*) {
    PyObject* body = robot_of(object)->body;
    return body ? own_or_none(body) : no_body(object);
}
PyObject* robot_get_carry_out(PyObject* object, void*) {
    PyObject* carry_out = robot_of(object)->carry_out;
    return carry_out ? own_or_none(carry_out) : no_body(object);
}
PyObject* robot_get_home(PyObject* object, void*) {
    PyObject* home = robot_of(object)->home;
    return home ? own_or_none(home) : no_body(object);
}
int robot_set_home(PyObject* object, PyObject* home, void*) {
    if (!home) {
        PyErr_SetString(PyExc_AttributeError, "a robot always has a home: give it another place instead");
        return -1;
    }
    Py_INCREF(home);
    Py_XSETREF(robot_of(object)->home, home);
    return 0;
}

PyGetSetDef robot_getset[] = {
    {"_body", guarded<robot_get_body>, nullptr, "What moves for it.\n\nType: Any", nullptr},
    {"_carry_out", guarded<robot_get_carry_out>, nullptr,
     "The body's carry_out.\n\nType: Callable[[Any], Awaitable[Point]]", nullptr},
    {"home", guarded<robot_get_home>, guarded<robot_set_home>,
     "Where it was when the program got it.\n\nType: Point", nullptr},
    {"position", guarded<robot_answer>, nullptr, "Where it believes it is.\n\nType: Point",
     &questions[POSITION]},
    {"heading", guarded<robot_heading>, nullptr,
     "Where it believes it looks, in radians from the x axis, above -pi and up to pi.\n\nType: float",
     &questions[HEADING]},
    {"is_moving", guarded<robot_answer>, nullptr, "Whether a motion is under way.\n\nType: bool",
     &questions[IS_MOVING]},
    {"name", guarded<robot_answer>, nullptr, "Its name.\n\nType: str", &questions[NAME]},
    {"number", guarded<robot_answer>, nullptr, "Its number among the robots, from 0.\n\nType: int",
     &questions[NUMBER]},
    {"chance", guarded<robot_answer>, nullptr, "Its own random numbers.\n\nType: Chance", &questions[CHANCE]},
    {"contacts", guarded<robot_answer>, nullptr, "Each contact, at its instant.\n\nType: Signal[Any]",
     &questions[CONTACTS]},
    {"partings", guarded<robot_answer>, nullptr,
     "The end of each contact, at its instant.\n\nType: Signal[Any]", &questions[PARTINGS]},
    {}};

PyType_Slot robot_slots[] = {
    {Py_tp_doc, const_cast<char*>("RobotBase(body)\n--\n\nWhat a program asks of its robot most often.\n\n"
                                  "Type: (body: Any) -> None")},
    {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void*>(guarded<robot_init>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<robot_dealloc>)},
    {Py_tp_traverse, reinterpret_cast<void*>(robot_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(robot_clear)},
    {Py_tp_getattro, reinterpret_cast<void*>(guarded<robot_getattro>)},
    {Py_tp_setattro, reinterpret_cast<void*>(guarded<robot_setattro>)},
    {Py_tp_methods, robot_methods},
    {Py_tp_getset, robot_getset},
    {0, nullptr}};
PyType_Spec robot_spec{"kumi._core.RobotBase", sizeof(RobotObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, robot_slots};

}  // namespace

BodyObject* plain_body(PyObject* robot) {
    if (!PyObject_TypeCheck(robot, RobotType)) return nullptr;
    const RobotObject* self = robot_of(robot);
    if (!self->is_plain || self->version != Py_TYPE(robot)->tp_version_tag) return nullptr;
    BodyObject* body = reinterpret_cast<BodyObject*>(self->body);
    return body->plane && body->plane->plane ? body : nullptr;
}

BodyObject* plainly_steered(PyObject* robot) {
    BodyObject* body = plain_body(robot);
    return body && robot_of(robot)->steers_plainly ? body : nullptr;
}

bool add_robot_type(PyObject* module) {
    move_to_text = PyUnicode_InternFromString("move_to");
    steer_text = PyUnicode_InternFromString("steer");
    for (Question& question : questions)
        if (!(question.text = PyUnicode_InternFromString(question.name))) return false;
    if (!move_to_text || !steer_text) return false;
    RobotType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&robot_spec));
    return RobotType && PyModule_AddType(module, RobotType) == 0;
}

}  // namespace kumi
