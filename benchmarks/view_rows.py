"""The table of the view: what a page costs that shows many robots as they move."""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

PART = "View"
MODULE = "view_kumi"


def watched(robots: int, name: str, title: str, unit: str, target: float | None = None, *, key: str) -> Row:
    """Describe a row of robots that are looked at for half a minute."""
    run = Run(KUMI, {"robots": robots, "seconds": 30.0}, repeats=1, module=MODULE, quick={"seconds": 5.0})
    return Row(
        name=f"view-{name}-{robots}",
        title=f"{robots:,} moving robots, live: {title}",
        unit=unit,
        task="view_live",
        runs=(run,),
        target=target,
        key=key,
        part=PART,
    )


HISTORY = 128 * 2**20 / 1e6
"""Megabytes of a live run that the page keeps to go back in: what it may grow by."""


def hour(name: str, title: str, target: float | None = None, *, key: str) -> Row:
    """Describe a row of an hour of live data, sent as fast as the page takes it."""
    run = Run(
        KUMI, {"robots": 1_000, "seconds": 3600.0}, repeats=1, module="view_hour", quick={"seconds": 60.0}
    )
    return Row(
        name=f"view-hour-{name}",
        title=f"1,000 moving robots, an hour of live data: {title}",
        unit="MB",
        task="view_hour",
        runs=(run,),
        target=target,
        key=key,
        part=PART,
    )


ROWS: tuple[Row, ...] = (
    watched(10_000, "frame", "JavaScript a frame, median", "ms", 2.0, key="figure"),
    watched(10_000, "frame-p95", "JavaScript a frame, 95 %", "ms", key="p95"),
    watched(10_000, "interval", "from frame to frame, median, drawn by software", "ms", key="interval"),
    watched(10_000, "interval-p95", "from frame to frame, 95 %, drawn by software", "ms", key="interval_p95"),
    watched(10_000, "frames", "frames a second, drawn by software", "frames/s", key="frames"),
    watched(10_000, "first", "first picture after the page's start", "s", 2.0, key="first_picture"),
    watched(10_000, "bytes", "bytes over the wire", "kB/s", key="kilobytes"),
    watched(10_000, "memory", "memory of the page's objects", "MB", key="megabytes"),
    hour("bytes", "data of the hour, all of which the page got", key="megabytes"),
    hour("history", "what the page keeps of it to go back in", HISTORY, key="kept"),
    hour("grown", "growth of the page's process after its first tenth", HISTORY, key="beyond"),
    hour("early", "memory of the page's process after a tenth of it", key="early"),
    hour("half", "memory of the page's process after half of it", key="half"),
    hour("memory", "memory of the page's process after all of it", key="figure"),
    hour("heap", "JavaScript heap after all of it, without the bytes of the history", key="heap"),
    hour("server-early", "memory of the server's process after a tenth of it", key="server_early"),
    hour("server", "memory of the server's process after all of it", key="server"),
    watched(1_000, "frame", "JavaScript a frame, median", "ms", 2.0, key="figure"),
)
