"""The replicated log: one leader, one log, over crashes."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from kumi.network import Flight, Loss, Storage
from kumi.network.storage import WriteFailed
from kumi.protocols.raft import Append, Blank, Raft, Restored
from kumi.protocols.stored_log import LogEntry, StoredLog
from tests.protocols.company import Company
from tests.protocols.groups import Fate


def raft() -> tuple[Any, ...]:
    return (Raft(),)


def leader_of(company: Company) -> int:
    leaders = [node.address for node in company.nodes if node.is_up and company.top(node.address).leads]
    assert len(leaders) == 1
    return leaders[0]


def ask_leader(company: Company, command: object) -> None:
    company.top(leader_of(company)).append(command)


def commands(company: Company, node: int) -> list[Any]:
    return [command for _, command in company.events(node)]


def test_one_leader_is_elected_within_a_few_timeouts_and_stays() -> None:
    company = Company(raft, size=5).run(5.0)
    leader, term = leader_of(company), company.top(0).term
    company.run(30.0)

    assert leader_of(company) == leader
    assert [company.top(node).term for node in range(5)] == [term] * 5
    assert [company.top(node).leader for node in range(5)] == [leader] * 5


def test_commands_come_to_all_in_one_order_whoever_is_asked() -> None:
    company = Company(raft, Loss(0.1), size=5)
    for number in range(20):
        company.ask(5.0 + 0.1 * number, number % 5, "append", number)
    company.run(20.0)

    told = commands(company, 0)
    assert len(told) >= 10  # a command on its way to the leader may be lost
    assert told == sorted(told)
    assert all(commands(company, node) == told for node in range(5))
    places = [place for place, _ in company.events(0)]
    assert places == sorted(set(places))


def test_without_a_leader_a_command_is_lost_and_without_a_majority_not_told() -> None:
    company = Company(raft, size=3)
    company.top(0).append("too early")
    company.run(5.0)
    leader = leader_of(company)
    for node in {0, 1, 2} - {leader}:
        company.nodes[node].crash()
    company.top(leader).append("alone")
    company.run(20.0)

    assert company.told == []


def test_a_log_survives_a_crash_of_all() -> None:
    """All go down at 10 s and come back at 11 s; each tells the log again, from the beginning."""
    company = Company(raft)
    for number in range(3):
        company.at(5.0 + number, partial(ask_leader, company, number))
    for node in company.nodes:
        company.at(10.0, node.crash)
        company.at(11.0, node.start)
    company.at(15.0, partial(ask_leader, company, 3))
    company.run(20.0)

    for address in range(3):
        assert commands(company, address) == [0, 1, 2, 0, 1, 2, 3]
        assert company.events(address)[:3] == company.events(address)[3:6]


def test_a_node_votes_once_a_term_also_when_it_comes_back() -> None:
    company = Company(raft).run(5.0)
    voted = {node: (company.top(node).term, company.top(node)._voted_for) for node in range(3)}
    for node in company.nodes:
        node.restart()

    assert {node: (company.top(node).term, company.top(node)._voted_for) for node in range(3)} == voted


def test_a_leader_cut_off_is_replaced_and_its_entries_are_dropped() -> None:
    """From 5 s to 10 s the leader hears nobody; what it took up meanwhile gives way to the others' log."""

    def fate(flight: Flight) -> float | None:
        is_cut = 5.0 <= company.simulation.now < 10.0 and old[0] in {flight.sender, flight.to}
        return None if is_cut else 0.0

    old = [-1]
    company = Company(raft, Fate(fate), size=5)
    company.run(4.9)
    old[0] = leader_of(company)
    rest = [node for node in range(5) if node != old[0]]
    company.at(6.0, lambda: company.top(old[0]).append("lost"))
    company.at(9.0, lambda: [company.top(node).append("kept") for node in rest if company.top(node).leads])
    company.run(20.0)

    assert all(commands(company, node) == ["kept"] for node in range(5))
    assert not company.top(old[0]).leads


