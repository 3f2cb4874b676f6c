"""Mutual exclusion by a token: who has it may be inside, and it goes round to those who ask for it.

Requests and the token are broadcast reliably, so all know who wants it and who has it, even if a sender
crashes in between. A leaving node passes the token to the next on the ring that wants it; where none does, it
stays, and nothing is sent (the requests and what the token carries are those of Suzuki and Kasami, 1985).
When the holder is suspected, the lowest node that is not makes a new token.

What holds: where nobody crashes, and nobody is suspected, at most one node is inside and each who asks comes
in. With crashes, for good, and a detector of class ◇P each correct node that asks comes in, but there can be
two tokens for a while, and two nodes inside: a holder may be slow and not gone, or have given the token away
with its last breath. Therefore each entry has a number of its own, and a new token has higher ones than that
which it replaces. A resource behind a `Fence` refuses a number lower than one it has seen, so it never
accepts an entry after a later one. Old tokens are dropped where a newer one is known, so in the end one is
left, and at most one node inside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kumi.contract.messages import Address, Message
from kumi.network import Timer
from kumi.protocols.guarantees import WITH_CRASHES, EventuallyStrong, MutualExclusion, ReliableBroadcast
from kumi.protocols.numbering import refuse

STRIDE = 2**32
"""How many entries one token can give."""


class Fence:
    """Stands before a resource and lets nobody in who comes with a lower token than somebody before."""

    def __init__(self) -> None:
        self.highest = -1

    def accepts(self, token: int) -> bool:
        """Return whether one with this token may use the resource now."""
        self.highest = max(self.highest, token)
        return token == self.highest


@dataclass(frozen=True, slots=True)
class Want(Message):
    """The sender asks for the token, for the so many-th time."""

    number: int


@dataclass(frozen=True, slots=True)
class Token(Message):
    """The right to be inside: which token, its how many-th entry, who has it, and who had how many turns."""

    make: int
    turn: int
    holder: Address
    served: tuple[int, ...]

    @property
    def number(self) -> int:
        """What grows from one entry to the next, and from a token to the one that replaces it."""
        return self.make * STRIDE + self.turn


class TokenRing(MutualExclusion):
    """Comes in when it has the token.

    A holder that is suspected for `patience` seconds loses it. Nodes that suspect each other make new tokens
    no faster than that.
    """

    bears = WITH_CRASHES

    cast: ReliableBroadcast
    detector: EventuallyStrong | None

    def __init__(self, patience: float = 0.5) -> None:
        if not patience > 0.0:
            raise ValueError(f"patience is a positive number of seconds, not {patience!r}")
        self.patience = patience
        self._timer: Timer | None = None
        self._wanted: dict[Address, int] = {}
        self._is_waiting = False
        self._inside: int | None = None

    def begin(self) -> None:
        """Listen; the first of the group has the token."""
        group = self.node.group
        self._token = Token(0, 0, group[0], (0,) * len(group))
        self._wanted = dict.fromkeys(group, 0)
        self.cast.listen(self._deliver)
        if self.detector is not None:
            self.detector.listen(lambda _address, _is_suspected: self._go_on())

    def enter(self) -> None:
        """Ask to come in."""
        if self._is_waiting or self._inside is not None:
            raise RuntimeError(f"{self.node.name} has asked already; call leave() before the next enter()")
        self._is_waiting = True
        self.cast.broadcast(Want(self._wanted[self.node.address] + 1))

    def leave(self) -> None:
        """Go out, and give the token to the next who wants it."""
        if self._inside is None:
            raise RuntimeError(f"{self.node.name} is not inside; leave() comes after the telling of enter()")
        self._inside = None
        self._go_on()

    def _deliver(self, message: Message, sender: Address) -> None:
        match message:
            case Want(number) if sender in self._wanted:
                self._wanted[sender] = max(self._wanted[sender], number)
            case Token(_, _, holder, served) if holder in self._wanted and len(served) == len(self._wanted):
                self._see(message)
            case _:
                refuse(self.node)
        self._go_on()

    def _see(self, token: Token) -> None:
        if token.number > self._token.number:
            self._token = token

    def _go_on(self) -> None:
        """Do what can be done with the token."""
        if self._token.holder == self.node.address:
            self._hold()
        elif self._timer is None and self._must_replace():
            self._timer = self.node.after(self.patience, self._lose_patience)

    def _hold(self) -> None:
        group, me = self.node.group, self.node.address
        if self._inside is not None:
            return
        if self._wants(me):  # perhaps only by the table of a token that was made anew from old knowledge
            served = list(self._token.served)
            served[group.index(me)] = self._wanted[me]
            self._token = replace(self._token, turn=self._token.turn + 1, served=tuple(served))
            if self._is_waiting:
                self._is_waiting = False
                self._inside = self._token.number
                self.tell(self._inside)
                return
        place = group.index(me) + 1
        for address in group[place:] + group[:place]:
            if self._wants(address) and address not in self._suspected:
                self._give(replace(self._token, turn=self._token.turn + 1, holder=address))
                return

    def _wants(self, address: Address) -> bool:
        return self._wanted[address] > self._token.served[self.node.group.index(address)]

    def _give(self, token: Token) -> None:
        self._token = token
        self.cast.broadcast(token)

    @property
    def _suspected(self) -> frozenset[Address]:
        return frozenset() if self.detector is None else self.detector.suspected

    def _must_replace(self) -> bool:
        """Return whether the holder seems to be gone, and this node is the lowest that does not."""
        trusted = (address for address in self.node.group if address not in self._suspected)
        return self._token.holder in self._suspected and next(trusted) == self.node.address

    def _lose_patience(self) -> None:
        self._timer = None
        if self._must_replace():
            self._replace()

    def _replace(self) -> None:
        """Make a token that nobody else makes, and that is higher than all that are known."""
        group, me = self.node.group, self.node.address
        make = (self._token.make // len(group) + 1) * len(group) + group.index(me)
        self._give(Token(make, 0, me, self._token.served))
        self._go_on()
