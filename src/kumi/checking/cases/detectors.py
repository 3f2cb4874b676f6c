"""Failure detectors: what each suspects, and whom it leaves alone: cases, and the monitors that judge them.

What must hold in the end is judged when faults are over: at the end of the run, and for accuracy over its
last quarter, since a detector that errs for ever may be right at one instant. There a pair of nodes may still
make its first mistakes, from which it learns, but no more than a few.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kumi.checking.case import Case, all_but_one
from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.contract.messages import Address
from kumi.protocols import Layer, Stack
from kumi.protocols.guarantees import (
    AMNESIA,
    BAD_NETWORK,
    CRASHES,
    RECOVERY,
    SUSPICION,
    EventuallyPerfect,
    EventuallyStrong,
    Perfect,
)
from kumi.protocols.heartbeat import Alive, Heartbeat, TimedOut
from kumi.protocols.phi_accrual import PhiAccrual
from kumi.protocols.ping import Ping
from kumi.protocols.suspicion import Mistaken


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
    faults: frozenset[str] = BAD_NETWORK | CRASHES,
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
        BAD_NETWORK | CRASHES | RECOVERY | AMNESIA,
    ),
    eventually_perfect(
        "ping",
        "By questions: in the end crashed nodes are suspected, and no others (◇P).",
        lambda: watching(Ping(period=0.2, timeout=0.1)),
        {
            "never-learns": lambda: watching(PingNeverLearns(period=0.02, timeout=0.02)),
            "asks-once": lambda: watching(PingAsksOnce(period=0.2, timeout=0.1)),
        },
        BAD_NETWORK | CRASHES | RECOVERY | AMNESIA,
    ),
    eventually_perfect(
        "phi-accrual",
        "By a level of suspicion: in the end crashed nodes are suspected, and no others (◇P).",
        lambda: watching(PhiAccrual(period=0.2, threshold=0.5)),
        {
            "never-learns": lambda: watching(PhiNeverLearns(period=0.04, threshold=0.5)),
            "without-tail": lambda: watching(PhiWithoutTail(period=0.2, threshold=0.5)),
        },
        BAD_NETWORK | CRASHES | RECOVERY | AMNESIA,
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
        BAD_NETWORK | CRASHES | SUSPICION,
    ),
    Case(
        name="timed-out",
        promise="With a bound on delays: crashed nodes are suspected in the end, and nobody before (P).",
        stack=lambda: watching(TimedOut(bound=0.5, period=0.2)),
        monitors=lambda: [Completeness(), StrongAccuracy()],
        faults=CRASHES,
        mutants={
            "takes-usual-for-bound": lambda: watching(TakesUsualForBound(bound=0.5, period=0.2)),
            "stops-at-first": lambda: watching(StopsAtFirst(bound=0.5, period=0.2)),
        },
        crashes=all_but_one,
        settling=10.0,
    ),
)


LAST_CRASH_SHARE = 0.75
"""From this share of a run on, a detector must have become right."""

FEW_MISTAKES = 3
"""So many mistakes of one node about another may be left then."""


class SuspicionMonitor(Monitor):
    """Keeps whom each node suspects, and since when."""

    watches = EventuallyStrong

    def __init__(self) -> None:
        self.suspects: dict[Address, dict[Address, float]] = {}
        self.down: set[Address] = set()

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep a change."""
        other, is_suspected = event
        suspects = self.suspects.setdefault(address, {})
        if is_suspected:
            suspects[other] = time
        else:
            suspects.pop(other, None)

    def crashed(self, time: float, address: Address) -> None:
        """Forget what a crashed node suspected."""
        self.down.add(address)
        self.suspects.pop(address, None)

    def restarted(self, time: float, address: Address) -> None:
        """Take a node as up again."""
        self.down.discard(address)


class Completeness(SuspicionMonitor):
    """Every crashed node is suspected by every correct one in the end."""

    def finish(self, ending: RunEnding) -> None:
        """Look for a crashed node that is trusted."""
        for other in sorted(set(ending.group) - ending.up):
            trusting = [node for node in ending.up if other not in self.suspects.get(node, {})]
            if trusting:
                raise broken(
                    "strong completeness",
                    f"node {other} has crashed, and at {ending.time:g} s is not suspected by {names(trusting)}",
                )


class EventualAccuracy(SuspicionMonitor):
    """From some time on no correct node is suspected by a correct one."""

    watches = EventuallyPerfect

    def __init__(self) -> None:
        super().__init__()
        self.mistakes: dict[tuple[Address, Address], list[float]] = {}

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep a mistake."""
        super().indicated(time, address, event)
        other, is_suspected = event
        if is_suspected and other not in self.down:
            self.mistakes.setdefault((address, other), []).append(time)

    def finish(self, ending: RunEnding) -> None:
        """Look for a mistake that lasts, or was made late."""
        for node in sorted(ending.up):
            for other, since in sorted(self.suspects.get(node, {}).items()):
                if other in ending.up and since <= LAST_CRASH_SHARE * ending.time:
                    raise broken(
                        "eventual strong accuracy",
                        f"node {node} has suspected node {other} since {since:.3f} s, until the end at "
                        f"{ending.time:g} s",
                        "both are up",
                    )
        for (node, other), times in sorted(self.mistakes.items()):
            late = [time for time in times if time > LAST_CRASH_SHARE * ending.time]
            if len(late) > FEW_MISTAKES:
                raise broken(
                    "eventual strong accuracy",
                    f"node {node} wrongly suspected node {other} {len(late)} times after "
                    f"{LAST_CRASH_SHARE * ending.time:g} s, last at {late[-1]:.3f} s",
                )


class StrongAccuracy(Monitor):
    """Nobody is suspected before it crashes."""

    watches = Perfect

    def __init__(self) -> None:
        self.crashes: set[Address] = set()

    def crashed(self, time: float, address: Address) -> None:
        """Keep who has crashed."""
        self.crashes.add(address)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a suspicion."""
        other, is_suspected = event
        if is_suspected and other not in self.crashes:
            raise broken(
                "strong accuracy", f"node {address} suspects node {other} at {time:.3f} s, which is up"
            )
