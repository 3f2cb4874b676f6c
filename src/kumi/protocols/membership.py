"""Group membership with view synchrony: who is in the group, and all agree on what was said in it.

A view is a numbered list of members. Messages are delivered in the view in which they were sent, and those
who go together from one view to the next have delivered the same messages in the first.

When a member is suspected, or a node wants to join, the view is changed. All members stop sending and tell
each other what they have delivered and others may lack (they flush). A node that has this from all it does
not suspect proposes the next view: those it heard, those who join, and all the messages. Consensus chooses
one proposal. Everyone in it delivers what it lacks of those messages, and the next view begins (the idea of
Guerraoui and Schiper, 1996; view synchrony is by Birman and Joseph, 1987).

Assumes what its consensus does: a detector of class ◇S and a majority of all nodes that never crashes. Every
view has a majority, too, so there is always one who can change it. A crashed member is excluded in the end.
One that was suspected wrongly may be excluded, too: it learns so, and asks to join again, which it does with
empty hands: what it missed it never gets. A node that comes back after a crash cannot join, since its
consensus has forgotten what it promised.

The promise is by Birman and Joseph (1987); `Membership` keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.network import Timer
from kumi.protocols.guarantees import WITH_CRASHES, Broadcast, Consensus, EventuallyStrong, PerfectLinks
from kumi.protocols.numbering import SeenNumbers, refuse


class ViewSynchrony(Broadcast):
    """Tells `MemberView`s, from the node itself, and messages, each in the view in which it was sent.

    Views with equal numbers are equal; who goes on to the next has delivered the same as all who do. What is
    broadcast while the view changes is sent in the next one.
    """


@dataclass(frozen=True, slots=True)
class MemberView(Message):
    """The so many-th list of members."""

    number: int
    members: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Cast(Message):
    """A message in a view, and its number among those of its sender there."""

    view: int
    sender: Address
    number: int
    inside: Message


@dataclass(frozen=True, slots=True)
class KnownDeliveries(Message):
    """How many messages of each member the sender has delivered without a gap."""

    view: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Flush(Message):
    """What the sender delivered in a view, and others perhaps did not; it delivers no more in it."""

    view: int
    messages: tuple[Cast, ...]


@dataclass(frozen=True, slots=True)
class NextView(Message):
    """A view, and what is delivered by all before it begins."""

    view: MemberView
    messages: tuple[Cast, ...]


@dataclass(frozen=True, slots=True)
class Join(Message):
    """The sender is not a member and wants to be."""


class Membership(ViewSynchrony):
    """Changes views by consensus; every node of the group is a member at first.

    What all have delivered need not be flushed: members tell each other every `period` seconds how far they
    are, as long as there is something new. Views begin at least as far apart, unless another node is faster.
    At most `limit` messages wait for the next view; those beyond are dropped and counted.
    """

    bears = WITH_CRASHES

    links: PerfectLinks
    consensus: Consensus
    detector: EventuallyStrong

    def __init__(self, period: float = 0.5, limit: int = 10_000) -> None:
        if not period > 0.0:
            raise ValueError(f"period is a positive number of seconds, not {period!r}")
        if limit < 1:
            raise ValueError(f"limit is a number of messages from 1 on, not {limit!r}")
        self.period = period
        self.limit = limit
        self.is_member = True
        self._joining: dict[Address, None] = {}
        self._waiting: list[Message] = []  # what is to be sent in the next view
        self._early: list[tuple[int, Message, Address]] = []  # what belongs to later views
        self._decided: dict[int, NextView] = {}
        self._is_settling = False
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Listen, and begin with a view of all."""
        self._start(MemberView(0, self.node.group))
        self.links.listen(self._receive)
        self.consensus.listen(self._decide)
        self.detector.listen(self._suspicion_changed)
        self.node.after(0.0, self._tell_first)

    def _tell_first(self) -> None:
        if self.view.number == 0:
            self.tell(self.view, self.node.address)

    def _start(self, view: MemberView) -> None:
        """Forget all about the view before."""
        self.view = view
        self.is_changing = False
        self._has_proposed = False
        self._sent = 0
        self._seen = {member: SeenNumbers() for member in view.members}
        self._known: dict[Address, tuple[int, ...]] = {}
        self._unstable: dict[tuple[Address, int], Cast] = {}
        self._flushed: dict[Address, tuple[Cast, ...]] = {}

    # Messages.

    def broadcast(self, message: Message) -> None:
        """Send to all members, itself included."""
        if self.is_changing or not self.is_member:
            if len(self._waiting) < self.limit:
                self._waiting.append(message)
            else:
                self.node.network.count_drop("too many wait for a view")
            return
        cast = Cast(self.view.number, self.node.address, self._sent, message)
        self._sent += 1
        for member in self.view.members:
            if member != self.node.address:
                self.links.send(cast, member)
        self._deliver(cast)

    def _deliver(self, cast: Cast) -> None:
        if self._seen[cast.sender].add(cast.number):
            self._unstable[cast.sender, cast.number] = cast
            if self._timer is None:
                self._timer = self.node.after(self.period, self._say_known)
            self.tell(cast.inside, cast.sender)

    def _say_known(self) -> None:
        self._timer = None
        if self.is_member and not self.is_changing:
            counts = tuple(self._seen[member].floor for member in self.view.members)
            for member in self.view.members:
                self.links.send(KnownDeliveries(self.view.number, counts), member)

    def _forget_stable(self) -> None:
        if len(self._known) == len(self.view.members):
            counts = map(min, zip(*self._known.values(), strict=True))
            stable = dict(zip(self.view.members, counts, strict=True))
            for sender, number in [key for key in self._unstable if key[1] < stable[key[0]]]:
                del self._unstable[sender, number]

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case Join():
                self._joining[sender] = None
                self._consider()
                self._go_on()
            case NextView():
                self._propose(message)
            case Cast(number) | KnownDeliveries(number) | Flush(number) if number > self.view.number:
                self._early.append((number, message, sender))
            case Cast(number) if self._is_open(number) and message.sender in self._seen:
                self._deliver(message)
            case KnownDeliveries(number, counts) if self._is_open(number):
                self._known[sender] = counts
                self._forget_stable()
            case Flush(number, messages) if number == self.view.number:
                self._flushed[sender] = messages
                self._change()
                self._go_on()
            case Cast() | KnownDeliveries() | Flush():
                pass  # of a view that is over here
            case _:
                refuse(self.node)

    def _is_open(self, number: int) -> bool:
        """Return whether messages of a view are delivered now."""
        return number == self.view.number and self.is_member and not self.is_changing

    # Views.

    def _suspicion_changed(self, _address: Address, _is_suspected: bool) -> None:
        self._consider()
        self._go_on()

    def _consider(self) -> None:
        """Change the view if there is a reason, and the last change is not just over."""
        if self._is_settling:
            return
        members, suspected = self.view.members, self.detector.suspected
        gone = any(member in suspected for member in members)
        if gone or any(node not in suspected and node not in members for node in self._joining):
            self._change()

    def _change(self) -> None:
        """Stop delivering, and flush."""
        if self.is_member and not self.is_changing:
            self.is_changing = True
            flush = Flush(self.view.number, tuple(self._unstable.values()))
            for member in self.view.members:
                self.links.send(flush, member)

    def _go_on(self) -> None:
        """Propose the next view when all have flushed who are not suspected."""
        suspected, members = self.detector.suspected, self.view.members
        if not self.is_changing or not self._is_flushed(suspected):
            return
        joining = [node for node in self._joining if node not in suspected and node not in members]
        staying = [node for node in self._flushed if node not in suspected]
        if not self._suffice(len(staying) + len(joining)):
            return
        view = MemberView(self.view.number + 1, tuple(sorted([*staying, *joining])))
        messages = {(cast.sender, cast.number): cast for casts in self._flushed.values() for cast in casts}
        self._propose(NextView(view, tuple(messages[key] for key in sorted(messages))))

    def _suffice(self, members: int) -> bool:
        """Return whether so many are a majority of all, so that one of them is left whoever crashes."""
        return 2 * members > len(self.node.group)

    def _is_flushed(self, suspected: frozenset[Address]) -> bool:
        return self.node.address in self._flushed and all(
            member in self._flushed or member in suspected for member in self.view.members
        )

    def _propose(self, proposal: NextView) -> None:
        """Propose, and let all do so who have not: consensus waits for them."""
        if proposal.view.number == self.view.number + 1 and not self._has_proposed:
            self._has_proposed = True
            for address in self.node.others:
                self.links.send(proposal, address)
            self.consensus.propose(f"view {proposal.view.number}", proposal)
        elif proposal.view.number > self.view.number + 1:
            self._early.append((proposal.view.number - 1, proposal, self.node.address))

    def _decide(self, question: str, decision: object) -> None:
        if not isinstance(decision, NextView) or question != f"view {decision.view.number}":
            return  # another user's
        self._decided[decision.view.number] = decision
        while (decided := self._decided.pop(self.view.number + 1, None)) is not None:
            self._install(decided)

    def _install(self, decided: NextView) -> None:
        me, view = self.node.address, decided.view
        was_member, self.is_member = self.is_member, me in view.members
        if was_member and self.is_member:
            for cast in decided.messages:
                self._deliver(cast)
        self._start(view)
        for member in view.members:
            self._joining.pop(member, None)
        if self.is_member:
            self.tell(view, me)
        else:
            for address in self.node.others:
                self.links.send(Join(), address)
        self._catch_up()

    def _catch_up(self) -> None:
        """Do what waited for this view."""
        number = self.view.number
        early, self._early = self._early, []
        for belongs, message, sender in early:
            if belongs == number:
                self._receive(message, sender)
            elif belongs > number:
                self._early.append((belongs, message, sender))
        waiting, self._waiting = self._waiting, []
        for message in waiting:
            self.broadcast(message)
        self._is_settling = True
        self.node.after(self.period, lambda: self._settle(number))

    def _settle(self, number: int) -> None:
        if number == self.view.number:
            self._is_settling = False
            self._consider()
