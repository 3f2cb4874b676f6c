"""The text log has one line for each event, of the grammar in docs/recording.md."""

from __future__ import annotations

import re
from io import StringIO
from math import inf, pi, radians
from typing import TYPE_CHECKING

import pytest

from kumi.recording.meta import RunMeta
from kumi.recording.records import BORDER, CommandKind, Ending, Leaving
from kumi.recording.runfile import RunFile
from kumi.recording.textlog import TextLogWriter, write_log
from kumi.recording.writer import RunWriter
from tests.recording.journals import Journal, arc, line, spin

if TYPE_CHECKING:
    from pathlib import Path

NUMBER = r"(-?\d+\.\d{3}|-?inf|nan)"
PLACE = rf"\[{NUMBER},{NUMBER}\]"
MOTION = (
    rf"{NUMBER} \d+ {PLACE} {PLACE} {NUMBER} {NUMBER} {NUMBER} {NUMBER} {NUMBER} [A-Z]\w*(\([A-Z][a-z]+\))?"
)
GRAMMAR = re.compile(
    rf"{NUMBER} p\d+ (Event|Request): {MOTION}|CollisionEvent: {MOTION}|{NUMBER} (p\d+|run) (sensors|notes) e .*"
)
SAMPLES = """\
31.059 p3 Event: 31.059 3 [734.769,518.859] [423.319,425.888] 196.621 0.000 325.031 0.000 4.570 Do_MoveTo_Sequence
CollisionEvent: 60.269 86 [753.817,734.828] [675.772,448.298] 254.723 0.000 0.000 0.000 0.000 Do_MoveTo_Sequence(Collision)
""".splitlines()


def log(*journals: Journal) -> list[str]:
    """Return the lines of journals that come one after the other."""
    out = StringIO()
    writer = TextLogWriter(out)
    for journal in journals:
        writer.write(journal.data)
    lines = out.getvalue().splitlines()
    for text in lines:
        assert GRAMMAR.fullmatch(text), text
    return lines


def test_the_samples_of_the_spec_follow_the_grammar() -> None:
    for sample in SAMPLES:
        assert GRAMMAR.fullmatch(sample)


def test_a_move_begins_as_in_the_first_sample_of_the_spec() -> None:
    """The same robot, at the same time and place, on the way to the same destination; its angle is told as kumi does."""
    heading = radians(196.621)
    journal = (
        Journal()
        .time(31.059)
        .add(3, 734.769, 518.859, heading)
        .command(3, CommandKind.MOVE_TO, (423.319, 425.888), 0.0, 325.031, 0.1, 4.57)
        .move(3, line(734.769, 518.859, heading, 325.031, 4.57))
    )

    assert log(journal)[-1] == SAMPLES[0].replace(" 196.621 ", " -163.379 ")


def test_a_collision_reads_as_in_the_third_sample_of_the_spec() -> None:
    heading = radians(254.723)
    journal = (
        Journal()
        .time(60.269)
        .add(86, 753.817, 734.828, heading)
        .command(86, CommandKind.MOVE_TO, (675.772, 448.298), 0.0, 297.0, 0.1, 5.0)
        .move(86, line(753.817, 734.828, heading, 297.0, 5.0))
        .touch(86, 753.0, 734.0, obstacle=BORDER)
        .end(86, 753.817, 734.828, heading, Ending.CONTACT)
    )

    assert log(journal)[-1] == SAMPLES[1].replace(" 254.723 ", " -105.277 ")


def test_a_move_to_is_a_request_a_turn_a_way_and_its_end() -> None:
    """A quarter turn at 90 degrees a second, then 4 m at 2 m/s."""
    journals = (
        Journal()
        .time(0.0)
        .add(1, 0.0, 0.0)
        .command(1, CommandKind.MOVE_TO, (0.0, 4.0), pi / 2, 4.0, pi / 2, 2.0)
        .move(1, spin(0.0, 0.0, 0.0, pi / 2, pi / 2)),
        Journal().time(1.0).move(1, line(0.0, 0.0, pi / 2, 4.0, 2.0)),
        Journal().time(3.0).end(1, 0.0, 4.0, pi / 2),
    )

    assert log(*journals) == [
        "0.000 p1 Event: 0.000 1 [0.000,0.000] [0.000,0.000] 0.000 0.000 0.000 0.000 0.000 Born",
        "0.000 p1 Request: 0.000 1 [0.000,0.000] [0.000,4.000] 0.000 90.000 4.000 90.000 2.000 Do_MoveTo_Sequence",
        "0.000 p1 Event: 0.000 1 [0.000,0.000] [0.000,4.000] 0.000 90.000 4.000 90.000 0.000 Do_MoveTo_Sequence",
        "1.000 p1 Event: 1.000 1 [0.000,0.000] [0.000,4.000] 90.000 0.000 4.000 0.000 2.000 Do_MoveTo_Sequence",
        "3.000 p1 Event: 3.000 1 [0.000,4.000] [0.000,4.000] 90.000 0.000 0.000 0.000 0.000 Do_MoveTo_Sequence(Finish)",
    ]


