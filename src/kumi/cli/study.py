"""`kumi study`: many runs, from the file to the table."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import ExitCode, code_of, refusing
from kumi.cli.options import AtLeast
from kumi.cli.study_progress import StudyProgress
from kumi.cli.study_report import tell_again as tell
from kumi.devs.extras import need
from kumi.devs.interrupts import Terminated
from kumi.study.errors import FolderError, StudyError
from kumi.study.executors import workers_on
from kumi.study.files import Changes, load_study
from kumi.study.record import RECORD_FILE
from kumi.study.rerun import run_again, study_again
from kumi.study.results import Results
from kumi.study.study import StudySession, clear, conduct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.study.study import Study

HELP = """Run an experiment or a scenario for many values and seeds, and keep what comes out.

WHAT is a study: a TOML file of yours, or one that ships. It may also be a folder of results, which is gone on with.
docs/studies.md tells how to write one. Runs that are done are never done again: a study that was ended by Ctrl-C, a
crash or kill -9 goes on where it was with the same command.

\b
Try:
  kumi study gathering --quick
  kumi study coverage.toml --workers 4
  kumi study coverage.toml --on dask=tcp://10.0.0.1:8786
  kumi study coverage.results --row 17      run one row anew, and compare
  kumi study coverage.toml --set robots=5 -o five.results

The folder gets runs.jsonl, one line a run as it finishes; results.parquet, the table; and study.json, with all that
the runs have in common. The exit code is 1 when the study could not go on, 2 when it makes no sense, 130 after Ctrl-C,
and 143 after SIGTERM.
"""


@click.command(help=HELP)
@click.argument("what")
@click.option("-o", "--out", metavar="FOLDER", help="Where results go.  [default: NAME.results]")
@click.option(
    "--on",
    default="local",
    help="Who does the runs: local, dask, dask=ADDRESS, dask=slurm, ray, ray=ADDRESS.",
)
@click.option("--workers", type=AtLeast(1), help="How many runs at once.  [default: one a core]")
@click.option("--seeds", type=AtLeast(1), help="How many seeds, from 0 on.  [default: as in the study]")
@click.option("--set", "settings", metavar="KEY=VALUE", multiple=True, help="Change a parameter; repeatable.")
@click.option("--quick", is_flag=True, help="Take the values of [quick]: a look that takes minutes.")
@click.option("--row", type=AtLeast(0), help="Run one row of a results folder anew, and compare.")
@click.option("--record", metavar="FILE", help="With --row: write a run file, for `kumi view`.")
@click.option("--fresh", is_flag=True, help="Forget the results that are in the folder.")
@click.option("--again", is_flag=True, help="Do runs again that failed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for a machine to read.")
def study(
    what: str, out: str | None, row: int | None, record: str | None, as_json: bool, **options: Any
) -> int:
    """Read the study, do what is left of it, and tell what came out."""
    with refusing():
        need("study", "polars")
        if row is not None:
            return tell_again(what, row, Path(record) if record else None, as_json=as_json)
        if record is not None:
            raise click.UsageError("--record writes the run of one row: name it with --row.")
        session = opened(what, out, **options)
    return conducted(session, options["on"], options["workers"], as_json=as_json)


def opened(
    what: str,
    out: str | None,
    *,
    settings: tuple[str, ...],
    seeds: int | None,
    quick: bool,
    fresh: bool,
    again: bool,
    **_others: Any,
) -> StudySession:
    """Return the study, ready to go on in its folder."""
    found: Study
    if Path(what, RECORD_FILE).is_file():
        if settings or seeds or quick or fresh or out:
            raise StudyError(
                f"{what} is a results folder, which goes on as it began; only a study file can be changed"
            )
        found, folder = study_again(Results.read(what)), Path(what)
    else:
        found = load_study(what, Changes(settings, seeds, quick))
        folder = Path(out or f"{found.name}.results")
    if fresh:
        clear(folder)
    return StudySession(found, folder, again=again)


def conducted(session: StudySession, on: str, workers: int | None, *, as_json: bool) -> int:
    """Do the runs that are left, with progress where somebody watches, and tell what came out."""
    from kumi.cli.study_report import record, show

    watching = StudyProgress(session, on)
    code = ExitCode.DONE
    try:
        with watching:
            conduct(session, partial(watching.begins, partial(workers_on, on, workers)), watching.told)
    except (KeyboardInterrupt, Terminated) as ended:
        if not session.has_begun:
            raise
        code = code_of(ended)
    except (StudyError, FolderError):
        with refusing():
            raise
    results = session.results
    pictures = drawn(session, results)
    if as_json:
        click.echo(json.dumps({**record(results, session), "pictures": [str(path) for path in pictures]}))
    else:
        show(results, session)
        for path in pictures:
            click.echo(f"picture: {path}")
    return code


def drawn(session: StudySession, results: Results) -> Sequence[Path]:
    """Draw what came out of a study that is complete."""
    if not session.is_complete or session.folder is None:
        return ()
    with refusing():
        return session.study.subject.pictures(results, session.folder)


def tell_again(what: str, row: int, record: Path | None, *, as_json: bool) -> int:
    """Run one row anew, into a run file where one is named, and tell whether it came out the same."""
    again = run_again(Results.read(what), row, record)
    tell(again, as_json=as_json)
    return ExitCode.DONE if again.is_same else ExitCode.FAILED
