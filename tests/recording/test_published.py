"""What programs show stands in the run file from its instant on, exactly, and is seen in log, pictures and films."""

from __future__ import annotations

from io import StringIO
from math import nan
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from kumi import sleep
from kumi.contract.published import FREE, TAKEN, UNSEEN, Shown, ShownMap, ShownMarks, ShownPath
from kumi.geometry import Disc, Point
from kumi.recording import (
    Bodies,
    JournalError,
    JournalReader,
    Leaving,
    Published,
    RunFile,
    TextLogWriter,
    published_record,
    write_log,
    writer,
)
from kumi.recording.painted_published import maps_to_draw
from kumi.recording.palette import LIGHT, PALETTE, WordColours, colouring, on_ramp, rgb
from kumi.recording.picture import write_picture
from kumi.recording.published import counted, in_words
from kumi.recording.video import Film, write_video
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import Map, Wall, World
from tests.recording.journals import Journal, disc

CELLS = ShownMap(Point(1.0, 2.0), 0.5, 2, 3, bytes([FREE, FREE, TAKEN, UNSEEN, 30, UNSEEN]))
PATH = ShownPath((Point(0.0, 0.0), Point(3.0, 4.0)))
MARKS = ShownMarks((Point(1.0, 2.5), Point(2.0, 3.0)))
VALUES: list[tuple[Shown, str]] = [
    (0.1 + 0.2, "0.3"),
    (7.0, "7"),
    (float("inf"), "inf"),
    (True, "yes"),
    (False, "no"),
    ("leader", "leader"),
    ("", ""),
    (CELLS, "1 m² seen"),
    (PATH, "2 places, 5 m"),
    (MARKS, "(1, 2.5), (2, 3)"),
    (None, "–"),
]


async def showing(robot: Robot) -> None:
    """Wait for a second, lead for two, drive one metre; show a map with a wall that is not there."""
    robot.show("state", "waits")
    robot.show("battery", 1.0)
    await sleep(1.0)
    robot.show("state", "leads")
    robot.show("state", "leads")
    robot.show_map([[0.0, 0.0, 1.0], [0.0, nan, 1.0]], cell=1.0, corner=(2.0, 2.0))
    robot.show_mark((1.0, 7.0), "victim")
    robot.show_mark((2.0, 7.0), "victim")
    robot.show_mark((2.0, 7.0), "victim")
    robot.show_path([(6.0, 8.0), (9.0, 8.0)])
    await robot.forward(1.0, speed=0.5)
    robot.show("battery", 0.7)
    robot.show("state", None)


def run_showing(path: Path | None) -> str:
    """Run it for four seconds with another robot that only stands there; return the hash."""
    plane = Map(10.0, 10.0, obstacles=[Wall((2.5, 2.5), (2.5, 3.5), thickness=0.2)])
    with Stage(World(plane), seed=1, record=path) as stage:
        stage.add(showing, at=(8.0, 2.0), shape=Disc(0.3))
        stage.add(sleeping, at=(5.0, 5.0), shape=Disc(0.3))
        return stage.run(4.0).trace_hash


async def sleeping(robot: Robot) -> None:
    """Stand there."""
    robot.show("state", "sleeps")
    await sleep(9.0)


@pytest.fixture
def run(tmp_path: Path) -> RunFile:
    run_showing(tmp_path / "run.kumi")
    return RunFile(tmp_path / "run.kumi")


def told(run: RunFile, instant: float) -> list[tuple[int | None, str, str]]:
    """Return what is shown at an instant, in words."""
    return [(one.body, one.name, in_words(one.value)) for one in run.published_at(instant)]


@pytest.mark.parametrize(("value", "words"), VALUES)
def test_every_value_is_read_as_it_was_written_and_has_words(value: Shown, words: str) -> None:
    (record,) = JournalReader(2.0).read(published_record(7, "größe", value))
    assert record == Published(2.0, 7, "größe", value)
    assert in_words(value) == words
    (of_run,) = JournalReader().read(published_record(None, "x", value))
    assert of_run == Published(0.0, None, "x", value)


def test_a_record_that_is_cut_short_is_refused() -> None:
    for value, _ in VALUES[:1] + VALUES[7:9]:
        whole = published_record(7, "name", value)
        short = whole[:5] + (len(whole) - 9 - 3).to_bytes(4, "little") + whole[9:-3]
        with pytest.raises(
            JournalError, match=r"what robot 7 shows in a journal is cut short|cells in a journal"
        ):
            list(JournalReader().read(short))
    strange = published_record(7, "n", True).replace(b"n\x03", b"n\x63")
    with pytest.raises(JournalError, match="of kind 99, which this kumi does not know"):
        list(JournalReader().read(strange))


