"""How good is a failure detector? Its quality of service in figures.

Detection time T_D: from a crash until it is suspected for good. Mistake recurrence T_MR: from one wrong
suspicion to the next, for each pair of nodes. Mistake duration T_M: how long a wrong suspicion lasts. Query
accuracy P_A = 1 - E(T_M)/E(T_MR): the probability that a question about a node that is up is answered rightly.
By Chen, Toueg and Aguilera (2002).

`Quality` is a monitor that accuses nobody: in a trial it watches the detector; a log of a real run, or any
other, is fed to it line by line through `changed` and `crashed`, with times of one clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from statistics import fmean
from typing import Any

from kumi.checking.monitors import Monitor, RunEnding
from kumi.contract.messages import Address
from kumi.protocols.guarantees import EventuallyStrong

Pair = tuple[Address, Address]


@dataclass(frozen=True)
class Figures:
    """The measured times in seconds, one for each event; averages are None where nothing was measured."""

    detection: tuple[float, ...]
    recurrence: tuple[float, ...]
    duration: tuple[float, ...]
    undetected: int

    @property
    def detection_time(self) -> float | None:
        """The average T_D."""
        return fmean(self.detection) if self.detection else None

    @property
    def slowest_detection(self) -> float | None:
        """The longest T_D."""
        return max(self.detection, default=None)

    @property
    def mistake_recurrence(self) -> float | None:
        """The average T_MR."""
        return fmean(self.recurrence) if self.recurrence else None

    @property
    def mistake_duration(self) -> float | None:
        """The average T_M."""
        return fmean(self.duration) if self.duration else None

    @property
    def query_accuracy(self) -> float | None:
        """P_A; 1 where no mistake was made, None where mistakes were too few to recur."""
        if not self.duration:
            return 1.0
        if not self.recurrence:
            return None
        return 1.0 - fmean(self.duration) / fmean(self.recurrence)

    def misses(
        self, *, detection: float = inf, duration: float = inf, recurrence: float = 0.0, accuracy: float = 0.0
    ) -> list[str]:
        """Return in words which bounds are not kept: the longest T_D, and the averages of the others."""
        found = [f"{self.undetected} crashes are undetected"] if self.undetected and detection < inf else []
        for name, value, least, most in (
            ("T_D", self.slowest_detection, 0.0, detection),
            ("T_M", self.mistake_duration, 0.0, duration),
            ("T_MR", self.mistake_recurrence, recurrence, inf),
            ("P_A", self.query_accuracy, accuracy, 1.0),
        ):
            if value is not None and not least <= value <= most:
                found.append(f"{name} is {value:g}, not between {least:g} and {most:g}")
        return found

    def __str__(self) -> str:
        def seconds(value: float | None) -> str:
            return "none" if value is None else f"{value:.3f} s"

        accuracy = "unknown" if self.query_accuracy is None else f"{self.query_accuracy:.6f}"
        return (
            f"T_D {seconds(self.detection_time)} (longest {seconds(self.slowest_detection)}, "
            f"{self.undetected} undetected), T_MR {seconds(self.mistake_recurrence)}, "
            f"T_M {seconds(self.mistake_duration)}, P_A {accuracy}"
        )


@dataclass
class Quality(Monitor):
    """Measures detectors; ask `figures` at any time."""

    watches = EventuallyStrong

    _crashes: dict[Address, float] = field(default_factory=dict)
    _wrong_since: dict[Pair, float] = field(default_factory=dict)
    _latest: dict[Pair, float] = field(default_factory=dict)
    _detection: dict[Pair, float] = field(default_factory=dict)
    _recurrence: list[float] = field(default_factory=list)
    _duration: list[float] = field(default_factory=list)
    _observers: set[Address] = field(default_factory=set)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Take what a detector tells in a trial."""
        other, is_suspected = event
        self.changed(time, address, other, is_suspected)

    def changed(self, time: float, observer: Address, other: Address, is_suspected: bool) -> None:
        """Take a change of what one node thinks of another."""
        pair = observer, other
        self._observers |= {observer, other}
        if not is_suspected:
            self._detection.pop(pair, None)
            if pair in self._wrong_since:
                self._duration.append(time - self._wrong_since.pop(pair))
        elif other in self._crashes:
            self._detection[pair] = time - self._crashes[other]
        elif pair not in self._wrong_since:
            if pair in self._latest:
                self._recurrence.append(time - self._latest[pair])
            self._latest[pair] = self._wrong_since[pair] = time

    def crashed(self, time: float, address: Address) -> None:
        """Take a crash: who suspected the node wrongly is right from now on, and was so at once."""
        self._crashes[address] = time
        self._observers.add(address)
        for pair in tuple(self._wrong_since):
            if pair[1] == address:
                self._duration.append(time - self._wrong_since.pop(pair))
                self._detection[pair] = 0.0
            elif pair[0] == address:
                del self._wrong_since[pair]

    def restarted(self, time: float, address: Address) -> None:
        """Take a return: who still suspects the node is wrong from now on."""
        self._crashes.pop(address, None)
        for pair in [pair for pair in self._detection if pair[1] == address]:
            del self._detection[pair]
            self._latest[pair] = self._wrong_since[pair] = time

    @property
    def figures(self) -> Figures:
        """What was measured so far; mistakes that last still are not counted in T_M."""
        up = self._observers - self._crashes.keys()
        undetected = sum((node, other) not in self._detection for node in up for other in self._crashes)
        detection = [time for (node, _), time in sorted(self._detection.items()) if node in up]
        return Figures(tuple(detection), tuple(self._recurrence), tuple(self._duration), undetected)

    def finish(self, ending: RunEnding) -> None:
        """Count all nodes of the run."""
        self._observers.update(ending.group)
