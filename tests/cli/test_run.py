"""`kumi run` stages a scenario, writes what it is asked for, and says what came out or what is wrong."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kumi.cli.main import main
from kumi.recording import RunFile
from tests.commands import kumi
from tests.waiting import PATIENCE, let_work, wait_for

KUMI = [sys.executable, "-m", "kumi"]

HALL = """\
until = 10.0

[map]
width = 10.0
height = 10.0

[robots]
count = 3
radius = 0.25
program = "programs.py:walk"
"""

PROGRAMS = """\
from kumi import sleep

async def walk(robot, speed: float = 1.0):
    await robot.turn(3.0, speed)

async def fail(robot, after: float = 1.0):
    await sleep(after * (robot.number + 1))
    raise ValueError("the speed is odd")

async def stand_still(robot):
    while True:
        await sleep(0.0)

async def forget(robot):
    robot.forward(1.0)
    await sleep(1.0)

async def think(robot):
    while True:
        pass

async def wander(robot):
    while True:
        await robot.turn(1.0)
"""


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    (tmp_path / "programs.py").write_text(PROGRAMS)
    path = tmp_path / "hall.toml"
    path.write_text(HALL)
    return path


def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return kumi("run", *arguments, cwd=cwd)


def result(*arguments: str | Path) -> dict[str, Any]:
    """Run to the end and return the one object that was printed."""
    done = run(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_json_is_one_object_with_what_was_asked_for(hall: Path) -> None:
    found = result(hall)

    assert list(found) == [
        "scenario",
        "seed",
        "simulated_seconds",
        "wall_seconds",
        "events",
        "contacts",
        "robots",
        "robot_radius",
        "trace_hash",
        "still_since",
    ]
    assert (found["scenario"], found["seed"], found["robots"], found["robot_radius"]) == ("hall", 0, 3, 0.25)
    assert found["simulated_seconds"] == 10.0
    assert found["wall_seconds"] > 0.0


def test_a_summary_is_a_table(hall: Path) -> None:
    done = run(hall)

    assert (done.returncode, done.stderr) == (0, "")
    for label in ("robots", "simulated", "took", "events", "contacts", "seed", "trace hash"):
        assert f"│ {label}" in done.stdout


def test_the_same_seed_gives_the_same_run() -> None:
    one, other = (result("random-movement", "--until", "60", "--seed", "5") for _ in range(2))
    assert one.pop("wall_seconds") > 0.0
    assert other.pop("wall_seconds") > 0.0

    assert one == other
    assert result("random-movement", "--until", "60", "--seed", "6")["trace_hash"] != one["trace_hash"]


@pytest.mark.parametrize(
    ("scenario", "robots", "told"),
    [("random-movement", 100, "CollisionEvent"), ("flooding", 60, " radio "), ("formation", 4, " messages ")],
)
def test_what_is_written_does_not_change_the_run(
    tmp_path: Path, scenario: str, robots: int, told: str
) -> None:
    """Nor does what robots tell each other, which a record has and the trace has not."""
    plain = result(scenario, "--until", "60")
    log, record = tmp_path / "run.log", tmp_path / "run.kumi"
    written = result(scenario, "--until", "60", "--log", log, "--record", record)

    for key in ("events", "contacts", "trace_hash"):
        assert plain[key] == written[key]
    assert told in log.read_text()
    state = RunFile(record).state_at(60.0)
    assert len(state) == robots


def test_options_and_set_change_the_scenario(hall: Path) -> None:
    found = result(
        hall, "--until", "2", "--seed", "7", "--set", "robots.count=5", "--set", "robots.parameters.speed=2"
    )

    assert (found["simulated_seconds"], found["seed"], found["robots"]) == (2.0, 7, 5)


def test_a_scenario_may_ask_for_a_video(hall: Path) -> None:
    """It is made of a run file of which nothing stays, in the folder where the command was given."""
    film = ["--set", "animation.on=true", "--set", "animation.frame_rate=5", "--set", "animation.width=64"]
    done = run(hall, "--until", "1", *film, "--set", "animation.height=64", cwd=hall.parent)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("film: hall.mp4\n")
    assert sorted(path.name for path in hall.parent.glob("hall.*")) == ["hall.mp4", "hall.toml"]
    assert (hall.parent / "hall.mp4").stat().st_size > 0


def test_a_paced_run_follows_the_wall_clock(hall: Path) -> None:
    assert 0.45 < result(hall, "--until", "1", "--pace", "2")["wall_seconds"] < 5.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--set", "robots.cuont=5"],
            "--set robots.cuont=5: robots.cuont is unknown; did you mean robots.count?",
        ),
        (["--until", "-1"], "--until -1: until is -1; it takes a number of seconds of at least 0, or inf."),
        (["--seed", "x"], '--seed x: seed is "x"; it takes a whole number.'),
        (
            ["--pace", "0"],
            "--pace 0: pace is 0; it takes a number greater than 0: simulated seconds for each",
        ),
        (["--set", "robots.program=walk"], "and no such program ships"),
        (["--set", "robots.program=programs.py:wlak"], "programs.py has no 'wlak'; there are fail,"),
        (["--set", "robots.parameters.sped=1"], "robots.parameters.sped is unknown; did you mean"),
        (["--set", "robots.parameters.speed=fast"], 'robots.parameters.speed is "fast"; it takes a number.'),
        (["--set", "robots.parameters.speed=nan"], "robots.parameters.speed is nan; it takes a number."),
        (
            ["--set", "robots.parameters.speed='${map.depth}'"],
            "stands for map.depth, which the scenario does not",
        ),
        (["--set", "robots.drive=wings"], 'robots.drive is "wings"; it takes car, follower, omni or wheel.'),
        (["--set", "robots.drive.speed=-1"], "robots.drive: speed is a finite number > 0, not -1"),
        (
            ["--set", "robots.drive.kind=wheel", "--set", "robots.drive.noise=x"],
            'robots.drive.noise is "x"; it takes',
        ),
        (["--set", "robots.sensors.eye=third"], 'robots.sensors.eye is "third"; it takes'),
        (["--set", "robots.radius=0"], "robots.radius is 0; it takes a number of metres greater than 0."),
        (
            ["--set", "robots.within={x=90,y=90,width=5,height=5}"],
            "robots.within goes from (90, 90) to (95, 95): that is outside the world, which goes from (0, 0) to (10, 10).",
        ),
        (["--set", "robots.count=500"], "of 500 robots of radius 0.25 m found room at random in 10 m x 10 m"),
        (
            ["--set", "robots.count=2", "--set", "robots.born=[[1,1],[1.25,1]]"],
            "'robot 1' cannot be at (1.25, 1): it would overlap 'robot 0' by 0.25 m.",
        ),
        (["--set", "robots.count=1", "--set", "robots.born=[[11,1]]"], "over the border of the world"),
        (["--set", "map.width=-1"], "map: the width of a map is a finite number > 0, not -1"),
        (["--set", "map=gone.toml"], "gone.toml: there is no such file"),
        (
            ["--set", "network.kind=lossy"],
            'network.kind is "lossy"; it takes "none", "simulated", or, for real sockets,',
        ),
        (["--log", "no/such/folder/run.log"], "no/such/folder/run.log: there is no folder 'no/such/folder'."),
        (["--log", "a", "--record", "a"], "output.log and output.record are the same file; give two."),
    ],
)
def test_bad_input_is_one_sentence_and_the_exit_code_2(hall: Path, arguments: list[str], said: str) -> None:
    done = run(hall, *arguments, cwd=hall.parent)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_scenario_that_is_not_there() -> None:
    done = run("gatherin")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: there is no scenario 'gatherin'; did you mean 'gathering'?\n"


def test_a_mistake_leaves_older_files_as_they_were(hall: Path) -> None:
    log = hall.parent / "run.log"
    log.write_text("old")
    assert (
        run(hall, "--log", log, "--set", "robots.count=2", "--set", "robots.born=[[1,1],[1,1]]").returncode
        == 2
    )

    assert log.read_text() == "old"


def test_a_program_that_fails_ends_its_robot(hall: Path) -> None:
    """The reason is on stderr, in the log and in the object; the others go on. Once all failed, the run is not fine."""
    log = hall.parent / "run.log"
    fails = ("--set", "robots.program=programs.py:fail")
    done = run(hall, *fails, "--log", log, "--json")

    assert done.returncode == 1
    assert run(hall, *fails, "--until", "2.5").returncode == 0
    reason = "ValueError: the speed is odd (programs.py, line 8)."
    assert done.stderr.splitlines() == [
        f"The program of robot {number} failed at t = {number + 1} s: {reason}" for number in range(3)
    ]
    errors = json.loads(done.stdout)["errors"]
    assert errors[1] == {"robot": "robot 1", "time": 2.0, "error": reason}
    assert log.read_text().count("the speed is odd") == 3


def test_a_program_that_fails_may_end_the_run(hall: Path) -> None:
    done = run(hall, "--set", "robots.program=programs.py:fail", "--set", "on_error=run", "--json")

    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["simulated_seconds"], len(found["errors"])) == (1.0, 1)
    assert done.stderr.startswith("Error: ValueError: the speed is odd.\n  in task 'robot 0' at t = 1.0 s\n")


def test_a_program_that_lets_no_time_pass_is_named(hall: Path) -> None:
    done = run(hall, "--set", "robots.program=programs.py:stand_still", "--set", "robots.count=1")

    assert done.returncode == 1
    assert "Error: time stands still at t = 0.0 s" in done.stderr
    assert "'robot 0'" in done.stderr


def test_a_motion_that_was_never_awaited_is_named_with_its_line(hall: Path) -> None:
    done = run(hall, "--set", "robots.program=programs.py:forget", "--set", "robots.count=1")

    assert done.returncode == 1
    assert "never awaited" in done.stderr
    assert "programs.py, line 15" in done.stderr


def interrupted(arguments: list[str], ready: Path, times: int) -> tuple[int, str, str]:
    """Start a run, press Ctrl-C so often once a file is there, and return its exit code and words."""
    with subprocess.Popen(
        [*KUMI, "run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        wait_for(lambda: ready.exists() and ready.stat().st_size)
        for _ in range(times):
            let_work(process.pid, 0.5)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def test_ctrl_c_ends_the_run_with_a_summary_and_readable_files(hall: Path) -> None:
    log, record = hall.parent / "run.log", hall.parent / "run.kumi"
    arguments = [str(hall), "--until", "inf", "--json", "--log", str(log), "--record", str(record)]
    code, out, err = interrupted([*arguments, "--set", "robots.program=programs.py:wander"], record, 1)

    assert (code, err) == (130, "")
    end = json.loads(out)["simulated_seconds"]
    assert end > 0.0
    written = RunFile(record)
    assert written.is_whole
    assert written.end == end
    assert len(written.state_at(end)) == 3
    assert log.read_text().endswith("\n")


@pytest.mark.slow
def test_a_second_ctrl_c_ends_even_programs_that_never_wait(hall: Path) -> None:
    record = hall.parent / "run.kumi"
    arguments = [str(hall), "--json", "--record", str(record), "--set", "robots.program=programs.py:think"]
    code, _, _ = interrupted(arguments, record, 2)

    assert code == 130


def test_that_nobody_moves_any_more_and_what_was_changed_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    stuck = "network.stack=reservation-in-order"

    assert main(["run", "reservations", "--set", stuck]) == 0
    told = capsys.readouterr().out
    assert re.search(r"nobody moved .* from \d+\.?\d* s on", told)
    assert f"--set {stuck}" in told

    assert main(["run", "reservations", "--until", "20"]) == 0
    told = capsys.readouterr().out
    assert "nobody moved" not in told
    assert "changed by" not in told
