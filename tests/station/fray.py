"""A station and a robot in processes of their own, which have tasks to do, and what may break around them."""

from __future__ import annotations

import resource
import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from subprocess import Popen

from kumi.devs import Chance
from kumi.station.client import Client, StationGone
from kumi.station.operations.log import Events
from kumi.station.operations.robots import MonitorRobot
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import Happening
from kumi.station.refusals import Refused
from tests.station.processes import Running, running, started
from tests.waiting import PATIENCE, free_port, wait_for

Template = tuple[Path, dict[str, str], dict[str, str]]
TAG = "red robot"


def go(x: float, name: str = "") -> GiveTask:
    """Send the robot somewhere."""
    return GiveTask(robot=TAG, task="goTo", arguments={"at": {"x": x, "y": 1.0}}, request=name)


class Fray:
    """A station and a robot; each of `faults` is given a name for a task that is asked for while something is broken."""

    def __init__(self, folder: Path, template: Template, chance: Chance, stack: ExitStack) -> None:
        self.folder, self.stack, self._chance = folder, stack, chance
        self.port, self.door = free_port(), free_port()
        self.tokens = template[1]
        self.key = f"robot:{TAG}:{template[2][TAG]}"
        self.given: dict[str, int] = {}
        self._farthest = 1.0
        self.station = self.start_station()
        self.robot = self.start_robot()
        self.faults: list[Callable[[str], None]] = [
            self.kill_station,
            self.kill_robot,
            self.cut_network,
            self.fill_disk,
            self.never_read,
        ]

    def start_station(self) -> Running:
        """Run the station."""
        return self.stack.enter_context(running(self.folder, self.port, robots=self.door))

    def start_robot(self) -> Popen[str]:
        """Run the robot, at its first place."""
        where = ("--station", f"tcp/127.0.0.1:{self.door}", "--at", "1,1,0", "--speed", "8")
        return self.stack.enter_context(started("robot", "simulated", self.key, *where, says="is in"))

    def give(self, name: str) -> None:
        """Give a task, and note the promise; the station may be away. Places lie one behind the other: turning takes time."""
        self._farthest += self._chance.uniform(0.0, 0.1)
        with (
            suppress(StationGone, Refused),
            Client(self.station.url, self.tokens["red commander"], timeout=5.0) as user,
        ):
            self.given[name] = user.call(go(self._farthest, name)).task

    def kill_station(self, name: str) -> None:
        """End the station without a word, and start it again."""
        self.station.kill()
        self.give(name)
        self.station = self.start_station()

    def kill_robot(self, name: str) -> None:
        """End the robot without a word, and start it again."""
        self.robot.kill()
        self.robot.wait()
        self.give(name)
        self.robot = self.start_robot()

    def cut_network(self, _: str) -> None:
        """Let no word through for a while: one of the two hears and says nothing."""
        one = self.station.process if self._chance.uniform(0.0, 1.0) < 0.5 else self.robot
        one.send_signal(signal.SIGSTOP)
        time.sleep(self._chance.uniform(0.1, 1.5))
        one.send_signal(signal.SIGCONT)

    def fill_disk(self, name: str) -> None:
        """Let no file grow for a while."""
        pid, free = self.station.process.pid, resource.RLIM_INFINITY
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, free))
        self.give(name)
        time.sleep(self._chance.uniform(0.1, 0.5))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (free, free))

    def never_read(self, _: str) -> None:
        """Ask for much, and read nothing of it, for the rest of the story."""
        one = self.stack.enter_context(socket.create_connection(("127.0.0.1", self.port)))
        one.setblocking(False)
        one.send(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 500)

    def ended(self) -> list[tuple[int, str]]:
        """Wait until the robot has nothing left to do; return the tasks that ended, and how, as the log tells it."""
        happened: list[Happening] = []
        with Client(self.station.url, self.tokens["chief"], timeout=PATIENCE) as user:
            wait_for(lambda: _is_idle(user), lambda: f"it is not done: {user.call(MonitorRobot(robot=TAG))}")
            last = 0
            while (told := user.call(Events(after=last, limit=1000))).happenings:
                happened += told.happenings
                last = told.last
        return [(one.data["task"], one.data["state"]) for one in happened if one.kind == "task_ended"]


def _is_idle(user: Client) -> bool:
    found = user.call(MonitorRobot(robot=TAG))
    return found.task is None and not found.waiting
