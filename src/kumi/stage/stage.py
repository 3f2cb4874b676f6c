"""A world with robots in it, each with its program, and running them.

What a program raises ends its robot, with the reason in the log, or ends the run: that is the stage's
choice.

The run goes on in slices of a fraction of a second of wall time. Between two of them the journal is handed
on and progress is told; what happens does not depend on where a slice ends.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from kumi.contract import Body
from kumi.devs import Coupled
from kumi.devs.interrupts import ended_by_signals
from kumi.geometry import BodyShape, Disc, PointLike
from kumi.geometry.points import as_size
from kumi.motion import Drive, Wheel
from kumi.network import Failure, Network
from kumi.planning import Reservations
from kumi.protocols import Stack
from kumi.recording import RunMeta
from kumi.robot import Radio, Robot
from kumi.sensing import Sensor
from kumi.stage.floors import Floors
from kumi.stage.groups import group_of, groups_of
from kumi.stage.noting import Noting
from kumi.stage.outcome import Outcome, Progress, Recorder, host_of
from kumi.stage.programs import Programs
from kumi.stage.publishing import Publisher
from kumi.stage.radios import Radios
from kumi.stage.slips import check_program, warn_of_outside
from kumi.stage.sockets import Sockets
from kumi.stage.traffic import RealTraffic, write_talk, write_traffic
from kumi.stage.ways import SeenRobot, write_way
from kumi.teaching import taught
from kumi.world import Map, Policy, SimulatedBody, World, map_to_table

if TYPE_CHECKING:
    from kumi.stage.files import Files

SLICE = 0.05
"""Seconds of wall time between two looks at journal and progress."""
LATENESS = 1.0
"""Seconds by which a paced run may be late and still catch up."""
HURRY = 100.0
"""How many times faster than its pace a run may be while it catches up."""


class Follows(Protocol):
    """Lets the time of a run pass in which real robots take part."""

    def run(self, until: float, told: Callable[[], object], /) -> None:
        """Follow the wall clock up to an instant, or until it is over; `told` is called now and then."""

    def interrupt(self) -> None:
        """End `run` after the present instant; may be called from any thread."""


class Stage:
    """A world and the programs of the robots in it.

    The world is an endless plane, one with a border of a `width` and a `height` in metres, that of a `Map`, or a
    `World` made before; `on_contact` says what becomes of a moving body at a contact, as for a `World`.
    What a program raises comes out of `run`; with `on_error="robot"` it ends that robot alone and stands in
    `Outcome.errors`. `record` and `log` name a run file and a text log to write; `recorder` takes the journal
    itself. With a `pace` the run follows the wall clock. `patience` is how many seconds a
    program may compute without waiting, and `max_steps` how many steps an instant, and turns of one program a
    millisecond, may have. `within` is the model that the world is a part of, such as the frame of
    an experiment; without it the world is the whole. `between` puts something between each body and its program.
    """

    @taught
    def __init__(
        self,
        world: Map | World | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
        on_contact: Policy | None = None,
        seed: int = 0,
        on_error: Literal["robot", "run"] = "run",
        record: str | Path | None = None,
        log: str | Path | None = None,
        recorder: Recorder | None = None,
        pace: float | None = None,
        patience: float = 10.0,
        max_steps: int = 1_000_000,
        within: Coupled | None = None,
        between: Callable[[SimulatedBody], Body] | None = None,
    ) -> None:
        world = world_for(world, width, height, on_contact)
        if recorder is not None and (record or log):
            raise ValueError("a stage takes a recorder, or files to write, not both")
        if pace is not None:
            as_size(pace, "a pace")
        if on_error not in {"robot", "run"}:
            raise ValueError(f'on_error is "robot" or "run", not {on_error!r}')
        self.world = world
        self.robots: list[Robot] = []
        self.simulation = Noting(
            within or world, seed=seed, patience=patience, max_steps=max_steps, world=world
        )
        self._programs = Programs(
            self.simulation, world, ends_run=on_error == "run", on_failed=self._end_radio
        )
        self._files: Files | None = None
        if record or log:
            from kumi.stage.files import Files  # Late: only a run that is kept needs it.

            self._files = Files(world, partial(self._meta, seed, map_to_table(world.map)), record, log)
        self._recorder = recorder or self._files
        self._host = host_of(self._recorder)
        self._record: Path | None = Path(record) if record else getattr(recorder, "record", None)
        self._bodies: list[SimulatedBody] = []
        self._floors = Floors(world)
        self._between = between
        self._radios: Radios | None = None
        self._pace = pace
        self._wall = 0.0
        self._anchor = 0.0, 0.0
        self._given_up = 0.0
        self._is_interrupted = False
        self._is_ended = False
        self.is_under_way = False
        """Whether `run` goes on now."""
        self.follows: Follows | None = None
        """Who lets time pass, where real robots take part."""
        if self._recorder is not None:
            world.keep_journal(True)

    def connect(
        self,
        network: Network | Sockets,
        stack: Callable[[], Stack] = Stack,
        *,
        failures: Iterable[Failure] = (),
    ) -> None:
        """Give every robot that is added from now on a radio on a network, on top of a stack of layers.

        `stack` is called once for each robot, since each has layers of its own. A failure takes a robot's
        radio with all its layers, and neither its body nor its program. With real sockets the run follows
        the wall clock.
        """
        if self._radios is not None:
            raise ValueError("the robots of this stage are connected to a network already")
        if self.robots:
            raise ValueError("connect the stage to a network before the first robot is added")
        check_connection(network, stack)
        is_real = isinstance(network, Sockets)
        if is_real and self._pace is None:
            self._pace = 1.0
        write = RealTraffic(self.world).write if is_real else partial(write_traffic, self.world)
        self._radios = Radios(self.simulation, network, stack, write if self._recorder is not None else None)
        self._radios.fail(failures)

    @taught
    def add(
        self,
        program: Callable[..., Coroutine[Any, Any, Any]],
        *args: Any,
        at: PointLike,
        heading: float = 0.0,
        radius: float | None = None,
        shape: BodyShape | None = None,
        drive: Drive | None = None,
        sensors: Mapping[str, Sensor] | None = None,
        name: str | None = None,
        **parameters: Any,
    ) -> Robot:
        """Put a robot into the world and start its program, which gets the robot and the other arguments.

        It is a disc of a `radius` in metres, or has another `shape`.
        """
        if radius is not None:
            if shape is not None:
                raise ValueError("a robot has a radius, or another shape, not both")
            shape = Disc(radius)
        return self.place(program, args, parameters, at, heading, shape, drive, sensors, name)

    def place(
        self,
        program: Callable[..., Coroutine[Any, Any, Any]],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
        at: PointLike,
        heading: float = 0.0,
        shape: BodyShape | None = None,
        drive: Drive | None = None,
        sensors: Mapping[str, Sensor] | None = None,
        name: str | None = None,
    ) -> Robot:
        """Do what `add` does; parameters of the program may have any names here, also those of `add`'s own."""
        check_sensors(sensors)
        if drive is not None and (isinstance(drive, type) or not callable(getattr(drive, "plan", None))):
            raise TypeError(f"a drive is an object with plan(), such as Wheel(), not {drive!r}")
        body = self.world.add_body(at, heading=heading, shape=shape, drive=drive or Wheel(), name=name)
        try:
            if sensors:
                body.sensors = {key: sensor.attached_to(body) for key, sensor in sensors.items()}
            held = body if self._between is None else self._between(body)
            radio = self._radio_for(body)
            robot = (
                Robot(held, radio)
                if self._recorder is None
                else SeenRobot(
                    held, radio, Publisher(self.world, body.number).show, partial(write_way, self.world, body)
                )
            )

            def begin() -> Coroutine[Any, Any, Any]:
                return program(robot, *args, **parameters)

            self._programs.begin(body, robot, begin, program)
            warn_of_outside(program)
        except BaseException as error:
            body.remove()
            if isinstance(error, TypeError):
                check_program(program, args, parameters)
            raise
        self.robots.append(robot)
        self._bodies.append(body)
        if self._host is not None:
            self._host.meet(group_of(body, name), name)
        return robot

    def show_floor(self, floor: Reservations[str]) -> None:
        """Let who looks at the run see what robots reserve under their names; by radio that is seen anyway."""
        if self._recorder is not None:
            self._floors.watch(floor)

    @property
    def is_recorded(self) -> bool:
        """Whether anybody looks at the run, now or later."""
        return self._recorder is not None

    def give_program(
        self,
        robot: Robot,
        program: Callable[[Robot], Coroutine[Any, Any, Any]],
        told: Callable[[BaseException], object],
    ) -> None:
        """End the program of a robot that is here, and start another one in its place.

        Whatever goes wrong in it ends that program alone, and `told` hears of it.
        """
        body = self.world.body_of(robot.name)
        assert body is not None
        self._programs.end(robot)
        self._programs.begin(body, robot, lambda: program(robot), program, told)

    def set_pace(self, pace: float) -> None:
        """Let the run follow the wall clock at another pace from now on; for who is inside the run."""
        as_size(pace, "a pace")
        if self.follows is not None or (self._radios is not None and self._radios.sockets is not None):
            raise ValueError("what is real in this run keeps real time, so its pace cannot be changed")
        self._pace = float(pace)
        self._anchor = time.perf_counter(), self.simulation.now

    def end_program(self, robot: Robot) -> None:
        """End the program of a robot, where it has one that goes on."""
        self._programs.end(robot)

    def _meta(self, seed: int, table: Mapping[str, Any]) -> RunMeta:
        """Tell how the run was set up, with bodies that came into the world without a program; of others it was told."""
        own = {body.number for body in self._bodies}
        others = (body for body in self.world.bodies if body.number not in own)
        return RunMeta(seed=seed, map=table, groups=groups_of(others, {}))

    def _radio_for(self, body: SimulatedBody) -> Radio | None:
        if self._radios is None:
            return None
        body.on_gone(partial(self._radios.end, body.number))
        failed = partial(self._programs.radio_failed, body)
        if self._recorder is None:
            return self._radios.add(body.number, body.name, failed)
        report = partial(write_talk, self.world, body)
        return self._radios.add(body.number, body.name, failed, report, self._floors.watch_stack)

    def _end_radio(self, body: SimulatedBody) -> None:
        if self._radios is not None:
            self._radios.end(body.number)

    def run(
        self, until: float = math.inf, *, on_progress: Callable[[Progress], None] | None = None
    ) -> Outcome:
        """Let everything happen up to and including `until`; without it, until all programs have ended.

        Ctrl-C ends the run after the present instant, and then raises KeyboardInterrupt; SIGTERM ends the process
        then. A second one does so at once. May be called again to go on.
        """
        begun = time.perf_counter()
        self._anchor = begun, self.simulation.now
        self._is_interrupted = self._is_ended = False
        with ended_by_signals(self._interrupt):
            self.is_under_way = True
            try:
                if self._radios is not None and self._radios.sockets is not None:
                    import asyncio  # Late: only a stage with sockets needs it.

                    asyncio.run(self._run_real(self._radios.sockets, until, begun, on_progress))
                else:
                    self._run(until, begun, on_progress)
            finally:
                self.is_under_way = False
                self._wall += time.perf_counter() - begun
                self._hand_on()
                outcome = self.outcome
                if self._files is not None:
                    self._files.keep(outcome)
        return outcome

    def begin(self) -> None:
        """Bring the radios up; `run` does so by itself, and who runs the simulation without it does so first."""
        if self._radios is not None:
            self._radios.begin()

    def _run(self, until: float, begun: float, on_progress: Callable[[Progress], None] | None) -> None:
        self.begin()
        if self.follows is not None:
            self.follows.run(until, partial(self._tell, begun, on_progress))
            return
        is_sliced = self._recorder is not None or on_progress is not None
        with self._slices() if is_sliced else nullcontext():
            while not (self._is_interrupted or self._is_ended):
                target = self._target(until) if is_sliced else until
                with self._going_on():
                    if self._pace is None:
                        self.simulation.run_through(target)
                    else:
                        self.simulation.run(target, pace=self._pace_to(target))
                self._tell(begun, on_progress)
                upcoming = self.simulation.next_time
                is_over = upcoming > until or upcoming == math.inf
                if is_over and (until == math.inf or self.simulation.now >= until):
                    return

    async def _run_real(
        self, sockets: Sockets, until: float, begun: float, on_progress: Callable[[Progress], None] | None
    ) -> None:
        """Run as `_run` does, with sockets open; a message may come at any time, so it goes on until the end."""
        assert self._radios is not None
        async with AsyncExitStack() as stack:
            await sockets.open(stack)
            self._radios.begin()
            while not (self._is_interrupted or self._is_ended) and self.simulation.now < until:
                target = self._target(until)
                with self._going_on():
                    await self.simulation.run_async(target, pace=self._pace_to(target))
                self._tell(begun, on_progress)
                if until == math.inf and not self.simulation.tasks:
                    return

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """Let the run go on where all that came out of it is a matter of programs that were given."""
        try:
            yield
        except Exception as error:
            if not self._programs.takes(error):
                raise

    def _tell(self, begun: float, on_progress: Callable[[Progress], None] | None) -> None:
        self._hand_on()
        if on_progress is not None:
            on_progress(self._progress(begun))

    def _target(self, until: float) -> float:
        """Return how far the next slice goes; a paced one is short, so that its clock need not be stopped."""
        if self._pace is None:
            return until
        return min(until, self.simulation.now + SLICE * self._pace)

    def _pace_to(self, target: float) -> float | None:
        """Return the pace at which a slice ends when the wall clock says so, whatever was looked after before it.

        A run that is late by more than `LATENESS` lets that go.
        """
        way = target - self.simulation.now
        if self._pace is None or not 0.0 < way < math.inf:
            return self._pace
        wall, origin = self._anchor
        present = time.perf_counter()
        left = wall + (target - origin) / self._pace - present
        if left < -LATENESS:
            self._given_up -= left
            self._anchor = present, self.simulation.now
            return self._pace
        return way / max(left, way / (HURRY * self._pace))

    @contextmanager
    def _slices(self) -> Iterator[None]:
        """End the run under way again and again, so that there is time to look after other things."""
        over = threading.Event()

        def pulse() -> None:
            while not over.wait(SLICE):
                self.simulation.stop()

        thread = threading.Thread(target=pulse, name="stage", daemon=True)
        if self._pace is None:
            thread.start()
        try:
            yield
        finally:
            over.set()
            if thread.is_alive():
                thread.join()

    def _hand_on(self) -> None:
        if self._recorder is not None and (journal := self.world.take_journal()):
            self._recorder.write(journal)

    def _progress(self, begun: float) -> Progress:
        return Progress(
            self.simulation.now,
            self._wall + time.perf_counter() - begun,
            self._events,
            self.world.contact_count,
            self._pace,
            self._late,
            self._given_up,
        )

    @property
    def _late(self) -> float:
        """Seconds of wall time by which the run is behind its pace."""
        if self._pace is None:
            return 0.0
        wall, origin = self._anchor
        return max(0.0, time.perf_counter() - wall - (self.simulation.now - origin) / self._pace)

    @property
    def has_begun(self) -> bool:
        """Whether anything could happen yet: with real sockets, whether they could be opened."""
        return self._radios is None or self._radios.has_begun

    @property
    def _events(self) -> int:
        done = self.simulation.statistics
        arrived = 0 if self._radios is None else self._radios.arrived
        return self.world.events + done.internal + done.external + done.confluent + arrived

    @property
    def _gone(self) -> tuple[str, ...]:
        if self.world.count == self.world.added:
            return ()
        return tuple(body.name for body in self._bodies if body.is_gone)

    @property
    def outcome(self) -> Outcome:
        """What came out so far."""
        return Outcome(
            self.simulation.now,
            self._wall,
            self._events,
            self.world.contact_count,
            self.world.count,
            self.simulation.trace_hash,
            tuple(self._programs.errors),
            self._gone,
            self._is_interrupted,
            None if self._radios is None else self._radios.messages,
            None if self._pace is None else self.simulation.lateness,
            self.world.still_since,
            self._record,
        )

    def end(self) -> None:
        """End `run` after the present instant; for who knows inside the run that it is over."""
        self._is_ended = True
        self.simulation.stop()

    def _interrupt(self) -> None:
        self._is_interrupted = True
        if self.follows is not None:
            self.follows.interrupt()
        self.simulation.stop()

    def close(self) -> None:
        """End all programs and let the world go; what they do while they end is no part of the run."""
        outcome = self.outcome
        self._hand_on()
        self.world.keep_journal(False)
        try:
            self.simulation.close()
        finally:
            if self._files is not None:
                self._files.close(outcome)
                self._files = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def world_for(world: object, width: float | None, height: float | None, on_contact: Policy | None) -> World:
    """Return the world of a stage: one that was made before, or one with a map or a size."""
    if isinstance(world, World):
        stated = {"width": width, "height": height, "on_contact": on_contact}
        if given := [name for name, value in stated.items() if value is not None]:
            raise ValueError(f"a stage takes a World, or {' and '.join(given)}, not both")
        return world
    if world is not None and not isinstance(world, Map):
        raise TypeError(f"a stage takes a Map, such as Map(width=6, height=4), or a World, not {world!r}")
    return World(world, width=width, height=height, on_contact="stop" if on_contact is None else on_contact)


