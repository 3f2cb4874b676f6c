"""Who may use what programs share: docks, tools, narrow passages?

A `Resource` has some units. A program asks for one, waits in line until it is granted, and gives it back when it leaves
its block, however it leaves. The smaller priority is served first, and within a priority who asked first. A request may
be allowed to pre-empt: if all units are taken, it takes one from a holder of larger priority, whose block then ends with
`Preempted`.

A request that is cut while it waits is never granted; one that was granted first keeps its unit, and its block ends at
the next wait, as all blocks do. Either way the unit goes to the next in line at that instant.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import count
from math import isnan
from types import TracebackType
from typing import Any, Self

from kumi._core import Scope, Signal, Task, block, is_being_cut, is_in_run, now, quiet_signal, sleep
from kumi.devs.errors import Preempted
from kumi.devs.tasks import running_task


class Resource:
    """So many units, each held by one program at a time: `async with docks.request(): ...`."""

    def __init__(self, capacity: int = 1, *, name: str = "resource") -> None:
        if not capacity >= 1 or capacity % 1:
            raise ValueError(f"the units of a resource are a whole number, at least 1, not {capacity!r}")
        self.capacity = capacity
        self.name = name
        self._wanted = f"a unit of {name!r}"
        self._numbers = count()
        self._holders: dict[UnitRequest, None] = {}
        self._line: list[
            tuple[float, int, UnitRequest]
        ] = []  # a heap; who has left it stays until it is first
        self._left = 0  # so many of those

    def __repr__(self) -> str:
        return f"<Resource {self.name!r}: {self.free} of {self.capacity} free, {self.waiting} waiting>"

    @property
    def free(self) -> int:
        """How many units nobody holds."""
        return self.capacity - len(self._holders)

    @property
    def waiting(self) -> int:
        """How many requests wait in line."""
        return len(self._line) - self._left

    def request(self, *, priority: float = 0, preempt: bool = False) -> UnitRequest:
        """Ask for a unit; see `UnitRequest`. The smaller priority is served first.

        With `preempt`, a unit is taken from the holder of the largest priority above this one, of several the last
        that asked, if there is no free one.
        """
        if isnan(priority):
            raise ValueError("a priority is a number, not nan")
        return UnitRequest(self, priority, preempt)

    def _enter(self, request: UnitRequest) -> None:
        request._number = next(self._numbers)
        heappush(self._line, (request.priority, request._number, request))
        request._is_in_line = True
        self._serve()

    def _leave(self, request: UnitRequest) -> None:
        if request._is_in_line:
            self._drop(request)
        elif self._holders.pop(request, self) is self:  # it was taken away before
            return
        if is_in_run():  # else the run was dropped, and those in line with it
            self._serve()

    def _drop(self, request: UnitRequest) -> None:
        """Take a request out of the line; where most of the line has left, make room."""
        request._is_in_line = False
        self._left += 1
        if self._left > len(self._line) // 2:
            self._line = [entry for entry in self._line if entry[2]._is_in_line]
            heapify(self._line)
            self._left = 0

    def _serve(self) -> None:
        while self._line:
            first = self._line[0][2]
            loser = None
            if first._is_abandoned():
                self._drop(first)
                continue
            if first._is_in_line and len(self._holders) == self.capacity:
                loser = self._loser_to(first)
                if loser is None:
                    return
            heappop(self._line)
            if not first._is_in_line:
                self._left -= 1
                continue
            # All is in order before anybody is told: whose motion ends may ask for the next unit at once.
            first._is_in_line = False
            first.since = now()
            self._holders[first] = None
            if loser is not None:
                del self._holders[loser]
                loser._lose(first)
            first.granted.fire()

    def _loser_to(self, request: UnitRequest) -> UnitRequest | None:
        """Give the least urgent holder, if this request may take its unit."""
        if not request.preempt:
            return None
        last = max(self._holders, key=lambda holder: (holder.priority, holder._number))
        return last if last.priority > request.priority else None


class UnitRequest:
    """A request for one unit of a resource, from the beginning of a block to its end.

    `async with docks.request():` waits for the unit and holds it in the block. `with docks.request() as turn:` stands in
    line in the block, and `turn.granted` is a signal that fires once: wait for it, or for something else, too, as in
    `await (turn.granted | after(30)).next()`. At the end of the block the unit is given back, or the line is left.
    """

    __slots__ = (
        "_is_in_line",
        "_is_waiting",
        "_number",
        "_preempted",
        "_resource",
        "_scope",
        "_task",
        "granted",
        "preempt",
        "priority",
        "since",
    )

    def __init__(self, resource: Resource, priority: float, preempt: bool) -> None:
        self.priority = priority
        self.preempt = preempt
        self.granted: Signal[None] = quiet_signal(resource._wanted, True)
        self.since: float | None = None
        self._resource = resource
        self._number = 0
        self._is_in_line = False
        self._is_waiting = False
        self._scope: Scope[Any] = block()
        self._task: Task[Any] | None = None
        self._preempted: Preempted | None = None

    def __repr__(self) -> str:
        state = "holds" if self.is_held else "waits for" if self._is_in_line else "does not hold"
        return f"<UnitRequest of priority {self.priority} that {state} {self._resource._wanted}>"

    @property
    def is_held(self) -> bool:
        """Whether this request holds a unit now."""
        return self in self._resource._holders

    def __enter__(self) -> Self:
        self._task = running_task("a request")
        self._scope.__enter__()
        self._resource._enter(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._resource._leave(self)
        if self._scope.__exit__(kind, error, traceback) and self._preempted is not None:
            raise self._preempted from None

    async def __aenter__(self) -> Self:
        if is_being_cut():
            await sleep(0)  # raises Cut, before anything is taken from anybody
        self.__enter__()
        if self.since is None:
            self._is_waiting = True
            try:
                await self.granted.next()
            except BaseException as error:
                self.__exit__(type(error), error, error.__traceback__)
                raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)

    def _is_abandoned(self) -> bool:
        """Whether its wait was cut at this instant: it will leave the line as soon as it has its turn."""
        return self._is_in_line and self._is_waiting and not self.granted.listeners

    def _lose(self, to: UnitRequest) -> None:
        """End the block of a holder: its unit goes to another."""
        assert to._task is not None
        assert self.since is not None
        self._preempted = Preempted(self._resource.name, by=to._task.path, since=self.since)
        self._scope.cut()
