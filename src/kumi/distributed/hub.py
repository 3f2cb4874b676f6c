"""Which part may run, and how far, so that all is as in one process?

The hub knows of every part what comes next there and the earliest time at which it may send. A part may run
alone before the earliest time at which any other may send. It stops when it sends itself. Where nobody may run
alone, all parts take the next instant together: those with the least rank give their outputs, the hub puts the
values of all parts in the order of one process, and all that sent or received make their transitions; so on
until the instant is over.

A part whose models state a lookahead can run while others run: that is where time is gained. Afterwards the
order of what was planned at instants that several parts had is found from the order of their steps.

At one instant, a process makes steps of the least rank that is due anywhere, again and again. So the steps of
two parts that did not exchange anything at that instant are merged by their ranks: the lower goes first, equal
ones are one step. Within a step, those planned earlier come first; tickets say when that was. A ticket may name
a step of an earlier instant that is merged here, too; so instants are gone through in order of time.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from kumi.devs import EndlessLoop
from kumi.distributed.partition import PartFailed, PartLost
from kumi.distributed.wire import (
    Align,
    AskSteps,
    AskTimes,
    Begin,
    EndFrame,
    FailedFrame,
    GoFrame,
    Outputs,
    PartConnection,
    Said,
    Stand,
    StepsFrame,
    Ticket,
    Times,
    ValueFrame,
)

TELL_EVERY = 0.1
"""Seconds of wall time from one word about progress to the next."""


class Hub:
    """Leads the parts through one run; `part_of` gives the part of an input by its number."""

    def __init__(
        self,
        lines: Mapping[str, PartConnection],
        lookahead: Mapping[str, float],
        part_of: Callable[[int], str],
        *,
        max_steps: int,
        on_progress: Callable[[float], object] | None = None,
    ) -> None:
        self._lines = lines
        self._is_ahead = {part: seconds > 0.0 for part, seconds in lookahead.items()}
        self._part_of = part_of
        self._max_steps = max_steps
        self._on_progress = on_progress
        self._told = 0.0
        self._stands: dict[str, Stand] = {}
        self.rounds = 0
        """How often the hub has waited for parts."""

    def run(self, until: float) -> None:
        """Let everything happen up to and including `until`."""
        end = math.nextafter(until, math.inf)
        self._stands = {part: self._hear(part, Stand) for part in self._lines}
        while (instant := min(stand.next for stand in self._stands.values())) < end and instant < math.inf:
            self._tell(instant)
            limits = self._limits(end)
            if not limits:
                self._instant(instant, 0)
                continue
            stands = self._ask({part: GoFrame(limit) for part, limit in limits.items()}, Stand)
            self._stands |= stands
            for part, stand in stands.items():
                if stand.values is not None:
                    self._end_step(stand.next, stand.step, {part: []}, {part: stand.values})
                    self._instant(stand.next, stand.step)
            if any(stand.ahead_is_full for stand in self._stands.values()):
                self._align()

    def _tell(self, instant: float) -> None:
        """Tell how far the run is, a few times a second."""
        if self._on_progress is not None and monotonic() - self._told > TELL_EVERY:
            self._told = monotonic()
            self._on_progress(instant)

    def _limits(self, end: float) -> dict[str, float]:
        """Give those that may run alone the time before which they may."""
        found = {}
        for part, stand in self._stands.items():
            others = [other for name, other in self._stands.items() if name != part]
            if self._is_ahead[part]:
                limit = min([end, *(other.sends for other in others)])
                may_run = stand.next < min(limit, stand.sends)
            else:
                limit = min([end, *(other.next for other in others)])
                may_run = stand.next < limit
            if may_run:
                found[part] = limit
        return found

    def _instant(self, time: float, step: int) -> None:
        """Let all steps of an instant happen that are left, in all parts together."""
        while True:
            due = {part: stand.rank for part, stand in self._stands.items() if stand.next == time}
            if not due:
                return
            step += 1
            if step > self._max_steps:
                names = ", ".join(f"'{part}'" for part in due)
                raise EndlessLoop(
                    f"time stands still at t = {time} s after {self._max_steps} steps; taking part: models of {names}"
                )
            rank = min(due.values())
            active = [part for part in due if due[part] == rank]
            if len(active) > 1 and any(stand.is_ahead for stand in self._stands.values()):
                self._align()
            outputs: dict[str, Outputs] = self._ask({part: Begin(step) for part in active}, Outputs)
            tickets: dict[str, list[Ticket]] = {part: said.tickets for part, said in outputs.items()}
            values = {part: said.values for part, said in outputs.items()}
            self._end_step(time, step, merged(tickets), values)

    def _end_step(
        self, time: float, step: int, places: Mapping[str, list[int]], values: Mapping[str, list[ValueFrame]]
    ) -> None:
        brought: dict[str, list[ValueFrame]] = {part: [] for part in places}
        for part, own in values.items():
            at = places[part]
            for value in own:
                place = at[value.place] if at else value.place
                goes_to = self._part_of(value.target)
                brought.setdefault(goes_to, []).append(
                    ValueFrame(place, value.send, value.route, value.target, value.data)
                )
        said = {part: EndFrame(time, step, places.get(part, []), own) for part, own in brought.items()}
        self._stands |= self._ask(said, Stand)

    def _align(self) -> None:
        """Find the order of what parts have planned while they ran ahead."""
        ahead = [part for part, stand in self._stands.items() if stand.is_ahead]
        before = min(stand.next for stand in self._stands.values())
        times = {
            part: _times(said.times)
            for part, said in self._ask(dict.fromkeys(ahead, AskTimes()), Times).items()
        }
        counts = Counter(time for own in times.values() for time in own if time < before)
        shared = sorted(time for time, count in counts.items() if count > 1)
        steps: dict[str, list[Any]] = {}
        if shared:
            asked = self._ask(dict.fromkeys(ahead, AskSteps(shared)), StepsFrame)
            steps = align({part: said.steps for part, said in asked.items()})
        self._stands |= self._ask({part: Align(steps.get(part, []), before) for part in ahead}, Stand)

    def _ask(self, said: Mapping[str, Said], kind: type[Any]) -> dict[str, Any]:
        self.rounds += 1
        for part, one in said.items():
            self._lines[part].say(one)
        return {part: self._hear(part, kind) for part in said}

    def _hear(self, part: str, kind: type[Any]) -> Any:
        return hear(self._lines[part], kind, None)


def hear(line: PartConnection, kind: type[Any], silence: float | None) -> Any:
    """Wait for what a part says; an error of the part is raised here, with its name."""
    said = line.hear(silence)
    if isinstance(said, FailedFrame):
        raise PartFailed(f"{line.name} failed: {said.why}")
    if not isinstance(said, kind):
        raise PartLost(f"{line.name} said {type(said).__name__} where {kind.__name__} was due")
    return said


def _times(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"={len(data) // 8}d", data)


Ran = tuple[float, int, int, list[Ticket]]
"""A step as a part made it: time, step, rank, tickets of those that were planned for it."""

Aligned = tuple[float, int, int, list[int]]
"""The same step among those of all parts: time, step, its number, the places of those planned for it."""


def align(ran: Mapping[str, list[Ran]]) -> dict[str, list[Aligned]]:
    """Give the steps of each part their numbers and places among those of all."""
    found: dict[tuple[str, float, int], tuple[int, list[int]]] = {}
    result: dict[str, list[Aligned]] = {part: [] for part in ran}
    instants: dict[float, dict[str, list[Ran]]] = {}
    for part, steps in ran.items():
        for step in steps:
            instants.setdefault(step[0], {}).setdefault(part, []).append(step)
    for time in sorted(instants):
        queues = {part: iter(steps) for part, steps in instants[time].items()}
        heads = {part: next(queue) for part, queue in queues.items()}
        number = 0
        while heads:
            number += 1
            rank = min(head[2] for head in heads.values())
            group = {part: head for part, head in heads.items() if head[2] == rank}
            tickets = {part: [_known(found, part, one) for one in head[3]] for part, head in group.items()}
            for part, places in merged(tickets).items():
                local = group[part][1]
                found[part, time, local] = number, places
                result[part].append((time, local, number, places))
            for part in group:
                after = next(queues[part], None)
                if after is None:
                    del heads[part]
                else:
                    heads[part] = after
    return result


def merged(tickets: Mapping[str, list[Ticket]]) -> dict[str, list[int]]:
    """Give the place of each ticket of each part in the order of all."""
    places: dict[str, list[int]] = {part: [] for part in tickets}
    if len(tickets) == 1:
        return {part: list(range(len(own))) for part, own in tickets.items()}
    order = sorted((ticket, part) for part, own in tickets.items() for ticket in own)
    for place, (_, part) in enumerate(order):
        places[part].append(place)
    return places


def _known(
    found: Mapping[tuple[str, float, int], tuple[int, list[int]]], part: str, ticket: Ticket
) -> Ticket:
    aligned = found.get((part, ticket[0], ticket[1]))
    if aligned is None:
        return ticket
    time, _, act, place, send, route, call = ticket
    return time, aligned[0], act, aligned[1][place], send, route, call
