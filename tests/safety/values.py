"""What may be given as an argument: values that fit a parameter of the stubs, and values that do not.

An annotation says what fits, and where it says `Any` the name of the parameter does: `HINTS` has those of the core. A
parameter with a new name gets anything, and a law tells which functions never answered to that.
"""

from __future__ import annotations

import ast
import random
import struct
from collections.abc import Callable
from math import inf, nan, pi
from typing import Any

import numpy as np

from kumi._core import Shape
from kumi.contract import MoveTo, Steer
from kumi.motion import Car, Omni, Wheel
from tests.memory import IS_SANITIZED

FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    0.1,
    2.0,
    3.7,
    10.0,
    pi,
    -pi,
    1e-3,
    1e-9,
    1e-300,
    5e-324,
    1e3,
    1e6,
    -1e6,
    1e9,
]
EXTREME = [1e15, 1e18, -1e18, 1e100, 1e155, 1e300, 1.7e308, -1.7e308, inf, -inf, nan]
INTS = [0, 1, 2, 3, 4, 5, 7, 16, 31, 100, -1, -2, 255, 256, 1000]
LARGE = [2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30]
TEXTS = ["", "a", "name", "x.y", "\ud800", "\0", "é組", "stop", "slide", "pass", "ask", "a" * 300]
BYTES = [b"", b"\0", bytes(32), bytes(range(64)), b"\xff" * 97, bytearray(8)]
DTYPES = ["float64", "float32", "int32", "uint8", "bool", "int64", "complex128", "U3"]
CLASSES = [int, float, str, object, type, list, Exception]
FEELER = Shape.polygon([(0.2, 0.0), (0.5, 0.0)])

Maker = Callable[[], Any]


