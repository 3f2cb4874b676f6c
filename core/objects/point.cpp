#include "objects/point.hpp"
#include "numbers/elementary.hpp"
#include "python/spares.hpp"

#include <cmath>

namespace kumi {

PyTypeObject* PointType = nullptr;

namespace {

Spares<PointObject, 256> spare_points;

Vec at(PyObject* self) { return reinterpret_cast<PointObject*>(self)->at; }
bool is_point(PyObject* object) { return Py_TYPE(object) == PointType; }

bool number(PyObject* object, double& value) {
    value = PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object) : PyFloat_AsDouble(object);
    return value != -1.0 || !PyErr_Occurred();
}

PyObject* make(PyObject* x, PyObject* y) {
    Vec place;
    if (!number(x, place.x) || !number(y, place.y)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "Point(%s, %s): a point is two numbers", shown(x).c_str(),
                     shown(y).c_str());
        return nullptr;
    }
    return new_point(place);
}

PyObject* point_vectorcall(PyObject*, PyObject* const* arguments, size_t flags, PyObject* names) {
    PyObject* parts[2] = {nullptr, nullptr};
    const Py_ssize_t given = PyVectorcall_NARGS(flags);
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < given && i < 2; ++i) parts[i] = arguments[i];
    bool fine = given + named == 2;
    for (Py_ssize_t i = 0; i < named && fine; ++i) {
        PyObject* name = PyTuple_GET_ITEM(names, i);
        const int place = PyUnicode_CompareWithASCIIString(name, "x") == 0   ? 0
                          : PyUnicode_CompareWithASCIIString(name, "y") == 0 ? 1
                                                                             : -1;
        fine = place >= 0 && !parts[place];
        if (fine) parts[place] = arguments[given + i];
    }
    if (!fine || !parts[0] || !parts[1]) {
        PyErr_SetString(PyExc_TypeError, "Point(x, y) takes two numbers");
        return nullptr;
    }
    return make(parts[0], parts[1]);
}

PyObject* point_new(PyTypeObject*, PyObject* arguments, PyObject* keywords) {
    static const char* names[] = {"x", "y", nullptr};
    PyObject *x, *y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:Point", const_cast<char**>(names), &x, &y))
        return nullptr;
    return make(x, y);
}

void point_dealloc(PyObject* object) { spare_points.give(object); }

PyObject* point_repr(PyObject* self) {
    return PyUnicode_FromFormat("Point(%s, %s)", shown(at(self).x).c_str(), shown(at(self).y).c_str());
}

Ref pair(PyObject* self) { return Ref(Py_BuildValue("dd", at(self).x, at(self).y)); }

Py_hash_t point_hash(PyObject* self) {
    Ref both = pair(self);
    return both ? PyObject_Hash(both.get()) : -1;
}

PyObject* point_compare(PyObject* self, PyObject* other, int how) {
    if ((how != Py_EQ && how != Py_NE) || !is_point(other)) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong((at(self) == at(other)) == (how == Py_EQ));
}

// `x, y = point` is frequent: an iterator of its own needs no tuple.
struct PointIterator {
    PyObject_HEAD Vec at;
    int given;
};
PyTypeObject* PointIteratorType = nullptr;
PointIterator* spare_iterator = nullptr;

PyObject* point_iter(PyObject* self) {
    PointIterator* iterator = std::exchange(spare_iterator, nullptr);
    if (iterator)
        Py_SET_REFCNT(iterator, 1);
    else if (!(iterator =
                   reinterpret_cast<PointIterator*>(PointIteratorType->tp_alloc(PointIteratorType, 0))))
        return nullptr;
    iterator->at = at(self);
    iterator->given = 0;
    return reinterpret_cast<PyObject*>(iterator);
}

PyObject* iterator_next(PyObject* object) {
    PointIterator* self = reinterpret_cast<PointIterator*>(object);
    if (self->given == 2) return nullptr;
    return PyFloat_FromDouble(self->given++ == 0 ? self->at.x : self->at.y);
}

PyObject* iterator_length_hint(PyObject* object, PyObject*) {
    return PyLong_FromLong(2 - reinterpret_cast<PointIterator*>(object)->given);
}

void iterator_dealloc(PyObject* object) {
    if (!spare_iterator) {
        spare_iterator = reinterpret_cast<PointIterator*>(object);
        return;
    }
    PyTypeObject* type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}

PyMethodDef iterator_methods[] = {{"__length_hint__", guarded<iterator_length_hint>, METH_NOARGS, nullptr},
                                  {}};

PyType_Slot iterator_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(iterator_dealloc)},
                                {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                {Py_tp_iternext, reinterpret_cast<void*>(guarded<iterator_next>)},
                                {Py_tp_methods, iterator_methods},
                                {0, nullptr}};

