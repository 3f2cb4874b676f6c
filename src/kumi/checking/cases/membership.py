"""Group membership with view synchrony, by consensus and a detector that errs."""

from __future__ import annotations

from kumi.checking.case import Case
from kumi.checking.membership_monitors import SameSets, ViewsAgree
from kumi.checking.talking import Said, Talker
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, Stack
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.false_suspicions import Mistaken
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.membership import Membership
from kumi.protocols.views import NextView, View, ViewSynchrony


class InViews(Talker):
    """Says something to the members now and then."""

    group: ViewSynchrony

    def begin(self) -> None:
        """Listen, and plan what to say."""
        self.group.listen(self._hear)
        super().begin()

    def _hear(self, message: Message, sender: Address) -> None:
        if not isinstance(message, View):
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
        faults=frozenset(
            {
                "loss",
                "duplication",
                "reordering",
                "slow-links",
                "partition",
                "crash",
                "crash-mid-send",
                "pause",
                "suspicion",
                "skew",
            }
        ),
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
