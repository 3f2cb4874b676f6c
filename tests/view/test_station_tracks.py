"""A robot of which only reports are known is drawn smoothly, and never farther ahead than its next report."""

from __future__ import annotations

from math import hypot, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry.headings import wrapped
from kumi.recording import Added, Bodies, Gone, JournalReader, Jumped, Moves, Resized
from kumi.station.positioning.positioning import LastReport
from kumi.station.records import PoseRecord, RobotRecord, RobotState
from kumi.view.station_crowd import ShownRobot, StationCrowd, instant
from kumi.view.station_tracks import Place, Tracks

SLACK = 0.05


class One:
    """The track of one robot, whose number is not the first."""

    def __init__(self, place: Place = (0.0, 0.0, 0.0)) -> None:
        self.tracks = Tracks(SLACK)
        self.tracks.add(3, 0.2, place, 0.0)

    def report(self, place: Place, at: float, now: float) -> bytes:
        return self.tracks.report([3], [place], [at], now)

    def pose(self, now: float) -> Place:
        return self.tracks.pose(3, now)

    def state(self, now: float) -> bytes:
        return self.tracks.state(now)


def test_a_robot_that_drives_evenly_is_drawn_within_a_report_of_where_it_is() -> None:
    """1 m/s, a report each 0.1 s, noticed up to 0.05 s later: never more than 0.2 m behind, nor 0.05 m ahead."""
    track, drawn = One(), []
    for report in range(1, 40):
        at = 0.1 * report
        noticed = at + (0.0, 0.03, 0.05, 0.01)[report % 4]
        track.report((at, 0.0, 0.0), at, noticed)
        drawn += [(noticed + 0.001 * ms, track.pose(noticed + 0.001 * ms)[0]) for ms in range(50)]
    errors = [x - time for time, x in drawn if time > 0.5]

    assert min(errors) > -0.2
    assert max(errors) < 0.05


def test_it_never_jumps_and_turns_the_short_way() -> None:
    """From 170° to -170° are 20 degrees, so the heading passes 180°."""
    track = One((0.0, 0.0, 170.0 * pi / 180.0))
    track.report((0.5, 0.0, -170.0 * pi / 180.0), 1.0, 1.0)
    before = track.pose(1.0)
    steps = []
    for ms in range(1, 1200):
        now = track.pose(1.0 + 0.001 * ms)
        steps.append((hypot(now[0] - before[0], now[1] - before[1]), abs(now[2] - before[2])))
        before = now

    assert max(way for way, _ in steps) < 0.0011
    assert max(angle for _, angle in steps) < 0.001


def test_it_rests_where_it_says_and_nothing_is_sent_of_it() -> None:
    track = One()
    track.report((0.1, 0.0, 0.0), 0.1, 0.1)
    assert track.report((0.1, 0.0, 0.0), 0.2, 0.2) != b""
    assert track.pose(1.0) == (0.1, 0.0, 0.0)
    for again in range(3, 9):
        assert track.report((0.1, 0.0, 0.0), 0.1 * again, 0.1 * again + 1.0) == b""


def test_a_robot_that_falls_silent_goes_on_until_its_next_report_was_due() -> None:
    """Half a metre in half a second, then silence: it rests 0.5 s and the slack later, 0.55 m farther on."""
    track = One()
    track.report((0.5, 0.0, 0.0), 0.5, 0.5)

    assert track.pose(1.05) == pytest.approx((1.05, 0.0, 0.0))
    assert track.pose(99.0) == track.pose(1.05)


def test_a_robot_that_was_carried_is_put_there() -> None:
    track = One()
    (jumped,) = JournalReader().read(instant(1.0) + track.report((5.0, 1.0, 0.0), 0.1, 1.0))

    assert isinstance(jumped, Jumped)
    assert track.pose(1.0) == (5.0, 1.0, 0.0)


def test_a_clock_that_jumps_back_stops_nothing() -> None:
    track = One()
    track.report((0.1, 0.0, 0.0), 1000.0, 1.0)
    track.report((0.2, 0.0, 0.0), 5.0, 1.1)

    assert track.pose(2.0) == (0.2, 0.0, 0.0)


lengths = st.floats(-5.0, 5.0).map(lambda one: round(one, 3))
reports = st.lists(
    st.tuples(st.floats(0.01, 3.0), st.floats(0.0, 0.3), lengths, lengths, lengths), max_size=12
)


