#include "kernel/trace.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

namespace kumi {

namespace {

std::uint64_t finish(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xFF51AFD7ED558CCDull;
    x ^= x >> 33;
    x *= 0xC4CEB9FE1A85EC53ull;
    return x ^ x >> 33;
}

// Attribute `name`, or null when there is none; with an error when reading it raised one.
Ref attribute(PyObject* object, const char* name) {
    Ref found(get_attribute(object, name));
    if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return found;
}

// Whether objects of a class are reduced by a method of its own, and by the general one that calls it.
bool says_how_it_is_made(PyTypeObject* type) {
    if (type->tp_dictoffset != 0) return false;  // an object may have methods of its own
    PyObject *object = reinterpret_cast<PyObject*>(type),
             *base = reinterpret_cast<PyObject*>(&PyBaseObject_Type);
    Ref general = attribute(object, "__reduce_ex__"), own = attribute(object, "__reduce__");
    Ref general_of_all = attribute(base, "__reduce_ex__"), of_all = attribute(base, "__reduce__");
    return general && own && general.get() == general_of_all.get() && own.get() != of_all.get();
}

// What inf - inf gives is a NaN with the sign bit set on x86, and without it on ARM.
template <class Bits> void make_nans_one(std::string& items, Bits infinity, Bits nan) {
    constexpr Bits MAGNITUDE = std::numeric_limits<Bits>::max() / 2;
    for (std::size_t at = 0; at + sizeof(Bits) <= items.size(); at += sizeof(Bits)) {
        Bits bits;
        std::memcpy(&bits, items.data() + at, sizeof bits);
        if ((bits & MAGNITUDE) > infinity) std::memcpy(items.data() + at, &nan, sizeof nan);
    }
}

// Items are floats, or complex numbers of two, in this machine's order of bytes: their type is the last letter.
char type_of_floats(std::string_view format) {
    if (format.starts_with('<')) format.remove_prefix(1);
    if (format.starts_with('Z')) format.remove_prefix(1);
    return format == "e" || format == "f" || format == "d" ? format[0] : '\0';
}

void make_nans_one(char type, std::string& items) {
    if (type == 'e') make_nans_one<std::uint16_t>(items, 0x7C00, 0x7E00);
    if (type == 'f') make_nans_one<std::uint32_t>(items, 0x7F800000, 0x7FC00000);
    if (type == 'd') make_nans_one<std::uint64_t>(items, 0x7FF0000000000000, 0x7FF8000000000000);
}

}  // namespace

std::string Hash128::hex() const {
    std::uint64_t a = finish(a_ ^ length_), b = finish(b_ + a);
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(finish(a + b)),
                  static_cast<unsigned long long>(b));
    return text;
}

void TraceBytes::put(const char* bytes, std::size_t length) {
    put(static_cast<std::uint64_t>(length));
    while (length) {
        std::size_t part = std::min(length, SIZE / 2);
        std::memcpy(room(part), bytes, part);
        bytes += part;
        length -= part;
    }
}

