"""How does a scenario say which robots of a convoy are real, and by which devices?

A file with a table `[convoy]` and a table `[[real]]` for each real robot: its number, the kind of each device, and a
port or how it is emulated. What each table takes is what the class behind it takes, by the same names. Every mistake is
named with its place, before a process is started.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from kumi.experiment.convoy import Setup
from kumi.experiment.convoy.staging import setup_of
from kumi.experiment.document import Document, Place, ScenarioError, read_document
from kumi.experiment.loop.choices import DEVICES, Choices
from kumi.experiment.loop.plan import ROBOT, Emulated, LoopSetup, Real, wrong_with
from kumi.experiment.loop.tracking import Tracking
from kumi.experiment.overrides import Override, override
from kumi.experiment.parts import fit
from kumi.experiment.scenario import find_loop
from kumi.link.calibration import Calibration
from kumi.link.ports import PortError, check_baud
from kumi.link.tables import CalibrationError

T = TypeVar("T")


@dataclass(frozen=True)
class LoopScenario:
    """A scenario with real robots that makes sense."""

    name: str
    title: str
    seed: int
    plan: LoopSetup
    record: Path | None
    text: str


def load_loop(which: str | Path, overrides: Sequence[str | Override] = ()) -> LoopScenario:
    """Read a scenario with real robots and check it; raises ScenarioError."""
    path = find_loop(which)
    if path is None:
        raise ScenarioError(f"there is no scenario with real robots {str(which)!r}")
    document = read_document(path)
    override(document, overrides)
    place = Place(document, ())
    top = fit(_top, document.table, place, also={})
    convoy = setup_of(top["convoy"], document.place("convoy"))
    tracking = _tracking(top.get("tracking", {"on": False}), document.place("tracking"))
    real = tuple(
        _real(table, document.place("real", index)) for index, table in enumerate(top.get("real", ()))
    )
    _check(document, convoy, real, tracking)
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
    convoy: dict[str, Any],
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


def _described(
    *,
    robot: int,
    motor: str = "virtual",
    infrared: str = "virtual",
    whiskers: str = "virtual",
    port: str | None = None,
    address: int | None = None,
    baud: int = 57600,
    calibration: str | None = None,
    has_clock: bool = True,
    emulated: dict[str, Any] | None = None,
) -> None:
    """Take what a file says of a real robot."""


def _tracking(table: Mapping[str, Any], place: Place) -> Tracking | None:
    is_on = table.get("on", True)
    if not isinstance(is_on, bool):
        raise place.at("on").error(f"{place.title}.on is {is_on!r}; it takes true or false")
    made = _made(Tracking, {key: value for key, value in table.items() if key != "on"}, place)
    return made if is_on else None


def _real(table: Mapping[str, Any], place: Place) -> Real:
    found = fit(_described, table, place, also={})
    if found.get("port") is not None and "emulated" in found:
        raise place.at("port").error(f"{place.title} has a port and is emulated; give one of them")
    for device in DEVICES:
        if device in found:
            try:
                Choices(**{device: found[device]})
            except ValueError as error:
                raise place.at(device).error(f"{place.at(device).title}: {error}") from error
    path = ROBOT if "calibration" not in found else place.document.folder / found["calibration"]
    try:
        calibration = Calibration.load(path)
        check_baud(found.get("baud", 57600))
    except (CalibrationError, PortError) as error:
        raise place.error(f"{place.title}: {error}") from error
    if not calibration.turns_on_the_spot:
        raise place.error(
            f"{place.title}: the robot of {path.name} cannot turn on the spot, as those of a convoy do: its wheel "
            "would have to turn across, 90° to both sides"
        )
    return Real(
        number=found["robot"],
        choices=Choices(**{device: found[device] for device in DEVICES if device in found}),
        calibration=path,
        emulated=_made(Emulated, found.get("emulated") or {}, place.at("emulated")),
        **{name: found[name] for name in ("port", "address", "baud", "has_clock") if name in found},
    )


def _made(
    kind: Callable[..., T], table: Mapping[str, Any], place: Place, also: Mapping[str, Any] | None = None
) -> T:
    """Make what a table describes, or say what is wrong with it."""
    arguments = fit(kind, table, place, also=also or {})
    try:
        return kind(**arguments, **(also or {}))
    except ValueError as error:
        raise place.error(f"{place.title}: {error}") from error


def _check(document: Document, convoy: Setup, real: Sequence[Real], tracking: Tracking | None) -> None:
    """Raise what cannot work together, each with its place."""
    numbers = [one.number for one in real]
    wrong = []
    for number, device, sentence in wrong_with(convoy, tuple(real), tracking):
        place = document.place("real")
        if number in numbers:
            place = document.place("real", numbers.index(number), *([device] if device else []))
        wrong.append(place.complaint(sentence))
    if wrong:
        raise ScenarioError("\n".join(wrong))
