"""Which robots of a scenario are real, by which devices, and what of that cannot work?

A table `[[real]]` names a robot, by its name or its number from 0, the kind of each of its devices, and a port or how it
is emulated. Devices are `motor`, `contacts`, and its sensors by the names that the scenario gives them. A table
`[tracking]` is for the camera. What each takes is what the class behind it takes, by the same names.

Every real sensor must exist on the real robot, with the same kind and mount, and the robot must support the scenario's
drive. Every mistake is named with its place, before a process is started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import degrees, remainder, tau
from typing import TYPE_CHECKING, Any

from kumi.geometry import Disc
from kumi.link.calibration import Calibration
from kumi.link.devices import RANGERS
from kumi.link.ports import LinkPortError, check_baud
from kumi.link.stop_and_wait import FADE, check_fade
from kumi.link.tables import CalibrationError
from kumi.loop.choices import MOTOR, Choices
from kumi.loop.counterpart import Tracking
from kumi.loop.mixed_body import CONTACTS, is_asked
from kumi.loop.real import ROBOT, Contradiction, Emulated, Real, contradictions
from kumi.motion import Car, Wheel
from kumi.scenario.complaints import listed, shown
from kumi.scenario.document import Document, Place, ScenarioError
from kumi.scenario.models import Outfit
from kumi.scenario.parts import built, fit
from kumi.sensing import Bumper, Potentiometer, Sensor, WheelEncoder, Whisker
from kumi.sensing.range_finders import RangeFinder

if TYPE_CHECKING:
    from kumi.scenario.scenario import Scenario

RANGER_NAMES = tuple(device.name.removeprefix("IR_").lower() for device in RANGERS)
REAL_SENSORS: dict[str, tuple[type[Sensor], ...]] = {
    **dict.fromkeys(RANGER_NAMES, (RangeFinder,)),
    "encoder": (WheelEncoder,),
    "steering": (Potentiometer,),
    "bumper": (Bumper, Whisker),
}
"""The sensors of a packet robot, and those of a scenario that they can stand for."""
ROLLING = (WheelEncoder, Potentiometer)
"""Sensors that tell nothing of a body that is put from place to place."""
SAME_BEARING = 0.1
"""Radians by which a real ranger may look elsewhere than the scenario says."""
SAME_SIZE = 0.01
"""Metres by which a round robot may be larger or smaller than the scenario says."""


@dataclass(frozen=True)
class RealTeam:
    """The real robots of a scenario, and who tells where they are."""

    robots: tuple[Real, ...]
    tracking: Tracking | None


def real_team(scenario: Scenario, outfits: Sequence[Outfit], names: Sequence[str]) -> RealTeam:
    """Return the real robots of a scenario, whose robots have these outfits and names; raises ScenarioError."""
    document, settings = scenario.document, scenario.settings

    def devices_of(robot: int | str, place: Place) -> tuple[int, str, Sequence[str]]:
        """Find which robot is meant."""
        number = names.index(robot) if robot in names else robot
        if not isinstance(number, int) or not 0 <= number < len(names):
            spot = place.at("robot")
            known = f"a name, such as {names[0]!r}, or a number from 0 to {len(names) - 1}"
            raise spot.error(f"{spot.title} is {robot!r}, and there is no such robot; it takes {known}")
        return number, names[number], (MOTOR, CONTACTS, *outfits[number].sensors)

    robots = tuple(
        real_of(table, document.place("real", index), devices_of) for index, table in enumerate(settings.real)
    )
    team = RealTeam(robots, tracking_of(settings.tracking, document.place("tracking")))
    wrong = [found for one in robots for found in _wrong_with(one, outfits[one.number], team)]
    kind = settings.network.kind
    if kind in {"udp", "tcp"}:
        wrong.append((-1, "", f'real robots talk by a simulated network, and network.kind is "{kind}"'))

    choices = {one.number: one.choices for one in robots}

    def is_all_real(number: int) -> bool:
        """Tell whether a robot perceives nothing of the environment model."""
        devices = CONTACTS, *outfits[number].sensors
        return number in choices and all(choices[number][device] == "real" for device in devices)

    def looker(one: Real) -> str | None:
        """Say who perceives a robot in the environment model."""
        virtual = [name for name in outfits[one.number].sensors if one.choices[name] == "virtual"]
        if virtual:
            return f"its {virtual[0]} is virtual"
        others = (number for number in range(len(names)) if number != one.number)
        return next((f"{names[other]} meets it there" for other in others if not is_all_real(other)), None)

    wrong += contradictions(robots, team.tracking, touch=CONTACTS, looker=looker)
    refuse(document, robots, wrong)
    return team


def _wrong_with(one: Real, outfit: Outfit, team: RealTeam) -> Iterator[Contradiction]:
    """Say what a real robot cannot do that its group does."""
    calibration = Calibration.load(one.calibration)
    if one.choices.motor != "virtual":
        yield from _wrong_drive(one, outfit, calibration)
    for name in sorted({*outfit.sensors} & {MOTOR, *KEYS}):
        yield (
            one.number,
            "",
            f"a sensor of a real robot cannot be named {name!r}, which is a key of its table",
        )
    for alias, name in one.aliases.items():
        if alias not in outfit.sensors:
            known = listed(outfit.sensors) or "no sensors"
            yield one.number, "aliases", f"{one.name} has no {alias} that could be {name!r}; it has {known}"
    for name, sensor in outfit.sensors.items():
        if one.choices[name] != "virtual":
            yield from _wrong_sensor(one, name, sensor, calibration)
        elif one.choices.motor != "virtual":
            yield from _wrong_twin(one, name, sensor, is_tracked=team.tracking is not None)


def _wrong_drive(one: Real, outfit: Outfit, calibration: Calibration) -> Iterator[Contradiction]:
    """Say where drive or size of the group are not those of the real robot."""
    drive, robot = outfit.drive, one.calibration.name
    if not isinstance(drive, Wheel | Car):
        kind = type(drive).__name__.lower()
        sentence = f"{one.name} has the drive {kind!r}, and a packet robot drives as a wheel or a car"
        yield one.number, MOTOR, sentence
    elif isinstance(drive, Wheel) and not calibration.turns_on_the_spot:
        sentence = (
            f"{one.name} turns on the spot with its drive, and the robot of {robot} cannot: "
            "its wheel would have to turn across, 90° to both sides"
        )
        yield one.number, MOTOR, sentence
    elif isinstance(drive, Car) and drive.min_radius < calibration.min_radius:
        sentence = (
            f"{one.name} drives arcs of {drive.min_radius:g} m, and the robot of {robot} none below "
            f"{calibration.min_radius:.3g} m"
        )
        yield one.number, MOTOR, sentence
    shape, radius = outfit.shape, calibration.width / 2
    if calibration.is_round and isinstance(shape, Disc) and abs(shape.radius - radius) > SAME_SIZE:
        sentence = (
            f"{one.name} has a radius of {shape.radius:g} m, and the robot of {robot} one of {radius:g} m"
        )
        yield one.number, "", sentence


def _wrong_sensor(one: Real, name: str, sensor: Sensor, calibration: Calibration) -> Iterator[Contradiction]:
    """Say where the real robot has no such sensor."""
    real = one.aliases.get(name, name)
    kind = type(sensor).__name__
    if real not in REAL_SENSORS:
        sentence = (
            f"{one.name} is to have a {one.choices[name]} {name}, and a packet robot has no sensor {real!r}; it has "
            f"{listed(REAL_SENSORS)}, and aliases give them other names"
        )
        yield one.number, name, sentence
        return
    if not isinstance(sensor, REAL_SENSORS[real]):
        sentence = f"{one.name} has {name} as a {kind}, and {real!r} of a packet robot is none"
        yield one.number, name, sentence
    elif isinstance(sensor, RangeFinder):
        bearing = calibration.mounts[RANGER_NAMES.index(real)].heading
        if abs(remainder(bearing - sensor.bearing, tau)) > SAME_BEARING:
            sentence = (
                f"{one.name} looks with {name} to {degrees(sensor.bearing):g}°, and {real!r} of the robot of "
                f"{one.calibration.name} looks to {degrees(bearing):g}°"
            )
            yield one.number, name, sentence


def _wrong_twin(one: Real, name: str, sensor: Sensor, *, is_tracked: bool) -> Iterator[Contradiction]:
    """Say where a virtual sensor tells nothing on a counterpart."""
    if isinstance(sensor, ROLLING):
        sentence = (
            f"{one.name} has a {one.choices.motor} motor and a virtual {name}: its counterpart does not roll, it is "
            "put from place to place; take the real one"
        )
        yield one.number, name, sentence
    elif not is_tracked and not is_asked(sensor):
        sentence = (
            f"{one.name} has a virtual {name}, which reports on the way: without a tracking source its counterpart "
            "jumps at the end of each motion; give one, or take the real sensor"
        )
        yield one.number, name, sentence


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
    except (CalibrationError, LinkPortError, ValueError) as error:
        raise place.error(f"{place.title}: {error}") from error
    return Real(
        number=number,
        called=name,
        choices=_choices(table, place, devices),
        calibration=path,
        emulated=built(Emulated, found.get("emulated") or {}, place.at("emulated"), also={}),
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
    source = built(Tracking, {key: value for key, value in table.items() if key != "on"}, place, also={})
    return source if is_on else None


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