// Objects may refer to each other in circles, and share parts so often that writing them out would take
// for ever: a part that is being written already is named by its distance, and the whole is limited.
bool TraceBytes::put_value(PyObject* value, int depth) {
    if (depth == 0) budget_ = LARGEST;
    if (budget_ == 0) return put('~'), true;
    --budget_;
    if (value == Py_None) return put('N'), true;
    if (value == Py_True) return put('T'), true;
    if (value == Py_False) return put('F'), true;
    if (PyLong_CheckExact(value)) {
        int overflow = 0;
        long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (!overflow) return put('I'), put(static_cast<std::uint64_t>(number)), true;
        Ref text(PyNumber_ToBase(value, 16));  // decimal digits are limited in number
        if (!text) return false;
        Py_ssize_t length = 0;
        const char* utf8 = PyUnicode_AsUTF8AndSize(text.get(), &length);
        return utf8 && (put('J'), put(utf8, static_cast<std::size_t>(length)), true);
    }
    if (PyFloat_CheckExact(value)) return put('D'), put(PyFloat_AS_DOUBLE(value)), true;
    if (PyUnicode_CheckExact(value)) {
        if (PyUnicode_IS_COMPACT_ASCII(value)) {
            put('S');
            put(static_cast<const char*>(PyUnicode_DATA(value)),
                static_cast<std::size_t>(PyUnicode_GET_LENGTH(value)));
            return true;
        }
        Ref bytes(PyUnicode_AsEncodedString(value, "utf-8", "surrogatepass"));
        if (!bytes) return false;
        put('S');
        put(PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
        return true;
    }
    if (PyBytes_CheckExact(value)) {
        put('B');
        put(PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value)));
        return true;
    }
    if (depth == DEEPEST) return put('~'), true;
    for (int level = 0; level < depth; ++level)
        if (open_[level] == value) return put('^'), put(static_cast<std::uint32_t>(depth - level)), true;
    open_[depth] = value;
    if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
        Ref items(
            PySequence_Tuple(value));  // a copy of a list: reading its items may run code that changes it
        if (!items) return false;
        Py_ssize_t count = PyTuple_GET_SIZE(items.get());
        put(PyTuple_CheckExact(value) ? '(' : '[');
        put(static_cast<std::uint64_t>(count));
        for (Py_ssize_t i = 0; i < count; ++i)
            if (!put_value(PyTuple_GET_ITEM(items.get(), i), depth + 1)) return false;
        return true;
    }
    if (PyDict_CheckExact(value)) {
        Ref copy(PyDict_Copy(value));
        if (!copy) return false;
        put('{');
        put(static_cast<std::uint64_t>(PyDict_GET_SIZE(copy.get())));
        PyObject *key, *item;
        for (Py_ssize_t position = 0; PyDict_Next(copy.get(), &position, &key, &item);)
            if (!put_value(key, depth + 1) || !put_value(item, depth + 1)) return false;
        return true;
    }
    if (PyAnySet_CheckExact(value)) return put_unordered(value, depth);

    put('O');
    const Layout* layout = layout_of(Py_TYPE(value));
    if (!layout) return false;
    put(layout->name.data(), layout->name.size());
    if (layout->fields) {
        Ref fields = Ref::borrow(layout->fields.get());  // reading them may run code that makes more classes
        return put_fields(value, fields.get(), depth);
    }
    if (PyComplex_CheckExact(value)) {
        put(PyComplex_RealAsDouble(value));
        put(PyComplex_ImagAsDouble(value));
        return true;
    }
    if (layout->is_enumeration) {
        Ref member = attribute(value, "name");
        return member ? put_value(member.get(), depth + 1) : !PyErr_Occurred();
    }
    if (PyType_Check(value) && nameless_.contains(value)) return true;
    if (PyObject_CheckBuffer(value)) {
        Py_buffer view;
        if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) == 0) {
            const bool is_put = put_items(view);
            PyBuffer_Release(&view);
            if (is_put) return true;
        }
        PyErr_Clear();
    }
    if (PyFloat_Check(value)) return put(PyFloat_AS_DOUBLE(value)), true;
    if (PyLong_Check(value) || PyUnicode_Check(value)) {
        Ref plain(PyLong_Check(value) ? PyNumber_Long(value) : PyObject_Str(value));
        return plain && (!(PyLong_CheckExact(plain.get()) || PyUnicode_CheckExact(plain.get())) ||
                         put_value(plain.get(), depth + 1));
    }
    return put_reduced(value, depth);
}

// The items of a buffer in their order, however they lie in memory. False where they are no values but the addresses of
// objects.
bool TraceBytes::put_items(const Py_buffer& view) {
    const std::string_view format = view.format ? view.format : "";
    if (format.find('O') != format.npos) return false;
    const char* items = static_cast<const char*>(view.buf);
    const char floats = type_of_floats(format);
    std::string copy;
    if (floats || !PyBuffer_IsContiguous(&view, 'C')) {
        copy.resize(static_cast<std::size_t>(view.len));
        if (PyBuffer_ToContiguous(copy.data(), &view, view.len, 'C') < 0) return false;
        make_nans_one(floats, copy);
        items = copy.data();
    }
    put(format.data(), format.size());
    put(items, static_cast<std::size_t>(view.len));
    return true;
}

