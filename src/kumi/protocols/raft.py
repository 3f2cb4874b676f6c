"""A replicated log with crash recovery: a list of commands, the same at all nodes, kept over crashes.

Time is cut into terms, each with one leader at most: a node votes once a term, and only for one whose log is
at least as up to date as its own. The leader alone adds entries and copies them to the others; an entry is
accepted only where the one before it agrees, so logs that agree at a place agree up to it. An entry is
committed when a majority holds it, counted for entries of the leader's own term only: those of earlier terms
are committed with them, since until then a later leader might still replace them. Term, vote and log go to
the storage before anybody is answered. By Ongaro and Ousterhout (2014).

Assumes fair loss, and that nodes come back with what they stored. Safe whatever the timing; makes progress
while a majority is up and messages take less than the timeouts. What a command means is for those above,
so they bound the log: see `compact`. A new leader adds a blank entry, which is not told, so places told grow
but need not be consecutive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kumi.contract.messages import Address, Message
from kumi.network import Timer
from kumi.protocols.batches import how_many_fit
from kumi.protocols.guarantees import RECOVERY, WITH_CRASHES, FairLossLinks, ReplicatedLog
from kumi.protocols.numbering import refuse
from kumi.protocols.stored_log import LogEntry, StoredLog
from kumi.protocols.suspicion import positive


class Raft(ReplicatedLog):
    """Keeps a log by an elected leader.

    A node that hears no leader for `timeout` seconds and up to `spread` times as much again, drawn at random,
    stands for election. Leaders are heard every `period` seconds. At most `batch` entries travel in one
    message. A leader with `limit` entries that are not committed drops further commands, and counts them.
    """

    bears = WITH_CRASHES | RECOVERY

    links: FairLossLinks

    requests: ClassVar[tuple[str, ...]] = ("append", "lead")

    def __init__(
        self,
        timeout: float = 0.5,
        period: float = 0.1,
        batch: int = 64,
        *,
        spread: float = 1.0,
        limit: int = 10_000,
    ) -> None:
        self.timeout = positive("timeout", timeout)
        self.spread = positive("spread", spread)
        self.period = positive("period", period)
        self.batch = int(positive("batch", batch))
        self.limit = int(positive("limit", limit))
        self.term = 0
        self.leader: Address | None = None
        self.committed = 0
        self._told = 0
        self._voted_for: Address | None = None
        self._votes: set[Address] = set()
        self._next: dict[Address, int] = {}
        self._matching: dict[Address, int] = {}
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Take up what was stored, and wait for a leader."""
        self.term, self._voted_for = self.node.storage.get("raft term", (0, None))
        self.log = StoredLog(self.node.storage)
        self.committed = self.log.start
        self.links.listen(self._receive)
        self.node.after(0.0, self._tell_on)
        self._wait()

    @property
    def leads(self) -> bool:
        """Whether this node is the leader of its term."""
        return self.leader == self.node.address

    @property
    def majority(self) -> int:
        """How many nodes are more than half."""
        return len(self.node.group) // 2 + 1

    def append(self, command: object) -> None:
        """Take up a command, or pass it to the leader; lost where none is known."""
        if self.leads and self.log.last - self.committed >= self.limit:
            self.node.network.count_drop("too many commands wait to be committed")
        elif self.leads:
            self.log.append([LogEntry(self.term, command)])
            self._copy()
        elif self.leader is not None:
            self.links.send(Forwarded(command), self.leader)

    def compact(self, place: int, state: object) -> None:
        """Drop the entries up to a place that was told; who lags behind gets the state instead."""
        if not self.log.start <= place <= self._told:
            raise ValueError(f"places from {self.log.start} to {self._told} can be compacted, not {place}")
        self.log.compact(place, state)

    def lead(self, _term: int) -> None:
        """Begin to lead; asked by the node itself, for monitors to see."""
        self.leader = self.node.address
        self._next = dict.fromkeys(self.node.others, self.log.last + 1)
        self._matching = dict.fromkeys(self.node.others, 0)
        self.log.append([LogEntry(self.term, Blank())])
        self._beat()

    # Terms and votes.

    def _wait(self) -> None:
        """Stand for election unless a leader is heard before."""
        self._set_timer(self.timeout * (1.0 + self.node.chance.uniform(0.0, self.spread)))

    def _set_timer(self, delay: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.node.after(delay, self._beat if self.leads else self._stand)

    def _enter(self, term: int, voted_for: Address | None) -> None:
        if term > self.term:
            self.leader = None
        self.term, self._voted_for = term, voted_for
        self._store()

    def _store(self) -> None:
        self.node.storage.put("raft term", (self.term, self._voted_for))

    def _stand(self) -> None:
        self._enter(self.term + 1, self.node.address)
        self._votes = {self.node.address}
        self._wait()
        self._canvass(self.term)
        self._count_votes()

    def _canvass(self, term: int) -> None:
        """Ask those who have not voted for this node, again and again while the election lasts."""
        if self.term == term and self.leader is None:
            for address in self.node.others:
                if address not in self._votes:
                    self.links.send(VoteWanted(term, self.log.last, self.log.last_term), address)
            self.node.after(self.period, lambda: self._canvass(term))

    def _is_up_to_date(self, wanted: VoteWanted) -> bool:
        return (wanted.last_term, wanted.last) >= (self.log.last_term, self.log.last)

    def _consider(self, wanted: VoteWanted, candidate: Address) -> None:
        is_free = wanted.term == self.term and self._voted_for in {None, candidate}
        yes = is_free and self._is_up_to_date(wanted)
        if yes:
            self._enter(self.term, candidate)
            self._wait()
        self.links.send(VoteReply(self.term, yes), candidate)

    def _count_votes(self) -> None:
        if self.leader is None and len(self._votes) >= self.majority:
            self.lead(self.term)

    # Messages.

    def _receive(self, message: Message, sender: Address) -> None:
        is_ours = sender in self.node.group
        if is_ours and isinstance(message, VoteWanted | VoteReply | Append | Appended | Install):
            self._take(message, sender)
        elif is_ours and isinstance(message, Forwarded):
            if self.leads:
                self.append(message.command)
        else:
            refuse(self.node)

    def _take(self, message: VoteWanted | VoteReply | Append | Appended | Install, sender: Address) -> None:
        if message.term > self.term:
            led = self.leads
            self._enter(message.term, None)
            if led:
                self._wait()
        match message:
            case VoteWanted():
                self._consider(message, sender)
            case Append() | Install() if message.term < self.term:
                self.links.send(Appended(self.term, False, 0), sender)
            case Append() | Install():
                self._follow(message, sender)
            case VoteReply(term, yes) if term == self.term and yes:
                self._votes.add(sender)
                self._count_votes()
            case Appended(term, yes, place) if term == self.term and self.leads:
                self._learn(sender, yes, place)

    # Following.

    def _follow(self, message: Append | Install, leader: Address) -> None:
        self.leader = leader
        self._wait()
        if isinstance(message, Install):
            if message.place > self.committed:
                self.log.install(message.place, message.place_term, message.state)
                self.committed = message.place
            self.links.send(Appended(self.term, True, message.place), leader)
        else:
            self.links.send(self._accept(message), leader)
        self._tell_on()

    def _accept(self, message: Append) -> Appended:
        before, entries = message.before, message.entries
        if before < self.log.start:  # what the state stands for was committed, and so is the same
            entries = entries[self.log.start - before :]
            before = self.log.start
        elif self.log.term_at(before) != message.before_term:
            return Appended(self.term, False, min(before - 1, self.log.last))
        end = message.before + len(message.entries)
        for number, entry in enumerate(entries):
            place = before + 1 + number
            if self.log.term_at(place) != entry.term:
                if place <= self.log.last:
                    self.log.cut(place)
                self.log.append(entries[number:])
                break
        self.committed = max(self.committed, min(message.committed, end))
        return Appended(self.term, True, end)

    # Leading.

    def _beat(self) -> None:
        self._copy()
        self._advance()
        self._set_timer(self.period)

    def _copy(self) -> None:
        for address in self.node.others:
            self._copy_to(address)

    def _copy_to(self, address: Address) -> None:
        """Send what the other one lacks, and suppose that it arrives; its answer corrects that."""
        log, before = self.log, self._next[address] - 1
        if before < log.start:
            self.links.send(Install(self.term, log.start, log.start_term, log.state), address)
            self._next[address] = log.start + 1
            return
        before_term = log.term_at(before)
        assert before_term is not None
        entries = log.after(before, self.batch)
        entries = entries[: how_many_fit(self.node, entries, self.batch)]
        self.links.send(Append(self.term, before, before_term, entries, self.committed), address)
        self._next[address] = before + len(entries) + 1

    def _learn(self, follower: Address, yes: bool, place: int) -> None:
        if yes:
            self._matching[follower] = max(self._matching[follower], place)
            self._next[follower] = max(self._next[follower], place + 1)
            self._advance()
            if self._next[follower] <= self.log.last:
                self._copy_to(follower)
        elif place + 1 < self._next[follower]:
            self._next[follower] = max(self._matching[follower], place) + 1
            self._copy_to(follower)

    def _advance(self) -> None:
        """Commit what a majority holds."""
        places = sorted([self.log.last, *self._matching.values()], reverse=True)
        place = places[self.majority - 1]
        if place > self.committed and self._may_commit(place):
            self.committed = place
            self._tell_on()

    def _may_commit(self, place: int) -> bool:
        return self.log.term_at(place) == self.term

    def _tell_on(self) -> None:
        """Tell what is committed and was not told in this life."""
        if self._told < self.log.start:
            self._told = self.log.start
            self.tell(self.log.start, Restored(self.log.state))
        while self._told < self.committed:
            self._told += 1
            command = self.log[self._told].command
            if not isinstance(command, Blank):
                self.tell(self._told, command)


@dataclass(frozen=True, slots=True)
class VoteWanted(Message):
    """The sender stands for election; its log ends so."""

    term: int
    last: int
    last_term: int


@dataclass(frozen=True, slots=True)
class VoteReply(Message):
    """Whether the sender has voted for the receiver in this term."""

    term: int
    yes: bool


@dataclass(frozen=True, slots=True)
class Append(Message):
    """Entries that follow on the place `before`, from the leader of the term; perhaps none."""

    term: int
    before: int
    before_term: int
    entries: tuple[LogEntry, ...]
    committed: int


@dataclass(frozen=True, slots=True)
class Appended(Message):
    """Yes: the log agrees with the leader's up to the place. No: not even there, try from the place on."""

    term: int
    yes: bool
    place: int


@dataclass(frozen=True, slots=True)
class Install(Message):
    """The state that stands for all entries up to a place."""

    term: int
    place: int
    place_term: int
    state: object


@dataclass(frozen=True, slots=True)
class Forwarded(Message):
    """A command for the leader."""

    command: object


@dataclass(frozen=True, slots=True)
class Blank(Message):
    """What a new leader adds, so that entries of earlier terms can be committed."""


@dataclass(frozen=True, slots=True)
class Restored(Message):
    """Told in place of all commands up to its own place: the state after them."""

    state: object
