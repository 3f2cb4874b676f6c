"""Layers find what they need below them, share it, and are told what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import pytest

from kumi import sleep
from kumi.contract import Message
from kumi.devs import Simulation
from kumi.network import Constant, Exponential, Loss, Node, SimulatedNetwork
from kumi.protocols import (
    Acknowledged,
    BestEffortBroadcast,
    Broadcast,
    FifoLinks,
    Heartbeat,
    InOrder,
    Layer,
    Links,
    PerfectLinks,
    Stack,
    StackError,
    ToEach,
)
from kumi.protocols.stack import InChannel


@dataclass(frozen=True)
class StackWord(Message):
    """A word."""

    text: str


class Talker(Layer[()]):
    """Keeps what it hears over links."""

    links: Links

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def begin(self) -> None:
        self.links.listen(lambda message, sender: self.heard.append((message, sender)))


class Caller(Layer[()]):
    """Keeps what it hears by broadcast."""

    cast: BestEffortBroadcast

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def begin(self) -> None:
        self.cast.listen(lambda message, sender: self.heard.append((message, sender)))


class Given(Layer[()]):
    """Was given its links."""

    links: PerfectLinks

    def __init__(self, links: PerfectLinks) -> None:
        self.links = links


def stacks(make: Any, *effects: Any, nodes: int = 2) -> tuple[Simulation, list[Stack]]:
    """Put a stack on each of some nodes."""
    simulation = Simulation(seed=1)
    network = SimulatedNetwork(simulation, *(effects or (Constant(1.0),)))
    made: list[Stack] = []

    def move_in(node: Node) -> Stack:
        made.append(make().settle(node))
        return made[-1]

    for address in range(nodes):
        Node(simulation, network, address, group=range(nodes), move_in=move_in).start()
    return simulation, made


def test_a_need_is_filled_with_the_nearest_layer_below() -> None:
    near, far = Acknowledged(), Acknowledged()
    _, (stack,) = stacks(lambda: Stack(Talker(), near, far), Loss(0.0), nodes=1)

    assert stack[Talker].links is near
    assert near.links is far


def test_a_need_that_was_filled_by_hand_is_kept() -> None:
    near, far = InOrder(), Acknowledged()
    _, (stack,) = stacks(lambda: Stack(Given(far), near, far), Loss(0.1), nodes=1)
    stack[Given].links.listen(lambda *_: None)

    assert isinstance(near.links, Links)
    assert stack[Given].links.retry_after == far.retry_after  # type: ignore[attr-defined]


def test_two_users_of_one_layer_see_their_own_messages_only() -> None:
    simulation, (one, other) = stacks(lambda: Stack(Talker(), Caller(), ToEach()))
    one[Talker].links.send(StackWord("to you"), 1)
    one[Caller].cast.broadcast(StackWord("to all"))
    simulation.run(until=10.0)

    assert other[Talker].heard == [(StackWord("to you"), 0)]
    assert other[Caller].heard == one[Caller].heard == [(StackWord("to all"), 0)]


def test_one_user_of_a_layer_sends_without_a_wrapper() -> None:
    simulation, (one, _) = stacks(lambda: Stack(Talker()))
    seen: list[Any] = []
    one[Talker].node.network.watch(seen.append)
    one[Talker].links.send(StackWord("bare"), 1)
    simulation.run(until=10.0)

    assert [traffic.message for traffic in seen] == [StackWord("bare")] * 2


def test_a_message_for_no_channel_is_counted_and_dropped() -> None:
    simulation, (one, other) = stacks(lambda: Stack(Talker(), Caller(), ToEach()))
    for stray in (StackWord("no channel"), InChannel(9, StackWord("no such channel"))):
        one[Talker].node.send(stray, 1)
    simulation.run(until=10.0)

    assert (other[Talker].heard, other[Caller].heard) == ([], [])
    assert one[Talker].node.network.dropped == {"message for no layer": 2}


@pytest.mark.parametrize(
    ("effects", "offers"),
    [
        ((Constant(0.1),), {Broadcast, PerfectLinks, FifoLinks}),
        ((Exponential(0.1),), {Broadcast, PerfectLinks}),
        ((Loss(0.1),), {Broadcast}),
    ],
)
def test_the_network_offers_what_its_effects_leave_of_it(effects: Any, offers: set[Any]) -> None:
    _, (stack,) = stacks(Stack, *effects, nodes=1)

    assert {kind for kind in (Broadcast, PerfectLinks, FifoLinks) if _has(stack, kind)} == offers


def _has(stack: Stack, kind: Any) -> bool:
    try:
        return stack[kind] is not None
    except StackError:
        return False


def test_a_missing_layer_is_named_with_what_to_put() -> None:
    words = r"ToEach needs PerfectLinks \('links'\) below it.*put one of .*Acknowledged\(\).* below it"
    with pytest.raises(StackError, match=words):
        stacks(lambda: Stack(ToEach()), Loss(0.1))


def test_an_optional_need_may_stay_open() -> None:
    class Modest(Layer[()]):
        cast: ToEach | None

    _, (stack,) = stacks(lambda: Stack(Modest()), nodes=1)

    assert stack[Modest].cast is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Stack(cast("Any", "x")), "a stack is made of layers, such as Acknowledged\\(\\), not 'x'"),
        (lambda: Stack(*2 * (Acknowledged(),)), "a layer is twice in one stack"),
        (
            lambda: Stack(Given(cast("Any", h := Heartbeat())), h),
            "as its 'links', which takes a PerfectLinks",
        ),
        (lambda: Stack(Given(Acknowledged())), "was given .* as its 'links', which is not in"),
    ],
)
def test_what_cannot_be_a_stack_is_refused(make: Any, words: str) -> None:
    with pytest.raises(StackError, match=words):
        stacks(make)


def test_one_stack_serves_one_life_of_one_node() -> None:
    stack = Stack()
    with pytest.raises(StackError, match="make a stack for each node and each life"):
        stacks(lambda: stack, nodes=2)


def test_layers_begin_from_the_bottom_up() -> None:
    began: list[str] = []

    class Upper(Layer[()]):
        def begin(self) -> None:
            began.append("upper")

    class Lower(Layer[()]):
        def begin(self) -> None:
            began.append("lower")

    stacks(lambda: Stack(Upper(), Lower()), nodes=1)

    assert began == ["lower", "upper"]


def test_a_layer_may_pass_on_its_own_telling_before_anybody_listens() -> None:
    simulation, (one, other) = stacks(lambda: Stack(Caller(), ToEach()))
    one[ToEach].broadcast(StackWord("x"))
    simulation.run(until=10.0)

    assert other[Caller].heard == [(StackWord("x"), 0)]


def test_all_who_listen_are_told() -> None:
    layer: Layer[int] = Layer()
    heard: list[Any] = []
    layer.tell(0)
    layer.listen(lambda number: heard.append(("a", number)))
    layer.tell(1)
    layer.listen(lambda number: heard.append(("b", number)))
    layer.tell(2)

    assert heard == [("a", 1), ("a", 2), ("b", 2)]


def test_a_layer_written_as_a_program_runs_until_its_node_crashes() -> None:
    ticks: list[float] = []

    class Ticker(Layer[()]):
        async def run(self) -> None:
            while True:
                ticks.append(self.node.now)
                await sleep(1.0)

    simulation, (stack,) = stacks(lambda: Stack(Ticker()), nodes=1)
    simulation.schedule(2.5, stack[Ticker].node.crash)
    simulation.run(until=10.0)

    assert ticks == [0.0, 1.0, 2.0]


def test_links_keep_their_order_through_a_stack() -> None:
    simulation, (one, other) = stacks(lambda: Stack(Talker(), InOrder(), Acknowledged()), Exponential(1.0))
    for number in range(50):
        one[Talker].links.send(StackWord(str(number)), 1)
    simulation.run(until=1000.0)

    assert [int(word.text) for word, _ in other[Talker].heard] == list(range(50))


def test_a_channel_offers_what_its_carrier_offers() -> None:
    _, (stack,) = stacks(lambda: Stack(Talker(), ToEach(), Acknowledged(retry_after=3.0)), Loss(0.1), nodes=1)

    assert stack[Talker].links.retry_after == 3.0  # type: ignore[attr-defined]
    assert isinstance(stack[Talker].links, Links)
