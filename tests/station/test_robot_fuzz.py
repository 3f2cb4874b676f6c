"""What robots send, made up: bodies from the schema, bytes from nowhere, true messages cut and changed. Nothing gives way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kumi.station.operation import INTERFACE
from kumi.station.operations import OPERATIONS
from kumi.station.people.secrets import key_hash
from kumi.station.service.robot_sessions import Sessions
from kumi.station.wire import messages as talk
from kumi.station.wire.in_process_carrier import CarrierHub, InsideCarrier
from kumi.station.wire.sealing import Opener, Sealer, mark, session_key
from tests.station.conftest import Little
from tests.station.test_rights import contents

TAG = "red robot"
laws = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
fields = sorted({name for one in OPERATIONS for name in one.request.__struct_fields__})
bodies = st.dictionaries(st.sampled_from(fields), anything, max_size=5).map(msgspec.msgpack.encode)
noise = st.binary(max_size=64) | anything.map(msgspec.msgpack.encode)


def at_the_door(little: Little, story: Callable[[Sessions, InsideCarrier], Awaitable[None]]) -> None:
    """Tell a story at a station's door, with nobody there."""

    async def run() -> None:
        hub = CarrierHub()
        sessions = little.let_robots_in(InsideCarrier(hub))
        await story(sessions, InsideCarrier(hub))
        little.service.store._listeners.clear()

    asyncio.run(run())


async def entered(little: Little, carrier: InsideCarrier) -> tuple[Sealer, Opener]:
    """Enter as the red robot; return what seals its words, and opens the station's."""
    secret, own = key_hash(little.keys[TAG]), b"n" * 16
    request = talk.Enter(INTERFACE, TAG, own, mark(secret, b"enter", TAG.encode(), own))
    (answer,) = await carrier.call_all(talk.ENTER, msgspec.msgpack.encode(request), 5.0)
    station = msgspec.msgpack.decode(answer, type=talk.EnteredStation)
    assert station.refused == ""
    key = session_key(secret, own, station.nonce)
    return Sealer(key, talk.ROBOT), Opener(key, talk.STATION)


@laws
@given(noise)
def test_nobody_enters_with_nonsense(little: Little, payload: bytes) -> None:
    async def story(sessions: Sessions, carrier: InsideCarrier) -> None:
        (answer,) = await carrier.call_all(talk.ENTER, payload, 5.0)
        assert msgspec.msgpack.decode(answer, type=talk.EnteredStation).refused
        assert sessions._sessions == sessions._entering == {}

    at_the_door(little, story)


@laws
@given(st.sampled_from(OPERATIONS), bodies | noise, st.booleans())
def test_a_sealed_call_is_answered_whatever_is_in_it(
    little: Little, operation: Any, body: bytes, is_asked: bool
) -> None:
    """A robot that means ill has a key, too: what it says is answered or refused in words, and a refusal changes nothing."""
    payload = msgspec.msgpack.encode(talk.OperationAsked(operation.name, body)) if is_asked else body

    async def story(sessions: Sessions, carrier: InsideCarrier) -> None:
        sealer, opener = await entered(little, carrier)
        before = contents(little)
        answer = await carrier.call(
            talk.call_key(sessions.controller, TAG), sealer.seal("call", payload), 5.0
        )
        said = msgspec.msgpack.decode(opener.open("answer", answer), type=talk.OperationAnswered)
        if said.answer is None:
            assert said.sentence
            assert contents(little) == before

    at_the_door(little, story)


@laws
@given(noise, st.booleans(), st.sampled_from([TAG, "nobody", "\u00e9"]))
def test_positions_that_make_no_sense_are_dropped(
    little: Little, body: bytes, is_sealed: bool, tag: str
) -> None:
    async def story(sessions: Sessions, carrier: InsideCarrier) -> None:
        sealer, _ = await entered(little, carrier)
        asked = talk.OperationAsked("request_task", msgspec.msgpack.encode({}))
        call = sealer.seal("call", msgspec.msgpack.encode(asked))
        await carrier.call(talk.call_key(sessions.controller, TAG), call, 5.0)
        before = contents(little)
        carrier.publish(
            talk.pose_key(sessions.controller, tag), sealer.seal("pose", body) if is_sealed else body
        )
        await asyncio.sleep(0.0)
        await asyncio.sleep(0.0)
        await sessions.flush()
        positions = _is_position(body) and is_sealed and tag == TAG
        assert positions or contents(little) == before

    at_the_door(little, story)


def _is_position(body: bytes) -> bool:
    try:
        return msgspec.msgpack.decode(body, type=talk.PositionReport | None) is not None
    except msgspec.DecodeError:
        return False


def test_an_old_request_to_enter_does_not_push_a_robot_out(little: Little) -> None:
    """Who listened in can repeat it, but has no key: the robot's own session stays good."""

    async def story(sessions: Sessions, carrier: InsideCarrier) -> None:
        sealer, opener = await entered(little, carrier)
        asked = msgspec.msgpack.encode(talk.OperationAsked("request_task", msgspec.msgpack.encode({})))
        for _ in range(2):
            answer = await carrier.call(
                talk.call_key(sessions.controller, TAG), sealer.seal("call", asked), 5.0
            )
            assert (
                msgspec.msgpack.decode(opener.open("answer", answer), type=talk.OperationAnswered).answer
                is not None
            )
            await entered(little, carrier)  # the same words, repeated by somebody else

    at_the_door(little, story)