def test_slow_ground_shows_as_another_speed() -> None:
    """Half way at 2 m/s the ground lets it go at a quarter of that."""
    journal = (
        Journal()
        .time(0.0)
        .add(1, 0.0, 0.0)
        .command(1, CommandKind.FORWARD, distance=4.0, speed=2.0)
        .move(1, line(0.0, 0.0, 0.0, 4.0, 2.0))
        .time(1.0)
        .move(1, line(0.0, 0.0, 0.0, 4.0, 2.0), rate=0.25, since=1.0)
    )

    assert log(journal)[-1] == (
        "1.000 p1 Event: 1.000 1 [2.000,0.000] [4.000,0.000] 0.000 0.000 2.000 0.000 0.500 Do_Forward"
    )


def test_a_motion_that_is_stopped_says_so_and_where() -> None:
    journal = (
        Journal()
        .time(0.0)
        .add(1, 0.0, 0.0)
        .command(1, CommandKind.TURN, angle=-pi, turn_speed=1.0)
        .move(1, spin(0.0, 0.0, 0.0, -pi, 1.0))
        .time(pi / 4)
        .end(1, 0.0, 0.0, -pi / 4, Ending.STOPPED)
    )

    assert log(journal)[-2:] == [
        "0.000 p1 Event: 0.000 1 [0.000,0.000] [0.000,0.000] 0.000 -180.000 0.000 57.296 0.000 Do_Turn",
        "0.785 p1 Event: 0.785 1 [0.000,0.000] [0.000,0.000] -45.000 0.000 0.000 0.000 0.000 Do_Turn(Stop)",
    ]


def test_an_arc_turns_and_goes_at_once() -> None:
    """A quarter circle of 2 m at 1 m/s: half a radian a second."""
    journal = (
        Journal()
        .time(0.0)
        .add(1, 0.0, 0.0)
        .command(1, CommandKind.ARC, angle=pi / 2, distance=pi, speed=1.0)
        .move(1, arc(0.0, 0.0, 0.0, 2.0, pi / 2, 1.0))
    )

    assert log(journal)[-1] == (
        "0.000 p1 Event: 0.000 1 [0.000,0.000] [nan,nan] 0.000 90.000 3.142 28.648 1.000 Do_Arc"
    )


def test_both_robots_of_a_collision_have_a_line() -> None:
    """The second one stood still."""
    journal = (
        Journal()
        .time(0.0)
        .add(1, 0.0, 0.0)
        .add(2, 3.0, 0.0)
        .command(1, CommandKind.FORWARD, distance=9.0, speed=1.0)
        .move(1, line(0.0, 0.0, 0.0, 9.0, 1.0))
        .time(2.0)
        .touch(1, 2.5, 0.0, other=2)
        .end(1, 2.0, 0.0, 0.0, Ending.CONTACT)
        .time(3.0)
        .note(None, "over")
    )

    assert log(journal)[-3:] == [
        "CollisionEvent: 2.000 1 [2.000,0.000] [9.000,0.000] 0.000 0.000 0.000 0.000 0.000 Do_Forward(Collision)",
        "CollisionEvent: 2.000 2 [3.000,0.000] [3.000,0.000] 0.000 0.000 0.000 0.000 0.000 Rest(Collision)",
        "3.000 run notes e over",
    ]


def test_what_befalls_a_robot_has_a_line() -> None:
    journal = (
        Journal()
        .time(0.5)
        .add(1, 0.0, 0.0)
        .resize(1, b"\0" + bytes(6) + b"\xf0\x3f")
        .jump(1, -0.0001, 1.0, -1e-9)
        .command(1, CommandKind.STEER, distance=inf, speed=1.0)
        .end(1, 5.0, 1.0, why=Ending.GONE)
        .gone(1, Leaving.FELL)
    )

    assert [text.split(": ")[1] for text in log(journal)[1:]] == [
        "0.500 1 [0.000,0.000] [0.000,0.000] 0.000 0.000 0.000 0.000 0.000 Resized",
        "0.500 1 [0.000,1.000] [0.000,1.000] 0.000 0.000 0.000 0.000 0.000 Jumped",
        "0.500 1 [0.000,1.000] [nan,nan] 0.000 0.000 inf 0.000 1.000 Do_Steer",
        "0.500 1 [5.000,1.000] [5.000,1.000] 0.000 0.000 0.000 0.000 0.000 Fell",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s view 12.5", "0.250 p4 sensors e s view 12.5"),
        ("found it", "0.250 p4 notes e found it"),
        ("two\nlines", r"0.250 p4 notes e two\nlines"),
        ("größer", "0.250 p4 notes e größer"),
        ("", "0.250 p4 notes e "),
    ],
)
def test_a_note_is_one_line(text: str, expected: str) -> None:
    assert log(Journal().time(0.25).note(4, text)) == [expected]


def test_the_log_of_a_run_file_is_that_of_the_run(tmp_path: Path) -> None:
    journals = [Journal().time(float(k)).add(k, float(k), 0.0) for k in range(3)]
    with RunWriter(tmp_path / "run.kumi", RunMeta()) as run:
        for journal in journals:
            run.write(journal.data)
    out = StringIO()
    write_log(RunFile(tmp_path / "run.kumi"), out)

    assert out.getvalue().splitlines() == log(*journals)
