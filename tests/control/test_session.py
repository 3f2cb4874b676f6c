"""Robots carry out their lists side by side over their links, watched, warned and recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import degrees, radians
from pathlib import Path

import msgspec
import pytest

from kumi.control.session import Session
from kumi.control.telling import (
    Began,
    ListEnded,
    Looked,
    RobotValues,
    Telling,
    Trouble,
    Warned,
    WarningCleared,
    json_of,
    line_of,
)
from kumi.control.words import WordsError, parse_orders
from kumi.geometry import Pose
from kumi.link.calibration import Calibration
from kumi.link.line import CLEAN, Interference
from kumi.link.reckoning import drive_arc
from kumi.recording import Note, RunFile
from kumi.world import Map, Overlap, Wall, World
from tests.link.emulated import Emulated, emulated, place

CALIBRATION = Calibration.default()
CRUISE = 0.07986
ROOM = Map(4.0, 4.0, obstacles=[Wall((2.0, 0.0), (2.0, 4.0), name="the wall")])


@dataclass
class Bench:
    """A session with emulated robots in the same run, and all that was told."""

    session: Session
    robots: list[Emulated]
    told: list[Telling]

    def do(self, words: str) -> None:
        """Give commands, and run to their end."""
        self.session.give(parse_orders(words))
        self.session.close_lists()
        self.session.run()

    def of(self, kind: type[Telling]) -> list[Telling]:
        return [one for one in self.told if isinstance(one, kind)]


@contextmanager
def bench(*poses: Pose, record: Path | None = None, interference: Interference = CLEAN) -> Iterator[Bench]:
    """Put robots at places, both in their own world and in the session's map."""
    told: list[Telling] = []
    world = World(ROOM)
    with Session(ROOM, told=told.append, record=record, beside=[world]) as session:
        robots = []
        for number, pose in enumerate(poses):
            robot = emulated(session.simulation, world, pose, address=number, interference=interference)
            robot.remote.open()
            session.add(robot.remote, CALIBRATION, pose, number=number)
            robots.append(robot)
        yield Bench(session, robots, told)


def apart(one: Pose, other: Pose) -> float:
    return abs(one.position - other.position)


def test_a_way_ends_within_3_millimetres_once_the_robot_is_known() -> None:
    """The first stop rolls on; how far is learnt from it."""
    with bench(place(0.5, 1.0, 0.0)) as it:
        it.do("forward 20 cm; wait 1 s; forward 20 cm; wait 1 s; forward 20 cm")

        went = it.robots[0].hardware.way
        assert went == pytest.approx(0.6, abs=0.015)
        begun = [one.time for one in it.of(Began)]
        (at_third,) = [one.way for one in it.told if isinstance(one, RobotValues) and one.time <= begun[4]][
            -1:
        ]
        assert went - at_third == pytest.approx(0.2, abs=0.003)


def test_the_unit_knows_where_the_robot_is() -> None:
    """After an arc to the left and one back to the right, by encoder and potentiometer alone."""
    with bench(place(0.5, 1.0, 0.0)) as it:
        it.do("left 24 deg; forward 30 cm; right 30 deg; back 20 cm; straight; forward 10 cm")

        unit = it.session.units[0]
        assert apart(unit.pose, it.robots[0].pose) < 0.01
        assert degrees(unit.pose.heading - it.robots[0].pose.heading) == pytest.approx(0.0, abs=1.5)


def test_the_way_is_the_arc_of_the_steering() -> None:
    """The wheel is turned before the robot drives."""
    with bench(place(0.5, 1.0, 0.0)) as it:
        it.do("left 24 deg; forward 30 cm")

        expected = drive_arc(place(0.5, 1.0, 0.0), it.robots[0].hardware.way, radians(24), 0.15)
        assert apart(it.robots[0].pose, expected) < 1e-3


def test_read_all_reads_all() -> None:
    """The wall is 80 - 22.5 cm ahead of the front at 1.2 m: 57.5 cm is between the entries for 60 and 55 cm."""
    with bench(place(1.2, 2.0, 0.0)) as it:
        it.do("read all; read encoder")

        all_, encoder = it.of(Looked)
        assert isinstance(all_, Looked)
        assert isinstance(encoder, Looked)
        assert all_.values["front"] == CALIBRATION.ir_value(0.575)
        assert all_.values["potentiometer"] == 512
        assert list(encoder.values) == ["encoder"]


