"""What is there to see of a run with real robots?

Two run files: one of the environment model, with virtual robots and counterparts, and one of the floor, with the real
robots where they truly are. A picture shows both, one above the other, as the two windows of the paper do.
"""

from __future__ import annotations

from math import remainder, tau
from pathlib import Path
from typing import Self

from msgspec.structs import replace
from PIL import Image

from kumi.devs import Coupled, Simulation
from kumi.geometry import Pose
from kumi.loop.real_robots import Crew
from kumi.recording import RunFile, RunMeta, RunSummary, RunWriter
from kumi.recording.picture import draw
from kumi.recording.scenery import Scenery, read_scenery
from kumi.recording.view import view_of, window_around
from kumi.world import SimulatedBody, World, map_to_table

PERIOD = 0.1
"""Seconds between two looks at the floor."""
SHOWN = 0.5
"""Share of a field below which a picture shows only the part where the robots are."""
MOVED = 1e-4
"""Metres, or radians, that count as a change."""


class Showing:
    """The run files of a run; use it in a `with` block. Without a path nothing is written.

    `whole` is the model of the run, and `world` the environment model in it, whose file is written too if `is_both`: not
    where a stage writes it.
    """

    def __init__(
        self,
        simulation: Simulation,
        whole: Coupled,
        world: World,
        crew: Crew,
        path: Path | None,
        *,
        is_both: bool = True,
    ) -> None:
        self._simulation = simulation
        self._worlds: dict[World, RunWriter] = {}
        self._shown: dict[int, SimulatedBody] = {}
        self._crew = crew
        if path is None:
            return
        if is_both:
            self._open(world, path, world.bodies)
        if crew.fleet is not None:
            floor = whole.add(World(world.map, ghost=True, name="floor"))
            names = {crew.name(number): number for number in crew.real}
            for counterpart in world.bodies:
                number = names.get(counterpart.name)
                truth = None if number is None else crew.truth(number)
                pose = truth or counterpart.pose
                body = floor.add_body(
                    pose.position, heading=pose.heading, shape=counterpart.shape, name=counterpart.name
                )
                if truth is None or number is None:
                    body.remove()  # those who are not there only take their numbers
                else:
                    self._shown[number] = body
            self._open(floor, floor_of(path), tuple(self._shown.values()))
        simulation.schedule(simulation.now, self._look)

    def _open(self, world: World, path: Path, bodies: tuple[SimulatedBody, ...]) -> None:
        world.keep_journal(True)
        meta = RunMeta(
            seed=self._simulation.seed,
            map=map_to_table(world.map),
            robots={body.number: body.name for body in bodies},
            start=self._simulation.now,
        )
        self._worlds[world] = RunWriter(path, meta, snapshot=world.snapshot)

    def _look(self) -> None:
        for number, body in self._shown.items():
            truth = self._crew.truth(number)
            if truth is not None and _differ(truth, body.pose):
                body.put(truth.position.x, truth.position.y, truth.heading)
        for world, writer in self._worlds.items():
            writer.write(world.take_journal())
        self._simulation.schedule(self._simulation.now + PERIOD, self._look)

    def finish(self, end: str, *, is_interrupted: bool) -> None:
        """Write down how the run ended."""
        now = self._simulation.now
        for world, writer in self._worlds.items():
            writer.write(world.take_journal())
            writer.close(
                RunSummary(
                    end=now,
                    trace_hash=self._simulation.trace_hash,
                    contacts=world.contact_count,
                    robots=world.count,
                    errors=(end,),
                    is_interrupted=is_interrupted,
                )
            )
        self._worlds.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for writer in self._worlds.values():
            writer.close(None)


def floor_of(path: Path) -> Path:
    """Return the run file of the floor that lies beside one of the environment model."""
    return path.with_name(f"{path.stem}-floor{path.suffix}")


def write_both(path: Path, picture: Path, size: tuple[int, int] = (1100, 400)) -> None:
    """Draw the end of a run: the environment model above, and below it the same part of the floor, if there is one."""
    runs = [RunFile(one) for one in (path, floor_of(path)) if one.exists()]
    scenery = read_scenery(runs[0].meta.map)
    robots = view_of(window_around(runs[0].state_at(runs[0].end), Scenery()), size, fills=True).window
    # A field may be much larger than what there is to see: then the part where the robots are.
    bounds = scenery.bounds
    if bounds is None or robots[2] - robots[0] < SHOWN * (bounds[2] - bounds[0]):
        bounds = robots
    whole = Image.new("RGB", (size[0], size[1] * len(runs)), "white")
    for row, (run, title) in enumerate(zip(runs, ("environment model", "floor"), strict=False)):
        part = draw(run.state_at(run.end), replace(scenery, bounds=bounds), size, time=run.end, title=title)
        whole.paste(part, (0, size[1] * row))
    whole.save(picture)


def _differ(one: Pose, other: Pose) -> bool:
    return (
        one.position.distance_to(other.position) > MOVED
        or abs(remainder(one.heading - other.heading, tau)) > MOVED
    )
