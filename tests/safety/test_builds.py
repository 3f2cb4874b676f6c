"""The sanitized build, and with it the scalar twins of vector code, gives the same bits as the installed one.

Runs where another build is loaded, as `make test-asan-short` does; then the installed one is asked in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kumi import _core, sleep
from kumi.contract import BadGoal, Blocked
from kumi.geometry import Disc, Ellipse, Polygon
from kumi.motion import Car, Omni, Wheel
from kumi.robot import Robot
from kumi.sensing import ProximityAlarm
from kumi.stage import Stage
from kumi.world import Map, Overlap, Pillar, Wall, World

ROOT = Path(__file__).parent.parent.parent
SHAPES: list[Any] = [
    Disc(0.2),
    Disc(0.1),
    Ellipse(0.5, 0.2),
    Polygon([(0.2, 0.0), (-0.1, 0.2), (-0.1, -0.2)]),
]
DRIVES: list[Any] = [Omni(), Wheel(), Car(0.3), Wheel(acceleration=2.0)]


async def wander(robot: Robot) -> None:
    """Go about for ever."""
    while True:
        with suppress(Blocked, BadGoal):
            await robot.move_to((robot.chance.uniform(0.5, 19.5), robot.chance.uniform(0.5, 19.5)))
        await sleep(0.01)


def run_hash(count: int, policy: str, seed: int) -> str:
    """Return the hash of a run of some robots."""
    obstacles = (Wall((5.0, 5.0), (5.0, 15.0), 0.1), Pillar((14.0, 14.0), 0.5))
    with Stage(World(Map(20.0, 20.0, obstacles=obstacles), on_contact=policy), seed=seed) as stage:  # type: ignore[arg-type]
        for number in range(count):
            place = 1.0 + number % 9 * 2.0, 1.0 + number // 9 * 1.7
            sensors = {"near": ProximityAlarm(1.5)} if number % 7 == 0 else {}
            shape = SHAPES[number % 4] if count < 40 else SHAPES[0]
            drive = DRIVES[number % 4 if count < 40 else 0]
            with suppress(Overlap):  # some of many would stand in the wall
                stage.add(wander, at=place, drive=drive, shape=shape, sensors=sensors)
        return str(stage.run(20.0).trace_hash)


def walkers_hash(count: int) -> str:
    """Return the hash of a run of walkers, without programs."""
    plane = _core.Plane("plane", (0.0, 0.0, 40.0, 40.0))
    side = int(count**0.5) + 1
    places = np.array(
        [(1.0 + 38.0 * (i % side) / side, 1.0 + 38.0 * (i // side) / side) for i in range(count)]
    )
    engine = _core.Engine(True)
    engine.enter(plane)
    plane.add_walkers(places, 0.1, 0.5, 1.5, 7)
    engine.run(10.0)
    return engine.trace_hash + str(plane.contact_count)


def grid_hash() -> str:
    """Return a hash of ways over a random grid."""
    cells = (np.random.default_rng(3).random((200, 300)) < 0.3).astype(np.uint8)
    digest = _core.TraceDigest()
    grid = _core.CellGrid(cells)
    free = np.argwhere(cells == 0)
    for i in range(0, len(free) - 1, 997):
        for moves in (4, 8):
            (row, column), (to_row, to_column) = free[i].tolist(), free[-1 - i].tolist()
            digest.put("w", 0.0, "way", grid.path(row, column, to_row, to_column, moves))
    digest.put("d", 0.0, "distances", grid.squared_distances())
    digest.put("i", 0.0, "inflated", grid.inflated(1.7, True))
    return digest.hex


def hashes() -> list[str]:
    """Return the hashes of all scenes."""
    runs = [run_hash(count, policy, 5) for count in (3, 20, 80, 150) for policy in ("stop", "slide")]
    return [*runs, walkers_hash(100), walkers_hash(600), grid_hash()]


@pytest.mark.skipif(not os.environ.get("KUMI_CORE"), reason="the installed build is the only one here")
def test_every_build_gives_the_same_bits() -> None:
    """The trace hashes of robots, walkers, contacts and watches, and the ways over a grid."""
    plain = {key: value for key, value in os.environ.items() if key not in {"KUMI_CORE", "LD_PRELOAD"}}
    command = [sys.executable, "-m", "tests.safety.test_builds"]
    installed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=plain)

    assert hashes() == installed.stdout.split()


if __name__ == "__main__":
    sys.stdout.write("\n".join(hashes()))
