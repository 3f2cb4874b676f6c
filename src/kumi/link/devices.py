"""Which devices does a packet robot have, and how are they read and written in a payload?

A device is read by its address alone and written by its address and one byte; bit 7 tells which. A payload
is any number of these, in any order. The answer has an entry for each of them, in the same order: for a
reading the address and the value in two bytes, the higher first; for a writing the address and the byte
that was written. The seed leaves the width of values open: rangers and potentiometer have ten bits, and the
encoder counts on past a byte, so two bytes serve all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from kumi.devs.errors import KumiError
from kumi.link.packets import MOST_PAYLOAD


class Device(IntEnum):
    """The devices of a packet robot, by address."""

    IR_FRONT = 0x00
    IR_FRONT_LEFT = 0x01
    IR_BACK_LEFT = 0x02
    IR_BACK = 0x03
    IR_BACK_RIGHT = 0x04
    IR_FRONT_RIGHT = 0x05
    POTENTIOMETER = 0x06
    ENCODER = 0x07
    SWITCHES = 0x08
    CLOCK = 0x09
    MOTOR = 0x80
    SERVO = 0x81

    @property
    def is_writable(self) -> bool:
        """Whether it is written; else it is read."""
        return self >= 0x80


RANGERS = (
    Device.IR_FRONT,
    Device.IR_FRONT_LEFT,
    Device.IR_BACK_LEFT,
    Device.IR_BACK,
    Device.IR_BACK_RIGHT,
    Device.IR_FRONT_RIGHT,
)
READABLE = (*RANGERS, Device.POTENTIOMETER, Device.ENCODER, Device.SWITCHES)
"""What every packet robot has. Not all have a clock: it is asked only where a robot is known to have one."""
STOP = 127
"""The byte that stops the motor."""


class Switch(IntEnum):
    """The bits of the switches: one at each side of the body."""

    FRONT = 0x01
    LEFT = 0x02
    BACK = 0x04
    RIGHT = 0x08


class PayloadError(KumiError, ValueError):
    """A payload that makes no sense: an unknown device, or an entry that is cut off."""


@dataclass(frozen=True, slots=True)
class Read:
    """A device to read."""

    device: Device

    def __post_init__(self) -> None:
        if self.device.is_writable:
            raise PayloadError(f"{self.device.name} is written, not read")


@dataclass(frozen=True, slots=True)
class Write:
    """A device to write, and its byte."""

    device: Device
    value: int

    def __post_init__(self) -> None:
        if not self.device.is_writable:
            raise PayloadError(f"{self.device.name} is read, not written")
        if not 0 <= self.value <= 0xFF:
            raise PayloadError(f"{self.device.name} takes a byte from 0 to 255, not {self.value!r}")


Entry: TypeAlias = Read | Write


@dataclass(frozen=True, slots=True)
class DeviceValue:
    """What a device answered: its reading, or the byte that was written."""

    device: Device
    value: int

    def __post_init__(self) -> None:
        most = 0xFF if self.device.is_writable else 0xFFFF
        if not 0 <= self.value <= most:
            raise PayloadError(f"{self.device.name} answers a number from 0 to {most}, not {self.value!r}")


@dataclass(frozen=True, slots=True)
class Answer:
    """All that a robot answered, in order; the last value of a device is the newest."""

    values: tuple[DeviceValue, ...] = ()
    _newest: Mapping[Device, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_newest", {value.device: value.value for value in self.values})

    def __contains__(self, device: object) -> bool:
        return device in self._newest

    def __getitem__(self, device: Device) -> int:
        return self._newest[device]

    def get(self, device: Device) -> int | None:
        """Return the newest value of a device, or None where it was not asked."""
        return self._newest.get(device)


def request_payload(entries: Iterable[Entry]) -> bytes:
    """Return the payload that reads and writes devices."""
    payload = bytearray()
    for entry in entries:
        payload += bytes((entry.device, entry.value) if isinstance(entry, Write) else (entry.device,))
    if len(payload) > MOST_PAYLOAD or answer_size(read_request(bytes(payload))) > MOST_PAYLOAD:
        raise PayloadError(
            f"a request and its answer have at most {MOST_PAYLOAD} bytes each; send it in parts"
        )
    return bytes(payload)


def read_request(payload: bytes) -> tuple[Entry, ...]:
    """Return what a payload asks for."""
    entries: list[Entry] = []
    place = 0
    while place < len(payload):
        device = _device(payload, place)
        if device.is_writable:
            entries.append(Write(device, _number(payload, place, 1)))
        else:
            entries.append(Read(device))
        place += 2 if device.is_writable else 1
    return tuple(entries)


def answer_payload(values: Iterable[DeviceValue]) -> bytes:
    """Return the payload that answers with values."""
    return b"".join(
        bytes((value.device,)) + value.value.to_bytes(_width(value.device), "big") for value in values
    )


def read_answer(payload: bytes) -> Answer:
    """Return the values in an answer."""
    values: list[DeviceValue] = []
    place = 0
    while place < len(payload):
        device = _device(payload, place)
        values.append(DeviceValue(device, _number(payload, place, _width(device))))
        place += 1 + _width(device)
    return Answer(tuple(values))


def answer_size(entries: Iterable[Entry]) -> int:
    """Return how many bytes the answer to a request has."""
    return sum(1 + _width(entry.device) for entry in entries)


def answers(answer: Answer, request: tuple[Entry, ...]) -> bool:
    """Tell whether an answer is one to a request: its devices in order, and the bytes that were written."""
    return len(answer.values) == len(request) and all(
        value.device == entry.device and (isinstance(entry, Read) or value.value == entry.value)
        for value, entry in zip(answer.values, request, strict=True)
    )


def _width(device: Device) -> int:
    return 1 if device.is_writable else 2


def _device(payload: bytes, place: int) -> Device:
    try:
        return Device(payload[place])
    except ValueError:
        raise PayloadError(f"byte {place} of the payload, 0x{payload[place]:02X}, is no device") from None


def _number(payload: bytes, place: int, width: int) -> int:
    number = payload[place + 1 : place + 1 + width]
    if len(number) < width:
        raise PayloadError(f"the payload ends within {Device(payload[place]).name}, at byte {place}")
    return int.from_bytes(number, "big")
