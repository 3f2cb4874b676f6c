"""The command line of a station: each operation for people is there, and does what it says, against a station that runs."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kumi.cli
from kumi.cli import main
from kumi.cli.station import say_ready
from kumi.cli.station_client import connected
from kumi.cli.station_done import POLL_SECONDS
from kumi.cli.station_plain import ALONE, PEOPLE, STOP
from kumi.station.client import Client
from kumi.station.operation import Operation, Request, Who
from kumi.station.operations import OPERATIONS
from kumi.station.operations.finds import MarkObject, Measure, StoreFile
from kumi.station.operations.log import Audit
from kumi.station.operations.output import TaskOutput, TellOutput
from kumi.station.operations.robots import MonitorRobot, TellTaskOptions, Welcome
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import GiveTask, RequestTask, TaskDone
from kumi.station.process import StationSettings
from kumi.station.records import Parameter, PlaceRecord, SampleRecord, TaskOption
from kumi.station.service.peers import Role
from tests.station.conftest import FIRST_PASSWORD, GO_TO, PASSWORD
from tests.station.processes import Running, running
from tests.waiting import free_port, read_line, wait_for

Template = tuple[Path, dict[str, str], dict[str, str]]
Said = Callable[..., str]
TAG = "red robot"
USERS = (Who.OBSERVER, Who.COMMANDER, Who.TEAM_HEAD, Who.SUPER_USER)


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if one.who in USERS], ids=lambda one: one.name
)
def test_people_can_ask_for_each_operation_from_a_shell(operation: Operation) -> None:
    """Its request is made by some command, or its command is made from it."""
    name = operation.request.__name__
    if operation.request in [request for request, _ in (*PEOPLE.values(), *ALONE.values(), STOP)]:
        return
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
        command = arguments if arguments[0] == "contest" else ("station", *arguments)
        assert main(command) == code, capsys.readouterr().err
        found = capsys.readouterr()
        return found.err if code else found.out

    def log_in(name: str) -> None:
        Path("password").write_text(PASSWORD)
        assert f"as {name}" in say("log-in", station.url, name, "--password-file", "password")

    say.log_in = log_in  # type: ignore[attr-defined]  # a function with two more
    say.url = station.url  # type: ignore[attr-defined]
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
        f"{TAG}: {second} goTo, cancelled by red commander",
        f"{TAG}: {first} goTo, done: at (1.00, 2.00)",
        f"{TAG}: {second + 1} goTo, stopped by red commander",
    ]
    ended = [json.loads(line) for line in said("done", "--json").splitlines()]
    assert [one["id"] for one in ended][-3:] == [second, first, second + 1]
    assert "task_ended" in said("watch", "--once")
    assert "goTo takes at: '3,4' is one too many." in said("task", TAG, "goTo", "1,2", "3,4", code=2)
    assert "like 1.5,2, not 'nan,1'" in said("task", TAG, "goTo", "nan,1", code=2)


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
        assert main(["station", "task", TAG, "goTo", "7,7", "--wait"]) == 1
    finally:
        thread.join()


def test_who_waits_does_not_fill_the_audit(
    said: Said, robot: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until something is printed or ends the station lets the question wait, and does not write it down."""
    log_in(said, "red commander")
    waits: list[float] = []
    call = Client.call

    def noted(self: Client, request: Request[Any]) -> Any:
        if isinstance(request, TaskOutput):
            waits.append(request.wait)
        return call(self, request)

    monkeypatch.setattr(Client, "call", noted)

    def stop_when_it_waits() -> None:
        wait_for(lambda: len(waits) == 1)
        with connected() as client:
            client.call(Stop(robot=TAG))

    def asked() -> int:
        with connected() as client:
            entries = client.call(Audit(newest=True, limit=1000, words="task_output")).entries
        return len(entries)

    log_in(said, "chief")
    before = asked()
    log_in(said, "red commander")
    thread = threading.Thread(target=stop_when_it_waits)
    thread.start()
    try:
        assert main(["station", "task", TAG, "goTo", "7,7", "--wait"]) == 1
    finally:
        thread.join()
    log_in(said, "chief")
    assert waits == [POLL_SECONDS]
    assert asked() == before


