"""How often do robots touch that avoid each other, where what their rule supposes does not hold?

Twenty-four discs of 0.15 m in a room of 5 m × 5 m drive to places drawn at random, each deciding alone by `kumi.programs.avoidance`; the
places lie apart, so that all could arrive. `python -m benchmarks.avoidance_contacts` prints the table of docs/avoidance.md: contacts for
each robot and minute, and how many have arrived after a minute, over three seeds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kumi import Map, Stage
from kumi.devs import Chance
from kumi.devs.chance import stream
from kumi.geometry import Disc, Point
from kumi.motion import Omni, Wheel
from kumi.programs.avoidance import avoidance, avoidance_team
from kumi.sensing import View
from kumi.stage.teams import TeamKit

COUNT, RADIUS, SIDE, MINUTE = 24, 0.15, 5.0, 60.0
SEEDS = range(3)
RULES: dict[str, dict[str, Any]] = {
    "ORCA, margin 0": {"kind": "orca"},
    "ORCA, margin 5 cm": {"kind": "orca", "margin": 0.05},
    "barrier, margin 2 cm": {"kind": "barrier", "margin": 0.02},
    "potential field": {"kind": "potential"},
}
BLIND = {"kind": "orca", "reach": 0.001}
"""The rule of one that does not give way."""


@dataclass(frozen=True)
class Case:
    """What is other than supposed."""

    what: str
    view: dict[str, Any] = field(default_factory=dict)
    program: dict[str, Any] = field(default_factory=dict)
    rule: dict[str, Any] = field(default_factory=dict)
    headstrong: int = 0
    is_team: bool = False


CASES = [
    Case("any direction, decisions every 0.1 s"),
    Case("every 0.2 s", program={"period": 0.2}),
    Case("every 0.5 s", program={"period": 0.5}),
    Case("what is seen is 0.1 s old", view={"latency": 0.1}),
    Case("what is seen is 0.3 s old", view={"latency": 0.3}),
    Case("distances err by 1 cm", view={"noise": 0.01}),
    Case("distances err by 5 cm", view={"noise": 0.05}),
    Case("each look misses one in ten", view={"dropout": 0.1}),
    Case("robots hide each other", view={"occlusion": True}),
    Case("one in eight does not give way", headstrong=3),
    Case("the same, and the others take all of it on", rule={"share": 1.0}, headstrong=3),
    Case("two wheels, offset 5 cm", program={"offset": 0.05, "turn_speed": 20.0}),
    Case("two wheels, offset 10 cm", program={"offset": 0.1, "turn_speed": 10.0}),
    Case("5 cm, headings known", program={"offset": 0.05, "turn_speed": 20.0}, is_team=True),
    Case("10 cm, headings known", program={"offset": 0.1, "turn_speed": 10.0}, is_team=True),
]


def places(chance: Chance) -> list[Point]:
    """Draw places that keep clear of each other and of the border."""
    found: list[Point] = []
    while len(found) < COUNT:
        place = Point(chance.uniform(0.3, SIDE - 0.3), chance.uniform(0.3, SIDE - 0.3))
        if all(place.distance_to(other) > 2.0 * RADIUS + 0.2 for other in found):
            found.append(place)
    return found


def contacts(case: Case, rule: dict[str, Any], seed: int) -> tuple[int, int]:
    """Return the contacts of a minute, and how many robots then are where they wanted to be."""
    chance = stream(seed, "places")
    starts, goals = places(chance), places(chance)
    stage = Stage(Map(width=SIDE, height=SIDE), seed=seed)
    is_wheeled = "offset" in case.program
    common = {"radius": RADIUS, "bounds": (SIDE, SIDE), "rule": {**rule, **case.rule}, **case.program}
    if case.is_team:
        given = {**common, "goals": [tuple(goal) for goal in goals]}
        stage.place_team(avoidance_team, (), given, COUNT, starts, 0.0, TeamKit(Disc(RADIUS), Wheel(), None))
    for number, (start, goal) in enumerate(zip(starts, goals, strict=True)):
        if case.is_team:
            break
        parameters = {**common, "goal": tuple(goal)}
        if number < case.headstrong:
            parameters["rule"] = BLIND
        sensors = {"eyes": View(3.0, **{"occlusion": False, **case.view})}
        drive = Wheel() if is_wheeled else Omni()
        stage.place(avoidance, (), parameters, start, 0.0, Disc(RADIUS), drive, sensors)
    outcome = stage.run(MINUTE)
    arrived = sum(
        robot.position.distance_to(goal) < 0.2 for robot, goal in zip(stage.robots, goals, strict=True)
    )
    return outcome.contacts, arrived


def main() -> None:
    """Print the table, a line for each case as it is done."""
    print("| |", " | ".join(RULES), "|")
    print("|---|" + "---|" * len(RULES))
    for case in CASES:
        cells = []
        for rule in RULES.values():
            runs = [contacts(case, rule, seed) for seed in SEEDS]
            rate = sum(touched for touched, _ in runs) / (len(runs) * COUNT)
            share = sum(arrived for _, arrived in runs) / (len(runs) * COUNT)
            cells.append(f"{rate:.3g}; {share:.0%}")
        print(f"| {case.what} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
