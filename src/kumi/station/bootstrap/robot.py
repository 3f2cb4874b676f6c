"""A robot for a kumi station in one file: Python's own library is all it needs.

    python3 robot.py http://127.0.0.1:7440 r1.key --at 1,1,0

The file with the key has the line that `kumi station people enrol` printed, robot:NAME:SECRET. The robot is a dot that drives straight to
where it is sent. A real one is driven by a function of one's own, which takes where the robot is and where it should go, and
yields where it is on the way, a few times a second, until it is there; what it drives stops when it is closed:

    import robot

    def drive(pose, goal):
        try:
            while not near(goal):
                motors.toward(goal)
                time.sleep(0.1)
                yield motors.pose()
        finally:
            motors.stop()

    robot.Robot("http://127.0.0.1:7440", "r1", "SECRET", drive=drive).run()

It enters through the station's XML-RPC door, tells where it is, does goTo and followPath and what else it is given as `tasks`,
stops when it is stopped or the station is gone, and comes back when the station does. The station keeps others out of its way
and has it wait until that is free: it goes straight from where it is to where it is sent, and nothing sticks out of its radius.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import signal
import sys
import time
import urllib.parse
import urllib.request
import xmlrpc.client
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

INTERFACE = 1
"""The version of the station's interface that this file speaks."""
PERIOD = 0.1
"""Seconds between two words with the station: a stop is heard within that time."""
PATIENCE = 2.0
"""Seconds to wait for an answer."""
AGAIN = 0.5
"""Seconds until a station that is gone is tried again."""

Pose = tuple[float, float, float]
"""Metres, metres and radians."""
Way = Generator[Pose, None, None]
Drive = Callable[[Pose, tuple[float, float]], Iterable[Pose]]
"""Takes where the robot is and where it should go; yields where it is on the way."""

GO_TO = {"name": "goTo", "about": "go straight there", "parameters": [{"name": "at", "kind": "spot"}]}
FOLLOW = {
    "name": "followPath",
    "about": "go straight from each place to the next",
    "parameters": [{"name": "path", "kind": "spots"}],
}


class Failed(Exception):
    """A task cannot be done, for a reason in words."""


class Refused(Exception):
    """The station does not want this robot; it says why."""


def dot(speed: float = 0.5) -> Drive:
    """Return how a simulated dot drives: straight, at so many metres a second of real time."""

    def drive(pose: Pose, goal: tuple[float, float]) -> Way:
        x, y, _ = pose
        way, began = math.dist((x, y), goal), time.monotonic()
        heading = math.atan2(goal[1] - y, goal[0] - x) if way else pose[2]
        share = 0.0
        while share < 1.0:
            time.sleep(PERIOD / 2)
            share = min(1.0, (time.monotonic() - began) * speed / way) if way else 1.0
            yield x + share * (goal[0] - x), y + share * (goal[1] - y), heading

    return drive


class _Patient(xmlrpc.client.Transport):
    """Waits for an answer, but not for ever."""

    def make_connection(self, host: Any) -> http.client.HTTPConnection:
        connection = super().make_connection(host)
        connection.timeout = PATIENCE
        return connection


class _PatientSafe(xmlrpc.client.SafeTransport):
    """The same over TLS."""

    def make_connection(self, host: Any) -> http.client.HTTPSConnection:
        connection = super().make_connection(host)
        connection.timeout = PATIENCE
        return connection


