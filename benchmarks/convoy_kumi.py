"""The convoy by kumi: its compiled twin, and the programs of its robots."""

from __future__ import annotations

from time import process_time

from benchmarks.tasks import Sample
from kumi.convoy import Setup, run_convoy, run_twin

FIRST_SEED = 1000
"""Seeds that nothing was chosen by."""


def convoy_runs(by: str, runs: int) -> Sample:
    """Run the convoy of 30 robots for 1,000 steps so often, and count runs a second of processor time."""
    run = run_twin if by == "twin" else run_convoy
    setup = Setup()
    run(Setup(robots=2, steps=2), 0)
    begun = process_time()
    for seed in range(FIRST_SEED, FIRST_SEED + runs):
        run(setup, seed)
    return {"figure": runs / (process_time() - begun)}
