"""How does every command reach the robot once, over a line that loses and damages packets?

Stop and wait: a packet is sent only after the one before was answered. A new command has the control ACK; if
no answer comes in time, or the robot says ERROR, the same command goes out again with NACK. When no answer has
come for the time of a `fade` the command has failed, and so has all that waits behind it, since it was meant to
come after. Then only the handshake goes on, from time to time, until the robot is back.

Packets carry no number, so a copy is told from a new command by its payload: the robot does not carry out
the payload that it carried out last (see `Responder`), and the sender never sends the same payload for two
commands in a row: a further reading of the switches makes the second differ. An answer names its devices and
what was written, so an answer that comes late or twice is not taken for that to another command. On a line on
which bytes do not overtake each other this is the alternating-bit protocol with the payload as the bit.

A state machine without a clock and without a port: it is told the time and what came, and gives back what
happens, in order. `deadline` says when it wants to be told the time again.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from kumi.link.devices import (
    Device,
    Entry,
    PayloadError,
    Read,
    answers,
    read_answer,
    request_payload,
)
from kumi.link.happenings import (
    Answered,
    Collided,
    Failed,
    Happening,
    Ignored,
    Reached,
    Transmit,
    Unreachable,
)
from kumi.link.line import BITS_A_BYTE
from kumi.link.packets import COMPUTER, MOST_BYTES, Control, Damaged, Decoder, Found, Packet, encode

PADDING_READ = Read(Device.SWITCHES)
"""What is read in addition where a payload would be the same as the one before."""

RETRY_SOON = 0.02
"""Seconds after an ERROR until the next try; disturbed bytes often make more than one."""

FADE = 2.0
"""Seconds without an answer after which a link counts as lost.

