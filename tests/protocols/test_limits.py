"""On a network that takes messages of so many bytes only, layers that bundle messages still get on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from kumi import sleep
from kumi.contract import Message
from kumi.devs import Simulation
from kumi.network import Constant, Node, SimulatedNetwork, TooLarge
from kumi.protocols import Layer, Raft, ReplicatedLog, Stack
from kumi.protocols.batches import how_many_fit
from kumi.protocols.stacks import total_order
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import World


@dataclass(frozen=True)
class LongText(Message):
    """A text."""

    words: str


class Book(Layer[()]):
    """Appends texts to a log, and keeps what it is told."""

    log: ReplicatedLog

    def __init__(self) -> None:
        self.read: list[Any] = []

    def begin(self) -> None:
        self.log.listen(lambda _place, command: self.read.append(command))


def test_so_many_fit_as_leave_half_of_the_room() -> None:
    simulation = Simulation()
    network = SimulatedNetwork(simulation, limit=1000)
    node = Node(simulation, network, 0, group=(0,), move_in=lambda _: Stack())
    texts = [LongText("x" * 200)] * 10  # some 210 bytes each

    assert how_many_fit(node, texts, 10) == 2
    assert how_many_fit(node, texts, 1) == 1
    assert how_many_fit(node, [LongText("x" * 2000)], 10) == 1
    network.limit = None
    assert how_many_fit(node, texts, 7) == 7


def test_a_total_order_of_long_messages_comes_through_a_narrow_network() -> None:
    heard: dict[int, list[str]] = {0: [], 1: [], 2: []}

    async def talk(robot: Robot) -> None:
        for number in range(10):
            await robot.radio.broadcast(LongText(f"{robot.number} {number} " + "x" * 1000))
        while True:
            text, _ = await robot.radio.receive(LongText)
            heard[robot.number].append(text.words[:4])

    with Stage(World()) as stage:
        stage.connect(SimulatedNetwork(stage.simulation, Constant(0.01), limit=4096), layers=total_order)
        for number in range(3):
            stage.add(talk, at=(float(number), 0.0))
        stage.run(until=60.0)

    assert len(heard[0]) == 30
    assert heard[0] == heard[1] == heard[2]


def test_a_follower_that_was_away_catches_up_over_a_narrow_network() -> None:
    simulation = Simulation(seed=1)
    network = SimulatedNetwork(simulation, Constant(0.01), limit=4096)
    stacks: dict[int, Stack] = {}

    def move_in(node: Node) -> Stack:
        stacks[node.address] = Stack(Book(), Raft(timeout=0.5)).settle(node)
        return stacks[node.address]

    nodes = [Node(simulation, network, address, group=(0, 1, 2), move_in=move_in) for address in range(3)]
    for node in nodes:
        node.start()
    simulation.run(until=5.0)
    leader = next(address for address in range(3) if stacks[address][Raft].leads)
    away = (leader + 1) % 3
    nodes[away].crash()
    for number in range(20):
        stacks[leader][Raft].append(LongText(f"{number} " + "x" * 1000))
    simulation.run(until=10.0)
    nodes[away].restart()
    simulation.run(until=30.0)

    assert [text.words[:3].strip(" x") for text in stacks[away][Book].read] == [str(n) for n in range(20)]


def test_a_program_is_told_of_a_message_that_is_too_large_before_a_layer_counts_on_it() -> None:
    heard: list[str] = []

    async def talk(robot: Robot) -> None:
        for words in ("first", "x" * 5000, "last"):
            if len(words) > 1000:
                with pytest.raises(TooLarge, match=r"a LongText takes .* bytes; the network takes 4096"):
                    await robot.radio.broadcast(LongText(words))
            else:
                await robot.radio.broadcast(LongText(words))
            await sleep(1.0)

    async def listen(robot: Robot) -> None:
        async for text, _ in robot.radio.messages(LongText):
            heard.append(text.words)

    with Stage(World()) as stage:
        stage.connect(SimulatedNetwork(stage.simulation, Constant(0.01), limit=4096), layers=total_order)
        stage.add(talk, at=(0.0, 0.0))
        stage.add(listen, at=(1.0, 0.0))
        stage.run(until=30.0)

    assert heard == ["first", "last"]
