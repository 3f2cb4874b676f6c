"""How does a scenario say which robots are real, by which devices, and who tells where they are?

A table `[[real]]` for each real robot: which robot it is, the kind of each device by the device's name, and a port or how
it is emulated. A table `[tracking]` for the camera. What each takes is what the class behind it takes, by the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from kumi.link.calibration import Calibration
from kumi.link.ports import PortError, check_baud
from kumi.link.stop_and_wait import FADE, check_fade
from kumi.link.tables import CalibrationError
from kumi.loop.choices import Choices
from kumi.loop.real import ROBOT, Contradiction, Emulated, Real
from kumi.loop.tracking import Tracking
from kumi.scenario.complaints import listed, shown
from kumi.scenario.document import Document, Place, ScenarioError
from kumi.scenario.parts import fit

T = TypeVar("T")


def described(
    *,
    robot: int | str,
    port: str | None = None,
    address: int | None = None,
    baud: int = 57600,
    fade: float = FADE,
    calibration: str | None = None,
    has_clock: bool = True,
    aliases: dict[str, str] | None = None,
    emulated: dict[str, Any] | None = None,
) -> None:
    """Take what a table says of a real robot, beside its devices."""


KEYS = ("robot", *(described.__kwdefaults__ or ()))
"""What a table has beside the devices."""


def real_of(
    table: Mapping[str, Any],
    place: Place,
    devices_of: Callable[[int | str, Place], tuple[int, str | None, Sequence[str]]],
) -> Real:
    """Return the real robot of a table, or say what is wrong with it.

    `devices_of` takes which robot it is and gives its number, its name, and the devices of such a robot.
    """
    plain = {key: value for key, value in table.items() if key in KEYS}
    found = fit(described, plain, place, also={})
    if found.get("port") is not None and "emulated" in found:
        raise place.at("port").error(f"{place.title} has a port and is emulated; give one of them")
    number, name, devices = devices_of(found["robot"], place)
    path = ROBOT if "calibration" not in found else place.document.folder / found["calibration"]
    try:
        Calibration.load(path)
        check_baud(found.get("baud", 57600))
        check_fade(found.get("fade", FADE))
    except (CalibrationError, PortError, ValueError) as error:
        raise place.error(f"{place.title}: {error}") from error
    return Real(
        number=number,
        called=name,
        choices=_choices(table, place, devices),
        calibration=path,
        emulated=made(Emulated, found.get("emulated") or {}, place.at("emulated")),
        **{
            key: found[key]
            for key in ("port", "address", "baud", "fade", "has_clock", "aliases")
            if key in found
        },
    )


def _choices(table: Mapping[str, Any], place: Place, devices: Sequence[str]) -> Choices:
    """Return the kinds of the devices that a table names."""
    chosen = {key: value for key, value in table.items() if key not in KEYS}
    for device, kind in chosen.items():
        spot = place.at(device)
        if device not in devices:
            known = listed([*devices, *KEYS], "or")
            raise spot.error(
                f"{spot.title} is unknown: a device of this robot is meant, or a key, of {known}"
            )
        try:
            Choices(**{device: kind})
        except (ValueError, TypeError) as error:
            raise spot.error(f"{spot.title}: {error}") from error
    return Choices(**chosen)


def tracking_of(table: Mapping[str, Any] | None, place: Place) -> Tracking | None:
    """Return the tracking source of a table; None where there is none, or where it is off."""
    if table is None:
        return None
    is_on = table.get("on", True)
    if not isinstance(is_on, bool):
        raise place.at("on").error(f"{place.title}.on is {shown(is_on)}; it takes true or false")
    source = made(Tracking, {key: value for key, value in table.items() if key != "on"}, place)
    return source if is_on else None


def made(kind: Callable[..., T], table: Mapping[str, Any], place: Place) -> T:
    """Make what a table describes, or say what is wrong with it."""
    arguments = fit(kind, table, place, also={})
    try:
        return kind(**arguments)
    except ValueError as error:
        raise place.error(f"{place.title}: {error}") from error


def refuse(document: Document, robots: Sequence[Real], wrong: Sequence[Contradiction]) -> None:
    """Raise what cannot work together, each with its place; nothing where nothing is wrong."""
    numbers = [one.number for one in robots]
    words = []
    for number, device, sentence in wrong:
        place = document.place("real")
        if number in numbers:
            place = document.place("real", numbers.index(number), *([device] if device else []))
        words.append(place.complaint(sentence))
    if words:
        raise ScenarioError("\n".join(words))
