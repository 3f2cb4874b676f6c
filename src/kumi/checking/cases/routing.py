"""Routing over nodes on a ring that hear only the two beside them, while links come and go."""

from __future__ import annotations

from kumi.checking.case import Case, nobody
from kumi.checking.earshot import Earshot, broken_ring
from kumi.checking.link_monitors import NoCreation, NoDuplication, ReliableDelivery
from kumi.checking.routing_monitors import NoCircles
from kumi.checking.talking import ToSome
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Stack
from kumi.protocols.aodv import Aodv
from kumi.protocols.hops import Hops
from kumi.protocols.routing import Question, Route, Routes


class AnyRoute(Aodv):
    """Takes every route it hears of, however old."""

    def begin(self) -> None:
        """Start with a table that takes everything."""
        super().begin()
        self.routes = Gullible(self.node, self.lifetime, self.route)


class Gullible(Routes):
    """Believes that the last route is the best."""

    def is_better(self, old: Route, hops: int, freshness: int) -> bool:
        """Take it."""
        return True


class SameFreshness(Aodv):
    """Does not raise the freshness of a route that broke, so that an old one can take its place."""

    def begin(self) -> None:
        """Start with a table that forgets too much."""
        super().begin()
        self.routes = Forgetful(self.node, self.lifetime, self.route)


class Forgetful(Routes):
    """Drops a broken route without a trace."""

    def break_off(self, destination: Address, freshness: int) -> None:
        """Forget it."""
        if self._routes.pop(destination, None) is not None:
            self._changed(destination, None)


class NoticesNothing(Aodv):
    """Goes on using a link that is broken."""

    def _link_broke(self, unheard: Message, neighbour: Address) -> None:
        pass


class AsksNeighbours(Aodv):
    """Does not pass questions on."""

    def _hear_question(self, asked: Question, neighbour: Address) -> None:
        if asked.wanted == self.node.address:
            super()._hear_question(asked, neighbour)


def stack_with(kind: type[Aodv]) -> Stack:
    """Make perfect links of routes over a ring."""
    hears = broken_ring(every=2.5, until=9.0)
    return Stack(ToSome(), Acknowledged(longest_pause=2.0), kind(), Hops(), Earshot(hears))


CASES: tuple[Case, ...] = (
    Case(
        name="routing",
        promise="what is sent again and again over several hops arrives; routes never lead in circles",
        stack=lambda: stack_with(Aodv),
        monitors=lambda: [NoCircles(), NoCreation(), NoDuplication(), ReliableDelivery()],
        faults=frozenset(
            {"loss", "duplication", "reordering", "slow-links", "partition", "recovery", "pause", "skew"}
        ),
        mutants={
            "any-route": lambda: stack_with(AnyRoute),
            "same-freshness": lambda: stack_with(SameFreshness),
            "notices-nothing": lambda: stack_with(NoticesNothing),
            "asks-neighbours": lambda: stack_with(AsksNeighbours),
        },
        crashes=nobody,
        settling=40.0,
        fewest=3,
        above=2,
    ),
)