def test_one_of_a_thing_is_one_thing() -> None:
    assert [counted(number, "robot") for number in (0, 1, 1200)] == ["0 robots", "1 robot", "1,200 robots"]


def test_a_value_stands_from_its_instant_until_another_comes(run: RunFile) -> None:
    """The metre takes two seconds at 0.5 m/s, from second 1 to 3; then the state is shown no more."""
    assert told(run, 0.999) == [(0, "battery", "1"), (0, "state", "waits"), (1, "state", "sleeps")]
    assert told(run, 1.0) == [
        (0, "battery", "1"),
        (0, "map", "5 m² seen"),
        (0, "path", "2 places, 3 m"),
        (0, "state", "leads"),
        (0, "victim", "(1, 7), (2, 7)"),
        (1, "state", "sleeps"),
    ]
    assert [(body, name, words) for body, name, words in told(run, 4.0) if name in {"battery", "state"}] == [
        (0, "battery", "0.7"),
        (1, "state", "sleeps"),
    ]
    (battery,) = [one for one in run.published_at(4.0) if one.name == "battery"]
    assert battery == Published(3.0, 0, "battery", 0.7)


def test_what_stands_already_is_not_written_again(run: RunFile) -> None:
    records = [one for one in run.records() if isinstance(one, Published) and one.body == 0]
    assert [(one.time, one.name) for one in records if one.name in {"state", "victim"}] == [
        (0.0, "state"),
        (1.0, "state"),
        (1.0, "victim"),
        (1.0, "victim"),
        (3.0, "state"),
    ]


def test_a_run_that_is_recorded_is_the_same_run(tmp_path: Path) -> None:
    assert run_showing(None) == run_showing(tmp_path / "run.kumi")


def test_what_a_robot_showed_goes_with_it() -> None:
    bodies = Bodies()
    journal = Journal().time(0.0).add(0, 2.0, 5.0, shape=disc(0.3)).add(1, 8.0, 8.0, shape=disc(0.2))
    for number in (0, 1, None):
        journal.data += published_record(number, "state", "there")
    bodies.take(journal.data)
    assert [one.body for one in bodies.published()] == [0, 1, None]
    bodies.take(Journal().time(1.0).gone(0, Leaving.REMOVED).data)
    assert [one.body for one in bodies.published()] == [1, None]
    again = Bodies()
    again.take(bodies.keyframe())
    assert again.published() == bodies.published()