def check_connection(network: object, stack: object) -> None:
    """Refuse what is no network, and what makes no stack."""
    if not isinstance(network, Network | Sockets):
        raise TypeError(f"a stage is connected to a network, such as SimulatedNetwork(...), not {network!r}")
    made = stack() if callable(stack) else None
    if not isinstance(made, Stack):
        wrong = f"one that returns {made!r}" if callable(stack) else repr(stack)
        raise TypeError(
            "the stack of a stage is a function that makes a Stack for each robot, such as "
            f"`lambda: Stack(Acknowledged())`, not {wrong}"
        )


def check_sensors(sensors: Mapping[str, Sensor] | None) -> None:
    """Refuse what does not give each sensor a name."""
    if sensors is not None and not isinstance(sensors, Mapping):
        raise TypeError(f'sensors are given by name, as in sensors={{"lidar": Lidar()}}, not {sensors!r}')
    for name, sensor in (sensors or {}).items():
        check_sensor_name(name)
        if isinstance(sensor, type) or not callable(getattr(sensor, "attached_to", None)):
            raise TypeError(f"the sensor {name!r} is an object such as Lidar(), not {sensor!r}")


def check_sensor_name(name: str) -> None:
    """Refuse a name by which a program could not ask for its sensor."""
    if not str(name).isidentifier() or str(name).startswith("_"):
        raise ValueError(f"a sensor's name is a word of letters, digits and _, but it is {name!r}")
    if hasattr(Robot, name) or name == "home":
        raise ValueError(f"a sensor cannot be named {name!r}: a robot has something of that name already")
