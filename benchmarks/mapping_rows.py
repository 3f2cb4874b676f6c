"""The table of mapping: how well robots are found, how good their map is, and how much faster three are than one.

The criteria are those for six infrared beams in an arena of 4 by 3 m (see docs/mapping.md). All rows of one range share
a measurement: three robots at once on six seeds, 18 m each. `diverged` counts robots of 18 that are lost by half a metre.
The figures of exploration are medians of three seeds; all rows of one place and range share a measurement. So do those of
the plans that nobody shipped: ten random ones of 5 by 3.5 m (benchmarks/mapping_plans.py), three seeds each.
"""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

PART = "Mapping"
MODULE = "mapping_kumi"
SEEDS = 6
PLACES = ("arena", "corridor-loop", "rooms", "office")
EXPLORED = 3
"""Seeds on which a place is explored."""
PLANS = 10
"""Random plans that are explored."""


def judged(
    reach: float, name: str, title: str, unit: str, target: float, *, more_is_better: bool = False
) -> Row:
    """Describe a row of the logs in the arena."""
    run = Run(KUMI, {"reach": reach, "seeds": SEEDS}, repeats=1, module=MODULE, quick={"seeds": 1})
    return Row(
        name=f"mapping-{name}-{reach:g}",
        title=f"Arena, beams of {reach:g} m: {title}",
        unit=unit,
        task="mapping_arena",
        runs=(run,),
        target=target,
        more_is_better=more_is_better,
        key=name,
        part=PART,
    )


def exploring(place: str, reach: float) -> tuple[Row, ...]:
    """Describe the rows of how much sooner three robots know nine tenths of a place than one, and how well."""
    run = Run(
        KUMI,
        {"place": place, "reach": reach, "seeds": EXPLORED},
        repeats=1,
        module=MODULE,
        quick={"seeds": 1},
    )

    def row(name: str, title: str, unit: str, target: float | None, *, more_is_better: bool, key: str) -> Row:
        return Row(
            name=f"mapping-{place}-{reach:g}-{name}",
            title=f"{place}, beams of {reach:g} m: {title}",
            unit=unit,
            task="mapping_speedup",
            runs=(run,),
            target=target,
            more_is_better=more_is_better,
            key=key,
            part=PART,
        )

    bound = 10.0 if reach < 1.0 else 8.0
    return (
        row(
            "three",
            "three robots against one, time to know 90 %",
            "times as fast",
            2.2,
            more_is_better=True,
            key="figure",
        ),
        row("error", "trajectory error of three, median", "cm", bound, more_is_better=False, key="error"),
        row("precision", "precision of their map, median", "", 0.80, more_is_better=True, key="precision"),
        row("recall", "recall with 90 % of the floor known", "", None, more_is_better=True, key="recall"),
    )


def unknown(
    key: str, title: str, target: float | None, *, unit: str = "", more_is_better: bool = True
) -> Row:
    """Describe a row of the random plans."""
    run = Run(
        KUMI,
        {"plans": PLANS, "seeds": EXPLORED},
        repeats=1,
        module=MODULE,
        quick={"plans": 2, "seeds": 1},
    )
    return Row(
        name=f"mapping-unknown-{key}",
        title=f"Random plans of 5 by 3.5 m, beams of 0.8 m: {title}",
        unit=unit,
        task="mapping_unknown",
        runs=(run,),
        target=target,
        more_is_better=more_is_better,
        key=key,
        part=PART,
    )


ROWS: tuple[Row, ...] = (
    judged(1.5, "median", "trajectory error, median", "cm", 8.0),
    judged(1.5, "ninetieth", "trajectory error, 90 %", "cm", 12.0),
    judged(1.5, "worst", "trajectory error, worst", "cm", 25.0),
    judged(1.5, "of_reckoning", "trajectory error as a share of dead reckoning's", "", 0.125),
    judged(1.5, "precision", "precision of the merged map, median", "", 0.80, more_is_better=True),
    judged(1.5, "recall", "recall of the merged map, median", "", 0.90, more_is_better=True),
    judged(0.8, "median", "trajectory error, median", "cm", 10.0),
    judged(0.8, "diverged", "robots of 18 that diverge", "robots", 2.0),
    judged(0.8, "precision", "precision of the merged map, median", "", 0.80, more_is_better=True),
    judged(0.8, "recall", "recall of the merged map, median", "", 0.90, more_is_better=True),
    judged(0.8, "times_real", "speed of one robot's filter", "times real time", 10.0, more_is_better=True),
    *(row for place in PLACES for reach in (0.8, 1.5) for row in exploring(place, reach)),
    unknown("plan_precision", "precision, mean of the worst plan", 0.85),
    unknown("plan_recall", "recall, mean of the worst plan", 0.90),
    unknown("run_precision", "precision, worst run", 0.85),
    unknown("run_recall", "recall, worst run", 0.90),
    unknown("median_precision", "precision, median", None),
    unknown("median_recall", "recall, median", None),
    unknown("error", "trajectory error, median", 10.0, unit="cm", more_is_better=False),
    unknown("unfinished", "runs that do not end by themselves", 0.0, unit="runs", more_is_better=False),
    Row(
        name="mapping-beams",
        title="Adding a beam of 0.8 m to a map of cells of 5 cm",
        unit="µs",
        task="mapping_beams",
        runs=(Run(KUMI, {"scans": 20_000}, module=MODULE, quick={"scans": 2_000}),),
        part=PART,
    ),
)
