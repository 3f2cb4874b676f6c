"""Mutual exclusion by asking everyone, and by a token: cases, and the monitors that judge them.

`ClockWitness` adds vector clocks to messages, for monitors and not for protocols. It lies between a protocol and its links. A monitor that wants to know whether one event could have caused
another asks the clock of the layer at the node where the event is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kumi.checking.case import Case, all_but_one, nobody
from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Layer, Observation, PerfectLinks, Stack, ToEach
from kumi.protocols.guarantees import BAD_NETWORK, CRASHES, SUSPICION, MutualExclusion
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.logical_clocks import VectorClock, is_before
from kumi.protocols.reliable import EagerRelay
from kumi.protocols.ricart_agrawala import MayI, RicartAgrawala
from kumi.protocols.suspicion import Mistaken
from kumi.protocols.token_ring import Fence, Token, TokenRing


class Visitor(Layer[()]):
    """Goes in a few times, stays for a moment, and leaves."""

    exclusion: MutualExclusion

    def __init__(self, visits: int = 4, pause: float = 1.0, stay: float = 0.2) -> None:
        self.visits = visits
        self.pause = pause
        self.stay = stay

    def begin(self) -> None:
        """Plan the first visit."""
        self.exclusion.listen(self._came_in)
        self._plan()

    def _plan(self) -> None:
        if self.visits > 0:
            self.visits -= 1
            self.node.after(self.node.chance.exponential(self.pause), self.exclusion.enter)

    def _came_in(self, _token: int) -> None:
        self.node.after(self.node.chance.uniform(0.0, 2.0 * self.stay), self._leave)

    def _leave(self) -> None:
        self.exclusion.leave()
        self._plan()


class TiesToBoth(RicartAgrawala):
    """Lets the other one go first when both ask at the same time, and so does the other."""

    def _comes_first(self, time: int, sender: Address) -> bool:
        return self._requested is not None and (self._is_inside or self._requested < time)


class PoliteInside(RicartAgrawala):
    """Replies while it is inside."""

    def _comes_first(self, time: int, sender: Address) -> bool:
        return not self._is_inside and super()._comes_first(time, sender)


class DeafClock(RicartAgrawala):
    """Does not set its clock by what it hears."""

    def _receive(self, message: Message, sender: Address) -> None:
        time = self._clock.time
        super()._receive(message, sender)
        if isinstance(message, MayI):
            self._clock.time = max(time, 0)


class AsksLater(RicartAgrawala):
    """Waits a while before it asks, and takes its time only then."""

    def enter(self) -> None:
        """Ask in a while."""
        self.node.after(self.node.chance.uniform(0.0, 1.0), super().enter)


class NobodyReplaces(TokenRing):
    """Waits for a token that is gone."""

    def _must_replace(self) -> bool:
        return False


class KeepsToken(TokenRing):
    """Holds on to the token as long as it wants it again, and forgets whom it served."""

    def _wants(self, address: Address) -> bool:
        return address == self.node.address and self._is_waiting


class CopiesToken(TokenRing):
    """Gives the token away while it is inside."""

    def _hold(self) -> None:
        inside, self._inside = self._inside, None
        super()._hold()
        if self._inside is None:
            self._inside = inside


class SameNumbers(TokenRing):
    """Makes a new token that goes on counting where the old one was."""

    def _replace(self) -> None:
        self._give(replace(self._token, turn=self._token.turn + 1, holder=self.node.address))
        self._go_on()


class AnyToken(TokenRing):
    """Takes every token it sees, old ones, too."""

    def _see(self, token: Token) -> None:
        self._token = token


def asking(kind: type[RicartAgrawala]) -> Stack:
    """Ask over perfect links, with a witness of what happened before what."""
    return Stack(Visitor(), kind(), ClockWitness(), Acknowledged())


def trusting(kind: type[TokenRing]) -> Stack:
    """Pass a token, and suspect nobody."""
    return Stack(Visitor(), kind(), EagerRelay(), ToEach(), Acknowledged())


def erring(kind: type[TokenRing]) -> Stack:
    """Pass a token, with a detector that errs."""
    return Stack(
        Visitor(),
        kind(),
        Mistaken(),
        Heartbeat(period=0.4, timeout=2.0),
        EagerRelay(),
        ToEach(),
        Acknowledged(),
    )


CALM = 25.0
"""Seconds after which the last of several tokens must be alone."""

CASES: tuple[Case, ...] = (
    Case(
        name="ricart-agrawala",
        promise="at most one inside; each who asks comes in, in the order in which requests happened",
        stack=lambda: asking(RicartAgrawala),
        monitors=lambda: [AtMostOneInside(), EachComesIn(), TokensGrow(), CausalEntries()],
        faults=BAD_NETWORK,
        mutants={
            "ties-to-both": lambda: asking(TiesToBoth),
            "polite-inside": lambda: asking(PoliteInside),
            "deaf-clock": lambda: asking(DeafClock),
            "asks-later": lambda: asking(AsksLater),
        },
        crashes=nobody,
        settling=40.0,
    ),
    Case(
        name="token-ring",
        promise="at most one inside, where nobody crashes; each who asks comes in",
        stack=lambda: trusting(TokenRing),
        monitors=lambda: [AtMostOneInside(), EachComesIn(), TokensGrow()],
        faults=BAD_NETWORK,
        mutants={
            "keeps-token": lambda: trusting(KeepsToken),
            "copies-token": lambda: trusting(CopiesToken),
        },
        crashes=nobody,
        settling=40.0,
    ),
    Case(
        name="fenced-token-ring",
        promise="each entry has a token of its own, and the fence lets none in after a later one",
        stack=lambda: erring(TokenRing),
        monitors=lambda: [Fenced(), EachComesIn(), AtMostOneInside(since=CALM)],
        faults=BAD_NETWORK | CRASHES | SUSPICION,
        mutants={
            "nobody-replaces": lambda: erring(NobodyReplaces),
            "same-numbers": lambda: erring(SameNumbers),
            "any-token": lambda: erring(AnyToken),
        },
        crashes=all_but_one,
        settling=40.0,
    ),
)


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

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See who comes in."""
        if self._waiting.pop(address, None) is None:
            raise broken("only who asks", f"node {address} came in at {time:.3f} s", "it had not asked")

    def finish(self, ending: RunEnding) -> None:
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

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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

    A node inside uses the resource when it comes in and when it leaves.
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

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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
    """Requests are granted in causal order: a later one that could know of an earlier one comes in after it.

    The protocol lies on a `ClockWitness`, whose vector clocks say what could be known.
    """

    watches = MutualExclusion

    def __init__(self) -> None:
        self._waiting: dict[Address, tuple[float, tuple[int, ...]]] = {}

    def observe(self, seen: Observation) -> None:
        """See who asks, and who comes in."""
        if seen.what == "enter":
            links = getattr(seen.layer, "links", None)
            assert isinstance(links, ClockWitness)
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


@dataclass(frozen=True, slots=True)
class Witnessed(Message):
    """A message and the vector time of its sending."""

    time: tuple[int, ...]
    inside: Message


class ClockWitness(PerfectLinks):
    """Passes everything on, and keeps a vector clock."""

    links: PerfectLinks
    clock: VectorClock

    def begin(self) -> None:
        """Listen to the links."""
        group = self.node.group
        self.clock = VectorClock(group.index(self.node.address), len(group))
        self.links.listen(self._receive)

    def send(self, message: Message, to: Address) -> None:
        """Send with the time."""
        self.links.send(Witnessed(self.clock.tick(), message), to)

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Witnessed)
        self.clock.witness(message.time)
        self.tell(message.inside, sender)
