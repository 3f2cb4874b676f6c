"""What runs inside the sandbox, around the uploaded code. It stands alone: the standard library is all there is.

Lines of JSON go both ways. In: first the code and what to do with it, then the answers. Out: calls of the robot, what was
printed, and the end. What the code prints does not get mixed with the talk.
"""

from __future__ import annotations

import importlib
import inspect
import io
import json
import os
import sys
import traceback
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any, NamedTuple

_IN = os.fdopen(os.dup(0), encoding="utf-8")
_OUT = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)


def _say(**words: Any) -> None:
    _OUT.write(json.dumps(words) + "\n")
    _OUT.flush()


class Printed(io.TextIOBase):
    """Where print() goes: to the team, line by line."""

    def write(self, text: str) -> int:
        """Pass a text on."""
        if text:
            _say(print=text)
        return len(text)


class RobotError(Exception):
    """The robot could not do it; the message says why."""


class Seen(NamedTuple):
    """Something that `look` tells of: its kind is "object" or "robot"; metres, and radians from ahead to the left."""

    name: str
    kind: str
    distance: float
    bearing: float


class Robot:
    """The robot that this code may move. Each call waits until it is done; metres, radians, seconds."""

    Error = RobotError
    """What a call raises when the robot could not do it."""

    def _call(self, name: str, *arguments: Any) -> Any:
        _say(call=name, arguments=arguments)
        line = _IN.readline()
        if not line:
            raise SystemExit("the robot is gone")
        answer = json.loads(line)
        if "error" in answer:
            raise RobotError(answer["error"])
        return answer["value"]

    def go_to(self, x: float, y: float) -> None:
        """Go to a place, around obstacles."""
        self._call("go_to", x, y)

    def forward(self, distance: float) -> None:
        """Go straight on; back where the distance is negative."""
        self._call("forward", distance)

    def turn(self, angle: float) -> None:
        """Turn on the spot, to the left where the angle is positive."""
        self._call("turn", angle)

    def sleep(self, seconds: float) -> None:
        """Stand still for a while."""
        self._call("sleep", seconds)

    def position(self) -> tuple[float, float, float]:
        """Return x, y and heading."""
        x, y, heading = self._call("position")
        return x, y, heading

    def read(self, sensor: str) -> Any:
        """Return what a sensor measures now."""
        return self._call("read", sensor)

    def mark(self, name: str, x: float, y: float) -> None:
        """Mark something that was discovered."""
        self._call("mark", name, x, y)

    def look(self) -> list[Seen]:
        """Return what is in sight, the nearest first; in a contest."""
        return [Seen(**one) for one in self._call("look")]

    def ranges(self) -> list[tuple[float, float]]:
        """Return bearing and distance of the nearest surface, from ahead to the left all around; in a contest."""
        return [(bearing, distance) for bearing, distance in self._call("ranges")]

    def report(self, name: str, x: float, y: float) -> str:
        """Report an object at a place, with a picture of what is ahead; return the referee's answer; in a contest."""
        return str(self._call("report", name, x, y))

    def arena(self) -> tuple[float, float, float, float]:
        """Return left, bottom, right and top of the arena; in a contest."""
        left, bottom, right, top = self._call("arena")
        return left, bottom, right, top

    def time(self) -> float:
        """Return the seconds since the match began; in a contest."""
        return float(self._call("time"))

    def number(self) -> int:
        """Return which robot of its team this is, from 0; in a contest."""
        return int(self._call("number"))


class Sent(MetaPathFinder, Loader):
    """Finds the modules that the team sent before, for code that imports them."""

    def __init__(self, codes: dict[str, str], robot: Robot) -> None:
        self._codes, self._robot = codes, robot

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how to load a module that was sent, or None."""
        del path, target
        return spec_from_loader(name, self) if name in self._codes else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the code of a module."""
        module.__dict__["robot"] = self._robot
        name = module.__name__
        exec(compile(self._codes[name], f"{name}.py", "exec"), module.__dict__)  # noqa: S102 - what the sandbox is for


_KINDS = {"str": "text", "tuple": "spot", "list": "spots"}
"""What annotations say of the values of a task; any other is a number."""


def _options(module: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the tasks of a module take, from their signatures."""
    options = []
    for name, function in module.get("TASKS", {}).items():
        about = (function.__doc__ or "").strip().partition("\n")[0]
        options.append({"name": name, "about": about, "parameters": _parameters(function)})
    return options


def _parameters(function: Any) -> list[dict[str, str]]:
    """Return what a task takes besides its robot."""
    described = []
    for one in list(inspect.signature(function).parameters.values())[1:]:
        annotation = (
            one.annotation if isinstance(one.annotation, str) else getattr(one.annotation, "__name__", "")
        )
        described.append({"name": one.name, "kind": _KINDS.get(annotation.partition("[")[0], "number")})
    return described


def _values(function: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a task was given, with places as tuples: x and y in metres."""
    values = dict(arguments)
    for one in _parameters(function):
        name = one["name"]
        if one["kind"] == "spot" and name in values:
            values[name] = _place(values[name])
        elif one["kind"] == "spots" and name in values:
            values[name] = [_place(spot) for spot in values[name]]
    return values


def _place(spot: dict[str, float]) -> tuple[float, float]:
    return spot["x"], spot["y"]


def _play(module: dict[str, Any], robot: Robot) -> None:
    """Play a match with the code of a team."""
    if not callable(module.get("play")):
        raise TypeError("a team's code needs a function play(robot), and this has none")
    module["play"](robot)


def _main() -> None:
    order = json.loads(_IN.readline())
    sys.stdout = sys.stderr = Printed()
    robot = Robot()
    if "seed" in order:
        importlib.import_module("random").seed(order["seed"])
    sys.meta_path.append(Sent(order.get("modules", {}), robot))
    space: dict[str, Any] = {
        "robot": robot,
        "__name__": "__main__" if order["do"] == "run" else order["name"],
    }
    try:
        exec(compile(order["code"], order["name"] + ".py", "exec"), space)  # noqa: S102 - what the sandbox is for
        value = None
        if order["do"] in ("describe", "run"):
            value = _options(space)
        elif order["do"] == "play":
            _play(space, robot)
        elif order["do"] == "task":
            function = space["TASKS"][order["task"]]
            value = function(robot, **_values(function, order["arguments"]))
        _say(ended=value if isinstance(value, str | list) else None)
    except SystemExit as left:
        _say(ended=None if left.code in (None, 0) else str(left.code))
    except BaseException as error:  # noqa: BLE001 - the team is told, whatever it was
        lines = traceback.format_exception(error)
        own = [line for line in lines if "inside.py" not in line]
        _say(failed=f"{type(error).__name__}: {error}", trace="".join(own)[-4000:])


if __name__ == "__main__":
    _main()
