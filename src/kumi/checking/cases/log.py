"""A replicated log that survives crashes, and linearizable registers on top of it."""

from __future__ import annotations

from kumi.checking.case import Case
from kumi.checking.cases.log_monitors import (
    AskedIsTold,
    Linearizable,
    NothingInvented,
    OneLeaderATerm,
    SameLog,
)
from kumi.contract.messages import Address, Message
from kumi.network import Storage
from kumi.protocols import Layer, Stack
from kumi.protocols.guarantees import BAD_NETWORK, CRASHES, RECOVERY, FairLossLinks, ReplicatedLog
from kumi.protocols.raft import Raft, Restored, VoteWanted
from kumi.protocols.register import AtomicRegisters, RegisterOperation, Registers
from kumi.protocols.stored_log import StoredLog


class Appender(Layer[()]):
    """Asks for commands of its own until they are in the log, and compacts the log now and then."""

    log: ReplicatedLog

    def __init__(self, every: float = 0.3, until: float = 10.0, compact_every: int = 10) -> None:
        self.every = every
        self.until = until
        self.compact_every = compact_every
        self._open: list[str] = []
        self._commands: list[object] = []
        self._compacted = 0

    def begin(self) -> None:
        """Begin to ask."""
        self.log.listen(self._told)
        self.node.after(self.node.chance.uniform(0.0, self.every), self._ask)
        self.node.after(1.0, self._ask_again)

    def _ask(self) -> None:
        number = self.node.storage.get("asked", 0)
        if self.every * number < self.until:
            self.node.storage.put("asked", number + 1)
            self._open.append(f"{self.node.address}.{number}")
            self.log.append(self._open[-1])
            self.node.after(self.node.chance.exponential(self.every), self._ask)

    def _ask_again(self) -> None:
        for command in self._open:
            self.log.append(command)
        self.node.after(1.0, self._ask_again)

    def _told(self, place: int, command: object) -> None:
        if isinstance(command, Restored):
            assert isinstance(command.state, tuple)
            self._commands = list(command.state)
            self._compacted = place
        else:
            self._commands.append(command)
        self._open = [each for each in self._open if each not in self._commands]
        if isinstance(self.log, Raft) and place - self._compacted >= self.compact_every:
            self._compacted = place
            self.log.compact(place, tuple(self._commands))


class Unrest(Layer[()]):
    """Restarts its node, in no time, soon after it begins to lead, and now and then anyway, for a while.

    Schedules seldom hit the instants that matter to elections; this does.
    """

    log: Raft

    def __init__(self, reign: float = 0.03, peace: float = 1.0, until: float = 10.0) -> None:
        self.reign = reign
        self.peace = peace
        self.until = until

    def begin(self) -> None:
        """Plan the next restart."""
        self.node.after(self.node.chance.exponential(self.peace), self._restart)
        self._look()

    def _look(self) -> None:
        if self.log.leads:
            self.node.after(self.node.chance.exponential(self.reign), self._restart)
        else:
            self.node.after(0.01, self._look)

    def _restart(self) -> None:
        if self.node.simulation.now < self.until:
            self.node.restart()


class Leaky(FairLossLinks):
    """Loses some messages for a while."""

    links: FairLossLinks

    def __init__(self, loss: float = 0.3, until: float = 10.0) -> None:
        self.loss = loss
        self.until = until

    def begin(self) -> None:
        """Listen to the links."""
        self.links.listen(self.tell)

    def send(self, message: Message, to: Address) -> None:
        """Send, or lose."""
        if self.node.simulation.now >= self.until or not self.node.chance.happens(self.loss):
            self.links.send(message, to)


class User(Layer[()]):
    """Reads, writes and swaps a few registers, with values of its own; keeps in mind what it read."""

    registers: AtomicRegisters

    def __init__(self, keys: int = 2, every: float = 0.4, operations: int = 20) -> None:
        self.keys = keys
        self.every = every
        self.operations = operations
        self._seen: object = None

    def begin(self) -> None:
        """Begin to ask."""
        self.registers.listen(self._returned)
        self.node.after(self.node.chance.exponential(self.every), self._ask)

    def _ask(self) -> None:
        number = self.node.storage.get("operations", 0)
        if number >= self.operations:
            return
        self.node.storage.put("operations", number + 1)
        chance, value = self.node.chance, f"{self.node.address}.{number}"
        key = "xyz"[chance.integer(0, self.keys - 1)]
        kind = chance.choice(("read", "read", "write", "swap"))
        if kind == "read":
            self.registers.read(key)
        elif kind == "write":
            self.registers.write(key, value)
        else:
            self.registers.swap(key, self._seen, value)

    def _returned(self, _number: int, result: object) -> None:
        if not isinstance(result, bool):
            self._seen = result
        self.node.after(self.node.chance.exponential(self.every), self._ask)


class ForgetsVote(Raft):
    """Does not store whom it voted for."""

    def _store(self) -> None:
        self.node.storage.put("raft term", (self.term, None))


class ForgetsTerm(Raft):
    """Stores neither its term nor its vote."""

    def _store(self) -> None:
        pass


