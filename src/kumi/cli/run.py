"""`kumi run`: a scenario, from the file to the summary."""

from __future__ import annotations

import gc
import os
import signal
from contextlib import ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, NoReturn

import click

from kumi.cli.errors import ExitCode, code_of, refusing
from kumi.cli.real_robots import pausing
from kumi.cli.report import reached, tell, tell_errors, tell_files
from kumi.cli.showing import BrowserShowing
from kumi.cli.terminal import RunBar
from kumi.devs.interrupts import Terminated
from kumi.loop.robot_processes import NotThere
from kumi.loop.showing import write_both
from kumi.recording.runfile import RunFile
from kumi.recording.video import Film, write_video
from kumi.scenario.document import ScenarioError
from kumi.scenario.output import RunOutput
from kumi.scenario.overrides import Override, read_value
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from kumi.stage.outcome import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from kumi.contract import Body
    from kumi.recording.meta import RobotGroup
    from kumi.scenario.real_side import RealSide
    from kumi.scenario.schema import Animation, NetworkTable
    from kumi.stage.outcome import Progress, Recorder
    from kumi.stage.stage import Stage
    from kumi.world import SimulatedBody

HELP = """Run a scenario: a file of yours, or one that ships with kumi.

A scenario is a TOML file that says which robots do what, where, and for how long; docs/scenarios.md has
every field, and `kumi list` shows what ships. The same seed gives the same run.

\b
Try:
  kumi run random-movement
  kumi run gathering --seed 3 --log gathering.log
  kumi run random-movement --set robots.count=1000 --until 60 --record run.kumi
  kumi run crossing-twenty --view
  kumi run hall.toml --json
  kumi run convoy-in-the-loop        two real robots among virtual ones, in real time

Ctrl-C ends the run, and what was written up to then can be read. The exit code is 1 when a program's error
ended the run or the programs of all robots failed, 2 when the scenario is wrong, 130 after Ctrl-C, and 143
after SIGTERM.
"""

INTERRUPT_GRACE = 2.0
"""Seconds that a run may take to end after the second Ctrl-C."""


@click.command(help=HELP)
@click.argument("scenario")
@click.option("--until", metavar="SECONDS", help="When to end.  [default: as in the scenario]")
@click.option("--seed", metavar="NUMBER", help="The seed of all chance.  [default: as in the scenario]")
@click.option("--log", metavar="FILE", help="Write a text log, one line an event.")
@click.option(
    "--record", metavar="FILE", help="Write a run file, for `kumi show`, `kumi video` and `kumi log`."
)
@click.option("--pace", metavar="FACTOR", help="Follow the wall clock: 1 is real time, 2 twice as fast.")
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Change a field of the scenario; repeatable.",
)
@click.option("--view", is_flag=True, help="Show the run in a browser; without a pace, in real time.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for a machine to read.")
def run(scenario: str, settings: tuple[str, ...], view: bool, as_json: bool, **options: str | None) -> int:
    """Stage the scenario, run it, and tell what came out."""
    changes: list[str | Override] = [*settings, *overrides(options)]
    if not view:
        return run_scenario(scenario, changes, as_json=as_json)

    with BrowserShowing() as showing:
        return run_scenario(scenario, in_real_time(scenario, changes), showing, as_json=as_json)


def in_real_time(scenario: str, changes: Sequence[str | Override]) -> list[str | Override]:
    """Return the changes with a pace among them: without one, a run would be over before anybody could look."""
    with refusing():
        settings = load_scenario(scenario, changes).settings
        if settings.real:
            raise ScenarioError("--view shows no runs with real robots; record one, and `kumi view` shows it")
        pace = settings.pace
    return [*changes, *([Override("pace", 1.0, "--view")] if pace is None else [])]


