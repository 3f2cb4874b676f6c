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


def headings(near: int, far: int, rate: float | None) -> tuple[Row, ...]:
    """Describe how much longer than the shortest drive paths between headings are, at worst and on average."""
    bound = "" if rate is None else f", rate of curvature up to {rate:g} / radius²"
    runs = (
        Run(
            KUMI,
            {"near": float(near), "far": float(far), "rate": rate, "poses": 1000},
            repeats=1,
            module=MODULE,
            quick={"poses": 100},
        ),
    )
    return tuple(
        Row(
            name=f"plan-headings-{near}-{far}-{'free' if rate is None else f'{rate:g}'}-{key}",
            title=f"1,000 paths between headings, {near} to {far} radii apart{bound}: {key}",
            unit="× Dubins",
            task="plan_headings",
            runs=runs,
            target=1.15 if rate is None and key == "worst" else None,
            key=key,
            part=PART,
        )
        for key in ("worst", "mean")
    )


BANDS = ((1, 2), (2, 4), (4, 8), (8, 16))
"""How far apart the ends of paths are, in radii."""

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
    *(row for rate in (None, 4.0) for band in BANDS for row in headings(*band, rate)),
    Row(
        name="plan-crossing",
        title="20 vehicles that cross near one place, by priority",
        unit="ms",
        task="plan_crossing",
        runs=(Run(KUMI, {"vehicles": 20}, repeats=1, module=MODULE, quick={"vehicles": 5}),),
        part=PART,
    ),
    *(
        Row(
            name=f"reserving-{task.replace('_', '-')}-{chunk:g}",
            title=f"50 robots on reserved floor, 8 × 8 one-way lanes, 300 s, {chunk:g} m at a time, {how}",
            unit="s",
            task=task,
            runs=(
                Run(
                    KUMI,
                    {"robots": 50, "seconds": 300.0, "chunk": chunk},
                    repeats=1,
                    module="reserving_kumi",
                    quick={"robots": 10, "seconds": 30.0, "chunk": chunk},
                ),
            ),
            target=5.0,
            part=PART,
        )
        for task, how in (("lanes", "the list alone"), ("lanes_driven", "simulated robots"))
        for chunk in (1.0, 0.5)
    ),
)
