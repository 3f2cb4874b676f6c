"""What do a station and a robot say to each other, and under which keys?

    kumi/enter                    a robot asks to come in; each controller answers with its own name and load
    kumi/<controller>/call/<tag>  a robot asks for an operation
    kumi/<controller>/pose/<tag>  a robot tells where it is; the newest counts, and any may be dropped
    kumi/<controller>/tell/<tag>  the station tells a robot something on its own: a `RobotNotice`
    kumi/<controller>/pulse       the station is alive
    kumi/<process>/halt/<from>    another process of the station wants a robot stopped
    kumi/<process>/do/<from>      another process of the station wants an operation done
    kumi/<process>/floor/<from>   another process of the station wants to know which floor is reserved

A stop goes before all else. Bodies are msgpack.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias, TypeVar, cast

import msgspec

from kumi.station.operation import Request
from kumi.station.operations import BY_NAME
from kumi.station.records import PoseRecord, StationRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.unwritten_stop import StopOrder
from kumi.station.wire.sealing import mark
from kumi.station.wording import complaint

A = TypeVar("A", bound=StationRecord)

ENTER = "kumi/enter"
STATION, ROBOT = b"station", b"robot"
"""The two sides; a message of one cannot be played back to it as one of the other."""
PULSE = 0.25
"""Seconds between two signs of life of a station."""
BEAT = 0.25
"""Seconds between two signs of life of a robot that has nothing else to say."""
MOST_KEYS = 10_000
"""Keys that are kept as they were made and read, since most are used again and again."""


class Enter(msgspec.Struct, frozen=True, array_like=True):
    """A robot asks to come in; `mark` is over its tag and random part."""

    interface: int
    tag: str
    nonce: bytes
    mark: bytes


class EnteredStation(msgspec.Struct, frozen=True, array_like=True):
    """A controller lets it in, or `refused` says why not; the mark proves that it knows the robot.

    `endpoints` are where the station can be entered: what a robot needs when this controller dies.
    """

    interface: int
    controller: str
    load: int
    nonce: bytes
    mark: bytes
    refused: str = ""
    endpoints: tuple[str, ...] = ()

    def proof(self, secret: bytes, asked: bytes) -> bytes:
        """Return the mark of this answer to a robot that asked with a random part."""
        said = msgspec.msgpack.encode(msgspec.structs.replace(self, mark=b""))
        return mark(secret, b"entered", asked, said)


class _Notice(msgspec.Struct, frozen=True, array_like=True, tag=str.lower):
    """Something that a station tells a robot on its own."""


class HaltNow(_Notice, frozen=True, array_like=True):
    """Stop now, and stand until there is a task with a higher number than `last_task`, which is known when the stop is written."""

    stop: str
    by: str
    last_task: int | None = None


class TasksChanged(_Notice, frozen=True, array_like=True):
    """Ask what to do now."""


class MapChanged(_Notice, frozen=True, array_like=True):
    """Take the map anew."""


class FloorKept(_Notice, frozen=True, array_like=True):
    """Another process keeps the floor: tell it where you are, and on which piece of your way."""


class PoseCorrected(_Notice, frozen=True, array_like=True):
    """Where a robot is that believed to be elsewhere."""

    pose: PoseRecord
    believed: PoseRecord


class MoveOn(_Notice, frozen=True, array_like=True):
    """Enter again: another controller has less to do."""


class RobotRemoved(_Notice, frozen=True, array_like=True):
    """Come no more."""


RobotNotice: TypeAlias = (
    HaltNow | TasksChanged | MapChanged | FloorKept | PoseCorrected | MoveOn | RobotRemoved
)
"""What a station tells a robot on its own."""
read_notice = msgspec.msgpack.Decoder(RobotNotice).decode


class PositionReport(msgspec.Struct, frozen=True, array_like=True):
    """Where a robot believes it is, and what else it tells its team."""

    pose: PoseRecord
    values: dict[str, Any]


read_position = msgspec.msgpack.Decoder(PositionReport | None).decode
"""Reads where a robot is; None where it only said that it is there."""


class StopSpread(msgspec.Struct, frozen=True, array_like=True):
    """What processes of a station tell each other of a stop: which, and whether the robot has heard it."""

    stop: StopOrder
    is_heard: bool


class OperationAsked(msgspec.Struct, frozen=True, array_like=True):
    """A robot asks for an operation."""

    operation: str
    request: bytes


class OperationAnswered(msgspec.Struct, frozen=True, array_like=True):
    """The answer of an operation, or why it was refused."""

    answer: bytes | None
    reason: str = ""
    sentence: str = ""


def call_key(controller: str, tag: str | None = None) -> str:
    """Return where a robot calls, or any."""
    return f"kumi/{controller}/call/{'*' if tag is None else key_word(tag)}"


def pose_key(controller: str, tag: str | None = None) -> str:
    """Return where a robot tells where it is, or any."""
    return f"kumi/{controller}/pose/{'*' if tag is None else key_word(tag)}"


def tell_key(controller: str, tag: str) -> str:
    """Return where a robot is told something."""
    return f"kumi/{controller}/tell/{key_word(tag)}"


def pulse_key(controller: str) -> str:
    """Return where a controller shows that it is alive."""
    return f"kumi/{controller}/pulse"


def halt_key(process: str, sender: str = "*") -> str:
    """Return where a process is told by another to stop a robot, or by any."""
    return f"kumi/{process}/halt/{sender}"


def do_key(process: str, sender: str = "*") -> str:
    """Return where a process is asked by another for an operation, or by any."""
    return f"kumi/{process}/do/{sender}"


def floor_key(process: str, sender: str = "*") -> str:
    """Return where a process is asked by another which floor is reserved, or by any."""
    return f"kumi/{process}/floor/{sender}"


def controller_of(key: str) -> str:
    """Return the controller that a key is about."""
    return key.split("/", 2)[1]


def sender_of(key: str) -> str:
    """Return the process that says something under a key."""
    return key.rpartition("/")[2]


@lru_cache(MOST_KEYS)
def key_word(tag: str) -> str:
    """Return a tag as a word of a key: names may hold what keys may not."""
    return tag.encode().hex()


@lru_cache(MOST_KEYS)
def tag_of(key: str) -> str:
    """Return the tag of the robot that a key is about."""
    return bytes.fromhex(key.rpartition("/")[2]).decode()


def asked(request: Request[Any]) -> bytes:
    """Return a request as it travels."""
    return msgspec.msgpack.encode(OperationAsked(request.operation.name, msgspec.msgpack.encode(request)))


def read_asked(body: bytes) -> Request[Any]:
    """Return the request that travelled; Refused where it makes no sense."""
    try:
        one = msgspec.msgpack.decode(body, type=OperationAsked)
        operation = BY_NAME[one.operation]
        request: Request[Any] = msgspec.msgpack.decode(one.request, type=operation.request)
    except KeyError:
        raise Refused(Reason.UNKNOWN, "there is no such operation") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(Reason.INVALID, f"this is not what the operation takes: {complaint(error)}") from None
    return request


def answered(answer: StationRecord | Refused) -> bytes:
    """Return an answer, or a refusal, as it travels."""
    if isinstance(answer, Refused):
        return msgspec.msgpack.encode(OperationAnswered(None, answer.reason.name, answer.sentence))
    return msgspec.msgpack.encode(OperationAnswered(msgspec.msgpack.encode(answer)))


def read_answered(body: bytes, request: Request[A]) -> A:
    """Return the answer that travelled; Refused where the operation was."""
    one = msgspec.msgpack.decode(body, type=OperationAnswered)
    if one.answer is None:
        raise Refused(Reason[one.reason], one.sentence)
    return cast("A", msgspec.msgpack.decode(one.answer, type=request.operation.answer))