PyType_Spec iterator_spec{"kumi._core.PointIterator", sizeof(PointIterator), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          iterator_slots};

Py_ssize_t point_length(PyObject*) { return 2; }

PyObject* point_item(PyObject* self, Py_ssize_t index) {
    if (index == 0) return PyFloat_FromDouble(at(self).x);
    if (index == 1) return PyFloat_FromDouble(at(self).y);
    PyErr_SetString(PyExc_IndexError, "a point has two numbers, 0 and 1");
    return nullptr;
}

PyObject* point_add(PyObject* one, PyObject* other) {
    if (!is_point(one) || !is_point(other)) Py_RETURN_NOTIMPLEMENTED;
    return new_point(at(one) + at(other));
}

PyObject* point_subtract(PyObject* one, PyObject* other) {
    if (!is_point(one) || !is_point(other)) Py_RETURN_NOTIMPLEMENTED;
    return new_point(at(one) - at(other));
}

PyObject* point_multiply(PyObject* one, PyObject* other) {
    if (!is_point(one)) std::swap(one, other);
    if (is_point(other) || !PyNumber_Check(other)) Py_RETURN_NOTIMPLEMENTED;
    double by;
    return number(other, by) ? new_point(at(one) * by) : nullptr;
}

PyObject* point_divide(PyObject* one, PyObject* other) {
    if (!is_point(one) || is_point(other) || !PyNumber_Check(other)) Py_RETURN_NOTIMPLEMENTED;
    double by;
    if (!number(other, by)) return nullptr;
    if (by == 0.0) {
        PyErr_Format(PyExc_ZeroDivisionError, "%s / 0", shown(one).c_str());
        return nullptr;
    }
    return new_point({at(one).x / by, at(one).y / by});
}

PyObject* point_negative(PyObject* self) { return new_point(-at(self)); }
PyObject* point_absolute(PyObject* self) { return PyFloat_FromDouble(length(at(self))); }
int point_true(PyObject*) { return 1; }

PyObject* point_distance_to(PyObject* self, PyObject* other) {
    Vec there;
    if (!read_point("distance_to()", other, there)) return nullptr;
    return PyFloat_FromDouble(length(there - at(self)));
}

PyObject* point_dot(PyObject* self, PyObject* other) {
    Vec there;
    return read_point("dot()", other, there) ? PyFloat_FromDouble(dot(at(self), there)) : nullptr;
}

PyObject* point_cross(PyObject* self, PyObject* other) {
    Vec there;
    return read_point("cross()", other, there) ? PyFloat_FromDouble(cross(at(self), there)) : nullptr;
}

PyObject* point_turned(PyObject* self, PyObject* angle) {
    double by;
    return number(angle, by) ? new_point(turned(at(self), by)) : nullptr;
}

PyObject* point_polar(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    double long_, angle;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "Point.polar(length, direction) takes two numbers");
        return nullptr;
    }
    if (!number(arguments[0], long_) || !number(arguments[1], angle)) return nullptr;
    return new_point(direction(angle) * long_);
}

PyObject* point_reduce(PyObject* self, PyObject*) {
    return Py_BuildValue("O(dd)", reinterpret_cast<PyObject*>(PointType), at(self).x, at(self).y);
}

PyObject* point_get_x(PyObject* self, void*) { return PyFloat_FromDouble(at(self).x); }
PyObject* point_get_y(PyObject* self, void*) { return PyFloat_FromDouble(at(self).y); }
PyObject* point_get_direction(PyObject* self, void*) {
    return PyFloat_FromDouble(maths::atan2(at(self).y, at(self).x));
}

// The two numbers are asked for more often than anything else, by names that Python has interned.
PyObject* x_name = nullptr;
PyObject* y_name = nullptr;

PyObject* point_getattro(PyObject* self, PyObject* name) {
    if (name == x_name) return PyFloat_FromDouble(at(self).x);
    if (name == y_name) return PyFloat_FromDouble(at(self).y);
    return PyObject_GenericGetAttr(self, name);
}

PyMethodDef point_methods[] = {
    {"distance_to", guarded<point_distance_to>, METH_O,
     "distance_to($self, other, /)\n--\n\nThe distance to another point.\n\nType: (other: Point | "
     "tuple[float, float], /) -> float"},
    {"dot", guarded<point_dot>, METH_O,
     "dot($self, other, /)\n--\n\nThe scalar product.\n\nType: (other: Point | tuple[float, float], /) -> "
     "float"},
    {"cross", guarded<point_cross>, METH_O,
     "cross($self, other, /)\n--\n\nThe vector product: positive where `other` lies to the left.\n\n"
     "Type: (other: Point | tuple[float, float], /) -> float"},
    {"turned", guarded<point_turned>, METH_O,
     "turned($self, angle, /)\n--\n\nThis point turned about the origin, counter-clockwise.\n\nType: (angle: "
     "float, /) -> Point"},
    {"polar", reinterpret_cast<PyCFunction>(guarded<point_polar>), METH_FASTCALL | METH_STATIC,
     "polar(length, direction, /)\n--\n\nThe point at a distance from the origin in a direction.\n\n"
     "Type: (length: float, direction: float, /) -> Point"},
    {"__reduce__", guarded<point_reduce>, METH_NOARGS, nullptr},
    {}};

