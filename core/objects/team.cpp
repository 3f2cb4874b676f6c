// Many robots as one: what a team's program asks of all of them at once, as arrays, and what it tells them.
//
// A robot whose body is a plain one on a plane is asked directly. Any other robot is asked by name, one after the other,
// so a team may have both. Who has left keeps its place, and is passed over.
#include "numbers/chance.hpp"
#include "numbers/elementary.hpp"
#include "objects/plane.hpp"
#include "python/arrays.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

namespace nb = nanobind;

namespace kumi {

namespace {

PyTypeObject* TeamType = nullptr;

constexpr double NAN_ = std::numeric_limits<double>::quiet_NaN();

struct Member {
    PyObject* robot;  // owned
    bool has_left = false;
    double speed = 0.0;  // told last
    // Of one that is no plain body: contacts so far, and where the last one was.
    std::int64_t touches = 0;
    Vec touched_at{NAN_, NAN_};
};

struct TeamObject {
    PyObject_HEAD std::vector<Member> members;
};

std::vector<Member>& members_of(PyObject* self) { return reinterpret_cast<TeamObject*>(self)->members; }

PyObject* team_new(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* object = type->tp_alloc(type, 0);
    if (object) new (&members_of(object)) std::vector<Member>();
    return object;
}

int team_traverse(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    for (Member& member : members_of(object)) Py_VISIT(member.robot);
    return 0;
}

int team_clear(PyObject* object) {
    std::vector<Member> members;
    members.swap(members_of(object));
    for (Member& member : members) Py_CLEAR(member.robot);
    return 0;
}

void team_dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    team_clear(object);
    members_of(object).~vector();
    type->tp_free(object);
    Py_DECREF(type);
}

Member* member_at(PyObject* self, PyObject* number) {
    const Py_ssize_t index = PyLong_AsSsize_t(number);
    if (index == -1 && PyErr_Occurred()) return nullptr;
    if (index >= 0 && index < static_cast<Py_ssize_t>(members_of(self).size()))
        return &members_of(self)[static_cast<std::size_t>(index)];
    PyErr_Format(PyExc_IndexError, "a team of %zu robots has no robot %zd", members_of(self).size(), index);
    return nullptr;
}

// The plain body of a member whose plane is at the present time, or null.
BodyObject* present_body(const Member& member) {
    BodyObject* body = plain_body(member.robot);
    if (body) present(body->plane);
    return body;
}

// A Python error where a pattern is being asked, which may neither ask nor change the world.
bool may_ask(PyObject* self) {
    if (is_within_pattern()) return false;
    for (const Member& member : members_of(self))
        if (BodyObject* body = plain_body(member.robot)) return !is_waiting_for_pattern(body->plane->serial);
    return true;
}

bool read_pose(const Member& member, Pose& pose) {
    if (const BodyObject* body = present_body(member)) {
        pose = pose_of(body);
        return true;
    }
    Ref at(get_attribute(member.robot, "position"));
    Ref heading(at ? get_attribute(member.robot, "heading") : nullptr);
    if (!heading || !read_point("a robot's position", at.get(), pose.at)) return false;
    pose.heading = PyFloat_AsDouble(heading.get());
    return !PyErr_Occurred();
}

bool read_moving(const Member& member, bool& is_moving) {
    if (const BodyObject* body = present_body(member)) {
        is_moving = !body->past && body->plane->plane->bodies().is_moving(body->id);
        return true;
    }
    Ref moving(get_attribute(member.robot, "is_moving"));
    const int truth = moving ? PyObject_IsTrue(moving.get()) : -1;
    is_moving = truth == 1;
    return truth >= 0;
}

bool read_velocity(const Member& member, Vec& velocity) {
    if (const BodyObject* body = present_body(member)) {
        velocity = body->past ? Vec{} : body->plane->plane->bodies().velocity(body->id);
        return true;
    }
    bool is_moving = false;
    Pose pose{};
    if (!read_moving(member, is_moving) || (is_moving && !read_pose(member, pose))) return false;
    velocity = is_moving ? direction(pose.heading) * member.speed : Vec{};
    return true;
}

// A member as it is while it is asked, though a robot that is asked by name may add to the team.
struct HeldMember {
    explicit HeldMember(const Member& one) : member(one), robot(Ref::borrow(one.robot)) {}
    const Member member;
    Ref robot;
};

// Fills an array with so many items a robot.
template <class Item, std::size_t COUNT, class Fill>
PyObject* fill(PyObject* self, PyObject* out, Fill&& one) {
    const Array<Item> array(out);
    const std::size_t count = members_of(self).size();
    if (!array.has(COUNT * count) || !may_ask(self)) return nullptr;
    for (std::size_t i = 0; i < count && i < members_of(self).size(); ++i) {
        const HeldMember asked(members_of(self)[i]);
        if (!one(asked.member, array.begin() + COUNT * i)) return nullptr;
    }
    return unless_error(own_or_none(nullptr));
}

PyObject* team_positions(PyObject* self, PyObject* out) {
    return fill<double, 2>(self, out, [](const Member& member, double* to) {
        Pose pose{};
        const bool fine = read_pose(member, pose);
        to[0] = pose.at.x;
        to[1] = pose.at.y;
        return fine;
    });
}

PyObject* team_headings(PyObject* self, PyObject* out) {
    return fill<double, 1>(self, out, [](const Member& member, double* to) {
        Pose pose{};
        const bool fine = read_pose(member, pose);
        *to = wrapped(pose.heading);
        return fine;
    });
}

PyObject* team_velocities(PyObject* self, PyObject* out) {
    return fill<double, 2>(self, out, [](const Member& member, double* to) {
        Vec velocity{};
        const bool fine = member.has_left || read_velocity(member, velocity);
        to[0] = velocity.x;
        to[1] = velocity.y;
        return fine;
    });
}

PyObject* team_moving(PyObject* self, PyObject* out) {
    return fill<bool, 1>(self, out, [](const Member& member, bool* to) {
        *to = false;
        return member.has_left || read_moving(member, *to);
    });
}

PyObject* team_present(PyObject* self, PyObject* out) {
    return fill<bool, 1>(self, out, [](const Member& member, bool* to) {
        *to = !member.has_left;
        return true;
    });
}

PyObject* team_contacts(PyObject* self, PyObject* out) {
    return fill<std::int64_t, 1>(self, out, [](const Member& member, std::int64_t* to) {
        const BodyObject* body = plain_body(member.robot);
        *to = body ? body->touches : member.touches;
        return true;
    });
}

PyObject* team_contact_places(PyObject* self, PyObject* out) {
    return fill<double, 2>(self, out, [](const Member& member, double* to) {
        const BodyObject* body = plain_body(member.robot);
        const Vec at = !body ? member.touched_at : body->touches ? body->touched_at : Vec{NAN_, NAN_};
        to[0] = at.x;
        to[1] = at.y;
        return true;
    });
}

PyObject* team_admit(PyObject* self, PyObject* robot) {
    members_of(self).push_back({robot});
    Py_INCREF(robot);
    Py_RETURN_NONE;
}

PyObject* team_leave(PyObject* self, PyObject* number) {
    Member* member = member_at(self, number);
    if (!member) return nullptr;
    member->has_left = true;
    Py_RETURN_NONE;
}

PyObject* team_robot(PyObject* self, PyObject* number) {
    Member* member = member_at(self, number);
    return member ? own_or_none(member->robot) : nullptr;
}

PyObject* team_is_plain(PyObject* self, PyObject* number) {
    Member* member = member_at(self, number);
    return member ? PyBool_FromLong(plain_body(member->robot) != nullptr) : nullptr;
}

PyObject* team_touch(PyObject* self, PyObject* args) {
    PyObject *number, *at;
    Vec point;
    if (!PyArg_ParseTuple(args, "OO:_touch", &number, &at) || !read_point("a contact", at, point))
        return nullptr;
    Member* member = member_at(self, number);
    if (!member) return nullptr;
    ++member->touches;
    member->touched_at = point;
    Py_RETURN_NONE;
}

// Those of an array of bool that are to do something; without one, all.
class Which {
  public:
    Which(PyObject* given, std::size_t count) : is_all_(given == Py_None), mask_(is_all_ ? none() : given) {
        fine_ = is_all_ || mask_.has(count);
    }
    explicit operator bool() const { return fine_; }
    bool has(std::size_t i) const { return is_all_ || mask_[i] != 0; }

