"""Does a station grow while it runs? It is put under load for a long time, and looked at again and again.

Usage: python -m benchmarks.station_soak [--seconds 3600] [--robots 100] [--users 5] [--views 2] [--keep 20000]. Robots report at
10 Hz and do a task each now and then; users look, stop and give tasks. A line says every 10 s what the station uses. At the end,
what each grew by in an hour, by a straight line through all looks after the warm-up, which is a fifth of the time. A small
`--keep` lets the logs come to their bound within the run.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from time import monotonic, sleep

import numpy as np

from benchmarks.station_kumi import Load
from kumi.station.client import Client, StationGone
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import GiveTask
from kumi.station.refusals import Refused

LOOK = 10.0
"""Seconds between two looks."""
ACT = 0.1
"""Seconds between two tasks; every tenth time it is a stop."""
WARM = 0.2
"""The share of the time that is warm-up."""
KINDS = ("memory MiB", "files", "threads", "store MiB", "log MiB")


def look(load: Load) -> tuple[float, ...]:
    """Return what a station uses: memory, open files, threads, bytes of its store and of its write-ahead log."""
    process = Path(f"/proc/{load.process.pid}")
    sizes = [
        path.stat().st_size / 2**20 if path.exists() else 0.0
        for path in (load.folder / "station.db", load.folder / "station.db-wal")
    ]
    files, threads = (len(list((process / kind).iterdir())) for kind in ("fd", "task"))
    return load.usage()[1], float(files), float(threads), *sizes


def act(client: Client, number: int, robots: int) -> None:
    """Give one robot a task, or stop it; a station may refuse, and may be busy."""
    robot = f"r{number % robots}"
    with suppress(Refused, StationGone):
        client.call(Stop(robot=robot) if number % 10 == 0 else GiveTask(robot=robot, task="wait"))


def soak(seconds: float, robots: int, users: int, views: int, keep: int) -> None:
    """Run a station under load, and print what it uses."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        load = Load(Path(folder), robots, 1, 10.0, max(1, users), stack, options=("--keep", str(keep)))
        load.use(users, views, seconds)
        client = stack.enter_context(Client(load.url, load.tokens[0], timeout=30.0))
        looks: list[tuple[float, ...]] = []
        begun, number = monotonic(), 0
        print(f"{'s':>6}", *(f"{kind:>12}" for kind in KINDS), flush=True)
        while (now := monotonic() - begun) < seconds:
            if now >= LOOK * len(looks):
                looks.append((now, *look(load)))
                print(f"{now:6.0f}", *(f"{one:12.1f}" for one in looks[-1][1:]), flush=True)
            act(client, number, robots)
            number += 1
            sleep(max(0.0, begun + number * ACT - monotonic()))
        after = np.array([one for one in looks if one[0] >= WARM * seconds])
        slopes = np.polyfit(after[:, 0] / 3600.0, after[:, 1:], 1)[0]
        print(f"{number} tasks and stops; growth in an hour, after the warm-up:")
        for kind, slope, last in zip(KINDS, slopes, after[-1, 1:], strict=True):
            print(f"  {kind:<12}{slope:+10.2f}, at {last:.1f} in the end")


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__)
    for name, kind, default in (
        ("seconds", float, 3600.0),
        ("robots", int, 100),
        ("users", int, 5),
        ("views", int, 2),
        ("keep", int, 20_000),
    ):
        reader.add_argument(f"--{name}", type=kind, default=default)
    soak(**vars(reader.parse_args()))
