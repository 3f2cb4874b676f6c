"""Robots that talk: each robot's node on the network, with its radio on top of a stack.

The nodes come up when the run begins, so that each knows the whole group. A robot that is added later knows
those who are there then; the others do not learn of it by themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from math import isfinite
from typing import Any, cast

from kumi.contract.messages import Address, Message
from kumi.experiment.outcome import Messages
from kumi.geometry import Point
from kumi.kernel import Simulation
from kumi.network import Dropped, Network, Node, Received, Sent, Traffic
from kumi.protocols import Stack
from kumi.recording import dropped_record, received_record, sent_record
from kumi.robot import Radio
from kumi.world import World


class Radios:
    """The radios of a stage's robots."""

    def __init__(self, simulation: Simulation, network: Network, stack: Callable[[], Stack]) -> None:
        self.network = network
        self._simulation = simulation
        self._stack = stack
        self._nodes: dict[Address, Node] = {}
        self._has_begun = False

    def add(self, address: Address, name: str, on_error: Callable[[Exception], None]) -> Radio:
        """Give a robot a radio."""
        radio = Radio()

        def move_in(node: Node) -> Stack:
            stack = Stack(radio, *self._stack().layers)
            radio.lives_in(stack)
            return stack.settle(node)

        node = Node(
            self._simulation,
            self.network,
            address,
            group=(address,),
            move_in=move_in,
            name=name,
            on_error=on_error,
        )
        self._nodes[address] = node
        if self._has_begun:
            node.group = tuple(sorted(self._nodes))
            node.start()
        return radio

    @property
    def messages(self) -> Messages:
        """What became of messages so far."""
        network = self.network
        return Messages(network.sent, network.delivered, dict(network.dropped))

    def begin(self) -> None:
        """Bring all nodes up."""
        if not self._has_begun:
            self._has_begun = True
            group = tuple(sorted(self._nodes))
            for node in self._nodes.values():
                node.group = group
                node.start()

    def end(self, address: Address) -> None:
        """Let a robot's node go down for good."""
        if (node := self._nodes.get(address)) is not None:
            node.crash()


def write_traffic(world: World, traffic: Traffic) -> None:
    """Write what happens on a network into the journal of a world."""
    match traffic:
        case Sent(_, number, sender, receivers, message):
            record = sent_record(number, sender, receivers, type(message).__name__, content(message))
            world.write_record(record)
        case Received(_, number, _, receiver, _):
            world.write_record(received_record(number, receiver))
        case Dropped(_, number, _, receiver, _, reason):
            world.write_record(dropped_record(number, receiver, reason))


def content(message: Message) -> str:
    """Write what a message says, for people: its fields in order, lengths to the millimetre."""
    return ", ".join(in_words(getattr(message, field.name)) for field in fields(cast(Any, message)))


def in_words(value: object) -> str:
    """Write a value of a message."""
    match value:
        case Message():
            return f"{type(value).__name__}({content(value)})"
        case Point(x, y):
            return f"[{x:.3f}, {y:.3f}]"
        case float():
            return f"{value:.3f}" if isfinite(value) else str(value)
        case tuple():
            return f"({', '.join(map(in_words, value))})"
    return str(value)