def test_three_robots_go_side_by_side() -> None:
    """Each list takes its own time: all are done after the longest."""
    with bench(place(0.5, 1.0, 0.0), place(0.5, 2.0, 0.0), place(0.5, 3.0, 0.0)) as it:
        it.do("0: forward 10 cm\n1: forward 20 cm\n2: forward 30 cm\nall: straight")

        ways = [robot.hardware.way for robot in it.robots]
        assert ways == pytest.approx([0.1, 0.2, 0.3], abs=0.015)
        assert it.session.simulation.now == pytest.approx(0.3 / CRUISE, abs=1.5)
        assert [one.end for one in it.told if isinstance(one, ListEnded)] == ["done"] * 3


def test_a_fourth_robot_is_refused() -> None:
    with (
        bench(place(0.5, 1.0, 0.0), place(0.5, 2.0, 0.0), place(0.5, 3.0, 0.0)) as it,
        pytest.raises(ValueError, match="one to 3 robots"),
    ):
        it.session.add(it.robots[0].remote, CALIBRATION, place(1.5, 3.0, 0.0), number=3)


def test_a_robot_without_an_order_keeps_reading_and_a_motion_without_an_end_is_stopped_at_the_end() -> None:
    with bench(place(0.5, 1.0, 0.0)) as it:
        it.do("forward; wait 2 s")
        it.session.simulation.run(it.session.simulation.now + 1.0)

        assert it.robots[0].hardware.way == pytest.approx(2.0 * CRUISE, abs=0.03)
        assert it.robots[0].hardware.motor == 127
        assert len(it.of(RobotValues)) > 15


# Warnings.


def test_a_wall_is_told_with_the_time_left_until_the_robot_touches_it() -> None:
    """The front is 37.5 cm from the wall: 4.6 s. The robot stops at the wall and gives up."""
    with bench(place(1.4, 2.0, 0.0)) as it:
        it.do("forward 1 m; read all")

        warned = it.of(Warned)
        assert [(one.robot, one.other) for one in warned if isinstance(one, Warned)] == [
            ("robot 0", "the wall")
        ] * len(warned)
        touched = next(one.time for one in it.of(Trouble))
        for one in warned:
            assert isinstance(one, Warned)
            assert one.time + one.seconds == pytest.approx(touched, abs=0.4)
        assert len(warned) >= 5
        assert (
            str(it.of(Trouble)[0])
            == "touched something in front after 37 of 100 cm; the rest of its list is dropped"
        )
        assert it.session.has_failed
        assert it.of(Looked) == []


def test_robots_that_will_hit_each_other_are_told() -> None:
    """65 cm between their fronts, both at 8 cm/s: 4 s, less what it takes to start."""
    with bench(place(0.5, 1.0, 0.0), place(1.6, 1.0, 180.0)) as it:
        it.do("forward 50 cm")

        (first, *_) = it.of(Warned)
        assert isinstance(first, Warned)
        assert {first.robot, first.other} == {"robot 0", "robot 1"}
        assert first.seconds == pytest.approx(0.64 / (2 * CRUISE), abs=0.2)


def test_who_will_stop_in_time_is_not_warned() -> None:
    """The list says so: 57.5 cm to the wall, and 3 s at 8 cm/s."""
    with bench(place(1.2, 2.0, 0.0)) as it:
        it.do("forward; wait 3 s; stop; wait 1 s")

        assert it.of(Warned) == []


def test_a_way_that_is_about_to_end_is_not_taken_for_one_without_an_end() -> None:
    """While the stop is on its way, the other robot's readings look ahead as well."""
    with bench(place(1.2, 2.0, 0.0), place(0.5, 1.0, 0.0)) as it:
        it.do("0: forward 20 cm; 1: wait 4 s")

        assert it.of(Warned) == []


