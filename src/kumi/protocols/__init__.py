"""Micro-protocols: one guarantee a file, composed in one expression."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.protocols.agreed_leader import AgreedLeader
    from kumi.protocols.aodv import Aodv
    from kumi.protocols.atomic_commit import ConsensusCommit
    from kumi.protocols.best_effort import ToEach
    from kumi.protocols.causal import CausesFirst
    from kumi.protocols.chandra_toueg import ChandraToueg
    from kumi.protocols.clock_sync import Cristian, SynchronizedClock
    from kumi.protocols.consensus_order import ConsensusOrder
    from kumi.protocols.eventual_leader import LowestTrusted
    from kumi.protocols.false_suspicions import Mistaken
    from kumi.protocols.fifo import SenderOrder
    from kumi.protocols.fifo_links import InOrder
    from kumi.protocols.fixed_sequencer import FixedSequencer
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
    from kumi.protocols.heartbeat import Heartbeat
    from kumi.protocols.hops import Hops
    from kumi.protocols.lamport_order import LamportOrder
    from kumi.protocols.layer import Layer
    from kumi.protocols.lazy_reliable import LazyRelay
    from kumi.protocols.logical_clocks import LamportClock, VectorClock
    from kumi.protocols.membership import Membership
    from kumi.protocols.monarchical import Monarchical
    from kumi.protocols.moving_sequencer import MovingSequencer
    from kumi.protocols.perfect_links import Acknowledged, LinkBroken
    from kumi.protocols.phi_accrual import PhiAccrual
    from kumi.protocols.ping import Ping
    from kumi.protocols.raft import Raft
    from kumi.protocols.register import AtomicRegisters, Registers
    from kumi.protocols.reliable import EagerRelay
    from kumi.protocols.reservation import Reservation, ReserveInOrder
    from kumi.protocols.ricart_agrawala import RicartAgrawala
    from kumi.protocols.ring_election import OneLeader, RingElection
    from kumi.protocols.routing import Routing
    from kumi.protocols.snapshot import ChandyLamport, Snapshots
    from kumi.protocols.stack import Observation, Stack, StackError
    from kumi.protocols.termination import Safra, TerminationDetection
    from kumi.protocols.timed_out import TimedOut
    from kumi.protocols.token_ring import TokenRing
    from kumi.protocols.two_phase_commit import TwoPhaseCommit
    from kumi.protocols.uniform import MajorityAck
    from kumi.protocols.uniform_all import AllAck
    from kumi.protocols.views import ViewSynchrony
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
