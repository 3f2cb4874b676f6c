"""A stop with real processes: the database is killed or stands still, the disk is full, the station or the robot is killed.

The robot drives in circles of its own, so it moves for as long as nobody stops it. What it did is in its own words, which another
connection hears: the store cannot tell while it is away.
"""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from kumi.station.client import Client, StationGone
from kumi.station.operations.robots import ListRobots, MonitorRobot
from kumi.station.operations.stops import Stop, StopAnswer
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import RobotStatus
from kumi.station.refusals import Refused
from kumi.station.store.store import StationStore
from tests.station.conftest import furnished, hashed_quickly
from tests.station.postgres import MISSING, Server, server
from tests.station.processes import Running, running, started
from tests.station.stillness import Stillness
from tests.waiting import PATIENCE, free_port, wait_for

pytestmark = pytest.mark.slow
Template = tuple[Path, dict[str, str], dict[str, str]]
TAG = "red robot"
PATH = {"path": [{"x": 9.0, "y": 1.0}, {"x": 1.0, "y": 1.0}] * 20}


@dataclass
class Scene:
    """A station, a robot that drives, and a person who may stop it."""

    stack: ExitStack
    folder: Path
    token: str
    key: str
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.port, self.door = free_port(), free_port()
        self.button = self.folder / "button"
        self.station = self.start_station()
        self.robot = self.start_robot("1,1,0")
        with self.user() as user:
            for _ in range(2):
                user.call(GiveTask(robot=TAG, task="followPath", arguments=PATH))
            wait_for(lambda: self._x(user) > 1.3)

    def start_station(self) -> Running:
        """Run the station."""
        return self.stack.enter_context(running(self.folder, self.port, *self.options, robots=self.door))

    def start_robot(self, at: str) -> subprocess.Popen[str]:
        """Run the robot."""
        self.button.write_text("0")
        where = ("--station", f"tcp/127.0.0.1:{self.door}", "--at", at, "--stop-button", str(self.button))
        return self.stack.enter_context(started("robot", "simulated", self.key, *where, says="is in"))

    def user(self) -> Client:
        """Return a connection of the commander."""
        return Client(self.station.url, self.token, timeout=PATIENCE)

    def _x(self, user: Client) -> float:
        pose = next(one for one in user.call(ListRobots()).robots if one.tag == TAG).pose
        return 0.0 if pose is None else pose.x

    def stop(self) -> StopAnswer:
        """Stop the robot."""
        with self.user() as user:
            return user.call(Stop(robot=TAG))

    def status(self) -> RobotStatus:
        """Return all that is known of the robot, when the station can tell again."""
        found: list[RobotStatus] = []

        def is_told() -> bool:
            with suppress(Refused, StationGone), self.user() as user:
                found.append(user.call(MonitorRobot(robot=TAG)))
            return bool(found)

        wait_for(is_told)
        return found[-1]

    def check_it_is_latched(self) -> None:
        """Wait until the stop is written; the robot stands, and drives the next task that it is given."""
        wait_for(lambda: [one.state for one in self.status().done[:2]] == ["stopped"] * 2)
        still = Stillness()
        wait_for(lambda: still.is_seen(self.status().robot))
        status = self.status()
        assert (status.task, status.waiting) == (None, ())
        assert status.values["held by"].startswith("red commander")
        place = still.place
        with self.user() as user:
            to = {"at": {"x": place.x, "y": place.y + 0.5}}
            task = user.call(GiveTask(robot=TAG, task="goTo", arguments=to)).task
        wait_for(lambda: any(one.id == task and one.state == "done" for one in self.status().done))
        assert "held by" not in self.status().values


@contextmanager
def on_postgres(folder: Path, database: Server) -> Iterator[Scene]:
    """A scene whose station keeps all in a database."""
    store = StationStore(database.url)
    with hashed_quickly():
        little = furnished(store)
    store.close()
    key = f"robot:{TAG}:{little.keys[TAG]}"
    with ExitStack() as stack:
        yield Scene(stack, folder, little.tokens["red commander"], key, ("--store", database.url))


