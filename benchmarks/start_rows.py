"""The table of starting: how long one waits before anything happens."""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

PART = "Start"
RUN = Run(KUMI, {"times": 10}, module="start_kumi", quick={"times": 2})

ROWS: tuple[Row, ...] = (
    Row("start-import", "`import kumi`, CPU time", "ms", "start_import", (RUN,), target=80.0, part=PART),
    Row(
        "start-help",
        "`kumi --help`, CPU time of the process",
        "ms",
        "start_help",
        (RUN,),
        target=150.0,
        part=PART,
    ),
)
