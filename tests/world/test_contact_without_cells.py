"""Up to 128 discs that go straight are compared with all others at once, in coarse numbers that leave nobody out.

The oracle finds the first of all pairs by the quadratic formula, stops the two, and goes on.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kumi.devs import Simulation
from kumi.geometry import Disc
from kumi.motion import Leg
from kumi.world import SimulatedBody, World
from tests.world.play import CLOSE, about, overhear

Rows = NDArray[np.float64]
LAST = 10.0


def first_contacts(at: Rows, velocity: Rows, radius: Rows, last: float) -> list[tuple[float, frozenset[int]]]:
    """Return when which two discs touch; those who touch stop."""
    at, velocity = at.copy(), velocity.copy()
    reach = radius[:, None] + radius
    found: list[tuple[float, frozenset[int]]] = []
    now = 0.0
    while True:
        apart, closing = at[:, None] - at, velocity[:, None] - velocity
        b = (apart * closing).sum(axis=2)
        speed = (closing**2).sum(axis=2)
        under = b**2 - speed * ((apart**2).sum(axis=2) - reach**2)
        meets = (b < 0) & (under >= 0)
        wait = np.full_like(b, np.inf)
        wait[meets] = (-b[meets] - np.sqrt(under[meets])) / speed[meets]
        one, other = np.unravel_index(int(np.argmin(wait)), wait.shape)
        if now + wait[one, other] > last:
            return found
        now += float(wait[one, other])
        at += velocity * wait[one, other]
        velocity[[one, other]] = 0.0
        found.append((now, frozenset((int(one), int(other)))))


def scattered(count: int, seed: int, scale: float, spread: float) -> tuple[Rows, Rows, Rows]:
    """Return discs in rows with room between them, and speeds from slow to fast."""
    chance = np.random.default_rng(seed)
    row = int(np.ceil(np.sqrt(count)))
    grid = np.array([(n % row, n // row) for n in range(count)], dtype=float)
    at = scale * (4.0 * grid + chance.uniform(-0.9, 0.9, (count, 2)))
    speed = scale * spread ** chance.uniform(-1.0, 1.0, count)
    angle = chance.uniform(0.0, 2.0 * np.pi, count)
    velocity = speed[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    velocity[chance.random(count) < 0.2] = 0.0
    return at, velocity, scale * chance.uniform(0.2, 1.0, count)


@settings(max_examples=25, deadline=None)
@given(
    count=st.sampled_from([3, 25, 64, 65, 127, 128, 129, 150]),
    seed=st.integers(0, 10**6),
    scale=st.sampled_from([1e-6, 0.3, 1.0, 1e4]),
    spread=st.sampled_from([1.0, 3.0, 300.0]),
    shift=st.sampled_from([0.0, 1e3]),
)
def test_all_contacts_are_those_of_the_oracle_with_cells_and_without(
    count: int, seed: int, scale: float, spread: float, shift: float
) -> None:
    at, velocity, radius = scattered(count, seed, scale, spread)
    last = LAST / spread
    expected = first_contacts(at, velocity, radius, last)
    world = World()
    bodies = [
        world.add_body((x + shift * scale, y - shift * scale), shape=Disc(r))
        for (x, y), r in zip(at, radius, strict=True)
    ]
    with Simulation(world) as simulation:
        told = overhear(simulation, bodies)
        for body, (vx, vy) in zip(bodies, velocity, strict=True):
            if vx or vy:
                x, y = body.position
                body.start(Leg.line((x + 2 * last * vx, y + 2 * last * vy), float(np.hypot(vx, vy))))
        simulation.run(until=last)
    times = sorted({time for _, time, _ in told})
    assert len(told) == 2 * len(expected)
    assert times == pytest.approx([time for time, _ in expected], rel=1e-6)
    assert expected or count == 3


def test_who_comes_later_is_seen_by_all_and_sees_all() -> None:
    # Two rows of 60 rest. Movers come one by one until there are more than do without cells.
    world = World()
    for n in range(120):
        world.add_body((3.0 * (n % 60), 10.0 * (n // 60)), shape=Disc(1.0))
    with Simulation(world) as simulation:
        for n in range(60):
            mover = world.add_body((3.0 * n, 5.0), shape=Disc(0.5))
            mover.start(Leg.line((3.0 * n, 50.0), 1.0))
            simulation.run(until=10.0 * (n + 1))
            assert (world.contact_count, *mover.position) == (n + 1, 3.0 * n, about(10.0 - 1.0 - 0.5))
        assert world.least_gap() >= -CLOSE


def turned(body: SimulatedBody, chance: np.random.Generator) -> None:
    body.start(Leg.arc(chance.uniform(1.0, 5.0), chance.uniform(-3.0, 3.0), 1.0))


def test_bends_bring_cells_back_and_nobody_overlaps() -> None:
    chance = np.random.default_rng(3)
    world = World(width=40, height=40)
    bodies = [world.add_body((4 * (n % 10) + 2, 4 * (n // 10) + 2), shape=Disc(0.8)) for n in range(100)]
    with Simulation(world) as simulation:
        for step in range(60):
            for body in bodies[step % 7 :: 7]:
                if step < 20:
                    x, y = chance.uniform(2.0, 38.0, 2)
                    body.start(Leg.line((x, y), 1.0))
                else:
                    turned(body, chance)
            simulation.run(until=0.3 * (step + 1))
            assert world.least_gap() >= -CLOSE * 1.6
        assert world.contact_count > 20
        assert world.crossings > 0  # of cells, which bends made necessary