class Robot:
    """A robot in a station. `tasks` are further tasks: what each is called, and a function of its pose and its values.

    Such a function yields where the robot is, as `drive` does, and may raise Failed.
    """

    def __init__(
        self,
        url: str,
        tag: str,
        key: str,
        drive: Drive | None = None,
        *,
        at: Pose = (0.0, 0.0, 0.0),
        radius: float = 0.15,
        tasks: dict[str, Callable[..., Iterable[Pose]]] | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        scheme, _, place = url.rstrip("/").partition("://")
        if scheme not in ("http", "https") or not place:
            raise ValueError(f"a station's address is like http://127.0.0.1:7440, not {url!r}")
        who = f"{urllib.parse.quote(tag, safe='')}:{urllib.parse.quote(key, safe='')}"
        transport = _PatientSafe() if scheme == "https" else _Patient()
        self.tag, self.url, self.pose = tag, f"{scheme}://{place}", at
        self._station = xmlrpc.client.ServerProxy(f"{scheme}://{who}@{place}/RPC2", transport)
        self._drive = drive or dot()
        self._radius = radius
        self._come = 0, 0
        self._more = tasks or {}
        self._say = say
        self._is_over = False

    def run(self) -> None:
        """Be in the station until `leave` is called; Refused where it does not want this robot."""
        with self._station:
            while not self._is_over:
                try:
                    self._check()
                    self._enter()
                    self._work()
                except xmlrpc.client.Fault as fault:
                    raise Refused(fault.faultString) from fault
                except (OSError, http.client.HTTPException, xmlrpc.client.ProtocolError) as error:
                    self._say(f"the station does not answer: {error}")
                    time.sleep(AGAIN)

    def leave(self) -> None:
        """Stop, and leave the station; may be called by a handler of signals."""
        self._is_over = True

    def _check(self) -> None:
        asked = urllib.request.Request(f"{self.url}/v1/hello", b"{}")  # noqa: S310 - the scheme was checked
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:  # noqa: S310
            spoken = json.load(answer)["interface"]
        if spoken != INTERFACE:
            raise Refused(
                f"the station speaks interface {spoken}, and this file {INTERFACE}: get /robot.py again"
            )

    def _enter(self) -> None:
        self._station.welcome("", float(self._radius))
        more = [{"name": name, "parameters": []} for name in self._more]
        self._station.taskOptions(self.tag, [GO_TO, FOLLOW, *more])
        self._report()
        self._say(f"{self.tag} is in, at {self.url}")

    def _work(self) -> None:
        task: Any = False
        while not self._is_over:
            task = task or self._station.requestNewTask(self.tag)
            if task:
                task = self._do(task)
            else:
                self._report()
                time.sleep(PERIOD)
        self._station.robotDisconnect(self.tag)

    def _report(self) -> None:
        self._station.reportPosition(self.tag, [*map(float, self.pose[:2])], float(self.pose[2]))

    def _do(self, task: list[Any]) -> Any:
        """Do a task; return what the station wants done then."""
        number, name, *values = task
        try:
            way = self._way(number, name, values)
            try:
                for self.pose in way:
                    self._report()
                    wanted: Any = self._station.requestNewTask(self.tag)
                    if self._is_over or not wanted or wanted[0] != number:
                        return wanted
            finally:
                way.close()
        except Failed as failed:
            return self._station.taskDone(self.tag, number, str(failed), False)
        at = f"at ({self.pose[0]:.2f}, {self.pose[1]:.2f})"
        return self._station.taskDone(self.tag, number, at, True)

    def _way(self, number: int, name: str, values: list[Any]) -> Way:
        if name == "goTo":
            yield from self._drive(self.pose, tuple(values[0]))
        elif name == "followPath":
            done = self._come[1] if self._come[0] == number else 0  # it may have been made to wait on its way
            for index, place in enumerate(values[0][done:], done):
                self._come = number, index
                yield from self._drive(self.pose, tuple(place))
        elif name in self._more:
            yield from self._more[name](self.pose, *values)
        else:
            raise Failed(f"unknown task '{name}'")


def _say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def _read_key(path: str) -> tuple[str, str]:
    """Return a robot's tag and key, from the file that has them."""
    kind, tag, key = [*Path(path).read_bytes().decode(errors="replace").strip().split(":", 2), "", ""][:3]
    if kind != "robot" or not tag or not key:
        raise ValueError(f"{path} has no key: it takes a line like robot:NAME:SECRET")
    return tag, key


def _read_pose(text: str) -> Pose:
    """Return where the robot stands, from metres, metres and degrees; without degrees it looks along x."""
    try:
        x, y, degrees = map(float, (text if text.count(",") != 1 else f"{text},0").split(","))
    except ValueError:
        x = y = degrees = math.nan
    if not math.isfinite(x + y + degrees):
        raise ValueError(f"--at takes metres, metres and degrees, like 1.5,2,90, not {text!r}")
    return x, y, math.radians(degrees)


def _read_amount(option: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0.0 < number < math.inf:
        raise ValueError(f"{option} takes a number greater than 0, not {text!r}")
    return number


def main() -> None:
    """Run a dot, until Ctrl-C."""
    parser = argparse.ArgumentParser(
        description="A robot in a kumi station: a dot that goes where it is sent."
    )
    parser.add_argument("url", help="where the station answers, like http://127.0.0.1:7440")
    parser.add_argument("key", help="a file with the robot's key, robot:NAME:SECRET")
    parser.add_argument("--at", default="0,0,0", help="where it stands: metres, metres, degrees")
    parser.add_argument("--radius", default="0.15", help="metres from its middle to its rim")
    parser.add_argument("--speed", default="0.5", help="metres a second")
    given = parser.parse_args()
    try:
        tag, key = _read_key(given.key)
        pose, radius = _read_pose(given.at), _read_amount("--radius", given.radius)
        drive = dot(_read_amount("--speed", given.speed))
        robot = Robot(given.url, tag, key, drive, at=pose, radius=radius, say=_say)
        for kind in (signal.SIGINT, signal.SIGTERM):
            signal.signal(kind, lambda *_: robot.leave())
        robot.run()
    except (Refused, OSError, ValueError) as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
