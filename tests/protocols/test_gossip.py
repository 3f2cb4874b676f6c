"""Gossip: a map that becomes the same everywhere."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.network import Loss
from kumi.protocols.gossip import Digest, Gossip, Update
from tests.protocols.company import Company


def gossips(*effects: Any, size: int = 4, most: int = 100, seed: int = 0) -> Company:
    return Company(lambda: (Gossip(period=1.0, most=most),), *effects, size=size, seed=seed)


def maps(company: Company) -> list[dict[str, object]]:
    return [
        {key: company.top(node.address).get(key) for key in company.top(node.address).keys}
        for node in company.nodes
    ]


def test_what_one_writes_all_have_in_the_end() -> None:
    company = gossips()
    company.at(1.0, lambda: company.top(2).put("door", "open"))
    company.run()

    assert maps(company) == [{"door": "open"}] * 4
    assert company.told[0] == (1.0, 2, "door", "open")


def test_of_two_values_the_later_stays() -> None:
    company = gossips()
    company.at(1.0, lambda: company.top(2).put("door", "open"))
    company.at(30.0, lambda: company.top(3).put("door", "shut"))
    company.run()

    assert maps(company) == [{"door": "shut"}] * 4


def test_of_two_written_at_once_that_of_the_higher_node_stays() -> None:
    company = gossips()
    company.at(1.0, lambda: company.top(3).put("door", "shut"))
    company.at(1.0, lambda: company.top(2).put("door", "open"))
    company.run()

    assert maps(company) == [{"door": "shut"}] * 4


def test_a_key_that_is_removed_is_none_everywhere() -> None:
    company = gossips()
    company.at(1.0, lambda: company.top(2).put("door", "open"))
    company.at(30.0, lambda: company.top(1).put("door", None))
    company.run()

    assert maps(company) == [{"door": None}] * 4


def test_messages_hold_no_more_than_so_many_keys() -> None:
    company = gossips(most=3)
    seen: list[Any] = []
    company.network.watch(lambda traffic: seen.append(traffic.message))
    for number in range(20):
        company.top(0).put(f"key {number}", number)
    company.run(until=200.0)

    assert maps(company)[3] == {f"key {number}": number for number in range(20)}
    assert max(len(message.stamps) for message in seen if isinstance(message, Digest)) == 3
    assert max(len(message.entries) for message in seen if isinstance(message, Update)) == 3


def test_digests_go_through_all_keys_in_turn() -> None:
    gossip = gossips(size=1, most=2).run(until=1.0).top(0)
    for key in "abcde":
        gossip.put(key, 1)
    digests = [gossip._digest() for _ in range(4)]

    assert [(digest.low, digest.high, [key for key, _ in digest.stamps]) for digest in digests] == [
        (None, "b", ["a", "b"]),
        ("b", "d", ["c", "d"]),
        ("d", None, ["e"]),
        (None, "b", ["a", "b"]),
    ]


def test_when_all_is_the_same_only_digests_are_sent() -> None:
    """About one a second and node."""
    company = gossips(size=2)
    company.top(0).put("door", "open")
    company.run(until=20.0)
    seen: list[Any] = []
    company.network.watch(lambda traffic: seen.append(traffic.message))
    company.run(until=60.0)

    assert {type(message) for message in seen} == {Digest}


def test_a_node_that_forgot_everything_learns_it_again() -> None:
    company = gossips()
    company.at(1.0, lambda: company.top(2).put("door", "open"))
    company.at(30.0, lambda: company.nodes[2].restart(forget=True))
    company.run()

    assert maps(company)[2] == {"door": "open"}


def test_a_paused_node_says_nothing() -> None:
    """Its program waits by the clock of the node, which stands still."""
    company = gossips(size=2)
    company.at(5.0, company.nodes[0].pause)
    sent: list[tuple[float, int]] = []
    company.network.watch(lambda traffic: sent.append((traffic.time, traffic.sender)))
    company.run(until=30.0)

    assert max(time for time, sender in sent if sender == 0) < 5.0
    assert max(time for time, sender in sent if sender == 1) > 25.0


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    writes=st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef"), st.integers(0, 9)), max_size=12),
)
def test_all_maps_are_the_same_whatever_is_lost(seed: int, writes: list[tuple[int, str, int]]) -> None:
    company = gossips(Loss(0.3), most=2, seed=seed)
    for number, (address, key, value) in enumerate(writes):
        company.at(number / 5, partial(company.top(address).put, key, value))
    company.run(until=120.0)

    assert maps(company)[1:] == maps(company)[:1] * 3
    assert set(maps(company)[0]) == {key for _, key, _ in writes}


@pytest.mark.parametrize("wrong", [{"period": 0.0}, {"most": 0}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not 0"):
        Gossip(**wrong)
