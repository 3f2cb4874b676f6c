"""Which robots of a scenario with programs are real, and what of that cannot work?

A table `[[real]]` names a robot, by its name or its number from 0, and the kind of each of its devices: `motor`,
`contacts`, and its sensors by the names that the scenario gives them. Every real sensor must exist on the robot, with
the same kind and mount, and the robot must support the scenario's drive. Each mistake is reported with its place in the
file, before any process is started.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import degrees, remainder, tau
from typing import TYPE_CHECKING

from kumi.geometry import Disc
from kumi.link.calibration import Calibration
from kumi.link.devices import RANGERS
from kumi.loop.choices import MOTOR
from kumi.loop.mixed_body import CONTACTS, is_asked
from kumi.loop.real import Contradiction, Real, contradictions
from kumi.loop.tables import KEYS, real_of, refuse, tracking_of
from kumi.loop.tracking import Tracking
from kumi.motion import Car, Wheel
from kumi.scenario.complaints import listed
from kumi.sensing import Bumper, Potentiometer, Sensor, WheelEncoder, Whisker
from kumi.sensing.range_finders import RangeFinder

if TYPE_CHECKING:
    from kumi.scenario.document import Place
    from kumi.scenario.staging import Kit, Staging

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
    """The real robots of a scenario with programs, and who tells where they are."""

    robots: tuple[Real, ...]
    tracking: Tracking | None


def real_team(staging: Staging) -> RealTeam | None:
    """Return the real robots of a scenario, or None where it has none; raises ScenarioError."""
    document, settings = staging.scenario.document, staging.scenario.settings
    if not settings.real:
        return None
    kits = list(staging.kit_of_each)
    names = [staging.names.get(number, f"robot {number}") for number in range(staging.count)]

    def devices_of(robot: int | str, place: Place) -> tuple[int, str, Sequence[str]]:
        """Find which robot is meant."""
        number = names.index(robot) if robot in names else robot
        if not isinstance(number, int) or not 0 <= number < staging.count:
            spot = place.at("robot")
            known = f"a name, such as {names[0]!r}, or a number from 0 to {staging.count - 1}"
            raise spot.error(f"{spot.title} is {robot!r}, and there is no such robot; it takes {known}")
        return number, names[number], (MOTOR, CONTACTS, *kits[number].sensors)

    robots = tuple(
        real_of(table, document.place("real", index), devices_of) for index, table in enumerate(settings.real)
    )
    team = RealTeam(robots, tracking_of(settings.tracking, document.place("tracking")))
    wrong = [found for one in robots for found in _wrong_with(one, kits[one.number], team)]
    kind = settings.network.kind
    if kind in {"udp", "tcp"}:
        wrong.append((-1, "", f'real robots talk by a simulated network, and network.kind is "{kind}"'))

    def looker(one: Real) -> str | None:
        """Say who perceives a robot in the environment model."""
        virtual = [name for name in kits[one.number].sensors if one.choices[name] == "virtual"]
        if virtual:
            return f"its {virtual[0]} is virtual"
        others = [name for number, name in enumerate(names) if number != one.number]
        return f"{others[0]} meets it there" if others else None

    wrong += contradictions(robots, team.tracking, touch=CONTACTS, looker=looker)
    refuse(document, robots, wrong)
    return team


def _wrong_with(one: Real, kit: Kit, team: RealTeam) -> Iterator[Contradiction]:
    """Say what a real robot cannot do that its group does."""
    calibration = Calibration.load(one.calibration)
    if one.choices.motor != "virtual":
        yield from _wrong_drive(one, kit, calibration)
    for name in sorted({*kit.sensors} & {MOTOR, *KEYS}):
        yield (
            one.number,
            "",
            f"a sensor of a real robot cannot be named {name!r}, which is a key of its table",
        )
    for alias, name in one.aliases.items():
        if alias not in kit.sensors:
            known = listed(kit.sensors) or "no sensors"
            yield one.number, "aliases", f"{one.name} has no {alias} that could be {name!r}; it has {known}"
    for name, sensor in kit.sensors.items():
        if one.choices[name] != "virtual":
            yield from _wrong_sensor(one, name, sensor, calibration)
        elif one.choices.motor != "virtual":
            yield from _wrong_twin(one, name, sensor, is_tracked=team.tracking is not None)


def _wrong_drive(one: Real, kit: Kit, calibration: Calibration) -> Iterator[Contradiction]:
    """Say where drive or size of the group are not those of the real robot."""
    drive, robot = kit.drive, one.calibration.name
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
    shape, radius = kit.group.shape, calibration.width / 2
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
