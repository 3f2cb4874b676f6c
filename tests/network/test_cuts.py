"""Cuts let nothing pass while they hold, and everything else."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.contract import Address, Message
from kumi.devs import Simulation
from kumi.network import Bandwidth, Constant, Cuts, LinkCut, NetworkPartition, SimulatedNetwork, When
from kumi.network.cuts import Cut
from kumi.network.errors import NetworkError
from kumi.network.network import MessageReceived, MessageSent
from tests.network.stations import Net, Say

nodes = st.integers(0, 4)


@given(
    st.sets(nodes, min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from([When(start=1, end=3), When(start=1, end=6, down=0.5, up=0.25), When(), When(start=2)]),
    st.floats(0.0, 0.4),
    st.lists(st.tuples(st.floats(0, 6), nodes, nodes), min_size=1, max_size=30),
)
@settings(max_examples=80, deadline=None)
def test_a_partition_never_leaks(
    side: set[int], one_way: bool, when: When, delay: float, plan: list[tuple[float, int, int]]
) -> None:
    """What is sent during it never arrives, nothing arrives during it, and all else does."""
    net = Net(Constant(delay), Cuts(NetworkPartition(side, when=when, one_way=one_way)), nodes=5)
    for number, (time, sender, to) in enumerate(plan):
        net.send_at(time, sender, to, Say(number))
    net.run()
    sent = {one.number: one.time for one in net.traffic if isinstance(one, MessageSent)}
    arrived = {one.number for one in net.traffic if isinstance(one, MessageReceived)}
    for one in net.traffic:
        if isinstance(one, MessageSent):
            (to,) = one.receivers
            crosses = (one.sender in side and to not in side) or (
                not one_way and one.sender not in side and to in side
            )
            is_cut = crosses and (when.holds(one.time) or when.holds(sent[one.number] + delay))
            assert (one.number in arrived) == (not is_cut), one
    assert set(net.network.dropped) <= {"cut"}
    net.check_conservation()


def test_a_partition_into_several_groups_leaves_one_for_the_rest() -> None:
    """0 1 | 2 | 3 4."""
    net = Net(Cuts(NetworkPartition({0, 1}, {2})), nodes=5)
    for sender in range(5):
        net.broadcast_at(0.0, sender)
    net.run()

    assert sorted((sender, to) for _, to, sender, _ in net.log) == [(0, 1), (1, 0), (3, 4), (4, 3)]


def test_a_link_is_cut_both_ways_or_one_way() -> None:
    net = Net(Cuts(LinkCut(0, 1), LinkCut(2, 3, one_way=True)))
    for sender, to in ((0, 1), (1, 0), (2, 3), (3, 2), (0, 2)):
        net.send_at(0.0, sender, to)
    net.run()

    assert [(sender, to) for _, to, sender, _ in net.log] == [(3, 2), (0, 2)]


def test_a_cut_begins_at_its_start_and_is_over_at_its_end() -> None:
    net = Net(Cuts(LinkCut(0, 1, When(start=1.0, end=2.0))))
    for time in (0.5, 1.0, 1.5, 2.0):
        net.send_at(time, 0, 1)
    net.run()

    assert net.arrivals == [(0.5, 1), (2.0, 1)]
    assert net.drops == [(1.0, 1, "cut"), (1.5, 1, "cut")]


def test_a_flapping_link_is_down_and_up_in_turn() -> None:
    """From 10 s on: down for 1 s, up for 3 s."""
    net = Net(Cuts(LinkCut(0, 1, When(start=10.0, down=1.0, up=3.0))))
    for time in range(8, 20):
        net.send_at(time, 0, 1)
    net.run()

    assert [time for time, _, _ in net.drops] == [10.0, 14.0, 18.0]


def test_what_is_under_way_during_a_cut_arrives_if_it_is_over_by_then() -> None:
    """Cut from 1 to 2.5 s, two seconds under way: what would arrive at 2 s does not, at 2.75 s it does."""
    net = Net(Constant(2.0), Cuts(NetworkPartition({0}, when=When(start=1.0, end=2.5))))
    net.send_at(0.0, 0, 1)
    net.send_at(0.75, 0, 1)
    net.run()

    assert net.arrivals == [(2.75, 1)]
    assert net.drops == [(2.0, 1, "cut")]


def test_links_are_cut_and_healed_by_hand() -> None:
    cuts = Cuts()
    net = Net(cuts)
    halves = NetworkPartition({0, 1})
    net.at(1.0, lambda: cuts.cut(halves))
    net.at(1.0, lambda: cuts.cut(LinkCut(0, 1)))
    net.at(3.0, lambda: cuts.heal(halves))
    net.at(5.0, cuts.heal)
    for time in (0.5, 2.0, 4.0, 6.0):
        net.send_at(time, 0, 2)
        net.send_at(time, 0, 1)
    net.run()

    assert net.arrivals == [(0.5, 2), (0.5, 1), (4.0, 2), (6.0, 2), (6.0, 1)]


def test_only_what_was_cut_by_hand_is_healed() -> None:
    cuts = Cuts(LinkCut(0, 1))

    with pytest.raises(NetworkError, match="it was not cut by hand, or was healed already"):
        cuts.heal(LinkCut(0, 1))
    cuts.heal()
    assert cuts.cuts(0, 1, 0.0)


def test_wrong_schedules_are_refused_with_the_rule() -> None:
    with pytest.raises(ValueError, match=r"a cut ends at or after its start at 2\.0 s, not at 1\.0"):
        When(start=2.0, end=1.0)
    with pytest.raises(ValueError, match="the start of a cut is a number of seconds from 0 on, not -1"):
        When(start=-1)
    with pytest.raises(ValueError, match="how long a flapping link is up, in seconds, is a number > 0"):
        When(down=1.0)
    with pytest.raises(ValueError, match="needs `down`"):
        When(up=1.0)
    with pytest.raises(ValueError, match="names at least one group"):
        NetworkPartition()
    with pytest.raises(ValueError, match="some are in two of"):
        NetworkPartition({0, 1}, {1, 2})
    with pytest.raises(TypeError, match=r"a LinkCut or a Partition, not \(0, 1\)"):
        Cuts((0, 1))  # type: ignore[arg-type]
    assert When().end == inf


def test_what_is_sent_during_a_cut_is_lost_even_if_it_waits_for_bandwidth() -> None:
    """An effect that is judged at sending goes by the instant of sending, wherever it stands."""
    simulation = Simulation()
    cuts = Cuts(NetworkPartition({0}, when=When(end=1.0)))
    network = SimulatedNetwork(simulation, Constant(1.0), Bandwidth(1e9), cuts)
    heard: list[float] = []

    class Ear:
        is_up = True

        def arrive(self, _message: Message, _sender: Address) -> None:
            heard.append(simulation.now)

    for address in (0, 1):
        network.join(address, Ear())
    for time in (0.5, 0.9, 1.5):
        simulation.schedule(time, lambda: network.send(0, 1, Say(1)))
    simulation.run(until=10.0)

    assert len(heard) == 1
    assert heard[0] == pytest.approx(2.5, abs=1e-6)


NODES = st.integers(0, 3)
LINKS = st.tuples(NODES, NODES).filter(lambda link: link[0] != link[1])
CUTS = st.builds(
    lambda link, one_way, start: LinkCut(link[0], link[1], When(start=start), one_way=one_way),
    LINKS,
    st.booleans(),
    st.integers(0, 2),
) | st.builds(NetworkPartition, st.sets(NODES, min_size=1, max_size=3))


@given(st.lists(CUTS, max_size=6), st.lists(CUTS, max_size=6), LINKS)
def test_a_link_is_cut_by_those_cuts_that_block_it(
    scheduled: list[Cut], by_hand: list[Cut], link: tuple[int, int]
) -> None:
    """However many there are of other links: by any by hand, and by any of the schedule that holds."""
    cuts = Cuts(*scheduled)
    for cut in by_hand:
        cuts.cut(cut)

    is_due = any(cut.when.holds(1.0) and cut.blocks(*link) for cut in scheduled)
    assert cuts.cuts(*link, 1.0) is (is_due or any(cut.blocks(*link) for cut in by_hand))
    for cut in dict.fromkeys(by_hand):
        cuts.heal(cut)
    assert cuts.cuts(*link, 1.0) is is_due