class Values:
    """Makes values from a random generator; `things` gives an object of a class of the core, by its name."""

    def __init__(self, rng: random.Random, things: Callable[[str], Any], act: Callable[..., Any]) -> None:
        self.rng = rng
        self.things = things
        self.act = act

    def number(self) -> float:
        """Return a number, seldom one that makes no sense."""
        if self.rng.random() < 0.15:
            return self.rng.choice(EXTREME)
        return self.rng.choice(
            [self.rng.uniform(-10.0, 10.0), self.rng.choice(FLOATS), abs(self.rng.gauss(0, 3))]
        )

    def whole(self) -> int:
        """Return a whole number, seldom a large one."""
        return self.rng.choice(INTS if IS_SANITIZED or self.rng.random() < 0.9 else LARGE)

    def array(self) -> Any:
        """Return an array of some shape and kind, perhaps not contiguous."""
        shape = [
            self.rng.choice([0, 1, 2, 3, 5, 8, 17]) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 2, 3]))
        ]
        drawn = np.random.default_rng(self.rng.randrange(1000)).integers(-3, 9, shape)
        made = np.asarray(np.maximum(drawn, 0) if self.rng.random() < 0.7 else drawn)
        made = made.astype(self.rng.choice(DTYPES))
        if made.dtype.kind == "f" and made.size and self.rng.random() < 0.2:
            made.flat[0] = self.number()
        return self.rng.choice(
            [made, made, made.T, made[::2] if made.ndim else made, np.asfortranarray(made)]
        )

    def small(self) -> float:
        """Return a number as one in an array: mostly not far from 0, seldom extreme."""
        return self.number() if self.rng.random() < 0.01 else self.rng.uniform(-1.0, 4.0)

    def floats(self, *shape: int) -> Any:
        """Return an array of floats."""
        return np.array([self.small() for _ in range(int(np.prod(shape)))]).reshape(shape)

    def rows(self, width: int) -> Any:
        """Return a table of floats with so many columns and any number of rows."""
        return self.floats(self.rng.choice([0, 1, 2, 3, 9]), width)

    def numbered(self, width: int, count: int) -> Any:
        """Return a table whose first column counts through so many things, at least once."""
        table = abs(self.floats(count, width))
        table[:, 0] = np.arange(count)
        return table

    def bits(self) -> Any:
        """Return a small grid of which a few cells are taken."""
        drawn = np.random.default_rng(self.rng.randrange(1000)).random(
            (self.rng.choice([1, 4, 9]), self.rng.choice([3, 6]))
        )
        return (drawn < self.rng.choice([0.0, 0.2, 0.4])).astype(np.uint8)

    def some_of(self, count: int) -> Any:
        """Return who of so many is meant, or None for all."""
        return self.rng.choice([None, np.array([self.rng.random() < 0.7 for _ in range(count)], bool)])

    def packed(self, count: int) -> bytes:
        """Return floats as bytes."""
        return struct.pack(f"{count}d", *(self.small() for _ in range(count)))

    def hinted(self, function: str, parameter: str) -> Maker | None:
        """Return what makes a value for a parameter that has a hint."""
        hint = HINTS.get(f"{function}.{parameter}") or HINTS.get(parameter)
        return (lambda: hint(self)) if hint else None

    def anything(self, depth: int = 0) -> Any:
        """Return any value at all."""
        makers: list[Maker] = [
            self.number,
            self.whole,
            lambda: self.rng.choice(TEXTS),
            lambda: self.rng.choice(BYTES),
            lambda: None,
            lambda: self.rng.random() < 0.5,
            self.array,
            lambda: self.things("*"),
            lambda: self.act,
            lambda: self.rng.choice(CLASSES),
        ]
        if depth < 2:
            makers += [
                lambda: tuple(self.anything(depth + 1) for _ in range(self.rng.randrange(4))),
                lambda: [self.anything(depth + 1) for _ in range(self.rng.randrange(4))],
                lambda: {"a": self.anything(depth + 1)},
                lambda: (self.number(), self.number()),
                lambda: [(self.number(), self.number()) for _ in range(self.rng.randrange(6))],
            ]
        return self.rng.choice(makers)()

    def argument(self, function: str, parameter: str, annotation: ast.expr | None) -> Any:
        """Return a value for a parameter of a function; now and then one that does not fit."""
        make = self.hinted(function, parameter)
        return make() if make and self.rng.random() < 0.95 else self.fitting(annotation)

    def fitting(self, annotation: ast.expr | None) -> Any:
        """Return a value for a parameter with this annotation; now and then one that does not fit."""
        if annotation is None or self.rng.random() < 0.06:
            return self.anything()
        match annotation:
            case ast.BinOp(left=left, right=right):
                return self.fitting(self.rng.choice([left, right]))
            case ast.Constant(value=None):
                return None
            case ast.Subscript(value=ast.Name(id=name), slice=inside):
                return self.container(name, inside)
            case ast.Name(id=name):
                return self.named(name)
        return self.anything()

    def container(self, name: str, inside: ast.expr) -> Any:
        """Return a container of values that fit."""
        parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        if name == "tuple":
            return tuple(self.fitting(part) for part in parts)
        if name in {"Sequence", "list", "Iterable"}:
            return [self.fitting(parts[0]) for _ in range(self.rng.choice([0, 1, 2, 3, 4, 9]))]
        if name == "Callable":
            return self.act
        return self.rng.choice(CLASSES) if name == "type" else self.named(name)

    def named(self, name: str) -> Any:
        """Return a value of a class, by its name."""
        match name:
            case "float":
                return self.number()
            case "int":
                return self.whole()
            case "bool":
                return self.rng.random() < 0.5
            case "str":
                return self.rng.choice(TEXTS)
            case "bytes":
                return self.rng.choice(BYTES)
            case "Any" | "object":
                return self.array() if self.rng.random() < 0.4 else self.anything()
            case "Coroutine":
                return self.things("coroutine")
            case "BaseException":
                return self.rng.choice([ValueError("meant"), KeyError("meant"), None])
        return self.things(name)


