"""kumi: one robot program, from ten thousand simulated robots to the one on the floor."""

from kumi.kernel import (
    Interrupted,
    Run,
    Signal,
    after,
    chance,
    note,
    now,
    run,
    sleep,
    together,
    unless,
    until,
)

__all__ = [
    "Interrupted",
    "Run",
    "Signal",
    "after",
    "chance",
    "note",
    "now",
    "run",
    "sleep",
    "together",
    "unless",
    "until",
]

__version__ = "0.1.0"