// What pickle would store: how the object is made, and its state. Objects that cannot be stored so count
// with the name of their type alone.
bool TraceBytes::put_reduced(PyObject* value, int depth) {
    const Layout* layout = layout_of(Py_TYPE(value));
    if (!layout) return false;
    // A class that says itself how its objects are made is asked directly, as the general method would.
    Ref reduced(layout->has_own_reduce ? PyObject_CallMethodNoArgs(value, names.reduce)
                                       : PyObject_CallMethod(value, "__reduce_ex__", "i", 2));
    if (!reduced) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)) return false;
        PyErr_Clear();
        if (PyType_Check(value) && nameless_.size() < MOST_LAYOUTS)
            nameless_.emplace(value, Ref::borrow(value));
        return true;
    }
    if (PyUnicode_Check(reduced.get())) return put_value(reduced.get(), depth + 1);
    if (!PyTuple_Check(reduced.get())) return true;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(reduced.get()); ++i) {
        Ref part = Ref::borrow(PyTuple_GET_ITEM(reduced.get(), i));
        if (PyIter_Check(part.get())) part = Ref(PySequence_List(part.get()));
        if (!part || !put_value(part.get(), depth + 1)) return false;
    }
    return true;
}

bool TraceBytes::put_fields(PyObject* value, PyObject* names, int depth) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
        Ref field(PyObject_GetAttr(value, PyTuple_GET_ITEM(names, i)));
        if (!field) {
            if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
            PyErr_Clear();
            put('?');
        } else if (!put_value(field.get(), depth + 1)) {
            return false;
        }
    }
    return true;
}

// Looking up the names of a class's fields takes longer than reading the fields, so they are kept. A class
// is kept with them: its address must not become that of another one.
const TraceBytes::Layout* TraceBytes::layout_of(PyTypeObject* type) {
    if (auto found = layouts_.find(type); found != layouts_.end()) return &found->second;
    PyObject* object = reinterpret_cast<PyObject*>(type);
    Layout layout{Ref::borrow(object), {}, {}, false, false};
    Ref name = attribute(object, "__qualname__");
    if (name && PyUnicode_Check(name.get())) {
        Py_ssize_t length = 0;
        const char* utf8 = PyUnicode_AsUTF8AndSize(name.get(), &length);
        if (!utf8) return nullptr;
        layout.name.assign(utf8, static_cast<std::size_t>(length));
    }
    for (const char* listing : {"__struct_fields__", "__dataclass_fields__", "_fields"}) {
        Ref names = attribute(object, listing);
        if (!names) continue;
        layout.fields = Ref(PySequence_Tuple(names.get()));
        if (!layout.fields) PyErr_Clear(), layout.fields = Ref(PyTuple_New(0));
        break;
    }
    if (!layout.fields && !PyErr_Occurred())
        layout.is_enumeration = static_cast<bool>(attribute(object, "__members__"));
    if (!PyErr_Occurred()) layout.has_own_reduce = says_how_it_is_made(type);
    if (PyErr_Occurred()) return nullptr;
    if (layouts_.size() >= MOST_LAYOUTS) layouts_.clear();
    return &layouts_.emplace(type, std::move(layout)).first->second;
}

// A set has no order of its own: its members are encoded apart and sorted by their bytes.
bool TraceBytes::put_unordered(PyObject* value, int depth) {
    std::vector<std::string> members;
    Ref items(PySequence_Tuple(value));
    if (!items) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
        auto apart = std::make_unique<TraceBytes>();
        apart->budget_ = budget_;
        std::copy(open_, open_ + depth + 1, apart->open_);
        if (!apart->put_value(PyTuple_GET_ITEM(items.get(), i), depth + 1)) return false;
        budget_ = apart->budget_;
        members.push_back(apart->digest());
    }
    std::sort(members.begin(), members.end());
    put('<');
    put(static_cast<std::uint64_t>(members.size()));
    for (const std::string& member : members) put(member.data(), member.size());
    return true;
}

}  // namespace kumi
