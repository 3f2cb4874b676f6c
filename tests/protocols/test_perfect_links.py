"""Perfect links: retries, acknowledgements, lives, and what they keep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.network import Flight, Node, SimulatedNetwork, Storage, UnknownNode
from kumi.protocols import Acknowledged, Stack, perfect_links
from kumi.protocols.numbering import SeenNumbers
from kumi.protocols.perfect_links import Acknowledgement, Numbered
from tests.protocols.groups import Fate, Group


def links() -> tuple[Acknowledged]:
    return (Acknowledged(retry_after=0.5, longest_pause=8.0),)


def losing(*numbers: int) -> Fate:
    """Lose the messages that the network carries as its so-manieth, from 0."""
    return Fate(lambda flight: None if flight.number in numbers else 0.0)


def test_what_is_lost_is_sent_again_after_retry_after() -> None:
    """Sent at 0, lost; sent again at 0.5, and 0.01 on its way."""
    group = Group(links, losing(0))
    group.send(0, "hello", to=1)
    group.run()

    assert group.heard == [(0.51, 1, "hello", 0)]


def test_a_lost_acknowledgement_does_not_make_a_second_delivery() -> None:
    """The message, its lost acknowledgement, the copy, and its acknowledgement: four on the network."""
    group = Group(links, losing(1))
    group.send(0, "hello", to=1)
    group.run()

    assert group.heard == [(0.01, 1, "hello", 0)]
    assert group.sent == [(0.0, 0, 1), (0.01, 1, 0), (0.5, 0, 1), (0.51, 1, 0)]


def test_what_is_acknowledged_is_not_sent_again_and_the_timer_rests() -> None:
    group = Group(links)
    group.send(0, "hello", to=1)
    group.run()

    assert group.network.sent == 2
    assert group.layer(0, Acknowledged)._timer is None


def test_a_node_sends_to_itself_without_the_network() -> None:
    group = Group(links)
    group.send(2, "note", to=2)

    assert group.heard == []  # never inside the request
    group.run()
    assert group.heard == [(0.0, 2, "note", 2)]
    assert group.network.sent == 0


def test_pauses_double_while_a_receiver_is_silent() -> None:
    """0.5, 1, 2, 4, 8, and then every 8 s."""
    group = Group(links)
    group.nodes[1].crash()
    group.send(0, "hello", to=1)
    group.run(until=39.0)

    assert [time for time, _, _ in group.sent] == [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0]


def test_a_silent_receiver_is_tried_with_a_few_and_gets_all_when_it_answers() -> None:
    """50 at 0, the first again at 0.5, then 10 a try at 1, 2, 4 and 8; the node is back at 5."""
    group = Group(links)
    group.nodes[1].crash()
    for number in range(50):
        group.send(0, str(number), to=1)
    group.at(5.0, group.nodes[1].restart)
    group.run(until=7.9)
    assert group.network.sent == 50 + 1 + 10 + 10 + 10

    group.run(until=9.0)
    assert sorted(group.words(1), key=int) == [str(number) for number in range(50)]


def test_anything_heard_from_a_receiver_ends_the_pause() -> None:
    """Silent until 20 s, the next try would be at 24 s; but it speaks at 20 s, and gets it by 20.51 s."""
    group = Group(links, Fate(lambda _flight: None if group.simulation.now < 20.0 else 0.0))
    group.send(0, "hello", to=1)
    group.at(20.1, lambda: group.send(1, "here I am", to=0))
    group.run()

    assert group.heard == [(20.11, 0, "here I am", 1), (20.51, 1, "hello", 0)]


def test_a_new_life_of_the_sender_begins_to_count_anew() -> None:
    """Number 0 of the new life is not taken for a copy of number 0 of the last one."""
    group = Group(links)
    group.send(0, "before", to=1)
    group.at(1.0, group.nodes[0].restart)
    group.at(2.0, lambda: group.send(0, "after", to=1))
    group.run()

    assert group.words(1) == ["before", "after"]


def test_lives_with_the_same_chance_differ_by_their_count() -> None:
    """A process that is started again with the same seed draws the same numbers, but has a count stored."""
    storage = Storage()
    marks = []
    for _ in range(2):
        simulation = Simulation(seed=7)
        node = Node(
            simulation,
            SimulatedNetwork(simulation),
            0,
            group=[0],
            move_in=lambda node: Stack(Acknowledged()).settle(node),
            storage=storage,
        )
        node.start()
        assert isinstance(node.resident, Stack)
        marks.append(node.resident[Acknowledged]._life)

    assert marks[1] == marks[0] + 1


def test_an_acknowledgement_for_an_earlier_life_settles_nothing() -> None:
    """The copy to the life before is acknowledged late; the new message, with the same number, is lost."""

    def fate(flight: Flight) -> float | None:
        if isinstance(flight.message, Acknowledgement) and flight.number == 1:
            return 2.0
        return None if isinstance(flight.message, Numbered) and flight.number == 2 else 0.0

    group = Group(links, Fate(fate))
    group.send(0, "before", to=1)
    group.at(0.2, group.nodes[0].restart)
    group.at(1.9, lambda: group.send(0, "after", to=1))
    group.run()

    assert group.words(1) == ["before", "after"]


def test_a_receiver_that_comes_back_gets_what_its_last_life_did_not_acknowledge() -> None:
    """All acknowledgements of the first life are lost, so its three messages come again."""
    is_first_life = True
    group = Group(links, Fate(lambda flight: None if flight.sender == 1 and is_first_life else 0.0))
    for text in "abc":
        group.send(0, text, to=1)

    def come_back() -> None:
        nonlocal is_first_life
        is_first_life = False
        group.nodes[1].restart()

    group.at(0.3, come_back)
    group.run()

    assert group.words(1) == ["a", "b", "c", "a", "b", "c"]


def test_a_receiver_that_came_back_remembers_only_what_is_not_settled() -> None:
    """A hundred messages before the crash and a hundred after it leave one floor and nothing above."""
    group = Group(links)
    for number in range(200):
        group.send_at(0.1 * number + 0.05, 0, str(number), to=1)
    group.at(10.0, group.nodes[1].restart)
    group.run()

    (seen,) = group.layer(1, Acknowledged)._in[0].values()
    assert (seen.floor, seen.above) == (200, set())
    assert group.words(1) == [str(number) for number in range(200)]


def test_a_sender_that_keeps_coming_back_does_not_fill_the_memory() -> None:
    group = Group(links)
    for life in range(40):
        group.at(life + 0.1, group.nodes[0].restart)
        group.send_at(life + 0.2, 0, str(life), to=1)
    group.run()

    assert group.words(1) == [str(life) for life in range(40)]
    assert len(group.layer(1, Acknowledged)._in[0]) == 16


def test_a_receiver_does_not_remember_more_beyond_a_gap_than_it_has_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Message 0 of seven is lost: 1, 2 and 3 are taken, the others not before 0 has come; all come."""
    monkeypatch.setattr(perfect_links, "MOST_EARLY", 3)
    group = Group(links, losing(0))
    for number in range(7):
        group.send(0, str(number), to=1)
    group.run(until=0.4)
    assert group.words(1) == ["1", "2", "3"]
    assert group.network.dropped["too many messages come before an earlier one"] == 3

    group.run()
    assert sorted(group.words(1)) == [str(number) for number in range(7)]