  private:
    bool is_all_, fine_;
    Array<const unsigned char> mask_;

    static PyObject* none() {
        static PyObject* empty = PyBytes_FromStringAndSize(nullptr, 0);
        return empty;
    }
};

PyObject* team_steer(PyObject* self, PyObject* args) {
    PyObject *speeds, *turns, *mask;
    if (!PyArg_ParseTuple(args, "OOO:_steer", &speeds, &turns, &mask)) return nullptr;
    const std::size_t count = members_of(self).size();
    const Array<const double> speed(speeds), turn(turns);
    const Which which(mask, count);
    if (!speed.has(count) || !turn.has(count) || !which || !may_ask(self)) return nullptr;
    // Nobody is told anything where somebody is busy.
    for (std::size_t i = 0; i < count; ++i) {
        const Member& member = members_of(self)[i];
        const BodyObject* body = member.has_left || !which.has(i) ? nullptr : plain_body(member.robot);
        if (!body || !body->motion) continue;
        Ref robot = Ref::borrow(member.robot);
        Ref done(PyObject_CallMethod(robot.get(), "steer", "dd", speed[i], turn[i]));
        if (!done) return nullptr;
    }
    for (std::size_t i = 0; i < count && i < members_of(self).size(); ++i) {
        Member& member = members_of(self)[i];
        if (member.has_left || !which.has(i)) continue;
        member.speed = speed[i];
        Ref robot = Ref::borrow(member.robot);  // whoever hears of it may add to the team
        BodyObject* body = plainly_steered(robot.get());
        if (body && steers_at_once(body, speed[i], turn[i])) continue;
        if (PyErr_Occurred()) return nullptr;
        Ref done(PyObject_CallMethod(robot.get(), "steer", "dd", speed[i], turn[i]));
        if (!done) return nullptr;
    }
    return unless_error(own_or_none(nullptr));
}

PyObject* team_stop(PyObject* self, PyObject* mask) {
    const std::size_t count = members_of(self).size();
    const Which which(mask, count);
    if (!which || !may_ask(self)) return nullptr;
    for (std::size_t i = 0; i < count && i < members_of(self).size(); ++i) {
        if (members_of(self)[i].has_left || !which.has(i)) continue;
        Ref robot = Ref::borrow(members_of(self)[i].robot);
        if (BodyObject* body = plain_body(robot.get())) {
            if (!is_gone(body)) present(body->plane).stop(body->id);
            replan(body->plane);
        } else {
            Ref done(PyObject_CallMethod(robot.get(), "stop", nullptr));
            if (!done) return nullptr;
        }
    }
    return unless_error(own_or_none(nullptr));
}

// Pairs of members whose centres are within reach of each other, each pair both ways, by the numbers of both.
struct Neighbour {
    std::int64_t who, whom;
    double distance;
};

class NeighbourSearch {
  public:
    NeighbourSearch(const std::vector<std::int64_t>& who, const std::vector<Vec>& at, double reach) {
        double left = INFINITE_TIME, bottom = INFINITE_TIME, right = -INFINITE_TIME, top = -INFINITE_TIME;
        for (const Vec& one : at) {
            left = std::min(left, one.x);
            right = std::max(right, one.x);
            bottom = std::min(bottom, one.y);
            top = std::max(top, one.y);
        }
        // No cell is so small that the numbers of cells do not fit, and all may be in one.
        const double extent = std::max({right - left, top - bottom, 0.0});
        const double side = std::max({std::min(reach, extent) * (1.0 + 1e-9), extent * 1e-6, 1e-300});
        std::vector<Item> items;
        items.reserve(at.size());
        // Where the extent overflows all are in one.
        const auto cell = [side](double way) {
            return static_cast<std::int32_t>(std::min(std::max(0.0, way / side), 2e9));
        };
        for (std::size_t i = 0; i < at.size(); ++i)
            items.push_back({cell(at[i].y - bottom), cell(at[i].x - left), static_cast<std::uint32_t>(i)});
        std::sort(items.begin(), items.end(), is_before);
        counts.assign(at.size() + 1, 0);
        std::vector<Found> found;
        for (std::int32_t down = -1; down <= 1; ++down) {
            std::size_t first = 0;
            for (const Item& item : items) {
                const Item from{item.row + down, item.column - 1, 0};
                while (first < items.size() && is_before(items[first], from)) ++first;
                for (std::size_t i = first;
                     i < items.size() && items[i].row == from.row && items[i].column <= item.column + 1;
                     ++i) {
                    if (items[i].at == item.at) continue;
                    const double away = length(at[items[i].at] - at[item.at]);
                    if (!(away <= reach)) continue;
                    found.push_back({item.at, items[i].at, away});
                    ++counts[item.at + 1];
                }
            }
        }
        for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
        pairs.resize(found.size());
        std::vector<std::size_t> next(counts.begin(), counts.end());
        for (const Found& one : found) pairs[next[one.who]++] = {who[one.who], who[one.whom], one.distance};
        for (std::size_t i = 0; i + 1 < counts.size(); ++i)
            std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(counts[i]),
                      pairs.begin() + static_cast<std::ptrdiff_t>(counts[i + 1]),
                      [](const Neighbour& one, const Neighbour& other) { return one.whom < other.whom; });
    }

