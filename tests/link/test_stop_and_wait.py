"""Every command is carried out once and in order, or reported as failed."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.link.devices import (
    Device,
    DeviceValue,
    PayloadError,
    Read,
    Write,
    answer_payload,
    read_request,
)
from kumi.link.happenings import Answered, Collided, Failed, Ignored, Reached, Transmit, Unreachable
from kumi.link.line import Interference
from kumi.link.packets import COMPUTER, Control, Packet, encode
from kumi.link.stop_and_wait import StopAndWait
from tests.link.exchange import Exchange, Fate, commands_of

MOTOR = Device.MOTOR


def lost(_data: bytes) -> list[tuple[float, bytes]]:
    return []


def flipped(data: bytes) -> list[tuple[float, bytes]]:
    return [(0.02, data[:4] + bytes((data[4] ^ 0x10,)) + data[5:])]


def twice(data: bytes) -> list[tuple[float, bytes]]:
    return [(0.02, data), (0.001, data)]


def late(data: bytes) -> list[tuple[float, bytes]]:
    return [(0.9, data)]


def beheaded(data: bytes) -> list[tuple[float, bytes]]:
    return [(0.02, data[1:])]


def torn(data: bytes) -> list[tuple[float, bytes]]:
    """The first half, and long after it the second."""
    return [(0.02, data[: len(data) // 2]), (0.5, data[len(data) // 2 :])]


def swelled(data: bytes) -> list[tuple[float, bytes]]:
    """Its LENGTH grows by 64, so that it swallows what follows."""
    return [(0.02, data[:2] + bytes((data[2] ^ 0x40,)) + data[3:])]


FATES = [lost, flipped, twice, late, beheaded, torn, swelled]


def test_a_courier_that_was_not_opened_waits_for_nothing() -> None:
    courier = StopAndWait(1)

    assert courier.deadline == math.inf
    assert courier.tick(1e9) == []


def fated(seed: int, name: str, share: float) -> Fate:
    """Harm a share of the packets, each in a way drawn at random."""
    chance = Simulation(seed=seed).chance(name)

    def fate(data: bytes) -> list[tuple[float, bytes]]:
        if chance.happens(share):
            return FATES[int(chance.uniform(0, len(FATES)))](data)
        return [(0.02, data)]

    return fate


@settings(max_examples=150)
@given(
    numbers=st.lists(st.integers(100, 103), min_size=1, max_size=12),
    seed=st.integers(0, 2**32),
    share=st.sampled_from([0.0, 0.2, 0.5, 0.9]),
)
def test_every_command_is_carried_out_once_and_in_order_or_reported_as_failed(
    numbers: list[int], seed: int, share: float
) -> None:
    """Many commands are the same as the one before, so a copy cannot be told by what it says alone."""
    exchange = Exchange(fated(seed, "there", share), fated(seed, "back", share))

    tickets = exchange.ask(commands_of(numbers))
    exchange.run()

    assert sorted(exchange.answered + exchange.failed) == tickets
    assert exchange.answered == sorted(exchange.answered)
    done = [number for device, number in exchange.log.written if device is MOTOR]
    assert is_within([numbers[ticket] for ticket in exchange.answered], done)
    assert is_within(done, numbers)
    assert len(exchange.answered) <= len(done) <= len(numbers)
    if share == 0.0:
        assert done == numbers


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_with_a_fifth_of_the_packets_damaged_nothing_fails_that_is_tried_often(seed: int) -> None:
    """A try fails when its packet or its answer is harmed: at most 0.36. Thirty times in a row: 5e-14."""
    numbers = [100, 100, 101, 101, 101, 102]
    exchange = Exchange(fated(seed, "there", 0.2), fated(seed, "back", 0.2), fade=10.0)

    exchange.ask(commands_of(numbers))
    exchange.run()

    assert [number for _, number in exchange.log.written] == numbers
    assert exchange.failed == []


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("direction", ["there", "back"])
def test_a_packet_that_is_harmed_once_is_sent_again(fate: Fate, direction: str) -> None:
    left = [lambda data: [(0.02, data)], fate]  # the handshake comes through

    def once(data: bytes) -> list[tuple[float, bytes]]:
        return (left.pop(0) if left else lambda data: [(0.02, data)])(data)

    exchange = Exchange(there=once) if direction == "there" else Exchange(back=once)
    exchange.ask(commands_of([140, 140, 141]))
    exchange.run()

    assert [number for _, number in exchange.log.written] == [140, 140, 141]
    assert exchange.failed == []


def is_within(part: list[int], whole: list[int]) -> bool:
    """Tell whether a list is what is left of another when some of it is taken out."""
    rest = iter(whole)
    return all(number in rest for number in part)


def test_a_channel_that_damages_bytes_harms_no_command() -> None:
    """About a fifth of the packets are damaged, by drops, flips, repeats and delays of single bytes."""
    chance = Simulation(seed=7).chance("line")
    base = Interference.for_packets(0.2, size=12)
    interference = Interference(drop=base.drop, flip=base.flip, repeat=0.003, late=0.01, delay=0.05)

    def fate(data: bytes) -> list[tuple[float, bytes]]:
        came = [interference.carry(byte, chance) for byte in data]
        return [(wait + 0.001, piece) for piece, wait in came]

    numbers = [100 + index // 3 % 5 for index in range(300)]
    exchange = Exchange(fate, fate, fade=10.0)
    exchange.ask(commands_of(numbers))
    exchange.run()

    assert [number for _, number in exchange.log.written] == numbers
    assert exchange.failed == []
    assert len(exchange.sent) > 330


def opened() -> StopAndWait:
    courier = StopAndWait(0)
    courier.open(0.0)
    courier.receive(0.0, encode(Packet(COMPUTER, 0, Control.HELLO)))
    return courier


def test_a_new_command_is_ack_and_its_repetition_nack() -> None:
    courier = opened()
    entries = (Write(MOTOR, 140),)

    _, first = courier.ask(0.0, entries)
    again = courier.tick(courier.deadline)

    assert first == [Transmit(encode(Packet(COMPUTER, 0, Control.ACK, b"\x80\x8c")))]
    assert again == [Transmit(encode(Packet(COMPUTER, 0, Control.NACK, b"\x80\x8c")))]


def test_the_handshake_is_that_of_the_seed_and_answered_by_the_same_packet() -> None:
    courier = StopAndWait(0)

    assert courier.open(0.0) == [Transmit(bytes.fromhex("55 7E 04 F0 04 4E 4A"))]
    assert not courier.is_open
    assert courier.receive(0.1, bytes.fromhex("55 7E 04 F0 04 4E 4A")) == [Reached()]
    assert courier.is_open


def test_the_same_command_twice_differs_by_a_reading_of_the_switches() -> None:
    courier = opened()
    answer = encode(Packet(0, COMPUTER, Control.ACK, b"\x80\x8c"))

    courier.ask(0.0, (Write(MOTOR, 140),))
    courier.receive(0.1, answer)
    _, second = courier.ask(0.2, (Write(MOTOR, 140),))

    assert second == [Transmit(encode(Packet(COMPUTER, 0, Control.ACK, b"\x80\x8c\x08")))]
    assert courier.receive(0.3, answer) == [Ignored("an answer that came late, twice or to another question")]


def test_answers_for_another_address_are_ignored() -> None:
    courier = opened()
    courier.ask(0.0, (Write(MOTOR, 140),))

    stray = courier.receive(0.1, encode(Packet(3, COMPUTER, Control.ACK, b"\x80\x8c")))
    meant = courier.receive(0.1, encode(Packet(0, COMPUTER, Control.ACK, b"\x80\x8c")))

    assert stray == [Ignored("a packet from 3 to F")]
    assert [type(one) for one in meant] == [Answered]


def test_a_collision_is_told_with_the_switches_and_answers_nothing() -> None:
    courier = opened()
    courier.ask(0.0, (Read(Device.ENCODER),))
    payload = answer_payload([DeviceValue(Device.SWITCHES, 1)])

    assert courier.receive(0.1, encode(Packet(0, COMPUTER, Control.COLLISION, payload))) == [Collided(1)]
    assert courier.receive(0.1, encode(Packet(0, COMPUTER, Control.COLLISION))) == [Collided(None)]
    assert courier.waiting == 1


def silence(courier: StopAndWait, until: float) -> list[object]:
    """Let time pass in which nothing comes, and return what happens beside sending."""
    happened: list[object] = []
    while courier.deadline <= until:
        happened += [one for one in courier.tick(courier.deadline) if not isinstance(one, Transmit)]
    return happened


def test_a_robot_that_is_gone_fails_what_waits_and_is_told_once_with_a_hint() -> None:
    courier = opened()
    courier.ask(0.0, (Read(Device.ENCODER),))
    courier.ask(0.0, (Write(MOTOR, 127),))

    happened = silence(courier, 60.0)

    assert [type(one) for one in happened] == [Failed, Failed, Unreachable]
    assert happened[0] == Failed(
        0,
        "robot 0 was asked 10 times within 2.2 s, and it did not answer in time (no byte came: is it plugged "
        "in and switched on?)",
    )
    assert courier.ask(60.0, (Read(Device.ENCODER),))[1] == [Failed(2, "robot 0 is not connected")]


def test_a_robot_that_comes_back_is_found_by_the_handshake() -> None:
    courier = opened()
    courier.ask(0.0, (Read(Device.ENCODER),))
    silence(courier, 30.0)

    assert courier.receive(30.0, encode(Packet(COMPUTER, 0, Control.HELLO))) == [Reached()]
    ticket, sent = courier.ask(30.0, (Read(Device.ENCODER),))
    assert sent == [Transmit(encode(Packet(COMPUTER, 0, Control.ACK, b"\x07")))]
    assert ticket == 1


@pytest.mark.parametrize(
    ("came", "hint"),
    [
        (b"", "no byte came: is it plugged in and switched on?"),
        (b"\x01\x80\x33", "3 bytes came, none of them a packet: is the baud rate right?"),
        (encode(Packet(2, COMPUTER, Control.ACK)), "1 packets came, none of them an answer of robot 0"),
    ],
)
def test_what_came_over_the_line_hints_at_the_cause(came: bytes, hint: str) -> None:
    courier = StopAndWait(0)
    courier.open(0.0)
    courier.receive(0.01, came)

    (gone,) = (one for one in silence(courier, 20.0) if isinstance(one, Unreachable))

    assert gone.reason == f"robot 0 is gone: it did not answer in time ({hint})"


def test_a_robot_that_answers_error_fails_the_command_and_stays_connected() -> None:
    """It knows another payload; a handshake shows that it is still there."""
    courier = opened()
    courier.ask(0.0, (Read(Device.ENCODER),))
    error = encode(Packet(0, COMPUTER, Control.ERROR))
    happened: list[object] = []
    while not any(isinstance(one, Failed) for one in happened):
        courier.receive(courier.deadline - 0.1, error)
        happened += courier.tick(courier.deadline)
    courier.receive(courier.deadline - 0.1, encode(Packet(COMPUTER, 0, Control.HELLO)))

    (failed,) = (one for one in happened if isinstance(one, Failed))
    assert re.search(r"within 2\.\d s, .* \(it answered ERROR \d+ times", failed.reason)
    assert courier.is_open


def test_a_port_that_is_gone_fails_what_waits_at_once() -> None:
    courier = opened()
    courier.ask(0.0, (Read(Device.ENCODER),))

    happened = courier.interrupt(0.1, "the port is gone")

    assert [type(one) for one in happened] == [Failed, Unreachable]


def test_closing_fails_what_waits() -> None:
    courier = opened()
    courier.ask(0.0, (Read(Device.ENCODER),))

    assert courier.close() == [Failed(0, "the link was closed")]
    assert courier.tick(99.0) == []


def test_what_does_not_fit_into_a_packet_is_refused_when_it_is_asked() -> None:
    with pytest.raises(PayloadError, match="send it in parts"):
        opened().ask(0.0, [Read(Device.ENCODER)] * 84)


def test_a_command_that_goes_first_overtakes_those_that_wait() -> None:
    courier = opened()
    courier.ask(0.0, (Read(Device.ENCODER),))
    courier.ask(0.0, (Read(Device.POTENTIOMETER),))
    courier.ask(0.0, (Write(MOTOR, 127),), first=True)

    _, sent = courier.receive(0.1, encode(Packet(0, COMPUTER, Control.ACK, b"\x07\x00\x01")))

    assert isinstance(sent, Transmit)
    assert read_request(sent.data[5:-2]) == (Write(MOTOR, 127),)


@pytest.mark.parametrize("wrong", [{"timeout": 0.0}, {"again": 0.0}, {"fade": 0.0}])
def test_a_courier_that_never_tries_or_waits_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(
        ValueError,
        match=r"of a link .*seconds > 0, not",
    ):
        StopAndWait(0, **wrong)  # type: ignore[arg-type]