@pytest.mark.slow
@given(reports)
def test_whoever_reads_the_journal_sees_it_where_it_is_drawn(reports: list[tuple[float, ...]]) -> None:
    """The reader of run files is the oracle, from the beginning and from a state in between."""
    track = One()
    whole = Bodies()
    whole.take(instant(0.0) + track.state(0.0))
    at, now = 0.0, 0.0
    for passed, late, x, y, heading in reports:
        at, now = at + passed, max(at + passed + late, now)
        whole.take(instant(now) + track.report((x, y, heading), at, now))
        for later in (now, now + 0.07, now + 5.0):
            from_state = Bodies()
            from_state.take(instant(later) + track.state(later))
            for bodies in (whole, from_state):
                (body,) = bodies.states(later)
                *place, turned = track.pose(later)
                drawn = (*body.pose.position, wrapped(body.pose.heading - turned))
                assert drawn == pytest.approx((*place, 0.0), abs=1e-9)


steps = st.tuples(st.integers(0, 3), st.floats(0.0, 3.0), lengths, lengths, lengths)


@pytest.mark.slow
@given(st.lists(st.lists(steps, max_size=4, unique_by=lambda one: one[0]), max_size=8))
def test_many_that_report_at_once_are_drawn_as_if_each_had_reported_alone(
    turns: list[list[tuple[int, float, float, float, float]]],
) -> None:
    together = Tracks(SLACK)
    alone = [Tracks(SLACK) for _ in range(4)]
    for number, tracks in enumerate(alone):
        added = tracks.add(number, 0.1 + number, (float(number), 0.0, 0.0), 0.0)
        assert together.add(number, 0.1 + number, (float(number), 0.0, 0.0), 0.0) == added
    now, ats = 0.0, [0.0] * 4
    for turn in turns:
        now += 0.3
        for number, passed, *_ in turn:
            ats[number] += passed
        places = [(x, y, heading) for _, _, x, y, heading in turn]
        numbers = [number for number, *_ in turn]
        told = together.report(numbers, places, [ats[number] for number in numbers], now)
        each = [
            alone[n].report([n], [place], [ats[n]], now) for n, place in zip(numbers, places, strict=True)
        ]

        assert _read(instant(now) + told) == _read(instant(now) + b"".join(each))
        for number, tracks in enumerate(alone):
            assert together.pose(number, now + 0.05) == tracks.pose(number, now + 0.05)


def _read(journal: bytes) -> dict[int, tuple[float, ...]]:
    """Return what a journal says of each robot; its place besides."""
    found: dict[int, tuple[float, ...]] = {}
    for record in JournalReader().read(journal):
        assert isinstance(record, Moves | Jumped)
        found[record.body] = (record.since, record.speed, record.turning) if isinstance(record, Moves) else ()
    return found


def a_robot(
    tag: str, state: RobotState = "connected", x: float | None = 0.0, radius: float = 0.2
) -> RobotRecord:
    pose = None if x is None else PoseRecord(x=x, y=0.0)
    return RobotRecord(tag=tag, team="red", kind="disc", radius=radius, state=state, pose=pose, seen_at=1.0)


def test_robots_come_are_lost_and_leave_and_only_changes_are_told() -> None:
    crowd = StationCrowd(SLACK)
    journal, news = crowd.robots([a_robot("a"), a_robot("b", "away"), a_robot("c", x=None)], {}, 0.0)
    assert [(type(one), one.body) for one in JournalReader().read(journal)] == [(Added, 0)]  # type: ignore[union-attr]
    assert [one and one.tag for one in news.values()] == ["a", "b", "c"]

    assert crowd.robots([a_robot("a"), a_robot("b", "away"), a_robot("c", x=None)], {}, 1.0) == (b"", {})

    journal, news = crowd.robots([a_robot("a", "lost", radius=0.3), a_robot("b"), a_robot("d")], {}, 2.0)
    told = [(type(one), one.body) for one in JournalReader().read(journal)]  # type: ignore[union-attr]
    assert told == [(Resized, 0), (Added, 1), (Added, 3)]
    assert news[0] == ShownRobot("a", "red", "disc", "lost")
    assert news[2] is None

    journal, _ = crowd.robots([a_robot("a", "away"), a_robot("b")], {}, 3.0)
    told = [(type(one), one.body) for one in JournalReader().read(journal)]  # type: ignore[union-attr]
    assert told == [(Gone, 0), (Gone, 3)]


def test_where_a_robot_is_heard_counts_before_what_is_written_of_it() -> None:
    crowd = StationCrowd(SLACK)
    heard = {"a": LastReport(PoseRecord(x=0.5, y=0.0), {}, 1.5)}
    crowd.robots([a_robot("a")], heard, 0.0)
    (moves,) = JournalReader().read(instant(0.1) + crowd.hear(heard, 0.1))

    assert isinstance(moves, Moves)
    assert crowd.robots([a_robot("a", x=0.1)], heard, 0.2) == (b"", {})
    assert crowd.hear(heard, 0.2) == b""