    std::vector<Neighbour> pairs;

  private:
    struct Item {
        std::int32_t row, column;
        std::uint32_t at;
    };
    struct Found {
        std::uint32_t who, whom;
        double distance;
    };
    std::vector<std::size_t> counts;

    static bool is_before(const Item& one, const Item& other) {
        return one.row != other.row ? one.row < other.row : one.column < other.column;
    }
};

PyObject* team_pairs(PyObject* self, PyObject* reach) {
    const double within = PyFloat_AsDouble(reach);
    if (PyErr_Occurred() || !may_ask(self)) return nullptr;
    std::vector<std::int64_t> who;
    std::vector<Vec> at;
    for (std::size_t i = 0; i < members_of(self).size(); ++i) {
        Pose pose{};
        const HeldMember asked(members_of(self)[i]);
        if (asked.member.has_left) continue;
        if (!read_pose(asked.member, pose)) return nullptr;
        who.push_back(static_cast<std::int64_t>(i));
        at.push_back(pose.at);
    }
    const std::vector<Neighbour> pairs = NeighbourSearch(who, at, within).pairs;
    const Py_ssize_t bytes = static_cast<Py_ssize_t>(8 * pairs.size());
    Ref one(PyByteArray_FromStringAndSize(nullptr, bytes)),
        other(PyByteArray_FromStringAndSize(nullptr, bytes)),
        distance(PyByteArray_FromStringAndSize(nullptr, bytes));
    if (!one || !other || !distance) return nullptr;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        std::memcpy(PyByteArray_AS_STRING(one.get()) + 8 * i, &pairs[i].who, 8);
        std::memcpy(PyByteArray_AS_STRING(other.get()) + 8 * i, &pairs[i].whom, 8);
        std::memcpy(PyByteArray_AS_STRING(distance.get()) + 8 * i, &pairs[i].distance, 8);
    }
    return unless_error(PyTuple_Pack(3, one.get(), other.get(), distance.get()));
}

