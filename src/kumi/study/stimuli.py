"""What is brought to the system under test, and when?

A generator is a model that sends values at instants known beforehand, such as those of a specification, into a port of
the system, or that does something to the world at those instants, such as switching a radio off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kumi.devs import Atomic, InPort
from kumi.study.sources import FrameError


class Generator(Atomic):
    """Sends each value of (instant, value) at its instant, in seconds from the start; instants may not fall.

    `into` is an input port of a model of the stage; `does` is called with each value instead.
    """

    def __init__(
        self,
        name: str,
        what: Iterable[tuple[float, Any]],
        *,
        into: InPort[Any] | None = None,
        does: Callable[[Any], object] | None = None,
    ) -> None:
        super().__init__(name)
        if (into is None) == (does is None):
            raise FrameError(f"generator {name!r} takes a port (into) or a function (does), one of them")
        self.into = into
        self.values = self.add_output("values", object if into is None else into.type)
        self._does = does
        self._what = iter(what)
        self._next = next(self._what, None)
        if self._next is not None:
            self._plan(0.0)

    def _plan(self, now: float) -> None:
        assert self._next is not None
        instant = self._next[0]
        if not now <= instant:
            raise FrameError(
                f"generator '{self.name}' has an instant of {instant:g} s after one of {now:g} s"
            )
        self.hold_until(instant)

    def output(self) -> None:
        """Send the value whose instant has come."""
        assert self._next is not None
        if self._does is None:
            self.values.send(self._next[1])

    def internal(self) -> None:
        """Do what is to be done, and go on to the next."""
        assert self._next is not None
        if self._does is not None:
            self._does(self._next[1])
        self._next = next(self._what, None)
        if self._next is None:
            self.rest()
        else:
            self._plan(self.now)
