"""A program with ports: a coroutine among models.

What comes in on a port is a signal to the program: `async for order in self.orders.arrivals`. What it
sends goes out at the same instant, as soon as the program waits again.
"""

from __future__ import annotations

from kumi._core import Atomic


class Program(Atomic):
    """A model whose behaviour is `async def run`, begun when the model enters a run."""

    def __init__(self, name: str, *, rank: int = 0) -> None:
        super().__init__(name, rank=rank)
        self._send_any_time()

    async def run(self) -> None:
        """Do what the program does; write this in your class."""
        raise TypeError(f"{type(self).__name__} needs a method `async def run(self)`")
