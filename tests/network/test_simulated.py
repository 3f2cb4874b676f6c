"""What every simulated network keeps, whatever its effects are."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.contract.messages import Message
from kumi.devs import Simulation
from kumi.devs.tracing import Arrival, Record, Sending, line
from kumi.network import (
    Bandwidth,
    Byzantine,
    CarrierSense,
    Constant,
    Cuts,
    Duplication,
    Empirical,
    Exponential,
    Garbling,
    LogNormal,
    Loss,
    NetworkPartition,
    Omission,
    Omissions,
    Overtaking,
    SharedMedium,
    Uniform,
    When,
    Where,
)
from kumi.network.errors import NetworkError, NotAMessage, TooLarge, UnknownNode
from kumi.network.network import MessageDropped, MessageReceived, MessageSent
from kumi.network.simulated import Effect, SimulatedNetwork
from tests.network.stations import Net, Say
from tests.waiting import PATIENCE

effects = st.one_of(
    st.builds(Constant, st.floats(0, 2)),
    st.builds(Exponential, st.floats(0.01, 2)),
    st.builds(lambda a, b: Uniform(a, a + b), st.floats(0, 1), st.floats(0, 1)),
    st.builds(LogNormal, st.floats(0.01, 1), st.floats(0.1, 1)),
    st.builds(Empirical, st.lists(st.floats(0, 1), min_size=1, max_size=4)),
    st.builds(Loss, st.floats(0, 1)),
    st.builds(lambda p, w: Duplication(p, within=w), st.floats(0, 1), st.floats(0, 1)),
    st.builds(lambda p, w: Overtaking(p, within=w), st.floats(0, 1), st.floats(0, 1)),
    st.builds(
        lambda rate, queue, per: Bandwidth(rate, queue=queue, per=per),
        st.floats(50, 5000),
        st.integers(0, 5),
        st.sampled_from(["link", "node"]),
    ),
    st.builds(
        lambda rate, queue, sense: SharedMedium(rate, queue=queue, sense=sense),
        st.floats(400, 40_000),
        st.integers(0, 5),
        st.sampled_from([None, CarrierSense(slot=0.01, slots=4, tries=3)]),
    ),
    st.builds(
        lambda start, length: Cuts(NetworkPartition({0, 1}, when=When(start=start, end=start + length))),
        st.floats(0, 3),
        st.floats(0, 3),
    ),
    st.builds(
        lambda p, q: Omissions(Omission(node=1, sending=p, receiving=q)), st.floats(0, 1), st.floats(0, 1)
    ),
    st.builds(lambda p: Byzantine([2], Garbling(p)), st.floats(0, 1)),
    st.builds(lambda p: Where(Loss(p), links=[(0, 1), (2, 3)], start=1, end=2), st.floats(0, 1)),
)
sendings = st.lists(
    st.tuples(st.floats(0, 4), st.integers(0, 3), st.integers(-1, 3)), min_size=1, max_size=25
)


def play(chain: list[Effect], plan: list[tuple[float, int, int]], until: float, seed: int = 0) -> Net:
    """Send as planned, to one, or to all where the receiver is -1."""
    net = Net(*chain, seed=seed)
    for number, (time, sender, to) in enumerate(sorted(plan)):
        if to < 0:
            net.broadcast_at(time, sender, Say(number))
        else:
            net.send_at(time, sender, to, Say(number))
    net.run(until)
    return net


@given(st.lists(effects, max_size=4), sendings, st.floats(0, 6))
@settings(max_examples=60, deadline=None)
def test_whatever_is_sent_arrives_or_is_dropped_or_is_under_way(
    chain: list[Effect], plan: list[tuple[float, int, int]], until: float
) -> None:
    net = play(chain, plan, until)
    net.check_conservation()
    net.run(1e9)
    net.check_conservation()
    assert net.network.under_way == 0


@given(st.lists(effects, max_size=4), sendings, st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_what_effects_claim_is_what_happens(
    chain: list[Effect], plan: list[tuple[float, int, int]], seed: int
) -> None:
    """A network is reliable, or in order, if all its effects are."""
    net = play(chain, plan, 1e9, seed)
    sent = [(one.number, to) for one in net.traffic if isinstance(one, MessageSent) for to in one.receivers]
    got = [(one.number, one.receiver) for one in net.traffic if isinstance(one, MessageReceived)]
    if net.network.is_reliable:
        assert sorted(got) == sorted(sent)
    if net.network.is_in_order:
        for pair in {(one.sender, one.receiver) for one in net.traffic if isinstance(one, MessageReceived)}:
            numbers = [
                one.number
                for one in net.traffic
                if isinstance(one, MessageReceived) and (one.sender, one.receiver) == pair
            ]
            assert numbers == sorted(numbers)


@given(st.lists(effects, max_size=4), sendings, st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_the_same_seed_gives_the_same_trace(
    chain: list[Effect], plan: list[tuple[float, int, int]], seed: int
) -> None:
    runs = [play(chain, plan, 1e9, seed) for _ in range(2)]

    assert runs[0].simulation.trace_hash == runs[1].simulation.trace_hash
    assert runs[0].log == runs[1].log


IN_A_PROCESS = """
from kumi.network import *
from tests.network.stations import Net, Say
net = Net(Exponential(0.1), Loss(0.1), Duplication(0.2, within=0.1), Overtaking(0.3, within=1.0),
          Cuts(NetworkPartition({0, 1}, {2, 3}, when=When(start=2, end=9, down=0.5, up=0.5))),
          Omissions(Omission(node=3, sending=0.3, receiving=0.3)), Byzantine({1, 4}, Garbling(0.5)),
          Bandwidth(2000, queue=3), SharedMedium(20000, sense=CarrierSense(slot=0.001)), nodes=8, seed=5)
