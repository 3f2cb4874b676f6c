"""The table of the station: 1,000 robots that report, 50 users who look and stop, 20 pages that show all of it, a killed crowd, a killed station.

The crowds and the users need cores of their own: on a machine with fewer than four, or a busy one, times say little; the CPU
of the station does.
"""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

PART = "Station"
MODULE = "station_kumi"
FULL = {
    "number": 1000,
    "crowds": 2,
    "hertz": 10.0,
    "users": 50,
    "views": 20,
    "seconds": 30.0,
    "stops": 300,
}
QUICK = {"number": 100, "crowds": 2, "users": 5, "views": 2, "seconds": 3.0, "stops": 20}


def row(key: str, title: str, unit: str, target: float | None = None, *, more_is_better: bool = False) -> Row:
    """Describe one figure of the station under load."""
    return Row(
        name=f"station-{key.replace('_', '-')}",
        title=f"1,000 robots at 10 Hz, 50 users, 20 pages: {title}",
        unit=unit,
        task="station_load",
        runs=(Run(KUMI, dict(FULL), repeats=1, module=MODULE, quick=dict(QUICK)),),
        target=target,
        more_is_better=more_is_better,
        key=key,
        part=PART,
    )


ROWS: tuple[Row, ...] = (
    row("figure", "reports that reach the store", "reports/s", 9_900.0, more_is_better=True),
    row("cpu", "CPU of the station", "cores", 1.0),
    row("memory", "memory of the station", "MiB"),
    row("trip_p50", "a robot's word to the station and back, median", "ms"),
    row("trip_p99", "a robot's word to the station and back, 99 of 100", "ms", 50.0),
    row("look_p50", "a user's look, median", "ms"),
    row("look_p99", "a user's look, 99 of 100", "ms"),
    row("view", "what a page gets while all robots move", "MB/s"),
    row("stop_p50", "from a user's stop to the robot, median", "ms"),
    row("stop_p99", "from a user's stop to the robot, 99 of 100", "ms", 50.0),
    row("lost", "500 robots killed until all are marked lost", "s", 1.5),
    row("back", "station killed and started until all are back", "s", 2.5),
)
