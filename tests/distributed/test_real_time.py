"""Parts in real time: each by its own clock, values with their times, late ones counted."""

from __future__ import annotations

import math

import pytest

from kumi.distributed import DistributedError, run_distributed
from tests.distributed.test_failures import PARTS, Player, game


def balls(model: Player) -> int:
    """Collect how often a player got the ball."""
    return model.balls


@pytest.mark.slow
def test_with_a_transit_values_arrive_that_long_after_they_are_sent() -> None:
    """Ping sends at 1, 4 ... 19 s, pong at 2.5, 5.5 ... 20.5 s: 0.5 s on the way, 1 s with a player; the last is under way.

    At pace 10 the transit is 50 ms of wall time; balls that came later than that would move the others.
    """
    run = run_distributed(
        game, PARTS, until=20.9, pace=10.0, transit=0.5, collect=balls, arguments={"wait": 1.0}
    )

    if all(kept.late(1e-6) == 0 for kept in run.kept.values()):  # a busy machine may be late, and says so
        assert run.values == {"table.ping": 6, "table.pong": 7}
        assert [sum(count for _, count in kept.arrivals) for kept in run.kept.values()] == [7, 7]
    assert run.time == 20.9


def test_the_clocks_of_processes_of_one_machine_agree() -> None:
    """They are one clock, so what is estimated is far below a millisecond, or a busy machine's few."""
    run = run_distributed(game, PARTS, until=1.0, pace=10.0)

    assert all(abs(kept.offset) < 0.02 for kept in run.kept.values())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"pace": 1.0}, "needs an end"),
        ({"pace": 0.0, "until": 1.0}, "a pace is a positive number"),
        ({"transit": -1.0}, "a transit is a number of seconds >= 0"),
        ({"until": math.nan}, "a run goes until a time >= 0"),
        ({"remote": ["middle"]}, "the remote part 'middle' is no part; there are: left, right"),
    ],
)
def test_what_makes_no_sense_is_refused_before_a_process_is_started(
    options: dict[str, float], why: str
) -> None:
    with pytest.raises(DistributedError, match=why):
        run_distributed(game, PARTS, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("pace", [None, 100.0])
def test_progress_is_told_in_simulated_seconds(pace: float | None) -> None:
    """It begins at or after zero and does not go back."""
    told: list[float] = []
    run_distributed(game, PARTS, until=50.0, pace=pace, on_progress=told.append)

    assert told == sorted(told)
    assert told[0] >= 0.0
