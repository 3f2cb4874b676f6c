"""`kumi demo` runs the shipped simulations and ends in one page of pictures that move."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from kumi.cli.demo import offer
from kumi.scenario import shipped_scenarios
from tests.commands import kumi
from tests.recording.strokes import count_of_frames
from tests.waiting import PATIENCE, read_until


def demo(*arguments: str | Path) -> str:
    """Run the command in a process of its own and give what it printed."""
    done = kumi("demo", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_demo_ends_in_one_page_of_pictures_that_move(tmp_path: Path) -> None:
    """Of every scenario, at most 300 kB each; it says how far it is, how to open the page, and how to see a live run.

    All together are at most 120 MB; with the sizes in test_installation the clone stays below 350.
    """
    done = kumi("demo", "--days", "1", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    page = tmp_path / "index.html"
    text = page.read_text()
    assert not [path.name for path in tmp_path.iterdir() if path.suffix not in {".html", ".webp", ".svg"}]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 120e6
    for name in shipped_scenarios():
        assert f"making {name}\n" in done.stderr
        assert f"kumi run {name}</code>" in text
        assert (tmp_path / f"{name}.webp").stat().st_size <= 300_000
        with Image.open(tmp_path / f"{name}.webp") as loop:
            assert (loop.size, count_of_frames(loop) >= 12) == ((400, 300), True)
        assert 'id="kumi-run"' in (tmp_path / f"{name}.html").read_text()
    for docks in (2, 3, 4, 5):
        picture = tmp_path / f"charging-{docks}-docks.svg"
        assert picture.name in text
        assert ET.parse(picture).getroot().tag.endswith("svg")  # noqa: S314  # the file is our own
    said = done.stdout.splitlines()
    assert "working" in done.stdout
    assert [line.partition(":")[0] for line in said[-3:]] == ["a live run", "all as one page", "to open it"]
    assert said[-3].endswith("kumi view")
    assert said[-1].endswith(str(page))


@pytest.mark.slow
def test_ctrl_c_ends_the_demo_and_leaves_no_half_picture(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kumi", "demo", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        read_until(process.stderr, "making crossing-twenty")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert not list(tmp_path.glob(".*"))
    for picture in tmp_path.glob("*.webp"):
        with Image.open(picture) as loop:
            assert count_of_frames(loop) > 1


@pytest.mark.slow
def test_the_demo_as_json_is_the_same_twice_but_for_the_time_and_shares_of_the_day_add_up(
    tmp_path: Path,
) -> None:
    """Same seed, same numbers and hashes. A rover works, waits or charges, nothing else."""
    one, other = (
        json.loads(demo("--days", "2", "--seed", "3", "--json", "--out", tmp_path)) for _ in range(2)
    )
    assert one.pop("seconds") > 0
    assert other.pop("seconds") > 0
    assert one == other
    assert [row["docks"] for row in one["rows"]] == [2, 3, 4, 5]
    for row in one["rows"]:
        assert abs(row["working"] + row["waiting"] + row["charging"] - 1.0) < 1e-9


@pytest.mark.parametrize(
    ("has_screen", "answer", "opened"), [(True, True, 1), (True, False, 0), (False, True, 0)]
)
def test_where_there_is_a_screen_and_a_person_the_page_is_offered(
    has_screen: bool,
    answer: bool,
    opened: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Asked for once, opened if wanted, and the line to open it is printed anyway."""
    seen: list[str] = []
    monkeypatch.setattr("kumi.cli.demo.has_desktop", lambda: has_screen)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda *_words, **_more: answer)
    monkeypatch.setattr("webbrowser.open", seen.append)
    offer(tmp_path / "index.html")

    assert seen == [(tmp_path / "index.html").as_uri()] * opened
    assert f"to open it:      xdg-open {tmp_path / 'index.html'}" in capsys.readouterr().out


def test_a_folder_that_cannot_be_is_refused_before_the_work(tmp_path: Path) -> None:
    """The sentence names the option and what is in the way."""
    (tmp_path / "taken").write_text("")
    for out, reason in (("taken", "is a file; give a folder"), ("taken/inside", "cannot be made")):
        done = kumi("demo", "--out", tmp_path / out)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--out" in done.stderr
        assert reason in done.stderr
