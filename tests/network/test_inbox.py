"""What waits to be taken into a run: senders in turn, and nothing before it came."""

from __future__ import annotations

from kumi.network.inbox import MOST_MESSAGES, Inbox, RawMessage


def packet(sender: int, number: int) -> RawMessage:
    return RawMessage(sender, 0, bytes([number]))


def numbers(inbox: Inbox, most: int = 100) -> list[tuple[int, int]]:
    return [(one.sender, one.data[0]) for one in inbox.take(most)]


def test_what_came_after_an_instant_was_asked_for_waits_for_the_next_one() -> None:
    """A run that is late takes what was there when it asked; else things would happen before their causes."""
    inbox = Inbox()
    inbox.put(packet(1, 0))
    inbox.put(packet(2, 0))
    inbox.end_round()
    inbox.put(packet(1, 1))
    inbox.put(packet(3, 0))

    assert numbers(inbox) == [(1, 0), (2, 0)]
    assert numbers(inbox) == []
    assert len(inbox) == 2
    inbox.end_round()
    assert sorted(numbers(inbox)) == [(1, 1), (3, 0)]
    assert not inbox


def test_senders_are_served_in_turn_and_each_fills_its_own_queue() -> None:
    inbox = Inbox()
    assert all(inbox.put(packet(1, number % 256)) for number in range(MOST_MESSAGES))
    assert not inbox.put(packet(1, 0))
    assert inbox.put(packet(2, 0))
    inbox.end_round()

    assert numbers(inbox, 3) == [(1, 0), (2, 0), (1, 1)]
    assert len(inbox) == MOST_MESSAGES - 2
