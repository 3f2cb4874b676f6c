// What many bodies perceive at one instant, in one call for all of them: a row for each, or who is near each.
#include "numbers/elementary.hpp"
#include "numbers/misread.hpp"
#include "objects/plane_methods.hpp"
#include "python/arrays.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string_view>
#include <vector>

namespace nb = nanobind;

namespace kumi {

namespace {

constexpr std::size_t BODIES_AT_ONCE = 256;  // before signals are looked after

// The bodies of a list, held while they are asked.
class Crowd {
  public:
    Crowd(PyObject* plane, PyObject* bodies) : held_(PySequence_Tuple(bodies)) {
        for (std::size_t i = 0; held_ && i < size(); ++i) {
            PyObject* one = PyTuple_GET_ITEM(held_.get(), static_cast<Py_ssize_t>(i));
            if (PyObject_TypeCheck(one, BodyType) && (*this)[i]->plane == object_of(plane)) continue;
            PyErr_Format(PyExc_TypeError, "bodies of this plane are needed, not %s", shown(one).c_str());
            held_ = Ref();
        }
    }
    explicit operator bool() const { return static_cast<bool>(held_); }
    std::size_t size() const { return static_cast<std::size_t>(PyTuple_GET_SIZE(held_.get())); }
    BodyObject* operator[](std::size_t i) const {
        return reinterpret_cast<BodyObject*>(PyTuple_GET_ITEM(held_.get(), static_cast<Py_ssize_t>(i)));
    }

    // Calls for each body, with its pose; false with a Python error.
    template <class Ask> bool each(Ask&& ask) const {
        for (std::size_t i = 0; i < size(); ++i) {
            Pose here = pose_of((*this)[i]);
            here.heading = wrapped(here.heading);
            ask(i, (*this)[i], here);
            if (PyErr_Occurred() || (i % BODIES_AT_ONCE == BODIES_AT_ONCE - 1 && PyErr_CheckSignals() < 0))
                return false;
        }
        return true;
    }

  private:
    Ref held_;
};

// What a range finder is asked: where it sits and looks, and for what.
struct Cone {
    double bearing, offset, width, reach;
    unsigned char stopping, echoing;

    // False with a Python error.
    bool is_fine(const char* asked) const {
        if (reach > 0.0 && std::isfinite(bearing) && width >= 0.0 && width < std::numbers::pi) return true;
        PyErr_Format(PyExc_ValueError,
                     "%s takes a finite angle, a width from 0 to less than pi, and a reach > 0", asked);
        return false;
    }
    // How far it is to the nearest surface, for the sensor of a body that is there and looks so.
    double look(const Plane& plane, BodyId id, const Pose& here) const {
        const double towards = here.heading + bearing;
        const double out = offset >= 0.0 ? offset : id == NOBODY ? 0.0 : surface_of(plane.bodies().shape(id));
        return plane.queries().nearest_in({towards, width}, here.at + direction(towards) * out, reach, id,
                                          stopping, echoing);
    }

  private:
    // How far from the centre of a body the surface is in the direction of the bearing.
    double surface_of(const Shape& shape) const {
        if (shape.kind == Shape::Kind::disc) return shape.reach;
        const Vec far = direction(bearing) * (2.0 * shape.reach);
        const double away = length(far);
        return away - ray(shape, {}, far, {-far.x / away, -far.y / away});
    }
};

// Arrays that grow, as Python's bytes.
template <class Item> PyObject* bytes_of(const std::vector<Item>& items) {
    return PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(items.data()),
                                         static_cast<Py_ssize_t>(sizeof(Item) * items.size()));
}

// Somebody or something near a body: the number of a robot, or -1.
struct Near {
    std::int64_t row, number;
    double distance, bearing;
    Vec at;
};

PyObject* near_arrays(const std::vector<Near>& found) {
    std::vector<std::int64_t> rows, numbers;
    std::vector<double> distances, bearings;
    std::vector<Vec> places;
    for (const Near& one : found) {
        rows.push_back(one.row);
        numbers.push_back(one.number);
        distances.push_back(one.distance);
        bearings.push_back(one.bearing);
        places.push_back(one.at);
    }
    return Py_BuildValue("NNNNN", bytes_of(rows), bytes_of(numbers), bytes_of(distances), bytes_of(bearings),
                         bytes_of(places));
}

}  // namespace

