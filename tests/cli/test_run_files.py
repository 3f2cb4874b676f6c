"""`kumi show`, `kumi video` and `kumi log` open a run file, do their work, and refuse the rest in a sentence."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import av
import pytest
from PIL import Image

from kumi.cli.main import main
from kumi.recording.meta import RunMeta, RunSummary
from kumi.recording.writer import RunWriter
from tests.recording.journals import Journal, line
from tests.recording.strokes import count_of_frames
from tests.waiting import PATIENCE, let_work, wait_for


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """One robot goes 10 m in 10 s and another one rests."""
    path = tmp_path / "run.kumi"
    with RunWriter(path, RunMeta(seed=7, map={"width": 12.0, "height": 12.0})) as out:
        journal = Journal().time(0.0).add(1, 1.0, 6.0).add(2, 6.0, 2.0)
        out.write(journal.move(1, line(1.0, 6.0, 0.0, 10.0, 1.0)).time(10.0).end(1, 11.0, 6.0).data)
        out.close(RunSummary(end=10.0, trace_hash="abc", events=4, contacts=1234, robots=2))
    return path


def kumi(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Call kumi, and return its exit code and what it said."""
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_run_tells_what_it_is(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = kumi(capsys, "show", run, "--at", "5")

    assert (code, err) == (0, "")
    for words in ("0 to 10 s", "seed", "7", "2 robots, 1 of them moving", "1,234", "abc"):
        assert words in out


@pytest.mark.parametrize("name", ["picture.png", "picture.svg", "PICTURE.PNG"])
def test_a_picture_is_drawn(run: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = run.parent / name

    assert kumi(capsys, "show", run, "--at", "2.5", "-o", path) == (0, f"picture: {path}\n", "")
    if path.suffix == ".svg":
        assert "t = 2.500 s" in path.read_text()
    else:
        with Image.open(path) as picture:
            assert (picture.size, picture.format) == ((1280, 720), "PNG")


def test_a_picture_has_the_size_that_was_asked_for(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run.parent / "picture.png"
    assert kumi(capsys, "show", run, "-o", path, "--size", "320x200")[0] == 0

    with Image.open(path) as picture:
        assert picture.size == (320, 200)


def test_a_picture_that_moves_is_a_loop(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run.parent / "loop.webp"
    assert kumi(capsys, "show", run, "-o", path, "--size", "160x120", "--at", "auto")[0] == 0

    with Image.open(path) as loop:
        assert (loop.size, count_of_frames(loop) > 1) == ((160, 120), True)


def test_a_film_is_made(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run.parent / "run.mp4"
    options = ("--fps", 5, "--speed", 2, "--size", "160x90", "--from", 2, "--to", 6)

    assert kumi(capsys, "video", run, "-o", path, *options) == (0, f"film: {path}\n", "")
    with av.open(str(path)) as film:
        assert sum(1 for _ in film.decode(video=0)) == 11


def test_a_film_ends_two_seconds_after_the_last_motion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One robot goes for 1 s and stands for 99: three seconds are shown, at 10 frames a second."""
    path, film = tmp_path / "run.kumi", tmp_path / "film.mp4"
    with RunWriter(path, RunMeta(map={"width": 12.0, "height": 12.0})) as out:
        journal = Journal().time(0.0).add(1, 1.0, 6.0)
        out.write(journal.move(1, line(1.0, 6.0, 0.0, 1.0, 1.0)).time(1.0).end(1, 2.0, 6.0).data)
        out.close(RunSummary(end=100.0, robots=1, still_since=1.0))

    assert main(["video", str(path), "-o", str(film), "--fps", "10", "--size", "160x120"]) == 0

    assert "Nobody moves after 1 s: the film ends soon after." in capsys.readouterr().err
    with av.open(film) as made:
        assert sum(1 for _ in made.decode(video=0)) == pytest.approx(30, abs=1)


def test_the_log_is_printed_or_written(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = kumi(capsys, "log", run)
    path = run.parent / "run.log"

    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 4
    assert out.startswith("0.000 p1 Event: 0.000 1 [1.000,6.000] ")
    assert kumi(capsys, "log", run, "-o", path) == (0, f"log: {path}\n", "")
    assert path.read_text() == out


def test_a_run_that_was_cut_off_is_shown_as_far_as_it_goes(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run.write_bytes(run.read_bytes()[:-1])
    code, out, err = kumi(capsys, "log", run)

    assert (code, len(out.splitlines())) == (0, 4)
    assert err == f"{run} was cut off while it was written; it goes up to 10.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        ("show run.kumi --at 11", 1, "time 11 is outside the run in run.kumi, which goes from 0 to 10."),
        ("show run.kumi --at nan", 1, "time nan is outside the run in run.kumi, which goes from 0 to 10."),
        ("show run.kumi -o p.bmp", 1, "the name of a picture ends in .png or .svg, unlike 'p.bmp'."),
        ("show run.kumi -o no/p.png", 1, "no/p.png: there is no folder 'no'."),
        ("show run.kumi -o no/p.svg", 1, "no/p.svg: there is no folder 'no'."),
        ("show other.kumi", 2, "other.kumi: there is no such file."),
        ("log other.kumi", 2, "other.kumi: there is no such file."),
        ("video other.kumi -o v.mp4", 2, "other.kumi: there is no such file."),
        ("view other.kumi", 2, "other.kumi: there is no such file."),
        ("show text", 2, "text is not a run file of kumi."),
        ("log text", 2, "text is not a run file of kumi."),
        ("video text -o v.mp4", 2, "text is not a run file of kumi."),
        ("show .", 2, ".: Is a directory."),
        ("show run.kumi --at end", 2, "'end' is neither a number of seconds nor auto."),
        ("show run.kumi -o p.png --layers trial", 2, "there is no layer 'trial'; did you mean 'trails'?"),
        (
            "show run.kumi -o p.png --layers walls",
            2,
            "--layers takes trails, sensors, map, messages, reserved",
        ),
        ("show run.kumi --size 12", 2, "Invalid value for '--size': '12' is not a size such as 1280x720."),
        ("show run.kumi --size 9x9", 2, "'9x9' is not within 64 and 8192 pixels each way."),
        ("video run.kumi -o v.avi", 1, "the name of a film ends in .mp4 or .gif, unlike 'v.avi'."),
        ("video run.kumi -o no/v.mp4", 1, "there is no folder 'no' for v.mp4."),
        ("video run.kumi -o v.mp4 --to 11", 1, "time 11 is outside the run in run.kumi"),
        ("video run.kumi -o v.mp4 --from 3 --to 2", 1, "an earlier time to a later one, not from 3 to 2."),
        ("video run.kumi -o v.mp4 --fps 0", 2, "Invalid value for '--fps': '0' is not a number above 0."),
        ("video run.kumi -o v.mp4 --speed fast", 2, "'fast' is not a number above 0."),
        ("log run.kumi -o no/run.log", 1, "no/run.log: there is no folder 'no'."),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(
    run: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    code: int,
    reason: str,
) -> None:
    monkeypatch.chdir(run.parent)
    Path("text").write_text("hello\n")
    files = {path.name for path in run.parent.iterdir()}
    ended, out, err = kumi(capsys, *arguments.split())

    assert (ended, out) == (code, "")
    assert err.startswith("Error: ")
    assert reason in err
    assert len(err.splitlines()) == 1
    assert {path.name for path in run.parent.iterdir()} == files


@pytest.mark.slow
def test_ctrl_c_leaves_no_broken_film(run: Path) -> None:
    """A real process, stopped while it draws a film that would take an hour."""
    path = run.parent / "run.mp4"
    command = [sys.executable, "-m", "kumi", "video", str(run), "-o", str(path), "--speed", "0.0001"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        unfinished = run.parent / ".run.mp4.part"
        wait_for(unfinished.exists)
        let_work(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)

    assert (process.returncode, out, err.strip()) == (130, "", "Interrupted.")
    assert [entry.name for entry in run.parent.iterdir()] == ["run.kumi"]
