"""The table of plans in the plane: routes, paths, profiles, and vehicles that give way."""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

TOPPRA = "toppra"

PART = "Plans"
MODULE = "plan_kumi"
POSTURES = 1000


def pipeline(by: str, target: float | None) -> Row:
    """Describe a row of the whole way from the obstacles to the profile."""
    return Row(
        name=f"plan-{by}",
        title=f"Route by {by} among 48 blocks, path of {POSTURES:,} postures, profile; 50 m",
        unit="ms",
        task="plan_pipeline",
        runs=(Run(KUMI, {"by": by, "postures": POSTURES}, module=MODULE),),
        target=target,
        part=PART,
    )


ROWS: tuple[Row, ...] = (
    pipeline("visibility", 50.0),
    pipeline("grid", None),
    pipeline("voronoi", None),
    pipeline("cells", None),
    Row(
        name="plan-profile",
        title="Speed profile of 50 m, 2,001 postures",
        unit="ms",
        task="plan_profile",
        runs=(Run(KUMI, {"postures": 2001}, module=MODULE), Run(TOPPRA, {"postures": 2001})),
        part=PART,
    ),
    Row(
        name="plan-crossing",
        title="20 vehicles that cross near one place, by priority",
        unit="ms",
        task="plan_crossing",
        runs=(Run(KUMI, {"vehicles": 20}, repeats=1, module=MODULE, quick={"vehicles": 5}),),
        part=PART,
    ),
)
