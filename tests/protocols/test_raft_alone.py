"""One node of a replicated log, word for word: what it answers, counts and keeps when messages come late or twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kumi.protocols.raft import Append, Appended, Install, Raft, VoteReply, VoteWanted
from kumi.protocols.stored_log import LogEntry
from tests.protocols.alone import Alone

if TYPE_CHECKING:
    from kumi.contract.messages import Message

A, B, C, D = (LogEntry(1, word) for word in "abcd")


class One(Alone):
    """Node 0 of five."""

    def __init__(self, timeout: float = 1000.0) -> None:
        super().__init__(lambda: (Raft(timeout=timeout, spread=0.001),), size=5)
        self.raft: Raft = self.top

    def answers(self, message: Message, sender: int) -> list[Message]:
        """Let it hear a message; return what it sends to the sender because of it."""
        return [sent for to, sent in self.hear(message, sender) if to == sender]

    def said(self, until: float) -> list[Message]:
        """Let time pass; return what it sends to node 1 meanwhile."""
        return [sent for to, sent in self.run(until) if to == 1]

    def terms(self) -> list[int]:
        return [entry.term for entry in self.raft.log.after(self.raft.log.start, 99)]


def leading(commands: int = 0) -> One:
    """Node 0, elected at 1 s in term 1, with its blank entry and so many commands after it."""
    alone = One(timeout=1.0)
    alone.said(1.05)
    for sender in (1, 2):
        alone.answers(VoteReply(1, yes=True), sender)
    for number in range(commands):
        alone.raft.append(number)
    assert alone.raft.leads
    return alone


def test_of_two_logs_that_end_in_one_term_the_longer_is_more_up_to_date() -> None:
    alone = One()
    alone.answers(Append(1, 0, 0, (A, B), 0), 1)

    assert alone.answers(VoteWanted(2, 1, 1), 2) == [VoteReply(2, yes=False)]
    assert alone.answers(VoteWanted(2, 9, 0), 2) == [VoteReply(2, yes=False)]
    assert alone.answers(VoteWanted(2, 2, 1), 3) == [VoteReply(2, yes=True)]


def test_a_vote_is_given_once_a_term_and_told_again_to_who_has_it() -> None:
    alone = One()

    assert alone.answers(VoteWanted(2, 0, 0), 2) == [VoteReply(2, yes=True)]
    assert alone.answers(VoteWanted(2, 0, 0), 3) == [VoteReply(2, yes=False)]
    assert alone.answers(VoteWanted(2, 0, 0), 2) == [VoteReply(2, yes=True)]


def test_who_stands_in_a_term_that_is_over_gets_no_vote() -> None:
    """It has not voted in term 3, in which there is a leader already."""
    alone = One()
    alone.answers(Append(3, 0, 0, (), 0), 1)

    assert alone.answers(VoteWanted(2, 9, 2), 2) == [VoteReply(3, yes=False)]


def test_votes_of_an_earlier_term_do_not_count() -> None:
    """It stands in term 1 at 1 s and in term 2 at 2 s."""
    alone = One(timeout=1.0)
    alone.said(2.5)
    for sender in (1, 2, 3, 4):
        alone.answers(VoteReply(1, yes=True), sender)
    assert (alone.raft.term, alone.raft.leads) == (2, False)

    for sender in (1, 2):
        alone.answers(VoteReply(2, yes=True), sender)
    assert alone.raft.leads


def test_votes_are_wanted_while_an_election_lasts_and_for_its_own_term() -> None:
    alone = One(timeout=1.0)
    assert set(alone.said(1.95)) == {VoteWanted(1, 0, 0)}
    alone.said(2.05)
    assert set(alone.said(2.5)) == {VoteWanted(2, 0, 0)}
    for sender in (1, 2):
        alone.answers(VoteReply(2, yes=True), sender)

    assert {type(message) for _, message in alone.run(3.5)} == {Append}  # also to those who have not voted


def test_answers_to_an_earlier_term_are_not_counted() -> None:
    """It led in term 1, lost its place, and leads in term 3: what was said to it in term 1 may be gone since."""
    alone = leading(1)
    alone.answers(VoteWanted(2, 0, 0), 4)
    alone.said(3.0)
    for sender in (1, 2):
        alone.answers(VoteReply(3, yes=True), sender)
    assert (alone.raft.leads, alone.terms()) == (True, [1, 1, 3])
    for sender in (1, 2):
        alone.answers(Appended(1, yes=True, place=3), sender)
    assert alone.raft.committed == 0

    for sender in (1, 2):
        alone.answers(Appended(3, yes=True, place=3), sender)
    assert alone.raft.committed == 3


def test_a_leader_that_hears_of_a_later_term_leads_no_more_and_waits_its_time() -> None:
    """Who stands is behind, so it gets no vote; the old leader stands itself a timeout later, and not before."""
    alone = leading()
    assert alone.answers(VoteWanted(2, 0, 0), 4) == [VoteReply(2, yes=False)]

    assert alone.said(2.0) == []
    assert set(alone.said(2.1)) == {VoteWanted(3, 1, 1)}


def test_a_late_yes_takes_nothing_back() -> None:
    """Node 1 has said that it holds 3 entries; that it held 1 comes later, and is no reason to send again."""
    alone = leading(2)
    alone.answers(Appended(1, yes=True, place=3), 1)
    assert alone.answers(Appended(1, yes=True, place=1), 1) == []
    alone.answers(Appended(1, yes=True, place=3), 2)

    assert alone.raft.committed == 3


def test_a_yes_while_more_is_under_way_sends_nothing_twice() -> None:
    alone = leading(2)

    assert alone.answers(Appended(1, yes=True, place=1), 1) == []


def test_after_a_no_it_goes_on_from_the_place_that_was_said() -> None:
    alone = leading(2)

    assert alone.answers(Appended(1, yes=False, place=3), 1) == []
    (again,) = alone.answers(Appended(1, yes=False, place=1), 1)
    assert isinstance(again, Append)
    assert (again.before, [entry.command for entry in again.entries]) == (1, [0, 1])


def test_a_late_no_does_not_go_back_behind_what_is_held() -> None:
    alone = leading(2)
    alone.answers(Appended(1, yes=True, place=2), 1)
    (again,) = alone.answers(Appended(1, yes=False, place=0), 1)

    assert isinstance(again, Append)
    assert (again.before, [entry.command for entry in again.entries]) == (2, [1])


def test_what_is_committed_stays_so_when_a_leader_knows_of_less() -> None:
    alone = One()
    alone.answers(Append(1, 0, 0, (A, B), 2), 1)
    alone.answers(Append(1, 2, 1, (C,), 1), 1)

    assert alone.raft.committed == 2
    assert alone.company.events(0) == [(1, "a"), (2, "b")]


def test_a_state_of_what_is_committed_already_changes_nothing() -> None:
    alone = One()
    alone.answers(Append(1, 0, 0, (A, B, C), 3), 1)

    assert alone.answers(Install(1, 2, 1, "after b"), 1) == [Appended(1, yes=True, place=2)]
    assert (alone.raft.log.start, alone.raft.committed) == (0, 3)


def test_entries_from_before_a_compacted_place_are_left_out() -> None:
    """The state stands for a and b; of b, c and d the last two are new."""
    alone = One()
    alone.answers(Append(1, 0, 0, (A, B), 2), 1)
    alone.raft.compact(2, "after b")

    assert alone.answers(Append(1, 1, 1, (B, C, D), 4), 1) == [Appended(1, yes=True, place=4)]
    assert alone.raft.log.after(2, 9) == (C, D)
    assert alone.company.events(0) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_what_is_compacted_is_not_compacted_to_less() -> None:
    alone = One()
    alone.answers(Append(1, 0, 0, (A, B), 2), 1)
    alone.raft.compact(2, "after b")

    with pytest.raises(ValueError, match="places from 2 to 2 can be compacted, not 1"):
        alone.raft.compact(1, "after a")
