"""How do the robots of a team come onto a stage?

They are ordinary robots, alike but for place and heading; one program leads them, and it alone. Contacts of robots that the
core does not see are counted beside that program.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kumi.devs import Together, together
from kumi.geometry import BodyShape, Disc, PointLike
from kumi.motion import Drive
from kumi.sensing import Sensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from kumi.link.ports import Port
    from kumi.robot import Team
    from kumi.stage.links import RobotPort
    from kumi.world import SimulatedBody

    Line: TypeAlias = str | Callable[[], Port] | RobotPort | None


class TeamKit(NamedTuple):
    """What each robot of a team is, moves with and senses with."""

    shape: BodyShape | None
    drive: Drive | None
    sensors: Mapping[str, Sensor] | None


@dataclass
class TeamParts:
    """A team of a stage: what its robots have in common, and their bodies."""

    team: Team
    kit: TeamKit
    name: str | None
    bodies: list[SimulatedBody] = field(default_factory=list)
    listeners: Together | None = None
    """Where contacts that the core does not see are counted, as long as the program goes on."""

    def listen(self, number: int) -> None:
        """Count the contacts of a robot, if the core does not."""
        if self.listeners is not None and not self.team._is_plain(number):
            self.listeners.start(self.team._listen, number)

    async def lead(self, program: Coroutine[Any, Any, Any]) -> None:
        """Run the program of the team."""
        try:
            async with together() as self.listeners:
                for number in range(len(self.team)):
                    self.listen(number)
                await program
                self.listeners.cut()
        finally:
            self.listeners = None


def as_shape(radius: float | None, shape: BodyShape | None) -> BodyShape | None:
    """Return the shape of a robot that is a disc of a radius, or has another shape."""
    if radius is None:
        return shape
    if shape is not None:
        raise ValueError("a robot has a radius, or another shape, not both")
    return Disc(radius)


def check_linked(*own: object) -> None:
    """Refuse a radius, a shape, a drive or sensors for a robot at a port, which has its own."""
    words = ("radius", "shape", "drive", "sensors")
    if given := [word for word, value in zip(words, own, strict=True) if value is not None]:
        raise ValueError(
            f"a robot at a port has its own size, drive and sensors, so it takes no {' and no '.join(given)}"
        )


def each_of(
    count: int, at: Iterable[PointLike], heading: float | Iterable[float], ports: Iterable[Line] | None
) -> tuple[list[PointLike], list[float], list[Line]]:
    """Return place, heading and port of each robot; a list of another length is refused."""
    given: object = count
    if not isinstance(given, Integral) or count < 0:
        raise ValueError(f"a team has a whole number of robots >= 0, not {count!r}")
    places = list(at)
    headings = (
        list(repeat(float(heading), count)) if isinstance(heading, int | float) else list(map(float, heading))
    )
    lines: list[Line] = list(repeat(None, count)) if ports is None else list(ports)
    for what, given in (("places", places), ("headings", headings), ("ports", lines)):
        if len(given) != count:
            raise ValueError(f"a team of {count} robots needs {count} {what}, not {len(given)}")
    return places, headings, lines


def check_team_sensors(kind: type[Team], sensors: Mapping[str, Sensor] | None) -> None:
    """Refuse a name by which a team could not ask for its sensors."""
    for name in sensors or {}:
        if hasattr(kind, name) or name in {"name", "chance"}:
            raise ValueError(
                f"a sensor of a team cannot be named {name!r}: a team has something of that name already"
            )
