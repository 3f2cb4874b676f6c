// The journal of a plane for Python: what a run file keeps.
#include "objects/plane_methods.hpp"

#include <string>

namespace kumi {

PyObject* plane_keep_journal(PyObject* object, PyObject* on) {
    Plane* plane = plane_of(object);
    const int keeps = PyObject_IsTrue(on);
    if (!plane || keeps < 0) return nullptr;
    plane->recorder().keep_journal(keeps != 0);
    return unless_error(own_or_none(nullptr));
}

PyObject* plane_take_journal(PyObject* object, PyObject*) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    Journal& journal = plane->recorder().journal;
    PyObject* bytes =
        PyBytes_FromStringAndSize(journal.kept().data(), static_cast<Py_ssize_t>(journal.kept().size()));
    if (bytes) journal.forget();
    return bytes;
}

PyObject* plane_snapshot(PyObject* object, PyObject*) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    const std::string bytes = plane->recorder().snapshot();
    return unless_error(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

PyObject* plane_note(PyObject* object, PyObject* args) {
    PyObject *body, *words;
    BodyId id;
    Plane* plane = plane_of(object);
    if (!plane || !PyArg_ParseTuple(args, "OU:write_note", &body, &words) || !read_body(body, id))
        return nullptr;
    if (!plane->recorder().journal.is_open()) Py_RETURN_NONE;
    Py_ssize_t length;
    const char* utf8 = PyUnicode_AsUTF8AndSize(words, &length);
    if (!utf8) return nullptr;
    write_note(object_of(object), body == Py_None ? NOBODY : reinterpret_cast<BodyObject*>(body)->number,
               {utf8, static_cast<std::size_t>(length)});
    Py_RETURN_NONE;
}

void write_note(PlaneObject* plane, std::uint32_t number, std::string_view words) {
    Journal& journal = plane->plane->recorder().journal;
    if (!journal.is_open()) return;
    Journal::Record record('N');
    record.put(number).put(static_cast<std::uint32_t>(words.size()));
    for (const char letter : words) record.put(letter);
    journal.write(plane->plane->now(), record);
}

// A record of what is none of the plane's own business, such as messages.
PyObject* plane_write_record(PyObject* object, PyObject* bytes) {
    Plane* plane = plane_of(object);
    if (!plane) return nullptr;
    if (!PyBytes_CheckExact(bytes)) return PyErr_Format(PyExc_TypeError, "write_record() takes bytes");
    plane->recorder().keep_record(PyBytes_AS_STRING(bytes),
                                  static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
    Py_RETURN_NONE;
}

}  // namespace kumi
