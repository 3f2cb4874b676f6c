"""The real robots of a run: their processes, their links, and the world they live in.

Emulated robots are started first, each a process with a clock of its own, in one world, a process too, where they see
and touch each other. Or they live within a run that is not paced: the floor is a second world beside the environment
model, and the robots on it, their programs, their lines and their clocks are in the agenda of the run, so that it takes
no longer than it computes and can be repeated to the last bit. What drives them cannot tell.

Then every robot is greeted. One that does not answer ends it before anything has moved, in one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from kumi.devs import Coupled, Simulation
from kumi.devs.errors import KumiError
from kumi.geometry import Pose
from kumi.link.calibration import Calibration
from kumi.link.emulators import Hardware, Onlooker
from kumi.link.emulators.emulation import robot_at
from kumi.link.linked_body import LinkedBody
from kumi.link.ports import LinkPortError, open_port
from kumi.link.remote import Remote
from kumi.link.wires import PortWire, Wire, crossed
from kumi.loop.device_processes import DeviceStart, RobotProcess, robot_processes, world_process
from kumi.loop.real import Real
from kumi.world import Map, World, save_map

GREETING = 5.0
"""Seconds in which a robot answers the first greeting."""
SPARE_LIFETIME = 120.0
"""Seconds that an emulated robot lives longer than the run may take, where nobody ends it."""


class NotThere(KumiError):
    """A real robot that a run needs cannot be reached."""


class Fleet(Protocol):
    """The real robots of a run by number: where they are reached, and where they truly are."""

    @property
    def ports(self) -> Mapping[int, str]:
        """Where the line of each is."""

    @property
    def addresses(self) -> Mapping[int, int]:
        """Their addresses on the link."""

    @property
    def processes(self) -> Mapping[int, RobotProcess]:
        """The processes of those that have one."""

    def wire(self, simulation: Simulation, one: Real) -> Wire:
        """Return our end of the line to a robot; raises PortError."""

    def truth(self, one: Real) -> Pose | None:
        """Return where a real robot truly is; None where nobody knows."""


def addresses_of(robots: Sequence[Real]) -> dict[int, int]:
    """Return the address of each robot, by its number."""
    return {one.number: index if one.address is None else one.address for index, one in enumerate(robots)}


@dataclass(frozen=True)
class FleetOfProcesses:
    """The processes of emulated robots by number, the ports of all, and who sees where they truly are."""

    ports: dict[int, str]
    addresses: dict[int, int]
    processes: dict[int, RobotProcess]
    onlooker: Onlooker | None

    def wire(self, simulation: Simulation, one: Real) -> Wire:
        """Return the port of a robot; raises PortError."""
        return PortWire(simulation, partial(open_port, self.ports[one.number], baud=one.baud))

    def truth(self, one: Real) -> Pose | None:
        """Return where a real robot truly is; None for one that is not emulated."""
        if one.number not in self.processes or self.onlooker is None:
            return None
        return self.onlooker.pose_of(one.name)


@contextmanager
def started(
    robots: Sequence[Real], poses: Mapping[int, Pose], floor: Map, *, pace: float, until: float, seed: int
) -> Iterator[FleetOfProcesses]:
    """Start the emulated robots of a run, on a floor with walls; at the end of the block they are gone."""
    addresses = addresses_of(robots)
    emulated = [one for one in robots if one.is_emulated]
    life = until * 1.5 + SPARE_LIFETIME * pace
    with TemporaryDirectory(prefix="kumi-loop-") as name, ExitStack() as stack:
        folder = Path(name)
        onlooker, common = None, []
        if emulated:
            save_map(floor, folder / "floor.toml")
            field = ["--world", str(folder / "floor.toml"), "--clock", repr(pace), "--seed", str(seed)]
            try:
                place = stack.enter_context(world_process(*field, seconds=life))
            except RuntimeError as error:
                raise NotThere(f"the world of the robots could not be started: {error}") from error
            host, _, port = place.rpartition(":")
            onlooker = stack.enter_context(Onlooker((host, int(port))))
            common = ["--join", place]
        starts = [
            DeviceStart(addresses[one.number], poses[one.number], options(one, pace, seed, folder), line(one))
            for one in emulated
        ]
        processes = stack.enter_context(robot_processes(starts, *common, seconds=life))
        ports = {one.number: one.port for one in robots if one.port is not None}
        for one, process in zip(emulated, processes, strict=True):
            try:
                ports[one.number] = process.wait_for_port()
            except RuntimeError as error:
                raise NotThere(f"{one.name} could not be started: {error}") from error
        by_number = {one.number: process for one, process in zip(emulated, processes, strict=True)}
        yield FleetOfProcesses(ports, addresses, by_number, onlooker)


def line(one: Real) -> Sequence[str]:
    """Return the option for the line of an emulated robot."""
    return ("--pty",) if one.emulated.line == "pty" else ("--listen", "0")


def options(one: Real, pace: float, seed: int, folder: Path) -> Sequence[str]:
    """Return the options with which an emulated robot is started."""
    made = one.emulated
    path = folder / f"robot-{one.number}.toml"
    made.true(Calibration.load(one.calibration)).save(path)
    found = [
        "--name",
        one.name,
        "--calibration",
        str(path),
        "--baud",
        str(one.baud),
        "--clock",
        repr(pace * made.clock_rate),
    ]
    found += ["--clock-offset", repr(made.clock_offset), "--seed", str(1000 * seed + one.number)]
    for name, value in (("noise", made.sensor_noise), ("play", made.play), ("skid", made.skid)):
        if value is not None:
            found += [f"--{name}", value]
    for fault in made.faults:
        found += ["--fault", fault]
    return [*found, "--latency", repr(made.latency)]


def linked(simulation: Simulation, one: Real, fleet: Fleet, pose: Pose) -> LinkedBody:
    """Return a real robot as a body, which begins to greet its robot."""
    try:
        wire = fleet.wire(simulation, one)
    except LinkPortError as error:
        raise NotThere(f"{one.name} is not there: {error}") from error
    address = fleet.addresses[one.number]
    remote = Remote(simulation, wire, address, baud=one.baud, fade=one.fade, name=one.name)
    return LinkedBody(
        remote,
        Calibration.load(one.calibration),
        at=pose.position,
        heading=pose.heading,
        number=one.number,
        aliases=one.aliases,
        has_clock=one.has_clock,
    )


def greet(simulation: Simulation, bodies: Sequence[LinkedBody], pace: float | None) -> None:
    """Run until all robots have answered, or raise NotThere; without a pace, in simulated time."""
    rate = pace or 1.0
    end = simulation.now + GREETING * rate

    def look() -> None:
        if all(body.is_there for body in bodies):
            simulation.stop()
        elif simulation.now < end:
            simulation.schedule(simulation.now + 0.02 * rate, look)

    simulation.schedule(simulation.now, look)
    simulation.run(end, pace=pace)
    absent = [body.name for body in bodies if not body.is_there]
    if absent:
        raise NotThere(
            f"{absent[0]} is not there: it did not answer within {GREETING:g} s; is it switched on?"
        )


FLOOR_NAME = "floor of real robots"


class FleetInRun:
    """Emulated robots on a floor that is a part of the run's model `whole`."""

    def __init__(self, whole: Coupled, robots: Sequence[Real], poses: Mapping[int, Pose], floor: Map) -> None:
        self.addresses = addresses_of(robots)
        self.ports = {one.number: "a line within the run" for one in robots}
        self.processes: Mapping[int, RobotProcess] = {}
        self.floor = whole.add(World(floor, name=FLOOR_NAME))
        self._made = {
            one.number: one.emulated.make(Calibration.load(one.calibration), one.baud) for one in robots
        }
        self._hardware = {one.number: self._on_floor(one, poses[one.number]) for one in robots}

    def _on_floor(self, one: Real, pose: Pose) -> Hardware:
        make = self._made[one.number]
        return Hardware(
            self.floor,
            make.calibration,
            at=pose.position,
            heading=pose.heading,
            lags=make.lags,
            errors=make.errors,
            clock_offset=make.clock_offset,
            clock_rate=make.clock_rate,
            name=one.name,
        )

    def wire(self, simulation: Simulation, one: Real) -> Wire:
        """Return our end of the line to a robot, whose program begins."""
        near, far = crossed(simulation)
        number = one.number
        robot_at(
            simulation, self._hardware[number], far, self.addresses[number], self._made[number], one.name
        )
        return near

    def truth(self, one: Real) -> Pose:
        """Return where a robot truly is."""
        return self._hardware[one.number].body.pose