PyObject* plane_scan_together(PyObject* object, PyObject* args) {
    PyObject *list, *directions, *out;
    double first, reach;
    unsigned char stopping, echoing;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OdOdbbO:scan_together", &list, &first, &directions, &reach,
                                    &stopping, &echoing, &out))
        return nullptr;
    const Crowd bodies(object, list);
    const Array<const double> turns(directions);
    const Array<double> rows(out);
    if (!bodies || !turns) return nullptr;
    const std::size_t rays = static_cast<std::size_t>(turns.size());
    if (!rows.has(rays * bodies.size())) return nullptr;
    if (!(reach > 0.0) || !std::isfinite(first) ||
        !std::all_of(turns.begin(), turns.begin() + rays, [](double turn) { return std::isfinite(turn); }))
        return PyErr_Format(
            PyExc_ValueError,
            "scan_together(): directions are finite angles and a reach is a number of metres > 0, not %s",
            shown(reach).c_str());
    plane->next_time();  // cells are in order
    std::vector<double> angles(rays);
    std::vector<Hit> hits(rays);
    const bool is_done = bodies.each([&](std::size_t i, BodyObject* body, const Pose& here) {
        for (std::size_t k = 0; k < rays; ++k) angles[k] = (here.heading + first) + turns[k];
        plane->queries().fan(here.at, angles.data(), rays, reach, slot_of(body), true, stopping, hits.data());
        for (std::size_t k = 0; k < rays; ++k)
            rows[i * rays + k] = hits[k].traits & echoing ? hits[k].distance : INFINITE_TIME;
    });
    return is_done ? own_or_none(nullptr) : nullptr;
}

PyObject* plane_range_together(PyObject* object, PyObject* args) {
    PyObject *list, *out;
    Cone cone{};
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OddddbbO:range_together", &list, &cone.bearing, &cone.offset,
                                    &cone.width, &cone.reach, &cone.stopping, &cone.echoing, &out))
        return nullptr;
    const Crowd bodies(object, list);
    const Array<double> distances(out);
    if (!bodies || !distances.has(bodies.size()) || !cone.is_fine("range_together()")) return nullptr;
    plane->next_time();  // cells are in order
    const bool is_done = bodies.each([&](std::size_t i, BodyObject* body, const Pose& here) {
        distances[i] = cone.look(*plane, slot_of(body), here);
    });
    return is_done ? own_or_none(nullptr) : nullptr;
}

PyObject* plane_note_together(PyObject* object, PyObject* args) {
    PyObject *list, *words;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OU:note_together", &list, &words)) return nullptr;
    const Crowd bodies(object, list);
    Py_ssize_t length;
    const char* utf8 = bodies ? PyUnicode_AsUTF8AndSize(words, &length) : nullptr;
    if (!utf8) return nullptr;
    Ref here(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bodies.size())));
    if (!here) return nullptr;
    const std::string_view said{utf8, static_cast<std::size_t>(length)};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const bool is_here = !is_gone(bodies[i]);
        PyBytes_AS_STRING(here.get())[i] = static_cast<char>(is_here);
        if (is_here) write_note(object_of(object), bodies[i]->number, said);
    }
    return unless_error(here.release());
}

