"""`kumi compare`: the same convoy virtual, in the loop and all real, and where the model is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import BadInput
from kumi.cli.options import AtLeast, Folder

if TYPE_CHECKING:
    from kumi.experiment.loop.convoy.comparison import Comparison

HELP = """Compare a model with real robots: the same convoy virtual, in the loop, and all real.

Real robots are emulated ones, each a process of its own on a link. What their motors and their infrared do is held
against what the model says, with tests of equality, and the report says where the model is wrong. --motor plants an
error: with 0.9 the motors of the real robots are 10 % slower than the model has it. It takes about a minute.

\b
Try:
  kumi compare convoy
  kumi compare convoy --motor 0.9 -o slow
"""


@click.command(help=HELP)
@click.argument("what", type=click.Choice(["convoy"]))
@click.option("--runs", type=AtLeast(2), default=3, show_default=True, help="Runs at each stage.")
@click.option("--steps", type=AtLeast(2), default=8, show_default=True, help="Steps of the leader in a run.")
@click.option("--robots", type=AtLeast(2), default=3, show_default=True, help="Robots in the convoy.")
@click.option(
    "--motor", type=float, default=1.0, show_default=True, help="Speed of the real motors, of the model's."
)
@click.option("--pace", type=float, default=2.0, show_default=True, help="How fast all clocks go.")
@click.option("--workers", type=AtLeast(1), default=2, show_default=True, help="Runs at the same time.")
@click.option(
    "-o", "--out", type=Folder(), default="comparison", show_default=True, help="Folder for the report."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def compare(what: str, runs: int, workers: int, out: Path, as_json: bool, **given: Any) -> None:
    """Run all stages, and write the report."""
    del what  # one is there so far
    from kumi.experiment.loop.convoy.comparison import compared, run_stages
    from kumi.experiment.loop.convoy.comparison_report import report, verdict
    from kumi.experiment.loop.convoy.stages import ConvoyStage

    for name in ("motor", "pace"):
        if not 0.0 < given[name] < math.inf:
            raise BadInput(f"--{name} is a number > 0, not {given[name]:g}.")
    experiment = ConvoyStage(**given)

    def tell(where: str, seed: int) -> None:
        if not as_json:
            click.echo(f"{where}, seed {seed}: done", err=True)

    comparison = compared(run_stages(experiment, runs, workers=workers, told=tell))
    path = out / "report.md"
    path.write_text(report(experiment, comparison), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(record_of(comparison)))
        return
    for sentence in verdict(comparison):
        click.echo(sentence)
    click.echo(f"report: {path}")


def record_of(comparison: Comparison) -> dict[str, Any]:
    """Return what `--json` prints."""
    return {
        "wrong": [f"{one.where}: {one}" for one in comparison.wrong],
        "findings": [
            {
                "stage": one.where,
                "device": one.observable.device,
                "observable": one.observable.name,
                "unit": one.observable.unit,
                "model": one.compared.one.mean,
                "real": one.compared.other.mean,
                "difference": [one.compared.difference.low, one.compared.difference.high],
                "p_means": one.compared.p_means,
                "p_distributions": one.compared.p_distributions,
                "margin": one.observable.margin,
                "p_margin": one.p_beyond,
                "is_wrong": one.is_wrong,
            }
            for one in comparison.findings
        ],
        "runs": {
            where: [
                {"error": run.error, "speed": run.speed, "time": run.time, "end": run.end} for run in runs
            ]
            for where, runs in comparison.outcomes.items()
        },
    }
