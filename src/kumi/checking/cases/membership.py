"""Group membership with view synchrony, by consensus and a detector that errs: cases, and the monitors that judge them."""

from __future__ import annotations

from typing import Any

from kumi.checking.case import Case
from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.checking.talking import Said, Talker
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Stack
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.guarantees import WITH_CRASHES
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.membership import Membership, MemberView, NextView, ViewSynchrony
from kumi.protocols.suspicion import Mistaken


class InViews(Talker):
    """Says something to the members now and then."""

    group: ViewSynchrony

    def begin(self) -> None:
        """Listen, and plan what to say."""
        self.group.listen(self._hear)
        super().begin()

    def _hear(self, message: Message, sender: Address) -> None:
        if not isinstance(message, MemberView):
            super()._hear(message, sender)

    def say(self, message: Said) -> None:
        """Broadcast."""
        self.group.broadcast(message)


class DeliversOn(Membership):
    """Goes on delivering after it has said what it delivered."""

    def _is_open(self, number: int) -> bool:
        return number == self.view.number and self.is_member


class WaitsForNobody(Membership):
    """Proposes a view of all whom it does not suspect, with what it has itself."""

    def _is_flushed(self, suspected: frozenset[Address]) -> bool:
        for member in self.view.members:
            if member not in suspected:
                self._flushed.setdefault(member, ())
        return self.node.address in self._flushed


class DropsMessages(Membership):
    """Agrees on the members alone."""

    def _propose(self, proposal: NextView) -> None:
        super()._propose(NextView(proposal.view, ()))


class OwnOpinion(Membership):
    """Begins the view it would propose."""

    def _propose(self, proposal: NextView) -> None:
        if proposal.view.number == self.view.number + 1:
            self._install(proposal)


class StaysOut(Membership):
    """Does not join again."""

    def _receive(self, message: Message, sender: Address) -> None:
        super()._receive(message, sender)
        self._joining.clear()


def stack_with(kind: type[Membership]) -> Stack:
    """Put membership on consensus, and both on one detector."""
    return Stack(
        InViews(),
        kind(),
        ChandraToueg(),
        Mistaken(),
        Heartbeat(period=0.4, timeout=2.0),
        Acknowledged(longest_pause=2.0),
    )


CASES: tuple[Case, ...] = (
    Case(
        name="membership",
        promise="views are the same for all; who goes on together has delivered the same in the last view",
        stack=lambda: stack_with(Membership),
        monitors=lambda: [ViewsAgree(), SameSets()],
        faults=WITH_CRASHES,
        mutants={
            "delivers-on": lambda: stack_with(DeliversOn),
            "waits-for-nobody": lambda: stack_with(WaitsForNobody),
            "drops-messages": lambda: stack_with(DropsMessages),
            "own-opinion": lambda: stack_with(OwnOpinion),
            "stays-out": lambda: stack_with(StaysOut),
        },
        settling=40.0,
    ),
)


class ViewsAgree(Monitor):
    """Views with equal numbers are equal, numbers grow at each node, and who has a view is in it."""

    watches = ViewSynchrony

    def __init__(self) -> None:
        self.views: dict[int, tuple[MemberView, Address]] = {}
        self.last: dict[Address, MemberView] = {}

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Compare a view with those before."""
        view, _ = event
        if not isinstance(view, MemberView):
            return
        what = f"node {address} began view {view.number} of {names(view.members)} at {time:.3f} s"
        first, other = self.views.setdefault(view.number, (view, address))
        if first != view:
            raise broken("one view for a number", what, f"node {other} had it of {names(first.members)}")
        if address not in view.members:
            raise broken("self-inclusion", what, "it is not in it")
        before = self.last.get(address)
        if before is not None and before.number >= view.number:
            raise broken("numbers grow", what, f"it was in view {before.number}")
        self.last[address] = view

    def finish(self, ending: RunEnding) -> None:
        """All correct nodes are in one view, and nobody else."""
        for address in sorted(ending.correct):
            view = self.last.get(address)
            if view is None or frozenset(view.members) != ending.correct:
                had = "no view" if view is None else f"view {view.number} of {names(view.members)}"
                raise broken(
                    "a view of the correct ones",
                    f"node {address} has {had} at the end",
                    f"those who never crashed are {names(ending.correct)}",
                )


class SameSets(Monitor):
    """A message is delivered in one view, by members to members, once; sets agree from view to view."""

    watches = ViewSynchrony

    def __init__(self) -> None:
        self._view: dict[Address, MemberView] = {}
        self._sent: dict[Message, tuple[Address, int]] = {}
        self._in: dict[Message, tuple[int, Address, float]] = {}
        self._sets: dict[Address, list[Message]] = {}
        self._ended: dict[int, tuple[Address, frozenset[Message]]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember in which view a message was asked for."""
        view = self._view.get(address)
        self._sent[event[0]] = (address, 0 if view is None else view.number)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """See a view, or a message in it."""
        message, sender = event
        if isinstance(message, MemberView):
            self._end_view(time, address, message)
        else:
            self._deliver(time, address, message, sender)

    def _end_view(self, time: float, address: Address, new: MemberView) -> None:
        old = self._view.get(address)
        delivered = frozenset(self._sets.get(address, ()))
        self._view[address] = new
        self._sets[address] = []
        if old is None or old.number + 1 != new.number:
            return
        other, theirs = self._ended.setdefault(new.number, (address, delivered))
        if theirs != delivered:
            lacking = sorted(map(str, theirs ^ delivered))
            raise broken(
                "same messages in a view",
                f"nodes {other} and {address} went from view {old.number} to {new.number}",
                f"only one of them delivered {lacking[0]} in view {old.number}",
            )

    def _deliver(self, time: float, address: Address, message: Message, sender: Address) -> None:
        what = f"node {address} delivered {message} from {sender} at {time:.3f} s"
        view = self._view.get(address)
        if message not in self._sent or self._sent[message][0] != sender:
            raise broken("no creation", what, "its sender did not broadcast it")
        if view is None or sender not in view.members or view.number < self._sent[message][1]:
            raise broken("in the view it was sent in", what, f"in {view}, after a later view of its sender")
        number, other, earlier = self._in.setdefault(message, (view.number, address, time))
        if number != view.number:
            raise broken(
                "in the view it was sent in",
                f"{what} in view {view.number}",
                f"node {other} delivered it in view {number} at {earlier:.3f} s",
            )
        if message in self._sets[address]:
            raise broken("no duplication", what, "it had delivered it before")
        self._sets[address].append(message)

    def finish(self, ending: RunEnding) -> None:
        """What a correct node broadcast, it delivered itself."""
        for message, (sender, _) in self._sent.items():
            if sender in ending.correct and message not in self._in:
                raise broken("validity", f"node {sender} broadcast {message}", "nobody delivered it")