A robot stops its motor by itself after a second of silence, so a link that comes back within two costs a pause and no
more; to be told of each short fade would cost the motion. On a line that damages a quarter of all packets more than
eight tries fit into it, and one command in a thousand gets none through.
"""


class _State(Enum):
    CLOSED = auto()
    GREETING = auto()
    IDLE = auto()
    WAITING = auto()


@dataclass(frozen=True, slots=True)
class _Command:
    ticket: int
    entries: tuple[Entry, ...]


class StopAndWait:
    """Carries commands from the computer to one robot.

    An answer is waited for during `timeout` seconds and the time that request and answer take on a line of
    `baud` bits a second. Silence that lasts for `fade` seconds means that the robot is gone; it is then greeted every
    `again` seconds.
    """

    def __init__(
        self,
        robot: int,
        *,
        baud: int = 9600,
        timeout: float = 0.2,
        fade: float = FADE,
        again: float = 0.5,
        computer: int = COMPUTER,
    ) -> None:
        Packet(computer, robot, Control.HELLO)  # refuses a wrong address
        check_fade(fade)
        if not (timeout > 0.0 and again > 0.0):
            raise ValueError(
                f"the timeout of a link and the time after which it greets again are seconds > 0, "
                f"not {timeout!r} and {again!r}"
            )
        self.robot = robot
        self.computer = computer
        self.deadline = math.inf
        self._byte_time = BITS_A_BYTE / baud
        self._timeout, self._fade, self._again = timeout, fade, again
        self._decoder = Decoder()
        self._state = _State.CLOSED
        self._queue: deque[_Command] = deque()
        self._current: _Command | None = None
        self._last = b""  # the payload of the last command, or none since the last handshake
        self._has_last = False
        self._tried = 0
        self._since = -math.inf  # when what is tried was first sent; long ago where the robot is gone
        self._tickets = 0
        self._is_told = False
        self._bytes = self._packets = self._errors = 0  # since the last answer, to say what is wrong
        self._out: list[Happening] = []

    @property
    def is_open(self) -> bool:
        """Whether the robot answered last."""
        return self._state in {_State.IDLE, _State.WAITING}

    @property
    def waiting(self) -> int:
        """How many commands have no answer yet."""
        return len(self._queue) + (self._current is not None)

    def open(self, now: float) -> list[Happening]:
        """Begin with a handshake."""
        if self._state is _State.CLOSED:
            self._greet_anew(now)
        return self._taken()

    def ask(
        self, now: float, entries: Iterable[Entry], *, first: bool = False
    ) -> tuple[int, list[Happening]]:
        """Queue a command, behind the others or before them; return its ticket and what happens at once."""
        command = _Command(self._tickets, tuple(entries))
        request_payload((*command.entries, PADDING_READ))  # raises where it would not fit
        self._tickets += 1
        if self._state is _State.CLOSED or self._is_told:
            self._out.append(Failed(command.ticket, f"robot {self.robot:X} is not connected"))
        elif first:
            self._queue.appendleft(command)
        else:
            self._queue.append(command)
        self._next(now)
        return command.ticket, self._taken()

    def receive(self, now: float, data: bytes) -> list[Happening]:
        """Take bytes from the port."""
        self._bytes += len(data)
        for found in self._decoder.feed(data):
            self._heard(now, found)
        return self._taken()

    def tick(self, now: float) -> list[Happening]:
        """Take note of the time; due at `deadline`."""
        if now >= self.deadline:
            for found in self._decoder.close():  # an answer may wait behind a false LENGTH
                self._heard(now, found)
        if now >= self.deadline:
            self._again_or_fail(now, "it did not answer in time")
        return self._taken()

    def interrupt(self, now: float, reason: str) -> list[Happening]:
        """Give up what is under way since the port is gone; greet again later."""
        if self._state is not _State.CLOSED:
            self._decoder.close()
            self._give_up(now, reason)
            self.deadline = now + self._again
        return self._taken()

    def close(self) -> list[Happening]:
        """End it; what has no answer yet has failed."""
        self._fail_all("the link was closed")
        self._state = _State.CLOSED
        self.deadline = math.inf
        return self._taken()

    def _taken(self) -> list[Happening]:
        out, self._out = self._out, []
        return out

    def _heard(self, now: float, found: Found) -> None:
        if isinstance(found, Damaged):
            self._out.append(Ignored(f"{len(found.data)} damaged bytes: {found.reason}"))
            return
        self._packets += 1
        is_echo = found.control is Control.HELLO and (found.sender, found.receiver) == (
            self.computer,
            self.robot,
        )
        if not is_echo and (found.sender, found.receiver) != (self.robot, self.computer):
            self._out.append(Ignored(f"a packet from {found.sender:X} to {found.receiver:X}"))
        elif found.control is Control.HELLO:
            self._greeted(now)
        elif found.control is Control.COLLISION:
            self._out.append(Collided(_switches(found.payload)))
        elif found.control is Control.ERROR:
            self._refused(now)
        else:
            self._answered(now, found)

    def _greeted(self, now: float) -> None:
        if self._state is not _State.GREETING:
            self._out.append(Ignored("a handshake that came late or twice"))
            return
        self._state = _State.IDLE
        self._has_last = self._is_told = False
        self._bytes = self._packets = self._errors = 0
        self.deadline = math.inf
        self._out.append(Reached())
        self._next(now)

    def _refused(self, now: float) -> None:
        self._errors += 1
        if self._state is _State.WAITING:
            self.deadline = min(self.deadline, now + RETRY_SOON)
        else:
            self._out.append(Ignored("an ERROR while nothing was asked"))

    def _answered(self, now: float, packet: Packet) -> None:
        current = self._current
        try:
            answer = read_answer(packet.payload)
        except PayloadError as error:
            self._out.append(Ignored(f"an answer that makes no sense: {error}"))
            return
        if current is None or not answers(answer, current.entries):
            self._out.append(Ignored("an answer that came late, twice or to another question"))
            return
        self._current = None
        self._state = _State.IDLE
        self._bytes = self._packets = self._errors = 0
        self.deadline = math.inf
        self._out.append(Answered(current.ticket, answer))
        self._next(now)

    def _next(self, now: float) -> None:
        if self._state is not _State.IDLE or not self._queue:
            return
        command = self._queue.popleft()
        if self._has_last and request_payload(command.entries) == self._last:
            command = _Command(command.ticket, (*command.entries, PADDING_READ))
        self._current, self._state, self._tried, self._since = command, _State.WAITING, 0, now
        self._last, self._has_last = request_payload(command.entries), True
        self._send(now, Control.ACK)

    def _send(self, now: float, control: Control) -> None:
        self._tried += 1
        payload = b"" if control is Control.HELLO else self._last
        data = encode(Packet(self.computer, self.robot, control, payload))
        answer = min(MOST_BYTES, 7 + 3 * len(payload))
        self.deadline = now + self._timeout + self._byte_time * (len(data) + answer)
        self._out.append(Transmit(data))

    def _again_or_fail(self, now: float, reason: str) -> None:
        if now < self._since + self._fade:
            self._send(now, Control.HELLO if self._state is _State.GREETING else Control.NACK)
        elif self._state is _State.GREETING:
            self._give_up(now, reason)
            self._send(now, Control.HELLO)
            self.deadline = max(self.deadline, now + self._again)
        else:
            self._lose_one(now, reason)

    def _lose_one(self, now: float, reason: str) -> None:
        """Report what could not be done; a handshake tells whether the robot is still there."""
        self._fail_all(
            f"robot {self.robot:X} was asked {self._tried} times within {now - self._since:.1f} s, and {reason}{self._hint()}"
        )
        self._greet_anew(now)

    def _give_up(self, now: float, reason: str) -> None:
        sentence = f"robot {self.robot:X} is gone: {reason}{self._hint()}"
        self._fail_all(sentence)
        if not self._is_told:
            self._is_told = True
            self._out.append(Unreachable(sentence))
        self._state, self._since = _State.GREETING, -math.inf

    def _greet_anew(self, now: float) -> None:
        self._state, self._tried, self._since = _State.GREETING, 0, now
        self._send(now, Control.HELLO)

    def _fail_all(self, reason: str) -> None:
        lost = [self._current] if self._current is not None else []
        lost += self._queue
        self._queue.clear()
        self._current = None
        self._out += [Failed(command.ticket, reason) for command in lost]

    def _hint(self) -> str:
        """Say what the line looks like, for the one who looks for the cause."""
        if not self._bytes:
            return " (no byte came: is it plugged in and switched on?)"
        if not self._packets:
            return f" ({self._bytes} bytes came, none of them a packet: is the baud rate right?)"
        if self._errors:
            return f" (it answered ERROR {self._errors} times: the line is disturbed, or it knows another payload)"
        return f" ({self._packets} packets came, none of them an answer of robot {self.robot:X})"


def check_fade(seconds: float) -> float:
    """Return the seconds without an answer after which a link is lost, or refuse them in a sentence."""
    if not seconds > 0.0:
        raise ValueError(f"the fade of a link is a number of seconds > 0, not {seconds!r}")
    return seconds


def _switches(payload: bytes) -> int | None:
    try:
        answer = read_answer(payload)
    except PayloadError:
        return None
    return answer.get(Device.SWITCHES)
