// What is told of a run, to its hash and to a sink; and the paths by which models are named.
#include "kernel/engine.hpp"

#include "kernel/task.hpp"

#include <algorithm>

namespace kumi {

namespace {

constexpr std::size_t DEEPEST = 100'000;  // models around a model

}  // namespace

void Engine::set_sink(PyObject* sink) {
    sink_ = Ref::borrow(sink == Py_None ? nullptr : sink);
    tracing = hash_ || sink_;
}

void Engine::stamp(Record kind) {
    if (agenda.now != hashed_time_) {
        hashed_time_ = agenda.now;
        hash_->put('@');
        hash_->put(agenda.now);
    }
    hash_->put(static_cast<char>(kind));
}

void Engine::record(Record kind, Node& node, PyObject* value) {
    if (hash_) {
        stamp(kind);
        hash_->put(node.number);
        if (value && !hash_->put_value(value)) fail(node, "tracing");
    }
    if (sink_) {
        Ref path = path_text(node.object());
        if (!path) fail("tracing");
        tell(kind, path.get(), value);
    }
}

void Engine::record(Record kind, PortObject* port, PyObject* value) {
    if (hash_) {
        stamp(kind);
        if (port->model) {
            hash_->put(port->model->node.number);
            hash_->put(port->index);
        } else {
            Ref path = port_path(port);
            if (!path || !hash_->put_value(path.get())) fail("tracing");
        }
        if (!hash_->put_value(value)) fail("tracing");
    }
    if (sink_) {
        Ref path = port_path(port);
        if (!path) fail("tracing");
        tell(kind, path.get(), value);
    }
}

void Engine::record(Record kind, PyObject* path, PyObject* value) {
    if (hash_) {
        stamp(kind);
        if (path && !hash_->put_value(path)) fail("tracing");
        if (value && !hash_->put_value(value)) fail("tracing");
    }
    if (sink_) tell(kind, path, value);
}

void Engine::record(const char* bytes, std::size_t length) {
    if (hash_) hash_->put(bytes, length);
}

void Engine::tell(Record kind, PyObject* path, PyObject* value) {
    if (!sink_) return;  // it went while the path was asked for
    char tag[2] = {static_cast<char>(kind), 0};
    Ref sink = Ref::borrow(sink_.get());  // it may replace itself
    Ref result(PyObject_CallFunction(sink.get(), "sdOO", tag, agenda.now, path ? path : Py_None,
                                     value ? value : Py_None));
    if (!result) fail("a sink");
}

std::string path_of(PyObject* component) {
    ErrorAside aside;
    Ref text = path_text(component);
    if (!text) {
        PyErr_Clear();
        return "?";
    }
    const char* utf8 = PyUnicode_AsUTF8(text.get());
    if (!utf8) PyErr_Clear();
    return utf8 ? utf8 : "?";
}

Ref path_text(PyObject* component) {
    std::vector<Ref> names;
    for (Ref at = Ref::borrow(component); at && at.get() != Py_None;) {
        if (names.size() == DEEPEST) {
            raise("StructureError", "a model of class %s stands in itself, or in more than %zu others",
                  Py_TYPE(component)->tp_name, DEEPEST);
            return Ref();
        }
        Ref name(get_attribute(at.get(), "name"));
        if (!name) return Ref();
        if (!PyUnicode_Check(name.get())) {
            raise("StructureError", "%s.__init__ did not call super().__init__(name)",
                  Py_TYPE(at.get())->tp_name);
            return Ref();
        }
        names.push_back(std::move(name));
        at = Ref(get_attribute(at.get(), "parent"));
        if (!at) return Ref();
    }
    std::reverse(names.begin(), names.end());
    Ref list(PyList_New(0)), dot(PyUnicode_FromString("."));
    for (const Ref& name : names)
        if (!list || PyList_Append(list.get(), name.get()) < 0) return Ref();
    return Ref(list && dot ? PyUnicode_Join(dot.get(), list.get()) : nullptr);
}

}  // namespace kumi
