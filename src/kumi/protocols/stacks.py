"""Stacks to use as they are, by name in a scenario: each function makes one for one node."""

from __future__ import annotations

from kumi.protocols.aodv import Aodv
from kumi.protocols.eventual_leader import LowestTrusted
from kumi.protocols.fifo_links import InOrder
from kumi.protocols.flood import Flood
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.hops import Hops
from kumi.protocols.lamport_order import LamportOrder
from kumi.protocols.perfect_links import Acknowledged
from kumi.protocols.reservation import ReserveInOrder
from kumi.protocols.stack import Stack


def plain() -> Stack:
    """Nothing but the network."""
    return Stack()


def flood() -> Stack:
    """A broadcast goes from neighbour to neighbour."""
    return Stack(Flood())


def leader() -> Stack:
    """Robots that hear each other, over others in between where it takes them, trust the lowest number."""
    return Stack(LowestTrusted(), Heartbeat(period=5.0, timeout=16.0, growth=1.0), Aodv(), Hops())


def reservation() -> Stack:
    """Floor is reserved in an order that all robots agree on; messages may get lost, robots may not crash."""
    return Stack(ReserveInOrder(), LamportOrder(), InOrder(), Acknowledged(retry_after=0.2))
