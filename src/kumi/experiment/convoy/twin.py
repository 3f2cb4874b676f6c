"""How does one run a convoy very many times?

By its compiled twin: the same decisions in the same order, and the same numbers up to rounding, some seventy times as
fast. It does not know what a contact does. Where one might happen, or a whisker might touch something, the models
run instead, so a study need not care. What is hashed is where everybody was at the end, and the measures.
"""

from __future__ import annotations

from hashlib import blake2b
from struct import pack

from kumi import _twins
from kumi.experiment.convoy.running import Measured, run_convoy
from kumi.experiment.convoy.setup import CENTIMETRES, ROOM, Setup

BODY = "study.convoy.world.robot "
"""What comes before a robot's number in the name of its random numbers."""


def run_fast(setup: Setup, seed: int = 0) -> Measured:
    """Run a convoy once, by its twin where that can tell, else by its models."""
    return run_twin(setup, seed) or run_convoy(setup, seed)


def run_twin(setup: Setup, seed: int = 0) -> Measured | None:
    """Run a convoy once by its twin; None where something might have been touched."""
    numbers = settings_of(setup)
    found = _twins.convoy(numbers, setup.steps, seeds_of(setup, seed))
    if found is None:
        return None
    time, integral, warm_at, when_warm, broke_up_at, largest, adjustments, lost, steps, led, _ = found
    is_warm = 0.0 <= warm_at < time
    return Measured(
        error=CENTIMETRES * (integral - when_warm) / (time - warm_at) if is_warm else None,
        whole_error=CENTIMETRES * integral / time,
        largest_error=CENTIMETRES * largest,
        speed=led * setup.rules.step / time,
        adjustments=adjustments / max(1, steps),
        times_lost=lost,
        avoided=0,
        steps=led,
        time=time,
        broke_up_at=None if broke_up_at < 0.0 else broke_up_at,
        trace_hash=blake2b(repr((numbers, found)).encode(), digest_size=16).hexdigest(),
    )


def seeds_of(setup: Setup, seed: int) -> bytes:
    """Return the seeds of the bodies' random numbers, which are those of the models."""
    names = (f"{BODY}{number + 1}" for number in range(setup.robots))
    return b"".join(blake2b(f"kumi\0{seed}\0{name}".encode(), digest_size=32).digest() for name in names)


def settings_of(setup: Setup) -> bytes:
    """Return the numbers of a setup in the order in which the twin takes them."""
    rules = setup.rules
    return pack(
        "=19d",
        rules.desired,
        rules.diameter,
        rules.step,
        rules.leader_turn,
        rules.scan_step,
        rules.scan_reach,
        rules.tolerance,
        rules.learning,
        setup.dnf,
        setup.anf * CENTIMETRES,
        setup.infrared_reach,
        setup.infrared_resolution,
        setup.side_bearing,
        setup.speed,
        setup.turn_speed,
        setup.side,
        ROOM,
        setup.break_up,
        setup.whisker_length,
    )
