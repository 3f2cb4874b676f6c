"""Bodies at zero gap: packed, in a convoy, all walking."""

from __future__ import annotations

import math
import struct

import pytest

from kumi.devs import Simulation
from kumi.geometry import Disc, Point
from kumi.motion import Leg
from kumi.world import World
from tests.world.play import CLOSE, about, overhear


@pytest.mark.parametrize("count", [100, 99, 81])
def test_packed_walkers_go_on_in_time(count: int) -> None:
    world = World(width=10, height=10)
    places = [k + 0.5 for n in range(count) for k in (n % 10, n // 10)]
    world.add_walkers(struct.pack(f"{2 * count}d", *places), 0.5, 0.5, 2.0, 3)
    with Simulation(world) as simulation:
        simulation.run(until=1)
        assert simulation.now == 1
        assert world.least_gap() >= -CLOSE


@pytest.mark.parametrize("turn", [0.0, 0.3, 1.0, 2.0])
def test_a_convoy_at_zero_gap_drives_on_and_stops_all_at_once_with_its_leader(turn: float) -> None:
    along = Point.polar(1.0, turn)
    world = World()
    convoy = [world.add_body(along * i, heading=turn, shape=Disc(0.5)) for i in range(6)]
    with Simulation(world) as simulation:
        told = overhear(simulation, convoy)
        for body in convoy:
            body.start(Leg.forward(math.inf, 1.0))
        simulation.run(until=5)
        assert told == []
        convoy[-1].stop()
        simulation.run(until=9)
        assert {time for _, time, _ in told} == {5.0}
        assert {who for who, _, _ in told} == set(range(6))
        assert [body.position.dot(along) for body in convoy] == [pytest.approx(i + 5) for i in range(6)]


def test_the_middle_of_a_packing_cannot_move() -> None:
    world = World()
    middle = world.add_body((0, 0), shape=Disc(0.5))
    for k in range(6):
        world.add_body(Point.polar(1, k * math.pi / 3), shape=Disc(0.5))
    with Simulation(world) as simulation:
        told = overhear(simulation, [middle])
        for step in range(1, 100):
            middle.start(Leg.line(Point.polar(5, step * 0.0631), 1.0))
            simulation.run(until=step)
            assert (len(told), abs(middle.position)) == (step, about(0, abs=1e-9))
