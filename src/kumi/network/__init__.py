"""How messages travel: simulated, by radio, for real; who hears whom is a function given from outside."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.network.bandwidth import Bandwidth
    from kumi.network.byzantine import Byzantine, Garbling, alter_flight
    from kumi.network.clock import Clock
    from kumi.network.cuts import Cuts, LinkCut, NetworkPartition, When
    from kumi.network.delays import Constant, DistanceDelay, Empirical, Exponential, LogNormal, Uniform
    from kumi.network.errors import Malformed, NetworkError, NotAMessage, TooLarge, UnknownNode
    from kumi.network.ether import Energy, Ether
    from kumi.network.failures import Failure, NodeCrash, NodePause, plan_failures
    from kumi.network.faults import Duplication, Loss, Overtaking
    from kumi.network.flights import Flight, Onward
    from kumi.network.network import MessageDropped, MessageReceived, MessageSent, Network, Traffic
    from kumi.network.node import Node, Resident, Timer
    from kumi.network.omission import Omission, Omissions
    from kumi.network.radio import RadioWaves
    from kumi.network.real import RealNetwork
    from kumi.network.recorded import Replay, ReplayDiffers, replay
    from kumi.network.running import Discovery, RealRun, SharedFolder, ZenohDiscovery, run_node, serve_node
    from kumi.network.scoped_effect import Where
    from kumi.network.shared_medium import CarrierSense, SharedMedium
    from kumi.network.simulated import Effect, SimulatedNetwork
    from kumi.network.storage import FaultyStorage, FileStorage, Storage, WriteFailed
    from kumi.network.tcp import TcpNetwork
    from kumi.network.udp import UdpNetwork
    from kumi.network.wire import decode, encode, encoded_size

__all__ = [
    "Bandwidth",
    "Byzantine",
    "CarrierSense",
    "Clock",
    "Constant",
    "Cuts",
    "Discovery",
    "DistanceDelay",
    "Duplication",
    "Effect",
    "Empirical",
    "Energy",
    "Ether",
    "Exponential",
    "Failure",
    "FaultyStorage",
    "FileStorage",
    "Flight",
    "Garbling",
    "LinkCut",
    "LogNormal",
    "Loss",
    "Malformed",
    "MessageDropped",
    "MessageReceived",
    "MessageSent",
    "Network",
    "NetworkError",
    "NetworkPartition",
    "Node",
    "NodeCrash",
    "NodePause",
    "NotAMessage",
    "Omission",
    "Omissions",
    "Onward",
    "Overtaking",
    "RadioWaves",
    "RealNetwork",
    "RealRun",
    "Replay",
    "ReplayDiffers",
    "Resident",
    "SharedFolder",
    "SharedMedium",
    "SimulatedNetwork",
    "Storage",
    "TcpNetwork",
    "Timer",
    "TooLarge",
    "Traffic",
    "UdpNetwork",
    "Uniform",
    "UnknownNode",
    "When",
    "Where",
    "WriteFailed",
    "ZenohDiscovery",
    "alter_flight",
    "decode",
    "encode",
    "encoded_size",
    "plan_failures",
    "replay",
    "run_node",
    "serve_node",
]

lazy(__name__)
