"""What does each deed do on a stage?

All of this happens in the thread of the run, after everything else at an instant. Each deed is written down as a note
"by hand", of the robot where it is about one. What cannot be done raises, and has changed nothing.
"""

from __future__ import annotations

from functools import singledispatchmethod
from typing import TYPE_CHECKING

from kumi.contract import Follow, MoveTo
from kumi.control.actions import (
    AnyDeed,
    CheckCode,
    Commands,
    DrawWall,
    FollowPath,
    GiveCode,
    GoTo,
    LoadMap,
    PlaceRobot,
    Release,
    RemoveRobot,
    RemoveWall,
    SaveMap,
    SetNoise,
    SetPace,
    Stop,
)
from kumi.control.ground import drawn_wall, load_obstacles, name_of_obstacle
from kumi.control.noise import set_motion_noise, set_sensor_noise
from kumi.control.simulated_orders import steps_of
from kumi.robot.code import Failure, Given, check_code
from kumi.robot.code_check import Mistake, mistakes_in
from kumi.world import map_to_text

if TYPE_CHECKING:
    from kumi.control.manual_override import Reins, Step
    from kumi.robot import Robot
    from kumi.stage import Stage


class Doing:
    """Does deeds on a stage; `reins` are those of its robots, by number."""

    def __init__(self, stage: Stage, reins: dict[int, Reins]) -> None:
        self._stage = stage
        self._reins = reins
        self.noise = {"motion": 0.0, "sensors": 0.0}
        self.failures: dict[int, Failure] = {}
        """What went wrong in the code that was given last, by robot."""
        self._given: dict[tuple[str, str], tuple[Given | None, set[int]]] = {}

    @singledispatchmethod
    def do(self, deed: AnyDeed) -> object:
        """Do something, and return what the person gets."""
        raise TypeError(f"a run knows no deed {deed!r}")

    @do.register
    def _go_to(self, deed: GoTo) -> None:
        self._order(deed.robot, [MoveTo((deed.at.x, deed.at.y))], deed.order, f"go to {deed.at}")

    @do.register
    def _follow(self, deed: FollowPath) -> None:
        path = tuple((at.x, at.y) for at in deed.way)
        self._order(deed.robot, [Follow(path)], deed.order, f"follow a path to {deed.way[-1]}")

    @do.register
    def _commands(self, deed: Commands) -> None:
        cruise = float(getattr(self._of(deed.robot).body.drive, "speed", 1.0))
        steps = steps_of(deed.text, deed.robot, cruise)
        self._order(deed.robot, steps, "interrupt", f"commands {deed.text!r}")

    @do.register
    def _stop(self, deed: Stop) -> None:
        for reins in self._some(deed.robot):
            reins.stop_now()
        self._note(deed.robot, "stop")

    @do.register
    def _release(self, deed: Release) -> None:
        self._of(deed.robot).release()
        self._note(deed.robot, "release")

    @do.register
    def _give_code(self, deed: GiveCode) -> None:
        reins, robot = self._of(deed.robot), self._robot(deed.robot)
        given = self._given_to(robot, deed)
        self.failures.pop(deed.robot, None)
        self._note(deed.robot, f"code {deed.name}")

        def told(error: BaseException) -> None:
            self.failures[deed.robot] = given.failure(error, self._stage.simulation.now)

        self._stage.give_program(robot, given.program, told)
        reins.release()

    def _given_to(self, robot: Robot, deed: GiveCode) -> Given:
        """Return the program of a text: one for all robots that are given the same, whose messages then are of one class."""
        check_code(deed.name, deed.code, dir(robot))
        given, takers = self._given.get((deed.name, deed.code), (None, set()))
        if given is None or robot.number in takers:  # who gets it again begins anew
            given, takers = Given(deed.name, deed.code, dir(robot)), set()
            self._given[deed.name, deed.code] = given, takers
        takers.add(robot.number)
        return given

    @do.register
    def _check_code(self, deed: CheckCode) -> list[Mistake]:
        self._of(deed.robot)
        return mistakes_in(deed.code, dir(self._robot(deed.robot)))

    @do.register
    def _place(self, deed: PlaceRobot) -> int:
        """Put a robot there that is like the first one, and has no program."""
        like = self._reins[min(self._reins)].body if self._reins else None
        placed = self._stage.add(
            stand,
            at=(deed.at.x, deed.at.y),
            heading=deed.heading,
            shape=None if like is None else like.shape,
            drive=None if like is None else like.drive,
        )
        self._note(placed.number, f"placed at {deed.at}")
        return placed.number

    @do.register
    def _remove(self, deed: RemoveRobot) -> None:
        body = self._of(deed.robot).body
        self._note(deed.robot, "removed")
        self._stage.end_program(self._robot(deed.robot))
        body.remove()

    @do.register
    def _draw_wall(self, deed: DrawWall) -> int:
        world = self._stage.world
        wall = world.add_obstacle(drawn_wall(deed.start, deed.end))
        self._note(None, f"{wall.name} drawn from {deed.start} to {deed.end}")
        return world.number_of(wall.name)

    @do.register
    def _remove_wall(self, deed: RemoveWall) -> None:
        name = name_of_obstacle(self._stage.world, deed.wall)
        self._stage.world.remove_obstacle(name)
        self._note(None, f"{name} removed")

    @do.register
    def _load_map(self, deed: LoadMap) -> None:
        count = load_obstacles(self._stage.world, deed.map)
        self._note(None, f"map loaded, obstacles: {count}")

    @do.register
    def _save_map(self, _: SaveMap) -> str:
        return map_to_text(self._stage.world.map)

    @do.register
    def _set_noise(self, deed: SetNoise) -> None:
        bodies = [reins.body for reins in self._some(deed.robot)]
        moved = [set_motion_noise(body, deed.motion) for body in bodies]
        if deed.motion and not any(moved):
            raise ValueError("no robot here has a drive that knows noise")
        for body in bodies:
            set_sensor_noise(body, deed.sensors)
        if deed.robot is None:
            self.noise = {"motion": deed.motion, "sensors": deed.sensors}
        shares = f"noise of motion {100 * deed.motion:g} %, of sensors {100 * deed.sensors:g} %"
        self._note(deed.robot, shares)

    @do.register
    def _set_pace(self, deed: SetPace) -> None:
        self._stage.set_pace(deed.pace)
        self._note(None, f"pace {deed.pace:g}")

    def _order(self, robot: int, steps: list[Step], order: str, words: str) -> None:
        self._of(robot).order(steps, interrupts=order == "interrupt")
        self._note(robot, words if order == "interrupt" else f"{words}, after the rest")

    def _of(self, robot: int) -> Reins:
        reins = self._reins.get(robot)
        if reins is None:
            raise ValueError(f"robot {robot} has no program, so it takes no orders")
        if reins.body.is_gone:
            raise ValueError(f"robot {robot} is not in the world any more")
        return reins

    def _some(self, robot: int | None) -> list[Reins]:
        """Return the reins of a robot, or of all that are here."""
        if robot is not None:
            return [self._of(robot)]
        if not self._reins:
            raise ValueError("the robots of this run have no programs, so they take no orders")
        return [reins for reins in self._reins.values() if not reins.body.is_gone]

    def _robot(self, number: int) -> Robot:
        return next(robot for robot in self._stage.robots if robot.number == number)

    def _note(self, robot: int | None, words: str) -> None:
        body = None if robot is None else self._reins[robot].body
        self._stage.world.write_note(body, f"by hand: {words}")


async def stand(_robot: Robot) -> None:
    """Do nothing: the program of a robot that a person placed."""
