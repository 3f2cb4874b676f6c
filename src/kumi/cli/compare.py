"""`kumi compare`: a scenario with real robots, and where their model is wrong."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import BadInput, ExitCode, refusing
from kumi.cli.options import Amount, AtLeast, Folder
from kumi.loop.comparing.judging import CannotJudge, judge
from kumi.loop.comparing.many import PlantedExperiment, run_all
from kumi.loop.comparing.planting import Planted
from kumi.loop.comparing.report import lateness, notes_of, page, verdict
from kumi.loop.comparing.subject import subject_of
from kumi.loop.robot_processes import NotThere
from kumi.scenario.overrides import Override

if TYPE_CHECKING:
    from kumi.loop.comparing.evidence import RunEvidence
    from kumi.loop.comparing.judging import Comparison, Finding

HELP = """Compare the model of robots with real ones, and say where it is wrong, and by how much.

A scenario is run with its real robots. Where it states none, its robots become real ones that are made to measure, up
to fifteen, or those that --real names. What their motors, sensors, clocks and links do is held against what the model
says, each with an interval. Emulated robots run in simulated time, unless --paced; a robot at a port runs in real time.

Errors can be planted in emulated robots, to see whether they are found: in the motor, in sensors (front:bias=0.05,
front:scale=1.1, front:noise=0.02, front:dead; steering in radians or as bias_deg), in the clock, in the line.

\b
Try:
  kumi compare random-movement-in-the-loop
  kumi compare random-movement-in-the-loop --motor 0.9 -o slow
  kumi compare wall-following --until 60 --sensor right:bias=0.05
  kumi compare convoy-in-the-loop --clock 1.002 --latency 0.03
  kumi compare random-movement-in-the-loop --paced --pace 2

The exit code is 0 whatever was found, 2 when the input is wrong, and 3 when nothing can be judged: the computer missed
deadlines in more than a tenth of all drives, or nothing was driven.
"""


class NotJudged(click.ClickException):
    """What was run tells nothing."""

    exit_code = ExitCode.REFUSED


@click.command(help=HELP)
@click.argument("scenario")
@click.option(
    "--real", "chosen", multiple=True, metavar="ROBOT", help="A robot that becomes real; repeatable."
)
@click.option("--motor", type=Amount(), default=1.0, help="Speed of the motors, of what they should have.")
@click.option(
    "--sensor", "sensors", multiple=True, metavar="SENSOR:FAULT", help="A faulty sensor; repeatable."
)
@click.option("--clock", type=Amount(), default=1.0, help="Rate of the clocks, of what it should be.")
@click.option("--clock-offset", type=float, default=0.0, help="Seconds by which clocks are ahead.")
@click.option(
    "--latency", type=Amount(least=0.0), default=0.0, help="Seconds that lines take more, each way."
)
@click.option("--only", metavar="ROBOT", help="The robot in which errors are planted.  [default: all]")
@click.option(
    "--runs", type=AtLeast(1), default=3, show_default=True, help="Runs, each with a seed of its own."
)
@click.option("--seed", type=int, help="The seed of the first run.  [default: as in the scenario]")
@click.option("--until", type=Amount(), help="When runs end.  [default: as in the scenario]")
@click.option("--set", "settings", metavar="KEY=VALUE", multiple=True, help="Change a field of the scenario.")
@click.option("--paced", is_flag=True, help="Let emulated robots be processes, in real time.")
@click.option("--pace", type=Amount(), help="How fast all clocks go.  [default: as in the scenario]")
@click.option("--workers", type=AtLeast(1), default=2, show_default=True, help="Runs at the same time.")
@click.option(
    "-o", "--out", type=Folder(), default="comparison", show_default=True, help="Folder for the report."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def compare(
    scenario: str, runs: int, seed: int | None, workers: int, out: Path, as_json: bool, **given: Any
) -> int:
    """Run, judge, and write the report."""
    with refusing():
        experiment = experiment_of(scenario, out, given)
        title = experiment.subject.title
        first = experiment.subject.seed if seed is None else seed

    def tell(run: RunEvidence) -> None:
        if not as_json:
            click.echo(f"seed {run.seed}: {run.seconds:.0f} s, {run.end}", err=True)

    try:
        done = run_all(experiment, range(first, first + runs), workers=min(workers, runs), told=tell)
    except NotThere as error:
        raise click.ClickException(f"{error}.") from error
    try:
        comparison = judge(done)
    except CannotJudge as error:
        raise NotJudged(f"{error}.") from error
    path = out / "report.md"
    path.write_text(page(title, planted_words(experiment.planted), comparison), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(record_of(comparison)))
        return ExitCode.DONE
    for said in verdict(comparison):
        click.echo(said)
    if comparison.late.instants:
        click.echo(lateness(comparison))
    click.echo(f"report: {path}")
    return ExitCode.DONE


def experiment_of(scenario: str, out: Path, given: dict[str, Any]) -> PlantedExperiment:
    """Return what is to be run, or say what is wrong with it."""
    if not isfinite(given["clock_offset"]):
        raise BadInput(f"--clock-offset is a number of seconds, not {given['clock_offset']:g}.")
    changes: list[str | Override] = list(given["settings"])
    stated = {name: given[name] for name in ("until", "pace") if given[name] is not None}
    changes += [Override(name, value, f"--{name} {value:g}") for name, value in stated.items()]
    subject = subject_of(scenario, changes, given["chosen"], out)
    planted = Planted(
        motor=given["motor"],
        sensors=given["sensors"],
        clock=given["clock"],
        clock_offset=given["clock_offset"],
        latency=given["latency"],
        robot=given["only"],
    )
    robots = planted.planted(subject.robots)
    is_paced = given["paced"] or not all(one.is_emulated for one in robots)
    return PlantedExperiment(subject, planted, is_paced)


def planted_words(planted: Planted) -> str:
    """Say which errors were planted."""
    if planted.is_none:
        return "No error was planted."
    said = [f"sensor {one}" for one in planted.sensors]
    said += [f"motor {planted.motor:g}"] if planted.motor != 1.0 else []
    said += [f"clock {planted.clock:g}"] if planted.clock != 1.0 else []
    said += [f"clock offset {planted.clock_offset:g} s"] if planted.clock_offset else []
    said += [f"latency {planted.latency:g} s"] if planted.latency else []
    where = "all emulated robots" if planted.robot is None else planted.robot
    return f"Planted in {where}: {', '.join(said)}."


def record_of(comparison: Comparison) -> dict[str, Any]:
    """Return what `--json` prints."""
    late = comparison.late
    return {
        "findings": [finding_of(one) for one in comparison.findings],
        "unjudged": [
            {"robot": one.robot, "device": one.device, "reason": one.reason} for one in comparison.unjudged
        ],
        "notes": notes_of(comparison),
        "lateness": {
            "instants": late.instants,
            "missed": late.missed,
            "max": late.latest,
            "drives_missed": late.drives_missed,
            "stood_still": late.stood_still,
        },
        "runs": [{"seed": one.seed, "seconds": one.seconds, "end": one.end} for one in comparison.runs],
    }


def finding_of(one: Finding) -> dict[str, Any]:
    """Return what `--json` prints of a finding."""
    return {
        "robot": one.robot,
        "device": one.kind.device,
        "what": one.kind.name,
        "unit": one.kind.unit,
        "difference": one.off.mean,
        "low": one.off.low,
        "high": one.off.high,
        "margin": one.kind.margin,
        "values": one.off.count,
        "p": one.p,
        "verdict": one.verdict,
    }
