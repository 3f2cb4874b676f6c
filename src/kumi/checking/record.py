"""A run of a case as a run file: for `kumi log`, `kumi show` and `kumi video`.

Nodes are discs on a circle. A node that is down is not there. Messages are those of the network, with all
that layers put around what was asked of them; faults, and what the layers that are judged are asked and
tell, are notes. The last one is the verdict.
"""

from __future__ import annotations

import math
from pathlib import Path

from kumi.checking.trial import CRASHED, RESTARTED, Trial, Verdict
from kumi.contract.messages import Address
from kumi.maths import cos, sin
from kumi.network import MessageDropped, MessageReceived, MessageSent, Traffic
from kumi.network.wire import content
from kumi.recording import Leaving, RunMeta, RunSummary, RunWriter
from kumi.recording.layout import (
    ADDED,
    GONE,
    INSTANT,
    LEFT,
    NOBODY,
    NOTE,
    NOTED,
    PLACED,
    TIME,
)
from kumi.recording.writing import dropped_record, received_record, sent_record

RADIUS = 0.4
"""Metres; how large a node is drawn."""
NODE_SPACING = 2.5
"""Metres; from one node to the next on the circle."""
DISC = 0


def record(trial: Trial, path: str | Path) -> Verdict:
    """Run a trial and write it to a run file."""
    case = trial.case
    until = case.duration + case.settling
    names = {node.address: node.name for node in trial.nodes}
    meta = RunMeta(scenario=f"# {case.name}: {case.promise}\n", seed=trial.seed, robots=names, until=until)
    with RunWriter(path, meta) as writer:
        scribe = Scribe(writer, len(trial.nodes))
        trial.watch(scribe.note)
        trial.network.watch(scribe.traffic)
        verdict = trial.run()
        broken = verdict.violation
        scribe.say(verdict.time, None, f"violation of {broken}" if broken else "all promises were kept")
        scribe.flush()
        writer.close(
            RunSummary(
                end=verdict.time,
                trace_hash=verdict.trace_hash,
                events=verdict.messages,
                robots=len(names),
                errors=(str(broken),) if broken else (),
            )
        )
    return verdict


class Scribe:
    """Writes what happens into a journal."""

    def __init__(self, writer: RunWriter, nodes: int) -> None:
        self._writer = writer
        self._time = -1.0
        self._parts: list[bytes] = []
        self._nodes = nodes
        for address in range(nodes):
            self._add(0.0, address)

    def note(self, time: float, address: Address | None, words: str) -> None:
        """Write down what happened at a node, or to all."""
        if words == RESTARTED and address is not None:
            self._add(time, address)
        self.say(time, address, words)
        if words == CRASHED and address is not None:
            self._put(time, bytes([GONE]) + LEFT.pack(address, Leaving.REMOVED))

    def say(self, time: float, address: Address | None, words: str) -> None:
        """Write a note."""
        text = words.encode(errors="replace")
        self._put(time, bytes([NOTE]) + NOTED.pack(NOBODY if address is None else address, len(text)) + text)

    def traffic(self, seen: Traffic) -> None:
        """Write down a message that was sent, arrived, or did not."""
        match seen:
            case MessageSent(time, number, sender, receivers, message):
                kind, words = type(message).__name__, content(message)
                self._put(time, sent_record(number, sender, receivers, kind, words))
            case MessageReceived(time, number, _, receiver):
                self._put(time, received_record(number, receiver))
            case MessageDropped(time, number, _, receiver, _, reason):
                self._put(time, dropped_record(number, receiver, reason))

    def flush(self) -> None:
        """Hand over what was written."""
        self._writer.write(b"".join(self._parts))
        self._parts.clear()

    def _add(self, time: float, address: Address) -> None:
        """Put a node on its place on the circle."""
        angle = 2.0 * math.pi * address / self._nodes
        distance = 0.0 if self._nodes == 1 else NODE_SPACING / (2.0 * sin(math.pi / self._nodes))
        x, y = distance * cos(angle), distance * sin(angle)
        shape = bytes([DISC]) + INSTANT.pack(RADIUS)
        self._put(time, bytes([ADDED]) + PLACED.pack(address, x, y, angle + math.pi) + shape)

    def _put(self, time: float, journal: bytes) -> None:
        if time != self._time:
            self._parts.append(bytes([TIME]) + INSTANT.pack(time))
            self._time = time
        self._parts.append(journal)
