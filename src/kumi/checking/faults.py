"""What can go wrong in a run: all faults, by kind."""

from __future__ import annotations

from kumi.checking.fault import Fault, FaultGround, Lasting, MessageFault
from kumi.checking.message_faults import (
    Doubling,
    Lossy,
    Partition,
    Reordering,
    SlowLink,
)
from kumi.checking.node_faults import (
    Amnesia,
    Crash,
    CrashMidSend,
    Pause,
    Recovery,
    Skew,
    WrongSuspicion,
)

FAULTS: tuple[type[Fault], ...] = (
    Lossy,
    Doubling,
    Reordering,
    SlowLink,
    Partition,
    Crash,
    CrashMidSend,
    Recovery,
    Amnesia,
    Pause,
    WrongSuspicion,
    Skew,
)
KINDS: tuple[str, ...] = tuple(fault.kind for fault in FAULTS)
"""All kinds of fault, in the order in which they are listed and drawn."""

LOSING = frozenset({"loss", "duplication", "partition"})
"""The kinds under which a network is no longer reliable."""

__all__ = [
    "FAULTS",
    "KINDS",
    "LOSING",
    "Amnesia",
    "Crash",
    "CrashMidSend",
    "Doubling",
    "Fault",
    "FaultGround",
    "Lasting",
    "Lossy",
    "MessageFault",
    "Partition",
    "Pause",
    "Recovery",
    "Reordering",
    "Skew",
    "SlowLink",
    "WrongSuspicion",
]
