"""Stacks to use as they are, by name in a scenario: each function makes one for one node."""

from __future__ import annotations

from kumi.protocols.aodv import Aodv
from kumi.protocols.causal import CausesFirst
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.consensus_order import ConsensusOrder
from kumi.protocols.eventual_leader import LowestTrusted
from kumi.protocols.fifo import InOrder
from kumi.protocols.flood import Flood
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.hops import Hops
from kumi.protocols.lamport_order import LamportOrder
from kumi.protocols.perfect_links import Acknowledged
from kumi.protocols.reliable import EagerRelay, ToEach
from kumi.protocols.reservation import ReserveInOrder
from kumi.protocols.stack import Stack
from kumi.reserving import Policy


def plain() -> Stack:
    """Nothing but the network."""
    return Stack()


def perfect() -> Stack:
    """What is sent arrives, once, on a network that loses messages."""
    return Stack(ToEach(), Acknowledged())


def in_order() -> Stack:
    """What is sent arrives, once, in the order of sending."""
    return Stack(ToEach(), InOrder(), Acknowledged())


def reliable() -> Stack:
    """What one robot delivers of a broadcast, all that stay up deliver."""
    return Stack(EagerRelay(), ToEach(), Acknowledged())


def causal() -> Stack:
    """Broadcasts are delivered after those that led to them."""
    return Stack(CausesFirst(), EagerRelay(), ToEach(), Acknowledged())


def total_order() -> Stack:
    """Broadcasts are delivered in one order everywhere; a minority of the robots may crash."""
    return Stack(
        ConsensusOrder(),
        EagerRelay(),
        ToEach(),
        ChandraToueg(),
        Acknowledged(),
        Heartbeat(period=0.5, timeout=2.0),
    )


def flood() -> Stack:
    """A broadcast goes from neighbour to neighbour."""
    return Stack(Flood())


def routing() -> Stack:
    """What is sent arrives over others in between where it takes them."""
    return Stack(Acknowledged(), Aodv(), Hops())


def leader() -> Stack:
    """Robots that hear each other, over others in between where it takes them, trust the lowest number."""
    return Stack(LowestTrusted(), Heartbeat(period=5.0, timeout=16.0, growth=1.0), Aodv(), Hops())


def reservation() -> Stack:
    """Floor is reserved so that all reach their goals; messages may get lost, robots may not crash."""
    return _reservation(Policy.SAFE)


def reservation_when_free() -> Stack:
    """Floor is reserved by whoever asks while it is free; robots may get stuck."""
    return _reservation(Policy.HELD)


def reservation_in_order() -> Stack:
    """Floor is reserved in the order of asking; robots get stuck."""
    return _reservation(Policy.ORDER)


def reservation_with_crashes() -> Stack:
    """Floor is reserved so that all who stay up reach their goals; a minority of the robots may crash."""
    return Stack(
        ReserveInOrder(),
        ConsensusOrder(),
        EagerRelay(),
        ToEach(),
        ChandraToueg(),
        Acknowledged(retry_after=0.2),
        Heartbeat(period=0.5, timeout=2.0),
    )


def _reservation(policy: Policy) -> Stack:
    return Stack(ReserveInOrder(policy), LamportOrder(), InOrder(), Acknowledged(retry_after=0.2))
