"""`kumi run` of a scenario with real robots: processes are started, both sides are shown, and all end cleanly."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import ExitCode, refusing
from kumi.cli.lateness import lateness_of, lateness_text

if TYPE_CHECKING:
    from types import FrameType

    from kumi.experiment.loop.outcome import LoopOutcome, RealOutcome
    from kumi.experiment.loop.running import LoopRun
    from kumi.experiment.loop.scenario import LoopScenario
    from kumi.experiment.overrides import Override

EVERY = 1.0
"""Seconds of the run between two lines of progress."""


def run_loop(which: Path, changes: Sequence[str | Override], *, as_json: bool) -> int:
    """Run a scenario with real robots, tell what came out, and return the exit code."""
    from kumi.experiment.loop.fleet import NotThere
    from kumi.experiment.loop.running import LoopRun
    from kumi.experiment.loop.scenario import load_loop
    from kumi.experiment.loop.showing import write_both

    with refusing():
        scenario = load_loop(which, changes)
    record = scenario.record or Path(f"{scenario.name}.kumi")
    progress = None if as_json or not sys.stderr.isatty() else Progress(scenario.plan.convoy.steps)
    run = LoopRun(
        scenario.plan,
        scenario.seed,
        record=record,
        say=lambda words: click.echo(words, err=True),
        on_progress=progress,
    )
    try:
        with pausing(run):
            outcome = run.run()
    except NotThere as error:
        raise click.ClickException(f"{error}.") from error
    picture = record.with_suffix(".png")
    write_both(record, picture)
    if as_json:
        click.echo(json.dumps(record_of(scenario, outcome)))
    else:
        show(scenario, outcome)
        click.echo(f"run file: {record}\npicture: {picture}")
    if outcome.is_interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.FAILED if outcome.is_broken_off else ExitCode.DONE


@contextmanager
def pausing(run: LoopRun) -> Iterator[None]:
    """Let Ctrl-Z stop all motors before the process is stopped, and the run go on when it does."""

    def pause(_number: int, _frame: FrameType | None) -> None:
        run.pause(then=suspend)

    def suspend() -> None:
        click.echo("paused: all motors are stopped; `fg` goes on", err=True)
        os.kill(os.getpid(), signal.SIGSTOP)
        run.resume()

    before = signal.signal(signal.SIGTSTP, pause)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


class Progress:
    """Tells once a second how far the run is."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._told = -EVERY

    def __call__(self, run: LoopRun) -> None:
        """Tell the time, the leader's steps, and where real robots and counterparts are."""
        time = run.simulation.now - run.begin
        if time - self._told < EVERY:
            return
        self._told = time
        places = []
        for number, one in sorted(run.real.items()):
            truth = None if run.fleet is None else run.fleet.truth(number)
            if truth is not None and one.counterpart is not None:
                off = 100.0 * truth.position.distance_to(one.counterpart.twin.position)
                at = truth.position
                places.append(f"robot {number} at ({at.x:.2f}, {at.y:.2f}), counterpart {off:.1f} cm off")
        click.echo(
            f"{time:6.1f} s  step {run.convoy.leader.steps} of {self._steps}  {'; '.join(places)}", err=True
        )


def record_of(scenario: LoopScenario, outcome: LoopOutcome) -> dict[str, Any]:
    """Return what `--json` prints."""
    return {
        "scenario": scenario.name,
        "seed": scenario.seed,
        "end": outcome.end,
        "simulated_seconds": outcome.time,
        "steps": outcome.steps,
        "error_cm": outcome.error,
        "largest_error_cm": outcome.largest_error,
        "speed": outcome.speed,
        "adjustments": outcome.adjustments,
        "times_lost": outcome.times_lost,
        "avoided": outcome.avoided,
        "interrupted": outcome.is_interrupted,
        "robots": scenario.plan.convoy.robots,
        "real": [
            {
                "robot": one.number,
                "port": one.port,
                "is_there": one.is_there,
                "drift_cm": one.drift,
                "last_drift_cm": one.last_drift,
                "reckoned_drift_cm": one.reckoned_drift,
                "last_reckoned_drift_cm": one.last_reckoned_drift,
                "overlaps": one.overlaps,
                "clock": None
                if one.clock is None
                else {
                    "offset": one.clock.offset,
                    "offset_error": one.clock.offset_error + one.clock.doubt,
                    "rate": one.clock.rate,
                    "rate_error": one.clock.rate_error,
                },
            }
            for one in outcome.real
        ],
        "losses": [{"robot": one.number, "time": one.time, "reason": one.reason} for one in outcome.losses],
        "lateness": lateness_of(outcome.lateness),
        "trace_hash": outcome.trace_hash,
    }


def show(scenario: LoopScenario, outcome: LoopOutcome) -> None:
    """Print a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=scenario.title or scenario.name, show_header=False)
    table.add_column("")
    table.add_column("")
    real = ", ".join(str(one.number) for one in outcome.real)
    rows = [
        ("robots", f"{scenario.plan.convoy.robots}" + (f", of which {real} are real" if real else "")),
        ("ran", f"{outcome.time:.1f} s, {outcome.steps} steps of the leader: {outcome.end}"),
        (
            "error",
            f"{outcome.error:.1f} cm on the mean of team and time, at most {outcome.largest_error:.1f} cm",
        ),
        ("speed", f"{outcome.speed:.3f} m/s"),
        ("adjustments", f"{outcome.adjustments:.2f} a step; lost {outcome.times_lost} times"),
    ]
    for one in outcome.real:
        rows += [(f"robot {one.number}", words) for words in words_of(one)]
    if outcome.lateness.count:
        rows.append(("lateness", lateness_text(outcome.lateness)))
    rows += [("seed", str(scenario.seed)), ("trace hash", outcome.trace_hash)]
    for label, value in rows:
        table.add_row(label, value)
    Console().print(table)


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
    if one.clock is not None:
        clock = one.clock
        error = 1000.0 * (clock.offset_error + clock.doubt)
        yield (
            f"its clock is {clock.offset:+.4f} s ± {error:.1f} ms off and gains "
            f"{1e6 * (clock.rate - 1.0):+.0f} ± {1e6 * clock.rate_error:.0f} millionths"
        )
