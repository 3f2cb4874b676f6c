"""Micro-protocols: one guarantee a file, composed in one expression."""

from kumi.protocols.best_effort import ToEach
from kumi.protocols.guarantees import (
    BestEffortBroadcast,
    Broadcast,
    CausalBroadcast,
    EventualLeader,
    FairLossLinks,
    FifoBroadcast,
    FifoLinks,
    Links,
    PerfectLinks,
    ReliableBroadcast,
    TotalOrderBroadcast,
    UniformBroadcast,
)
from kumi.protocols.layer import Layer
from kumi.protocols.perfect_links import Acknowledged
from kumi.protocols.reservation import Reservation, ReserveInOrder
from kumi.protocols.stack import Observation, Stack, StackError
from kumi.protocols.zone import Zone

__all__ = [
    "Acknowledged",
    "BestEffortBroadcast",
    "Broadcast",
    "CausalBroadcast",
    "EventualLeader",
    "FairLossLinks",
    "FifoBroadcast",
    "FifoLinks",
    "Layer",
    "Links",
    "Observation",
    "PerfectLinks",
    "ReliableBroadcast",
    "Reservation",
    "ReserveInOrder",
    "Stack",
    "StackError",
    "ToEach",
    "TotalOrderBroadcast",
    "UniformBroadcast",
    "Zone",
]
