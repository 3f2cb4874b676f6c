"""Which faults happen in a run, and when: an explicit list, drawn from the seed.

Drawing follows "swarm testing" (Groce and others, 2012): each run enables a random half of the kinds of
fault that are allowed, since a run in which everything happens hides what some faults do alone.

A schedule breaks no more than the case says a protocol can bear: at most `case.crashes` nodes crash for
good or come back with nothing. Those that come back with what they stored may be any. All is over when
`case.duration` is. With `beyond`, one node more than the bound crashes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from kumi.checking.case import Case
from kumi.checking.faults import (
    KINDS,
    Amnesia,
    Crash,
    CrashMidSend,
    Doubling,
    Fault,
    Lossy,
    Partition,
    Pause,
    Recovery,
    Reordering,
    Skew,
    SlowLink,
    WrongSuspicion,
)
from kumi.contract.messages import Address
from kumi.devs import Chance, KumiError
from kumi.devs.chance import stream
from kumi.maths import pow

MOST_MISTAKES = 100
"""Wrong suspicions in a run, at most."""


class UnknownFault(KumiError, ValueError):
    """A kind of fault that there is not, or that a case does not allow."""


@dataclass(frozen=True)
class Schedule:
    """Faults in the order of their times; `beyond` says that more crash than the protocol can bear."""

    faults: tuple[Fault, ...] = ()
    beyond: bool = False

    @property
    def digest(self) -> bytes:
        """A short hash: two schedules with different ones differ."""
        return blake2b(repr(self.faults).encode(), digest_size=8).digest()

    def __len__(self) -> int:
        return len(self.faults)

    def __iter__(self) -> Iterator[Fault]:
        return iter(self.faults)

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults)) or "no faults"


def draw_schedule(
    case: Case,
    *,
    nodes: int | None = None,
    seed: int = 0,
    kinds: Iterable[str] | None = None,
    beyond: bool = False,
) -> Schedule:
    """Draw the faults of a run from its seed; `kinds` leaves out all others."""
    allowed = allowed_kinds(case, kinds)
    chance = stream(seed, "schedule")
    enabled = [kind for kind in allowed if chance.happens(0.5)]
    deck = Deck(case, case.nodes if nodes is None else nodes, chance, beyond=beyond)
    faults: list[Fault] = [Crash(deck.instant(), node) for node in deck.everyone()] if beyond else []
    for kind in enabled:
        faults += DRAWING[kind](deck)
    faults.sort(key=lambda fault: (fault.time, fault.end, repr(fault)))
    return Schedule(tuple(dict.fromkeys(faults)), beyond)


def allowed_kinds(case: Case, kinds: Iterable[str] | None) -> tuple[str, ...]:
    """Return the kinds of fault that a case allows and somebody asked for, in a fixed order."""
    asked = None if kinds is None else frozenset(kinds)
    for kind in sorted(case.faults | (asked or frozenset())):
        if kind not in KINDS:
            raise UnknownFault(f"there is no fault {kind!r}; there are {', '.join(KINDS)}")
    if asked is not None and not asked <= case.faults:
        wrong = ", ".join(kind for kind in KINDS if kind in asked - case.faults)
        right = ", ".join(kind for kind in KINDS if kind in case.faults) or "none"
        raise UnknownFault(f"{case.name} promises nothing under {wrong}; it allows {right}")
    return tuple(kind for kind in KINDS if kind in case.faults and (asked is None or kind in asked))


class Deck:
    """What one run's faults are drawn from."""

    def __init__(self, case: Case, nodes: int, chance: Chance, *, beyond: bool) -> None:
        self.chance = chance
        self.nodes = tuple(range(nodes))
        self.duration = case.duration
        bound = min(max(case.crashes(nodes), 0) + beyond, nodes)
        # The nodes that may go for good are drawn once, so that all kinds of crash together keep to the bound.
        self._victims = list(chance.shuffled(self.nodes))[:bound]
        self.staying = self.nodes
        # Some runs have many faults, and in some they come within a short time: they meet each other.
        self._intensity = chance.choice((1, 1, 3))
        length = case.duration * chance.choice((0.9, 0.9, 0.9, 0.3))
        self._start = chance.uniform(0.0, 0.9 * case.duration - length)
        self._end = self._start + length

    def instant(self) -> float:
        """Draw an instant within the time in which faults begin."""
        return round(self.chance.uniform(self._start, self._end), 3)

    def window(self) -> tuple[float, float]:
        """Draw a window: from a fiftieth of the time to all of it, short ones as often as long ones."""
        start = self.instant()
        length = self.duration * 0.02 * pow(50.0, self.chance.uniform())
        return start, round(min(start + length, self.duration), 3)

    def several(self, most: int) -> range:
        """Draw how many, from 1 on."""
        return range(self.chance.integer(1, most * self._intensity))

    def node(self) -> Address:
        """Draw a node."""
        return self.chance.choice(self.nodes)

    def link(self) -> tuple[Address, Address]:
        """Draw two nodes that differ; on a single node, it and itself."""
        sender, *others = self.chance.shuffled(self.nodes)[:2]
        return sender, others[0] if others else sender

    def some(self, of: tuple[Address, ...]) -> tuple[Address, ...]:
        """Draw at least one of several nodes."""
        count = self.chance.integer(1, max(len(of), 1))
        return tuple(sorted(self.chance.shuffled(of)[:count]))

    def victims(self) -> list[Address]:
        """Draw at least one of those who may still go for good; they are not drawn again."""
        count = self.chance.integer(1, len(self._victims)) if self._victims else 0
        taken, self._victims = self._victims[:count], self._victims[count:]
        return taken

    def everyone(self) -> list[Address]:
        """Take all who may go for good."""
        taken, self._victims = self._victims, []
        self.staying = tuple(node for node in self.staying if node not in taken)
        return taken

    def goners(self) -> list[Address]:
        """Draw victims who do not come back."""
        taken = self.victims()
        self.staying = tuple(node for node in self.staying if node not in taken)
        return taken


