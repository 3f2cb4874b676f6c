"""A station of several processes: they share robots, tell each other, and take over from each other when one is killed."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sql

from kumi.station.client import AsyncClient
from kumi.station.entering.session import StationSession
from kumi.station.operations.finds import MarkObject
from kumi.station.operations.maps import Locate
from kumi.station.operations.robots import EnrolRobot, ListRobots, RobotKey, Welcome
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import PlaceRecord, PoseRecord, RobotState
from kumi.station.refusals import Refused
from kumi.station.store.schema import processes, robots
from kumi.station.store.store import StationStore
from kumi.station.wire.messages import HaltNow, PoseCorrected, RobotNotice, TasksChanged
from kumi.station.wire.zenoh_carrier import ZenohCarrier
from tests.station.conftest import GO_TO
from tests.station.processes import Running, running
from tests.waiting import free_port, until

Template = tuple[Path, dict[str, str], dict[str, str]]
TEAM = 12
GO = {"at": {"x": 1.0, "y": 2.0}}


async def have_met(path: Path, count: int) -> None:
    """Wait until there are so many processes, and each has looked for the others since."""
    store = StationStore(f"sqlite:///{path}")

    def beats() -> dict[str, int]:
        with store.reading() as transaction:
            return {row.name: row.beat for row in transaction.all(processes.select())}

    try:
        await until(lambda: len(beats()) == count)
        before = beats()
        await until(lambda: all(beats().get(name, 0) >= beat + 2 for name, beat in before.items()))
    finally:
        store.close()


Told = tuple[str, RobotNotice]
"""A robot, and what it was told."""


class Play:
    """Two controllers, a gateway and robots of this process."""

    def __init__(
        self, store: StationStore, client: AsyncClient, sessions: list[StationSession], told: list[Told]
    ) -> None:
        self.store = store
        self.client = client
        self.sessions = sessions
        self.told = told

    async def is_in(self) -> bool:
        """Whether all robots are in."""
        return all(one.is_in for one in self.sessions)

    def shares(self) -> dict[str, int]:
        """How many robots each process has."""
        with self.store.reading() as transaction:
            there = robots.select().where(robots.c.state == "connected")
            at = [row.controller for row in transaction.all(there)]
            names = [row.name for row in transaction.all(processes.select())]
        return {name: at.count(name) for name in names if at.count(name)}

    async def states(self) -> set[RobotState]:
        """In which states the robots are."""
        ours = {one.robot for one in self.sessions}
        found = await self.client.call(ListRobots())
        return {one.state for one in found.robots if one.tag in ours}


def _session(carrier: ZenohCarrier, key: RobotKey, told: list[Told]) -> StationSession:
    return StationSession(
        carrier,
        key.robot,
        key.key,
        lambda: Welcome(options=(GO_TO,)),
        told=lambda notice: told.append((key.robot, notice)),
    )


async def _play(
    url: str, endpoint: str, template: Template, path: Path, story: Callable[[Play], Awaitable[None]]
) -> None:
    store = StationStore(f"sqlite:///{path}")
    async with AsyncClient(url, template[1]["chief"]) as client:
        keys = [await client.call(EnrolRobot(robot=f"r{one}", team="red")) for one in range(TEAM)]
        carrier = await ZenohCarrier.connected(endpoint)
        told: list[Told] = []
        sessions = [_session(carrier, one, told) for one in keys]
        play = Play(store, client, sessions, told)
        tasks = [asyncio.ensure_future(one.run()) for one in sessions]
        try:
            await until(play.is_in)
            await story(play)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await carrier.close()
            store.close()


@pytest.mark.slow
def test_robots_spread_over_controllers_and_move_when_theirs_is_killed(
    template: Template, tmp_path: Path
) -> None:
    """A gateway stops a robot of any controller; all robots are back after a kill; a new controller gets its share."""
    shutil.copy(template[0], tmp_path / "station.db")
    port, ports = free_port(), [free_port(), free_port()]
    with ExitStack() as stack:

        def controller(number: int) -> Running:
            role = ("--role", "controller")
            return stack.enter_context(running(tmp_path, free_port(), *role, robots=ports[number]))

        first, second = controller(0), controller(1)
        gateway = stack.enter_context(running(tmp_path, port, "--role", "gateway"))
        asyncio.run(have_met(tmp_path / "station.db", 3))  # so robots are told of both controllers

        async def story(play: Play) -> None:
            async def is_shared() -> bool:
                shares = play.shares().values()
                return sum(shares) == TEAM and len(shares) == 2 and max(shares) - min(shares) <= 5

            await until(is_shared)
            for session in play.sessions:
                await play.client.call(GiveTask(robot=session.robot, task="goTo", arguments=GO))
                await play.client.call(Stop(robot=session.robot))

            async def are_told() -> bool:
                told = {(tag, type(one)) for tag, one in play.told}
                return all({(one.robot, TasksChanged), (one.robot, HaltNow)} <= told for one in play.sessions)

            await until(are_told)
            first.kill()

            async def is_moved() -> bool:
                shares = play.shares()
                is_whole = list(shares.values()) == [TEAM] and await play.states() == {"connected"}
                return is_whole and await play.is_in()

            await until(is_moved)
            play.told.clear()
            await play.client.call(Stop(robot="r0"))

            async def is_stopped() -> bool:
                return ("r0", HaltNow) in [(tag, type(one)) for tag, one in play.told]

            await until(is_stopped)
            controller(0)
            await until(is_shared)

        endpoint = f"tcp/127.0.0.1:{ports[0]}"
        asyncio.run(_play(gateway.url, endpoint, template, tmp_path / "station.db", story))
        del second


@pytest.mark.slow
def test_the_robots_of_a_controller_that_dies_with_them_are_lost(template: Template, tmp_path: Path) -> None:
    shutil.copy(template[0], tmp_path / "station.db")
    port, door = free_port(), free_port()
    with (
        running(tmp_path, free_port(), "--role", "controller", robots=door) as dying,
        running(tmp_path, free_port(), "--role", "controller"),
        running(tmp_path, port, "--role", "gateway") as gateway,
    ):

        async def story(play: Play) -> None:
            for session in play.sessions:
                session.is_in = True
                session._heard = float(
                    "inf"
                )  # they do not notice, and so do not come back: as if they were dead
            dying.kill()
            found = sql.select(robots.c.state).where(robots.c.tag.like("r%"), ~robots.c.tag.like("red%"))

            async def some_are_lost() -> bool:
                with play.store.reading() as transaction:
                    return all(row.state in ("lost", "connected") for row in transaction.all(found)) and any(
                        row.state == "lost" for row in transaction.all(found)
                    )

            await until(some_are_lost)

        asyncio.run(_play(gateway.url, f"tcp/127.0.0.1:{door}", template, tmp_path / "station.db", story))


@pytest.mark.slow
def test_the_map_has_a_process_of_its_own(template: Template, tmp_path: Path) -> None:
    """What is asked of the gateway about the map is done by the map's process, and refused by it in its words."""
    shutil.copy(template[0], tmp_path / "station.db")
    key = f"robot:red robot:{template[2]['red robot']}"
    mark = MarkObject(name="thing", at=PlaceRecord(x=1.0, y=1.0))
    with running(tmp_path, free_port(), "--role", "gateway") as gateway, ExitStack() as stack:

        async def said(robot: AsyncClient) -> str:
            try:
                await robot.call(mark)
            except Refused as refused:
                return refused.sentence
            return "done"

        async def is_missed(robot: AsyncClient) -> bool:
            """Start the map's process and kill it; whether that is asked for before it is known to be dead."""
            map_ = stack.enter_context(running(tmp_path, free_port(), "--role", "map"))
            await have_met(tmp_path / "station.db", 2)
            await until(lambda: is_done(robot))
            with pytest.raises(Refused, match="there is no file 77 of team 'red'"):
                await robot.call(msgspec.structs.replace(mark, medium=77))
            map_.kill()
            return await said(robot) == "the process that has the map does not answer; ask again"

        async def is_done(robot: AsyncClient) -> bool:
            return await said(robot) == "done"

        async def story() -> None:
            async with AsyncClient(gateway.url, key) as robot:
                await until(lambda: is_missed(robot))
                await until(lambda: is_done(robot))

        asyncio.run(story())


@pytest.mark.slow
def test_where_a_robot_was_seen_reaches_the_process_that_has_it(template: Template, tmp_path: Path) -> None:
    """The positioning system tells the gateway; the robot's controller corrects the robot."""
    shutil.copy(template[0], tmp_path / "station.db")
    door, feed = free_port(), ("--positioning", "feed")
    with (
        running(tmp_path, free_port(), "--role", "controller", *feed, robots=door),
        running(tmp_path, free_port(), "--role", "gateway", *feed) as gateway,
    ):

        async def story(play: Play) -> None:
            robot = play.sessions[0]
            async with AsyncClient(gateway.url, template[1]["positioning system"]) as system:

                async def is_corrected() -> bool:
                    await system.call(Locate(robot=robot.robot, at=PlaceRecord(x=1.3, y=1.0)))
                    robot.tell_position(PoseRecord(x=1.0, y=1.0), {})
                    return any(
                        tag == robot.robot and isinstance(one, PoseCorrected) for tag, one in play.told
                    )

                await until(is_corrected)

        asyncio.run(_play(gateway.url, f"tcp/127.0.0.1:{door}", template, tmp_path / "station.db", story))
