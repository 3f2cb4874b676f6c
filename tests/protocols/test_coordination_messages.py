"""The messages of coordination protocols go over a wire, and what is none of theirs is counted."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.checking.cases.routing import Earshot, ring
from kumi.checking.talking import Oracle
from kumi.contract.messages import Message
from kumi.geometry import Point
from kumi.network.wire import decode, encode
from kumi.protocols import Acknowledged, ToEach
from kumi.protocols.aodv import Aodv
from kumi.protocols.atomic_commit import CommitVote, ConsensusCommit, TransactionOutcome, TwoPhaseCommit
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.clock_sync import Cristian, TimeIs, WhatTime
from kumi.protocols.flood import Flood, Flooded
from kumi.protocols.gossip import Digest, Gossip, GossipEntry, Update
from kumi.protocols.hops import Hop, HopReceipt, Hops
from kumi.protocols.membership import Cast, Flush, Join, KnownDeliveries, Membership, MemberView, NextView
from kumi.protocols.reliable import EagerRelay
from kumi.protocols.reservation import ReleaseZone, ReserveInOrder, Withdraw, ZoneRequest
from kumi.protocols.ricart_agrawala import MayI, RicartAgrawala, YouMay
from kumi.protocols.routing import Broken, Parcel, RouteReply, RouteRequest
from kumi.protocols.sequencers import FixedSequencer
from kumi.protocols.snapshot import ChandyLamport, Marker, Plain, SnapshotDone, SnapshotPart
from kumi.protocols.termination import Probe, Safra, Work, WorkOver
from kumi.protocols.token_ring import Token, TokenRing, Want
from kumi.reserving import Way, Zone
from tests.protocols.groups import Group, Word

ZONE = Zone((Point(0.0, 0.5), Point(1.0, 0.5)), 0.25)
CAST = Cast(3, 1, 0, Word("x"))

MESSAGES: list[Message] = [
    Flooded(1, 2**52 + 3, 4, Word("x")),
    ZONE,
    ZoneRequest(2**52 + 3, ZONE),
    ZoneRequest(2**52 + 3, ZONE, Way((ZONE, ZONE.end), stays=False)),
    ReleaseZone(2**52 + 3, ZONE),
    ReleaseZone(7),
    Withdraw(1, 7),
    Hop(7, Word("x")),
    HopReceipt(7),
    RouteRequest(0, 7, 1, 3, 2, 1),
    RouteReply(3, 2, 1, 0),
    Broken(((3, 2), (4, 1))),
    Parcel(0, 7, 3, 2, 8, Word("x")),
    MayI(4),
    YouMay(5),
    Want(2),
    Token(7, 2, 1, (0, 1, 2)),
    MemberView(3, (0, 2)),
    CAST,
    KnownDeliveries(3, (1, 0)),
    Flush(3, (CAST,)),
    NextView(MemberView(4, (0, 1)), (CAST, CAST)),
    Join(),
    CommitVote("pay 1", True),
    TransactionOutcome("pay 1", False),
    Plain(Word("x")),
    Marker((0, 1)),
    SnapshotDone(1, SnapshotPart(100, {1: (Word("x"),)})),
    Work(Word("x")),
    Probe(-1, is_black=True),
    WorkOver(),
    GossipEntry("door", (1, 2, 3), "open"),
    Digest(None, "door", (("door", (1, 2, 3)),)),
    Update((GossipEntry("door", (1, 2, 3), None),), ("window",)),
    WhatTime(1.5),
    TimeIs(1.5, 2.5),
]

STACKS: dict[type[Any], tuple[Any, ...]] = {
    Flood: (),
    ReserveInOrder: (FixedSequencer,),
    Hops: (lambda: Earshot(ring()),),
    Aodv: (Hops,),
    RicartAgrawala: (),
    TokenRing: (EagerRelay, ToEach, Acknowledged),
    Membership: (ChandraToueg, Oracle, Acknowledged),
    ConsensusCommit: (ChandraToueg, Oracle, Acknowledged),
    TwoPhaseCommit: (),
    ChandyLamport: (),
    Safra: (),
    Gossip: (),
    Cristian: (),
}
TAKING = {Flood: "_hear", ReserveInOrder: "_deliver", TokenRing: "_deliver"}


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_is_the_same_after_the_wire(message: Message) -> None:
    assert decode(encode(message)) == message


@pytest.mark.parametrize("kind", STACKS, ids=lambda kind: kind.__name__)
def test_a_message_of_another_kind_is_counted_and_nothing_else(kind: type[Any]) -> None:
    group = Group(lambda: (kind(), *(layer() for layer in STACKS[kind])))
    getattr(group.layer(1, kind), TAKING.get(kind, "_receive"))(Word("what?"), 0)

    assert group.network.dropped["message for no layer"] == 1
    group.simulation.close()
