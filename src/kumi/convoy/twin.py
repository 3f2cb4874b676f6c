"""How does one run a convoy very many times?

By its compiled twin: the same decisions in the same order on the same plane, and the same numbers up to rounding, some
fifty times as fast. What is hashed is where everybody was at the end, and the measures.
"""

from __future__ import annotations

from hashlib import blake2b
from struct import iter_unpack, pack
from typing import Any

from kumi import _twins
from kumi.convoy.causes import BreakUp, Obstruction
from kumi.convoy.frame import Measured
from kumi.convoy.setup import CENTIMETRES, LEAST_WALL_DISTANCE, Setup

BODY = "study.convoy.world.robot "
LINK = "study.convoy.link "
"""What comes before the number of a robot, and of a link, in the name of its random numbers."""


def run_twin(setup: Setup, seed: int = 0) -> Measured:
    """Run a convoy once by its twin."""
    return _measured(setup, _run(setup, seed, keeps_history=False))


def run_with_history(setup: Setup, seed: int = 0) -> tuple[Measured, list[tuple[float, float]]]:
    """Run a convoy once by its twin; return also E(t): each instant at which it changed, and its value in centimetres."""
    found = _run(setup, seed, keeps_history=True)
    instants = iter_unpack("=2d", found[-2])
    return _measured(setup, found), [(time, CENTIMETRES * error) for time, error in instants]


def places_after(setup: Setup, seed: int = 0) -> list[tuple[float, float, float]]:
    """Run a convoy once by its twin; return where everybody is at the end: x and y in metres, heading in radians."""
    places: list[tuple[float, float, float]] = _run(setup, seed, keeps_history=False)[-3]
    return places


def _run(setup: Setup, seed: int, *, keeps_history: bool) -> tuple[Any, ...]:
    links = seeds_of(seed, LINK, setup.robots - 1) if setup.message_loss > 0.0 else b""
    bodies = seeds_of(seed, BODY, setup.robots)
    return _twins.convoy(settings_of(setup), setup.steps, bodies, keeps_history, setup.message_loss, links)


def _measured(setup: Setup, found: tuple[Any, ...]) -> Measured:
    time, integral, warm_at, when_warm, broke_up_at, largest, way, *counts, _, _, why = found
    adjustments, lost, avoided, steps, led = counts
    is_warm = 0.0 <= warm_at < time
    hashed = (settings_of(setup), found[:-2]) if broke_up_at < 0.0 else (settings_of(setup), found[:-2], why)
    return Measured(
        error=CENTIMETRES * (integral - when_warm) / (time - warm_at) if is_warm else None,
        whole_error=CENTIMETRES * integral / time,
        largest_error=CENTIMETRES * largest,
        speed=way / time,
        adjustments=adjustments / max(1, steps),
        times_lost=lost,
        avoided=avoided,
        steps=led,
        time=time,
        broke_up_at=None if broke_up_at < 0.0 else broke_up_at,
        break_up=None if broke_up_at < 0.0 else _break_up(*why),
        trace_hash=blake2b(repr(hashed).encode(), digest_size=16).hexdigest(),
    )


def _break_up(robot: int, trouble: int, other: int, at: float, x: float, y: float) -> BreakUp:
    return BreakUp.of(robot, list(Obstruction)[trouble], other, at, (x, y))


def seeds_of(seed: int, kind: str, count: int) -> bytes:
    """Return the seeds of the random numbers of all bodies, or of all links, which are those of the models."""
    names = (f"{kind}{number + 1}" for number in range(count))
    return b"".join(blake2b(f"kumi\0{seed}\0{name}".encode(), digest_size=32).digest() for name in names)


def settings_of(setup: Setup) -> bytes:
    """Return the numbers of a setup in the order in which the twin takes them."""
    rules = setup.rules
    return pack(
        "=20d",
        rules.desired,
        rules.diameter,
        rules.step,
        rules.leader_turn,
        rules.scan_step,
        rules.scan_reach,
        rules.tolerance,
        rules.learning,
        rules.back_off,
        setup.dnf,
        setup.anf * CENTIMETRES,
        setup.infrared_reach,
        setup.infrared_resolution,
        setup.side_bearing,
        setup.speed,
        setup.turn_speed,
        setup.side,
        LEAST_WALL_DISTANCE,
        setup.break_up,
        setup.whisker_length,
    )
