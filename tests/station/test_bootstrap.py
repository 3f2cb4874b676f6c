"""A bare machine gets a robot from the station, checks the signature, and runs it with Python alone."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import httpx
import pytest

from kumi.station.bootstrap import robot as bare
from kumi.station.client import Client
from kumi.station.operation import INTERFACE
from kumi.station.operations.robots import MonitorRobot
from kumi.station.operations.tasks import GiveTask, Stop
from kumi.station.records import Monitor, Task
from tests.station.processes import Running, running
from tests.station.stillness import Stillness
from tests.waiting import PATIENCE, free_port, read_line, wait_for

TAG = "red robot"
PAGE = Path(__file__).parents[2] / "docs" / "station.md"


@pytest.fixture(scope="module")
def station(
    template: tuple[Path, dict[str, str], dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A station in a process of its own."""
    folder = tmp_path_factory.mktemp("bootstrap")
    shutil.copy(template[0], folder / "station.db")
    with running(folder, free_port(), "--robots", f"tcp/127.0.0.1:{free_port()}") as one:
        yield one


def fetch(station: Running, key: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Get the robot's file by the command that the page shows, in an isolated Python."""
    found = re.search(r"python3 -c '\n(.*?)' http", PAGE.read_text(), re.DOTALL)
    assert found is not None
    command = [sys.executable, "-I", "-S", "-c", found.group(1), station.url, str(key)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def until(client: Client, holds: Callable[[Monitor], bool]) -> Monitor:
    seen: list[Monitor] = []

    def look() -> bool:
        seen.append(client.call(MonitorRobot(robot=TAG)))
        return holds(seen[-1])

    wait_for(look, lambda: seen[-1])
    return seen[-1]


def end_of(client: Client, number: int) -> Task:
    about = until(client, lambda about: any(one.id == number for one in about.done))
    return next(one for one in about.done if one.id == number)


@pytest.mark.slow
def test_a_bare_machine_gets_its_robot_from_the_station_and_runs_it(
    station: Running, template: tuple[Path, dict[str, str], dict[str, str]], tmp_path: Path
) -> None:
    _, tokens, keys = template
    key = tmp_path / "r.key"
    key.write_text(f"robot:{TAG}:{keys[TAG]}\n")
    assert fetch(station, key, tmp_path).returncode == 0
    command = [
        sys.executable,
        "-I",
        "-S",
        "robot.py",
        station.url,
        str(key),
        "--at",
        "1,1,90",
        "--speed",
        "4",
    ]
    with (
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process,
        Client(station.url, tokens["red commander"]) as client,
    ):
        try:
            assert read_line(process.stdout) == f"{TAG} is in, at {station.url}\n"
            at = {"at": {"x": 3.0, "y": 1.0}}
            first = client.call(GiveTask(robot=TAG, task="goTo", arguments=at))
            ended = end_of(client, first.task)
            assert (ended.state, ended.outcome) == ("done", "at (3.00, 1.00)")

            far = {"path": [{"x": 400.0, "y": 1.0}, {"x": 0.0, "y": 0.0}]}
            second = client.call(GiveTask(robot=TAG, task="followPath", arguments=far))
            until(client, lambda about: about.robot.pose is not None and about.robot.pose.x > 4.0)
            client.call(Stop(robot=TAG))
            assert end_of(client, second.task).state == "stopped"
            about = until(client, lambda about: about.task is None)
            still = Stillness()
            until(client, lambda about: still.is_seen(about.robot))
            assert 4.0 < still.place.x < 400.0
            assert about.robot.state == "connected"
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert client.call(MonitorRobot(robot=TAG)).robot.state == "away"


@pytest.mark.slow
def test_a_file_that_was_not_signed_for_this_robot_is_not_kept(station: Running, tmp_path: Path) -> None:
    key = tmp_path / "r.key"
    key.write_text(f"robot:{TAG}:another key\n")

    said = fetch(station, key, tmp_path)

    assert said.returncode != 0
    assert "not signed" in said.stderr
    assert not (tmp_path / "robot.py").exists()


def test_a_file_is_signed_for_robots_of_the_station_alone(station: Running) -> None:
    plain = httpx.get(f"{station.url}/robot.py")
    stranger = httpx.get(f"{station.url}/robot.py", params={"robot": "ghost"})

    assert plain.status_code == 200
    assert "Kumi-Signature" not in plain.headers
    assert (stranger.status_code, "no robot 'ghost'" in stranger.text) == (404, True)


def test_the_file_speaks_the_interface_of_its_station() -> None:
    assert bare.INTERFACE == INTERFACE


def test_a_wrong_key_is_refused_in_one_sentence(station: Running, tmp_path: Path) -> None:
    with pytest.raises(bare.Refused, match="not enrolled here, or its key is wrong"):
        bare.Robot(station.url, TAG, "wrong").run()
    with pytest.raises(ValueError, match=r"address is like http://"):
        bare.Robot("station", TAG, "key")


@pytest.mark.slow
def test_a_drive_of_ones_own_is_closed_when_the_task_is_taken_away(
    station: Running, template: tuple[Path, dict[str, str], dict[str, str]]
) -> None:
    _, tokens, keys = template
    events: list[str] = []

    def drive(pose: bare.Pose, goal: tuple[float, float]) -> bare.Way:
        events.append(f"to {goal}")
        client.call(Stop(robot=TAG))
        try:
            while True:
                yield pose
        finally:
            events.append("motors off")
            robot.leave()

    with Client(station.url, tokens["red commander"]) as client:
        robot = bare.Robot(station.url, TAG, keys[TAG], drive)
        client.call(GiveTask(robot=TAG, task="goTo", arguments={"at": {"x": 1.0, "y": 2.0}}))
        robot.run()

    assert events == ["to (1.0, 2.0)", "motors off"]


@pytest.mark.parametrize(
    ("key", "options", "said"),
    [
        ("robot:r1:SECRET", ["--at", "x"], "--at takes metres, metres and degrees, like 1.5,2,90, not 'x'"),
        ("robot:r1:SECRET", ["--at", "1,2,3,4"], "--at takes metres"),
        ("robot:r1:SECRET", ["--at", "nan,1"], "--at takes metres"),
        ("robot:r1:SECRET", ["--radius", "-1"], "--radius takes a number greater than 0, not '-1'"),
        ("robot:r1:SECRET", ["--speed", "nan"], "--speed takes a number greater than 0, not 'nan'"),
        ("", [], "r.key has no key: it takes a line like robot:NAME:SECRET"),
    ],
)
def test_wrong_use_of_the_file_is_said_in_one_sentence(
    tmp_path: Path, key: str, options: list[str], said: str
) -> None:
    file = tmp_path / "r.key"
    file.write_text(key)
    command = [sys.executable, bare.__file__, "http://127.0.0.1:9", str(file), *options]

    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)

    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_station_that_is_gone_is_tried_again_after_half_a_second() -> None:
    tried: list[float] = []

    def hear(_: str) -> None:
        tried.append(monotonic())
        if len(tried) == 2:
            robot.leave()

    robot = bare.Robot(f"http://127.0.0.1:{free_port()}", TAG, "key", say=hear)
    robot.run()

    assert tried[1] - tried[0] >= bare.AGAIN
