"""Registers on a replicated log: each operation once, at one instant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kumi.devs import Simulation
from kumi.network import Flight, Node, SimulatedNetwork
from kumi.network.storage import FileStorage
from kumi.protocols import Stack
from kumi.protocols.guarantees import ReplicatedLog
from kumi.protocols.raft import Append, Raft
from kumi.protocols.register import Overloaded, RegisterOperation, Registers
from tests.protocols.company import Company
from tests.protocols.groups import Fate


def layers() -> tuple[Any, ...]:
    return Registers(), Raft()


def test_operations_return_what_a_register_says() -> None:
    company = Company(layers)
    company.ask(4.0, 0, "write", "x", 1)
    company.ask(5.0, 1, "read", "x")
    company.ask(6.0, 2, "swap", "x", 1, 2)
    company.ask(7.0, 2, "swap", "x", 1, 3)
    company.ask(8.0, 1, "read", "x")
    company.ask(8.0, 1, "read", "y")
    company.run(12.0)

    assert company.events(0) == [(0, None)]
    assert company.events(1) == [(0, 1), (1, 2), (2, None)]
    assert company.events(2) == [(0, True), (1, False)]


def test_operations_asked_before_there_is_a_leader_wait_for_one() -> None:
    company = Company(layers)
    assert company.top(0).write("x", 1) == 0
    assert company.top(0).read("x") == 1
    company.run(10.0)

    assert company.events(0) == [(0, None), (1, 1)]


def test_a_slow_operation_that_is_asked_again_happens_once() -> None:
    """Followers' answers take 3 s, so node 0 asks several times; the swap from 1 to 2 happens once."""

    def fate(flight: Flight) -> float | None:
        slow = company.simulation.now > 5.0 and isinstance(flight.message, Append)
        return 2.5 if slow and flight.message.entries else 0.0  # type: ignore[attr-defined]

    company = Company(layers, Fate(fate))
    company.ask(4.0, 0, "write", "x", 1)
    company.ask(6.0, 0, "swap", "x", 1, 2)
    company.ask(6.0, 0, "swap", "x", 2, 1)
    company.ask(20.0, 1, "read", "x")
    company.run(40.0)

    assert company.events(0) == [(0, None), (1, True), (2, True)]
    assert company.events(1) == [(0, 1)]
    attempts = [entry for entry in company.layer(0, Raft).log.after(0, 1000) if "swap" in repr(entry.command)]
    assert len(attempts) > 2


def test_registers_survive_crashes_of_all_and_compaction() -> None:
    company = Company(lambda: (Registers(compact_every=5), Raft()))
    for number in range(20):
        company.ask(4.0 + 0.1 * number, 0, "write", f"r{number % 3}", number)
    for node in company.nodes:
        company.at(8.0, node.crash)
        company.at(9.0, node.start)
    for number in range(3):
        company.ask(14.0, 1, "read", f"r{number}")
    company.run(30.0)

    assert company.events(1) == [(0, 18), (1, 19), (2, 17)]
    assert company.layer(1, Raft).log.start > 10


def test_results_are_kept_for_the_latest_clients_only() -> None:
    """Each life of a node is a client; three nodes in five lives each, and results of four are kept."""
    company = Company(lambda: (Registers(clients=4), Raft()))
    for life in range(5):
        for node in range(3):
            company.ask(4.0 + 3.0 * life, node, "write", "x", (node, life))
            company.at(6.0 + 3.0 * life, company.nodes[node].restart)
    company.ask(25.0, 0, "read", "x")
    company.run(30.0)

    for node in range(3):
        assert len(company.top(node)._results) == 4
    assert company.events(0)[-1][1][1] == 4


def test_too_many_operations_at_once_are_refused() -> None:
    company = Company(lambda: (Registers(limit=2), Raft()))
    company.top(0).write("x", 1)
    company.top(0).write("x", 2)

    with pytest.raises(Overloaded, match="2 operations of node 0 wait for an answer; ask fewer at once"):
        company.top(0).write("x", 3)


def test_registers_come_back_from_a_file(tmp_path: Path) -> None:
    """Two processes, one after the other, each a simulation of its own with the same file."""

    def run(ask: Callable[[Registers], object]) -> list[tuple[int, object]]:
        told: list[tuple[int, object]] = []
        simulation = Simulation()
        network = SimulatedNetwork(simulation)
        stack = Stack(Registers(compact_every=2), Raft())
        with FileStorage(tmp_path / "node 0") as storage:
            node = Node(simulation, network, 0, group=[0], move_in=stack.settle, storage=storage)
            node.start()
            registers = stack[Registers]
            registers.listen(lambda *result: told.append(result))
            ask(registers)
            simulation.run(until=10.0)
        simulation.close()
        return told

    def write(registers: Registers) -> None:
        for number in range(5):
            registers.write("x", (number, None))

    assert run(write) == [(number, None) for number in range(5)]
    assert run(lambda registers: registers.read("x")) == [(0, (4, None))]


class Immediate(ReplicatedLog):
    """A log of one node that tells at once, and cannot be compacted."""

    def __init__(self) -> None:
        self.places = 0

    def append(self, command: object) -> None:
        self.places += 1
        self.tell(self.places, command)


def test_an_operation_that_comes_twice_happens_once_for_each_client() -> None:
    """Both clients begin with number 0. The first write comes again after the second, and changes nothing."""
    company = Company(lambda: (Registers(), Immediate()), size=1)
    log = company.layer(0, Immediate)
    first, second = RegisterOperation("a", 0, "write", "x", 1), RegisterOperation("b", 0, "write", "x", 2)
    for operation in (first, second, first):
        log.append(operation)
    company.top(0).read("x")

    assert company.events(0) == [(0, 2)]


def test_a_log_that_cannot_be_compacted_is_left_alone() -> None:
    company = Company(lambda: (Registers(compact_every=1), Immediate()), size=1)
    for number in range(3):
        company.top(0).write("x", number)

    assert company.events(0) == [(0, None), (1, None), (2, None)]


def test_a_log_is_compacted_once_in_so_many_places() -> None:
    """Place 1 is the leader's blank entry; twelve writes stand at 2 to 13, so places 5 and 10 are compacted."""
    company = Company(lambda: (Registers(compact_every=5, retry_after=100.0), Raft()), size=1)
    for number in range(12):
        company.ask(4.0 + 0.1 * number, 0, "write", "x", number)
    company.run(8.0)
    log = company.layer(0, Raft).log

    assert (log.start, log.last) == (10, 13)
