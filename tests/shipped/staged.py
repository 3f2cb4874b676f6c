"""Shipped scenarios, run to their end with everything written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumi.recording import RunFile
from kumi.scenario.output import RunOutput
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging

if TYPE_CHECKING:
    from pathlib import Path

    from kumi.stage import Outcome


def recorded(folder: Path, name: str, *overrides: str) -> tuple[Outcome, RunFile]:
    """Run a scenario, and return what came out and its run file."""
    path = folder / f"{name}.kumi"
    scenario = load_scenario(name, [f"output.record={path}", *overrides])
    staging, output = Staging(scenario), RunOutput(scenario)
    with output, staging.stage(output) as stage:
        output.open(stage.world, staging.names)
        outcome = stage.run(scenario.settings.until)
        output.finish(outcome)
    return outcome, RunFile(path)
