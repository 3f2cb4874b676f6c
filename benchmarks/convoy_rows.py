"""The table of studies: how often a second one core runs the convoy of 30 robots for 1,000 steps of its leader.

All runs count, those with contacts and those that break up as well, with the default setup: noise, infrared, whiskers.
"""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

PART = "Studies"
MODULE = "convoy_kumi"

ROWS: tuple[Row, ...] = (
    Row(
        name="convoy-twin",
        title="Convoy, 30 robots, 1,000 steps: runs a second by the compiled twin",
        unit="runs/s",
        task="convoy_runs",
        runs=(Run(KUMI, {"by": "twin", "runs": 40}, module=MODULE, quick={"by": "twin", "runs": 10}),),
        target=20.0,
        more_is_better=True,
        part=PART,
    ),
    Row(
        name="convoy-programs",
        title="The same by the robots' programs, as every other run goes",
        unit="runs/s",
        task="convoy_runs",
        runs=(Run(KUMI, {"by": "programs", "runs": 40}, module=MODULE, quick={"by": "programs", "runs": 4}),),
        target=8.0,
        more_is_better=True,
        part=PART,
    ),
)
