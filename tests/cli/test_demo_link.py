"""`kumi demo link`: three robot processes on pseudo-terminals map a room, and go on when one of them is killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import tomlkit
from PIL import Image

from kumi.cli import main
from kumi.recording import RunFile
from tests.waiting import PATIENCE, read_until

WIDTH, HEIGHT = 2.0, 1.6
PLACES = ["--at", "0.3,0.3", "--at", "1.5,0.3", "--at", "0.5,1.2"]


@contextmanager
def demo(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start the demo in an empty room; its clocks are real ones, so that a busy machine answers in time."""
    world = folder / "room.toml"
    world.write_text(tomlkit.dumps({"map": {"width": WIDTH, "height": HEIGHT}}), encoding="utf-8")
    command = [sys.executable, "-m", "kumi", "demo", "link", "--out", str(folder), "--world", str(world)]
    command += [*PLACES, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def processes(said: str) -> list[int]:
    return [int(number) for number in re.findall(r"^robot \d is process (\d+) at ", said, re.MULTILINE)]


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def drawn(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the middles of the free and of the occupied cells of the map, in metres."""
    described = (folder / "map.yaml").read_text(encoding="utf-8")
    origin = re.search(r"origin: \[([^,]+), ([^,]+),", described)
    assert origin is not None
    grey = np.asarray(Image.open(folder / "map.pgm"))[::-1]
    corner = np.array([float(origin[1]), float(origin[2])])
    return tuple((np.argwhere(grey == value)[:, ::-1] + 0.5) * 0.05 + corner for value in (254, 0))


@pytest.mark.slow
def test_three_robots_map_a_room_though_one_is_killed(tmp_path: Path) -> None:
    """The one that carries the computer is killed, and the others go on until 60 % of the floor is known.

    Of the 2 by 1.6 m at least half is free on the map, and of the cells drawn as occupied at least 90 % lie within 10 cm
    of the border, where all that is solid is.
    """
    with demo(tmp_path, "--seconds", "3600") as process:
        said = read_until(process.stdout, "% of the floor after")
        robots = processes(said)
        os.kill(robots[0], signal.SIGKILL)
        said += read_until(process.stdout, r"^(6[0-9]|[789][0-9]|100)% of the floor after")
        process.send_signal(signal.SIGINT)
        said += process.communicate(timeout=PATIENCE)[0]

    assert process.returncode == 130, said
    assert len(robots) == 3
    assert "robot 0 is gone: its process ended with -9; the others go on" in said
    assert said.count(": done") == 3  # the control program's lists
    assert not any(is_running(robot) for robot in robots)
    free, occupied = drawn(tmp_path)
    inside = (free > 0.0).all(axis=1) & (free < [WIDTH, HEIGHT]).all(axis=1)
    assert np.count_nonzero(inside) * 0.05**2 >= 0.5 * WIDTH * HEIGHT, said
    from_border = np.abs(np.concatenate([occupied, [WIDTH, HEIGHT] - occupied], axis=1)).min(axis=1)
    assert np.mean(from_border <= 0.1) >= 0.9, said
    for name in ("map.png", "run.png"):
        assert f"picture: {tmp_path / name}" in said
        with Image.open(tmp_path / name) as picture:
            picture.verify()
    for name in ("control.kumi", "mapping.kumi"):
        run = RunFile(tmp_path / name)
        assert len(run.state_at(run.end)) == 3


@pytest.mark.slow
def test_ctrl_c_ends_it_and_no_process_is_left(tmp_path: Path) -> None:
    with demo(tmp_path) as process:
        said = read_until(process.stdout, "% of the floor after")
        process.send_signal(signal.SIGINT)
        said += process.communicate(timeout=PATIENCE)[0]

    assert process.returncode == 130, said
    assert "interrupted after" in said
    assert len(processes(said)) == 3
    assert not any(is_running(robot) for robot in processes(said))
    assert RunFile(tmp_path / "mapping.kumi").summary is not None


@pytest.mark.slow
def test_when_its_time_is_over_it_ends(tmp_path: Path) -> None:
    with demo(tmp_path, "--seconds", "2") as process:
        said = process.communicate(timeout=PATIENCE)[0]

    assert process.returncode == 0, said
    assert "the time is over after 2 s" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seconds", "0"], "--seconds is a number > 0, not 0."),
        (["--clock", "-1"], "--clock is a number > 0, not -1."),
        (["--at", "1,1"], "--world and --at go together: a map, and where the robots start in it."),
        (["--world", "missing.toml", "--at", "1,1"], "there is no such file"),
        (["--at", "1,1"] * 4, "a demo has one to 3 robots, not 4."),
        (["--baud", "5"], "baud"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "link", "--out", str(tmp_path), *arguments]) in {1, 2}

    said = capsys.readouterr().err
    assert sentence in said
    assert len(said.splitlines()) == 1
