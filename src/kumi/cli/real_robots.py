"""What does a person, or a machine, learn of the real robots of a run, and how is such a run paused?"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from types import FrameType

    from kumi.loop.outcome import LostRobot, RealOutcome
    from kumi.loop.real_time import RealTime


@contextmanager
def pausing(real_time: RealTime) -> Iterator[None]:
    """Let Ctrl-Z stop all motors before the process is stopped, and the run go on when it does."""

    def pause(_number: int, _frame: FrameType | None) -> None:
        real_time.pause(then=suspend)

    def suspend() -> None:
        click.echo("paused: all motors are stopped; `fg` goes on", err=True)
        os.kill(os.getpid(), signal.SIGSTOP)
        real_time.resume()

    before = signal.signal(signal.SIGTSTP, pause)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


def record_of(one: RealOutcome) -> dict[str, Any]:
    """Return what `--json` prints of a real robot."""
    return {
        "robot": one.number,
        "name": one.name,
        "port": one.port,
        "is_there": one.is_there,
        "drift_cm": one.drift,
        "last_drift_cm": one.last_drift,
        "reckoned_drift_cm": one.reckoned_drift,
        "last_reckoned_drift_cm": one.last_reckoned_drift,
        "overlaps": one.overlaps,
        "other_speeds": list(one.other_speeds),
        "readings": {
            name: {"count": found.count, "real_minus_virtual_cm": found.mean}
            for name, found in one.readings.items()
        },
        "clock": None
        if one.clock is None
        else {
            "offset": one.clock.offset,
            "offset_error": one.clock.offset_error + one.clock.doubt,
            "rate": one.clock.rate,
            "rate_error": one.clock.rate_error,
        },
    }


def losses_of(losses: Iterable[LostRobot]) -> list[dict[str, Any]]:
    """Return what `--json` prints of robots that disappeared."""
    return [{"robot": one.number, "name": one.name, "time": one.time, "reason": one.reason} for one in losses]


def words_of(one: RealOutcome) -> Iterator[str]:
    """Say what a run showed of a real robot."""
    yield f"at {one.port}" + ("" if one.is_there else ", gone")
    if one.reckoned_drift is not None:
        reckoned = f"{one.reckoned_drift:.1f} cm and {one.last_reckoned_drift:.1f} cm"
        if one.drift is None:
            yield f"it was {reckoned} from where it believed to be, on the mean and at the end"
        else:
            counterpart = f"{one.drift:.1f} cm off on the mean and {one.last_drift:.1f} cm at the end"
            yield f"its counterpart was {counterpart}; by reckoning alone {reckoned}"
    if one.overlaps:
        yield f"it was in something virtual at {one.overlaps:,} looks, and its counterpart stayed outside"
    yield from one.other_speeds
    for name, found in one.readings.items():
        yield f"its {name} read {found.mean:+.1f} cm more than a virtual one, on the mean of {found.count:,}"
    if one.clock is not None:
        clock = one.clock
        error = 1000.0 * (clock.offset_error + clock.doubt)
        yield (
            f"its clock is {clock.offset:+.4f} s ± {error:.1f} ms off and gains "
            f"{1e6 * (clock.rate - 1.0):+.0f} ± {1e6 * clock.rate_error:.0f} millionths"
        )