def run_scenario(
    scenario: str,
    changes: list[str | Override],
    showing: BrowserShowing | None = None,
    *,
    as_json: bool = False,
) -> int:
    """Stage a scenario, run it, and tell what came out; with a `showing`, also in a browser."""
    with ExitStack() as ends:
        with refusing(), building():
            staging = Staging(load_scenario(scenario, changes))
            real = staging.real_side(lambda words: click.echo(words, err=True))
            output = RunOutput(
                staging.scenario, unsaid=None if real is None else Path(f"{staging.scenario.name}.kumi")
            )
            recorders: list[Recorder] = [
                *([] if output.is_empty else [output]),
                *([showing] if showing else []),
            ]
            between = None if showing is None else showing.acting(staging).between
            recorder = Several(recorders, output.record) if recorders else None
        stage = staged(staging, recorder, between, real)
        ends.enter_context(output)
        ends.enter_context(closing(stage))
        with refusing():
            output.open(stage.world, staging.names)
        if showing is not None:
            showing.open(staging, stage)
        warn(staging.scenario.settings.network)
        ended: BaseException | None = None
        try:
            with ending_at_once(stage), nullcontext() if real is None else pausing(real.real_time):
                play(stage, staging.scenario.settings.until, showing.tell if showing else None)
        except (KeyboardInterrupt, Terminated) as signalled:
            ended = signalled
        finally:
            outcome = stage.outcome
            output.finish(outcome)
            if stage.has_begun:
                tell(staging, outcome, real, as_json=as_json)
        tell_errors(outcome)
        if output.film is not None and ended is None:
            make_film(output, staging.scenario.settings.animation)
        if not as_json:
            tell_files(output)
        if showing is not None:
            showing.finish(outcome)
    if real is not None:
        draw_both_sides(output, as_json=as_json)
    if ended is not None:
        return code_of(ended)
    have_all_failed = len({one.robot for one in outcome.errors}) >= staging.count_here
    is_broken_off = real is not None and real.is_broken_off
    return ExitCode.FAILED if have_all_failed or is_broken_off else ExitCode.DONE


def staged(
    staging: Staging,
    recorder: Recorder | None,
    between: Callable[[SimulatedBody], Body] | None,
    real: RealSide | None,
) -> Stage:
    """Return the stage with all robots on it, or say which real one is not there."""
    with refusing(), building() if real is None else nullcontext():
        try:
            return staging.stage(recorder, between, real)
        except NotThere as error:
            raise click.ClickException(f"{error}.") from error


def draw_both_sides(output: RunOutput, *, as_json: bool) -> None:
    """Draw the end of a run with real robots: the environment model, and the floor."""
    assert output.record is not None
    picture = output.record.with_suffix(".png")
    write_both(output.record, picture)
    if not as_json:
        click.echo(f"picture: {picture}")


class Several:
    """Hands the journal of a run to several who want it; one of them may write it to the run file `record`."""

    def __init__(self, recorders: Sequence[Recorder], record: Path | None) -> None:

        self.record = record

        self._recorders = recorders
        self._hosts = [host for host in map(host_of, recorders) if host is not None]

    def write(self, journal: bytes) -> None:
        """Take whole records, the next of the run."""
        for recorder in self._recorders:
            recorder.write(journal)

    def meet(self, group: RobotGroup, name: str | None) -> None:
        """Take a robot that comes."""
        for host in self._hosts:
            host.meet(group, name)


def warn(network: NetworkTable) -> None:
    """Say what of the scenario a real network does not do."""
    if network.kind in {"udp", "tcp"} and network.effects:
        click.echo(
            f"Over {network.kind} messages travel as the real network has it; network.effects are not applied.",
            err=True,
        )


def overrides(options: dict[str, str | None]) -> Iterator[Override]:
    """Return the changes that options of their own stand for."""
    paths = {"log": "output.log", "record": "output.record"}
    for name, text in options.items():
        if text is not None:
            value = text if name in paths else read_value(text)
            yield Override(paths.get(name, name), value, f"--{name} {text}")


@contextmanager
def building() -> Iterator[None]:
    """Spare the garbage collector what is built here: it stays to the end, and may be a hundred thousand robots.

    To look through them again and again would take as long as to build and run them.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def play(stage: Stage, until: float, told: Callable[[Progress], None] | None = None) -> None:
    """Run to the end, with a bar where somebody watches; also `told` hears of the progress."""
    with RunBar(until) as bar:
        if not bar.is_shown:
            stage.run(until, on_progress=told)
            return

        def show(progress: Progress) -> None:
            bar.show(progress.simulated_seconds, "simulating", reached(progress, until))
            if told is not None:
                told(progress)

        stage.run(until, on_progress=show)


@contextmanager
def ending_at_once(stage: Stage) -> Iterator[None]:
    """Let the Ctrl-C after the one that a stage takes for itself end the process, whatever programs do.

    It raises KeyboardInterrupt, but a program that never waits may catch it, or there may be many of them. The first
    one comes here, too, when the run is over.
    """

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        if stage.is_under_way:
            timer = Timer(INTERRUPT_GRACE, os._exit, (ExitCode.INTERRUPTED,))
            timer.daemon = True
            timer.start()
        signal.signal(number, signal.default_int_handler)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def make_film(output: RunOutput, animation: Animation) -> None:
    """Make the video that the scenario asks for."""
    assert output.run_file is not None
    assert output.film is not None
    run_file = RunFile(output.run_file)
    film = Film(
        start=run_file.start,
        end=run_file.end,
        fps=animation.frame_rate,
        speed=animation.speed,
        size=(animation.width, animation.height),
    )
    with RunBar(1.0) as bar, closing(write_video(run_file, output.film, film)) as work:
        for share in work:
            bar.show(share, "drawing")
