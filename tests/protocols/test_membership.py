"""Group membership: views of all who are up, and the same messages in each."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from kumi.network import Effect
from kumi.protocols import Acknowledged
from kumi.protocols.chandra_toueg import ChandraToueg
from kumi.protocols.heartbeat import Heartbeat
from kumi.protocols.membership import Membership, MemberView
from kumi.protocols.suspicion import Mistaken
from tests.protocols.company import Company
from tests.protocols.groups import Fate, Word

ALL = MemberView(0, (0, 1, 2, 3, 4))


def members(*effects: Effect, **settings: Any) -> Company:
    return Company(
        lambda: (Membership(**settings), ChandraToueg(), Mistaken(), Heartbeat(), Acknowledged()),
        *effects,
        size=5,
    )


def seen_by(company: Company, address: int) -> list[Any]:
    """Views and words that a node was told, in order."""
    return [event[2] for event in company.told if event[1] == address]


def say_at(company: Company, time: float, address: int, text: str) -> None:
    company.at(time, lambda: company.top(address).broadcast(Word(text)))


def test_the_first_view_is_of_all() -> None:
    company = members().run(until=5.0)

    assert company.told == [(0.0, address, ALL, address) for address in range(5)]


def test_a_message_is_delivered_by_all_members_once() -> None:
    company = members()
    say_at(company, 1.0, 2, "hello")
    company.run(until=5.0)

    assert sorted(company.told[5:]) == sorted(
        (1.0 if address == 2 else 1.01, address, Word("hello"), 2) for address in range(5)
    )


def test_a_crashed_member_is_excluded() -> None:
    company = members()
    company.at(1.0, company.nodes[3].crash)
    say_at(company, 5.0, 0, "four of us")
    company.run(until=10.0)

    for address in (0, 1, 2, 4):
        assert seen_by(company, address) == [ALL, MemberView(1, (0, 1, 2, 4)), Word("four of us")]


def test_who_goes_on_has_delivered_what_a_crashed_sender_told_some() -> None:
    """Node 3 crashes when it has sent its last words to one other node."""
    company = members()

    def speak() -> None:
        company.nodes[3].crash_after_sends(1)
        company.top(3).broadcast(Word("adieu"))

    company.at(1.0, speak)
    company.run(until=10.0)

    for address in (0, 1, 2, 4):
        assert seen_by(company, address) == [ALL, Word("adieu"), MemberView(1, (0, 1, 2, 4))]


def test_what_is_said_while_the_view_changes_is_said_in_the_next() -> None:
    company = members()
    company.at(1.0, lambda: company.layer(0, Mistaken).suspect_wrongly(4, 0.1))
    company.at(1.005, lambda: company.top(0).broadcast(Word("later")))
    company.run(until=10.0)

    assert company.told[5][2] == MemberView(1, (0, 1, 2, 3))
    for address in range(4):
        assert seen_by(company, address)[2] == Word("later")


def test_who_was_excluded_by_mistake_joins_again() -> None:
    company = members()
    company.at(1.0, lambda: company.layer(0, Mistaken).suspect_wrongly(4, 0.1))
    say_at(company, 8.0, 4, "back")
    company.run(until=10.0)

    assert MemberView(1, (0, 1, 2, 3)) in seen_by(company, 0)
    assert MemberView(1, (0, 1, 2, 3)) not in seen_by(company, 4)
    assert seen_by(company, 0)[-2:] == seen_by(company, 4)[-2:]
    assert seen_by(company, 4)[-2].members == (0, 1, 2, 3, 4)
    assert seen_by(company, 4)[-1] == Word("back")


def test_a_minority_begins_no_view() -> None:
    company = members()
    for address in (2, 3, 4):
        company.at(1.0, company.nodes[address].crash)
    company.run(until=10.0)

    assert [event[2] for event in company.told] == [ALL] * 5


def test_every_view_has_a_majority_whomever_a_node_suspects() -> None:
    """Node 0 suspects all others for 3 s, and a view of itself alone would die with it."""
    company = members()
    for address in (1, 2, 3, 4):
        company.at(1.0, partial(company.layer(0, Mistaken).suspect_wrongly, address, 3.0))
    company.run(until=20.0)

    views = [event[2] for event in company.told if isinstance(event[2], MemberView)]
    assert min(len(view.members) for view in views) >= 3
    assert seen_by(company, 0)[-1].members == (0, 1, 2, 3, 4)


def test_who_joins_can_be_the_one_that_was_missing_for_a_majority() -> None:
    """Node 2 is cut off and excluded; then two others crash, and the two that are left wait for it."""
    cut = Fate(lambda flight: None if 2 in (flight.sender, flight.to) and is_cut() else 0.0)
    company = members(cut)

    def is_cut() -> bool:
        return 1.0 < company.simulation.now < 12.0

    company.at(8.0, company.nodes[0].crash)
    company.at(8.0, company.nodes[4].crash)
    company.run(until=40.0)

    assert {seen_by(company, address)[-1].members for address in (1, 2, 3)} == {(1, 2, 3)}


def test_what_all_have_delivered_is_not_kept() -> None:
    company = members()
    for number in range(20):
        say_at(company, 1.0 + number / 10, number % 5, f"word {number}")
    company.run(until=10.0)

    assert [len(company.top(address)._unstable) for address in range(5)] == [0] * 5


def test_only_so_many_messages_wait_for_a_view() -> None:
    company = members(limit=2)
    company.at(1.0, lambda: company.layer(0, Mistaken).suspect_wrongly(4, 0.1))
    for _ in range(5):
        say_at(company, 1.005, 0, "later")
    company.run(until=10.0)

    assert company.network.dropped["too many wait for a view"] == 3


@pytest.mark.parametrize("wrong", [{"period": 0.0}, {"limit": 0}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not 0"):
        Membership(**wrong)
