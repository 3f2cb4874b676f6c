"""A run becomes a small picture that moves, and a page of such pictures needs nothing but itself."""

from __future__ import annotations

from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import kumi.installation
from kumi.cli.gallery import Shown, took, write_gallery
from kumi.cli.worlds import show_one
from kumi.geometry import Disc
from kumi.recording import RunFile
from kumi.recording.looping import FRAMES, MOST_BYTES, SIZE, encoded, span_of, telling_instant, write_loop
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import Map, World
from tests.recording.strokes import count_of_frames


async def pace_out(robot: Robot) -> None:
    """Go 8 m in 8 s, and then stand."""
    await robot.forward(8.0)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFile:
    path = tmp_path_factory.mktemp("loop") / "run.kumi"
    with closing(Stage(World(Map(10, 10)), record=path)) as stage:
        stage.add(pace_out, at=(1, 5), shape=Disc(0.4))
        stage.run(16.0)
    return RunFile(path)


def test_a_loop_is_around_the_instant_that_tells_most(run: RunFile) -> None:
    """That is 4.8 s, six tenths of the motion; before it the robot has come 4.8 m, and a quarter more follows."""
    start, end = span_of(run, telling_instant(run))
    assert (start, end) == pytest.approx((4.8 + 1.2 - 4.8, 4.8 + 1.2), abs=0.4)


def test_a_loop_moves_forever_and_is_small(run: RunFile, tmp_path: Path) -> None:
    path = tmp_path / "run.webp"
    write_loop(run, path)

    assert path.stat().st_size <= MOST_BYTES
    with Image.open(path) as loop:
        assert (loop.format, loop.size, count_of_frames(loop), loop.info["loop"]) == ("WEBP", SIZE, FRAMES, 0)
        pictures = []
        for frame in (0, FRAMES - 1):
            loop.seek(frame)
            pictures.append(np.asarray(loop.convert("RGB"), dtype=int))
    assert (abs(pictures[0] - pictures[1]).max(axis=2) > 60).sum() > 50


def test_what_is_too_large_has_less_quality_and_fewer_pictures() -> None:
    """Noise of 48 pictures of 64 by 64 is 200 kB at best; it is made to fit into 60 kB."""
    noise = np.random.default_rng(0).integers(0, 255, (48, 64, 64, 3), dtype=np.uint8)
    frames = [Image.fromarray(one) for one in noise]
    assert len(encoded(frames, 10_000_000)) > 60_000 >= len(encoded(frames, 60_000))


class Links(HTMLParser):
    """The addresses on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for key, value in attrs if key in {"src", "href"} and value]


def links_of(page: Path) -> list[str]:
    """Return what a page refers to."""
    links = Links()
    links.feed(page.read_text())
    return links.found


def made(name: str, out: Path) -> Shown:
    """Make the picture and the player of a scenario."""
    (out / "unfinished").mkdir()
    return show_one(name, out, out / "unfinished")


def test_the_gallery_has_a_picture_a_sentence_a_command_and_a_player(tmp_path: Path) -> None:
    shown = made("gathering", tmp_path)
    page = tmp_path / "index.html"
    write_gallery(page, [shown], [])

    assert {path.name for path in tmp_path.iterdir()} == {
        "index.html",
        "gathering.webp",
        "gathering.html",
        "unfinished",
    }
    text = page.read_text()
    assert "Ten robots gather at their common centre." in text
    assert "<code>kumi run gathering</code>" in text
    assert "10 robots" in text
    assert set(links_of(page)) == {"gathering.webp", "gathering.html"}
    assert "http" not in text
    assert 'id="kumi-run"' in (tmp_path / "gathering.html").read_text()


def test_without_the_built_page_the_gallery_says_so_and_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kumi.installation, "PAGE", tmp_path)
    shown = made("wall-following", tmp_path)
    page = tmp_path / "index.html"
    write_gallery(page, [shown, shown], [])

    assert shown.player is None
    assert links_of(page) == ["wall-following.webp"] * 2
    assert (
        page.read_text().count("The whole runs cannot be played from here: the page of the view is missing")
        == 1
    )


def test_words_of_a_scenario_are_no_markup(tmp_path: Path) -> None:
    shown = made("wall-following", tmp_path)
    other = Shown("a&b", "<b>bold</b>", shown.outcome, shown.picture, None, "no <page>")
    write_gallery(tmp_path / "index.html", [other], [(shown.picture, 'a "figure"')])

    text = (tmp_path / "index.html").read_text()
    assert "&lt;b&gt;bold&lt;/b&gt;" in text
    assert "no &lt;page&gt;" in text
    assert "kumi run a&amp;b" in text
    assert "a &quot;figure&quot;" in text


def test_no_run_takes_no_time() -> None:
    assert [took(seconds) for seconds in (12.3456, 0.1, 0.0042, 0.0)] == [
        "12.35 s",
        "0.10 s",
        "0.004 s",
        "0.001 s",
    ]
