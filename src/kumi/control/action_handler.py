"""What does each action do on a stage, and what may change on the ground and in the noise of a run that goes on?

All of this happens in the thread of the run, after everything else at an instant. Each action is written down as a note
"by hand", of the robot where it is about one. What cannot be done raises, and has changed nothing.

Walls are drawn and taken away, and so are pillars and blocks of the map. A map that is loaded brings its obstacles in
place of those that stand; the plane keeps its size and its ground. All or nothing: where one of them would stand in a
robot, the old ones stay.

Motions and readings err from now on by a share; 0 makes them exact. Of a motion, the share is the standard deviation of each way and each turn as a part
of it, and of the drift in radians a metre. Of a reading, it is the standard deviation as a part of what is read.
What the drive or the sensor was made with no longer counts. Drives and sensors without noise stay as they are.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import copy
from functools import singledispatchmethod
from typing import TYPE_CHECKING, Any

from kumi.contract import Follow, MoveTo
from kumi.control.actions import (
    AnyAction,
    CheckCode,
    Commands,
    DrawWall,
    FollowPath,
    GiveBack,
    GiveCode,
    GoTo,
    LoadMap,
    PlaceRobot,
    RemoveWall,
    SaveMap,
    SetNoise,
    SetPace,
    StopRobot,
    TakeOut,
)
from kumi.control.simulated_orders import steps_of
from kumi.motion import GaussianErrors
from kumi.robot.code import Failure, GivenProgram, check_code
from kumi.robot.code_check import Mistake, mistakes_in
from kumi.sensing import Exact, GaussianNoise
from kumi.world import MapError, Overlap, Wall, map_to_text
from kumi.world.map_toml import map_of_table

if TYPE_CHECKING:
    from kumi.control.actions import Spot
    from kumi.control.manual_override import OverridableBody, Step
    from kumi.robot import Robot
    from kumi.stage import Stage
    from kumi.world import SimulatedBody, World


class ActionHandler:
    """Does actions on a stage; `overrides` are those of its robots, by number."""

    def __init__(self, stage: Stage, overrides: dict[int, OverridableBody]) -> None:
        self._stage = stage
        self._overrides = overrides
        self.noise = {"motion": 0.0, "sensors": 0.0}
        self.failures: dict[int, Failure] = {}
        """What went wrong in the code that was given last, by robot."""
        self._given: dict[tuple[str, str], tuple[GivenProgram | None, set[int]]] = {}

    @singledispatchmethod
    def do(self, action: AnyAction) -> object:
        """Do something, and return what the person gets."""
        raise TypeError(f"a run knows no action {action!r}")

    @do.register
    def _go_to(self, action: GoTo) -> None:
        self._order(action.robot, [MoveTo((action.at.x, action.at.y))], action.order, f"go to {action.at}")

    @do.register
    def _follow(self, action: FollowPath) -> None:
        path = tuple((at.x, at.y) for at in action.way)
        self._order(action.robot, [Follow(path)], action.order, f"follow a path to {action.way[-1]}")

    @do.register
    def _commands(self, action: Commands) -> None:
        cruise = float(getattr(self._of(action.robot).body.drive, "speed", 1.0))
        steps = steps_of(action.text, action.robot, cruise)
        self._order(action.robot, steps, "interrupt", f"commands {action.text!r}")

    @do.register
    def _stop(self, action: StopRobot) -> None:
        for override in self._some(action.robot):
            override.stop_now()
        self._note(action.robot, "stop")

    @do.register
    def _release(self, action: GiveBack) -> None:
        self._of(action.robot).release()
        self._note(action.robot, "release")

    @do.register
    def _give_code(self, action: GiveCode) -> None:
        override, robot = self._of(action.robot), self._robot(action.robot)
        given = self._given_to(robot, action)
        self.failures.pop(action.robot, None)
        self._note(action.robot, f"code {action.name}")

        def told(error: BaseException) -> None:
            self.failures[action.robot] = given.failure(error, self._stage.simulation.now)

        self._stage.give_program(robot, given.program, told)
        override.release()

    def _given_to(self, robot: Robot, action: GiveCode) -> GivenProgram:
        """Return the program of a text: one for all robots that are given the same, whose messages then are of one class."""
        check_code(action.name, action.code, dir(robot))
        given, takers = self._given.get((action.name, action.code), (None, set()))
        if given is None or robot.number in takers:  # who gets it again begins anew
            given, takers = GivenProgram(action.name, action.code, dir(robot)), set()
            self._given[action.name, action.code] = given, takers
        takers.add(robot.number)
        return given

    @do.register
    def _check_code(self, action: CheckCode) -> list[Mistake]:
        self._of(action.robot)
        return mistakes_in(action.code, dir(self._robot(action.robot)))

    @do.register
    def _place(self, action: PlaceRobot) -> int:
        """Put a robot there that is like the first one, and has no program."""
        like = self._overrides[min(self._overrides)].body if self._overrides else None
        placed = self._stage.add(
            stand,
            at=(action.at.x, action.at.y),
            heading=action.heading,
            shape=None if like is None else like.shape,
            drive=None if like is None else like.drive,
        )
        self._note(placed.number, f"placed at {action.at}")
        return placed.number

    @do.register
    def _remove(self, action: TakeOut) -> None:
        body = self._of(action.robot).body
        self._note(action.robot, "removed")
        self._stage.end_program(self._robot(action.robot))
        body.remove()

    @do.register
    def _draw_wall(self, action: DrawWall) -> int:
        world = self._stage.world
        wall = world.add_obstacle(drawn_wall(action.start, action.end))
        self._note(None, f"{wall.name} drawn from {action.start} to {action.end}")
        return world.number_of(wall.name)

    @do.register
    def _remove_wall(self, action: RemoveWall) -> None:
        name = name_of_obstacle(self._stage.world, action.wall)
        self._stage.world.remove_obstacle(name)
        self._note(None, f"{name} removed")

    @do.register
    def _load_map(self, action: LoadMap) -> None:
        count = load_obstacles(self._stage.world, action.map)
        self._note(None, f"map loaded, obstacles: {count}")

    @do.register
    def _save_map(self, _: SaveMap) -> str:
        return map_to_text(self._stage.world.map)

    @do.register
    def _set_noise(self, action: SetNoise) -> None:
        bodies = [override.body for override in self._some(action.robot)]
        moved = [set_motion_noise(body, action.motion) for body in bodies]
        if action.motion and not any(moved):
            raise ValueError("no robot here has a drive that knows noise")
        for body in bodies:
            set_sensor_noise(body, action.sensors)
        if action.robot is None:
            self.noise = {"motion": action.motion, "sensors": action.sensors}
        shares = f"noise of motion {100 * action.motion:g} %, of sensors {100 * action.sensors:g} %"
        self._note(action.robot, shares)

    @do.register
    def _set_pace(self, action: SetPace) -> None:
        self._stage.set_pace(action.pace)
        self._note(None, f"pace {action.pace:g}")

    def _order(self, robot: int, steps: list[Step], order: str, words: str) -> None:
        self._of(robot).order(steps, interrupts=order == "interrupt")
        self._note(robot, words if order == "interrupt" else f"{words}, after the rest")

    def _of(self, robot: int) -> OverridableBody:
        override = self._overrides.get(robot)
        if override is None:
            raise ValueError(f"robot {robot} has no program, so it takes no orders")
        if override.body.is_gone:
            raise ValueError(f"robot {robot} is not in the world any more")
        return override

    def _some(self, robot: int | None) -> list[OverridableBody]:
        """Return the overrides of a robot, or of all that are here."""
        if robot is not None:
            return [self._of(robot)]
        if not self._overrides:
            raise ValueError("the robots of this run have no programs, so they take no orders")
        return [override for override in self._overrides.values() if not override.body.is_gone]

    def _robot(self, number: int) -> Robot:
        return next(robot for robot in self._stage.robots if robot.number == number)

    def _note(self, robot: int | None, words: str) -> None:
        body = None if robot is None else self._overrides[robot].body
        self._stage.world.write_note(body, f"by hand: {words}")


async def stand(_robot: Robot) -> None:
    """Do nothing: the program of a robot that a person placed."""


THICKNESS = 0.05
"""Metres of a wall that is drawn."""
LEAST_WALL_LENGTH = 0.01
"""Metres that a wall is long at least."""


def drawn_wall(start: Spot, end: Spot) -> Wall:
    """Return the wall between two places."""
    if abs(start.x - end.x) + abs(start.y - end.y) < LEAST_WALL_LENGTH:
        raise ValueError(f"a wall goes from one place to another, at least {LEAST_WALL_LENGTH:g} m away")
    return Wall((start.x, start.y), (end.x, end.y), THICKNESS)


def name_of_obstacle(world: World, number: int) -> str:
    """Return the name of an obstacle that stands now."""
    for thing in world.map.obstacles:
        if world.number_of(thing.name) == number:
            return thing.name
    raise ValueError(f"there is no obstacle {number} in the world now")


def load_obstacles(world: World, given: Mapping[str, Any] | str) -> int:
    """Let the obstacles of a map stand in place of those that stand now, and return how many."""
    loaded = map_of_table(table_of(given), "the map")
    plane = world.map
    if loaded.bounds != plane.bounds:
        raise ValueError(f"the map is {size_of(loaded)} and the world {size_of(plane)}: a run keeps its size")
    if loaded.terrain != plane.terrain:
        raise ValueError("the ground of the map differs from that of the world: a run keeps its ground")
    before = plane.obstacles
    for thing in before:
        world.remove_obstacle(thing.name)
    put: list[str] = []
    try:
        for thing in loaded.obstacles:
            put.append(world.add_obstacle(thing).name)  # noqa: PERF401  # those before one that cannot stand are known
    except Overlap:
        for name in put:
            world.remove_obstacle(name)
        for thing in before:
            world.add_obstacle(thing)
        raise
    return len(put)


def table_of(given: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """Return the table of a map: itself, or that in the text of a map file."""
    if not isinstance(given, str):
        return given
    try:
        table = tomllib.loads(given).get("map")
    except tomllib.TOMLDecodeError as error:
        raise MapError(f"it is no TOML: {error}") from error
    if not isinstance(table, dict):
        raise MapError("it has no table [map]")
    return table


def size_of(plane: Any) -> str:
    """Return the size of a map for people."""
    if not plane.is_finite:
        return "endless"
    left, bottom, right, top = plane.bounds
    return f"from ({left:g}, {bottom:g}) to ({right:g}, {top:g})"


def set_motion_noise(body: SimulatedBody, share: float) -> bool:
    """Let the motions of a body err; False where its drive knows no noise."""
    drive: Any = copy(body.drive)
    if not hasattr(drive, "noise"):
        return False
    drive.noise = GaussianErrors(share, share, share) if share else None
    body.drive = drive
    return True


def set_sensor_noise(body: SimulatedBody, share: float) -> int:
    """Let the readings of a body err, and return of how many sensors."""
    count = 0
    for sensor in body.sensors.values():
        if hasattr(sensor, "noise"):
            sensor.noise = GaussianNoise(share=share) if share else Exact()
            count += 1
    return count
