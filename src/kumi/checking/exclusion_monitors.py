"""Is at most one inside at a time, does each who asks come in, and in which order?"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Ending, Monitor, broken, names
from kumi.checking.witness import Witness
from kumi.contract.messages import Address
from kumi.protocols import Observation
from kumi.protocols.guarantees import MutualExclusion
from kumi.protocols.logical_clocks import is_before
from kumi.protocols.token_ring import Fence


class AtMostOneInside(Monitor):
    """Nobody comes in while another one is inside; a node that crashes is inside no more."""

    watches = MutualExclusion

    def __init__(self, since: float = 0.0) -> None:
        self.since = since
        self._inside: dict[Address, float] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """See who leaves."""
        if what == "leave":
            self._inside.pop(address, None)

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See who comes in."""
        self._inside[address] = time
        if len(self._inside) > 1 and time >= self.since:
            other = next(other for other in self._inside if other != address)
            raise broken(
                "at most one inside",
                f"node {address} came in at {time:.3f} s",
                f"node {other} is inside since {self._inside[other]:.3f} s",
            )

    def crashed(self, time: float, address: Address) -> None:
        """Count a node that is down as outside."""
        self._inside.pop(address, None)


class EachComesIn(Monitor):
    """Every request of a correct node is granted."""

    watches = MutualExclusion

    def __init__(self) -> None:
        self._waiting: dict[Address, float] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """See who asks."""
        if what == "enter":
            self._waiting[address] = time

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See who comes in."""
        if self._waiting.pop(address, None) is None:
            raise broken("only who asks", f"node {address} came in at {time:.3f} s", "it had not asked")

    def finish(self, ending: Ending) -> None:
        """Nobody waits any more."""
        missing = sorted(address for address in self._waiting if address in ending.correct)
        if missing:
            raise broken(
                "each comes in",
                f"node {missing[0]} asked at {self._waiting[missing[0]]:.3f} s and never came in",
                f"in all, {names(missing)} wait",
            )


class TokensGrow(Monitor):
    """Each entry has a higher token than all before."""

    watches = MutualExclusion

    def __init__(self) -> None:
        self._last: tuple[int, Address, float] | None = None

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Compare with the last entry."""
        (token,) = event
        if self._last is not None and token <= self._last[0]:
            before, other, earlier = self._last
            raise broken(
                "tokens grow",
                f"node {address} came in with token {token} at {time:.3f} s",
                f"node {other} had token {before} at {earlier:.3f} s",
            )
        self._last = (token, address, time)


class Fenced(Monitor):
    """No two entries have the same token, and a fence never lets in an entry after a later one.

    Who is inside uses the resource when it comes in and when it leaves.
    """

    watches = MutualExclusion

    def __init__(self) -> None:
        self._fence = Fence()
        self._tokens: dict[int, tuple[Address, float]] = {}
        self._inside: dict[Address, int] = {}
        self._accepted: tuple[int, Address, float] | None = None

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Use the resource once more."""
        if what == "leave" and address in self._inside:
            self._use(time, address, self._inside.pop(address))

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Use the resource."""
        (token,) = event
        if token in self._tokens:
            other, earlier = self._tokens[token]
            raise broken(
                "a token for each entry",
                f"node {address} came in with token {token} at {time:.3f} s",
                f"node {other} came in with it at {earlier:.3f} s",
            )
        self._tokens[token] = (address, time)
        self._inside[address] = token
        self._use(time, address, token)

    def _use(self, time: float, address: Address, token: int) -> None:
        if not self._fence.accepts(token):
            return
        if self._accepted is not None and token < self._accepted[0]:
            before, other, earlier = self._accepted
            raise broken(
                "fenced",
                f"the resource accepted token {token} of node {address} at {time:.3f} s",
                f"it had accepted {before} of node {other} at {earlier:.3f} s",
            )
        self._accepted = (token, address, time)

    def crashed(self, time: float, address: Address) -> None:
        """Count a node that is down as outside."""
        self._inside.pop(address, None)


class CausalEntries(Monitor):
    """Who asks after another one, and could know of it, does not come in before it.

    The protocol lies on a `Witness`, whose vector clocks say what could be known.
    """

    watches = MutualExclusion

    def __init__(self) -> None:
        self._waiting: dict[Address, tuple[float, tuple[int, ...]]] = {}

    def observe(self, seen: Observation) -> None:
        """See who asks, and who comes in."""
        if seen.what == "enter":
            links = getattr(seen.layer, "links", None)
            assert isinstance(links, Witness)
            self._waiting[seen.address] = (seen.time, links.clock.tick())
        elif seen.what == "tell" and seen.address in self._waiting:
            _, mine = self._waiting.pop(seen.address)
            for other, (earlier, theirs) in self._waiting.items():
                if is_before(theirs, mine):
                    raise broken(
                        "order of requests",
                        f"node {seen.address} came in at {seen.time:.3f} s",
                        f"node {other} asked at {earlier:.3f} s, before it, and still waits",
                    )
