"""What holds beside motion is known at every instant, whatever the way to it: ways, reserved floor, lost robots, counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from kumi.geometry import Disc, Point
from kumi.planning import Reservations
from kumi.recording import (
    Bodies,
    JournalError,
    JournalReader,
    Leaving,
    LostBody,
    Reserved,
    ReservedZone,
    RunFile,
    RunMeta,
    RunSummary,
    RunWriter,
    reserved_record,
    way_record,
    writer,
)
from kumi.recording.palette import LIGHT, rgb
from kumi.recording.picture import write_picture
from kumi.recording.records import CommandKind
from kumi.recording.video import Film, write_video
from kumi.reserving import Way, Zone
from kumi.robot import Robot
from kumi.scenario import load_scenario
from kumi.scenario.output import Output
from kumi.scenario.staging import Staging
from kumi.stage import Stage
from kumi.world import World
from tests.recording.journals import Journal, disc, line
from tests.view.mixed import run_mixed, seen

HELD = ReservedZone((Point(2.0, 5.0), Point(6.0, 5.0)), 0.5)
WAITED = ReservedZone((Point(6.0, 5.0), Point(6.0, 7.0)), 0.5, is_granted=False)
PLANE = {"width": 10.0, "height": 10.0}


def with_records(journal: Journal, *records: bytes) -> Journal:
    """Add whole records."""
    journal.data += b"".join(records)
    return journal


def errand() -> list[Journal]:
    """Robot 0 goes along x at 1 m/s from second 1 on, on floor that it reserved at 0.5; robot 1 falls at 3."""
    return [
        Journal().time(0.0).add(0, 2.0, 5.0, shape=disc(0.3)).add(1, 8.0, 8.0, shape=disc(0.2)),
        with_records(Journal().time(0.5), reserved_record(0, [HELD, WAITED])),
        with_records(
            Journal()
            .time(1.0)
            .command(0, CommandKind.FOLLOW, (6.0, 5.0))
            .move(0, line(2.0, 5.0, 0.0, 4.0, 1.0)),
            way_record(0, [Point(4.0, 5.0), Point(6.0, 5.0)]),
        ),
        Journal().time(3.0).gone(1, Leaving.FELL),
        with_records(Journal().time(5.0).end(0, 6.0, 5.0), reserved_record(0, [])),
        Journal().time(6.0),
    ]


@pytest.fixture
def run(tmp_path: Path) -> RunFile:
    """The errand, each piece a chunk."""
    with RunWriter(tmp_path / "errand.kumi", RunMeta(map=PLANE)) as out:
        for piece in errand():
            out.write(piece.data)
            out.flush()
        out.close(RunSummary(end=6.0))
    return RunFile(tmp_path / "errand.kumi")


def test_reserved_floor_is_read_as_it_was_written() -> None:
    (record,) = JournalReader(2.0).read(reserved_record(7, [HELD, WAITED]))
    assert record == Reserved(2.0, 7, (HELD, WAITED))
    assert list(JournalReader().read(reserved_record(7, []))) == [Reserved(0.0, 7, ())]


def test_a_zone_that_is_cut_short_is_refused() -> None:
    whole = reserved_record(7, [HELD])
    short = whole[:5] + (len(whole) - 9 - 8).to_bytes(4, "little") + whole[9:-8]
    with pytest.raises(JournalError, match="a zone of robot 7 in a journal is cut short"):
        list(JournalReader().read(short))


def test_what_holds_at_an_instant_is_told(run: RunFile) -> None:
    assert [run.reserved_at(time) for time in (0.4, 0.5, 4.9, 5.0)] == [
        [],
        [Reserved(0.5, 0, (HELD, WAITED))],
        [Reserved(0.5, 0, (HELD, WAITED))],
        [],
    ]
    assert [[one.way for one in run.state_at(time)] for time in (0.9, 1.0, 5.0)] == [
        [(), ()],
        [(Point(4.0, 5.0), Point(6.0, 5.0)), ()],
        [()],
    ]
    (fallen,) = run.lost_at(3.0)
    assert fallen == LostBody(3.0, 1, fallen.pose, Disc(0.2))
    assert fallen.pose.position == Point(8.0, 8.0)
    assert run.lost_at(2.9) == []


def test_a_state_tells_all_that_the_records_before_it_told() -> None:
    """Also the counts: of two contacts, robot 0 has both, robot 1 the one with it."""
    journal = errand()[:4]
    touched = Journal().time(3.5).touch(0, 4.5, 5.0, obstacle=2).touch(0, 4.5, 5.0, other=1)
    bodies = Bodies()
    for piece in (*journal, touched):
        bodies.take(piece.data)
    again = Bodies()
    again.take(bodies.keyframe())
    assert again.keyframe() == bodies.keyframe()
    assert again.reserved() == bodies.reserved() != []
    assert again.lost() == bodies.lost() != []
    assert again.states(4.0) == bodies.states(4.0)
    assert b"I" + (0).to_bytes(4, "little") + (2).to_bytes(4, "little") in again.keyframe()
    assert b"I" + (1).to_bytes(4, "little") + (1).to_bytes(4, "little") in again.keyframe()


@pytest.mark.slow
def test_jumping_to_an_instant_is_as_reading_up_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keyframes are the world's own here; each jump opens the file anew."""
    monkeypatch.setattr(writer, "CHUNK", 20_000)
    monkeypatch.setattr(writer, "KEYFRAME_SHARE", 2)
    path = tmp_path / "mixed.kumi"
    recorded = run_mixed(path)
    played = RunFile(path)
    assert sum(entry.kind == 2 for entry in played.chunks) > 5

    def told(run: RunFile, instant: float) -> tuple[Any, ...]:
        goals = [(one.number, one.is_moving, one.destination) for one in run.state_at(instant)]
        return seen(run, instant), goals

    for number in range(1, 31):
        instant = 5.0 * number
        monkeypatch.setattr(played, "_keyframe_before", lambda _: 0)
        assert told(RunFile(path), instant) == told(played, instant), f"at {instant} s"

    assert run_mixed().trace_hash == recorded.trace_hash, "a run that is recorded is the same run"


