"""Which stops were asked for, and are not written yet?

Every process of a station keeps them in memory. It tells the robot and the other processes, again and again until the robot has
said that it heard the stop; and it writes them at the beginning of its next transaction, so that nothing which is asked for
after a stop overtakes it, and the store that comes back knows it first. Who asked has the answer when the stop is
written, or when it is known that this takes longer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from threading import Lock

import msgspec
from sqlalchemy.exc import DataError, IntegrityError

from kumi.station.operations.stops import write_stop
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import Transaction
from kumi.station.unwritten_stop import StopOrder, UnwrittenStop

REPEAT_PERIOD = 0.25
"""Seconds between two words to a robot that has not said yet that it heard a stop, and between two attempts to write one."""
MOST_OF_ROBOT = 100
"""Stops of one robot that wait to be written; the newest ends all that the older ones would."""
MOST_WRITTEN = 10_000
"""Stops that are remembered as written: other processes and robots may tell of them once more."""

_LOGGER = logging.getLogger(__name__)


class UnwrittenStops:
    """The stops of one process; `tell` takes one to its robot, and to the other processes."""

    def __init__(self, store: StationStore, tell: Callable[[StopOrder, bool], None]) -> None:
        self._store = store
        self._tell = tell
        self._stops: dict[str, UnwrittenStop] = {}
        self._written: dict[str, UnwrittenStop] = {}
        self._lock = Lock()
        self._is_trying = False
        store.precede(self._write)

    def take(self, order: StopOrder, *, is_heard: bool = False) -> UnwrittenStop:
        """Tell a robot to stop, and have that written; one that is known is not told again for that."""
        with self._lock:
            known = self._stops.get(order.stop) or self._written.get(order.stop)
            is_new = known is None or (order.task is not None and known.order.task != order.task)
            stop = known or UnwrittenStop(order)
            if is_new:
                if known is not None:  # the robot tells which task it cut
                    stop.order = msgspec.structs.replace(stop.order, task=order.task)
                self._stops[order.stop] = stop
                self._limit(order.robot)
        was_heard = stop.is_heard
        if is_heard and not was_heard:
            stop.heard.set_result(None)
        if known is None or is_heard != was_heard:
            self._tell(stop.order, stop.is_heard)
        if is_new:
            self._try()
        return stop

    async def run(self) -> None:
        """Repeat what was not heard and write what was not written, until cancelled."""
        while True:
            await asyncio.sleep(REPEAT_PERIOD)
            self.repeat()

    def repeat(self) -> None:
        """Tell each robot that has not heard its stop, and try to write."""
        with self._lock:
            waiting = list(self._stops.values())
        for stop in waiting:
            if not stop.is_heard:
                self._tell(stop.order, False)
        if waiting:
            self._try()

    def _limit(self, robot: str) -> None:
        theirs = [stop for stop, one in self._stops.items() if one.order.robot == robot]
        for stop in theirs[:-MOST_OF_ROBOT]:
            del self._stops[stop]

    def _try(self) -> None:
        """Have a transaction, which begins with what is not written; one attempt at a time."""
        with self._lock:
            if self._is_trying:
                return
            self._is_trying = True
            trying = [one for one in self._stops.values() if not one.tried.done()]
        self._store.write(lambda _: None).add_done_callback(lambda _: self._on_tried(trying))

    def _on_tried(self, stops: list[UnwrittenStop]) -> None:
        for stop in stops:
            stop.tried.set_result(None)
        with self._lock:
            self._is_trying = False
            is_untried = any(not one.tried.done() for one in self._stops.values())
        if is_untried:  # it came while the attempt was under way
            self._try()

    def _write(self, transaction: Transaction) -> Callable[[], None] | None:
        """Write what waits, at the beginning of a transaction; on the thread of the store."""
        with self._lock:
            waiting = [(one, one.order) for one in self._stops.values()]
        if not waiting:
            return None
        written: list[tuple[UnwrittenStop, StopOrder, int]] = []
        for stop, order in waiting:
            try:
                with transaction.connection.begin_nested():
                    written.append((stop, order, write_stop(transaction, order)))
            except (
                DataError,
                IntegrityError,
            ):  # it must not keep others from writing; its robot stands until it leaves
                _LOGGER.exception("the stop %s of robot %s cannot be written", order.stop, order.robot)
                with self._lock:
                    self._stops.pop(order.stop, None)
        return lambda: self._on_committed(written)

    def _on_committed(self, written: list[tuple[UnwrittenStop, StopOrder, int]]) -> None:
        with self._lock:
            for stop, order, _ in written:
                if stop.order is order:
                    self._stops.pop(order.stop, None)
                    self._written[order.stop] = stop
            while len(self._written) > MOST_WRITTEN:
                del self._written[next(iter(self._written))]
        for stop, _, last in written:
            if not stop.written.done():
                stop.written.set_result(last)
