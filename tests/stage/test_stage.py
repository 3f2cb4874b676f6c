"""A stage: robots and their programs, run in one go or in pieces, and what comes of it."""

from __future__ import annotations

import itertools
import threading
import time
from contextlib import suppress
from math import inf, pi
from pathlib import Path
from typing import Any

import pytest

from kumi import note, now, sleep
from kumi.contract import Blocked
from kumi.devs import Coupled
from kumi.devs.errors import KumiError, NoRun, TimeError
from kumi.geometry import Circle, Disc, Point
from kumi.motion import Wheel
from kumi.recording import BodyNote, JournalReader, Record, RunFile, Touched
from kumi.robot import Robot
from kumi.stage import Outcome, Progress, Stage
from kumi.world import Hole, Map, Overlap, World


async def wander(robot: Robot) -> None:
    """Go from one random place to the next, whatever is in the way."""
    while True:
        with suppress(Blocked):
            await robot.move_to((robot.chance.uniform(1.0, 9.0), robot.chance.uniform(1.0, 9.0)))
        with suppress(Blocked):
            await robot.turn(robot.chance.uniform(-pi, pi))


class Keeping:
    """A recorder that keeps all it gets."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def records(self, first: int = 0) -> list[Record]:
        """Return what was recorded, from a part on."""
        return list(JournalReader().read(b"".join(self.parts[first:])))

    def write(self, journal: bytes) -> None:
        """Keep it."""
        self.parts.append(journal)


def crowded(**options: Any) -> Stage:
    """Return a stage with twenty robots that wander and meet."""
    stage = Stage(World(width=10.0, height=10.0), seed=3, **options, on_error="robot")
    for number in range(20):
        stage.add(wander, at=(1.0 + number % 5 * 2.0, 1.0 + number // 5 * 2.0), drive=Wheel(acceleration=5.0))
    return stage


def told(outcome: Outcome) -> tuple[Any, ...]:
    """Return all of an outcome but the time on the wall."""
    return (
        outcome.simulated_seconds,
        outcome.contacts,
        outcome.robots,
        outcome.trace_hash,
        outcome.errors,
        outcome.lost,
    )


# Running.


def test_an_outcome_tells_what_came_of_it() -> None:
    async def go(robot: Robot, distance: float, *, speed: float) -> None:
        await robot.forward(distance, speed)

    with Stage(World(), on_error="robot") as stage:
        robot = stage.add(go, 3.0, at=(1.0, 2.0), speed=0.5)
        begun = time.monotonic()
        outcome = stage.run()
        took = time.monotonic() - begun

    assert (outcome.simulated_seconds, outcome.contacts, outcome.robots) == (6.0, 0, 1)
    assert (outcome.errors, outcome.lost, outcome.is_interrupted) == ((), (), False)
    assert 0.0 < outcome.wall_seconds <= took
    assert outcome.events > 0
    assert len(outcome.trace_hash) == 32
    assert stage.robots == [robot]
    assert robot.position == Point(4.0, 2.0)


def test_a_run_goes_up_to_and_including_its_end() -> None:
    with Stage(World(), on_error="robot") as stage:
        robot = stage.add(robot_goes, at=(0.0, 0.0))
        assert stage.run(2.0).simulated_seconds == 2.0
        assert robot.position == Point(2.0, 0.0)
        assert stage.run(2.0).simulated_seconds == 2.0
        assert stage.run(5.0).simulated_seconds == 5.0
        assert robot.position == Point(3.0, 0.0)
        with pytest.raises(TimeError, match=r"it is t = 5\.0 s already"):
            stage.run(4.0)


async def robot_goes(robot: Robot) -> None:
    """Go three metres."""
    await robot.forward(3.0)


def test_running_in_pieces_is_running() -> None:
    """In one go, in pieces, with a recorder, with progress: the same happens."""
    with crowded() as stage:
        whole = stage.run(30.0)
    outcomes = []
    with crowded() as stage:
        for piece in range(1, 61):
            stage.run(piece / 2)
        outcomes.append(stage.outcome)
    with crowded(recorder=Keeping()) as stage:
        outcomes.append(stage.run(30.0))
    with crowded() as stage:
        outcomes.append(stage.run(30.0, on_progress=lambda _: None))

    assert whole.contacts > 30
    assert [told(outcome) for outcome in outcomes] == [told(whole)] * 3
    assert {outcome.events for outcome in outcomes} == {whole.events}


def test_a_run_ends_when_all_programs_have_ended() -> None:
    for recorder in (None, Keeping()):
        with Stage(World(), recorder=recorder, on_error="robot") as stage:
            stage.add(robot_goes, at=(0.0, 0.0))
            assert stage.run().simulated_seconds == 3.0
        with Stage(World(), recorder=recorder, on_error="robot") as stage:
            stage.add(robot_goes, at=(0.0, 0.0))
            assert stage.run(10.0).simulated_seconds == 10.0


def test_a_run_that_ends_by_itself_ends_at_its_last_event() -> None:
    """Whoever looks on, and however fast the machine is."""

    async def jitter(robot: Robot) -> None:
        for _ in range(3000):
            await robot.forward(0.0007)

    ends = []
    for recorder, pace in ((None, None), (Keeping(), None), (None, 100.0)):
        with Stage(World(), recorder=recorder, pace=pace, on_error="robot") as stage:
            stage.add(jitter, at=(0.0, 0.0))
            ends.append(stage.run().simulated_seconds)

    assert ends == [ends[0]] * 3
    assert ends[0] == pytest.approx(2.1)


def test_a_stage_without_robots_runs() -> None:
    for recorder in (None, Keeping()):
        with Stage(World(), recorder=recorder, on_error="robot") as stage:
            assert told(stage.run())[:3] == (0.0, 0, 0)
            assert stage.run(7.0).simulated_seconds == 7.0


def test_robots_can_be_added_between_two_runs_and_by_programs() -> None:
    names: list[tuple[float, str, Point]] = []

    async def child(robot: Robot, depth: int) -> None:
        names.append((now(), robot.name, robot.position))
        await robot.forward(1.0)
        if depth:
            stage.add(child, depth - 1, at=robot.position + Point(5.0, 0.0))

    with Stage(World(), on_error="robot") as stage:
        stage.add(child, 2, at=(0.0, 0.0))
        stage.run()
        stage.add(child, 0, at=(0.0, 5.0), name="late")
        outcome = stage.run()

    assert names == [
        (0.0, "robot 0", Point(0.0, 0.0)),
        (1.0, "robot 1", Point(6.0, 0.0)),
        (2.0, "robot 2", Point(12.0, 0.0)),
        (3.0, "late", Point(0.0, 5.0)),
    ]
    assert (outcome.robots, outcome.simulated_seconds) == (4, 4.0)


# Progress, recorder, pace.


def test_progress_is_told_and_never_goes_back() -> None:
    seen: list[Progress] = []

    with crowded() as stage:
        outcome = stage.run(60.0, on_progress=seen.append)

    assert seen[-1].simulated_seconds == 60.0
    assert (seen[-1].events, seen[-1].contacts) == (outcome.events, outcome.contacts)
    for before, after in itertools.pairwise(seen):
        assert before.simulated_seconds < after.simulated_seconds
        assert before.wall_seconds <= after.wall_seconds
        assert before.events <= after.events


def test_progress_is_told_even_when_a_quiet_time_comes_first() -> None:
    """Slices last as long as it takes to compute them: a long night must not make the next slice a year long."""
    seen: list[float] = []

    async def sleeper(robot: Robot) -> None:
        for _ in range(40):
            await sleep(1.0)
        for _ in range(100_000):
            await robot.forward(0.001)

    with Stage(World(), on_error="robot") as stage:
        stage.add(sleeper, at=(0.0, 0.0))
        began = time.thread_time()
        stage.run(on_progress=lambda _: seen.append(time.thread_time()))

    waits = [after - before for before, after in zip([began, *seen], seen, strict=False)]
    assert max(waits) < 0.25 + 0.25 * (seen[-1] - began)


def test_what_on_progress_raises_comes_out_and_the_run_can_go_on() -> None:
    def refuse(progress: Progress) -> None:
        raise LookupError("no screen")

    with crowded() as stage:
        with pytest.raises(LookupError, match="no screen"):
            stage.run(20.0, on_progress=refuse)
        outcome = stage.run(20.0)
    with crowded() as stage:
        assert told(stage.run(20.0)) == told(outcome)


def test_a_recorder_gets_whole_records_and_all_of_them() -> None:
    """Each part can be read by itself; together they tell of every collision."""
    recorder = Keeping()
    with crowded(recorder=recorder) as stage:
        for piece in range(1, 21):
            stage.run(piece)
        outcome = stage.outcome

    touches = 0
    for part in recorder.parts:
        touches += sum(isinstance(record, Touched) for record in JournalReader().read(part))
    assert len(recorder.parts) > 1
    assert touches == outcome.contacts > 20


def test_what_closing_does_is_no_part_of_the_run() -> None:
    """Robots that are cut when the stage is closed stop, but the run was over before."""
    recorder = Keeping()
    with Stage(World(), recorder=recorder, on_error="robot") as stage:
        stage.add(robot_goes, at=(0.0, 0.0))
        stage.run(1.0)
        before = len(recorder.parts)

    assert [*recorder.records(before)] == []


def test_a_stage_writes_a_run_file_and_a_log_by_itself(tmp_path: Path) -> None:
    record, log = tmp_path / "run.kumi", tmp_path / "run.log"
    with Stage(World(), record=record, log=str(log)) as stage:
        stage.add(robot_goes, at=(0.0, 0.0))
        outcome = stage.run(1.0)

    run = RunFile(record)
    assert run.end == 1.0
    assert run.summary is not None
    assert run.summary.trace_hash == outcome.trace_hash
    assert run.state_at(0.5)[0].pose.position == Point(0.5, 0.0)
    assert "Do_Forward" in log.read_text()


def test_a_note_of_a_program_is_in_the_journal() -> None:
    recorder = Keeping()

    async def say(robot: Robot) -> None:
        await robot.forward(1.0)
        note("half way")

    with Stage(World(), recorder=recorder) as stage:
        stage.add(say, at=(0.0, 0.0))
        stage.run()

    notes = [record for record in recorder.records() if isinstance(record, BodyNote)]
    assert [(one.time, one.body, one.text) for one in notes] == [(1.0, 0, "half way")]


def test_a_recorder_that_fails_fails_the_run() -> None:
    class Full:
        def write(self, journal: bytes) -> None:
            raise OSError("no space left")

    stage = crowded(recorder=Full())
    with pytest.raises(OSError, match="no space left"):
        stage.run(10.0)
    stage.close()


def test_a_pace_follows_the_clock_on_the_wall() -> None:
    with Stage(World(), pace=10.0, on_error="robot") as stage:
        stage.add(robot_goes, at=(0.0, 0.0))
        begun = time.monotonic()
        outcome = stage.run(4.0)
        took = time.monotonic() - begun

    assert 0.4 <= outcome.wall_seconds + 1e-3 <= took + 1e-3
    assert outcome.simulated_seconds == 4.0


def test_the_pace_changes_nothing_but_the_wall_time() -> None:
    with crowded() as stage:
        fast = stage.run(5.0)
    with crowded(pace=50.0) as stage:
        assert told(stage.run(5.0)) == told(fast)


# Lost robots.


def test_a_robot_that_falls_is_lost_and_no_error() -> None:
    recorder = Keeping()
    world = World(Map(terrain=(Hole(Circle((3.0, 0.0), 1.0), name="pit"),)))

    async def go(robot: Robot) -> None:
        await robot.forward(10.0)

    with Stage(world, on_error="run", recorder=recorder) as stage:
        stage.add(go, at=(0.0, 0.0), name="a")
        stage.add(go, at=(0.0, 5.0), name="b")
        outcome = stage.run()

    assert (outcome.lost, outcome.errors, outcome.robots) == (("a",), (), 1)
    assert outcome.simulated_seconds == 10.0
    notes = [record for record in recorder.records() if isinstance(record, BodyNote)]
    assert [(note.time, note.text) for note in notes] == [(2.0, "a is lost at (2, 0)")]


def test_a_robot_that_falls_while_steered_is_lost_at_its_next_motion() -> None:
    world = World(Map(terrain=(Hole(Circle((3.0, 0.0), 1.0)),)))

    async def go(robot: Robot) -> None:
        robot.steer(1.0)
        await sleep(5.0)
        await robot.forward(1.0)

    with Stage(world, on_error="robot") as stage:
        stage.add(go, at=(0.0, 0.0))
        outcome = stage.run()

    assert (outcome.lost, outcome.errors) == (("robot 0",), ())


def test_a_program_that_catches_lost_goes_on_without_a_body() -> None:
    world = World(Map(terrain=(Hole(Circle((3.0, 0.0), 1.0)),)))
    after: list[float] = []

    async def go(robot: Robot) -> None:
        try:
            await robot.forward(10.0)
        except KumiError:
            await sleep(5.0)
            after.append(now())

    with Stage(world, on_error="robot") as stage:
        stage.add(go, at=(0.0, 0.0))
        outcome = stage.run()

    assert (after, outcome.lost, outcome.errors) == ([7.0], ("robot 0",), ())


# Threads, and more than one.


def test_a_stage_runs_in_another_thread() -> None:
    outcomes: list[Outcome] = []

    def work() -> None:
        with crowded() as stage:
            outcomes.append(stage.run(10.0))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert told(outcomes[0]) == told(outcomes[1])


def test_two_stages_take_turns() -> None:
    with crowded() as one, crowded() as other:
        for piece in range(1, 11):
            assert told(one.run(piece)) == told(other.run(piece))


def test_a_stage_inside_a_program_of_another() -> None:
    """A program may play a simulation of its own while the time of its own run stands still."""
    inner: list[Outcome] = []

    async def plan(robot: Robot) -> None:
        await robot.forward(1.0)
        with crowded() as stage:
            inner.append(stage.run(5.0))
        await robot.forward(1.0)

    with Stage(World(), on_error="run") as stage:
        stage.add(plan, at=(0.0, 0.0))
        assert stage.run().simulated_seconds == 2.0
    with crowded() as stage:
        assert told(stage.run(5.0)) == told(inner[0])


def test_a_world_is_on_one_stage_at_a_time() -> None:
    world = World()
    with Stage(world, on_error="robot"), pytest.raises(KumiError, match="'world' is part of a run already"):
        Stage(world, on_error="robot")


def test_a_stage_cannot_be_run_or_closed_from_inside() -> None:
    words: list[str] = []

    async def meddle(robot: Robot) -> None:
        for act in (stage.run, stage.close):
            try:
                act()
            except NoRun as error:
                words.append(str(error))

    with Stage(World(), on_error="run") as stage:
        stage.add(meddle, at=(0.0, 0.0))
        stage.run()

    assert [text.split("(")[0] for text in words] == ["run", "close"]


def test_a_closed_stage_says_so() -> None:
    stage = Stage(World(), on_error="robot")
    stage.close()
    stage.close()

    with pytest.raises(NoRun, match="closed"):
        stage.run()
    with pytest.raises(NoRun, match="closed"):
        stage.add(robot_goes, at=(0.0, 0.0))
    assert stage.robots == []
    assert stage.world.bodies == ()


# Adding what cannot be.


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"at": (5.0, 5.05)},
            r"^'robot 1' cannot be at \(5, 5\.05\): it would overlap 'robot 0' by 0\.15 m$",
        ),
        (
            {"at": (0.05, 5.0)},
            r"^'robot 1' cannot be at \(0\.05, 5\): it would reach over the border of the world, ",
        ),
        (
            {"at": (50.0, 5.0)},
            r"^'robot 1' cannot be at \(50, 5\): it would reach over the border of the world, ",
        ),
        ({"at": (2.0, 2.0), "heading": float("nan")}, "^a heading is a finite number, not nan$"),
        ({"at": (2.0, 2.0), "name": ""}, "^a body's name .* not empty, but it is ''$"),
        ({"at": (2.0, 2.0), "name": "a.b"}, r"^a body's name .* dot .*, but it is 'a\.b'$"),
        ({"at": (float("inf"), 2.0)}, r"^where a body is put has finite coordinates, not \(inf, 2\.0\)$"),
    ],
)
def test_a_robot_that_cannot_be_there_is_refused(options: dict[str, Any], words: str) -> None:
    """And nothing is left of it: the next one takes its place."""
    with Stage(World(width=10.0, height=10.0), on_error="robot") as stage:
        stage.add(robot_goes, at=(5.0, 5.0))
        with pytest.raises(ValueError, match=words):
            stage.add(robot_goes, **options)
        assert (len(stage.robots), stage.world.count) == (1, 1)
        stage.run(1.0)


def test_overlap_is_an_error_of_ours() -> None:
    assert issubclass(Overlap, KumiError)
    assert issubclass(Overlap, ValueError)


def test_two_robots_of_one_name_are_refused() -> None:
    """A name stands for one robot in the log, and for its random numbers."""
    with Stage(World(), on_error="robot") as stage:
        stage.add(robot_goes, at=(0.0, 0.0), name="bob")
        with pytest.raises(ValueError, match="bob"):
            stage.add(robot_goes, at=(5.0, 0.0), name="bob")
        assert stage.world.count == 1


def test_a_refused_robot_uses_up_no_number() -> None:
    with Stage(World(), on_error="robot") as stage:
        stage.add(robot_goes, at=(0.0, 0.0))
        with pytest.raises(Overlap):
            stage.add(robot_goes, at=(0.0, 0.0))
        robot = stage.add(robot_goes, at=(5.0, 0.0))

        assert (robot.name, robot.number) == ("robot 1", 1)


def test_a_name_that_was_counted_up_is_never_taken_twice() -> None:
    """Whoever is called 'robot 1' by hand does not stop the stage from naming its second robot."""
    with Stage(World(), on_error="robot") as stage:
        stage.add(robot_goes, at=(0.0, 0.0), name="robot 1")
        stage.add(robot_goes, at=(5.0, 0.0))

        names = [robot.name for robot in stage.robots]
        assert len(set(names)) == 2


@pytest.mark.parametrize("name", ["position", "move_to", "stop", "home", "_secret", "no word"])
def test_a_sensor_whose_name_cannot_be_said_is_refused(name: str) -> None:
    """robot.position is the robot's position, so a sensor of that name could never be read."""

    class Nose:
        def attached_to(self, body: object, /) -> Any:
            return self

    with Stage(World(), on_error="robot") as stage:
        with pytest.raises(ValueError, match=name):
            stage.add(robot_goes, at=(0.0, 0.0), sensors={name: Nose()})
        assert stage.world.count == 0