PyGetSetDef point_getset[] = {
    {"x", guarded<point_get_x>, nullptr, "Metres along the first axis.\n\nType: float", nullptr},
    {"y", guarded<point_get_y>, nullptr, "Metres along the second axis.\n\nType: float", nullptr},
    {"direction", guarded<point_get_direction>, nullptr,
     "The angle from the first axis, between -pi and pi.\n\nType: float", nullptr},
    {}};

PyType_Slot point_slots[] = {
    {Py_tp_doc, const_cast<char*>("A place, or a step from one place to another, in metres.")},
    {Py_tp_new, reinterpret_cast<void*>(guarded<point_new>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(point_dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<point_repr>)},
    {Py_tp_getattro, reinterpret_cast<void*>(point_getattro)},
    {Py_tp_hash, reinterpret_cast<void*>(guarded<point_hash>)},
    {Py_tp_richcompare, reinterpret_cast<void*>(guarded<point_compare>)},
    {Py_tp_iter, reinterpret_cast<void*>(guarded<point_iter>)},
    {Py_sq_length, reinterpret_cast<void*>(guarded<point_length>)},
    {Py_sq_item, reinterpret_cast<void*>(guarded<point_item>)},
    {Py_nb_add, reinterpret_cast<void*>(guarded<point_add>)},
    {Py_nb_subtract, reinterpret_cast<void*>(guarded<point_subtract>)},
    {Py_nb_multiply, reinterpret_cast<void*>(guarded<point_multiply>)},
    {Py_nb_true_divide, reinterpret_cast<void*>(guarded<point_divide>)},
    {Py_nb_negative, reinterpret_cast<void*>(guarded<point_negative>)},
    {Py_nb_absolute, reinterpret_cast<void*>(guarded<point_absolute>)},
    {Py_nb_bool, reinterpret_cast<void*>(guarded<point_true>)},
    {Py_tp_methods, point_methods},
    {Py_tp_getset, point_getset},
    {0, nullptr}};

PyType_Spec point_spec{"kumi._core.Point", sizeof(PointObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, point_slots};

}  // namespace

PyObject* new_point(Vec place) {
    PointObject* self = spare_points.take(PointType);
    if (!self) return nullptr;
    self->at = place;
    return reinterpret_cast<PyObject*>(self);
}

bool read_point(const char* what, PyObject* object, Vec& place) {
    if (is_point(object)) {
        place = at(object);
    } else {
        const bool is_tuple = PyTuple_CheckExact(object);  // by far the most frequent
        Ref parts(is_tuple                                               ? own_or_none(object)
                  : PySequence_Check(object) && !PyUnicode_Check(object) ? PySequence_Fast(object, "a point")
                                                                         : nullptr);
        if (!parts || PySequence_Fast_GET_SIZE(parts.get()) != 2 ||
            !number(PySequence_Fast_GET_ITEM(parts.get(), 0), place.x) ||
            !number(PySequence_Fast_GET_ITEM(parts.get(), 1), place.y)) {
            PyErr_Clear();
            PyErr_Format(PyExc_TypeError, "%s takes a Point or a pair of numbers, not %s", what,
                         shown(object).c_str());
            return false;
        }
    }
    if (std::isfinite(place.x) && std::isfinite(place.y)) return true;
    PyErr_Format(PyExc_ValueError, "%s takes a point with finite numbers, not %s", what,
                 shown(object).c_str());
    return false;
}

bool add_point(PyObject* module) {
    x_name = PyUnicode_InternFromString("x");
    y_name = PyUnicode_InternFromString("y");
    PointType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&point_spec));
    PointIteratorType = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&iterator_spec));
    if (!PointType || !PointIteratorType || !x_name || !y_name) return false;
    PointType->tp_vectorcall = point_vectorcall;
    Ref names(Py_BuildValue("(ss)", "x", "y"));
    if (!names || PyDict_SetItemString(PointType->tp_dict, "__match_args__", names.get()) < 0) return false;
    PyType_Modified(PointType);
    return PyModule_AddObjectRef(module, "Point", reinterpret_cast<PyObject*>(PointType)) == 0;
}

}  // namespace kumi
