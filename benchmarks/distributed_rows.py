"""The table of models over several processes: what dividing a model costs, and when it pays.

Wall time is what counts here, but it says little on a busy machine. The CPU time on the path does not depend on that:
that of all processes where they take turns, that of the busiest where they run ahead.
"""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

PART = "Distributed"
MODULE = "distributed_kumi"
WAYS = {
    "whole": "one process",
    "in turn": "two processes, no lookahead",
    "ahead": "two processes, lookahead 5 s",
}


def rows(name: str, title: str, work: int, until: float) -> tuple[Row, ...]:
    """Describe the rows of one kind of model, each way to run it."""
    return tuple(
        Row(
            name=f"distributed-{name}-{way.replace(' ', '-')}-{key}",
            title=f"Two yards, {title}: {WAYS[way]}, {of}",
            unit="transitions/s",
            task="divided",
            runs=(
                Run(
                    KUMI,
                    {"way": way, "work": work, "until": until},
                    module=MODULE,
                    quick={"until": until / 10.0},
                ),
            ),
            more_is_better=True,
            key=key,
            part=PART,
        )
        for way in WAYS
        for key, of in (("figure", "of wall time"), ("path", "of CPU time on the path"))
    )


ROWS: tuple[Row, ...] = (
    *rows("bare", "bare events", 0, 2_000.0),
    *rows("work", "about 0.3 ms of work an event", 5_000, 200.0),
)
