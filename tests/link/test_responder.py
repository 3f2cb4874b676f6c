"""The robot's side answers what is meant for it and carries out each request once."""

from __future__ import annotations

import pytest

from kumi.link.devices import Device, DeviceValue, answer_payload
from kumi.link.packets import COMPUTER, Control, Packet, PacketError, encode
from kumi.link.responder import Responder
from tests.link.exchange import Log

DRIVE = bytes.fromhex("80 8C 07")
ERROR = encode(Packet(0, COMPUTER, Control.ERROR))


def asked(control: Control, payload: bytes = b"", robot: int = 0) -> bytes:
    return encode(Packet(COMPUTER, robot, control, payload))


def answered(count: int) -> bytes:
    values = [DeviceValue(Device.MOTOR, 0x8C), DeviceValue(Device.ENCODER, count)]
    return encode(Packet(0, COMPUTER, Control.ACK, answer_payload(values)))


def test_hello_is_answered_by_the_same_packet() -> None:
    hello = bytes.fromhex("55 7E 04 F0 04 4E 4A")

    assert Responder(0, Log()).receive(0.0, hello) == [hello]


def test_a_copy_is_answered_afresh_and_not_carried_out_again() -> None:
    log = Log()
    responder = Responder(0, log)

    assert responder.receive(0.0, asked(Control.ACK, DRIVE)) == [answered(1)]
    log.written.append((Device.SERVO, 97))  # something else the encoder answers with
    assert responder.receive(0.1, asked(Control.NACK, DRIVE)) == [answered(2)]
    assert log.written.count((Device.MOTOR, 0x8C)) == responder.carried_out == 1


def test_after_a_handshake_the_same_request_is_a_new_one() -> None:
    log = Log()
    responder = Responder(0, log)

    for data in (asked(Control.ACK, DRIVE), asked(Control.HELLO), asked(Control.ACK, DRIVE)):
        responder.receive(0.0, data)

    assert log.written == [(Device.MOTOR, 0x8C)] * 2


@pytest.mark.parametrize(("control", "times"), [(Control.ACK, 2), (Control.NACK, 1)])
def test_a_robot_that_stopped_by_itself_drives_again_when_it_is_told_anew(
    control: Control, times: int
) -> None:
    """Told again by NACK it does not: the computer does not know yet that the robot stopped."""
    log = Log()
    responder = Responder(0, log)
    responder.receive(0.0, asked(Control.ACK, DRIVE))
    responder.has_changed()

    responder.receive(1.0, asked(control, DRIVE))

    assert log.written == [(Device.MOTOR, 0x8C)] * times


def test_packets_for_others_are_passed_over_in_silence() -> None:
    responder = Responder(0, Log())

    assert responder.receive(0.0, asked(Control.HELLO, robot=1)) == []
    assert responder.heard_at == float("-inf")


def test_damaged_bytes_are_answered_by_error() -> None:
    assert Responder(0, Log()).receive(0.0, bytes.fromhex("55 7E 04 F0 04 4E 4B")) == [ERROR]


def test_a_packet_that_is_cut_off_is_given_up_after_a_silence() -> None:
    """The rest of the frame would swallow the next packet, and that one is what is waited for."""
    responder = Responder(0, Log())
    responder.receive(0.0, bytes.fromhex("55 7E FF F0"))

    assert responder.deadline == pytest.approx(0.1)
    assert responder.tick(0.05) == []
    assert responder.tick(responder.deadline) == [ERROR]
    assert responder.receive(0.2, asked(Control.HELLO)) == [asked(Control.HELLO)]


@pytest.mark.parametrize(
    "payload",
    ["0A", "80", "00 80", "FF", "07 " * 84],
    ids=["no device", "no byte to write", "cut off", "no device, writable", "too much to answer"],
)
def test_a_payload_that_makes_no_sense_is_answered_by_error_and_changes_nothing(payload: str) -> None:
    log = Log()

    assert Responder(0, log).receive(0.0, asked(Control.ACK, bytes.fromhex(payload))) == [ERROR]
    assert log.written == []


def test_when_the_computer_says_error_the_last_answer_is_sent_again() -> None:
    responder = Responder(0, Log())
    responder.receive(0.0, asked(Control.ACK, DRIVE))

    assert responder.receive(0.1, asked(Control.ERROR)) == [answered(1)]
    assert Responder(0, Log()).receive(0.1, asked(Control.ERROR)) == []


def test_a_collision_is_not_for_robots() -> None:
    assert Responder(0, Log()).receive(0.0, asked(Control.COLLISION)) == []


def test_an_address_is_half_a_byte() -> None:
    with pytest.raises(PacketError, match="from 0x0 to 0xF, not 16"):
        Responder(16, Log())


def test_who_was_told_anew_after_it_stopped_takes_the_next_for_a_copy() -> None:
    responder = Responder(0, Log())
    responder.receive(0.0, asked(Control.ACK, DRIVE))
    responder.has_changed()
    for _ in range(2):
        responder.receive(0.1, asked(Control.ACK, DRIVE))

    assert responder.carried_out == 2


def test_a_packet_that_is_whole_is_answered_though_one_before_it_was_damaged() -> None:
    damaged = bytearray(asked(Control.ACK, DRIVE))
    damaged[-1] ^= 1
    assert Responder(0, Log()).receive(0.0, bytes(damaged)) == [ERROR]

    assert Responder(0, Log()).receive(0.0, bytes(damaged) + asked(Control.ACK, DRIVE)) == [answered(1)]
