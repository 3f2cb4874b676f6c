"""Whatever is handed to planning, the error is a sentence of kumi's own and not one of its insides."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import planning
from kumi.geometry import Bounds, Disc, Point, Rectangle
from kumi.planning import (
    LENGTH,
    BetaSpline,
    Deadline,
    Grid,
    Limits,
    Mover,
    Path,
    PlannedStop,
    Replanner,
    Reservations,
    Space,
    SpeedZone,
    TimedMotion,
    Trajectory,
    Vehicle,
    WallSpace,
    Way,
    Zone,
    speed_profile,
    window,
)

LINE = Path.of([(0, 0, 0, 0, 0), (10, 0, 0, 0, 10)])
LIMITS = Limits(top_speed=2.0, acceleration=1.0)
PROFILE = speed_profile(LINE, LIMITS)
SPACE = Space([Rectangle(4, 4, 2, 2)], bounds=Bounds(0, 0, 10, 10))
FREE = np.zeros((5, 5), dtype=bool)
MOTION = TimedMotion.of([0, 1], [5, 5], [-3, 3], [0, 0])
MOVER = Mover(Disc(0.2), MOTION)
CELLS = [(0, 0), (4, 4)]

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "around": (
        planning.around,
        {
            "path": LINE,
            "limits": LIMITS,
            "shape": Disc(0.2),
            "others": [MOVER],
            "margin": 0.1,
            "resolution": 0.5,
            "regions": [window(4, 5, 2, 4)],
            "zones": [SpeedZone(1, 2, 1.0)],
            "stops": [PlannedStop(5.0, 1.0)],
            "deadlines": [Deadline(10.0, 100.0)],
            "start_speed": 0.0,
            "end_speed": 0.0,
        },
    ),
    "prioritised": (
        planning.prioritised,
        {"vehicles": [Vehicle(LINE, Disc(0.2), LIMITS)], "margin": 0.1, "resolution": 0.5, "step": 0.5},
    ),
    "conflicts": (
        planning.conflicts,
        {"path": LINE, "shape": Disc(0.2), "other": MOVER, "margin": 0.1, "resolution": 0.5},
    ),
    "window": (planning.window, {"start": 1.0, "end": 2.0, "opens": 0.0, "closes": 4.0}),
    "speed_profile": (
        planning.speed_profile,
        {
            "path": LINE,
            "limits": LIMITS,
            "zones": [SpeedZone(1, 2, 1.0)],
            "stops": [PlannedStop(5.0)],
            "deadlines": [Deadline(10.0, 100.0)],
            "start_speed": 0.0,
            "end_speed": 0.0,
        },
    ),
    "plan_route": (
        planning.plan_route,
        {
            "space": SPACE,
            "start": (1.0, 1.0),
            "goal": (9.0, 9.0),
            "clearance": 0.2,
            "by": "visibility",
            "criterion": LENGTH,
        },
    ),
    "fit_path": (
        planning.fit_path,
        {
            "route": [(1, 1), (9, 1)],
            "min_radius": 0.5,
            "clearance": 0.2,
            "space": SPACE,
            "start_heading": 0.0,
            "goal_heading": 1.0,
            "max_curvature_rate": 4.0,
            "spacing": 0.1,
        },
    ),
    "route_length": (planning.route_length, {"route": [(1, 1), (9, 1)]}),
    "Space": (Space, {"obstacles": [Rectangle(4, 4, 2, 2)], "bounds": Bounds(0, 0, 9, 9)}),
    "Wall": (WallSpace, {"start": (0, 0), "end": (1, 1), "thickness": 0.1}),
    "Limits": (Limits, {"top_speed": 1.0, "acceleration": 1.0, "jerk": 2.0}),
    "SpeedZone": (SpeedZone, {"start": 1.0, "end": 2.0, "speed": 1.0}),
    "Stop": (PlannedStop, {"s": 1.0, "seconds": 2.0}),
    "Deadline": (Deadline, {"s": 1.0, "time": 2.0}),
    "Trajectory": (Trajectory, {"path": LINE, "profile": PROFILE, "start": 0.0}),
    "Trajectory.states": (Trajectory(LINE, PROFILE).states, {"step": 0.5}),
    "Motion.of": (lambda t, x: TimedMotion.of(t, x, [0, 0], [0, 0]), {"t": [0, 1], "x": [0, 1]}),
    "Path.of": (Path.of, {"postures": [(0, 0, 0, 0, 0), (1, 0, 0, 0, 1)]}),
    "Path.at": (LINE.at, {"s": 1.0}),
    "Mover": (Mover, {"shape": Disc(0.2), "motion": MOTION}),
    "Vehicle": (Vehicle, {"path": LINE, "shape": Disc(0.2), "limits": LIMITS}),
    "BetaSpline": (BetaSpline, {"control": [(0, 0), (1, 0), (2, 1), (3, 1)], "bias": 1.0, "tension": 0.0}),
    "Profile.time_at": (PROFILE.time_at, {"way": 1.0}),
    "Profile.way_at": (PROFILE.way_at, {"time": 1.0}),
    "grid_path": (planning.grid_path, {"grid": FREE, "start": (0, 0), "goal": (4, 4), "moves": 8}),
    "any_angle_path": (planning.any_angle_path, {"grid": FREE, "start": (0, 0), "goal": (4, 4)}),
    "Grid": (Grid, {"blocked": FREE}),
    "inflate": (planning.inflate, {"grid": FREE, "radius": 1.0, "edges": True}),
    "near_costs": (planning.near_costs, {"grid": FREE, "beside": 10.0}),
    "distance_costs": (planning.distance_costs, {"grid": FREE, "most": 10.0, "reach": 3.0}),
    "clearances": (planning.clearances, {"grid": FREE}),
    "Replanner": (Replanner, {"grid": FREE, "goal": (0, 0), "moves": 8}),
    "solve_mapf": (
        planning.solve_mapf,
        {"grid": FREE, "starts": CELLS, "goals": CELLS[::-1], "seconds": 0.1},
    ),
    "check_mapf": (
        planning.check_mapf,
        {"grid": FREE, "starts": [(0, 0)], "goals": [(0, 1)], "paths": np.array([[(0, 0), (0, 1)]])},
    ),
    "read_map": (planning.read_map, {"path": FilePath("nowhere.map")}),
    "read_scen": (planning.read_scen, {"path": FilePath("nowhere.scen")}),
    "shyness": (planning.shyness, {"weight": 1.0, "distance": 2.0}),
    "Zone": (Zone, {"path": ((0, 0), (1, 0)), "radius": 0.2}),
    "Way.along": (Way.along, {"path": [(0, 0), (1, 0)], "radius": 0.2, "chunk": 0.5}),
    "Way": (Way, {"zones": (Zone((Point(0, 0),), 0.2),), "stays": True}),
    "Reservations": (Reservations, {"policy": "safe"}),
    "Reservations.enter": (
        lambda place: Reservations[str]().enter("a", place),
        {"place": Zone((Point(0, 0),), 0.2)},
    ),
}
INSIDES = re.compile(
    r"object has no attribute|has no len|object is not|unsupported operand|not supported between|"
    r"incompatible function arguments|must be real number|cannot unpack|not enough values|too many values|"
    r"could not (convert|be broadcast)|setting an array|truth value|unexpected keyword|positional argument|"
    r"only .* arrays can be converted|has no dtype|ufunc|inhomogeneous|argument must be|expected str|out of bounds|<string>"
)
BAD = [
    None,
    5,
    -1,
    "x",
    "",
    b"x",
    [],
    (),
    {},
    [None],
    [5],
    ["x"],
    (1,),
    (1, 2, 3),
    [(1, 2, 3)],
    object(),
    float("nan"),
    float("inf"),
    1e308,
    True,
    3j,
    np.zeros(3),
    np.array([["a"]]),
    lambda: 0,
    Disc,
    LINE,
    LIMITS,
]


def given_badly(name: str, argument: str, value: Any) -> str | None:
    """Call with one argument replaced; return what was said if it is not a sentence for a user."""
    call, arguments = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            call(**{**arguments, argument: value})
        except (TypeError, ValueError, OSError) as error:
            words = str(error)
            return words if INSIDES.search(words) or not words else None
        except (ArithmeticError, AttributeError, AssertionError, LookupError, MemoryError, Warning) as error:
            return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("name", CALLS)
def test_the_call_is_good_as_it_stands(name: str) -> None:
    call, arguments = CALLS[name]
    if name in {"read_map", "read_scen"}:
        return
    call(**arguments)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_of_the_wrong_kind_gets_a_sentence(name: str) -> None:
    said = [
        f"{argument}={value!r}: {words}"
        for argument in CALLS[name][1]
        for value in BAD
        if (words := given_badly(name, argument, value)) is not None
    ]

    assert said == []


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(data=st.data(), value=anything)
def test_anything_else_gets_a_sentence_too(data: st.DataObject, value: object) -> None:
    name = data.draw(st.sampled_from(sorted(set(CALLS) - {"solve_mapf"})))
    argument = data.draw(st.sampled_from(sorted(CALLS[name][1])))

    assert given_badly(name, argument, value) is None
