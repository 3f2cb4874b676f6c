"""Linearizable registers by name: each operation seems to happen at one instant, the same for all.

Every operation, reads included, goes through a replicated log, and each node applies the log to its copy.
A client's operation is put into the log again until it comes out of it; since the first attempt may only
have been slow, each carries the client and a number, and a node applies each number once and keeps the last
result of each client. A client has one operation under way at a time.

A node that crashes comes back as another client: what was under way may have happened or not, and nobody
learns which. The copy stands for the log, which is compacted every `compact_every` places. Results are kept
for the last `clients` clients; one that was silent while so many others came must not repeat an operation.
By Lampson (1996) and Ongaro (2014).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, ClassVar

from kumi.contract.messages import Message
from kumi.devs import KumiError
from kumi.protocols.guarantees import RECOVERY, WITH_CRASHES, ReplicatedLog
from kumi.protocols.layer import Layer
from kumi.protocols.numbering import incarnation_number
from kumi.protocols.raft import Raft, Restored
from kumi.protocols.suspicion import positive


class Overloaded(KumiError):
    """More operations wait than a node keeps."""


class AtomicRegisters(Layer[int, object]):
    """Registers by name, linearizable. Tells the number of an operation and its result.

    Operations of a node are numbered from 0 in the order they are asked for, anew after each crash.
    """

    requests: ClassVar[tuple[str, ...]] = ("read", "write", "swap")

    def read(self, key: str) -> int:
        """Ask what a register holds; return the number of the operation. The result is the value."""
        raise NotImplementedError

    def write(self, key: str, value: object) -> int:
        """Put a value into a register. The result is None."""
        raise NotImplementedError

    def swap(self, key: str, expected: object, value: object) -> int:
        """Put a value into a register if it holds what is expected. The result is whether it did."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class RegisterOperation(Message):
    """What a client asks for; `number` counts its operations."""

    client: str
    number: int
    kind: str
    key: str
    value: object = None
    expected: object = None


class Registers(AtomicRegisters):
    """Keeps registers by a replicated log; asks again every `retry_after` seconds.

    At most `limit` operations of this node wait; one more is refused with `Overloaded`.
    """

    bears = WITH_CRASHES | RECOVERY

    log: ReplicatedLog

    def __init__(
        self,
        retry_after: float = 1.0,
        compact_every: int = 100,
        clients: int = 1000,
        limit: int = 10_000,
    ) -> None:
        self.retry_after = positive("retry_after", retry_after)
        self.compact_every = int(positive("compact_every", compact_every))
        self.clients = int(positive("clients", clients))
        self.limit = int(positive("limit", limit))
        self._values: dict[str, object] = {}
        self._results: dict[str, tuple[int, object]] = {}
        self._client = ""
        self._asked = 0
        self._waiting: deque[RegisterOperation] = deque()
        self._compacted = 0

    def begin(self) -> None:
        """Become a new client."""
        self._client = f"{self.node.address}-{incarnation_number(self.node, 'registers')}"
        self.log.listen(self._told)
        self.node.after(self.retry_after, self._retry)

    def read(self, key: str) -> int:
        """Ask what a register holds."""
        return self._ask("read", key)

    def write(self, key: str, value: object) -> int:
        """Put a value into a register."""
        return self._ask("write", key, value)

    def swap(self, key: str, expected: object, value: object) -> int:
        """Put a value into a register if it holds what is expected."""
        return self._ask("swap", key, value, expected)

    def _ask(self, kind: str, key: str, value: object = None, expected: object = None) -> int:
        if len(self._waiting) >= self.limit:
            raise Overloaded(
                f"{self.limit} operations of {self.node.name} wait for an answer; ask fewer at once"
            )
        number = self._asked
        self._asked += 1
        self._waiting.append(RegisterOperation(self._client, number, kind, key, value, expected))
        if len(self._waiting) == 1:
            self.log.append(self._waiting[0])
        return number

    def _retry(self) -> None:
        if self._waiting:
            self.log.append(self._waiting[0])
        self.node.after(self.retry_after, self._retry)

    def _told(self, place: int, command: object) -> None:
        match command:
            case Restored(state):
                self._restore(place, state)
            case RegisterOperation():
                self._apply(command)
        if self._waiting:
            number, result = self._results.get(self._client, (-1, None))
            if number == self._waiting[0].number:
                self._answer(number, result)
        if isinstance(self.log, Raft) and place - self._compacted >= self.compact_every:
            self._compacted = place
            self.log.compact(place, (tuple(self._values.items()), tuple(self._results.items())))

    def _apply(self, operation: RegisterOperation) -> None:
        last, result = self._results.pop(operation.client, (-1, None))
        if operation.number > last:
            last, result = operation.number, self._do(operation)
        self._results[operation.client] = last, result
        if len(self._results) > self.clients:
            del self._results[next(iter(self._results))]  # all nodes forget the same one

    def _do(self, operation: RegisterOperation) -> object:
        held = self._values.get(operation.key)
        if operation.kind == "read":
            return held
        fits = operation.kind == "write" or held == operation.expected
        if fits:
            self._values[operation.key] = operation.value
        return None if operation.kind == "write" else fits

    def _restore(self, place: int, state: Any) -> None:
        values, results = state
        self._values, self._results = dict(values), dict(results)
        self._compacted = place

    def _answer(self, number: int, result: object) -> None:
        self._waiting.popleft()
        if self._waiting:
            self.log.append(self._waiting[0])
        self.tell(number, result)
