// Objects of one type that were let go, kept for the next of their kind: memory need not be asked for again.
#pragma once

#include "python/python.hpp"

namespace kumi {

template <typename Object, int COUNT> class Spares {
  public:
    // Returns an object with one reference, or null with an error set; its fields hold anything.
    Object* take(PyTypeObject* type) {
        if (count_ == 0) return reinterpret_cast<Object*>(type->tp_alloc(type, 0));
        Object* object = spares_[--count_];
        Py_SET_REFCNT(object, 1);
        if (PyType_IS_GC(type)) PyObject_GC_Track(reinterpret_cast<PyObject*>(object));
        return object;
    }

    // Keeps an object without references, whose fields own nothing more, or frees it.
    void give(PyObject* object) {
        if (count_ < COUNT) {
            spares_[count_++] = reinterpret_cast<Object*>(object);
            return;
        }
        PyTypeObject* type = Py_TYPE(object);
        type->tp_free(object);
        Py_DECREF(type);
    }

  private:
    Object* spares_[COUNT];
    int count_ = 0;
};

}  // namespace kumi