def test_a_receiver_that_leaves_the_network_is_forgotten() -> None:
    """Two messages wait when node 1 leaves; both are given up at the next try, and nothing raises."""
    group = Group(links, losing(0, 1))
    group.send(0, "a", to=1)
    group.send(0, "b", to=1)
    group.at(0.2, lambda: group.network.leave(1))
    group.run()

    assert group.heard == []
    assert group.layer(0, Acknowledged)._out[1].waiting == {}
    assert group.network.dropped["receiver gone"] == 1


def test_the_last_words_of_a_sender_that_left_are_delivered() -> None:
    """There is nobody to acknowledge them to."""
    group = Group(links)
    group.send(0, "farewell", to=1)
    group.at(0.005, lambda: group.network.leave(0))
    group.run(until=0.4)

    assert group.heard == [(0.01, 1, "farewell", 0)]


def test_a_receiver_that_never_was_is_refused() -> None:
    group = Group(links)
    with pytest.raises(UnknownNode, match="no node 7"):
        group.send(0, "hello", to=7)


def test_a_clock_that_jumps_does_not_stop_retries() -> None:
    group = Group(links, losing(0, 1))
    group.send(0, "hello", to=1)
    group.at(0.2, lambda: group.nodes[0].clock.jump(-1000.0))
    group.run()

    assert group.heard == [(1.01, 1, "hello", 0)]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"retry_after": 0.0}, "retry_after"),
        ({"retry_after": float("nan")}, "retry_after"),
        ({"longest_pause": 0.1}, "longest_pause"),
        ({"limit": 0}, "limit"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, float], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        Acknowledged(**options)  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))))
def test_seen_is_a_set_of_numbers_with_a_floor(steps: list[tuple[int, int]]) -> None:
    """It takes each number once; all below the highest `oldest` count as taken."""
    seen, taken, floor = SeenNumbers(), set[int](), 0
    for number, lag in steps:
        oldest = max(number - lag, 0)
        floor = max(floor, oldest)
        is_new = number >= floor and number not in taken
        assert seen.add(number, oldest) == is_new
        taken.add(number)
        assert all((each in seen) == (each < floor or each in taken) for each in range(32))
        assert seen.floor not in seen
        assert all(each > seen.floor for each in seen.above)
