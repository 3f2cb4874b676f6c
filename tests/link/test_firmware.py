"""The program in a packet robot: watchdog and collisions."""

from __future__ import annotations

import math

import pytest

from kumi.link.devices import STOP, Device, DeviceValue, answer_payload
from kumi.link.emulators import Firmware
from kumi.link.packets import COMPUTER, Control, Packet, encode

DRIVE = encode(Packet(COMPUTER, 0, Control.ACK, bytes((Device.MOTOR, 140))))
READ = encode(Packet(COMPUTER, 0, Control.ACK, bytes((Device.ENCODER,))))
STRANGER = encode(Packet(COMPUTER, 5, Control.HELLO))
COLLISION = encode(Packet(0, COMPUTER, Control.COLLISION, answer_payload([DeviceValue(Device.SWITCHES, 1)])))


class Machine:
    """Devices that remember the motor, with the front switch closed."""

    def __init__(self) -> None:
        self.motor = STOP

    def read(self, device: Device) -> int:
        return 1 if device is Device.SWITCHES else 0

    def write(self, device: Device, value: int) -> None:
        assert device is Device.MOTOR
        self.motor = value


def test_the_motor_stops_after_a_second_of_silence() -> None:
    machine = Machine()
    firmware = Firmware(0, machine)
    firmware.receive(3.0, DRIVE)

    assert firmware.deadline == 4.0
    firmware.tick(3.9)
    assert machine.motor == 140
    firmware.tick(4.0)
    assert machine.motor == STOP
    assert firmware.deadline == math.inf


@pytest.mark.parametrize(("heard", "motor"), [(READ, 140), (STRANGER, STOP), (b"noise", STOP)])
def test_only_packets_for_the_robot_itself_keep_the_motor_on(heard: bytes, motor: int) -> None:
    machine = Machine()
    firmware = Firmware(0, machine)
    firmware.receive(0.0, DRIVE)

    firmware.receive(0.5, heard)
    firmware.tick(1.2)

    assert machine.motor == motor


def test_a_collision_stops_the_motor_and_is_reported_until_the_computer_is_heard() -> None:
    machine = Machine()
    firmware = Firmware(0, machine)
    firmware.receive(0.0, DRIVE)

    assert firmware.collided(0.5) == [COLLISION]
    assert machine.motor == STOP
    assert firmware.tick(0.75) == [COLLISION]
    firmware.receive(0.8, READ)
    assert firmware.deadline == math.inf


def test_a_collision_that_nobody_answers_is_reported_four_times() -> None:
    firmware = Firmware(0, Machine())
    reports = firmware.collided(0.0)
    while firmware.deadline < math.inf:
        reports += firmware.tick(firmware.deadline)

    assert reports == [COLLISION] * 4


def test_after_a_collision_the_same_order_drives_again() -> None:
    machine = Machine()
    firmware = Firmware(0, machine)
    firmware.receive(0.0, DRIVE)
    firmware.collided(0.5)

    firmware.receive(0.6, DRIVE)

    assert machine.motor == 140


def test_a_watchdog_waits_for_some_time() -> None:
    with pytest.raises(ValueError, match="a watchdog waits a number of seconds > 0, not 0"):
        Firmware(0, Machine(), watchdog=0)
