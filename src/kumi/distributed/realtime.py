"""How do parts on several machines run in real time?

Each part follows its own clock. The clocks are compared with that of the hub, as NTP does: a part asks for the
time, and takes the answer to be from the middle of the round trip; the shortest of the last few round trips
counts. It goes on asking while the run goes on, so that clocks that drift are followed.

A value carries the time of its sending. It is due `transit` seconds later; if it arrives later than that, it
happens when it arrives, and is counted as late. Results depend on the network, as in any run in real time.
"""

from __future__ import annotations

import math
import select
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from kumi.devs import Lateness
from kumi.devs.pace import PaceClock as Pace
from kumi.distributed.part import Part
from kumi.distributed.partition import DistributedError, PartFailed, PartLost
from kumi.distributed.wire import (
    ClockFrame,
    DoneFrame,
    FailedFrame,
    Finish,
    PartConnection,
    Post,
    Said,
    StartFrame,
    StopFrame,
    WelcomeFrame,
)

FIRST_ASKS = 8
ASK_EVERY = 0.25
"""Seconds of wall time from one comparison of clocks to the next."""
ROUND_TRIPS = 8
"""How many round trips are compared."""
LEAD = 0.05
"""Seconds from the last comparison to the start."""
MAIL_EVERY = 0.01
"""Seconds of wall time between two looks for the results of activities."""


@dataclass
class Paced:
    """How well a part kept up: instants behind the clock, values behind their time, the clock's offset."""

    instants: Lateness = field(default_factory=Lateness)
    arrivals: Lateness = field(default_factory=Lateness)
    offset: float = 0.0


class Offset:
    """How far the hub's clock is ahead of ours, from the shortest of the last round trips."""

    def __init__(self) -> None:
        self._trips: deque[tuple[float, float]] = deque(maxlen=ROUND_TRIPS)

    def learn(self, asked: float, told: float, heard: float) -> None:
        """Take in one round trip: asked and heard by our clock, answered by the hub's."""
        self._trips.append((heard - asked, told - (asked + heard) / 2.0))

    @property
    def seconds(self) -> float:
        """What to add to our clock to get the hub's."""
        return min(self._trips)[1]


def run_paced(part: Part, line: PartConnection, welcome: WelcomeFrame) -> Paced:
    """Run a part by the wall clock, up to the end that the hub has named."""
    return _PacedPart(part, line, welcome).run()


class _PacedPart:
    def __init__(self, part: Part, line: PartConnection, welcome: WelcomeFrame) -> None:
        self._part = part
        self._line = line
        self._welcome = welcome
        self._offset = Offset()
        self._start = math.inf  # by the hub's clock
        self._asked = -math.inf
        self._paced = Paced()

    def run(self) -> Paced:
        for _ in range(FIRST_ASKS):
            self._line.say(ClockFrame(monotonic(), 0.0))
            self._take(self._line.hear())
        self._line.say(DoneFrame())  # ready
        while self._start == math.inf:
            self._take(self._line.hear())
        while self._turn():
            pass
        self._line.say(DoneFrame())
        while not isinstance(said := self._line.hear(), Finish):
            if isinstance(said, StopFrame):
                raise PartLost(said.why)
        self._paced.offset = self._offset.seconds
        return self._paced

    def _clock(self) -> Pace:
        return Pace(self._welcome.pace, self._start - self._offset.seconds, 0.0)

    def _turn(self) -> bool:
        """Do what is due, or wait for what comes first; False when the run is over."""
        clock = self._clock()
        self._part.take_mail(clock)
        upcoming = min(self._part.next_time, self._welcome.until)
        wait = clock.due(upcoming) - monotonic()
        if wait <= 0.0:
            if self._part.next_time > self._welcome.until:
                return False
            self._paced.instants.add(-wait)
            self._work(upcoming)
            wait = 0.0
        if monotonic() - self._asked > ASK_EVERY:
            self._asked = monotonic()
            self._line.say(ClockFrame(self._asked, 0.0))
        longest = MAIL_EVERY if self._part.is_waiting else ASK_EVERY
        while (said := self._line.pending()) is not None:
            self._take(said)
            wait = 0.0
        if select.select([self._line], [], [], min(wait, longest))[0]:
            self._line.take()
        return True

    def _work(self, instant: float) -> None:
        limit = math.nextafter(instant, math.inf)
        while (values := self._part.run_apart(limit)) is not None:
            for value in values:
                self._line.say(Post(self._part.now, value.target, value.data))
            self._part.end_step(self._part.now, self._part.engine.step_number, [], [])

    def _take(self, said: Said) -> None:
        match said:
            case ClockFrame(asked, told):
                self._offset.learn(asked, told, monotonic())
            case StartFrame(at):
                self._start = at
            case Post(time, target, data):
                self._deliver(time, target, data)
            case StopFrame(why):
                raise PartLost(why)
            case _:
                raise DistributedError(f"the hub said {type(said).__name__} in the middle of a run")

    def _deliver(self, time: float, target: int, data: bytes) -> None:
        port, value = self._part.arrived(target, data)
        present = self._clock().simulated(monotonic())
        due = time + self._welcome.transit
        self._paced.arrivals.add((present - due) / self._welcome.pace)
        self._part.engine.inject(port, value, max(self._part.now, due, min(present, self._welcome.until)))


def relay(
    lines: Mapping[str, PartConnection],
    part_of: Callable[[int], str],
    pace: float,
    on_progress: Callable[[float], object] | None,
) -> None:
    """Be the hub of a run in real time: tell the time, start all together, pass values on, until all are done."""
    waiting = set(lines)
    while waiting:
        _pass_on(lines, part_of, waiting)
    start = monotonic() + LEAD
    for line in lines.values():
        line.say(StartFrame(start))
    waiting = set(lines)
    while waiting:
        _pass_on(lines, part_of, waiting)
        if on_progress is not None:
            on_progress(max(0.0, (monotonic() - start) * pace))


def _pass_on(lines: Mapping[str, PartConnection], part_of: Callable[[int], str], waiting: set[str]) -> None:
    """Do something about all that has come, then wait for more."""
    for name, line in lines.items():
        while (said := line.pending()) is not None:
            match said:
                case ClockFrame(asked):
                    line.say(ClockFrame(asked, monotonic()))
                case Post(_, target):
                    lines[part_of(target)].say(said)
                case DoneFrame():
                    waiting.discard(name)
                case FailedFrame(why):
                    raise PartFailed(f"{line.name} failed: {why}")
                case _:
                    raise DistributedError(f"{line.name} said {type(said).__name__} in the middle of a run")
    if waiting:
        for line in select.select([*lines.values()], [], [], ASK_EVERY)[0]:
            line.take()
