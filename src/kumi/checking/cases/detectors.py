"""Failure detectors: what each suspects, and whom it leaves alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kumi.checking.case import Case, all_but_one
from kumi.checking.detector_monitors import Completeness, EventualAccuracy, StrongAccuracy
from kumi.contract.messages import Address
from kumi.protocols import Layer, Stack
from kumi.protocols.false_suspicions import Mistaken
from kumi.protocols.guarantees import EventuallyStrong
from kumi.protocols.heartbeat import Alive, Heartbeat
from kumi.protocols.phi_accrual import PhiAccrual
from kumi.protocols.ping import Ping
from kumi.protocols.timed_out import TimedOut

TIMING = frozenset(
    {
        "loss",
        "duplication",
        "reordering",
        "slow-links",
        "partition",
        "crash",
        "crash-mid-send",
        "pause",
        "skew",
    }
)


class Watcher(Layer[()]):
    """Looks on."""

    detector: EventuallyStrong


class NeverLearns(Heartbeat):
    """Does not grow a timeout that was too short."""

    def _trust(self, address: Address) -> bool:
        super()._trust(address)
        return False


class NeverForgives(Heartbeat):
    """Suspects for good."""

    def _trust(self, address: Address) -> bool:
        return False


class LooksAwayAfterMistake(Heartbeat):
    """Suspects each node once at most."""

    def __init__(self, period: float, timeout: float) -> None:
        super().__init__(period, timeout)
        self._pardoned: set[Address] = set()

    def _suspect(self, address: Address) -> None:
        if address not in self._pardoned:
            super()._suspect(address)

    def _trust(self, address: Address) -> bool:
        if super()._trust(address):
            self._pardoned.add(address)
            return True
        return False


class PingNeverLearns(Ping):
    """Does not grow a timeout that was too short."""

    def _trust(self, address: Address) -> bool:
        super()._trust(address)
        return False


class PingAsksOnce(Ping):
    """Asks no more who is suspected, so nobody can clear himself."""

    def _ask(self) -> None:
        everyone = self.node.group
        self.node.group = tuple(address for address in everyone if address not in self.suspected)
        super()._ask()
        self.node.group = everyone


class PhiNeverLearns(PhiAccrual):
    """Keeps its threshold after a mistake."""

    def _trust(self, address: Address) -> bool:
        super()._trust(address)
        return False


class PhiWithoutTail(PhiAccrual):
    """Takes the probability of a gap that is shorter, not longer: φ falls with the silence."""

    def level(self, address: Address) -> float:
        """Return the level the wrong way round."""
        return self.threshold / (1.0 + super().level(address))


class TakesUsualForBound(TimedOut):
    """Suspects who is later than messages usually are."""

    def _beat(self) -> None:
        super()._beat()
        self.node.after(0.1 * self.bound, self._look)

    def _look(self) -> None:
        for address in self.node.others:
            if self._silent[address] > 0:
                self._suspect(address)


class StopsAtFirst(TimedOut):
    """Looks at nobody beyond the first it suspects."""

    def _beat(self) -> None:
        for address in self.node.others:
            self.links.send(Alive(), address)
        for address in self.node.others:
            if self._silent[address] > self._allowed:
                self._suspect(address)
                break
            self._silent[address] += 1
        self.node.after(self.period, self._beat)


class NeverRepents(Mistaken):
    """Keeps to its mistakes."""

    def _repent(self, address: Address) -> None:
        pass


class ForgetsBelow(Mistaken):
    """Clears a node when its own mistake is over, even if the detector below suspects it."""

    def _repent(self, address: Address) -> None:
        self._ends.pop(address, None)
        self._trust(address)


def watching(*detectors: Layer[Address, bool]) -> Stack:
    """Return a stack with these detectors."""
    return Stack(Watcher(), *detectors)


def eventually_perfect(
    name: str,
    promise: str,
    stack: Callable[[], Stack],
    mutants: Mapping[str, Callable[[], Stack]],
    faults: frozenset[str] = TIMING,
) -> Case:
    """Return the case of a detector of class ◇P; its first timeout is too short on purpose."""
    return Case(
        name=name,
        promise=promise,
        stack=stack,
        monitors=lambda: [Completeness(), EventualAccuracy()],
        faults=faults,
        mutants=mutants,
        crashes=all_but_one,
        settling=20.0,
    )


CASES: tuple[Case, ...] = (
    eventually_perfect(
        "heartbeat",
        "By heartbeats: in the end crashed nodes are suspected, and no others (◇P).",
        lambda: watching(Heartbeat(period=0.2, timeout=0.1)),
        {
            "never-learns": lambda: watching(NeverLearns(period=0.2, timeout=0.1)),
            "never-forgives": lambda: watching(NeverForgives(period=0.2, timeout=0.1)),
            "looks-away-after-mistake": lambda: watching(LooksAwayAfterMistake(period=0.2, timeout=0.1)),
        },
        TIMING | {"recovery", "amnesia"},
    ),
    eventually_perfect(
        "ping",
        "By questions: in the end crashed nodes are suspected, and no others (◇P).",
        lambda: watching(Ping(period=0.2, timeout=0.1)),
        {
            "never-learns": lambda: watching(PingNeverLearns(period=0.02, timeout=0.02)),
            "asks-once": lambda: watching(PingAsksOnce(period=0.2, timeout=0.1)),
        },
        TIMING | {"recovery", "amnesia"},
    ),
    eventually_perfect(
        "phi-accrual",
        "By a level of suspicion: in the end crashed nodes are suspected, and no others (◇P).",
        lambda: watching(PhiAccrual(period=0.2, threshold=0.5)),
        {
            "never-learns": lambda: watching(PhiNeverLearns(period=0.04, threshold=0.5)),
            "without-tail": lambda: watching(PhiWithoutTail(period=0.2, threshold=0.5)),
        },
        TIMING | {"recovery", "amnesia"},
    ),
    eventually_perfect(
        "mistaken",
        "A detector that is made to err is right again in the end (◇P).",
        lambda: watching(Mistaken(recurrence=2.0, duration=0.5, until=10.0), Heartbeat(period=0.2)),
        {
            "errs-for-ever": lambda: watching(Mistaken(recurrence=2.0, duration=0.5), Heartbeat(period=0.2)),
            "never-repents": lambda: watching(NeverRepents(), Heartbeat(period=0.2)),
            "forgets-below": lambda: watching(ForgetsBelow(2.0, 0.5, 10.0), Heartbeat(period=0.2)),
        },
        TIMING | {"suspicion"},
    ),
    Case(
        name="timed-out",
        promise="With a bound on delays: crashed nodes are suspected in the end, and nobody before (P).",
        stack=lambda: watching(TimedOut(bound=0.5, period=0.2)),
        monitors=lambda: [Completeness(), StrongAccuracy()],
        faults=frozenset({"crash", "crash-mid-send"}),
        mutants={
            "takes-usual-for-bound": lambda: watching(TakesUsualForBound(bound=0.5, period=0.2)),
            "stops-at-first": lambda: watching(StopsAtFirst(bound=0.5, period=0.2)),
        },
        crashes=all_but_one,
        settling=10.0,
    ),
)
