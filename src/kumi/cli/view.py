"""`kumi view`: a run in a browser, live or from a file."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from kumi.cli.errors import ExitCode, refusing
from kumi.cli.options import PlaceType
from kumi.cli.run import in_real_time, overrides, run_scenario
from kumi.cli.show import RunPath
from kumi.cli.showing import BrowserShowing
from kumi.recording.chunks import SIGNATURE
from kumi.scenario.overrides import Override
from kumi.study.results import Results

SHIPPED = "swarm-leader"
"""The simulation that a newcomer sees."""
DAY = 86400.0
"""Seconds of the run for which it goes on."""


@click.command()
@click.argument("what", required=False)
@click.option(
    "--listen",
    default="127.0.0.1:0",
    show_default=True,
    metavar="HOST:PORT",
    help="Where the page is; port 0 takes a free one.",
)
@click.option("--no-open", is_flag=True, help="Only say where the page is; open no browser.")
@click.option("--pace", metavar="FACTOR", help="How fast a simulation runs: 1 is real time.")
def view(what: str | None, listen: str, no_open: bool, pace: str | None) -> int:
    """Show a run in a browser: a run file, or a scenario, which runs while you look.

    A folder of results of `kumi study` is shown as tables and plots; click a point or a row, and that run replays.
    Without a name a simulation that ships is shown. Ctrl-C ends it.

    \b
    Try:
      kumi view
      kumi view random-movement --pace 5
      kumi view run.kumi
      kumi view gathering.results
    """
    host, port = PlaceType().convert(listen, None, click.get_current_context())
    with BrowserShowing(host.strip("[]"), port, opens=not no_open, guides=what is None) as showing:
        if what is not None and (Path(what).suffix == ".kumi" or is_run_file(Path(what))):
            return view_file(what, showing)
        if what is not None and Path(what, "study.json").is_file():
            return view_study(what, showing)
        scenario = what or SHIPPED
        changes = [*overrides({"pace": pace or (None if what else "5")}), *([] if what else endless())]
        return run_scenario(scenario, in_real_time(scenario, changes), showing)


def endless() -> list[str | Override]:
    """Return what lets the simulation for newcomers go on for as long as anybody looks."""
    return [Override(path, DAY, "kumi view") for path in ("until", "robots.parameters.wander")]


def view_file(path: str, showing: BrowserShowing) -> int:
    """Show a run file until Ctrl-C."""
    from kumi.view import RecordedFeed

    run = RunPath().convert(path, None, click.get_current_context())
    showing.serve(RecordedFeed(run))
    showing.wait()
    return ExitCode.DONE


def view_study(folder: str, showing: BrowserShowing) -> int:
    """Show the results of a study until Ctrl-C."""
    from kumi.view import StudyPages

    with refusing():
        pages = StudyPages(Results.read(folder))
    with closing(pages):
        showing.serve(pages)
        showing.wait()
    return ExitCode.DONE


def is_run_file(path: Path) -> bool:
    """Tell whether a file begins as a run file does, whatever its name."""
    try:
        with path.open("rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False
