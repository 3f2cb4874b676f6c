"""The shipped scenarios as `kumi demo` shows them: each is run, recorded, and made a picture that moves and a player.

They are made on all cores at once. What is not whole yet lies in a folder of its own, so that Ctrl-C leaves nothing by
halves; the run files stay there, as the players hold the same records.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from kumi.cli.gallery import Shown
from kumi.recording import RunFile
from kumi.recording.looping import write_loop
from kumi.recording.player import PlayerError
from kumi.scenario import Override, RunOutput, Staging, load_scenario, shipped_scenarios
from kumi.study.processes import Processes, cores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from kumi.stage import Outcome


def show_all(out: Path, told: Callable[[Sequence[str], int], object]) -> list[Shown]:
    """Run each shipped scenario, and leave its files in a folder.

    `told` hears which are being made, and how many are done.
    """
    names = list(shipped_scenarios())
    workers = Processes(min(cores(), len(names)))
    try:
        with TemporaryDirectory(dir=out, prefix=".making-") as unfinished:
            made = {workers.submit(show_one, name, out, Path(unfinished)): name for name in names}
            left: set[Future[Shown]] = set(made)
            while left:
                told([name for one, name in made.items() if one.running()], len(made) - len(left))
                done, left = wait(left, timeout=LOOK_PERIOD, return_when=FIRST_COMPLETED)
                for one in done:
                    one.result()  # raises what went wrong
            return [one.result() for one in made]
    finally:
        workers.shutdown(cancel_futures=True)


LOOK_PERIOD = 0.2
"""Seconds between two looks at what is being made."""


def show_one(name: str, out: Path, unfinished: Path) -> Shown:
    """Run a shipped scenario, and leave a picture that moves, and a player of the whole run."""
    run_file, picture, player = (unfinished / f"{name}.{ending}" for ending in ("kumi", "webp", "html"))
    title, outcome = run_one(name, run_file)
    run = RunFile(run_file)
    write_loop(run, picture)
    why_not = write_player(run, player)
    run_file.unlink()
    kept = None if why_not else player.replace(out / player.name)
    return Shown(name, title, outcome, picture.replace(out / picture.name), kept, why_not)


def run_one(name: str, run_file: Path) -> tuple[str, Outcome]:
    """Run a shipped scenario into a run file; return its title and what came out."""
    staging = Staging(load_scenario(name, [Override("output.record", str(run_file), "the demo")]))
    with RunOutput(staging.scenario) as output, closing(staging.stage(output)) as stage:
        output.open(stage.world, staging.names)
        outcome = stage.run(staging.scenario.settings.until)
        output.finish(outcome)
    return staging.scenario.settings.title, outcome


def write_player(run: RunFile, path: Path) -> str:
    """Write the page that plays a run by itself; return the reason where that cannot be."""
    try:
        run.show().save(path)
    except PlayerError as error:
        return f"The whole runs cannot be played from here: {error}."
    return ""
