"""A node sends, receives, waits, crashes, comes back and stands still as its text says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from kumi import sleep
from kumi.contract import Address, Message
from kumi.devs import Simulation
from kumi.network import Clock, Constant, Node, SimulatedNetwork, UnknownNode
from kumi.network.node import BACKLOG


@dataclass(frozen=True)
class NodeNumber(Message):
    """A number."""

    value: int


class Lodger:
    """Writes down what happens, and does what it is told."""

    def __init__(self, node: Node, log: list[Any]) -> None:
        self.node = node
        self.log = log

    def begin(self) -> None:
        self.log.append((self.node.simulation.now, self.node.address, "begins"))

    def receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, NodeNumber)
        self.log.append((self.node.simulation.now, self.node.address, message.value))


class Pair:
    """Two nodes with a delay of one second between them."""

    def __init__(self, **options: Any) -> None:
        self.log: list[Any] = []
        self.simulation = Simulation(seed=1)
        self.network = SimulatedNetwork(self.simulation, Constant(1.0))
        self.one, self.other = (
            Node(
                self.simulation,
                self.network,
                address,
                group=(0, 1),
                move_in=lambda node: Lodger(node, self.log),
                **options,
            )
            for address in (0, 1)
        )
        self.one.start()
        self.other.start()
        self.log.clear()

    def at(self, time: float, action: Any) -> None:
        self.simulation.schedule(time, action)

    def run(self, until: float = 100.0) -> list[Any]:
        self.simulation.run(until=until)
        return self.log


def test_a_message_arrives_at_the_other_and_at_oneself() -> None:
    pair = Pair()
    pair.one.multicast(NodeNumber(1), (0, 1))

    assert pair.run() == [(1.0, 0, 1), (1.0, 1, 1)]


def test_timers_fire_once_after_their_delay_and_can_be_cancelled() -> None:
    pair = Pair()
    timer = pair.one.after(3.0, lambda: pair.log.append("never"))
    pair.one.after(2.0, lambda: pair.log.append(pair.simulation.now))
    pair.at(1.0, timer.cancel)

    assert pair.run() == [2.0]
    assert not timer.is_set
    timer.cancel()


def test_a_crash_ends_timers_tasks_and_what_is_under_way_to_it() -> None:
    pair = Pair()

    async def work() -> None:
        await sleep(5.0)
        pair.log.append("worked")

    pair.other.after(4.0, lambda: pair.log.append("fired"))
    pair.other.begin_task(work, "work")
    pair.at(1.5, lambda: pair.one.send(NodeNumber(1), 1))
    pair.at(2.0, pair.other.crash)

    assert pair.run() == []
    assert pair.network.dropped == {"receiver down": 1}


def test_a_node_that_is_down_sends_nothing() -> None:
    pair = Pair()
    pair.one.crash()
    pair.one.send(NodeNumber(1), 1)
    pair.one.broadcast(NodeNumber(2))
    pair.one.multicast(NodeNumber(3), (1,))

    assert pair.run() == []
    assert pair.network.sent == 0


def test_a_restart_begins_anew_with_what_was_stored() -> None:
    pair = Pair()
    pair.one.storage.put("vote", 7)
    first = pair.one.resident
    pair.at(1.0, pair.one.crash)
    pair.at(2.0, pair.one.restart)

    assert pair.run() == [(2.0, 0, "begins")]
    assert pair.one.resident is not first
    assert pair.one.storage.get("vote") == 7


def test_a_restart_that_forgets_begins_with_nothing() -> None:
    pair = Pair()
    pair.one.storage.put("vote", 7)
    pair.one.restart(forget=True)

    assert len(pair.one.storage) == 0


def test_a_timer_of_an_earlier_life_does_not_fire_in_a_later_one() -> None:
    pair = Pair()
    pair.one.after(5.0, lambda: pair.log.append("old"))
    pair.at(1.0, pair.one.restart)

    assert pair.run() == [(1.0, 0, "begins")]


@pytest.mark.parametrize("sends", [0, 1, 3, 5])
def test_a_crash_in_the_middle_lets_so_many_messages_go(sends: int) -> None:
    pair = Pair()
    pair.one.crash_after_sends(sends)
    assert pair.one.is_up == (sends > 0)
    pair.one.multicast(NodeNumber(1), (1, 1, 1))
    pair.one.send(NodeNumber(2), 1)

    assert pair.run() == [(1.0, 1, 1)] * min(sends, 3) + [(1.0, 1, 2)] * (sends >= 4)
    assert pair.one.is_up == (sends >= 4)


def test_what_a_crashing_node_still_stores_is_not_stored() -> None:
    pair = Pair()
    pair.one.storage.put("vote", 1)
    pair.one.crash()
    pair.one.storage.put("vote", 2)
    pair.one.storage.remove("vote")
    pair.one.restart()

    assert pair.one.storage.get("vote") == 1


def test_a_paused_node_takes_all_that_came_meanwhile_when_it_goes_on_in_order() -> None:
    pair = Pair()
    pair.other.after(2.5, lambda: pair.log.append("fires"))
    pair.at(1.0, pair.other.pause)
    for time in (1.0, 2.0):
        pair.at(time, lambda time=time: pair.one.send(NodeNumber(int(time)), 1))
    pair.at(10.0, pair.other.resume)

    assert pair.run() == [(10.0, 1, 1), "fires", (10.0, 1, 2)]


def test_a_timer_that_is_cancelled_while_it_is_put_off_does_not_fire() -> None:
    pair = Pair()
    timer = pair.other.after(2.0, lambda: pair.log.append("fires"))
    pair.at(1.0, pair.other.pause)
    pair.at(3.0, timer.cancel)
    pair.at(4.0, pair.other.resume)

    assert pair.run() == []


def test_a_paused_node_keeps_only_so_much_and_counts_the_rest() -> None:
    pair = Pair()
    pair.other.pause()
    for number in range(BACKLOG + 3):
        pair.one.send(NodeNumber(number), 1)
    pair.at(2.0, pair.other.resume)

    assert len(pair.run()) == BACKLOG
    assert pair.network.dropped == {"message for a paused node with a full backlog": 3}


def test_a_paused_node_with_a_full_backlog_loses_no_timer() -> None:
    """A layer whose timer never comes would never try again."""
    pair = Pair()
    pair.other.after(1.5, lambda: pair.log.append("fires"))
    pair.other.pause()
    for number in range(BACKLOG):
        pair.one.send(NodeNumber(number), 1)
    pair.at(2.0, pair.other.resume)

    assert pair.run()[-1] == "fires"
    assert pair.network.dropped == {}


def test_a_clock_has_an_offset_and_a_rate_and_timers_follow_the_rate() -> None:
    pair = Pair(clock=Clock(offset=100.0, rate=2.0))
    pair.one.after(10.0, lambda: pair.log.append((pair.simulation.now, pair.one.now)))

    assert pair.run() == [(5.0, 110.0)]


def test_a_jump_of_the_clock_moves_no_timer() -> None:
    pair = Pair()
    pair.one.after(10.0, lambda: pair.log.append((pair.simulation.now, pair.one.now)))
    pair.at(5.0, lambda: pair.one.clock.jump(-1000.0))

    assert pair.run() == [(10.0, -990.0)]


def test_what_a_timer_raises_comes_out_of_the_run_with_its_node() -> None:
    pair = Pair()
    pair.one.after(1.0, lambda: 1 / 0)

    with pytest.raises(ZeroDivisionError) as caught:
        pair.run()
    assert "in a timer of node 0, at t = 1 s" in caught.value.__notes__


def test_by_choice_what_is_raised_crashes_the_node_and_is_told() -> None:
    told: list[Any] = []
    pair = Pair(on_error=told.append)
    pair.one.after(1.0, lambda: 1 / 0)
    pair.run()

    assert [type(error) for error in told] == [ZeroDivisionError]
    assert (pair.one.is_up, pair.other.is_up) == (False, True)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"offset": float("nan")}, "a clock's offset is a finite number of seconds, not nan"),
        ({"rate": 0.0}, "a clock's rate is a positive number, not 0.0"),
    ],
)
def test_clocks_that_cannot_be_are_refused(wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Clock(**wrong)


def test_wrong_delays_and_groups_are_refused() -> None:
    pair = Pair()
    with pytest.raises(ValueError, match=r"a delay is a number of seconds from 0 on, not -1\.0"):
        pair.one.after(-1.0, list)
    with pytest.raises(UnknownNode, match="node 2 is not in its own group"):
        Node(pair.simulation, pair.network, 2, group=(0, 1), move_in=lambda node: Lodger(node, []))


def test_chance_is_each_nodes_own_and_the_same_in_every_run() -> None:
    draws = [[node.chance.uniform() for node in (pair.one, pair.other)] for pair in (Pair(), Pair())]

    assert draws[0] == draws[1]
    assert draws[0][0] != draws[0][1]


def test_a_timer_that_a_crashed_node_sets_does_not_fire() -> None:
    pair = Pair()

    def beat() -> None:
        pair.one.crash()
        pair.one.after(1.0, lambda: pair.log.append("beats"))

    pair.one.after(1.0, beat)

    assert pair.run() == []


def test_a_node_that_restarts_itself_does_nothing_more_in_its_old_life() -> None:
    pair = Pair()

    def restart() -> None:
        pair.one.restart()
        pair.one.send(NodeNumber(1), 1)
        pair.one.after(1.0, lambda: pair.log.append("late"))
        pair.one.storage.put("x", 1)

    pair.one.after(1.0, restart)

    assert pair.run() == [(1.0, 0, "begins")]
    assert len(pair.one.storage) == 0


def test_what_a_start_raises_is_told_where_errors_are() -> None:
    told: list[Any] = []

    def move_in(node: Node) -> Lodger:
        raise ValueError(f"no room for {node.address}")

    simulation = Simulation()
    network = SimulatedNetwork(simulation)
    node = Node(simulation, network, 0, group=(0,), move_in=move_in, on_error=told.append)
    node.start()

    assert [str(error) for error in told] == ["no room for 0"]
    assert not node.is_up


def test_what_came_to_a_paused_node_is_not_lost_when_one_message_fails() -> None:
    pair = Pair()

    def receive(message: Message, sender: Address) -> None:
        assert isinstance(message, NodeNumber)
        pair.log.append(message.value)
        if message.value == 1:
            raise ZeroDivisionError

    pair.other.resident.receive = receive  # type: ignore[method-assign]
    pair.other.pause()
    for number in range(4):
        pair.one.send(NodeNumber(number), 1)
    pair.at(2.0, pair.other.resume)
    with pytest.raises(ZeroDivisionError):
        pair.run()

    assert pair.run() == [0, 1, 2, 3]


def test_a_paused_node_sends_when_it_goes_on() -> None:
    pair = Pair()
    pair.at(1.0, pair.one.pause)
    pair.at(2.0, lambda: pair.one.send(NodeNumber(1), 1))
    pair.at(2.5, lambda: pair.one.broadcast(NodeNumber(2)))
    pair.at(5.0, pair.one.resume)

    assert pair.run() == [(6.0, 1, 1), (6.0, 1, 2)]