def test_a_plan_that_changes_clears_its_warning() -> None:
    with bench(place(1.2, 2.0, 0.0)) as it:
        unit = it.session.units[0]
        it.session.give(parse_orders("forward"))
        it.session.simulation.schedule(2.0, lambda: it.session.give(parse_orders("stop")))
        it.session.simulation.schedule(3.0, it.session.close_lists)
        it.session.run()

        (warned, *_), (cleared,) = it.of(Warned), it.of(WarningCleared)
        assert warned.time < 2.0 < cleared.time < 2.3
        assert unit.driving == 0.0


def test_a_wait_to_come_to_an_end_is_in_the_plan() -> None:
    """4 s of waiting, and 77.5 cm at 8 cm/s: each warning tells the same instant."""
    with bench(place(1.0, 2.0, 0.0)) as it:
        it.do("wait 4 s; forward 1 m")

        contacts = [one.time + one.seconds for one in it.told if isinstance(one, Warned)]
        assert contacts[0] == pytest.approx(4.0 + 0.775 / CRUISE, abs=0.2)
        assert max(contacts) - min(contacts) < 0.4


# What goes wrong with one robot, while the rest goes on.


def test_a_motion_without_an_end_that_meets_a_wall_is_told() -> None:
    with bench(place(1.6, 2.0, 0.0)) as it:
        it.do("forward; wait 9 s; back 10 cm")

        assert [str(one) for one in it.of(Trouble)] == [
            "touched something in front after 17 cm; the rest of its list is dropped"
        ]
        assert it.session.simulation.now < 4.0


def test_who_touched_something_can_be_told_to_back_off() -> None:
    """A list that was given up is not the end of a session that goes on."""
    with bench(place(1.6, 2.0, 0.0)) as it:
        it.session.give(parse_orders("forward 50 cm"))
        it.session.simulation.schedule(6.0, lambda: it.session.give(parse_orders("back 10 cm")))
        it.session.simulation.schedule(6.5, it.session.close_lists)
        it.session.run()

        assert it.robots[0].hardware.way == pytest.approx(0.17 - 0.1, abs=0.03)


def test_typed_orders_come_after_what_was_dropped() -> None:
    with bench(place(0.5, 1.0, 0.0)) as it:

        def stop() -> None:
            it.session.drop_lists()
            it.session.give(parse_orders("stop; left 12 deg"))
            it.session.close_lists()

        it.session.give(parse_orders("wait 1 s; forward 1 m; wait 60 s"))
        it.session.simulation.schedule(3.0, stop)
        it.session.run()

        assert [str(one) for one in it.of(Began)] == ["wait 1 s", "forward 100 cm", "stop", "left 12 deg"]
        assert it.session.simulation.now < 5.0
        assert it.robots[0].hardware.way == pytest.approx(2.0 * CRUISE, abs=0.03)


def test_a_robot_that_is_gone_for_a_while_goes_on_where_it_was() -> None:
    with bench(place(0.5, 1.0, 0.0), place(0.5, 2.0, 0.0)) as it:
        wire = it.robots[0].wire
        it.session.simulation.schedule(1.0, lambda: setattr(wire, "is_cut", True))
        it.session.simulation.schedule(6.0, lambda: setattr(wire, "is_cut", False))
        it.do("forward 40 cm; wait 1 s")

        said = [str(one) for one in it.of(Trouble)]
        assert len(said) == 2
        assert said[1] == "is back and goes on"
        assert it.robots[0].hardware.way == pytest.approx(0.4, abs=0.02)
        assert it.robots[1].hardware.way == pytest.approx(0.4, abs=0.02)
        assert not it.session.has_failed


def test_a_robot_that_stays_away_gives_up_and_the_others_go_on() -> None:
    with bench(place(0.5, 1.0, 0.0), place(0.5, 2.0, 0.0)) as it:
        wire = it.robots[0].wire
        it.session.simulation.schedule(1.0, lambda: setattr(wire, "is_cut", True))
        it.do("forward 40 cm; wait 8 s; read all")

        assert [(one.robot, one.end) for one in it.told if isinstance(one, ListEnded)] == [
            ("robot 0", "gave up"),
            ("robot 1", "done"),
        ]
        assert it.session.has_failed
        assert it.robots[0].hardware.motor == 127


