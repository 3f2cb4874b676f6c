"""What programs hand to each other: things in a `Store`, an amount in a `Tank`.

A put waits for room and a get for a matching item, in the order they came. A wait that is cut is never served,
and leaves nothing behind: what it would have got, or the room it would have taken, goes to the next in line.
"""

from __future__ import annotations

import math
from bisect import insort
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from kumi._core import Signal, is_being_cut, is_in_run, quiet_signal, sleep
from kumi.devs.tasks import running_task

T = TypeVar("T")
W = TypeVar("W")


class _Waiter(Generic[W]):
    """One who waits in line with a wish, until it is served or cut."""

    __slots__ = ("error", "is_served", "is_waiting", "item", "served", "wish")

    def __init__(self, wish: W, what: str) -> None:
        self.wish = wish
        self.item: Any = None
        self.error: Exception | None = None
        self.is_served = False
        self.is_waiting = False
        self.served: Signal[None] = quiet_signal(what, True)

    def is_abandoned(self) -> bool:
        """Whether its wait was cut at this instant: it will leave the line as soon as it has its turn."""
        return self.is_waiting and not self.served.listeners


class _Line(Generic[W]):
    """Those who wait, in the order they came."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._waiters: OrderedDict[_Waiter[W], None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._waiters)

    def live(self) -> list[_Waiter[W]]:
        """Give all whose wait was not cut."""
        return [waiter for waiter in self._waiters if not waiter.is_abandoned()]

    def first(self) -> _Waiter[W] | None:
        """Give the first of them, if there is one."""
        return next((waiter for waiter in self._waiters if not waiter.is_abandoned()), None)

    def serve(self, waiter: _Waiter[W]) -> None:
        """Let one go on."""
        del self._waiters[waiter]
        waiter.is_served = True
        waiter.served.fire()

    async def wait(self, wish: W, settle: Callable[[], None]) -> _Waiter[W]:
        """Stand in line until served; `settle` serves who can be, now and when the line is left because of a cut."""
        if is_being_cut():
            await sleep(0)  # raises Cut, before anything is taken from anybody
        waiter = _Waiter(wish, self._what)
        self._waiters[waiter] = None
        settle()
        if not waiter.is_served:
            await self._served(waiter, settle)
        if waiter.error is not None:
            raise waiter.error
        return waiter

    async def _served(self, waiter: _Waiter[W], settle: Callable[[], None]) -> None:
        waiter.is_waiting = True
        try:
            await waiter.served.next()
        except BaseException:
            self._waiters.pop(waiter, None)
            if is_in_run():  # else the run was dropped, and the others with it
                settle()
            raise


class Store(Generic[T]):
    """Things that programs put in and get out, first in, first out.

    It holds at most `capacity` of them. With a `key`, that of the smallest key comes out first.
    """

    def __init__(
        self,
        items: Iterable[T] = (),
        *,
        capacity: float = math.inf,
        key: Callable[[T], Any] | None = None,
        name: str = "store",
    ) -> None:
        self._items: deque[T] = deque(items if key is None else sorted(items, key=key))
        if not (capacity == math.inf or isinstance(capacity, int)) or capacity < max(1, len(self._items)):
            raise ValueError(
                f"a store has room for a whole number of things, at least 1 and the {len(self._items)} that are in "
                f"it, but its capacity is {capacity!r}"
            )
        self.capacity = capacity
        self.name = name
        self._key = key
        self._getters: _Line[Callable[[T], bool] | None] = _Line(f"something from {name!r}")
        self._putters: _Line[T] = _Line(f"room in {name!r}")

    def __repr__(self) -> str:
        return f"<Store {self.name!r}: {len(self._items)} in it, {len(self._getters)} waiting>"

    def __len__(self) -> int:
        return len(self._items)

    @property
    def items(self) -> tuple[T, ...]:
        """What is in it, in the order in which it would come out."""
        return tuple(self._items)

    @property
    def waiting(self) -> int:
        """How many wait to get something."""
        return len(self._getters)

    async def put(self, item: T) -> None:
        """Put something in; wait as long as there is no room."""
        running_task("put()")
        await self._putters.wait(item, self._settle)

    async def get(self, where: Callable[[T], bool] | None = None) -> T:
        """Take out the first, or the first for which `where` is true; wait until there is one.

        `where` is asked once about each item: its answer may depend on nothing else.
        """
        running_task("get()")
        if is_being_cut():
            await sleep(0)  # raises Cut
        for index, item in enumerate(self._items):
            if where is None or where(item):
                del self._items[index]
                self._settle()
                return item
        got = await self._getters.wait(where, self._settle)
        return got.item  # type: ignore[no-any-return]

    def _settle(self) -> None:
        """Serve the puts that wait for room. The gets that wait want nothing of what is in it already."""
        while len(self._items) < self.capacity and (putter := self._putters.first()) is not None:
            try:
                self._offer(putter.wish)
            except Exception as error:  # noqa: BLE001  # of the key: raised in who put it
                putter.error = error
            self._putters.serve(putter)

    def _offer(self, item: T) -> None:
        """Give a new item to the first who wants it, or keep it."""
        for getter in self._getters.live():
            try:
                is_wanted = getter.wish is None or getter.wish(item)
            except Exception as error:  # noqa: BLE001  # raised in who asked
                getter.error = error
                self._getters.serve(getter)
                continue
            if is_wanted:
                getter.item = item
                self._getters.serve(getter)
                return
        if self._key is None:
            self._items.append(item)
        else:
            insort(self._items, item, key=self._key)


class Tank:
    """An amount that programs fill up and draw from, such as energy or fuel.

    Its level stays between 0 and its capacity. The first to come is served first, however small the next wish is.
    """

    def __init__(self, capacity: float = math.inf, *, level: float = 0.0, name: str = "tank") -> None:
        if not 0.0 <= level <= capacity:
            raise ValueError(f"the level of a tank is between 0 and its capacity {capacity}, not {level}")
        self.capacity = capacity
        self.name = name
        self._level = level
        self._getters: _Line[float] = _Line(f"an amount from {name!r}")
        self._putters: _Line[float] = _Line(f"room in {name!r}")

    def __repr__(self) -> str:
        return f"<Tank {self.name!r}: {self._level} of {self.capacity}>"

    @property
    def level(self) -> float:
        """How much is in it."""
        return self._level

    @property
    def waiting(self) -> int:
        """How many wait to get some."""
        return len(self._getters)

    async def put(self, amount: float) -> None:
        """Put an amount in; wait as long as there is no room for all of it."""
        self._check("put into", amount)
        running_task("put()")
        await self._putters.wait(amount, self._settle)

    async def get(self, amount: float) -> None:
        """Take an amount out; wait until all of it is there."""
        self._check("got from", amount)
        running_task("get()")
        await self._getters.wait(amount, self._settle)

    def _check(self, what: str, amount: float) -> None:
        if not 0.0 < amount <= self.capacity or amount == math.inf:
            raise ValueError(
                f"an amount that is {what} {self.name!r} is more than 0 and at most its capacity {self.capacity}, "
                f"not {amount}"
            )

    def _settle(self) -> None:
        """Serve those at the head of both lines, as long as one of them can be."""
        is_moving = True
        while is_moving:
            is_moving = False
            while (first := self._putters.first()) is not None and self._level + first.wish <= self.capacity:
                self._level += first.wish
                self._putters.serve(first)
                is_moving = True
            while (first := self._getters.first()) is not None and first.wish <= self._level:
                self._level -= first.wish
                self._getters.serve(first)
                is_moving = True