for number in range(300):
    net.broadcast_at(number * 0.03, number % 8, Say(number))
net.run()
print(net.network.delivered, sorted(net.network.dropped.items()), net.simulation.trace_hash)
"""


@pytest.mark.slow
def test_the_same_seed_gives_the_same_trace_whatever_the_hash_seed() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        ).stdout
        for seed in ("0", "1", "987654321")
    ]

    assert said[0] == said[1] == said[2]
    assert int(said[0].split()[0]) > 100


def test_without_effects_messages_arrive_at_once_in_order() -> None:
    net = Net()
    net.send_at(1.0, 0, 1, Say(1))
    net.send_at(1.0, 0, 1, Say(2))
    net.run()

    assert net.log == [(1.0, 1, 0, Say(1)), (1.0, 1, 0, Say(2))]


def test_delays_in_a_row_add_up() -> None:
    net = Net(Constant(0.25), Constant(0.5))
    net.send_at(1.0, 0, 1)
    net.run()

    assert net.arrivals == [(1.75, 1)]


def test_a_message_to_several_is_one_sending() -> None:
    net = Net(Constant(1.0))
    net.at(0.0, lambda: net.network.multicast(0, [3, 1], Say(7)))
    net.broadcast_at(0.0, 2, Say(8))
    net.run()

    assert [one for one in net.traffic if isinstance(one, MessageSent)] == [
        MessageSent(0.0, 0, 0, (3, 1), Say(7)),
        MessageSent(0.0, 1, 2, (0, 1, 3), Say(8)),
    ]
    assert net.arrivals == [(1.0, 3), (1.0, 1), (1.0, 0), (1.0, 1), (1.0, 3)]
    net.check_conservation()


def test_a_node_hears_itself_only_when_it_sends_to_itself() -> None:
    net = Net(Loss(1.0), Cuts(NetworkPartition({0})))
    net.broadcast_at(0.0, 0)
    net.send_at(0.0, 0, 0)
    net.run()

    assert net.arrivals == [(0.0, 0)]


def test_an_arrival_is_part_of_the_trace() -> None:
    """Two runs that send the same at the same times, but in which other messages arrive, differ."""

    def traced(lost: int) -> str:
        net = Net(Where(Loss(1.0), links=[(0, lost)]))
        net.broadcast_at(0.0, 0)
        net.run()
        return net.simulation.trace_hash

    assert traced(1) == traced(1) != traced(2)


def test_who_is_gone_or_down_gets_nothing() -> None:
    net = Net(Constant(1.0))
    net.stations[1].is_up = False
    net.broadcast_at(0.0, 0)
    net.at(0.5, lambda: net.network.leave(2))
    net.run()

    assert net.arrivals == [(1.0, 3)]
    assert net.drops == [(1.0, 1, "receiver down"), (1.0, 2, "receiver gone")]
    assert net.traffic[1] == MessageDropped(1.0, 0, 0, 1, Say(), "receiver down")


def test_an_error_in_one_arrival_does_not_keep_the_others_from_theirs() -> None:
    net = Net()

    def fail(message: Message, sender: int) -> None:
        raise RuntimeError("no")

    net.acts[1] = [fail]
    net.broadcast_at(1.0, 0)
    with pytest.raises(RuntimeError, match="no"):
        net.run()
    net.run()

    assert net.arrivals == [(1.0, 1), (1.0, 2), (1.0, 3)]


def test_unknown_receivers_are_refused_by_name() -> None:
    net = Net()

    with pytest.raises(
        UnknownNode, match=r"there is no node 9 on the network to receive Say\(n=0\); there are 0, 1, 2, 3"
    ):
        net.network.send(0, 9, Say())
    with pytest.raises(UnknownNode, match="no node 9"):
        net.network.multicast(0, [1, 9], Say())
    assert net.network.sent == 0


def test_only_frozen_messages_are_sent() -> None:
    @dataclass
    class Soft(Message):
        n: int

    net = Net()
    with pytest.raises(NotAMessage, match=r"needs @dataclass\(frozen=True\)"):
        net.network.broadcast(0, Soft(1))
    with pytest.raises(NotAMessage, match="not 'text' of class str"):
        net.network.send(0, 1, "text")  # type: ignore[arg-type]


def test_a_message_above_the_limit_is_refused() -> None:
    net = Net(limit=99)
    words = r"Say\(n=5\) takes 100 bytes, and this network takes at most 99"

    with pytest.raises(TooLarge, match=words):
        net.network.send(0, 1, Say(5))
    with pytest.raises(TooLarge, match=words):
        net.network.broadcast(0, Say(5))
    with pytest.raises(TooLarge, match=words):
        net.network.multicast(0, [1], Say(5))
    assert net.network.sent == 0


def test_the_size_of_a_message_is_that_on_the_wire() -> None:
    """A text of 1,000 letters takes 1,000 bytes and a few."""

    @dataclass(frozen=True)
    class Text(Message):
        text: str

    network = SimulatedNetwork(Simulation(), limit=1100)
    network.join(1, Net().stations[1])
    network.send(0, 1, Text("x" * 1000))

    with pytest.raises(TooLarge):
        network.send(0, 1, Text("x" * 1101))


def test_a_limit_is_a_whole_number() -> None:
    with pytest.raises(
        ValueError, match="the limit of a message's size in bytes is a whole number >= 1, not 0"
    ):
        SimulatedNetwork(Simulation(), limit=0)


def test_addresses_are_unique() -> None:
    net = Net()

    with pytest.raises(NetworkError, match="there is a node 2 on the network already"):
        net.network.join(2, net.stations[2])


def test_a_trace_has_each_sending_with_its_content_and_each_arrival_with_its_number() -> None:
    net = Net(Constant(0.5))
    records: list[Record] = []
    net.simulation.trace(records.append)
    net.send_at(1.0, 2, 3, Say(7))
    net.broadcast_at(2.0, 0, Say(8))
    net.run()

    assert records == [
        Sending(1.0, "network", (0, 2, 3, Say(7))),
        Arrival(1.5, "network", (0, 3)),
        Sending(2.0, "network", (1, 0, (1, 2, 3), Say(8))),
        *(Arrival(2.5, "network", (1, to)) for to in (1, 2, 3)),
    ]
    assert line(records[0]) == "1.0 sending network (0, 2, 3, Say(n=7))"
    assert line(records[1]) == "1.5 arrival network (0, 3)"


def test_another_effect_does_not_change_what_the_others_draw() -> None:
    """Common random numbers: with a delay of nothing put in front, every delay is the same as without."""

    def arrivals(*effects: Effect) -> list[float]:
        simulation = Simulation(seed=5)
        network = SimulatedNetwork(simulation, *effects)
        times: list[float] = []

        class Ear:
            is_up = True

            def arrive(self, _message: Message, _sender: int) -> None:
                times.append(simulation.now)

        for address in (0, 1):
            network.join(address, Ear())
        for _ in range(20):
            network.send(0, 1, Say(1))
        simulation.run()
        return times

    assert arrivals(Exponential(0.1)) == arrivals(Constant(0.0), Exponential(0.1), Loss(0.0))


def test_what_is_sent_to_one_who_has_left_is_dropped() -> None:
    simulation = Simulation()
    network = SimulatedNetwork(simulation)

    class Ear:
        is_up = True

        def arrive(self, _message: Message, _sender: int) -> None:
            raise AssertionError

    for address in (0, 1):
        network.join(address, Ear())
    network.leave(1)
    network.send(0, 1, Say(1))
    simulation.run()

    assert network.dropped == {"receiver gone": 1}
