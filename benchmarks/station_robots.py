"""A process of robots for the station's benchmark: they enter, report, and write down when they are told to stop.

A task that they are given is done at once.

Usage: python -m benchmarks.station_robots KEYS ENDPOINT HERTZ. It prints `in` when all are in, a line `stop TAG AT` for each
stop, and now and then a line of round trips of words to the station and back: when each was said, and when its answer came.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress
from functools import partial
from math import cos, pi, remainder, sin, tau
from pathlib import Path
from time import monotonic

from kumi.station.entering.session import StationSession
from kumi.station.operations.people import Hello
from kumi.station.operations.robots import Welcome
from kumi.station.operations.tasks import RequestTask, TaskDone
from kumi.station.records import PoseRecord, TaskOption
from kumi.station.refusals import Refused
from kumi.station.wire.carrier import CarrierError
from kumi.station.wire.messages import HaltNow, RobotNotice, TasksChanged
from kumi.station.wire.zenoh_carrier import ZenohCarrier

WAIT = TaskOption(name="wait", about="do nothing")
PROBE = 0.05
"""Seconds between two words whose round trip is timed."""
SAID_AT_ONCE = 20
"""Times of trips that are said in one line."""


def on_circle(number: int, time: float) -> PoseRecord:
    """Return where a robot is that drives round a circle of 5 m at 1 m/s, each about a place of its own."""
    angle = remainder(time / 5.0, tau)
    x, y = 12.0 * (number % 40), 12.0 * (number // 40)
    return PoseRecord(
        x=x + 5.0 * cos(angle), y=y + 5.0 * sin(angle), heading=remainder(angle + pi / 2.0, tau)
    )


class Crowd:
    """Robots that share a process and its way to the station."""

    def __init__(self, carrier: ZenohCarrier, keys: list[tuple[str, str]]) -> None:
        self._working: set[asyncio.Task[None]] = set()
        welcome = Welcome(options=(WAIT,))
        self.sessions = [
            StationSession(carrier, tag, key, lambda: welcome, told=partial(self._told, number))
            for number, (tag, key) in enumerate(keys)
        ]

    def _told(self, number: int, told: RobotNotice) -> None:
        session = self.sessions[number]
        if isinstance(told, HaltNow):
            print("stop", session.robot, monotonic(), flush=True)
        elif isinstance(told, TasksChanged):
            working = asyncio.ensure_future(self._work(session))
            self._working.add(working)
            working.add_done_callback(self._working.discard)

    async def _work(self, session: StationSession) -> None:
        """Do what waits for a robot."""
        with suppress(CarrierError, Refused):  # the station is away, or the task was taken back
            task = (await session.call(RequestTask())).task
            while task is not None:
                task = (await session.call(TaskDone(task=task.id))).task

    async def report(self, hertz: float) -> None:
        """Report the positions of all, spread evenly over each period."""
        step = 1.0 / (hertz * len(self.sessions))
        begun, number = monotonic(), 0
        while True:
            due = int((monotonic() - begun) / step)
            while number < due:
                count, which = divmod(number, len(self.sessions))
                self.sessions[which].tell_position(on_circle(which, count / hertz), {"count": count})
                number += 1
            await asyncio.sleep(0.005)

    async def probe(self) -> None:
        """Time the round trip of a word, again and again."""
        number = 0
        trips: list[float] = []
        while True:
            session = self.sessions[number % len(self.sessions)]
            number += 1
            if session.is_in:
                begun = monotonic()
                try:
                    await session.call(Hello())
                    trips += begun, monotonic()
                except CarrierError:
                    pass  # the station is away, as the benchmark wants it now and then
            if len(trips) >= SAID_AT_ONCE:
                print("trips", *trips, flush=True)
                trips.clear()
            await asyncio.sleep(PROBE)


async def main(keys: Path, endpoint: str, hertz: float) -> None:
    """Run the robots of a file of keys until told to end."""
    pairs = [tuple(line.split(":")[1:3]) for line in keys.read_text().splitlines()]
    carrier = await ZenohCarrier.connected(endpoint)
    crowd = Crowd(carrier, [(tag, key) for tag, key in pairs])
    work = [session.run() for session in crowd.sessions]
    tasks = [asyncio.ensure_future(one) for one in (*work, crowd.report(hertz), crowd.probe())]
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    while not (over.is_set() or all(session.is_in for session in crowd.sessions)):
        await asyncio.sleep(0.05)
    print("in", flush=True)
    await over.wait()
    for task in tasks:
        task.cancel()
    await carrier.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])))
