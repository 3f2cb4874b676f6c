"""How messages travel: simulated, by radio, for real; who hears whom is a function given from outside."""

from kumi.network.clock import Clock
from kumi.network.effects import Constant, Exponential, Loss
from kumi.network.errors import NetworkError, NotAMessage, TooLarge, UnknownNode
from kumi.network.network import Dropped, Network, Received, Sent, Traffic
from kumi.network.node import Node, Resident, Timer
from kumi.network.simulated import Effect, Flight, Onward, SimulatedNetwork
from kumi.network.storage import Storage

__all__ = [
    "Clock",
    "Constant",
    "Dropped",
    "Effect",
    "Exponential",
    "Flight",
    "Loss",
    "Network",
    "NetworkError",
    "Node",
    "NotAMessage",
    "Onward",
    "Received",
    "Resident",
    "Sent",
    "SimulatedNetwork",
    "Storage",
    "Timer",
    "TooLarge",
    "Traffic",
    "UnknownNode",
]
