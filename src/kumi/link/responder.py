"""How does the robot's side carry out every command once?

It answers what is meant for it: HELLO with the same packet, a request with the values of its devices, what
makes no sense and what is damaged with ERROR. A request whose payload is that of the last one is a copy: its
answer was lost, or the packet was repeated. A copy is answered with fresh readings, and nothing is written
again. HELLO begins anew.

A computer that knows nothing of this notices nothing: writing the same byte again would change nothing, unless
the robot stopped its motor by itself; after that (`has_changed`) a repeated request is carried out if it comes
with ACK, that is, as a new one.

A state machine without a clock and without a port, as the sender is.
"""

from __future__ import annotations

import math
from typing import Protocol

from kumi.link.devices import (
    Device,
    DeviceValue,
    Entry,
    PayloadError,
    Write,
    answer_payload,
    answer_size,
    read_request,
)
from kumi.link.packets import COMPUTER, MOST_PAYLOAD, Control, Damaged, Decoder, Found, Packet, encode

FRAME_TIMEOUT = 0.1
"""Seconds after which the rest of a frame is not waited for any more."""


class DeviceBus(Protocol):
    """What a packet robot reads and writes."""

    def read(self, device: Device) -> int:
        """Return the value of a device, of two bytes."""

    def write(self, device: Device, value: int) -> None:
        """Give a byte to a device."""


class Responder:
    """Answers for one robot."""

    def __init__(self, address: int, devices: DeviceBus, *, silence: float = FRAME_TIMEOUT) -> None:
        Packet(address, COMPUTER, Control.ACK)  # refuses a wrong address
        self.address = address
        self.deadline = math.inf
        self.carried_out = 0
        """How many requests were carried out, copies not counted."""
        self.heard_at = -math.inf
        """When a packet for this robot came last."""
        self._devices = devices
        self._silence = silence
        self._decoder = Decoder()
        self._last: bytes | None = None
        self._answer = b""
        self._has_changed = False

    def has_changed(self) -> None:
        """Take note that the robot stopped its motor by itself."""
        self._has_changed = True

    def receive(self, now: float, data: bytes) -> list[bytes]:
        """Take bytes from the line; return the packets to send."""
        return self._replies(now, self._decoder.feed(data))

    def tick(self, now: float) -> list[bytes]:
        """Take note of the time; due at `deadline`."""
        return self._replies(now, self._decoder.close()) if now >= self.deadline else []

    def _replies(self, now: float, found: list[Found]) -> list[bytes]:
        self.deadline = now + self._silence if self._decoder.pending else math.inf
        packets = [one for one in found if isinstance(one, Packet) and one.receiver == self.address]
        if not packets and any(isinstance(one, Damaged) for one in found):
            return [self.report(Control.ERROR)]
        return [reply for packet in packets if (reply := self._reply(now, packet))]

    def report(self, control: Control, payload: bytes = b"") -> bytes:
        """Return a packet to the computer."""
        return encode(Packet(self.address, COMPUTER, control, payload))

    def _reply(self, now: float, packet: Packet) -> bytes:
        self.heard_at = now
        if packet.control is Control.HELLO:
            self._last = None
            return encode(packet)
        if packet.control is Control.ERROR:
            return self._answer
        if packet.control is Control.COLLISION:
            return b""
        try:
            entries = read_request(packet.payload)
        except PayloadError:
            return self.report(Control.ERROR)
        if answer_size(entries) > MOST_PAYLOAD:
            return self.report(Control.ERROR)
        is_new = packet.control is Control.ACK and self._has_changed
        is_copy = packet.payload == self._last and not is_new
        values = [self._value(entry, is_copy) for entry in entries]
        self._last = packet.payload
        if not is_copy:
            self.carried_out += 1
            self._has_changed = False
        self._answer = encode(Packet(self.address, packet.sender, Control.ACK, answer_payload(values)))
        return self._answer

    def _value(self, entry: Entry, is_copy: bool) -> DeviceValue:
        if not isinstance(entry, Write):
            return DeviceValue(entry.device, self._devices.read(entry.device))
        if not is_copy:
            self._devices.write(entry.device, entry.value)
        return DeviceValue(entry.device, entry.value)
