"""`kumi check`: a search for faults under which a protocol breaks its promise."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.checking.cases import shipped_cases
from kumi.checking.faults import KINDS
from kumi.checking.lookup import find_case
from kumi.checking.record import record
from kumi.checking.search import SearchQuestion, check_question, search
from kumi.checking.shrink import shrink
from kumi.cli.check_portable import changes, check_portable, refuse_strangers
from kumi.cli.errors import BadInput, ExitCode, explain
from kumi.cli.terminal import RunBar, table
from kumi.devs.errors import KumiError

if TYPE_CHECKING:
    from kumi.checking.case import Case
    from kumi.checking.search import Found
    from kumi.checking.shrink import Smallest

HELP = """Search for faults under which a protocol breaks its promise; or see whether a run is the same everywhere.

Each run has a seed, from which a schedule of faults is drawn: a random half of the kinds that the protocol
can bear. The lowest seed that fails is told with what happened, and the faults are shrunk to the fewest that
still make it fail; that run is written to a file.

PROTOCOL is a name that `kumi check --list` shows, or a case of your own as module:name or file.py:name.

\b
Try:
  kumi check --list
  kumi check causal-broadcast --nodes 5 --runs 10000 --faults crash,loss,partition
  kumi check perfect-links --mutant sends-once
  kumi check --portable convoy --until 60
  kumi check --portable my_program.py

With --portable it runs a scenario, or a Python script that runs a Stage or a Simulation, in several processes: twice
plain, with what the C library and numpy choose by the processor switched off, and with another order of hashes. Where
they differ it says at which time, who did what, and the likely cause.

