"""The wall clock of a station's and of a robot's process jumps while the robot drives and tasks wait: nothing is lost."""

from __future__ import annotations

import math
import shutil
import struct
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from kumi.station.client import Client
from kumi.station.operations.log import Events
from kumi.station.operations.people import Hello, LogIn
from kumi.station.operations.robots import ListRobots, MonitorRobot
from kumi.station.operations.tasks import GiveTask
from kumi.station.people.secrets import TOKEN_LIFE
from kumi.station.records import Happening
from kumi.station.refusals import Refused
from kumi.station.service.cache import StationCache
from kumi.station.service.service import Service
from kumi.station.store.store import StationStore
from tests.station.conftest import PASSWORD, Little
from tests.station.processes import running, started
from tests.waiting import PATIENCE, free_port, wait_for

Template = tuple[Path, dict[str, str], dict[str, str]]
TAG = "red robot"
HOUR, DAY = 3600.0, 86400.0
FORWARD = 3
"""How often the station's clock jumps forward: who measured silence by it would lose the robot each time."""
SOURCE = Path(__file__).with_name("jumping_clock.c")


class Clock:
    """A wall clock for processes that are started while it is used."""

    def __init__(self, name: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._file, self._library, self._patch = folder / name, folder / "jumping_clock.so", patch
        self.jump(0.0)
        if not self._library.exists():
            compiled = ["cc", "-shared", "-fPIC", "-O1", "-o", str(self._library), str(SOURCE)]
            subprocess.run(compiled, check=True)

    def jump(self, seconds: float) -> None:
        """Be wrong by so many seconds from now on."""
        with self._file.open("r+b" if self._file.exists() else "wb") as out:
            out.write(struct.pack("d", seconds))

    def use(self) -> None:
        """Have the processes that are started next read this clock."""
        self._patch.setenv("LD_PRELOAD", str(self._library))
        self._patch.setenv("KUMI_CLOCK", str(self._file))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
def test_clocks_that_jump_by_an_hour_lose_no_robot_no_task_and_no_token(
    template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The station's and the robot's clock each go an hour forwards and backwards, alone and together."""
    shutil.copy(template[0], tmp_path / "station.db")
    clocks = [Clock(name, tmp_path, monkeypatch) for name in ("station", "robot")]
    port, door, key = free_port(), free_port(), f"robot:{TAG}:{template[2][TAG]}"
    with ExitStack() as stack:
        clocks[0].use()
        station = stack.enter_context(running(tmp_path, port, robots=door))
        clocks[1].use()
        where = ("--station", f"tcp/127.0.0.1:{door}", "--at", "1,1,0", "--speed", "2")
        stack.enter_context(started("robot", "simulated", key, *where, says="is in"))
        user = stack.enter_context(Client(station.url, template[1]["red commander"], timeout=PATIENCE))
        given, tokens = [], [template[1]["red commander"]]
        for number, wrong in enumerate([(HOUR, 0.0), (-HOUR, 0.0), (0.0, HOUR), (HOUR, -HOUR), (0.0, 0.0)]):
            for one in range(2):
                at = {"at": {"x": 2.0 + number + 0.5 * one, "y": 1.0}}
                given.append(user.call(GiveTask(robot=TAG, task="goTo", arguments=at)).task)
            wait_for(lambda: _has_begun(user))
            for clock, seconds in zip(clocks, wrong, strict=True):
                clock.jump(seconds)
            tokens.append(user.call(LogIn(name="red commander", password=PASSWORD)).token)
            _wait_seen(user, wrong[0])
        wait_for(lambda: _is_idle(user), lambda: user.call(MonitorRobot(robot=TAG)))
        wait_for(lambda: user.call(MonitorRobot(robot=TAG)).robot.state == "connected")
        for token in tokens:
            with Client(station.url, token) as again:
                again.call(ListRobots())
                again.call(Hello())
        told = user.call(Events(limit=1000)).happenings
    ended = [(one.data["task"], one.data["state"]) for one in told if one.kind == "task_ended"]
    assert ended == [(task, "done") for task in given]
    assert [one.id for one in told] == sorted({one.id for one in told})
    assert _spells(told, given[0]) < FORWARD, "it was taken for lost at each jump"


def _wait_seen(user: Client, wrong: float) -> None:
    """Wait until the robot's last word is from after the jump of the station's clock."""
    wait_for(
        lambda: abs(_seen_at(user) - time.time() - wrong) < HOUR / 2,
        "the station's clock did not jump, or its robot fell silent",
    )


def _has_begun(user: Client) -> bool:
    found = user.call(MonitorRobot(robot=TAG))
    return found.task is not None or not found.waiting


def _is_idle(user: Client) -> bool:
    found = user.call(MonitorRobot(robot=TAG))
    return found.task is None and not found.waiting


def _seen_at(user: Client) -> float:
    robot = next(one for one in user.call(ListRobots()).robots if one.tag == TAG)
    return math.nan if robot.seen_at is None else robot.seen_at


def _spells(told: tuple[Happening, ...], first: int) -> int:
    """Return how often the robot was lost since its first task; a busy machine may keep it silent for a second, now and then."""
    begun = next(one.id for one in told if one.data.get("task") == first)
    return sum(one.kind == "robot_lost" and one.robot == TAG and one.id > begun for one in told)


def test_a_token_of_a_clock_that_was_far_ahead_is_not_good_for_ever(
    template: Template, tmp_path: Path
) -> None:
    """A token lives for thirty days; one from tomorrow or later is worthless, one from an hour ahead is not."""
    wall = [0.0]
    shutil.copy(template[0], tmp_path / "station.db")
    store = StationStore(f"sqlite:///{tmp_path / 'station.db'}", clock=lambda: wall[0])
    little = Little(Service(store))
    made = {}
    now = time.time()
    for ahead in (0.0, HOUR, 365 * DAY):
        wall[0] = now + ahead
        made[ahead] = little.call(LogIn(name="chief", password=PASSWORD)).token
    wall[0] = now
    little.service.known = StationCache(store)  # what is known is looked up again after ten seconds
    assert [_is_good(little, made[ahead]) for ahead in (0.0, HOUR, 365 * DAY)] == [True, True, False]
    wall[0] = now + TOKEN_LIFE + 60.0
    little.service.known = StationCache(store)
    assert [_is_good(little, made[ahead]) for ahead in (0.0, HOUR, 365 * DAY)] == [False, True, False]
    store.close()


def _is_good(little: Little, token: str) -> bool:
    try:
        return little.service.known.caller(token).name == "chief"
    except Refused:
        return False