def test_a_fifth_of_all_packets_damaged_changes_nothing_but_the_time() -> None:
    with bench(place(0.5, 1.0, 0.0), interference=Interference.for_packets(0.2)) as it:
        it.do("left 24 deg; wait 1 s; forward 30 cm; read encoder")

        assert [str(one) for one in it.of(Trouble)] == []
        assert it.robots[0].hardware.way == pytest.approx(0.3, abs=0.03)
        expected = drive_arc(place(0.5, 1.0, 0.0), it.robots[0].hardware.way, radians(24), 0.15)
        assert apart(it.robots[0].pose, expected) < 1e-3
        assert apart(it.session.units[0].pose, expected) < 0.01


def test_halt_stops_all_at_once() -> None:
    with bench(place(0.5, 1.0, 0.0), place(0.5, 2.0, 0.0)) as it:
        it.session.simulation.schedule(2.0, it.session.halt)
        it.do("forward 1 m; forward 1 m")

        assert it.session.simulation.now < 3.5
        assert [str(one) for one in it.of(ListEnded)] == ["stopped", "stopped"]
        assert [robot.hardware.motor for robot in it.robots] == [127, 127]
        assert all(robot.hardware.way < 0.2 for robot in it.robots)


def test_orders_are_checked_before_anything_moves() -> None:
    with bench(place(0.5, 1.0, 0.0)) as it:
        with pytest.raises(WordsError, match="line 2: robot 0: the wheel cannot be turned to 60° left"):
            it.session.give(parse_orders("forward 10 cm\nleft 60 deg"))
        with pytest.raises(WordsError, match="line 1: there is no robot 7; only robot 0 is here"):
            it.session.give(parse_orders("7: stop"))
        assert list(it.session.units[0].steps) == []


def test_a_place_inside_a_wall_is_refused() -> None:
    with bench(place(0.5, 1.0, 0.0)) as it, pytest.raises(Overlap):
        it.session.add(it.robots[0].remote, CALIBRATION, place(1.9, 1.0, 0.0), number=1)


# The run file.


def test_a_session_is_a_run_file_with_calibration_motion_and_what_was_told(tmp_path: Path) -> None:
    path = tmp_path / "session.kumi"
    with bench(place(1.4, 2.0, 0.0), record=path) as it:
        it.do("left 5 deg; forward 60 cm; read encoder")
        end = it.session.units[0].pose

    run = RunFile(path)
    assert run.is_whole
    assert run.meta.robots == {0: "robot 0"}
    described = msgspec.toml.decode(run.meta.scenario)
    assert described["orders"] == ["0: left 5 deg", "0: forward 60 cm", "0: read encoder"]
    assert (
        Calibration.from_dict({key: described["robots"][0][key] for key in CALIBRATION.to_dict()})
        == CALIBRATION
    )
    (body,) = run.state_at(run.end)
    assert abs(body.pose.position - end.position) < 1e-6
    notes = [record.text for record in run.records() if isinstance(record, Note)]
    assert [note for note in notes if "will hit" not in note][:2] == ["left 5 deg", "forward 60 cm"]
    assert any(note.startswith("trouble: touched something in front after ") for note in notes)
    assert any(note.startswith("warning: will hit the wall in ") for note in notes)


def test_what_is_told_is_a_line_and_an_object() -> None:
    warned = Warned(1.5, "robot 0", "the wall", 2.25, 2.0, 1.0)

    assert line_of(warned) == "    1.50 s  robot 0: warning: will hit the wall in 2.2 s at (2.00, 1.00)"
    assert msgspec.json.decode(json_of(warned)) == {
        "kind": "warned",
        "time": 1.5,
        "robot": "robot 0",
        "other": "the wall",
        "seconds": 2.25,
        "x": 2.0,
        "y": 1.0,
    }


def test_the_reason_why_a_robot_is_gone_is_told() -> None:
    """Whoever asks later hears the same as whoever asked when it went."""
    with bench(place(0.5, 1.0, 0.0)) as it:
        remote = it.robots[0].remote
        it.session.simulation.schedule(1.05, lambda: remote.gone("the port COM5 is gone: it was pulled"))
        it.do("wait 3 s")

        gone, back = it.of(Trouble)
        assert "the port COM5 is gone: it was pulled" in str(gone)
        assert str(back) == "is back and goes on"