def test_who_waits_for_code_sees_what_it_prints_while_it_runs(
    said: Said, robot: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    log_in(said, "red commander")
    said("stop", TAG)
    Path("speak.py").write_text("print(1)\n")
    seen: list[str] = []

    def speak() -> None:
        wait_for(lambda: robot.call(RequestTask()).task is not None)
        task = robot.call(RequestTask()).task
        assert task is not None
        robot.call(TellOutput(task=task.id, piece="a", text="half a li"))

        def is_seen() -> bool:
            seen.append(capsys.readouterr().out)
            return "half a li" in "".join(seen)

        wait_for(is_seen)
        robot.call(TellOutput(task=task.id, piece="b", text="ne\n"))
        robot.call(TaskDone(task=task.id, succeeded=False, outcome="line 3: it failed"))

    thread = threading.Thread(target=speak)
    thread.start()
    try:
        assert main(["station", "send-code", TAG, "speak.py", "--wait"]) == 1
    finally:
        thread.join()
    told = "".join(seen) + capsys.readouterr().out
    number = re.search(r"is task (\d+)", told)
    assert number is not None
    assert told.endswith(f"half a line\nTask {number[1]} failed: line 3: it failed.\n")
    assert said("output", number[1]) == "half a line\n"
    log_in(said, "blue commander")
    assert "there is no task" in said("output", number[1], code=1).lower()


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
    number = robot.call(MarkObject(name="box", at=PlaceRecord(x=1.0, y=2.0), medium=medium)).object
    robot.call(Measure(layer="warmth", samples=(SampleRecord(at=PlaceRecord(x=1.0, y=2.0), value=21.5),)))
    log_in(said, "red observer")
    assert "box" in said("found")
    assert json.loads(said("found", str(number), "--json"))["name"] == "box"
    assert said("found", str(number), "-o", "film") == "film.mp4, 6 bytes of video/mp4, is in film.\n"
    assert Path("film").read_bytes() == b"moving"
    assert said("layer") == "warmth\n"
    assert said("layer", "warmth") == "1,2,21.5\n"
    assert "no layer 'nosuch'; there are: warmth." in said("layer", "nosuch", code=1)
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
    said("people", "remove-robot", "g1")
    said("people", "revoke", "gina")
    assert said("contest", "boards") == ""
    assert "chief: set_role gina: done" in said("audit")
    log_in(said, "red observer")
    assert "super-user" in said("audit", code=1)
    assert said("log-out") == "Logged out.\n"
    assert "No station yet" in said("robots", code=1)


def test_people_are_reset_locked_moved_and_removed_and_teams_too(said: Said) -> None:
    Path("first").write_text(f"{FIRST_PASSWORD}\n")
    Path("own").write_text(f"{PASSWORD}\n")
    log_in(said, "chief")
    said("people", "add-team", "grey")
    said("people", "add", "hanna", "--team", "grey", "--role", "team-head", "--password-file", "first")
    assert "hanna                team-head    grey         first password" in said("people", "list")
    log = ("log-in", "URL", "hanna", "--password-file", "first")
    assert "--new-password-file" in log_in_as(said, *log, code=1)
    log_in_as(said, *log, "--new-password-file", "own", "--life", "8h")
    said("people", "add", "hugo", "--team", "grey", "--password-file", "first")
    assert "may log in again" in said("people", "unlock", "hugo")
    assert "hugo is locked" in said("people", "lock", "hugo")
    assert "with this first password" in said("people", "reset", "hugo", "--password-file", "own")
    assert "is offered to team 'red'" in said("people", "move", "hugo", "red")
    assert "hugo                 observer     grey         locked, first password, offered to red" in said(
        "people", "list"
    )
    assert "There is no user 'red observer' in your team, 'grey'." in said(
        "people", "lock", "red observer", code=1
    )
    Path("third").write_text("yet another one")
    changed = ("people", "password", "--password-file", "own", "--new-password-file", "third")
    assert said(*changed) == "Your password is changed; all other log-ins are worthless.\n"
    log_in(said, "chief")
    assert said("people", "move", "hugo", "red") == "hugo is in team 'red' now.\n"
    assert said("people", "remove", "hugo") == "hugo is gone.\n"
    assert "'hanna' is in team 'grey'" in said("people", "remove-team", "grey", code=1)
    said("people", "remove", "hanna")
    assert said("people", "remove-team", "grey") == "Team 'grey' is gone.\n"


def log_in_as(said: Said, command: str, url: str, *more: str, code: int = 0) -> str:
    """Log in at the station with options of one's own."""
    assert url == "URL"
    return said(command, said.url, *more, code=code)  # type: ignore[attr-defined]  # given above


@pytest.mark.parametrize("life", ["8", "h", "0m", "30s", "367d", "nand", "-1h", "8 hours"])
def test_a_log_in_is_for_minutes_hours_or_days_up_to_a_year(said: Said, life: str) -> None:
    Path("password").write_text(PASSWORD)
    told = log_in_as(said, "log-in", "URL", "chief", "--password-file", "password", f"--life={life}", code=2)
    assert "like 90m, 8h or 7d" in told or "is from 1m to 366d" in told


def test_keys_of_many_robots_go_into_a_file_that_its_owner_can_read(said: Said) -> None:
    log_in(said, "red commander")
    told = said("people", "enrol", "k1", "k2", "k3", "red", "-o", "red.key")
    assert told == "k1, k2, k3 may enter with what is in red.key; keep it secret.\n"
    lines = Path("red.key").read_text().splitlines()
    assert [one.split(":")[:2] for one in lines] == [["robot", "k1"], ["robot", "k2"], ["robot", "k3"]]
    assert Path("red.key").stat().st_mode & 0o777 == 0o600

    assert "red.key is there already" in said("people", "enrol", "k4", "red", "-o", "red.key", code=2)
    assert Path("red.key").read_text().splitlines() == lines
    assert "looks like the robot 'k3'" in said("people", "enrol", "k4", "K3", "red", "-o", "new.key", code=1)
    assert not Path("new.key").exists(), "where nobody was enrolled there is no file"
    assert "k4" not in said("robots")
    assert "nosuch/new.key cannot be written" in said(
        "people", "enrol", "k4", "red", "-o", "nosuch/new.key", code=2
    )
    said("people", "enrol", "k4", "red", "-o", "new.key")
    for tag in ("k1", "k2", "k3", "k4"):
        said("people", "remove-robot", tag)


def test_a_password_is_given_once(said: Said) -> None:
    log_in(said, "chief")
    Path("first").write_text(FIRST_PASSWORD)
    both = ("--password", FIRST_PASSWORD, "--password-file", "first")
    assert "Give --password or --password-file, not both." in said(
        "people", "add", "ida", "--team", "red", *both, code=2
    )


def test_a_token_that_was_revoked_is_forgotten_when_one_logs_out(said: Said, tmp_path: Path) -> None:
    log_in(said, "chief")
    kept = tmp_path / "config" / "kumi" / "station.json"
    chief = kept.read_bytes()
    log_in(said, "blue observer")
    revoked = kept.read_bytes()
    kept.write_bytes(chief)
    said("people", "revoke", "blue observer")
    kept.write_bytes(revoked)

    assert said("log-out") == "Logged out.\n"
    assert not kept.exists()


def test_a_path_has_a_place_and_code_is_text(said: Said, robot: Client) -> None:
    log_in(said, "red commander")
    follow = TaskOption(name="followPath", parameters=(Parameter(name="path", kind="spots"),))
    robot.call(TellTaskOptions(options=(GO_TO, follow)))
    Path("binary.py").write_bytes(b"x = 1\n\xff\xfe")

    assert "followPath takes path: one spot or more" in said("task", TAG, "followPath", code=2)
    assert (
        said("send-code", TAG, "binary.py", code=2) == "Error: binary.py is no text: byte 6 is not UTF-8.\n"
    )
    assert "'blue' is not your team; yours is 'red'." in said("people", "enrol", "b9", "blue", code=1)


ROBOT_KEY = "robot:r1:SECRET"
WRONG_ROBOTS = [
    ([ROBOT_KEY, "--radius", "-1"], "'-1' is not a number greater than 0"),
    ([ROBOT_KEY, "--radius", "nan"], "'nan' is not a number greater than 0"),
    ([ROBOT_KEY, "--speed", "0"], "'0' is not a number greater than 0"),
    ([ROBOT_KEY, "--stop-after", "nan"], "'nan' is not a number of at least 0"),
    ([ROBOT_KEY, ROBOT_KEY], "Robot 'r1' has 2 keys here: each robot enters once."),
    (["empty.key", "--at", "1,1"], "empty.key has no key: it takes a line like robot:NAME:SECRET"),
    (["binary.key"], "binary.key is no text: byte 0 is not UTF-8."),
    (["nosuch.key"], "'nosuch.key' is neither a key, like robot:NAME:SECRET, nor a file of keys."),
]


@pytest.mark.parametrize(("arguments", "sentence"), WRONG_ROBOTS)
def test_robots_that_make_no_sense_are_refused_before_they_enter(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.key").write_text("")
    Path("binary.key").write_bytes(b"\xff\xfe")

    assert main(["robot", "simulated", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_station_for_other_machines_names_the_options_that_allow_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["station", "--data", str(tmp_path), "--listen", "0.0.0.0:7440"]) == 2

    error = capsys.readouterr().err
    assert all(option in error for option in ("--certificate", "--private-key", "--plain"))


def test_a_process_without_a_gateway_does_not_tell_to_log_in_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roles: dict[Role, bool] = {"controller": False, "map": False, "gateway": True, "all": True}
    for role, tells in roles.items():
        settings = StationSettings(tmp_path, role=role)
        settings.password_file.write_text("secret")
        say_ready(settings)
        assert ("kumi station log-in http" in capsys.readouterr().out) is tells


def test_a_wrong_key_is_said_once_and_the_robot_goes_on_trying(station: Running) -> None:
    command = [sys.executable, "-m", "kumi", "robot", "simulated", "robot:ghost:WRONG"]
    with subprocess.Popen(
        [*command, "--station", station.robots], stderr=subprocess.PIPE, text=True
    ) as robot:
        said = read_line(robot.stderr)
        assert robot.poll() is None
        robot.send_signal(signal.SIGINT)
        assert robot.stderr is not None
        assert robot.stderr.read() == ""

    assert said == (
        "Not let in: robot 'ghost' is not enrolled here, or its key is wrong. Whoever says so has not proved to be the "
        "station; the robot goes on trying.\n"
    )
