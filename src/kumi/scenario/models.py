"""Which models does a scenario have in place of robots with programs?

A table `[models]` names them as programs are named, `kind = "module:name"` or `"path.py:name"`, and its other keys are
what that class takes by keyword. What it makes has a world with a body for each robot, and the model that the world is a
part of. So logs, run files, pictures, real robots in the loop and studies are the same for robots that are models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from kumi.contract import Body
from kumi.devs import Coupled
from kumi.geometry import BodyShape, Pose
from kumi.motion import Drive
from kumi.scenario.complaints import shown
from kumi.scenario.lookup import find
from kumi.scenario.parts import make
from kumi.sensing import Sensor
from kumi.world import SimulatedBody, World

if TYPE_CHECKING:
    from kumi.scenario.document import Place
    from kumi.stage.outcome import Outcome
    from kumi.stage.stage import Stage

KIND = "kind"


@dataclass(frozen=True)
class Outfit:
    """With what a robot moves and senses."""

    shape: BodyShape
    drive: Drive | None
    sensors: Mapping[str, Sensor]


class RealRobots(Protocol):
    """The robots of a run that are real."""

    def between(self, body: SimulatedBody, /) -> Body:
        """Return the body that drives and senses for a robot: that of a real one, or the simulated one itself."""

    def truth(self, number: int, /) -> Pose | None:
        """Return where a robot truly is; None for one that is not real, and where nobody knows."""


@runtime_checkable
class Models(Protocol):
    """Robots made of models, to be staged once."""

    @property
    def world(self) -> World:
        """The world, with a body for each robot."""

    @property
    def whole(self) -> Coupled:
        """The model that has the world and the robots in it."""

    @property
    def names(self) -> Sequence[str]:
        """The name of each robot, by its number."""

    @property
    def radius(self) -> float | None:
        """The radius that all robots have; None if they differ or are not round."""

    def assemble(self, real: RealRobots | None) -> None:
        """Make the models: before there is a stage or, where robots are real, when those have answered."""

    def join(self, stage: Stage) -> None:
        """Take the stage on which they are, whose run they end when it is over."""

    def measured(self, outcome: Outcome) -> Mapping[str, Any]:
        """Return what `kumi run --json` tells of them at the end."""

    def rows(self, outcome: Outcome) -> Sequence[tuple[str, str]]:
        """Return what the table of `kumi run` says of them at the end: labels and values."""


@runtime_checkable
class RealizableModels(Models, Protocol):
    """Models whose robots may be real."""

    def sensors_of(self, number: int) -> Mapping[str, Sensor]:
        """Return the sensors of a robot, by the names by which `[[real]]` says of which kind each is."""


def models_of(table: Mapping[str, Any], place: Place) -> Models:
    """Return the models that a table describes, or say what is wrong with it."""
    kind = table.get(KIND)
    if not isinstance(kind, str):
        was = f"is {shown(kind)}" if KIND in table else "is missing"
        raise place.at(KIND).error(
            f'{place.at(KIND).title} {was}; it takes a class of models as "module:name" or "path.py:name"'
        )
    maker = find(kind, place.at(KIND), {}, "class of models", _makes_models)
    if not callable(maker):
        raise place.at(KIND).error(f"{place.at(KIND).title}: {kind} is no class of models")
    made: object = make(dict(table), {kind: maker}, place)
    if not isinstance(made, Models):
        raise place.at(KIND).error(
            f"{place.at(KIND).title}: {kind} makes no models; they have world, whole, names, radius, assemble(), join(), "
            "measured() and rows()"
        )
    return made


def _makes_models(thing: object) -> bool:
    return isinstance(thing, type) and isinstance(getattr(thing, "join", None), Callable)  # type: ignore[arg-type]
