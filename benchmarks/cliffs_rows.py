"""The table of cliffs: work whose cost once grew where it need not, each for three sizes that show how it grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.rows import KUMI, Row, Run

PART = "Cliffs"
MODULE = "cliffs_kumi"


@dataclass(frozen=True)
class Cliff:
    """One kind of work: `title` says with `{}` for which size."""

    task: str
    title: str
    unit: str
    key: str
    sizes: dict[int, float]
    """The sizes, and what is aimed at for each: at most twice what such work takes at least."""
    params: tuple[tuple[str, Any], ...] = ()
    repeats: int = 3

    @property
    def rows(self) -> list[Row]:
        """One row a size; the quick look takes the smallest alone."""
        names = "-".join((self.task, *(str(value) for _, value in self.params))).replace("_", "-")
        return [
            Row(
                name=f"{names}-{size}",
                title=self.title.format(f"{size:,}"),
                unit=self.unit,
                task=self.task,
                runs=(
                    Run(
                        KUMI,
                        {**dict(self.params), self.key: size},
                        self.repeats,
                        {} if size == min(self.sizes) else None,
                        MODULE,
                    ),
                ),
                target=target,
                part=PART,
            )
            for size, target in self.sizes.items()
        ]


CLIFFS = (
    Cliff(
        "radio_walls",
        "A broadcast to 20 hearers, walls on the map: {}",
        "µs/broadcast",
        "walls",
        {200: 200.0, 2_000: 440.0, 10_000: 1_040.0},
    ),
    Cliff(
        "link_effects",
        "A delivery on a network with cuts of other links: {}",
        "µs/delivery",
        "links",
        {1: 5.4, 100: 5.4, 1_000: 5.4},
        (("by", "cuts"),),
    ),
    Cliff(
        "link_effects",
        "A delivery on a network with effects on other links: {}",
        "µs/delivery",
        "links",
        {1: 5.4, 100: 5.4, 1_000: 5.4},
        (("by", "where"),),
    ),
    Cliff(
        "phi_heartbeat",
        "A heartbeat, watched by φ over so many gaps: {}",
        "µs/heartbeat",
        "window",
        {10: 8.0, 100: 8.0, 1_000: 8.0},
    ),
    Cliff(
        "match_maps",
        "Two maps of one building matched, its side in m: {}",
        "s",
        "side",
        {5: 0.1, 10: 0.25, 20: 1.5, 40: 6.0},
        repeats=1,
    ),
    Cliff(
        "show_at",
        "`kumi show --at`, as text and as a picture, of a run file of so many MB: {}",
        "CPU s",
        "megabytes",
        {15: 0.8, 60: 0.8, 120: 0.8},
        repeats=1,
    ),
    Cliff(
        "log_lines",
        "A line of `kumi log` of a run file of so many MB: {}",
        "µs",
        "megabytes",
        {2: 4.0, 8: 4.0, 32: 4.0},
        repeats=1,
    ),
    Cliff("list_command", "`kumi list`, times asked: {}", "CPU s", "times", {3: 0.4}),
    Cliff(
        "study_rows",
        "A run of a study in which a run does nothing, runs in all: {}",
        "ms/run",
        "rows",
        {100: 0.7, 400: 0.7, 1_600: 0.7},
    ),
    Cliff(
        "around_movers",
        "A profile of speed around others on their way: {}",
        "ms",
        "movers",
        {1: 7.0, 8: 54.0, 64: 435.0},
    ),
    Cliff(
        "polygon_walk",
        "Polygons that walk, their corners: {}",
        "µs/robot second",
        "corners",
        {4: 90.0, 64: 140.0, 256: 140.0},
        (("robots", 100), ("seconds", 5.0)),
    ),
    Cliff(
        "observe_scans",
        "A scan for the planner of an exploration, metres driven before: {}",
        "ms/scan",
        "metres",
        {5: 4.0, 20: 4.0, 80: 4.0},
        repeats=1,
    ),
    Cliff(
        "route_grid",
        "A route over cells on 20 × 20 m, obstacles: {}",
        "ms",
        "obstacles",
        {10: 10.0, 100: 10.0, 1_000: 20.0},
    ),
    Cliff(
        "paired_values",
        "Two lists of values compared pair by pair, pairs: {}",
        "s",
        "pairs",
        {100: 0.05, 1_000: 0.25, 10_000: 2.2},
    ),
    Cliff(
        "car_walk",
        "A motion of a car to a place by chance, cars: {}",
        "µs/motion",
        "robots",
        {10: 12.0, 100: 12.0, 1_000: 12.0},
    ),
    Cliff(
        "follower_samples",
        "A sample of a trajectory followed with a lag, samples: {}",
        "µs/sample",
        "samples",
        {100: 6.0, 1_000: 6.0, 10_000: 6.0},
    ),
)

ROWS: tuple[Row, ...] = tuple(row for cliff in CLIFFS for row in cliff.rows)
