"""The shipped scenarios as `kumi demo` shows them: each is run, recorded and drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kumi.experiment import Outcome


@dataclass(frozen=True)
class Shown:
    """A scenario that was run, and the files it left."""

    name: str
    outcome: Outcome
    picture: Path
    run_file: Path


def show_all(out: Path) -> Iterator[Shown]:
    """Run each shipped scenario, and leave its run file and a picture of its end in a folder."""
    from kumi.experiment import Output, Override, Staging, load_scenario, shipped_scenarios
    from kumi.recording import RunFile
    from kumi.recording.picture import write_picture

    for name in shipped_scenarios():
        run_file, picture = out / f"{name}.kumi", out / f"{name}.png"
        staging = Staging(load_scenario(name, [Override("output.record", str(run_file), "the demo")]))
        with Output(staging.scenario) as output, closing(staging.stage(output)) as stage:
            output.open(stage.world, staging.names)
            outcome = stage.run(staging.scenario.settings.until)
            output.finish(outcome)
        write_picture(RunFile(run_file), outcome.simulated_seconds, picture, size=(800, 800))
        yield Shown(name, outcome, picture, run_file)
