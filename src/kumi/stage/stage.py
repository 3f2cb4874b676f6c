"""A world with robots in it, each with its program, and running them.

What a program raises ends its robot, with the reason in the log, or ends the run: that is the stage's choice.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from kumi.contract import Body
from kumi.devs import Coupled
from kumi.devs.interrupts import ended_by_signals
from kumi.devs.members import checked_coroutine
from kumi.geometry import BodyShape, PointLike
from kumi.geometry.points import as_size
from kumi.motion import Drive, Wheel
from kumi.network import Effect, Failure, Network
from kumi.planning import Reservations
from kumi.recording import RunMeta
from kumi.robot import Radio, Robot
from kumi.sensing import Sensor
from kumi.stage.outcome import Outcome, Progress, Recorder, host_of
from kumi.stage.programs import Noting, Programs
from kumi.stage.radios import Layers, Radios, Sockets, network_of, stack_maker
from kumi.stage.running import Running
from kumi.stage.seen import (
    Floors,
    Publisher,
    RealTraffic,
    SeenRobot,
    group_of,
    groups_of,
    write_talk,
    write_traffic,
    write_way,
)
from kumi.stage.slips import check_program, check_sensors, warn_of_outside
from kumi.stage.teams import TeamKit, TeamParts, as_shape, check_linked, check_team_sensors, each_of
from kumi.teaching import Teaching, taught
from kumi.world import Map, Policy, SimulatedBody, World, map_to_table

if TYPE_CHECKING:
    from kumi.link.ports import Port
    from kumi.link.remote import Remote
    from kumi.robot import Team
    from kumi.stage.files import Files
    from kumi.stage.links import RobotPort
    from kumi.stage.teams import Line


class Follows(Protocol):
    """Lets the time of a run pass in which real robots take part."""

    def run(self, until: float, told: Callable[[], object], /) -> None:
        """Follow the wall clock up to an instant, or until it is over; `told` is called now and then."""

    def interrupt(self) -> None:
        """End `run` after the present instant; may be called from any thread."""

    def close(self, outcome: Outcome, /) -> None:
        """Let them go; what came of the run is known."""


class Stage(Teaching):
    """A world and the programs of the robots in it.

    The world is an endless plane, one with a border of a `width` and a `height` in metres, that of a `Map`, or a
    `World` made before; `on_contact` says what becomes of a moving body at a contact, as for a `World`.
    What a program raises comes out of `run`; with `on_error="robot"` it ends that robot alone and stands in
    `Outcome.errors`. `record` and `log` name a run file and a text log to write; `recorder` takes the journal
    itself. With a `pace` the run follows the wall clock. `patience` is how many seconds a
    program may compute without waiting, and `max_steps` how many steps an instant, and turns of one program a
    millisecond, may have. `within` is the model that the world is a part of, such as the frame of
    an experiment; without it the world is the whole. `between` puts something between each body and its program;
    `follows` lets time pass where robots are real.
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
        follows: Follows | None = None,
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
        self._teams: dict[Team, TeamParts] = {}
        self._floors = Floors(world)
        self._between = between
        self._radios: Radios | None = None
        self.network: Network | Sockets | None = None
        """What carries messages between robots, once it is connected."""
        self._running = Running(self.simulation, pace, self._programs.takes)
        self._follows = follows
        if self._recorder is not None:
            world.keep_journal(True)

    @taught
    def connect(
        self,
        *on: Effect | Network | Sockets,
        layers: Layers = (),
        failures: Iterable[Failure] = (),
    ) -> None:
        """Give every robot that is added from now on a radio on a network, on top of layers.

        `on` are effects of a simulated network, as in `connect(Exponential(0.1), Loss(0.3))`, or one network that was made
        before. `layers` are classes of layers from the top down, as in `layers=[InOrder, Acknowledged]`, or a function
        that makes the stack of one robot. A failure takes a robot's radio with all its layers, and neither its body nor
        its program. With real sockets the run follows the wall clock.
        """
        if self._radios is not None:
            raise ValueError("the robots of this stage are connected to a network already")
        if self.robots:
            raise ValueError("connect the stage to a network before the first robot is added")
        self.network, stack = network_of(self.simulation, on), stack_maker(layers)
        network = self.network
        is_real = isinstance(network, Sockets)
        if is_real and self._follows is not None:
            raise ValueError("the real robots of this stage talk by a simulated network, not over sockets")
        if is_real:
            self._running.pace = self._running.pace or 1.0
        write = RealTraffic(self.world).write if is_real else partial(write_traffic, self.world)
        self._radios = Radios(self.simulation, network, stack, write if self._recorder is not None else None)
        self._radios.fail(failures)

    @taught
    def add(
        self,
        program: Callable[..., Coroutine[Any, Any, Any]],
        *args: Any,
        at: PointLike | None = None,
        heading: float = 0.0,
        radius: float | None = None,
        shape: BodyShape | None = None,
        drive: Drive | None = None,
        sensors: Mapping[str, Sensor] | None = None,
        port: str | Callable[[], Port] | RobotPort | None = None,
        name: str | None = None,
        **parameters: Any,
    ) -> Robot:
        """Put a robot into the world and start its program, which gets the robot and the other arguments.

        It is a disc of a `radius` in metres, or has another `shape`. With a `port` it is a real robot at the other end of
        a link, `at` is where it stands at first, and its body in the world, of the shape that its calibration says,
        follows where it believes it is; the run follows the wall clock.
        """
        if port is not None:
            check_linked(radius, shape, drive, sensors)
            return self._link(program, args, parameters, port, at, heading, name)
        if at is None:
            raise TypeError(
                "a robot stands somewhere, as in add(program, at=(1, 1)), or is at a port, as in "
                'add(program, port="/dev/ttyUSB0")'
            )
        return self.place(
            program, args, parameters, at, heading, as_shape(radius, shape), drive, sensors, name
        )

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
        body, held = self._stand(at, heading, shape, drive, sensors, name)
        return self._begin(body, held, program, args, parameters, name)

    @taught
    def add_team(
        self,
        program: Callable[..., Coroutine[Any, Any, Any]],
        count: int,
        *args: Any,
        at: Iterable[PointLike],
        heading: float | Iterable[float] = 0.0,
        radius: float | None = None,
        shape: BodyShape | None = None,
        drive: Drive | None = None,
        sensors: Mapping[str, Sensor] | None = None,
        ports: Iterable[Line] | None = None,
        name: str | None = None,
        **parameters: Any,
    ) -> Team:
        """Put `count` robots into the world, and start one program for all, which gets the team and the other arguments.

        The robots are ordinary ones, alike but for their places `at` and their `heading`, which is one for all or one for
        each. With `ports` those that have one are real robots at the other end of a link, as in `add`.
        """
        kit = TeamKit(as_shape(radius, shape), drive, sensors)
        return self.place_team(program, args, parameters, count, at, heading, kit, ports, name)

    def place_team(
        self,
        program: Callable[..., Coroutine[Any, Any, Any]],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
        count: int,
        at: Iterable[PointLike],
        heading: float | Iterable[float],
        kit: TeamKit,
        ports: Iterable[Line] | None = None,
        name: str | None = None,
    ) -> Team:
        """Do what `add_team` does; parameters of the program may have any names here."""
        from kumi.robot.team import Team  # Late: only a stage with a team needs arrays.

        check_team_sensors(Team, kit.sensors)
        team = Team("team" if name is None else name, kit.sensors)
        parts = TeamParts(team, kit, name)
        befores = self._add_members(parts, count, at, heading, ports)

        async def begin() -> None:
            for before in befores:
                await before()
            await parts.lead(checked_coroutine(program, program(team, *args, **parameters)))

        try:
            warn_of_outside(program)
            check_program(program, args, parameters, "team")
            self._programs.begin_team(team, parts.bodies, begin, program)
        except BaseException:
            for body in parts.bodies:
                body.remove()
            raise
        self._teams[team] = parts
        return team

    def add_to_team(
        self, team: Team, count: int, *, at: Iterable[PointLike], heading: float | Iterable[float] = 0.0
    ) -> tuple[Robot, ...]:
        """Put more robots into a team, like those it has, before or during the run; they get the next numbers in it."""
        if team not in self._teams:
            raise ValueError(f"{team!r} is no team of this stage")
        before = len(team)
        self._add_members(self._teams[team], count, at, heading, None)
        return team.robots[before:]

    def remove(self, robot: Robot) -> None:
        """Take a robot out of the world, before or during the run; its program ends, and its team goes on without it."""
        if not isinstance(robot, Robot):
            raise TypeError(f"a stage removes a robot that add() gave, not {robot!r}")
        body = self.world.body_of(robot.name)
        if body is None or body.is_gone:
            raise ValueError(f"{robot!r} is not in the world of this stage")
        self._programs.end(robot)
        body.remove()

    def _add_members(
        self,
        parts: TeamParts,
        count: int,
        at: Iterable[PointLike],
        heading: float | Iterable[float],
        ports: Iterable[Line] | None,
    ) -> list[Callable[[], Awaitable[object]]]:
        """Put robots into the world and into a team; return what its program is to wait for."""
        places, headings, lines = each_of(count, at, heading, ports)
        befores: list[Callable[[], Awaitable[object]]] = []
        team, kit, first = parts.team, parts.kit, len(parts.bodies)
        try:
            for place, angle, line in zip(places, headings, lines, strict=True):
                number = len(parts.bodies)
                name = None if parts.name is None else f"{parts.name} {number}"
                if line is None:
                    body, held = self._stand(place, angle, kit.shape, kit.drive, kit.sensors, name)
                else:
                    check_linked(None, kit.shape, kit.drive, kit.sensors)
                    body, held, remote = self._linked(line, place, angle, name)
                    befores.append(remote.connect)
                parts.bodies.append(body)
                robot = self._robot_of(body, held)
                team._admit(robot)
                body.on_gone(partial(team._leave, number))
                self._meet(robot, body, name)
                parts.listen(number)
        except BaseException:
            for body in parts.bodies[first:]:
                body.remove()
            raise
        return befores

    def _stand(
        self,
        at: PointLike,
        heading: float,
        shape: BodyShape | None,
        drive: Drive | None,
        sensors: Mapping[str, Sensor] | None,
        name: str | None,
    ) -> tuple[SimulatedBody, Body]:
        """Put a body into the world; return it, and what its program is to hold."""
        check_sensors(sensors)
        if drive is not None and (isinstance(drive, type) or not callable(getattr(drive, "plan", None))):
            raise TypeError(f"a drive is an object with plan(), such as Wheel(), not {drive!r}")
        body = self.world.add_body(at, heading=heading, shape=shape, drive=drive or Wheel(), name=name)
        try:
            if sensors:
                body.sensors = {key: sensor.attached_to(body) for key, sensor in sensors.items()}
            held = body if self._between is None else self._between(body)
        except BaseException:
            body.remove()
            raise
        return body, held

    def _link(
        self,
        program: Callable[..., Coroutine[Any, Any, Any]],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
        port: str | Callable[[], Port] | RobotPort,
        at: PointLike | None,
        heading: float,
        name: str | None,
    ) -> Robot:
        """Connect a robot at a port, whose program begins when it has answered."""
        body, held, remote = self._linked(port, at, heading, name)
        return self._begin(body, held, program, args, parameters, name, remote.connect)

    def _linked(
        self,
        port: str | Callable[[], Port] | RobotPort,
        at: PointLike | None,
        heading: float,
        name: str | None,
    ) -> tuple[SimulatedBody, Body, Remote]:
        """Connect a robot at a port; return its body in the world, what its program is to hold, and its end of the link."""
        from kumi.stage.links import RobotLinks, RobotPort  # Late: most stages have no linked robot.

        follows = self._follows
        if follows is None:
            if self._running.pace is None and self._running.has_begun:
                raise ValueError(
                    "a robot at a port keeps real time, and this stage has run without a pace; make it with pace=1"
                )
            if self._radios is not None and self._radios.sockets is not None:
                raise ValueError(
                    "the robots of this stage talk over sockets; with robots at ports, connect it to a simulated network"
                )
            follows = RobotLinks(self.simulation, self.world, self._running.pace or 1.0, self.end)
        if not isinstance(follows, RobotLinks):
            raise ValueError(  # noqa: TRY004  # it is no matter of types to the one who adds
                "the real robots of this stage came with its scenario; say there which others are real"
            )
        line = port if isinstance(port, RobotPort) else RobotPort(port)
        body, held, remote = follows.add(line, (0.0, 0.0) if at is None else at, heading, name)
        self._follows, self._running.pace = follows, self._running.pace or 1.0
        return body, held, remote

    def _begin(
        self,
        body: SimulatedBody,
        held: Body,
        program: Callable[..., Coroutine[Any, Any, Any]],
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
        name: str | None,
        before: Callable[[], Awaitable[object]] | None = None,
    ) -> Robot:
        """Start the program of a body, which gets what it is to hold, once it has waited for what comes `before`."""
        try:
            robot = self._robot_of(body, held)

            def begin() -> Coroutine[Any, Any, Any]:
                return program(robot, *args, **parameters)

            async def connect() -> None:
                assert before is not None
                await before()
                await begin()

            self._programs.begin(body, robot, begin if before is None else connect, program)
            warn_of_outside(program)
        except BaseException as error:
            body.remove()
            if isinstance(error, TypeError):
                check_program(program, args, parameters)
            raise
        self._meet(robot, body, name)
        return robot

    def _robot_of(self, body: SimulatedBody, held: Body) -> Robot:
        """Return the robot of a body, with its radio, and seen where anybody looks."""
        radio = self._radio_for(body)
        if self._recorder is None:
            return Robot(held, radio)
        show = Publisher(self.world, body.number).show
        return SeenRobot(held, radio, show, partial(write_way, self.world, body))

    def _meet(self, robot: Robot, body: SimulatedBody, name: str | None) -> None:
        """Count a robot among those of the stage."""
        self.robots.append(robot)
        self._bodies.append(body)
        if self._host is not None:
            self._host.meet(group_of(body, name), name)

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
        if self._follows is not None or (self._radios is not None and self._radios.sockets is not None):
            raise ValueError("what is real in this run keeps real time, so its pace cannot be changed")
        self._running.set_pace(float(pace))

    def end_program(self, robot: Robot) -> None:
        """End the program of a robot, where it has one that goes on."""
        self._programs.end(robot)

    def _meta(self, seed: int, table: Mapping[str, Any]) -> RunMeta:
        """Tell how the run was set up, with bodies that came into the world without a program; of others it was told."""
        own = {body.number for body in self._bodies}
        others = [body for body in self.world.bodies if body.number not in own]
        named = {body.number: body.name for body in others if body.name != f"robot {body.number}"}
        return RunMeta(seed=seed, map=table, robots=named, groups=groups_of(others, {}))

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
        told = partial(self._tell, on_progress)
        with ended_by_signals(self._interrupt):
            try:
                with self._running.under_way(until):
                    if self._radios is not None and self._radios.sockets is not None:
                        import asyncio  # Late: only a stage with sockets needs it.

                        asyncio.run(self._run_real(self._radios, self._radios.sockets, until, told))
                    else:
                        self._run(until, told, is_sliced=self.is_recorded or on_progress is not None)
            finally:
                self._hand_on()
                outcome = self.outcome
                if self._files is not None:
                    self._files.keep(outcome)
        return outcome

    def begin(self) -> None:
        """Bring the radios up; `run` does so by itself, and who runs the simulation without it does so first."""
        if self._radios is not None:
            self._radios.begin()

    def _run(self, until: float, told: Callable[[], object], *, is_sliced: bool) -> None:
        self.begin()
        if self._follows is not None:
            self._follows.run(until, told)
        else:
            self._running.run(until, told, is_sliced=is_sliced)

    async def _run_real(
        self, radios: Radios, sockets: Sockets, until: float, told: Callable[[], object]
    ) -> None:
        async with AsyncExitStack() as stack:
            await sockets.open(stack)
            radios.begin()
            await self._running.run_async(until, told)

    def _tell(self, on_progress: Callable[[Progress], None] | None) -> None:
        self._hand_on()
        if on_progress is not None:
            on_progress(self._progress)

    def _hand_on(self) -> None:
        if self._recorder is not None and (journal := self.world.take_journal()):
            self._recorder.write(journal)

    @property
    def _progress(self) -> Progress:
        running = self._running
        return Progress(
            self.simulation.now,
            running.wall,
            self._events,
            self.world.contact_count,
            running.pace,
            running.late,
            running.given_up,
        )

    @property
    def is_under_way(self) -> bool:
        """Whether `run` goes on now."""
        return self._running.is_under_way

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
            self._running.wall,
            self._events,
            self.world.contact_count,
            self.world.count,
            self.simulation.trace_hash,
            tuple(self._programs.errors),
            self._gone,
            self._running.is_interrupted,
            None if self._radios is None else self._radios.messages,
            None if self._running.pace is None else self.simulation.lateness,
            self.world.still_since,
            self._record,
            self._why_over,
        )

    def end(self, why: str = "it was ended") -> None:
        """End `run` after the present instant; for who knows inside the run that it is over, and why."""
        self._running.end(why)

    @property
    def _why_over(self) -> str:
        if self._running.why_over or not self._running.has_begun:
            return self._running.why_over
        return "all programs have ended" if self.robots else "nothing is left to happen"

    def _interrupt(self) -> None:
        self._running.interrupt()
        if self._follows is not None:
            self._follows.interrupt()

    def close(self) -> None:
        """End all programs and let the world go; what they do while they end is no part of the run."""
        outcome = self.outcome
        self._hand_on()
        self.world.keep_journal(False)
        try:
            self.simulation.close()
        finally:
            if self._follows is not None:
                self._follows.close(outcome)
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
