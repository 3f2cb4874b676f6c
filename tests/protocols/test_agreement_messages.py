"""The messages of detectors, elections, consensus and logs go over a wire, and what is none is counted."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.contract.messages import Message
from kumi.network.wire import decode, encode
from kumi.protocols import Acknowledged
from kumi.protocols.chandra_toueg import CalledOff, ChandraToueg, Decision, Proposal, Reply, RoundEstimate
from kumi.protocols.heartbeat import Alive, Heartbeat, TimedOut
from kumi.protocols.phi_accrual import PhiAccrual
from kumi.protocols.ping import AreYouThere, Ping, PingAnswer
from kumi.protocols.raft import (
    Append,
    Appended,
    Blank,
    Forwarded,
    Install,
    Raft,
    Restored,
    VoteReply,
    VoteWanted,
)
from kumi.protocols.register import RegisterOperation
from kumi.protocols.ring_election import Candidate, Elected, RingElection
from kumi.protocols.stored_log import LogEntry
from tests.protocols.company import Company
from tests.protocols.groups import Word

OPERATION = RegisterOperation("0-17", 3, "swap", "x", ("new", 2), None)

MESSAGES: list[Message] = [
    Alive(),
    AreYouThere(2**52 + 3, 4),
    PingAnswer(2**52 + 3, 4),
    Candidate(3),
    Elected(4),
    RoundEstimate("order 1", 2, (Word("a"), Word("b")), 1),
    Proposal("order 1", 2, None),
    Reply("order 1", 2, yes=True),
    CalledOff("order 1", 2),
    Decision("order 1", Word("a")),
    VoteWanted(3, 17, 2),
    VoteReply(3, yes=False),
    Append(3, 16, 2, (LogEntry(2, OPERATION), LogEntry(3, Blank())), 15),
    Appended(3, yes=True, place=18),
    Install(3, 18, 3, ((("x", 1), ("y", None)), (("0-17", (3, True)),))),
    Forwarded(OPERATION),
    Restored(("a", "b")),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_is_the_same_behind_a_wire(message: Message) -> None:
    assert decode(encode(message)) == message


LAYERS: dict[type[Any], tuple[Any, ...]] = {
    Heartbeat: (),
    Ping: (),
    PhiAccrual: (),
    TimedOut: (),
    RingElection: (),
    ChandraToueg: (Heartbeat, Acknowledged),
    Raft: (),
}


@pytest.mark.parametrize("kind", LAYERS, ids=lambda kind: kind.__name__)
def test_what_is_none_of_its_messages_is_counted(kind: type[Any]) -> None:
    below = LAYERS[kind]
    company = Company(lambda: (kind(0.5) if kind is TimedOut else kind(), *(each() for each in below)))
    company.run(3.0)
    links = company.top(0).links
    links.tell(Word("what?"), 1)
    links.tell(Word("what?"), 77)

    assert company.network.dropped["message for no layer"] == 2