// A number for each robot, from its own chance: what a program of that robot alone would have drawn.
PyObject* team_draw(PyObject* self, PyObject* args) {
    PyObject *kind, *firsts, *seconds, *mask, *out;
    if (!PyArg_ParseTuple(args, "UOOOO:_draw", &kind, &firsts, &seconds, &mask, &out)) return nullptr;
    const std::size_t count = members_of(self).size();
    const Array<const double> first(firsts), second(seconds);
    const Array<double> to(out);
    const Which which(mask, count);
    if (!first.has(count) || !second.has(count) || !to.has(count) || !which) return nullptr;
    const bool is_normal = PyUnicode_CompareWithASCIIString(kind, "normal") == 0;
    for (std::size_t i = 0; i < count && i < members_of(self).size(); ++i) {
        to[i] = NAN_;
        if (members_of(self)[i].has_left || !which.has(i)) continue;
        BodyObject* body = plain_body(members_of(self)[i].robot);
        Ref chance(body && body->chance ? own_or_none(body->chance)
                                        : get_attribute(members_of(self)[i].robot, "chance"));
        if (!chance) return nullptr;
        if (!nb::isinstance<Chance>(nb::handle(chance.get())) || !nb::inst_ready(nb::handle(chance.get())))
            return PyErr_Format(PyExc_TypeError, "a robot's chance is a Chance, not %s",
                                shown(chance.get()).c_str());
        Chance& own = *nb::inst_ptr<Chance>(nb::handle(chance.get()));
        to[i] = is_normal ? first[i] + second[i] * own.normal() : own.between(first[i], second[i]);
    }
    Py_RETURN_NONE;
}

