"""Micro-protocols: one guarantee a file, composed in one expression."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.protocols.agreed_leader import AgreedLeader
    from kumi.protocols.aodv import Aodv
    from kumi.protocols.atomic_commit import ConsensusCommit, TwoPhaseCommit
    from kumi.protocols.causal import CausesFirst
    from kumi.protocols.chandra_toueg import ChandraToueg
    from kumi.protocols.clock_sync import Cristian, SynchronizedClock
    from kumi.protocols.consensus_order import ConsensusOrder
    from kumi.protocols.eventual_leader import LowestTrusted, Monarchical
    from kumi.protocols.fifo import InOrder, SenderOrder
    from kumi.protocols.flood import Flood, FloodedBroadcast
    from kumi.protocols.gossip import Gossip, SharedMap
    from kumi.protocols.guarantees import (
        AtomicCommit,
        BestEffortBroadcast,
        Broadcast,
        CausalBroadcast,
        Consensus,
        EventualLeader,
        EventuallyPerfect,
        EventuallyStrong,
        FairLossLinks,
        FifoBroadcast,
        FifoLinks,
        Links,
        MutualExclusion,
        Perfect,
        PerfectLeader,
        PerfectLinks,
        ReliableBroadcast,
        ReplicatedLog,
        TotalOrderBroadcast,
        UniformBroadcast,
    )
    from kumi.protocols.heartbeat import Heartbeat, TimedOut
    from kumi.protocols.hops import Hops
    from kumi.protocols.lamport_order import LamportOrder
    from kumi.protocols.layer import Layer
    from kumi.protocols.logical_clocks import LamportClock, VectorClock
    from kumi.protocols.membership import Membership, ViewSynchrony
    from kumi.protocols.perfect_links import Acknowledged, LinkBroken
    from kumi.protocols.phi_accrual import PhiAccrual
    from kumi.protocols.ping import Ping
    from kumi.protocols.raft import Raft
    from kumi.protocols.register import AtomicRegisters, Registers
    from kumi.protocols.reliable import EagerRelay, LazyRelay, ToEach
    from kumi.protocols.reservation import Reservation, ReserveInOrder
    from kumi.protocols.ricart_agrawala import RicartAgrawala
    from kumi.protocols.ring_election import OneLeader, RingElection
    from kumi.protocols.routing import Routing
    from kumi.protocols.sequencers import FixedSequencer, MovingSequencer
    from kumi.protocols.snapshot import ChandyLamport, Snapshots
    from kumi.protocols.stack import Observation, Stack, StackError
    from kumi.protocols.suspicion import Mistaken
    from kumi.protocols.termination import Safra, TerminationDetection
    from kumi.protocols.token_ring import TokenRing
    from kumi.protocols.uniform import AllAck, MajorityAck
    from kumi.reserving import Way, Zone

__all__ = [
    "Acknowledged",
    "AgreedLeader",
    "AllAck",
    "Aodv",
    "AtomicCommit",
    "AtomicRegisters",
    "BestEffortBroadcast",
    "Broadcast",
    "CausalBroadcast",
    "CausesFirst",
    "ChandraToueg",
    "ChandyLamport",
    "Consensus",
    "ConsensusCommit",
    "ConsensusOrder",
    "Cristian",
    "EagerRelay",
    "EventualLeader",
    "EventuallyPerfect",
    "EventuallyStrong",
    "FairLossLinks",
    "FifoBroadcast",
    "FifoLinks",
    "FixedSequencer",
    "Flood",
    "FloodedBroadcast",
    "Gossip",
    "Heartbeat",
    "Hops",
    "InOrder",
    "LamportClock",
    "LamportOrder",
    "Layer",
    "LazyRelay",
    "LinkBroken",
    "Links",
    "LowestTrusted",
    "MajorityAck",
    "Membership",
    "Mistaken",
    "Monarchical",
    "MovingSequencer",
    "MutualExclusion",
    "Observation",
    "OneLeader",
    "Perfect",
    "PerfectLeader",
    "PerfectLinks",
    "PhiAccrual",
    "Ping",
    "Raft",
    "Registers",
    "ReliableBroadcast",
    "ReplicatedLog",
    "Reservation",
    "ReserveInOrder",
    "RicartAgrawala",
    "RingElection",
    "Routing",
    "Safra",
    "SenderOrder",
    "SharedMap",
    "Snapshots",
    "Stack",
    "StackError",
    "SynchronizedClock",
    "TerminationDetection",
    "TimedOut",
    "ToEach",
    "TokenRing",
    "TotalOrderBroadcast",
    "TwoPhaseCommit",
    "UniformBroadcast",
    "VectorClock",
    "ViewSynchrony",
    "Way",
    "Zone",
]

lazy(__name__)