class VotesAgain(Raft):
    """Votes for every candidate of a term."""

    def _consider(self, wanted: VoteWanted, candidate: Address) -> None:
        if wanted.term == self.term and not self.leads:
            self._voted_for = None
        super()._consider(wanted, candidate)


class CommitsOldTerms(Raft):
    """Commits entries of earlier terms by counting who holds them."""

    def _may_commit(self, place: int) -> bool:
        return True


class VotesForAnyone(Raft):
    """Votes for candidates whose logs lack what it has."""

    def _is_up_to_date(self, wanted: VoteWanted) -> bool:
        return True


class TwoForMajority(Raft):
    """Takes two nodes for a majority."""

    @property
    def majority(self) -> int:
        """How many nodes suffice."""
        return 2


class KeepsLogInMemory(Raft):
    """Does not store its log."""

    def begin(self) -> None:
        """Begin with an empty log."""
        super().begin()
        self.log = StoredLog(Storage())


class LosesRefusals(Raft):
    """Never goes back to where a follower's log ends."""

    def _learn(self, follower: Address, yes: bool, place: int) -> None:
        if yes:
            super()._learn(follower, yes, place)


class LosesForwarded(Raft):
    """Takes up only what the leader's own node asks for."""

    def append(self, command: object) -> None:
        """Take up a command, if this node leads."""
        if self.leads:
            super().append(command)


class TellsBlanks(Raft):
    """Tells what no one asked for: the entries with which leaders begin."""

    def _tell_on(self) -> None:
        while self._told < self.committed and self._told >= self.log.start:
            self._told += 1
            self.tell(self._told, self.log[self._told].command)
        super()._tell_on()


class AppliesTwice(Registers):
    """Applies an operation as often as it is in the log."""

    def _apply(self, operation: RegisterOperation) -> None:
        self._results[operation.client] = operation.number, self._do(operation)


class ReadsLocally(Registers):
    """Answers reads from its own copy, which may be old."""

    def _ask(self, kind: str, key: str, value: object = None, expected: object = None) -> int:
        if kind != "read":
            return super()._ask(kind, key, value, expected)
        number = self._asked
        self._asked += 1
        self.node.after(0.0, lambda: self.tell(number, self._values.get(key)))
        return number


class SwapsAlways(Registers):
    """Swaps without comparing, and says that it compared."""

    def _do(self, operation: RegisterOperation) -> object:
        held = self._values.get(operation.key)
        result = super()._do(operation)
        if operation.kind == "swap":
            self._values[operation.key] = operation.value
        return held == operation.expected if operation.kind == "swap" else result


def log(raft: type[Raft] = Raft) -> Stack:
    """Return a stack with this log; small batches and short timeouts make for many states."""
    return Stack(Appender(), raft(timeout=0.5, period=0.1, batch=1))


def registers(kind: type[Registers] = Registers) -> Stack:
    """Return a stack with these registers."""
    return Stack(User(), kind(retry_after=0.5, compact_every=10), Raft(timeout=0.3))


def unrest(raft: type[Raft] = Raft) -> Stack:
    """Return a stack whose leaders do not last, with elections in which several stand at once."""
    return Stack(Unrest(), Appender(every=0.5), raft(timeout=0.2, batch=1, spread=0.5), Leaky())


CASES: tuple[Case, ...] = (
    Case(
        name="raft",
        promise="All nodes tell the same log, in all their lives; what a correct node asks for comes into it.",
        stack=log,
        monitors=lambda: [OneLeaderATerm(), SameLog(), NothingInvented(), AskedIsTold()],
        faults=BAD_NETWORK | CRASHES | RECOVERY,
        mutants={
            "votes-for-anyone": lambda: log(VotesForAnyone),
            "any-for-majority": lambda: log(TwoForMajority),
            "loses-refusals": lambda: log(LosesRefusals),
            "loses-forwarded": lambda: log(LosesForwarded),
            "tells-blanks": lambda: log(TellsBlanks),
        },
        settling=15.0,
    ),
    Case(
        name="raft-unrest",
        promise="The same, where leaders restart as soon as they lead.",
        stack=unrest,
        monitors=lambda: [OneLeaderATerm(), SameLog(), AskedIsTold()],
        faults=BAD_NETWORK | CRASHES | RECOVERY,
        mutants={
            "forgets-vote": lambda: unrest(ForgetsVote),
            "forgets-term": lambda: unrest(ForgetsTerm),
            "votes-again": lambda: unrest(VotesAgain),
            "keeps-log-in-memory": lambda: unrest(KeepsLogInMemory),
            "commits-old-terms": lambda: unrest(CommitsOldTerms),
        },
        within={"commits-old-terms": 1000},
        above=2,
        settling=15.0,
    ),
    Case(
        name="registers",
        promise="Every operation on a register seems to happen at one instant between call and return.",
        stack=registers,
        monitors=lambda: [Linearizable(), OneLeaderATerm()],
        faults=BAD_NETWORK | CRASHES | RECOVERY,
        mutants={
            "applies-twice": lambda: registers(AppliesTwice),
            "reads-locally": lambda: registers(ReadsLocally),
            "swaps-always": lambda: registers(SwapsAlways),
        },
        settling=20.0,
    ),
)
