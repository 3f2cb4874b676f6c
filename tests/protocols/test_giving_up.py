"""What happens when more waits for a receiver than there is room for: never a gap, and never silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

from kumi import sleep
from kumi.network import Constant, Cuts, Flight, NetworkPartition, NodeCrash, SimulatedNetwork, When
from kumi.protocols import (
    Acknowledged,
    CausesFirst,
    EagerRelay,
    FixedSequencer,
    InOrder,
    LinkBroken,
    MovingSequencer,
    SenderOrder,
    Stack,
    ToEach,
    perfect_links,
)
from kumi.protocols.perfect_links import GIVEN_UP, Numbered
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.world import World
from tests.protocols.groups import Fate, Group, Word

Layers = Callable[[], tuple[Any, ...]]


def links(limit: int = 3) -> Acknowledged:
    return Acknowledged(retry_after=0.5, longest_pause=1.0, limit=limit)


def cut_off(node: int, until: float) -> Fate:
    """Lose what goes to or comes from a node up to a time."""

    def fate(flight: Flight) -> float | None:
        is_cut = node in (flight.to, flight.sender) and flight.sent < until
        return None if is_cut else 0.0

    return Fate(fate)


def keep_errors(group: Group) -> list[Exception]:
    errors: list[Exception] = []
    for node in group.nodes:
        node._on_error = errors.append
    return errors


def test_a_receiver_for_which_too_much_waits_is_given_up_and_all_is_counted() -> None:
    """Three may wait; with the fourth the receiver is given up, and with it all five that were for it."""
    group = Group(lambda: (links(limit=3),))
    group.nodes[1].crash()
    for number in range(3):
        group.send(0, str(number), to=1)
    assert group.layer(0, Acknowledged).given_up == ()
    for number in range(2):
        group.send(0, str(number), to=1)
    group.send(0, "others are not concerned", to=2)
    group.run(until=1.0)

    assert group.layer(0, Acknowledged).given_up == (1,)
    assert group.network.dropped[GIVEN_UP] == 5
    assert len(group.layer(0, Acknowledged)._out[1].waiting) == 1, "only the word that it was given up"
    assert group.words(2) == ["others are not concerned"]


def test_a_receiver_that_was_given_up_is_told_and_goes_down() -> None:
    group = Group(lambda: (links(limit=3),), cut_off(1, until=10.0))
    for number in range(4):
        group.send(0, str(number), to=1)

    with pytest.raises(LinkBroken, match="node 0 has given node 1 up, for which 3 messages waited"):
        group.run(until=20.0)
    assert group.words(1) == []


def test_one_that_comes_back_is_talked_to_again_and_not_ended_twice() -> None:
    """Its acknowledgement of the bad news, at 10 s, is lost, so it hears them again in its next life."""
    lost: list[float] = []

    def fate(flight: Flight) -> float | None:
        if flight.sender == 1 and not lost:
            lost.append(flight.sent)
            return None
        return 0.0

    group = Group(lambda: (links(limit=3),), cut_off(1, until=10.0), Fate(fate))
    errors = keep_errors(group)
    for number in range(4):
        group.send(0, str(number), to=1)
    group.at(10.9, group.nodes[1].restart)
    group.send_at(14.0, 0, "again", to=1)
    group.run(until=20.0)

    assert len(errors) == len(lost) == 1
    assert group.words(1) == ["again"]
    assert group.layer(0, Acknowledged).given_up == ()


def test_one_that_is_given_up_twice_goes_down_twice() -> None:
    """Its second life is cut off as the first was, and is not spared because the first had the bad news."""
    cuts = Cuts(
        NetworkPartition({1}, when=When(start=0.0, end=10.0)),
        NetworkPartition({1}, when=When(start=20.0, end=30.0)),
    )
    group = Group(lambda: (links(limit=3),), cuts)
    errors = keep_errors(group)
    for number in range(4):
        group.send(0, str(number), to=1)
        group.send_at(21.0, 0, f"more {number}", to=1)
    group.at(15.0, group.nodes[1].restart)
    group.run(until=40.0)

    assert [type(error) for error in errors] == [LinkBroken, LinkBroken]
    assert group.words(1) == []


def test_the_bad_news_come_through_where_many_wait_beyond_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first message never comes, so those after it fill what the receiver remembers."""
    monkeypatch.setattr(perfect_links, "MOST_EARLY", 2)
    group = Group(lambda: (links(limit=3),), Fate(lambda flight: None if is_first(flight) else 0.0))
    errors = keep_errors(group)
    for number in range(8):
        group.send_at(float(number), 0, str(number), to=1)
    group.run(until=20.0)

    assert group.words(1) == ["1", "2"]
    assert [type(error) for error in errors] == [LinkBroken]


