"""The monitors judge real runs as they judge simulated ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from kumi.checking.cases.links import NoCreation, NoDuplication, ReliableDelivery
from kumi.checking.real_runs import aligned, judge_recordings
from kumi.network.errors import NetworkError
from kumi.network.inbox import RawMessage
from kumi.network.recorded import VERSION, Came, RecordedRun, RecordingHead, Went, read_recording
from kumi.protocols import Acknowledged, Stack, ToEach
from tests.network.peer import Talk
from tests.network.processes import Peer


def stack() -> Stack:
    """Return what each process runs."""
    return Stack(Talk(10), ToEach(), Acknowledged(retry_after=0.1))


@cache
def recordings() -> tuple[RecordedRun, ...]:
    """Let three processes talk over UDP that loses a fifth, until all have heard all."""
    with TemporaryDirectory() as folder:
        peers = [Peer("talk", address, 3, "lossy", 10, folder) for address in range(3)]
        for peer in peers:
            peer.wait_until(lambda peer: len(peer.got) >= 30)
        for peer in peers:
            peer.terminate()
        return tuple(read_recording(Path(folder, f"{address}.recording")) for address in range(3))


def test_perfect_links_keep_their_promise_over_udp() -> None:
    creation = NoCreation()

    assert judge_recordings(recordings(), stack, [creation, NoDuplication(), ReliableDelivery()]) is None
    assert sum(len(words) for words in creation.sent.values()) == 90, "three said ten words to three each"


def test_a_delivery_that_nobody_sent_is_found() -> None:
    """As if the process of node 2 had been left out of what is judged."""
    violation = judge_recordings(recordings()[:2], stack, [NoCreation()])

    assert violation is not None
    assert violation.rule == "no creation"


def test_what_is_missing_in_the_end_is_found() -> None:
    """As if node 2 had ended well before it heard anything."""
    whole = recordings()
    short = [run if run.head.address != 2 else without_arrivals(run) for run in whole]

    assert judge_recordings(short, stack, [ReliableDelivery()], has_settled=False) is None
    violation = judge_recordings(short, stack, [ReliableDelivery()])
    assert violation is not None
    assert violation.rule == "reliable delivery"


def without_arrivals(run: RecordedRun) -> RecordedRun:
    """Return a recording that ends, whole, before anything came and anything was sent."""
    first = run.entries[0].time
    return RecordedRun(run.head, (), first / 2.0)


def recorded(address: int, *entries: Came | Went) -> RecordedRun:
    """Make a recording of a node by hand."""
    head = RecordingHead(VERSION, address, (0, 1), f"node {address}", 0, 1000, False, False, 0.0, 1.0, {})
    return RecordedRun(head, entries, 10.0)


HELLO, ANSWER = RawMessage(0, 1, b"hello"), RawMessage(1, 0, b"answer")


def test_recordings_are_laid_so_that_nothing_comes_before_it_was_sent() -> None:
    """Node 0 sent at its 5 s what came at 1 s of node 1, which so began 4 s later, or more."""
    one = recorded(0, Went(5.0, HELLO))
    other = recorded(1, Came(1.0, 1.0, (HELLO,)))

    assert aligned([one, other]) == [0.0, 4.0]
    assert aligned([other, one]) == [4.0, 0.0]


def test_a_packet_that_was_sent_again_may_be_the_first_that_came() -> None:
    one = recorded(0, Went(2.0, HELLO), Went(5.0, HELLO))
    other = recorded(1, Came(1.0, 1.0, (HELLO,)))

    assert aligned([one, other]) == [0.0, 1.0]


def test_recordings_of_two_different_runs_are_refused() -> None:
    """The answer came a second before the question went."""
    one = recorded(0, Came(1.0, 1.0, (ANSWER,)), Went(2.0, HELLO))
    other = recorded(1, Came(1.0, 1.0, (HELLO,)), Went(1.5, ANSWER))

    with pytest.raises(NetworkError, match="do not belong to one run"):
        aligned([one, other])
