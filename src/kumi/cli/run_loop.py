"""`kumi run` of a convoy with real robots: processes are started, both sides are shown, and all end cleanly."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import ExitCode, code_of, refusing
from kumi.cli.lateness import lateness_of, lateness_text
from kumi.cli.real_robots import losses_of, pausing, places, record_of, words_of
from kumi.devs.interrupts import Terminated

if TYPE_CHECKING:
    from kumi.convoy.loop.outcome import LoopOutcome
    from kumi.convoy.loop.running import LoopRun
    from kumi.convoy.loop.scenario import LoopScenario
    from kumi.scenario.overrides import Override

EVERY = 1.0
"""Seconds of the run between two lines of progress."""


def run_loop(which: Path, changes: Sequence[str | Override], *, as_json: bool) -> int:
    """Run a convoy with real robots, tell what came out, and return the exit code."""
    from kumi.convoy.loop.running import LoopRun
    from kumi.convoy.loop.scenario import load_loop
    from kumi.loop.robot_processes import NotThere
    from kumi.loop.showing import write_both

    with refusing():
        scenario = load_loop(which, changes)
    run_file = scenario.record or Path(f"{scenario.name}.kumi")
    progress = None if as_json or not sys.stderr.isatty() else Progress(scenario.plan.convoy.steps)
    run = LoopRun(
        scenario.plan,
        scenario.seed,
        record=run_file,
        say=lambda words: click.echo(words, err=True),
        on_progress=progress,
    )
    ended: BaseException | None = None
    try:
        with pausing(run.real_time):
            run.run()
    except NotThere as error:
        raise click.ClickException(f"{error}.") from error
    except (KeyboardInterrupt, Terminated) as signalled:
        if run.outcome is None:
            raise
        ended = signalled
    outcome = run.outcome
    assert outcome is not None
    picture = run_file.with_suffix(".png")
    write_both(run_file, picture)
    if as_json:
        click.echo(json.dumps(record(scenario, outcome)))
    else:
        show(scenario, outcome)
        click.echo(f"run file: {run_file}\npicture: {picture}")
    if ended is not None:
        return code_of(ended)
    return ExitCode.FAILED if outcome.is_broken_off else ExitCode.DONE


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
        words = "; ".join(places(run.crew))
        click.echo(f"{time:6.1f} s  step {run.convoy.leader.steps} of {self._steps}  {words}", err=True)


def record(scenario: LoopScenario, outcome: LoopOutcome) -> dict[str, Any]:
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
        "real": [record_of(one) for one in outcome.real],
        "losses": losses_of(outcome.losses),
        "lateness": lateness_of(outcome.lateness),
        "trace_hash": outcome.trace_hash,
    }


def show(scenario: LoopScenario, outcome: LoopOutcome) -> None:
    """Print a table."""
    from kumi.cli.terminal import table

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
    click.echo(table(rows, title=scenario.title or scenario.name))