@contextmanager
def in_a_file(folder: Path, template: Template) -> Iterator[Scene]:
    """A scene whose station keeps all in a file."""
    shutil.copy(template[0], folder / "station.db")
    key = f"robot:{TAG}:{template[2][TAG]}"
    with ExitStack() as stack:
        yield Scene(stack, folder, template[1]["red commander"], key)


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_a_stop_while_the_database_is_away_is_heard_kept_and_written_later(tmp_path: Path) -> None:
    with server() as database, on_postgres(tmp_path, database) as scene:
        database.kill()
        assert scene.stop() == StopAnswer(is_written=False, is_heard=True)
        database.start()
        scene.check_it_is_latched()


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_a_stop_while_the_database_answers_nothing_is_heard_kept_and_written_later(tmp_path: Path) -> None:
    """Its processes stand still: whatever waits for them waits, but no stop does."""
    with server() as database, on_postgres(tmp_path, database) as scene:
        with database.standing_still():
            for _ in range(3):
                assert scene.stop() == StopAnswer(is_written=False, is_heard=True)
        scene.check_it_is_latched()


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_a_stop_outlives_the_station_that_could_not_write_it(tmp_path: Path) -> None:
    """The robot alone knows of it, and tells the next station."""
    with server() as database, on_postgres(tmp_path, database) as scene:
        database.kill()
        assert scene.stop() == StopAnswer(is_written=False, is_heard=True)
        scene.station.kill()
        database.start()
        scene.station = scene.start_station()
        scene.check_it_is_latched()


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_a_stop_outlives_the_robot_that_heard_it(tmp_path: Path) -> None:
    """The robot's process is killed, and started again before the stop could be written."""
    with server() as database, on_postgres(tmp_path, database) as scene:
        database.kill()
        assert scene.stop() == StopAnswer(is_written=False, is_heard=True)
        scene.robot.kill()
        scene.robot.wait()
        database.start()
        scene.robot = scene.start_robot("5,5,0")
        wait_for(lambda: [one.state for one in scene.status().done[:2]] == ["stopped"] * 2)
        status = scene.status()
        assert (status.task, status.waiting) == (None, ())


def test_a_stop_on_a_full_disk_is_heard_kept_and_written_later(tmp_path: Path, template: Template) -> None:
    with in_a_file(tmp_path, template) as scene:
        pid, free = scene.station.process.pid, resource.RLIM_INFINITY
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, free))
        assert scene.stop() == StopAnswer(is_written=False, is_heard=True)
        with scene.user() as user, pytest.raises(Refused, match="the store cannot be used now"):
            user.call(GiveTask(robot=TAG, task="followPath", arguments=PATH))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (free, free))
        scene.check_it_is_latched()


def test_a_stop_goes_to_the_robot_through_another_process_while_its_own_stands_still(
    tmp_path: Path, template: Template
) -> None:
    """The process in which the robot is hears nothing, and says nothing: the other one tells the robot."""
    shutil.copy(template[0], tmp_path / "station.db")
    key = f"robot:{TAG}:{template[2][TAG]}"
    with ExitStack() as stack:
        scene = Scene(stack, tmp_path, template[1]["red commander"], key)
        port, door = free_port(), free_port()
        other = stack.enter_context(running(tmp_path, port, robots=door))
        with Client(other.url, scene.token, timeout=PATIENCE) as user:
            user.call(Stop(robot=TAG))  # it is known here by now
            user.call(GiveTask(robot=TAG, task="followPath", arguments=PATH))
            wait_for(lambda: user.call(MonitorRobot(robot=TAG)).task is not None)
            scene.station.process.send_signal(signal.SIGSTOP)
            assert user.call(Stop(robot=TAG)).is_written
        scene.station.process.send_signal(signal.SIGCONT)
        scene.check_it_is_latched()


def test_a_button_of_the_robots_own_stops_it(tmp_path: Path, template: Template) -> None:
    with in_a_file(tmp_path, template) as scene:
        scene.button.write_text("1")
        wait_for(lambda: scene.status().values.get("held by") == "the stop button")
        wait_for(lambda: [one.state for one in scene.status().done[:2]] == ["stopped"] * 2)
        scene.button.unlink()
        scene.button.write_text("0")
        still = Stillness()
        wait_for(lambda: still.is_seen(scene.status().robot))