def test_a_state_of_the_world_has_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a keyframe after each piece, opening the file anew at an instant is as reading up to it."""
    monkeypatch.setattr(writer, "CHUNK", 1)
    monkeypatch.setattr(writer, "KEYFRAME_SHARE", 0)
    path = tmp_path / "run.kumi"
    world = World(Map(10.0, 10.0))
    with Stage(world, record=path) as stage:
        stage.add(showing, at=(8.0, 2.0))
        gone = stage.add(sleeping, at=(5.0, 5.0))
        body = world.body_of(gone.name)
        assert body is not None
        stage.simulation.schedule(2.0, body.remove)
        for step in range(1, 9):
            stage.run(0.5 * step)
    played = RunFile(path)
    assert sum(entry.kind == 2 for entry in played.chunks) >= 3
    monkeypatch.setattr(played, "_keyframe_before", lambda _: 0)
    for step in range(9):
        assert RunFile(path).published_at(0.5 * step) == played.published_at(0.5 * step)
    assert {body for body, _, _ in told(played, 4.0)} == {0}


def test_the_text_log_tells_values_in_words_and_numbers_in_full(run: RunFile) -> None:
    out = StringIO()
    write_log(run, out)
    lines = [line for line in out.getvalue().splitlines() if " values " in line]
    assert lines[:3] == [
        "0.000 p0 values e state: waits",
        "0.000 p0 values e battery: 1",
        "0.000 p1 values e state: sleeps",
    ]
    assert lines[-2:] == ["3.000 p0 values e battery: 0.7", "3.000 p0 values e state: –"]
    out = StringIO()
    TextLogWriter(out).write(published_record(None, "sum", 0.1 + 0.2) + published_record(3, "said", "a\nb"))
    assert out.getvalue().splitlines() == [
        "0.000 run values e sum: 0.30000000000000004",
        "0.000 p3 values e said: a\\nb",
    ]


def shown(**values: Shown) -> list[Published]:
    """Return what robots show under "state", by number."""
    return [Published(0.0, int(body[1:]), "state", value) for body, value in values.items()]


def test_robots_have_the_colour_of_their_word() -> None:
    words = WordColours()
    found = colouring(shown(p0="leads", p1="follows", p2="follows"), words=words)
    assert found.fills == {0: words.of("leads"), 1: words.of("follows"), 2: words.of("follows")}
    assert found.legend == [(words.of("follows"), "follows: 2"), (words.of("leads"), "leads: 1")]
    assert len(set(found.fills.values())) == 2


def test_numbers_have_colours_from_the_least_to_the_greatest() -> None:
    found = colouring(shown(p0=0.0, p1=1.0, p2=0.5, p3=float("nan")))
    assert found.fills == {0: PALETTE.ramp[0], 1: PALETTE.ramp[-1], 2: PALETTE.ramp[2]}
    assert found.legend == [(PALETTE.ramp[0], "0"), (PALETTE.ramp[-1], "1")]
    assert on_ramp(-1.0) == PALETTE.ramp[0]


def test_more_words_than_colours_colour_nobody() -> None:
    many = {f"p{number}": f"word {number}" for number in range(len((*PALETTE.words, *PALETTE.types)) + 1)}
    assert colouring(shown(**many)).fills == {}


def test_the_map_of_all_goes_before_those_of_single_robots() -> None:
    published = [Published(0.0, 0, name, CELLS) for name in ("map of robot 1", "map")]
    assert maps_to_draw(published) == [CELLS]
    assert len(maps_to_draw([*published, Published(0.0, 1, "map", CELLS)])) == 2


def colour(image: Image.Image, x: float, y: float) -> Any:
    """Return the colour at a place of a plane of 10 by 10 metres, in a picture of 400 by 400."""
    side = 400 - 2 * 44 * 0.6
    place = round(44 * 0.6 + x / 10 * side), round(44 * 0.6 + (10 - y) / 10 * side)
    return image.convert("RGB").getpixel(place)


def near(one: Any, other: Any) -> bool:
    """Tell whether two colours differ by what an encoder may change."""
    return bool(max(abs(a - b) for a, b in zip(one, other, strict=True)) < 12)


def test_pictures_and_films_show_colours_maps_paths_and_marks(run: RunFile, tmp_path: Path) -> None:
    """At 2 s robot 0 is at (8.5, 2); its map has floor at (2, 2), a wall at (4, 2) and nothing known at (3.5, 3.5)."""
    picture, film = tmp_path / "picture.png", tmp_path / "film.gif"
    write_picture(run, 2.0, picture, (400, 400))
    for _ in write_video(run, film, Film(start=2.0, end=2.2, fps=5.0, size=(400, 400))):
        pass
    colours = WordColours()
    for word in ("leads", "sleeps"):
        colours.of(word)
    for path in (picture, film):
        with Image.open(path) as image:
            assert near(colour(image, 8.4, 2.0), rgb(colours.of("leads")))
            assert near(colour(image, 5.0, 5.15), rgb(colours.of("sleeps")))
            assert near(colour(image, 3.5, 2.5), rgb(LIGHT["believed-free"]))
            assert near(colour(image, 4.5, 2.5), rgb(LIGHT["believed-taken"]))
            assert near(colour(image, 3.6, 3.6), rgb(LIGHT["plane"]))
            assert near(colour(image, 2.5, 3.0), rgb(LIGHT["obstacle"])), (
                "the truth stands on what is believed"
            )
            assert near(colour(image, 1.0, 7.0), rgb(LIGHT["mark"]))
    write_picture(run, 2.0, tmp_path / "picture.svg", (800, 400))
    words = (tmp_path / "picture.svg").read_text()
    assert LIGHT["path"] in words
    for text in ("leads: 1", "sleeps: 1", "victim", "believed free"):
        assert f">{text}<" in words


async def mark_own_place(robot: Robot) -> None:
    """Mark the place where it stands."""
    robot.show_mark(robot.position, "here")


def test_a_mark_at_the_place_of_a_robot_does_not_hide_the_robot(tmp_path: Path) -> None:
    with Stage(World(Map(10, 10)), record=tmp_path / "run.kumi") as stage:
        stage.add(mark_own_place, at=(5, 5), radius=0.1)
        stage.run(1.0)
    write_picture(RunFile(tmp_path / "run.kumi"), 1.0, tmp_path / "picture.png", (400, 400))
    with Image.open(tmp_path / "picture.png") as image:
        assert near(colour(image, 4.95, 4.95), rgb(LIGHT["resting"]))
