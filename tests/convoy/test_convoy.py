"""The whole convoy in a world: laws with numbers from arithmetic, and what noise does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kumi.convoy import ConvoyRun, Setup, run_convoy
from kumi.convoy.program import ConvoyRules
from kumi.recording import RunFile
from tests.convoy.played import watch


def quiet(robots: int, steps: int, side: float = 20.0) -> Setup:
    """Return a convoy without noise; with steps of 0.3 m at 0.3 m/s, one motion takes a second."""
    return Setup(robots=robots, steps=steps, dnf=0.0, anf=0.0, speed=0.3, field_side=side)


@pytest.mark.parametrize("robots", [2, 5, 10])
def test_without_noise_on_a_straight_course_the_mean_error_is_half_a_step(robots: int) -> None:
    """A robot is a whole step behind while it moves, and in its place while its front robot does.

    Only the leader has no error, so the mean over N robots is (N - 1) / N of half a step: it rises with N.
    """
    measured = run_convoy(quiet(robots, 20))

    assert measured.error == pytest.approx((robots - 1) / robots * 15.0)
    assert measured.adjustments == 0.0
    assert measured.avoided == 0
    assert measured.largest_error == pytest.approx(30.0)


def test_without_noise_the_leader_waits_half_of_the_time() -> None:
    """20 motions of a second, and between them 19 waits of a second for the robot behind."""
    measured = run_convoy(quiet(4, 20))

    assert measured.time == pytest.approx(39.0)
    assert measured.speed == pytest.approx(20 * 0.3 / 39.0)


def test_nobody_moves_while_a_neighbour_does_and_each_only_after_its_front() -> None:
    run = ConvoyRun(Setup(robots=5, steps=12, field_side=20.0), seed=3)
    log: list[tuple[int, str]] = []

    def writer(number: int, word: str) -> Callable[..., None]:
        return lambda *_: log.append((number, word))

    for number, robot in enumerate(run.convoy.robots):
        watch(robot, writer(number, "begins"), writer(number, "ends"))
        robot.to_back.watch(writer(number, "informs"))
    run.run()

    moving: set[int] = set()
    steps = [0] * 5
    for number, word in log:
        if word == "begins":
            assert not moving & {number - 1, number + 1}
            assert number == 0 or steps[number] == steps[number - 1] - 1
            assert number == 4 or steps[number] == steps[number + 1]
            moving.add(number)
        elif word == "ends":
            moving.discard(number)
        else:
            steps[number] += 1
            if number == 3:
                steps[4] = steps[3] - 1  # the last one tells nobody behind it
    assert steps[0] == 12


def test_the_same_seed_gives_the_same_trace() -> None:
    setup = Setup(robots=5, steps=20)

    one, same, other = (run_convoy(setup, seed) for seed in (1, 1, 2))

    assert one == same
    assert one.trace_hash != other.trace_hash


def test_a_recorded_convoy_is_the_same_run_and_shows_where_everybody_was(tmp_path: Path) -> None:
    path = tmp_path / "convoy.kumi"

    recorded = run_convoy(quiet(3, 10), seed=1, record=path)

    assert recorded == run_convoy(quiet(3, 10), seed=1)
    states = RunFile(path).state_at(recorded.time)
    assert [RunFile(path).meta.robots[number] for number in range(3)] == ["robot 1", "robot 2", "robot 3"]
    places = [state.pose.position.x for state in states]
    assert places == pytest.approx([2.0 + 10 * 0.3, 1.5 + 9 * 0.3, 1.0 + 9 * 0.3])


def test_the_leader_turns_before_the_walls_and_the_line_follows() -> None:
    """Without noise nobody touches anything in a field that the leader crosses several times."""
    run = ConvoyRun(quiet(5, 200, 6.0))

    measured = run.run()

    assert measured.broke_up_at is None
    assert measured.steps == 200
    assert run.convoy.world.contact_count == 0


def test_noise_makes_errors_and_adjustments_and_the_convoy_holds() -> None:
    measured = run_convoy(Setup(robots=10, steps=100), seed=1)

    assert measured.broke_up_at is None
    assert measured.adjustments > 0.05
    assert measured.error is not None
    assert measured.error > 13.5, "half a step, and more by noise"


def test_who_only_adds_up_what_was_commanded_adjusts_more_than_who_learns() -> None:
    """The paper's formula (3) does not see what noise turns."""
    paper, learner = (
        run_convoy(Setup(robots=5, steps=150, rules=ConvoyRules(step=0.1, learning=share)), seed=1)
        for share in (0.0, 0.3)
    )

    assert paper.adjustments > 1.5 * learner.adjustments


def test_long_steps_with_much_noise_break_the_convoy_up_and_the_run_ends_there() -> None:
    setup = Setup(robots=10, steps=1000, dnf=0.5, anf=0.5, rules=ConvoyRules(step=0.6, learning=0.0))

    measured = run_convoy(setup, seed=1)

    assert measured.broke_up_at == measured.time
    assert measured.steps < 1000
    assert measured.largest_error > 300.0


def test_errors_change_when_motions_end_and_their_mean_counts_the_time_between() -> None:
    run = ConvoyRun(quiet(2, 3))
    seen: list[tuple[float, float]] = []

    def look(_: bool) -> None:
        seen.append((run.simulation.now, round(run.errors.mean, 9)))

    for robot in run.convoy.robots:
        watch(robot, ended=look)
    measured = run.run()

    assert seen[:4] == [(1.0, 0.15), (2.0, 0.0), (3.0, 0.15), (4.0, 0.0)]
    assert measured.whole_error == pytest.approx(100.0 * 2 * 0.15 / 5.0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"robots": 1}, "a convoy has 2 robots or more, not 1"),
        ({"steps": 0}, "the leader of a convoy goes 1 step or more, not 0"),
        ({"rules": ConvoyRules(desired=0.9)}, "is 0.7 m ahead, and infrared reaches 0.6 m"),
        ({"field_side": 5.0}, "a line of 30 robots is 14.5 m long and does not fit"),
        ({"break_up": 1.2}, "may be 1.3 m from its place, so a convoy cannot break up at 1.2 m"),
        ({"message_loss": 1.5}, "message_loss of a convoy is a chance from 0 to 1, not 1.5"),
        ({"speed": 0.0}, "speed of a convoy is a finite number above 0, not 0.0"),
    ],
)
def test_a_setup_that_cannot_be_right_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Setup(**wrong)  # type: ignore[arg-type]