def test_robots_that_reserve_by_radio_never_hold_the_same_floor(tmp_path: Path) -> None:
    """What is recorded is what was granted: at each instant, zones of different robots do not overlap, and hold their robot."""
    path = tmp_path / "run.kumi"
    staging = Staging(load_scenario("reservations", ["until=15", f"output.record={path}"]))
    with Output(staging.scenario) as output, staging.stage(output) as stage:
        output.open(stage.world, staging.names)
        output.finish(stage.run(15.0))
    run = RunFile(path)
    for instant in range(1, 16):
        held = {
            one.body: [Zone(zone.path, zone.radius) for zone in one.zones if zone.is_granted]
            for one in run.reserved_at(instant)
        }
        assert len(held) == 8
        for state in run.state_at(instant):
            assert any(zone.contains(state.pose.position) for zone in held[state.number])
            others = [zone for number, zones in held.items() if number != state.number for zone in zones]
            assert not any(zone.overlaps(other) for zone in held[state.number] for other in others)


def test_floor_of_a_list_in_the_process_is_shown_where_a_stage_is_told_of_it(tmp_path: Path) -> None:
    floor = Reservations[str]()

    async def ahead(robot: Robot) -> None:
        floor.enter(robot.name, Zone((robot.home,), 0.2))
        floor.request(robot.name, Way.along([(0.0, 0.0), (1.0, 0.0)], 0.2))
        floor.enter("a ghost", Zone((Point(5.0, 5.0),), 0.2))
        await robot.move_to((1.0, 0.0))
        floor.leave(robot.name)

    path = tmp_path / "run.kumi"
    with Stage(World(), record=path) as stage:
        stage.show_floor(floor)
        stage.add(ahead, at=(0.0, 0.0), name="ada 1")
        stage.run(5.0)
    run = RunFile(path)
    here, way = (Point(0.0, 0.0),), (Point(0.0, 0.0), Point(1.0, 0.0))
    assert run.reserved_at(0.5) == [
        Reserved(0.0, 0, (ReservedZone(here, 0.2), ReservedZone(way, 0.2))),
    ]
    assert run.reserved_at(5.0) == []
    assert run.meta.robots == {0: "ada 1"}
    assert [(one.first, one.count, one.team) for one in run.meta.groups] == [(0, 1, "ada")]


def test_reserved_floor_is_seen_in_pictures_and_films(run: RunFile, tmp_path: Path) -> None:
    """At 4 s robot 0 is at (5, 5): behind it granted floor, and what it waits for goes up from (6, 5)."""
    picture = tmp_path / "picture.png"
    write_picture(run, 4.0, picture, (400, 400))
    scale, left, top = 400 - 2 * 44 * 0.6, 44 * 0.6, 44 * 0.6

    def colour(image: Image.Image, x: float, y: float) -> tuple[int, ...]:
        place = round(left + x / 10 * scale), round(top + (10 - y) / 10 * scale)
        found = image.convert("RGB").getpixel(place)
        assert isinstance(found, tuple)
        return found

    with Image.open(picture) as image:
        assert colour(image, 3.0, 5.3) == rgb(LIGHT["reserved"])
        assert colour(image, 6.2, 5.1) == rgb(LIGHT["reserved"])  # what is granted lies above
        assert colour(image, 6.2, 6.7) == rgb(LIGHT["asked"])
        assert colour(image, 3.3, 6.3) == rgb(LIGHT["plane"])
    write_picture(run, 4.0, tmp_path / "picture.svg", (400, 400))
    assert LIGHT["reserved"] in (tmp_path / "picture.svg").read_text()
    for _ in write_video(run, tmp_path / "film.gif", Film(start=4.0, end=4.2, fps=5.0, size=(400, 400))):
        pass
    with Image.open(tmp_path / "film.gif") as film:
        near = colour(film, 3.0, 5.3)
    assert max(abs(one - other) for one, other in zip(near, rgb(LIGHT["reserved"]), strict=True)) < 12


def test_a_robot_that_fell_is_a_cross_in_pictures(run: RunFile, tmp_path: Path) -> None:
    for instant, name in ((2.9, "before"), (3.0, "after")):
        write_picture(run, instant, tmp_path / f"{name}.svg", (400, 400))
    assert LIGHT["contact"] not in (tmp_path / "before.svg").read_text()
    assert LIGHT["contact"] in (tmp_path / "after.svg").read_text()