PyObject* plane_misread_together(PyObject* object, PyObject* args) {
    PyObject *list, *out;
    Misreading misread{};
    if (!plane_of(object) ||
        !PyArg_ParseTuple(args, "OidddddO:misread_together", &list, &misread.spread, &misread.size,
                          &misread.share, &misread.dropout, &misread.least, &misread.reach, &out))
        return nullptr;
    const Crowd bodies(object, list);
    const Array<double> rows(out);
    if (!bodies || !rows) return nullptr;
    const std::size_t count = bodies.size() ? static_cast<std::size_t>(rows.size()) / bodies.size() : 0;
    if (!rows.has(count * bodies.size())) return nullptr;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        Ref chance(body_chance(reinterpret_cast<PyObject*>(bodies[i])));
        if (!chance) return nullptr;
        if (!nb::isinstance<Chance>(nb::handle(chance.get())) || !nb::inst_ready(nb::handle(chance.get())))
            return PyErr_Format(PyExc_TypeError, "a body's chance is a Chance, not %s",
                                shown(chance.get()).c_str());
        Chance& own = *nb::inst_ptr<Chance>(nb::handle(chance.get()));
        for (std::size_t k = 0; k < count; ++k) rows[i * count + k] = misread(rows[i * count + k], own);
    }
    Py_RETURN_NONE;
}

PyObject* plane_sight_together(PyObject* object, PyObject* args) {
    PyObject* list;
    double within, view, bearing;
    int is_hidden_by_others;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Odddp:sight_together", &list, &within, &view, &bearing,
                                    &is_hidden_by_others))
        return nullptr;
    const Crowd bodies(object, list);
    if (!bodies) return nullptr;
    if (!(within > 0.0) || !(view > 0.0) || !std::isfinite(bearing))
        return PyErr_Format(PyExc_ValueError,
                            "sight_together(): a reach and a view are > 0, and a bearing is finite");
    if (is_hidden_by_others) plane->next_time();  // cells are in order for rays
    const auto& held = object_of(object)->bodies;
    std::vector<Sight> seen;
    std::vector<Near> found;
    const bool is_done = bodies.each([&](std::size_t i, BodyObject* body, const Pose&) {
        if (body->past) return;
        seen.clear();
        plane->queries().in_sight(body->id, within, view, bearing, is_hidden_by_others != 0, seen);
        std::erase_if(seen, [&](const Sight& one) { return one.body >= held.size() || !held[one.body]; });
        std::stable_sort(seen.begin(), seen.end(),
                         [](const Sight& one, const Sight& other) { return one.distance < other.distance; });
        for (const Sight& one : seen)
            found.push_back({static_cast<std::int64_t>(i), held[one.body]->number, one.distance, one.bearing,
                             plane->bodies().pose(one.body).at});
    });
    return is_done ? near_arrays(found) : nullptr;
}

PyObject* plane_around_together(PyObject* object, PyObject* args) {
    PyObject* list;
    double within, view, bearing;
    unsigned char meeting;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "Odddb:around_together", &list, &within, &view, &bearing, &meeting))
        return nullptr;
    const Crowd bodies(object, list);
    if (!bodies) return nullptr;
    const auto& held = object_of(object)->bodies;
    std::vector<Gap> gaps;
    std::vector<Near> found;
    const bool is_done = bodies.each([&](std::size_t i, BodyObject* body, const Pose& here) {
        gaps.clear();
        plane->queries().around(here.at, within, slot_of(body), meeting, {here.heading + bearing, view},
                                gaps);
        std::erase_if(gaps, [&](const Gap& gap) {
            return gap.hit.body != NOBODY && (gap.hit.body >= held.size() || !held[gap.hit.body]);
        });
        const auto name = [&](const Gap& gap) {
            return name_of(object_of(object), gap.hit.body, gap.hit.obstacle);
        };
        std::stable_sort(gaps.begin(), gaps.end(), [&](const Gap& one, const Gap& other) {
            if (one.hit.distance != other.hit.distance) return one.hit.distance < other.hit.distance;
            return PyUnicode_Compare(name(one), name(other)) < 0;
        });
        for (const Gap& gap : gaps) {
            const double away = std::max(0.0, gap.hit.distance);
            const double towards = off(maths::atan2(gap.normal.y, gap.normal.x), here.heading);
            const bool is_body = gap.hit.body != NOBODY;
            found.push_back({static_cast<std::int64_t>(i),
                             is_body ? std::int64_t{held[gap.hit.body]->number} : -1, away, towards,
                             is_body ? plane->bodies().pose(gap.hit.body).at : here.at + gap.normal * away});
        }
    });
    return is_done ? near_arrays(found) : nullptr;
}

}  // namespace kumi
