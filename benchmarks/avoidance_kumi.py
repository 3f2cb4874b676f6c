"""Local avoidance for kumi: the shipped team program, with arcs, exact contacts and ORCA among effective centres."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.avoidance_scene import PERIOD, RADIUS, REACH, SPEED, avoidance_scene, simulated_per_second
from benchmarks.tasks import Sample
from kumi import Stage
from kumi.geometry import Disc
from kumi.motion import Wheel
from kumi.programs.avoidance import avoidance_team
from kumi.stage.teams import TeamKit


def avoidance(number: int, budget: float) -> Sample:
    """Return the simulated seconds of a CPU second."""
    contacts = 0

    def begin(seed: int) -> Callable[[float], None]:
        nonlocal contacts
        _, starts, goals = avoidance_scene(number, seed)
        stage = Stage()
        parameters = {
            "radius": RADIUS,
            "goals": goals,
            "rule": {"kind": "orca", "reach": REACH, "margin": 0.02},
            "offset": 0.05,
            "speed": SPEED,
            "turn_speed": 4.0,
            "period": PERIOD,
        }
        kit = TeamKit(Disc(RADIUS), Wheel(), None)
        stage.place_team(avoidance_team, (), parameters, number, starts, 0.0, kit)
        stage.run(1.0)

        def run_to(time: float) -> None:
            nonlocal contacts
            before = stage.outcome.contacts
            contacts += stage.run(1.0 + time).contacts - before

        return run_to

    figure = simulated_per_second(begin, budget)
    return {"figure": figure, "contacts": float(contacts)}