def test_who_lags_behind_a_compacted_log_gets_the_state() -> None:
    company = Company(raft)
    company.at(4.0, company.nodes[2].crash)
    company.at(5.0, lambda: [company.top(leader_of(company)).append(number) for number in range(10)])
    company.run(6.0)
    for node in (0, 1):
        log = company.top(node)
        log.compact(log._told, "zero to nine")
    company.at(7.0, company.nodes[2].start)
    company.at(9.0, lambda: company.top(leader_of(company)).append("ten"))
    company.run(20.0)

    assert commands(company, 2) == [Restored("zero to nine"), "ten"]
    assert commands(company, 0) == [*range(10), "ten"]


def test_a_compacted_log_is_small_on_disk() -> None:
    company = Company(raft)
    company.run(4.0)
    leader = company.top(leader_of(company))
    for number in range(300):
        company.at(4.0 + 0.01 * number, partial(leader.append, number))
    company.run(10.0)
    before = len(company.nodes[leader.node.address].storage)
    leader.compact(leader._told, "all")

    assert before > 300
    assert len(company.nodes[leader.node.address].storage) == 3  # term and vote, last place, state


def test_only_what_was_told_can_be_compacted() -> None:
    company = Company(raft).run(4.0)

    with pytest.raises(ValueError, match="places from 0 to 1 can be compacted, not 7"):
        company.top(leader_of(company)).compact(7, "state")


def test_a_single_node_keeps_a_log_by_itself() -> None:
    company = Company(raft, size=1)
    company.at(3.0, lambda: company.top(0).append("a"))
    company.run(5.0)

    assert commands(company, 0) == ["a"]


def test_a_stored_log_comes_back_as_it_was() -> None:
    storage = Storage()
    log = StoredLog(storage)
    log.append([LogEntry(1, "a"), LogEntry(1, "b"), LogEntry(2, "c"), LogEntry(2, Blank())])
    log.cut(4)
    log.compact(1, "after a")
    log.append([LogEntry(3, "d")])
    again = StoredLog(storage)

    assert (again.start, again.start_term, again.state) == (1, 1, "after a")
    assert again.after(1, 10) == log.after(1, 10) == (LogEntry(1, "b"), LogEntry(2, "c"), LogEntry(3, "d"))
    assert [again.term_at(place) for place in range(6)] == [None, 1, 1, 2, 3, None]


def test_a_state_from_elsewhere_replaces_a_log_that_does_not_fit_it() -> None:
    storage = Storage()
    log = StoredLog(storage)
    log.append([LogEntry(1, "a"), LogEntry(1, "b"), LogEntry(1, "c")])
    log.install(2, 1, "after b")
    assert (log.last, log.after(2, 5)) == (3, (LogEntry(1, "c"),))

    log.install(3, 2, "after another")
    assert (log.start, log.last, log.last_term) == (3, 3, 2)
    assert (StoredLog(storage).last, len(storage)) == (3, 2)


@pytest.mark.parametrize("place", [2, 3, 5, 8])
def test_a_crash_between_the_writes_of_a_state_leaves_no_log_that_never_was(place: int) -> None:
    """Five entries of term 1, and a state of term 2: before, cut where it does not fit, or after; nothing else."""
    before = [1, 1, 1, 1, 1]
    allowed = {(0, tuple(before[:cut])) for cut in (min(place - 1, 5), 5)} | {(place, ())}
    found = set()
    for writes in range(20):
        storage = CrashingStorage()
        log = StoredLog(storage)
        log.append([LogEntry(term, "x") for term in before])
        storage.left = writes
        with suppress(WriteFailed):
            log.install(place, 2, "state")
        again = StoredLog(storage)
        assert again.term_at(again.start) == (2 if again.start else 0)
        found.add((again.start, tuple(entry.term for entry in again.after(again.start, 10))))
    assert found == allowed


