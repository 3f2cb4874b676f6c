// The methods of a plane for Python, by the file in which they are; each gives null with a Python error.
#pragma once

#include "objects/plane.hpp"

namespace kumi {

inline PlaneObject* object_of(PyObject* self) { return reinterpret_cast<PlaneObject*>(self); }

// plane.cpp: the plane at the present time, and the number of a body, or NOBODY for None.
Plane* plane_of(PyObject* object);
bool read_body(PyObject* object, BodyId& id);

// plane_making.cpp
PyObject* plane_add_wall(PyObject* object, PyObject* args);
PyObject* plane_add_pillar(PyObject* object, PyObject* args);
PyObject* plane_add_block(PyObject* object, PyObject* args);
PyObject* plane_add_region(PyObject* object, PyObject* args);
PyObject* plane_tell_obstacle(PyObject* object, PyObject* args);
PyObject* plane_take_away(PyObject* object, PyObject* number);
PyObject* plane_body_in(PyObject* object, PyObject* number);
PyObject* plane_set_policy(PyObject* object, PyObject* given);
PyObject* plane_set_names(PyObject* object, PyObject* names);
PyObject* plane_add_walkers(PyObject* object, PyObject* args);

// plane_queries.cpp
PyObject* plane_first_hit(PyObject* object, PyObject* args);
PyObject* plane_echoes(PyObject* object, PyObject* args);
PyObject* plane_obstacle_hits(PyObject* object, PyObject* args);
PyObject* plane_nearest_in_cone(PyObject* object, PyObject* args);
PyObject* plane_around(PyObject* object, PyObject* args);
PyObject* plane_in_sight(PyObject* object, PyObject* args);
PyObject* plane_near(PyObject* object, PyObject* args);
PyObject* plane_near_centres(PyObject* object, PyObject* args);
PyObject* plane_near_obstacles(PyObject* object, PyObject* args);
PyObject* plane_obstacles_along(PyObject* object, PyObject* args);
PyObject* plane_is_solid(PyObject* object, PyObject* given);
PyObject* plane_ground(PyObject* object, PyObject* given);
PyObject* plane_in_the_way(PyObject* object, PyObject* args);
PyObject* plane_least_gap(PyObject* object, PyObject*);
PyObject* plane_places(PyObject* object, PyObject*);

// plane_together.cpp
PyObject* plane_scan_together(PyObject* object, PyObject* args);
PyObject* plane_range_together(PyObject* object, PyObject* args);
PyObject* plane_misread_together(PyObject* object, PyObject* args);
PyObject* plane_sight_together(PyObject* object, PyObject* args);
PyObject* plane_around_together(PyObject* object, PyObject* args);

// plane_facts.cpp
extern PyGetSetDef plane_getset[];

// plane_journal.cpp
PyObject* plane_keep_journal(PyObject* object, PyObject* on);
PyObject* plane_take_journal(PyObject* object, PyObject*);
PyObject* plane_snapshot(PyObject* object, PyObject*);
PyObject* plane_note(PyObject* object, PyObject* args);
PyObject* plane_note_together(PyObject* object, PyObject* args);
PyObject* plane_write_record(PyObject* object, PyObject* bytes);

}  // namespace kumi
