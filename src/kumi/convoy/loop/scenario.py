"""How does a scenario say which robots of a convoy are real, and by which devices?

A file with a table `[models]` and a table `[[real]]` for each real robot, as `kumi.loop.tables` has it; the
devices of such a robot are its motor, its infrared and its whiskers. Every mistake is named with its place, before a
process is started.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumi.convoy.loop.plan import DEVICES, LoopSetup, wrong_with
from kumi.convoy.staging import ConvoyTeam
from kumi.link.calibration import Calibration
from kumi.loop.real import Real
from kumi.loop.tables import real_of, refuse, tracking_of
from kumi.scenario.document import Place, ScenarioError, read_document
from kumi.scenario.models import models_of
from kumi.scenario.overrides import Override, override
from kumi.scenario.parts import fit
from kumi.scenario.scenario import find_loop


@dataclass(frozen=True)
class LoopScenario:
    """A convoy with real robots that makes sense."""

    name: str
    title: str
    seed: int
    plan: LoopSetup
    record: Path | None
    text: str


def load_loop(which: str | Path, overrides: Sequence[str | Override] = ()) -> LoopScenario:
    """Read a convoy with real robots and check it; raises ScenarioError."""
    path = find_loop(which, overrides)
    if path is None:
        raise ScenarioError(f"there is no scenario with real robots {str(which)!r}")
    document = read_document(path)
    override(document, overrides)
    place = Place(document, ())
    top = fit(_top, document.table, place, also={})
    convoy = models_of(top["models"], document.place("models"))
    if not isinstance(convoy, ConvoyTeam):
        place = document.place("real")
        raise place.error(f"{place.title} is for robots with programs, and for a convoy")
    tracking = tracking_of(top.get("tracking"), document.place("tracking"))
    real = tuple(
        _real(table, document.place("real", index)) for index, table in enumerate(top.get("real", ()))
    )
    refuse(document, real, list(wrong_with(convoy, real, tracking)))
    timing = {name: top[name] for name in TIMING if name in top}
    try:
        plan = LoopSetup(convoy=convoy, robots=real, tracking=tracking, **timing)
    except ValueError as error:
        raise place.error(str(error)) from error
    output = fit(_output, top.get("output", {}), document.place("output"), also={})
    record = output.get("record")
    return LoopScenario(
        path.stem,
        top.get("title", ""),
        top.get("seed", 0),
        plan,
        None if record is None else Path(record),
        document.present_text,
    )


TIMING = ("pace", "until", "patience", "tolerance", "setting_off", "turning_wheel")


def _top(
    *,
    models: dict[str, Any],
    real: list[dict[str, Any]] | None = None,
    tracking: dict[str, Any] | None = None,
    output: dict[str, Any] | None = None,
    title: str = "",
    seed: int = 0,
    pace: float = 1.0,
    until: float = 600.0,
    patience: float = 15.0,
    tolerance: float = 0.05,
    setting_off: float = 0.0,
    turning_wheel: float = 0.0,
) -> None:
    """Take what a file has at the top."""


def _output(*, record: str | None = None) -> None:
    """Take what a file says of what is written."""


def _real(table: dict[str, Any], place: Place) -> Real:
    found = real_of(table, place, _devices)
    if not Calibration.load(found.calibration).turns_on_the_spot:
        raise place.error(
            f"{place.title}: the robot of {found.calibration.name} cannot turn on the spot, as those of a convoy do: "
            "its wheel would have to turn across, 90° to both sides"
        )
    return found


def _devices(robot: int | str, place: Place) -> tuple[int, str | None, Sequence[str]]:
    if not isinstance(robot, int):
        spot = place.at("robot")
        raise spot.error(f"{spot.title} is {robot!r}; it takes a whole number, and 1 is the leader")
    return robot, None, DEVICES