@pytest.mark.parametrize("seed", [1.5, "x", None])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(TypeError, match=r"^a seed is a whole number, not "):
        Stage(World(), seed=seed, on_error="robot")


@pytest.mark.parametrize("on_error", ["nobody", "", None])
def test_on_error_is_robot_or_run(on_error: Any) -> None:
    with pytest.raises(ValueError, match='"robot" or "run"'):
        Stage(World(), on_error=on_error)


@pytest.mark.parametrize("pace", [0.0, -1.0, float("nan"), inf, "x"])
def test_a_pace_is_above_zero(pace: Any) -> None:
    with (
        pytest.raises((TypeError, ValueError), match="pace"),
        Stage(World(), pace=pace, on_error="robot") as stage,
    ):
        stage.run(1.0)


def test_what_is_no_stage_for_a_world_is_refused() -> None:
    with pytest.raises((TypeError, KumiError)):
        Stage("world", on_error="robot")  # type: ignore[arg-type]


def test_thousands_of_robots_run() -> None:
    """All at once, many contacts, no overlap."""
    count = 3000
    world = World(width=60.0, height=60.0)

    async def go(robot: Robot) -> None:
        for _ in range(2):
            with suppress(Blocked):
                await robot.move_to((robot.chance.uniform(1.0, 59.0), robot.chance.uniform(1.0, 59.0)))
            with suppress(Blocked):
                await robot.turn(1.0)

    with Stage(world, on_error="robot") as stage:
        for number in range(count):
            stage.add(go, at=(1.0 + number % 58, 1.0 + number // 58), shape=Disc(0.2))
        outcome = stage.run()

    assert (outcome.robots, outcome.errors) == (count, ())
    assert outcome.contacts > count / 2
    assert world.least_gap() > -1e-9


def test_a_run_may_be_ended_from_inside_and_go_on() -> None:
    """`end` ends it after the present instant; the next run goes on from there."""
    world = World()
    stage = Stage(world)

    async def end_twice(robot: Robot) -> None:
        for _ in range(2):
            await sleep(1.0)
            stage.end()

    with stage:
        stage.add(end_twice, at=(0, 0))
        assert stage.run().simulated_seconds == 1.0
        assert stage.run(10.0).simulated_seconds == 2.0
        assert stage.run(10.0).simulated_seconds == 10.0


def test_a_world_may_be_a_part_of_a_larger_model() -> None:
    """Notes of programs still go to the journal of the world, and to whoever hears them."""
    world, whole = World(), Coupled("whole")
    whole.add(world)
    heard: list[tuple[str, object]] = []

    async def speak(robot: Robot) -> None:
        note("here")

    with Stage(world, within=whole) as stage:
        stage.simulation.hears.append(lambda robot, value: heard.append((robot, value)))
        stage.add(speak, at=(0, 0), name="ann")
        stage.run()

    assert heard == [("ann", "here")]
    assert world.path == "whole.world"
