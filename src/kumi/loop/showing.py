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
from kumi.loop.real_robots import LinkedRobots
from kumi.recording import RunFile, RunMeta, RunSummary, RunWriter
from kumi.recording.picture import draw
from kumi.recording.scenery import Scenery, read_scenery
from kumi.recording.view import view_of, window_around
from kumi.world import SimulatedBody, World, map_to_table

PERIOD = 0.1
"""Seconds between two looks at the floor."""
CROP_SHARE = 0.5
"""Share of a field below which a picture shows only the part where the robots are."""
MOVED = 1e-4
"""Metres, or radians, that count as a change."""


class FloorFile:
    """The run file of the floor of a run's real robots, beside `path`, that of the environment model `world`.

    Use it in a `with` block. `whole` is the model of the run. Without a path nothing is written.
    """

    def __init__(
        self,
        simulation: Simulation,
        whole: Coupled,
        world: World,
        real_robots: LinkedRobots,
        path: Path | None,
    ) -> None:
        self._simulation, self._real_robots = simulation, real_robots
        self._shown: dict[int, SimulatedBody] = {}
        self._writer: RunWriter | None = None
        if path is None or real_robots.fleet is None:
            return
        self._floor = whole.add(World(world.map, ghost=True, name="floor"))
        for counterpart in world.bodies:
            number, name = counterpart.number, counterpart.name
            truth = real_robots.truth(number) if number in real_robots.real else None
            pose = truth or counterpart.pose
            body = self._floor.add_body(
                pose.position, heading=pose.heading, shape=counterpart.shape, name=name
            )
            if truth is None:
                body.remove()  # those who are not there only take their numbers
            else:
                self._shown[number] = body
        self._floor.keep_journal(True)
        meta = RunMeta(
            seed=simulation.seed,
            map=map_to_table(world.map),
            robots={number: body.name for number, body in self._shown.items()},
            start=simulation.now,
        )
        self._writer = RunWriter(floor_of(path), meta, snapshot=self._floor.snapshot)
        simulation.schedule(simulation.now, self._look)

    def _look(self) -> None:
        for number, body in self._shown.items():
            truth = self._real_robots.truth(number)
            if truth is not None and _differ(truth, body.pose):
                body.put(truth.position.x, truth.position.y, truth.heading)
        if self._writer is not None:
            self._writer.write(self._floor.take_journal())
            self._simulation.schedule(self._simulation.now + PERIOD, self._look)

    def finish(self, end: str, *, is_interrupted: bool) -> None:
        """Write down how the run ended."""
        if self._writer is None:
            return
        self._writer.write(self._floor.take_journal())
        summary = RunSummary(
            end=self._simulation.now,
            trace_hash=self._simulation.trace_hash,
            contacts=self._floor.contact_count,
            robots=self._floor.count,
            errors=(end,),
            is_interrupted=is_interrupted,
        )
        self._writer.close(summary)
        self._writer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._writer is not None:
            self._writer.close(None)


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
    if bounds is None or robots[2] - robots[0] < CROP_SHARE * (bounds[2] - bounds[0]):
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
