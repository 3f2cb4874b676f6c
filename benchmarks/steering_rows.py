"""The table of steering: what a step of a control loop costs, free and with contacts, alone and as a team.

Robots of 8.5 cm radius at 0.2 m/s, steered ten times a second by random rates up to 2 rad/s. At 5 % of the floor they push
against each other all the time, several contacts a robot and second. The targets stand for all numbers of robots, and a step at
ten thousand may cost twice one at a hundred. Each sample has the ratio to a straight step of the same process, too.
"""

from __future__ import annotations

from typing import Any

from benchmarks.rows import KUMI, Row, Run
from benchmarks.world_rows import IRSIM, KDTREE, NAVGROUND, PYMUNK

PART = "Control loops"
NUMBERS = 100, 1_000, 10_000
DENSITY = 0.05
PEERS = NAVGROUND, IRSIM, PYMUNK, KDTREE


def steering(
    name: str, title: str, target: float | None, number: int, peers: tuple[str, ...] = (), **params: Any
) -> Row:
    """Describe a row of microseconds a robot and step."""
    run = Run(
        KUMI,
        {"number": number, **params},
        repeats=2 if number < 10_000 else 1,
        quick={} if number == 100 else None,
        module="steering_kumi",
    )
    return Row(
        name=f"steer-{name}-{number}",
        title=f"{title}, {number:,} robots",
        unit="µs/step",
        task="steering",
        runs=(
            run,
            *(
                Run(peer, {"number": number}, repeats=run.repeats, quick=None if number > 1_000 else {})
                for peer in peers
            ),
        ),
        target=target,
        part=PART,
    )


def flocking(number: int) -> Row:
    """Describe a row of a flock by Reynolds' rules, as a team."""
    run = Run(KUMI, {"number": number}, quick={"number": 100}, module="steering_kumi")
    return Row(
        name=f"flocking-{number}",
        title=f"Flocking by Reynolds, a team of {number:,}",
        unit="simulated s/CPU s",
        task="flocking",
        runs=(run,),
        more_is_better=True,
        part=PART,
    )


def orca(number: int, target: float) -> Row:
    """Describe a row of ORCA among those within 50 cm, as a team on wheels; see `avoidance_scene.py`."""
    params = {"number": number, "budget": 2.0}
    quick = {"budget": 0.3} if number <= 1_000 else None
    repeats = 3 if number <= 1_000 else 1
    return Row(
        name=f"orca-{number}",
        title=f"ORCA within 50 cm, a team of {number:,} on wheels",
        unit="simulated s/CPU s",
        task="avoidance",
        runs=(
            Run(KUMI, params, repeats, quick, module="avoidance_kumi"),
            Run(NAVGROUND, params, repeats, quick),
        ),
        target=target,
        more_is_better=True,
        part=PART,
    )


CROWD: dict[str, Any] = {"density": DENSITY, "around": "border"}

ROWS: tuple[Row, ...] = (
    *(
        steering(name, title, target, number, **params)
        for name, title, target, params in (
            ("straight", "steer straight on, 100 m apart", None, {"bend": 0.0}),
            ("arcs", "steer on arcs, 100 m apart", 3.5, {}),
            ("arcs-crowd", "steer on arcs at 5 %, with contacts", 5.0, {"peers": PEERS, **CROWD}),
            ("team-arcs", "team on arcs, 100 m apart", 0.8, {"team": True}),
            ("team-crowd", "team on arcs at 5 %, with contacts", 1.5, {"team": True, **CROWD}),
            (
                "team-near",
                "team with neighbours within 50 cm, 5 %",
                None,
                {"team": True, "reach": 0.5, **CROWD},
            ),
        )
        for number in NUMBERS
    ),
    steering("arcs-border", "steer on arcs in a border, 100 m apart", 3.5, 1_000, around="border"),
    steering("arcs-walls", "steer on arcs in four walls, 100 m apart", 3.5, 1_000, around="walls"),
    steering("arcs-car", "a car on arcs, 100 m apart", 3.5, 1_000, drive="car"),
    steering("arcs-polygon", "a square on arcs, 100 m apart", 3.5, 1_000, shape="polygon"),
    steering("arcs-ellipse", "an ellipse on arcs, 100 m apart", 3.5, 1_000, shape="ellipse"),
    steering("crowd-car", "a car on arcs at 5 %, with contacts", 5.0, 1_000, drive="car", **CROWD),
    steering("crowd-polygon", "a square on arcs at 5 %, with contacts", 5.0, 1_000, shape="polygon", **CROWD),
    steering(
        "crowd-ellipse", "an ellipse on arcs at 5 %, with contacts", 5.0, 1_000, shape="ellipse", **CROWD
    ),
    flocking(1_000),
    flocking(10_000),
    orca(100, 491.0),
    orca(1_000, 19.0),
    orca(10_000, 1.5),
)
