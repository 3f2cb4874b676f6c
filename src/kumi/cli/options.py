"""Kinds of values that options take, each with a sentence for a wrong one."""

from __future__ import annotations

from math import isfinite, radians
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kumi.geometry import Pose


class AtLeast(click.ParamType[int]):
    """A whole number that is not smaller than another."""

    name = "number"

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number, or say what is allowed."""
        try:
            number = int(value)
        except ValueError:
            number = self.least - 1
        if number < self.least:
            self.fail(f"{value!r} is not a whole number of at least {self.least}.", param, ctx)
        return number


class Amount(click.ParamType[float]):
    """A number of metres or seconds, or of some a second: more than 0, or with `least` not less than that."""

    name = "number"

    def __init__(self, *, least: float | None = None) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number, or say what is allowed."""
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not isfinite(number) or (number <= 0.0 if self.least is None else number < self.least):
            least = "greater than 0" if self.least is None else f"of at least {self.least:g}"
            self.fail(f"{value!r} is not a number {least}.", param, ctx)
        return number


class Coordinate(click.ParamType[float]):
    """One of the two numbers of a place."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number, or say what is allowed."""
        try:
            return float(value)
        except ValueError:
            self.fail(
                f"{value!r} is not a number; a place is two of them with a blank between, such as 2 2.",
                param,
                ctx,
            )


class Folder(click.ParamType[Path]):
    """A folder that is there or can be made."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Make the folder, or say why it cannot be."""
        folder = Path(value)
        if not str(value):
            self.fail("a folder needs a name; '.' is the present one.", param, ctx)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            self.fail(f"'{folder}' is a file; give a folder.", param, ctx)
        except OSError as error:
            self.fail(f"the folder '{folder}' cannot be made: {error.strerror}.", param, ctx)
        return folder


class Placement(click.ParamType["Pose"]):
    """Where a robot stands and looks: x and y in metres and a heading in degrees, such as 1.5,2,90."""

    name = "X,Y,DEGREES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Pose:
        """Read the numbers, or say what is allowed; without a heading it looks along x."""
        from kumi.geometry import Point, Pose

        if isinstance(value, Pose):
            return value
        try:
            x, y, heading = (float(part) for part in [*value.split(","), "0"][:3])
        except ValueError:
            x = y = heading = float("nan")
        if not all(map(isfinite, (x, y, heading))) or value.count(",") not in {1, 2}:
            self.fail(f"{value!r} is not a place such as 1.5,2,90: metres, metres and degrees.", param, ctx)
        return Pose(Point(x, y), radians(heading))


class PlaceType(click.ParamType[tuple[str, int]]):
    """A port, or a host and a port, such as 9000 or 192.168.1.5:9000."""

    name = "[HOST:]PORT"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Read host and port, or say what is allowed."""
        if isinstance(value, tuple):
            return value
        host, _, port = str(value).rpartition(":")
        if not port.isdecimal() or int(port) > 65535:
            self.fail(f"{value!r} is not a port such as 9000, or a host and a port, host:9000.", param, ctx)
        return host or "127.0.0.1", int(port)


class WallType(click.ParamType[tuple[float, float, float, float]]):
    """A wall by its two ends: x and y of one and of the other in metres, such as 0,2,4,2."""

    name = "X,Y,X,Y"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float, float, float]:
        """Read the numbers, or say what is allowed."""
        if isinstance(value, tuple):
            return value
        try:
            x, y, end_x, end_y = (float(part) for part in value.split(","))
        except ValueError:
            self.fail(f"{value!r} is not a wall such as 0,2,4,2: x and y of both ends in metres.", param, ctx)
        return x, y, end_x, end_y
