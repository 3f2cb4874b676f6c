"""What may be given as an argument: values that fit an annotation of the stubs, and values that do not."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from math import inf, nan, pi
from typing import Any

import numpy as np

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