class CrashingStorage(Storage):
    """A storage that takes so many more writes."""

    left = 100

    def put(self, name: str, value: Any) -> None:
        self._write()
        super().put(name, value)

    def remove(self, name: str) -> None:
        self._write()
        super().remove(name)

    def _write(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise WriteFailed("the node crashed")


def test_a_leader_without_followers_drops_what_is_too_much_and_counts_it() -> None:
    company = Company(lambda: (Raft(limit=5),))
    company.run(4.0)
    leader = leader_of(company)
    for node in {0, 1, 2} - {leader}:
        company.nodes[node].crash()
    for number in range(8):
        company.top(leader).append(number)

    assert company.network.dropped["too many commands wait to be committed"] == 3


class FigureEight:
    """The schedule of figure 8 of the paper, up to (c), with terms one lower: S1 to S5 are nodes 0 to 4.

    Who has a short timeout stands for election, which is said for each life in the order in which they begin.
    No entry is copied beyond the place that `held` gives for its receiver. One entry travels in a message.
    """

    def __init__(self) -> None:
        self.held = dict.fromkeys(range(5), 1)
        self.timeouts = [1.0, *[1000.0] * 4]
        self.company = Company(self._layers, Fate(self._fate), size=5)

    def _layers(self) -> tuple[Any, ...]:
        return (Raft(timeout=self.timeouts.pop(0), batch=1, spread=0.001),)

    def _fate(self, flight: Flight) -> float | None:
        message = flight.message
        if isinstance(message, Append) and message.entries:
            return 0.0 if message.before + len(message.entries) <= self.held[flight.to] else None
        return 0.0

    def start(self, node: int, timeout: float) -> None:
        self.timeouts.append(timeout)
        self.company.nodes[node].restart()

    def terms(self) -> list[list[int]]:
        """The terms of the entries that each of those who are up holds."""
        up = [node.address for node in self.company.nodes if node.is_up]
        return [[entry.term for entry in self.company.top(node).log.after(0, 9)] for node in up]

    def play(self) -> Company:
        company = self.company.run(2.0)  # S1 leads in term 1, and all hold its blank entry
        self.held[1] = 2
        company.top(0).append("a")
        company.run(3.0)
        assert self.terms() == [[1, 1], [1, 1], [1], [1], [1]]  # (a)
        company.nodes[0].crash()
        self.held[1] = 1
        self.start(4, 1.0)
        company.run(5.0)
        company.top(4).append("b")
        assert self.terms() == [[1, 1], [1], [1], [1, 2, 2]]  # (b) S5 leads in term 2
        company.nodes[4].crash()
        self.held |= {2: 2, 3: 2}
        self.start(0, 1.0)
        company.run(8.0)
        assert (company.top(0).leads, company.top(0).term) == (True, 3)
        assert self.terms() == [[1, 1, 3], [1, 1], [1, 1], [1, 1]]  # (c)
        return company


def test_an_entry_of_an_old_term_is_not_committed_by_counting_who_holds_it() -> None:
    """In (d) S5 replaces an entry that four of five held; so nobody may have told it, and nobody did."""
    script = FigureEight()
    company = script.play()
    company.nodes[0].crash()
    script.held = dict.fromkeys(range(5), 9)
    script.start(4, 1.0)
    company.run(11.0)
    script.start(0, 1000.0)
    company.run(12.0)

    assert script.terms() == [[1, 2, 2, 4]] * 5
    assert [company.events(node) for node in range(5)] == [[(3, "b")]] * 5


def test_an_entry_of_an_old_term_is_committed_with_one_of_the_leaders_own() -> None:
    """In (e) the blank entry of term 3 reaches a majority, so S5 is not elected, and its entries give way."""
    script = FigureEight()
    company = script.play()
    assert company.told == []
    script.held = dict.fromkeys(range(5), 9)
    company.run(9.0)
    script.start(4, 1.0)
    company.nodes[0].crash()
    company.run(12.0)
    script.start(0, 1.0)
    company.run(20.0)

    assert [company.events(node)[0] for node in range(5)] == [(2, "a")] * 5
    assert "b" not in [command for node in range(5) for command in commands(company, node)]