def is_first(flight: Flight) -> bool:
    return isinstance(flight.message, Numbered) and flight.message.number == 0


@pytest.mark.parametrize(
    "layers",
    [
        lambda: (ToEach(), InOrder(), links(8)),
        lambda: (SenderOrder(), EagerRelay(), ToEach(), links(8)),
        lambda: (CausesFirst(), EagerRelay(), ToEach(), links(8)),
        lambda: (FixedSequencer(), InOrder(), links(8)),
        lambda: (MovingSequencer(), links(8)),
    ],
    ids=["InOrder", "SenderOrder", "CausesFirst", "FixedSequencer", "MovingSequencer"],
)
def test_no_layer_goes_on_with_a_gap(layers: Layers) -> None:
    """Node 2 is cut off for a minute and misses too much; when it is back, it is told, and does not wait for ever."""
    group = Group(layers, cut_off(2, until=60.0))
    errors = keep_errors(group)
    said = [str(number) for number in range(20)]
    for number, text in enumerate(said):
        group.broadcast_at(1.0 + number, 0, text)
    group.broadcast_at(100.0, 0, "later")
    group.run(until=120.0)

    assert not group.nodes[2].is_up
    assert group.words(2) == []
    assert [type(error) for error in errors] == [LinkBroken]
    if layers()[0].__class__ is not MovingSequencer:  # which stops when a node crashes, and says so
        assert group.words(1) == [*said, "later"]


# Programs that send too fast.


def stage_with(limit: int, *failures: NodeCrash, on_error: Literal["robot", "run"] = "run") -> Stage:
    stage = Stage(World(), on_error=on_error)
    network = SimulatedNetwork(stage.simulation, Constant(0.1))
    stage.connect(network, layers=lambda: Stack(ToEach(), InOrder(), links(limit)), failures=failures)
    return stage


async def count(robot: Robot, most: int, heard: list[str]) -> None:
    async for word, _ in robot.radio.messages(Word):
        heard.append(word.text)
        if len(heard) == most:
            return


def test_a_program_that_sends_too_fast_waits_and_nothing_is_lost() -> None:
    """Of at most ten, five and one more are sent at once; these are acknowledged 0.2 s later, and so on."""
    heard: list[str] = []
    times: list[float] = []

    async def talk(robot: Robot) -> None:
        await sleep(1.0)
        for number in range(30):
            await robot.radio.send(Word(str(number)), to=1)
            times.append(round(stage.simulation.now, 9))

    with stage_with(limit=10) as stage:
        stage.add(talk, at=(0.0, 0.0))
        stage.add(count, 30, heard, at=(1.0, 0.0))
        outcome = stage.run(until=10.0)

    assert heard == [str(number) for number in range(30)]
    assert times[:7] == [1.0] * 6 + [1.2]
    assert times[-1] == pytest.approx(1.0 + 0.2 * 4)
    assert outcome.messages is not None
    assert outcome.messages.dropped == {}


def test_a_program_does_not_wait_for_one_who_is_silent() -> None:
    """The other is gone: after two tries without an answer, at 0.5 and 1 s, the rest goes at once, and is counted."""
    times: list[float] = []

    async def talk(robot: Robot) -> None:
        for number in range(30):
            await robot.radio.send(Word(str(number)), to=1)
            times.append(stage.simulation.now)

    async def fail(_robot: Robot) -> None:
        raise ValueError("gone")

    with stage_with(limit=10, on_error="robot") as stage:
        stage.add(talk, at=(0.0, 0.0))
        stage.add(fail, at=(1.0, 0.0))
        outcome = stage.run(until=10.0)

    assert times == [0.0] * 6 + [1.0] * 24
    assert outcome.messages is not None
    assert outcome.messages.dropped[GIVEN_UP] == 30
    assert [error.robot for error in outcome.errors] == ["robot 1"]


def test_a_program_that_waits_goes_on_when_its_radio_crashes() -> None:
    done: list[float] = []

    async def talk(robot: Robot) -> None:
        for number in range(7):
            await robot.radio.send(Word(str(number)), to=1)
        done.append(stage.simulation.now)

    with stage_with(10, NodeCrash(node=0, start=0.05)) as stage:
        stage.add(talk, at=(0.0, 0.0))
        stage.add(count, 30, [], at=(1.0, 0.0))
        outcome = stage.run(until=1.0)

    assert done == [0.05]
    assert outcome.messages is not None
    assert outcome.messages.dropped["sender down"] == 1
