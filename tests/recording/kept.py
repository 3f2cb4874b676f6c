"""Run files that are kept: one of each format, with what was rebuilt from it when it was made.

`python -m tests.recording.kept` makes those of the present format anew. That is needed once a format, with the version of
kumi that brings it: a file that is made again proves nothing of older ones.
"""

from __future__ import annotations

import json
from contextlib import suppress
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kumi.contract import Blocked
from kumi.devs import note
from kumi.geometry import Disc, Ellipse, Polygon
from kumi.motion import Omni, Wheel
from kumi.recording import RunFile
from kumi.recording.chunks import FORMAT
from kumi.recording.published import in_words
from kumi.stage import Stage
from kumi.world import Map, Pillar, Wall, World

if TYPE_CHECKING:
    from kumi.robot import Robot

DATA = Path(__file__).parent / "data"
INSTANTS = [0.0, 0.5, 1.0, 1.2, 1.7, 2.5, 3.3, 5.0, 8.0]


def file_of(version: int) -> Path:
    """Return where the file of a format is kept."""
    return DATA / f"format-{version}.kumi"


def rebuilt(path: Path) -> dict[str, Any]:
    """Return what a file holds: where all bodies were at some instants, and how many records of each kind there are."""
    run = RunFile(path)
    states = {
        repr(instant): [
            [one.number, one.pose.position.x, one.pose.position.y, one.pose.heading]
            for one in run.state_at(instant)
        ]
        for instant in INSTANTS
    }
    kinds = [type(record).__name__ for record in run.records()]
    assert run.summary is not None
    return {
        "states": states,
        "kinds": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        "trace_hash": run.summary.trace_hash,
        "names": list(run.meta.robots.values()),
        "published": [
            [one.time, one.body, one.name, in_words(one.value)]
            for instant in (0.5, 2.5)
            for one in run.published_at(instant)
        ],
    }


async def errand(robot: Robot, turn: float) -> None:
    """Drive straight, turn, drive an arc, and run into something."""
    with suppress(Blocked):
        robot.show("state", "goes straight")
        await robot.forward(1.0)
        note("a metre is done")
        robot.show("state", "turns")
        robot.show("turn", turn)
        robot.show_mark(robot.position, "corner")
        robot.show_path([robot.home, robot.position])
        robot.show_map([[0.0, 1.0], [nan, 0.25]], cell=0.5, corner=(1.0, 2.0))
        await robot.arc(1.0, turn)
        await robot.turn(turn)
        await robot.forward(9.0)


def make(path: Path) -> None:
    """Run three robots of three shapes, with an obstacle that comes and one robot that is removed."""
    world = World(Map(8, 6, obstacles=[Wall((6, 1), (6, 5))]))
    with Stage(world, seed=1, record=path) as stage:
        stage.add(errand, 0.7, at=(1, 1), shape=Disc(0.2), drive=Wheel(), name="Hana")
        stage.add(errand, -0.4, at=(1, 4), shape=Ellipse(0.5, 0.3), drive=Wheel(), name="Ken")
        square = Polygon([(0.2, 0.2), (-0.2, 0.2), (-0.2, -0.2), (0.2, -0.2)])
        gone = stage.add(errand, 0.3, at=(3, 3), shape=square, drive=Omni(), name="Yuki")
        stage.simulation.schedule(1.5, lambda: world.add_obstacle(Pillar((4, 1), 0.3, name="new")))
        body = world.body_of(gone.name)
        assert body is not None
        stage.simulation.schedule(3.0, body.remove)
        stage.run(8.0)


if __name__ == "__main__":
    make(file_of(FORMAT))
    file_of(FORMAT).with_suffix(".json").write_text(json.dumps(rebuilt(file_of(FORMAT)), indent=1) + "\n")
