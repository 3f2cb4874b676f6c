"""Is there one order of all operations that explains what every client saw?

A history is linearizable if each operation can be given an instant between its call and its return such that,
in the order of these instants, each result is what a single register would have answered. The search tries
operations that may come next, takes them back when it gets stuck, and never tries the same set of operations
with the same state twice: Wing and Gong (1993) with the cache of Lowe (2017). Keys do not matter to each
other, so each is searched alone (Herlihy and Wing 1990).

An operation whose client never learnt the result stays open: it may have happened at any time after its call,
or never.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of a client; open if `returned` is inf, and then its result says nothing.

    `argument` is what is written, or for a swap what is expected and what is put in its place. Times need
    only tell what came first; a call and a return at the same time overlap.
    """

    client: object
    key: str
    operation: str
    argument: object
    result: object
    called: float
    returned: float = inf

    @property
    def is_open(self) -> bool:
        """Whether nobody knows its outcome."""
        return self.returned == inf

    def __str__(self) -> str:
        what = f"{self.operation} {self.key}" + ("" if self.argument is None else f" {self.argument!r}")
        if self.is_open:
            return f"{self.client}: {what} from {self.called:g}, open"
        return f"{self.client}: {what} = {self.result!r} from {self.called:g} to {self.returned:g}"


Model: TypeAlias = Callable[[object, Call], tuple[bool, object]]
"""Says whether a call can happen in a state with its result, and the state after it."""


def register(state: object, call: Call) -> tuple[bool, object]:
    """A register that is read, written, and swapped if it holds what is expected; at first it holds None."""
    match call.operation:
        case "read":
            return call.is_open or call.result == state, state
        case "write":
            return True, call.argument
        case "swap":
            assert isinstance(call.argument, tuple)
            expected, new = call.argument
            fits = state == expected
            return call.is_open or call.result == fits, new if fits else state
    raise ValueError(f"a register can read, write and swap, not {call.operation!r}")


def unexplained(
    history: Iterable[Call], model: Model = register, initial: object = None
) -> list[Call] | None:
    """Return the calls of a key for which no order explains the results, or None if all is linearizable."""
    by_key: dict[str, list[Call]] = {}
    for call in history:
        by_key.setdefault(call.key, []).append(call)
    for calls in by_key.values():
        if linearize(calls, model, initial) is None:
            return sorted(calls, key=lambda call: call.called)
    return None


def linearize(calls: Sequence[Call], model: Model = register, initial: object = None) -> list[Call] | None:
    """Return the calls on one key in an order that explains them, or None; open ones may be left out."""
    line = CallHistory(calls)
    state, done, order = initial, 0, list[tuple[int, object]]()
    tried: set[tuple[int, object]] = set()
    place = line.first
    while line.unfinished:
        number = line.call_at(place)
        if number is not None:
            possible, after = model(state, calls[number])
            step = done | 1 << number, after
            if possible and step not in tried:
                tried.add(step)
                order.append((number, state))
                done, state = step
                line.take_out(number)
                place = line.first
            else:
                place = line.after(place)
        elif order:  # a return of a call that has not been placed: the last choice was wrong
            number, state = order.pop()
            done &= ~(1 << number)
            line.put_back(number)
            place = line.after(line.place_of(number))
        else:
            return None
    return [calls[number] for number, _ in order]


class CallHistory:
    """Calls and returns in the order of their times, from which calls are taken out and put back in turn."""

    def __init__(self, calls: Sequence[Call]) -> None:
        events = [(call.called, 0, number) for number, call in enumerate(calls)]
        events += [(call.returned, 1, number) for number, call in enumerate(calls) if not call.is_open]
        events.sort()
        self.unfinished = len(events) - len(calls)
        # Place 0 stands before all events, and each place knows its neighbours.
        self._events = [(0.0, 1, -1), *events]
        self._before = [place - 1 for place in range(len(self._events) + 1)]
        self._after = [place + 1 for place in range(len(self._events) + 1)]
        self._places: list[list[int]] = [[] for _ in calls]
        for place, (_, _, number) in enumerate(events, 1):
            self._places[number].append(place)

    @property
    def first(self) -> int:
        """The first place."""
        return self._after[0]

    def after(self, place: int) -> int:
        """Return the place after another one."""
        return self._after[place]

    def place_of(self, number: int) -> int:
        """Return where a call is."""
        return self._places[number][0]

    def call_at(self, place: int) -> int | None:
        """Return the number of the call at a place, or None if a return is there."""
        _, kind, number = self._events[place]
        return number if kind == 0 else None

    def take_out(self, number: int) -> None:
        """Take out a call and its return."""
        for place in self._places[number]:
            before, after = self._before[place], self._after[place]
            self._after[before], self._before[after] = after, before
        self.unfinished -= len(self._places[number]) - 1

    def put_back(self, number: int) -> None:
        """Put back what was taken out last."""
        for place in reversed(self._places[number]):
            self._after[self._before[place]] = self._before[self._after[place]] = place
        self.unfinished += len(self._places[number]) - 1
