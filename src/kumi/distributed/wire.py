"""What do the hub and the parts say to each other, and how does it get across?

Frames on a TCP connection: four bytes of length, then one of the structs below as MessagePack. A connection
that breaks, or is silent for longer than it may be, raises PartLost. Values are bytes to the hub: it passes
them on unread.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import msgspec

from kumi.distributed.partition import DistributedError, PartLost
from kumi.network.framing import FrameTooLong, as_frame, next_frame, notice_silence

PROTOCOL = 1
MOST_FRAME_BYTES = 1 << 30
"""Bytes of a frame."""
UNREAD_TIMEOUT = 30.0
"""Seconds for which the other end may leave unread what it is sent."""

Ticket = tuple[float, int, int, int, int, int, int]
"""When something was planned: instant, step, act, place, value, input, count. The kernel makes and compares them."""


class HelloFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A part introduces itself."""

    protocol: int
    kumi: str
    part: str


class WelcomeFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The hub says what is run. A pace of 0 means as fast as possible."""

    parts: dict[str, list[str]]
    lookahead: dict[str, float]
    arguments: dict[str, Any]
    seed: int
    until: float
    pace: float
    transit: float
    max_steps: int


class BuiltFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A part has built the model; all parts must have built the same."""

    fingerprint: str
    sends_after: float


class ValueFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A value on its way: its place in the order of the step, and the number of the input it goes to."""

    place: int
    send: int
    route: int
    target: int
    data: bytes


class GoFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Run what concerns you alone, before a time."""

    limit: float


class Begin(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Make the first half of a step."""

    step: int


class Outputs(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What came of it."""

    tickets: list[Ticket]
    values: list[ValueFrame]


class EndFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Make the second half of a step."""

    time: float
    step: int
    places: list[int]
    values: list[ValueFrame]


class Stand(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Where a part stands: what comes next, and the earliest time at which it may send."""

    next: float
    rank: int
    sends: float
    is_ahead: bool
    ahead_is_full: bool
    step: int
    values: list[ValueFrame] | None


class AskTimes(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """At which instants did you run ahead?"""


class Times(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The instants, as float64."""

    times: bytes


class AskSteps(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What did you do at these?"""

    times: list[float]


class StepsFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Time, step, rank, and the tickets of those that were planned for it."""

    steps: list[tuple[float, int, int, list[Ticket]]]


class Align(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Time, step, its number among those of all parts, and the places of those planned for it."""

    steps: list[tuple[float, int, int, list[int]]]
    before: float


class ClockFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A part asks for the time of the hub, or is told: the same `asked` comes back."""

    asked: float
    told: float


class StartFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Begin at this time of the hub's clock."""

    at: float


class Post(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A value sent in real time."""

    time: float
    target: int
    data: bytes


class Finish(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The run is over; give your results."""


class ResultFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What came of a part."""

    time: float
    trace_hash: str
    statistics: tuple[int, int, int, int, int]
    values: dict[str, bytes]
    instants: list[tuple[float, int]]
    arrivals: list[tuple[float, int]]
    offset: float


class DoneFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A part has come to the end of a run in real time."""


class FailedFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A part cannot go on."""

    why: str


class StopFrame(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The run ends early; nobody is to be told."""

    why: str


Said = (
    HelloFrame
    | WelcomeFrame
    | BuiltFrame
    | GoFrame
    | Begin
    | Outputs
    | EndFrame
    | Stand
    | AskTimes
    | Times
    | AskSteps
    | StepsFrame
    | Align
    | ClockFrame
    | StartFrame
    | Post
    | Finish
    | ResultFrame
    | DoneFrame
    | FailedFrame
    | StopFrame
)

_encode = msgspec.msgpack.Encoder().encode
_decode: Callable[[bytes], Said] = msgspec.msgpack.Decoder(Said).decode


class PartConnection:
    """A connection to the hub, or to a part; `name` is who is at the other end."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        # A machine that is switched off is noticed after about 20 s.
        notice_silence(connection, idle=5, between=5, unconfirmed=20)
        self.connection = connection
        self.name = name
        self._read = bytearray()

    def fileno(self) -> int:
        """Give the file of the connection, for select."""
        return self.connection.fileno()

    def say(self, said: Said) -> None:
        """Send one frame."""
        data = _encode(said)
        self.connection.settimeout(UNREAD_TIMEOUT)
        try:
            self.connection.sendall(as_frame(data))
        except TimeoutError as error:
            raise PartLost(f"{self.name} has not taken what it was sent for {UNREAD_TIMEOUT:g} s") from error
        except OSError as error:
            raise self.lost() from error

    def hear(self, seconds: float | None = None) -> Said:
        """Wait for one frame; raises PartLost when the other end is gone, or silent for so long."""
        self.connection.settimeout(seconds)
        try:
            while (said := self.pending()) is None:
                self.take()
        except TimeoutError as error:
            raise PartLost(f"{self.name} has not answered for {seconds:g} s") from error
        finally:
            if self.connection.fileno() >= 0:
                self.connection.settimeout(None)
        return said

    def pending(self) -> Said | None:
        """Give a frame that has come as a whole."""
        try:
            data = next_frame(self._read, MOST_FRAME_BYTES)
            return None if data is None else _decode(data)
        except (FrameTooLong, msgspec.MsgspecError) as error:
            raise DistributedError(f"{self.name} does not speak kumi's language of parts: {error}") from error

    def take(self) -> None:
        """Take in what has come; waits if there is nothing."""
        try:
            data = self.connection.recv(1 << 16)
        except TimeoutError:
            raise
        except OSError as error:
            raise self.lost() from error
        if not data:
            raise self.lost()
        self._read += data

    def lost(self) -> PartLost:
        """Make the error for an end that is gone."""
        return PartLost(f"{self.name} is gone: its process has ended, or the connection to it is broken")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
