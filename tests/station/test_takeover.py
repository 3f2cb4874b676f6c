"""The process that keeps the floor is killed while robots drive: no floor is granted twice, none stays taken, and robots go on.

`KUMI_ROUNDS=50 python -m pytest -o faulthandler_timeout=0 tests/station/test_takeover.py` kills it fifty times.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest
import sqlalchemy as sql

from kumi.devs import Chance
from kumi.devs.chance import stream
from kumi.geometry import Disc, Point
from kumi.motion import Wheel
from kumi.reserving import Way, Zone
from kumi.stage.stage import Stage
from kumi.station.client import Client, StationGone
from kumi.station.entering import member
from kumi.station.entering.member import StationManner, StationMember, stay_all
from kumi.station.floor.requesting import RobotFloor
from kumi.station.operation import Request
from kumi.station.operations.maps import SetMap
from kumi.station.operations.robots import EnrolRobot, MonitorRobot
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import RobotStatus
from kumi.station.refusals import Refused
from kumi.station.store.schema import facts, processes
from kumi.station.store.store import StationStore
from kumi.station.wire.zenoh_carrier import ZenohCarrier
from kumi.world import Map, World, map_to_table
from tests.station.processes import Running, running
from tests.waiting import PATIENCE, free_port, wait_for

Template = tuple[Path, dict[str, str], dict[str, str]]
ROUNDS = int(os.environ.get("KUMI_ROUNDS", "2"))
RADIUS = 0.15
HALL = Map(4.0, 4.0)
CORNERS = [(0.7, 0.7), (3.3, 0.7), (3.3, 3.3), (0.7, 3.3)]
TAGS = [f"t{number}" for number in range(len(CORNERS))]


@dataclass
class Use:
    """Floor that a robot was granted, and how long it drove on it."""

    robot: str
    zone: Zone
    begun: float
    ended: float = float("inf")


class Watched(RobotFloor):
    """Notes what is granted to a robot."""

    uses: list[Use]

    async def request(self, way: Way | None = None) -> None:
        """Ask for floor, and note it."""
        await super().request(way)
        assert self._on is not None
        path = tuple(Point(spot.x, spot.y) for spot in self._on)
        robot: Any = self._client
        Watched.uses.append(Use(robot.session.robot, Zone(path, RADIUS), time.monotonic()))

    def arrive(self) -> None:
        """Give floor back, and note it."""
        self._end()
        super().arrive()

    @contextmanager
    def driving(self) -> Iterator[None]:
        """Note where a robot ends in the midst of a piece."""
        with super().driving():
            try:
                yield
            finally:
                self._end()

    def _end(self) -> None:
        client: Any = self._client
        for use in reversed(Watched.uses):
            if use.robot == client.session.robot:
                use.ended = min(use.ended, time.monotonic())
                return


@dataclass
class Robots:
    """Robots in one world of this process, in a thread of their own."""

    keys: dict[str, str]
    endpoint: str
    contacts: int = 0
    is_in: set[str] = field(default_factory=set)

    async def run(self) -> None:
        """Be in the station until cancelled."""
        carrier = await ZenohCarrier.connected(self.endpoint)
        try:
            with Stage(World(HALL)) as stage:
                manner = StationManner(0.05, 2.0, self.is_in.add)
                members = []
                for place, (tag, key) in zip(CORNERS, self.keys.items(), strict=True):
                    one = StationMember(
                        carrier, stage.simulation, tag, key, manner, kind="simulated", radius=RADIUS
                    )
                    stage.add(one.program, at=place, shape=Disc(RADIUS), drive=Wheel(1.0), name=tag)
                    members.append(one)
                try:
                    await stay_all(stage.simulation.run_async(pace=1.0, open_ended=True), members)
                finally:
                    self.contacts = stage.world.contact_count
        finally:
            await carrier.close()

    @contextmanager
    def driving(self) -> Iterator[None]:
        """Let them be there meanwhile."""
        loop = asyncio.new_event_loop()
        task = loop.create_task(self.run())

        def work() -> None:
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(task)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            loop.call_soon_threadsafe(task.cancel)
            thread.join()
            loop.close()
        if not task.cancelled():
            task.result()


class Station:
    """Two processes that do everything, over one store."""

    def __init__(self, folder: Path, token: str, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.doors = [free_port(), free_port()]
        self.ports = [free_port(), free_port()]
        self.both: list[Running] = [self._start(0), self._start(1)]
        self._clients = [stack.enter_context(Client(one.url, token, timeout=5.0)) for one in self.both]
        self.store = StationStore(f"sqlite:///{folder / 'station.db'}")
        stack.callback(self.store.close)

    def _start(self, number: int) -> Running:
        return self._stack.enter_context(running(self.folder, self.ports[number], robots=self.doors[number]))

    def keeper(self) -> int | None:
        """Return which of them keeps the floor; None where nobody does that lives."""
        found = sql.select(processes.c.endpoint).join(facts, facts.c.value == processes.c.name)
        with self.store.reading() as transaction:
            row = transaction.one(found.where(facts.c.name == "floor"))
        return None if row is None else self.doors.index(int(row.endpoint.rpartition(":")[2]))

    def kill_keeper(self) -> None:
        """End the process that keeps the floor, without a word, and start another in its place."""
        number = self._kept()
        self.both[number].kill()
        self.both[number] = self._start(number)

    def stun_keeper(self, seconds: float) -> None:
        """Have the process that keeps the floor sleep for a while, and then wake up."""
        number = self._kept()
        self.both[number].process.send_signal(SIGSTOP)
        time.sleep(seconds)
        self.both[number].process.send_signal(SIGCONT)

    def _kept(self) -> int:
        wait_for(lambda: self.keeper() is not None, "nobody keeps the floor")
        number = self.keeper()
        assert number is not None
        return number

    def ask(self, request: Request[Any]) -> Any:
        """Ask whichever process answers, until one does."""
        deadline = time.monotonic() + PATIENCE
        while True:
            for client in self._clients:
                with suppress(StationGone, Refused):
                    return client.call(request)
            assert time.monotonic() < deadline, "no process answers"
            time.sleep(0.1)

    def send(self, tag: str, place: tuple[float, float], name: str) -> int:
        """Give a task, once however often it is asked for."""
        at = {"at": {"x": place[0], "y": place[1]}}
        return int(self.ask(GiveTask(robot=tag, task="goTo", arguments=at, request=name)).task)

    def ended(self, tag: str) -> RobotStatus:
        """Wait until a robot has nothing to do."""
        found: list[RobotStatus] = []

        def is_idle() -> bool:
            found.append(self.ask(MonitorRobot(robot=tag)))
            return found[-1].task is None and not found[-1].waiting

        wait_for(is_idle, lambda: f"{tag} waits for ever: {found[-1]}")
        return found[-1]


def trouble(station: Station, chance: Chance, number: int) -> None:
    """Kill the keeper, or have it sleep, perhaps for longer than others take it for living."""
    time.sleep(chance.uniform(0.0, 2.0))
    if number % 2 == 1:
        station.stun_keeper(chance.uniform(1.0, 4.0))
    else:
        station.kill_keeper()


@pytest.mark.slow
def test_whoever_keeps_the_floor_may_be_killed_while_robots_drive(
    template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(template[0], tmp_path / "station.db")
    monkeypatch.setattr(member, "RobotFloor", Watched)
    Watched.uses = []
    chance = stream(int(os.environ.get("KUMI_SEED", "8")), "takeover")
    done: dict[int, str] = {}
    with ExitStack() as stack:
        station = Station(tmp_path, template[1]["chief"], stack)
        station.ask(SetMap(map=map_to_table(HALL)))
        keys = {tag: station.ask(EnrolRobot(robot=tag, team="red")).key for tag in TAGS}
        robots = Robots(keys, f"tcp/127.0.0.1:{station.doors[0]}")
        with robots.driving():
            given: list[int] = []
            for number in range(ROUNDS):
                if number % 2 == 0:
                    shift = chance.integer(1, 3)
                    for one, tag in enumerate(TAGS):
                        goal = CORNERS[(one + shift * (number + 1)) % len(CORNERS)]
                        given.append(station.send(tag, goal, f"{number}-{tag}"))
                trouble(station, chance, number)
                for tag in TAGS if number % 2 == 1 or number == ROUNDS - 1 else ():
                    done |= {
                        task.id: task.outcome for task in station.ended(tag).done if task.state == "done"
                    }
            # nothing stays taken: one robot visits where all have been, the others stand
            tour = {"path": [{"x": x, "y": 2.0} for x in (1.0, 3.0)]}
            last = station.ask(
                GiveTask(robot=TAGS[0], task="goTo", arguments={"at": {"x": 2.0, "y": 2.0}})
            ).task
            then = station.ask(GiveTask(robot=TAGS[0], task="followPath", arguments=tour)).task
            done |= {task.id: task.outcome for task in station.ended(TAGS[0]).done if task.state == "done"}
    assert set(given) | {last, then} <= set(done)
    assert robots.contacts == 0
    assert _twice(Watched.uses) == []
    assert len(Watched.uses) > 5 * ROUNDS


def _twice(uses: list[Use]) -> list[tuple[Use, Use]]:
    """Return floor that two robots were granted at the same time."""
    uses = sorted(uses, key=lambda use: use.begun)
    found = []
    for number, one in enumerate(uses):
        for other in uses[number + 1 :]:
            if other.begun >= one.ended:
                continue
            if other.robot != one.robot and one.zone.overlaps(other.zone):
                found.append((one, other))
    return found
