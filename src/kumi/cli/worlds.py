"""The shipped scenarios as `kumi demo` shows them: each is run, recorded, and made a picture that moves and a player."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from kumi.cli.gallery import Shown
from kumi.recording import RunFile
from kumi.recording.looping import write_loop
from kumi.recording.player import PlayerError
from kumi.scenario import Override, RunOutput, Staging, load_scenario, shipped_scenarios

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kumi.stage import Outcome


def show_all(out: Path, told: Callable[[str, float], object]) -> Iterator[Shown]:
    """Run each shipped scenario, and leave its files in a folder; `told` hears how much of each is done, up to 1."""
    for name in shipped_scenarios():
        told(name, 0.0)
        yield show_one(name, out, lambda share, name=name: told(name, share))  # type: ignore[misc]


def show_one(name: str, out: Path, told: Callable[[float], object]) -> Shown:
    """Run a shipped scenario, and leave its run file, a picture that moves, and a player of the whole run."""
    run_file, picture = out / f"{name}.kumi", out / f"{name}.webp"
    title, outcome = run_one(name, run_file)
    run = RunFile(run_file)
    for share in write_loop(run, picture):
        told(share)
    player, why_not = write_player(run, out / f"{name}.html")
    return Shown(name, title, outcome, run_file, picture, player, why_not)


def run_one(name: str, run_file: Path) -> tuple[str, Outcome]:
    """Run a shipped scenario into a run file; return its title and what came out."""
    staging = Staging(load_scenario(name, [Override("output.record", str(run_file), "the demo")]))
    with RunOutput(staging.scenario) as output, closing(staging.stage(output)) as stage:
        output.open(stage.world, staging.names)
        outcome = stage.run(staging.scenario.settings.until)
        output.finish(outcome)
    return staging.scenario.settings.title, outcome


def write_player(run: RunFile, path: Path) -> tuple[Path | None, str]:
    """Write the page that plays a run by itself; None, and the reason, where that cannot be."""
    try:
        return run.show().save(path), ""
    except PlayerError as error:
        return None, f"The whole runs cannot be played from here: {error}."
