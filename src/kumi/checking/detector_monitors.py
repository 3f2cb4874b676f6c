"""Judging failure detectors: do they suspect whom they should, and nobody else?

What must hold in the end is judged when faults are over: at the end of the run, and for accuracy over its
last quarter, since a detector that errs for ever may be right at one instant. There a pair of nodes may still
make its first mistakes, from which it learns, but no more than a few.
"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Ending, Monitor, broken, names
from kumi.contract.messages import Address
from kumi.protocols.guarantees import EventuallyPerfect, EventuallyStrong, Perfect

LAST = 0.75
"""From this share of a run on, a detector must have become right."""

FEW = 3
"""So many mistakes of one node about another may be left then."""


class SuspicionMonitor(Monitor):
    """Keeps whom each node suspects, and since when."""

    watches = EventuallyStrong

    def __init__(self) -> None:
        self.suspects: dict[Address, dict[Address, float]] = {}
        self.down: set[Address] = set()

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
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

    def finish(self, ending: Ending) -> None:
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

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep a mistake."""
        super().told(time, address, event)
        other, is_suspected = event
        if is_suspected and other not in self.down:
            self.mistakes.setdefault((address, other), []).append(time)

    def finish(self, ending: Ending) -> None:
        """Look for a mistake that lasts, or was made late."""
        for node in sorted(ending.up):
            for other, since in sorted(self.suspects.get(node, {}).items()):
                if other in ending.up and since <= LAST * ending.time:
                    raise broken(
                        "eventual strong accuracy",
                        f"node {node} has suspected node {other} since {since:.3f} s, until the end at "
                        f"{ending.time:g} s",
                        "both are up",
                    )
        for (node, other), times in sorted(self.mistakes.items()):
            late = [time for time in times if time > LAST * ending.time]
            if len(late) > FEW:
                raise broken(
                    "eventual strong accuracy",
                    f"node {node} wrongly suspected node {other} {len(late)} times after "
                    f"{LAST * ending.time:g} s, last at {late[-1]:.3f} s",
                )


class StrongAccuracy(Monitor):
    """Nobody is suspected before it crashes."""

    watches = Perfect

    def __init__(self) -> None:
        self.crashes: set[Address] = set()

    def crashed(self, time: float, address: Address) -> None:
        """Keep who has crashed."""
        self.crashes.add(address)

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a suspicion."""
        other, is_suspected = event
        if is_suspected and other not in self.crashes:
            raise broken(
                "strong accuracy", f"node {address} suspects node {other} at {time:.3f} s, which is up"
            )