HINTS: dict[str, Callable[[Values], Any]] = {
    # numbers that are given out, counts, and texts of which a function knows some
    "number": lambda v: v.rng.choice([0, 0, 1, 2, 3, v.whole()]),
    "name": lambda v: v.rng.choice([*"abcdef", *TEXTS]),
    "most": lambda v: v.rng.choice([0, 1, 5, v.whole()]),
    "moves": lambda v: v.rng.choice([4, 8, v.whole()]),
    "count": lambda v: v.rng.choice([1, 3, 40, v.whole()]),
    "kind": lambda v: v.rng.choice(["normal", "uniform", *TEXTS]),
    "policy": lambda v: v.rng.choice(["stop", "slide", "pass", "ask", v.act]),
    "stopping": lambda v: v.rng.randrange(1, 32),
    "echoing": lambda v: v.rng.randrange(1, 32),
    "traits": lambda v: v.rng.randrange(32),
    "seed": lambda v: v.rng.choice([bytes(32), v.rng.randbytes(32), 3, v.whole()]),
    "cost_path.least": lambda _: 0.5,
    "cost_path.greatest": lambda _: 4.0,
    "radius": lambda v: abs(v.number()),
    "duration": lambda v: v.rng.choice([0.0, 0.5, v.number()]),
    "x": lambda v: v.rng.choice([v.small(), v.number(), v.array()]),
    # commands, bodies, robots
    "drive": lambda v: v.rng.choice(
        [None, Omni(), Wheel(), Wheel(acceleration=1.0), Car(0.3), v.things("*")]
    ),
    "command": lambda v: v.rng.choice(COMMANDS)(v),
    "RobotBase.body": lambda v: v.things(v.rng.choice(["PlaneBody", "PlaneBody", "*"])),
    "robot": lambda v: v.things(v.rng.choice(["RobotBase", "Stranger"])),
    "args": lambda v: v.rng.choice([(v.things("Point"), "wall", 0.5, None), (), v.anything()]),
    "told": lambda v: v.act,
    "feeler": lambda v: v.rng.choice([FEELER, FEELER, v.things("Shape")]),
    "key": lambda v: v.rng.choice([0, 0, -1, v.whole()]),
    "model": lambda v: v.things("Atomic"),
    "interrupt.kind": lambda v: v.rng.choice([KeyboardInterrupt, ValueError, *CLASSES]),
    "interp.at": lambda v: np.cumsum(abs(v.floats(4))),
    "interp.values": lambda v: v.floats(4),
    "run_apart.ahead": lambda v: v.rng.random() < 0.5,
    "source": lambda v: v.things(v.rng.choice(["InPort", "OutPort"])),
    "target": lambda v: v.things("InPort"),
    "owner": lambda v: v.things("Atomic"),
    "type": lambda v: v.rng.choice([object, int, v.anything()]),
    "from_bytes.data": lambda v: v.rng.choice(
        [bytes(97), bytes([v.rng.randrange(3)]) + v.rng.randbytes(96), v.rng.choice(BYTES)]
    ),
    # rays, sounds, pictures
    "directions": lambda v: v.rng.choice([v.floats(9), v.packed(6), v.array()]),
    "distances": lambda v: v.packed(v.rng.randrange(6)),
    "spread": lambda v: v.rng.randrange(-1, 5),
    "places": lambda v: abs(v.floats(v.rng.choice([0, 1, 40]), 2)),
    "sides": lambda v: v.packed(4),
    "drops": lambda v: v.packed(3),
    "ahead": lambda v: v.packed(4),
    "colours": lambda v: v.packed(12),
    "draw_round.ahead": lambda v: v.small(),
    # grids
    "cells": lambda v: v.bits(),
    "blocked": lambda v: v.bits(),
    "costs": lambda v: (v.bits() * 3.0 + 0.5).astype(v.rng.choice(["float64", "float32"])),
    "starts": lambda v: np.array(v.rng.choice([[0], [0, 1], [], [v.rng.randrange(-1, 20)]]), np.int64),
    "goals": lambda v: np.array(v.rng.choice([[1], [1, 2], [], [v.rng.randrange(-1, 20)]]), np.int64),
    "memory": lambda v: v.rng.choice([1 << 24, v.whole()]),
    "rounds": lambda v: v.rng.choice([0, 1, 20]),
    "row": lambda v: v.rng.randrange(-1, 4),
    "column": lambda v: v.rng.randrange(-1, 4),
    "goal_row": lambda v: v.rng.randrange(-1, 4),
    "goal_column": lambda v: v.rng.randrange(-1, 4),
    "nearest_lines.lines": lambda v: v.floats(3, 5),
    "xs": lambda v: v.floats(4),
    "ys": lambda v: v.floats(3),
    # sensors of several bodies, and of one
    "scan_together.bodies": lambda v: [v.things("PlaneBody")],
    "scan_together.turns": lambda v: v.floats(3),
    "scan_together.out": lambda v: v.floats(1, 3),
    "misread_together.bodies": lambda v: [v.things("PlaneBody")],
    "misread_together.rows": lambda v: v.floats(1, 3),
    "range_together.bodies": lambda v: [v.things("PlaneBody")],
    "range_together.out": lambda v: v.floats(1, 1),
    "Eye.place": lambda v: v.rng.choice([lambda: 0.1, v.act]),
    "Eye.view": lambda v: v.rng.choice([0.0, 0.5, v.number()]),
    "Eye.reach": lambda v: abs(v.number()),
    # local avoidance
    "own": lambda v: abs(v.rows(8)),
    "seen": lambda v: abs(v.rows(6)),
    "walls": lambda v: abs(v.rows(5)),
    "planes": lambda v: v.rows(3),
    "wanted": lambda v: v.floats(2),
    "hard": lambda v: v.rng.randrange(3),
    # mapping
    "count_points.points": lambda v: v.floats(9, 2),
    "shift_scores.points": lambda v: v.floats(9, 2),
    "shift_scores.gains": lambda v: v.floats(20, 20).astype(np.int16),
    "sum_worth.points": lambda v: v.floats(9, 2),
    "sum_worth.worth": lambda v: v.floats(6, 7),
    "mounts": lambda v: v.floats(2, 3),
    "beams": lambda v: abs(v.floats(10)) + 0.1,
    "ParticleFilter.errors": lambda v: v.floats(3),
    "odometry": lambda v: v.floats(6),
    "settings": lambda v: abs(v.floats(5)),
    "ranges": lambda v: v.floats(2),
    "evidence": lambda v: v.floats(3, 4).astype(np.float32),
    # speeds along a way
    "rests": lambda v: abs(v.floats(4)),
    "squares": lambda v: v.numbered(2, 4),
    "lattice_drive.cells": lambda v: v.numbered(5, 3),
    "pieces": lambda v: v.rng.choice([v.numbered(7, 3), np.zeros((0, 7))]),
    "lattice_drive.corners": lambda v: v.rng.choice([v.numbered(3, 3), np.zeros((0, 3))]),
    "closed": lambda v: v.rng.choice([v.numbered(3, 4), np.zeros((0, 3))]),
    "s": lambda v: np.cumsum(abs(v.floats(5))),
    "z": lambda v: abs(v.floats(5)),
    "ways": lambda v: abs(v.floats(3)),
    "bends": lambda v: v.floats(3),
    "caps": lambda v: abs(v.floats(4)),
    # arrays of a team's size, which is three, mostly
    "_positions.out": lambda _: np.zeros((3, 2)),
    "_velocities.out": lambda _: np.zeros((3, 2)),
    "_contact_places.out": lambda _: np.zeros((3, 2)),
    "_moving.out": lambda _: np.zeros(3, bool),
    "_present.out": lambda _: np.zeros(3, bool),
    "_contacts.out": lambda _: np.zeros(3, np.int64),
    "out": lambda _: np.zeros(3),
    "speeds": lambda v: v.floats(3),
    "turn_speeds": lambda v: v.floats(3),
    "first": lambda v: v.floats(3),
    "second": lambda v: v.floats(3),
    "which": lambda v: v.some_of(3),
    # parts of a model on several processes
    "place": lambda v: v.rng.choice([0, 0, 1, v.whole()]),
    "step": lambda v: v.rng.choice([0, 1, v.whole()]),
    "end_step.places": lambda v: v.rng.choice([[], [0], [v.whole()]]),
    "end_step.values": lambda v: v.rng.choice([[], [(0, 0, 0, v.things("InPort"), v.anything())]]),
    "ahead_steps.times": lambda v: [v.number()],
    "align.steps": lambda v: v.rng.choice([[], [(0.0, 0, 1, [0])], v.anything()]),
}
"""What makes a value for a parameter, by its name, or by that of the function or class and its own."""

COMMANDS: list[Callable[[Values], Any]] = [
    lambda v: MoveTo((v.number(), v.number())),
    lambda v: Steer(v.small(), v.small()),
    lambda v: Steer(v.number(), v.number()),
    lambda v: v.anything(),
]