def _lossy(deck: Deck) -> list[Fault]:
    chance = deck.chance
    return [
        Lossy(
            *deck.window(),
            probability=round(chance.uniform(0.05, 0.95), 2),
            link=deck.link() if chance.happens(0.4) else None,
        )
        for _ in deck.several(3)
    ]


def _doubling(deck: Deck) -> list[Fault]:
    chance = deck.chance
    return [
        Doubling(
            *deck.window(),
            probability=round(chance.uniform(0.05, 0.6), 2),
            later=round(chance.uniform(0.01, 1.0), 2),
        )
        for _ in deck.several(2)
    ]


def _reordering(deck: Deck) -> list[Fault]:
    chance = deck.chance
    return [
        Reordering(
            *deck.window(),
            probability=round(chance.uniform(0.05, 1.0), 2),
            by=round(chance.uniform(0.05, 1.0), 2),
        )
        for _ in deck.several(2)
    ]


def _slow_links(deck: Deck) -> list[Fault]:
    return [
        SlowLink(*deck.window(), link=deck.link(), delay=round(deck.chance.uniform(0.1, 2.0), 2))
        for _ in deck.several(4)
    ]


def _partitions(deck: Deck) -> list[Fault]:
    chance = deck.chance
    if len(deck.nodes) < 2:
        return []
    return [
        Partition(
            *deck.window(),
            side=deck.some(deck.nodes[:-1]) if chance.happens(0.5) else deck.some(deck.nodes[1:]),
            way=chance.choice(("both", "both", "out", "in")),
            period=round(chance.uniform(0.05, 0.5), 2) if chance.happens(0.25) else None,
        )
        for _ in deck.several(3)
    ]


def _crashes(deck: Deck) -> list[Fault]:
    return [Crash(deck.instant(), node) for node in deck.goners()]


def _crashes_mid_send(deck: Deck) -> list[Fault]:
    most = 2 * len(deck.nodes)
    return [CrashMidSend(deck.instant(), node, deck.chance.integer(1, most)) for node in deck.goners()]


def _recoveries(deck: Deck) -> list[Fault]:
    if not deck.staying:
        return []
    return [Recovery(*deck.window(), node=deck.chance.choice(deck.staying)) for _ in deck.several(4)]


def _amnesia(deck: Deck) -> list[Fault]:
    return [Amnesia(*deck.window(), node=node) for node in deck.victims()]


def _pauses(deck: Deck) -> list[Fault]:
    return [Pause(*deck.window(), node=deck.node()) for _ in deck.several(3)]


def _suspicions(deck: Deck) -> list[Fault]:
    """Draw mistakes by their recurrence time and their duration, as detectors are measured."""
    chance = deck.chance
    if len(deck.nodes) < 2:
        return []
    recurrence = deck.duration * 0.01 * pow(50.0, chance.uniform())
    lasting = deck.duration * 0.005 * pow(50.0, chance.uniform())
    faults: list[Fault] = []
    time = chance.exponential(recurrence)
    while time < 0.9 * deck.duration and len(faults) < MOST_MISTAKES:
        of = deck.node()
        until = min(time + max(chance.exponential(lasting), 0.01), deck.duration)
        observers = deck.some(tuple(node for node in deck.nodes if node != of))
        faults.append(WrongSuspicion(round(time, 3), round(until, 3), at=observers, of=of))
        time += chance.exponential(recurrence)
    return faults


def _skews(deck: Deck) -> list[Fault]:
    chance = deck.chance
    return [
        Skew(
            *deck.window(),
            node=deck.node(),
            rate=round(chance.uniform(0.8, 1.25), 3),
            jump=round(chance.uniform(-2.0, 2.0), 2) if chance.happens(0.5) else 0.0,
        )
        for _ in deck.several(3)
    ]


DRAWING: dict[str, Callable[[Deck], list[Fault]]] = {
    "loss": _lossy,
    "duplication": _doubling,
    "reordering": _reordering,
    "slow-links": _slow_links,
    "partition": _partitions,
    "crash": _crashes,
    "crash-mid-send": _crashes_mid_send,
    "recovery": _recoveries,
    "amnesia": _amnesia,
    "pause": _pauses,
    "suspicion": _suspicions,
    "skew": _skews,
}
