"""Mutual exclusion by asking everyone, and by a token."""

from __future__ import annotations

from dataclasses import replace

from kumi.checking.case import Case, all_but_one, nobody
from kumi.checking.exclusion_monitors import (
    AtMostOneInside,
    CausalEntries,
    EachComesIn,
    Fenced,
    TokensGrow,
)
from kumi.checking.witness import Witness
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Layer, Stack, ToEach
from kumi.protocols.false_suspicions import Mistaken
from kumi.protocols.guarantees import MutualExclusion
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.reliable import EagerRelay
from kumi.protocols.ricart_agrawala import MayI, RicartAgrawala
from kumi.protocols.token_ring import Token, TokenRing


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
    return Stack(Visitor(), kind(), Witness(), Acknowledged())


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


OF_MESSAGES = frozenset({"loss", "duplication", "reordering", "slow-links", "partition", "pause", "skew"})
CALM = 25.0
"""Seconds after which the last of several tokens must be alone."""

CASES: tuple[Case, ...] = (
    Case(
        name="ricart-agrawala",
        promise="at most one inside; each who asks comes in, in the order in which requests happened",
        stack=lambda: asking(RicartAgrawala),
        monitors=lambda: [AtMostOneInside(), EachComesIn(), TokensGrow(), CausalEntries()],
        faults=OF_MESSAGES,
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
        faults=OF_MESSAGES,
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
        faults=OF_MESSAGES | {"crash", "crash-mid-send", "suspicion"},
        mutants={
            "nobody-replaces": lambda: erring(NobodyReplaces),
            "same-numbers": lambda: erring(SameNumbers),
            "any-token": lambda: erring(AnyToken),
        },
        crashes=all_but_one,
        settling=40.0,
    ),
)