Py_ssize_t team_length(PyObject* self) { return static_cast<Py_ssize_t>(members_of(self).size()); }

#define FILLS(name, kind, doc)                \
    {"_" #name, guarded<team_##name>, METH_O, \
     "_" #name "($self, out, /)\n--\n\n" doc "\n\nType: (out: NDArray[" kind "], /) -> None"}

PyMethodDef team_methods[] = {
    FILLS(positions, "np.float64", "Fill an array with places, x and y of each robot."),
    FILLS(headings, "np.float64", "Fill an array with headings."),
    FILLS(velocities, "np.float64", "Fill an array with velocities, x and y of each robot."),
    FILLS(moving, "np.bool_", "Fill an array with whether a motion is under way."),
    FILLS(present, "np.bool_", "Fill an array with who is there."),
    FILLS(contacts, "np.int64", "Fill an array with the contacts so far."),
    FILLS(contact_places, "np.float64",
          "Fill an array with where the last contact was, NaN before the first."),
    {"_admit", guarded<team_admit>, METH_O,
     "_admit($self, robot, /)\n--\n\nTake a robot in.\n\nType: (robot: Any, /) -> None"},
    {"_leave", guarded<team_leave>, METH_O,
     "_leave($self, number, /)\n--\n\nLet a robot keep its place without being there.\n\nType: (number: int, "
     "/) -> None"},
    {"_robot", guarded<team_robot>, METH_O,
     "_robot($self, number, /)\n--\n\nA robot by its number in the team.\n\nType: (number: int, /) -> Any"},
    {"_is_plain", guarded<team_is_plain>, METH_O,
     "_is_plain($self, number, /)\n--\n\nWhether the core asks the robot's body directly.\n\nType: (number: "
     "int, /) -> bool"},
    {"_touch", guarded<team_touch>, METH_VARARGS,
     "_touch($self, number, at, /)\n--\n\nCount a contact of a robot that the core does not see.\n\nType: "
     "(number: int, at: Point, /) -> None"},
    {"_steer", guarded<team_steer>, METH_VARARGS,
     "_steer($self, speeds, turn_speeds, which, /)\n--\n\nSteer all, or those of a mask.\n\nType: (speeds: "
     "NDArray[np.float64], turn_speeds: NDArray[np.float64], which: NDArray[np.bool_] | None, /) -> None"},
    {"_stop", guarded<team_stop>, METH_O,
     "_stop($self, which, /)\n--\n\nStop all, or those of a mask.\n\nType: (which: NDArray[np.bool_] | None, "
     "/) -> None"},
    {"_pairs", guarded<team_pairs>, METH_O,
     "_pairs($self, reach, /)\n--\n\nWho is within reach of whom, as int64, and their distances, as "
     "doubles.\n\nType: (reach: float, /) -> tuple[bytearray, bytearray, bytearray]"},
    {"_draw", guarded<team_draw>, METH_VARARGS,
     "_draw($self, kind, first, second, which, out, /)\n--\n\nDraw a number for each robot from its own "
     "chance.\n\nType: (kind: str, first: NDArray[np.float64], second: NDArray[np.float64], which: "
     "NDArray[np.bool_] | None, out: NDArray[np.float64], /) -> None"},
    {}};
#undef FILLS

PyType_Slot team_slots[] = {
    {Py_tp_doc, const_cast<char*>("TeamBase()\n--\n\nMany robots as one.\n\nType: () -> None")},
    {Py_tp_new, reinterpret_cast<void*>(guarded<team_new>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocated<team_dealloc>)},
    {Py_tp_traverse, reinterpret_cast<void*>(team_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(team_clear)},
    {Py_sq_length, reinterpret_cast<void*>(team_length)},
    {Py_tp_methods, team_methods},
    {0, nullptr}};
PyType_Spec team_spec{"kumi._core.TeamBase", sizeof(TeamObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, team_slots};

}  // namespace

bool add_team_type(PyObject* module) {
    TeamType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&team_spec));
    return TeamType && PyModule_AddType(module, TeamType) == 0;
}

}  // namespace kumi