The exit code is 0 when all promises were kept or all processes did the same, 1 when not, and 2 when the question
makes no sense.
"""


@click.command(help=HELP)
@click.argument("protocol", required=False)
@click.option("--portable", is_flag=True, help="See whether a scenario or a script is the same everywhere.")
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Change a field of the scenario; repeatable.",
)
@click.option("--until", metavar="SECONDS", help="When a scenario is to end.")
@click.option("--list", "lists", is_flag=True, help="Show the protocols, their faults and planted bugs.")
@click.option("--nodes", metavar="NUMBER", help="How many nodes.  [default: as in the case]")
@click.option("--runs", metavar="NUMBER", default="1000", show_default=True, help="How many seeds to try.")
@click.option("--seed", metavar="NUMBER", default="0", show_default=True, help="The first seed.")
@click.option("--faults", metavar="KINDS", help="Kinds of fault, with commas.  [default: all it can bear]")
@click.option("--mutant", metavar="NAME", help="Try a planted bug in place of the protocol.")
@click.option("--beyond", is_flag=True, help="Crash one node more than it can bear; judge safety alone.")
@click.option("--jobs", metavar="NUMBER", help="How many processes.  [default: one a core]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for a machine to read.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Run file of what fails.  [default: PROTOCOL-SEED.kumi]",
)
def check(protocol: str | None, lists: bool, as_json: bool, output: Path | None, **options: Any) -> int:
    """Search, and tell what came out."""
    if lists:
        show_cases(as_json)
        return ExitCode.DONE
    is_portable = options["portable"]
    refuse_strangers(is_portable=is_portable)
    if protocol is None:
        what = "scenario or script" if is_portable else "PROTOCOL"
        raise click.UsageError(f"say which {what} to check; `kumi check --list` shows protocols.")
    if is_portable:
        jobs = number(options["jobs"], "--jobs", 1) if options["jobs"] else cores()
        return check_portable(protocol, changes(options), jobs, as_json=as_json)
    try:
        question = ask(protocol, options)
        runs, seed = number(options["runs"], "--runs", 1), number(options["seed"], "--seed", 0)
        jobs = number(options["jobs"], "--jobs", 1) if options["jobs"] else cores()
        check_question(question, runs)
    except KumiError as error:
        raise BadInput(explain(error).removeprefix("Error: ")) from error
    found = watch(question, runs, seed, jobs)
    smallest = path = None
    if found.failed is not None:
        smallest = make_small(question, found.failed)
        path = output or Path(f"{question.case.name}-{found.failed}.kumi")
        write(smallest, path)
    if as_json:
        click.echo(json.dumps(as_record(found, seed, smallest, path)))
    else:
        tell(found, smallest, path)
    return ExitCode.DONE if smallest is None else ExitCode.FAILED


def ask(protocol: str, options: dict[str, Any]) -> SearchQuestion:
    """Make the question from what was typed."""
    case = find_case(protocol)
    faults: str | None = options["faults"]
    return SearchQuestion(
        protocol,
        case.nodes if options["nodes"] is None else number(options["nodes"], "--nodes", case.fewest),
        kinds=None if faults is None else tuple(kind.strip() for kind in faults.split(",") if kind.strip()),
        mutant=options["mutant"],
        beyond=options["beyond"],
    )


def number(text: str, option: str, least: int) -> int:
    """Read a whole number that is large enough, or say what is allowed."""
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise BadInput(f"{option} takes a whole number of at least {least}, not {text!r}.")
    return value


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def watch(question: SearchQuestion, runs: int, seed: int, jobs: int) -> Found:
    """Search, with a bar where somebody watches."""
    with RunBar(runs) as bar:

        def show(done: int, seconds: float) -> None:
            said = f"{done:,} of {runs:,} runs, {done / max(seconds, 1e-9):,.0f} a second"
            bar.show(done, "checking", said)

        return search(question, runs=runs, seed=seed, jobs=jobs, on_progress=show)


def make_small(question: SearchQuestion, seed: int) -> Smallest:
    """Shrink a run that fails, and say so where somebody watches."""
    with RunBar(None) as bar:
        bar.show(0, f"seed {seed} fails; looking for the fewest faults that do it")
        return shrink(question, seed)


def write(smallest: Smallest, path: Path) -> None:
    """Write the smallest run that fails to a file."""
    record(smallest.trial(), path)


def again(found: Found) -> str:
    """Return the command that repeats the run that failed."""
    question = found.question
    words = [
        "kumi check",
        str(question.protocol),
        f"--nodes {question.nodes}",
        f"--seed {found.failed}",
        "--runs 1",
    ]
    words += [f"--faults {','.join(question.kinds)}"] if question.kinds is not None else []
    words += [f"--mutant {question.mutant}"] if question.mutant else []
    words += ["--beyond"] if question.beyond else []
    return " ".join(words)


def as_record(found: Found, seed: int, smallest: Smallest | None, path: Path | None) -> dict[str, Any]:
    """Return what `--json` prints."""
    coverage = found.coverage
    told: dict[str, Any] = {
        "protocol": found.question.protocol,
        "nodes": found.question.nodes,
        "runs": coverage.runs,
        "violations": found.violations,
        "faults_injected": sum(found.faults_injected.values()),
        "faults_by_kind": found.faults_injected,
        "seconds": round(found.seconds, 3),
        "first_seed": seed,
        "mutant": found.question.mutant,
        "beyond": found.question.beyond,
        "distinct_schedules": len(coverage.digests),
        "messages": coverage.messages,
    }
    if smallest is not None:
        violation = smallest.verdict.violation
        assert violation is not None
        told |= {
            "seed": found.failed,
            "rule": violation.rule,
            "story": violation.story,
            "smallest_nodes": smallest.nodes,
            "schedule": [str(fault) for fault in smallest.schedule],
            "run_file": str(path),
            "again": again(found),
        }
    return told


def tell(found: Found, smallest: Smallest | None, path: Path | None) -> None:
    """Print what came out, as sentences and a table."""
    question, coverage = found.question, found.coverage
    of = f"{question.case.name} with {question.nodes} nodes"
    of += f", mutant {question.mutant}" if question.mutant else ""
    of += ", one crash beyond what it can bear" if question.beyond else ""
    if smallest is None:
        kept = "safety held" if question.beyond else "all promises were kept"
        click.echo(f"{of}: {kept} in {coverage.runs:,} run{'s' if coverage.runs > 1 else ''}.")
        if coverage.seen == 0:
            click.echo(
                "But nothing was asked of the layers under test, and they told nothing: give it a workload."
            )
    else:
        tell_failure(found, smallest, of)
    rows = (
        (
            "runs",
            f"{coverage.runs:,} in {found.seconds:.1f} s, {coverage.runs / max(found.seconds, 1e-9):,.0f} a second",
        ),
        ("distinct schedules", f"{len(coverage.digests):,}"),
        ("messages", f"{coverage.messages:,}"),
        ("asked and told", f"{coverage.seen:,}"),
        *((f"faults: {kind}", f"{count:,}") for kind, count in found.faults_injected.items()),
    )
    click.echo(table(rows, right={1}))
    if path is not None:
        click.echo(f"run file: {path} (see it with `kumi log`, `kumi show` or `kumi video`)")


def tell_failure(found: Found, smallest: Smallest, of: str) -> None:
    """Print what broke, and the fewest faults that make it break."""
    violation = smallest.verdict.violation
    assert violation is not None
    count, nodes = len(smallest.schedule), smallest.nodes
    click.echo(f"{of}: {violation.rule} is broken at seed {found.failed}, run {found.coverage.runs:,}.")
    click.echo(f"  {violation.story}")
    what = "No fault is needed" if not count else f"{count} fault{'s are' if count > 1 else ' is'} enough"
    end = ":" if count else "."
    click.echo(f"{what}, with {nodes} nodes ({smallest.tries} runs to find out){end}")
    for fault in smallest.schedule:
        click.echo(f"  {fault}")
    click.echo(f"Again: {again(found)}")


def show_cases(as_json: bool) -> None:
    """Print the protocols that ship."""
    cases = shipped_cases()
    if as_json:
        click.echo(json.dumps([listed(case) for case in cases.values()]))
        return
    rows = [
        (
            name,
            case.promise,
            ", ".join(kind for kind in KINDS if kind in case.faults),
            ", ".join(case.mutants),
        )
        for name, case in cases.items()
    ]
    most = None if sys.stdout.isatty() else 140
    click.echo(table(rows, heads=("protocol", "promise", "faults", "mutants"), is_ruled=True, most=most))


def listed(case: Case) -> dict[str, Any]:
    """Return what `--list --json` prints of a case."""
    return {
        "protocol": case.name,
        "promise": case.promise,
        "faults": sorted(case.faults),
        "mutants": list(case.mutants),
        "nodes": case.nodes,
    }
