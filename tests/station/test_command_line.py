"""The command line of a station: each operation for people is there, and does what it says, against a station that runs."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kumi.cli
from kumi.cli import main
from kumi.cli.station_client import connected
from kumi.station.client import Client
from kumi.station.operations import OPERATIONS, Who
from kumi.station.records import Sample, Spot
from kumi.station.requests import (
    GiveTask,
    MarkObject,
    Measure,
    MonitorRobot,
    RequestTask,
    Stop,
    StoreFile,
    TaskDone,
    Welcome,
)
from tests.station.conftest import GO_TO, PASSWORD
from tests.station.processes import Running, free_port, running

Template = tuple[Path, dict[str, str], dict[str, str]]
Said = Callable[..., str]
TAG = "red robot"
PEOPLE = (Who.OBSERVER, Who.COMMANDER, Who.SUPER_USER)


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if one.who in PEOPLE], ids=lambda one: one.name
)
def test_people_can_ask_for_each_operation_from_a_shell(operation: object) -> None:
    """Its request is made by some command."""
    name = operation.request.__name__  # type: ignore[attr-defined]  # it is a class
    sources = Path(kumi.cli.__file__).parent.glob("*.py")
    assert any(re.search(rf"\b{name}\(", source.read_text()) for source in sources)


@pytest.fixture(scope="module")
def station(template: Template, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A station in a process of its own."""
    folder = tmp_path_factory.mktemp("commands")
    shutil.copy(template[0], folder / "station.db")
    with running(folder, free_port()) as one:
        yield one


@pytest.fixture
def robot(station: Running, template: Template) -> Iterator[Client]:
    """The red robot, which has nothing but HTTP."""
    with Client(station.url, f"robot:{TAG}:{template[2][TAG]}") as one:
        one.call(Welcome(options=(GO_TO,)))
        yield one


@pytest.fixture
def said(
    station: Running,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Said:
    """Run a command to its end; return what it said."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)

    def say(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main([*arguments]) == code, capsys.readouterr().err
        found = capsys.readouterr()
        return found.err if code else found.out

    def log_in(name: str) -> None:
        Path("password").write_text(PASSWORD)
        assert f"as {name}" in say("log-in", station.url, name, "--password-file", "password")

    say.log_in = log_in  # type: ignore[attr-defined]  # a function with one more
    return say


def log_in(said: Said, name: str) -> None:
    """Log in as somebody."""
    said.log_in(name)  # type: ignore[attr-defined]  # given above


def test_tasks_are_given_waited_for_cancelled_stopped_and_told_of(said: Said, robot: Client) -> None:
    log_in(said, "red commander")
    assert TAG in said("robots")
    assert "goTo AT(spot)" in said("task", TAG)
    first = int(said("task", TAG, "goTo", "1,2").split()[1])
    second = int(said("task", TAG, "goTo", "3,4").split()[1])
    assert said("task", TAG, "--cancel", str(second)) == f"Task {second} is cancelled.\n"
    task = robot.call(RequestTask()).task
    assert task is not None
    robot.call(TaskDone(task=task.id, outcome="at (1.00, 2.00)"))
    assert f"did: {first} goTo, done: at (1.00, 2.00)" in said("robots", TAG)
    said("task", TAG, "goTo", "5,6")
    assert said("stop", TAG) == f"{TAG} is stopped.\n"
    assert said("done").splitlines()[-3:] == [
        f"{TAG}: {second} goTo, cancelled: cancelled by red commander",
        f"{TAG}: {first} goTo, done: at (1.00, 2.00)",
        f"{TAG}: {second + 1} goTo, stopped: stopped by red commander",
    ]
    ended = [json.loads(line) for line in said("done", "--json").splitlines()]
    assert [one["id"] for one in ended][-3:] == [second, first, second + 1]
    assert "task_ended" in said("watch", "--once")
    assert "is one too many" in said("task", TAG, "goTo", "1,2", "3,4", code=2)


def test_who_waits_for_a_task_hears_its_end_among_many(said: Said, robot: Client) -> None:
    """A stop ends thirty tasks at once; the one that was waited for is the first of them."""
    log_in(said, "red commander")
    for _ in range(3):
        said("task", TAG, "goTo", "1,2")

    def stop_when_all_wait() -> None:
        with connected() as client:
            while len(client.call(MonitorRobot(robot=TAG)).waiting) < 4:
                pass
            for _ in range(30):
                client.call(GiveTask(robot=TAG, task="goTo", arguments={"at": {"x": 1.0, "y": 1.0}}))
            client.call(Stop(robot=TAG))

    thread = threading.Thread(target=stop_when_all_wait)
    thread.start()
    try:
        assert main(["task", TAG, "goTo", "7,7", "--wait"]) == 1
    finally:
        thread.join()


def test_the_map_is_shown_saved_and_changed(said: Said, tmp_path: Path) -> None:
    log_in(said, "chief")
    Path("hall.toml").write_text("[map]\nwidth = 7.0\nheight = 3.0\n")
    assert "hall.toml is in use, as version" in said("map", "use", "hall.toml")
    assert "width = 7.0" in said("map", "show")
    said("map", "show", "-o", "kept.toml")
    assert "width = 7.0" in (tmp_path / "kept.toml").read_text()
    log_in(said, "red commander")
    assert "super-user" in said("map", "use", "hall.toml", code=1)


def test_what_was_found_filmed_and_measured_is_listed_and_fetched(said: Said, robot: Client) -> None:
    medium = robot.call(StoreFile(name="film.mp4", kind="video/mp4", content=b"moving")).medium
    number = robot.call(MarkObject(name="box", at=Spot(x=1.0, y=2.0), medium=medium)).object
    robot.call(Measure(layer="warmth", samples=(Sample(at=Spot(x=1.0, y=2.0), value=21.5),)))
    log_in(said, "red observer")
    assert "box" in said("found")
    assert json.loads(said("found", str(number), "--json"))["name"] == "box"
    assert said("found", str(number), "-o", "film") == "film.mp4, 6 bytes of video/mp4, is in film.\n"
    assert Path("film").read_bytes() == b"moving"
    assert said("layer") == "warmth\n"
    assert said("layer", "warmth") == "1,2,21.5\n"
    log_in(said, "blue observer")
    assert "Nothing yet" in said("found")
    assert "no object" in said("found", str(number), code=1)
    assert said("layer") == ""


def test_people_are_managed_and_each_word_is_in_the_audit(said: Said) -> None:
    log_in(said, "chief")
    said("people", "add-team", "green")
    said("people", "add", "gina", "--team", "green", "--role", "observer", "--password", PASSWORD)
    said("people", "role", "gina", "commander")
    assert "gina" in said("people", "list")
    key = said("people", "enrol", "g1", "green").splitlines()[-1]
    assert key.startswith("robot:g1:")
    said("people", "remove", "g1")
    said("people", "revoke", "gina")
    assert said("contest", "boards") == ""
    assert "chief: set_role gina: done" in said("audit")
    log_in(said, "red observer")
    assert "super-user" in said("audit", code=1)
    assert said("log-out") == "Logged out.\n"
    assert "No station yet" in said("robots", code=1)
