"""A micro-protocol: one guarantee, built from the guarantees of what is below it.

A layer says what it needs below by annotations, and what it offers by its base class:

    class ToEach(BestEffortBroadcast):
        links: PerfectLinks

        def begin(self) -> None:
            self.links.listen(self.tell)

        def broadcast(self, message: Message) -> None:
            for address in self.node.group:
                self.links.send(message, address)

`Stack` finds a layer for each need and calls `begin` from the bottom up. From then on layers call each
other: requests go down by the methods of the guarantee, and what happens is told up to whoever listens.

A layer reaches the outside through `self.node` alone: `send`, `broadcast`, `after`, `now`, `chance`,
`storage`. It is a state machine; one that reads better as a program overrides `run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Generic, TypeVarTuple

from kumi.network import Node

Ts = TypeVarTuple("Ts")

LAYER_BYTES = 512
"""Bytes of a message that layers may need for themselves."""


class Layer(Generic[*Ts]):
    """One guarantee; what it tells those above has the types it is given."""

    node: Node
    """Where it lives; there from `begin` on."""

    requests: ClassVar[tuple[str, ...]] = ()
    """The methods by which those above ask for something; monitors watch them."""

    bears: ClassVar[frozenset[str] | None] = None
    """The kinds of fault under which it keeps its promise, see `bears`; None: it does not say."""

    def begin(self) -> None:
        """Start: listen to what is below, set timers. What is told here, nobody hears yet."""

    async def run(self) -> None:
        """Go on beside what `begin` set up; ends when the node crashes."""

    def listen(self, told: Callable[[*Ts], object]) -> None:
        """Call `told` with everything that this layer tells."""
        listeners: list[Callable[[*Ts], object]] = self.__dict__.setdefault("_listeners", [])
        listeners.append(told)
        if len(listeners) == 1:
            self.__dict__["tell"] = told  # spares a call for each thing told
            return

        def tell_all(*event: *Ts) -> None:
            for each in listeners:
                each(*event)

        self.__dict__["tell"] = tell_all

    def tell(self, *event: *Ts) -> None:
        """Tell those above."""
        told = self.__dict__.get("tell")  # this method may have been passed on before anybody listened
        if told is not None:
            told(*event)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"
