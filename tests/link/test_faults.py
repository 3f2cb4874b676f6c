"""Sensors that are wrong tell what their fault says; lines are late by their latency, and clocks go at their rate."""

from __future__ import annotations

from collections.abc import Callable
from math import radians

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.link.calibration import Calibration
from kumi.link.devices import STOP, Device
from kumi.link.emulators import Hardware
from kumi.link.emulators.faults import FaultyDevices, SensorFault, read_faults
from kumi.link.line import Line
from kumi.world import World

CALIBRATION = Calibration.default()


class Shown:
    """Devices that show what they are told to."""

    def __init__(self) -> None:
        self.values: dict[Device, int] = {}
        self.motor = STOP
        self.on_collision: Callable[[], object] | None = None

    def read(self, device: Device) -> int:
        return self.values[device]

    def write(self, device: Device, value: int) -> None:
        self.values[device] = value


def faulty(*texts: str) -> tuple[Shown, FaultyDevices]:
    shown = Shown()
    return shown, FaultyDevices(shown, CALIBRATION, read_faults(texts), Simulation().chance("faults"))


def distance(devices: FaultyDevices) -> float | None:
    return CALIBRATION.range_of(devices.read(Device.IR_FRONT))


def test_a_ranger_is_stretched_then_shifted() -> None:
    """40 cm times 1.1 and 5 cm more are 49 cm; a value means about a centimetre there."""
    shown, devices = faulty("front:scale=1.1,bias=0.05")
    shown.values[Device.IR_FRONT] = CALIBRATION.ir_value(0.4)

    assert distance(devices) == pytest.approx(0.49, abs=0.005)


def test_dead_sensors_tell_nothing() -> None:
    shown, devices = faulty("front:dead", "encoder:dead", "steering:dead", "bumper:dead")
    devices.on_collision = lambda: None
    shown.values = {
        Device.IR_FRONT: CALIBRATION.ir_value(0.4),
        Device.ENCODER: 100,
        Device.POTENTIOMETER: 600,
        Device.SWITCHES: 1,
    }

    assert distance(devices) is None
    assert devices.read(Device.ENCODER) == 100
    shown.values[Device.ENCODER] = 900
    assert devices.read(Device.ENCODER) == 100
    assert CALIBRATION.pot_angle(devices.read(Device.POTENTIOMETER)) == 0.0
    assert devices.read(Device.SWITCHES) == 0
    assert shown.on_collision is None


@given(st.lists(st.integers(-900, 900), max_size=40), st.sampled_from([0.5, 0.9, 1.1, 2.0]))
def test_an_encoder_that_is_stretched_counts_on_past_its_two_bytes(steps: list[int], scale: float) -> None:
    shown, devices = faulty(f"encoder:scale={scale}")
    shown.values[Device.ENCODER] = 65_000
    devices.read(Device.ENCODER)
    for step in steps:
        shown.values[Device.ENCODER] = (shown.values[Device.ENCODER] + step) & 0xFFFF
        devices.read(Device.ENCODER)

    expected = 65_000 + scale * sum(steps)
    off = (devices.read(Device.ENCODER) - expected + 32_768) % 65_536 - 32_768
    assert abs(off) <= 0.5 + 1e-6


def test_the_noise_of_a_ranger_has_its_deviation() -> None:
    shown, devices = faulty("front:noise=0.02")
    shown.values[Device.IR_FRONT] = CALIBRATION.ir_value(0.3)
    read = [distance(devices) or 0.0 for _ in range(500)]
    mean = sum(read) / len(read)
    deviation = (sum((one - mean) ** 2 for one in read) / (len(read) - 1)) ** 0.5

    assert mean == pytest.approx(0.3, abs=0.01)
    assert deviation == pytest.approx(0.02, rel=0.15)


def test_angles_may_be_given_in_degrees() -> None:
    assert read_faults(["steering:bias_deg=3"]) == {Device.POTENTIOMETER: SensorFault(bias=radians(3.0))}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nose:dead", "'nose:dead' names no sensor of a packet robot; it has front"),
        ("front", "'front' is not a fault such as front:bias=0.05"),
        ("front:bias=wide", "'front:bias=wide' is not a fault such as"),
        ("front:noise=-1", "'front:noise=-1' is not a fault such as"),
        ("front:bias_deg=1", "'front:bias_deg=1' is not a fault such as"),
        ("bumper:bias=1", "'bumper:bias=1': the faults of this sensor are dead alone"),
        ("encoder:bias=1", "'encoder:bias=1': the faults of this sensor are scale, noise and dead"),
    ],
)
def test_what_is_no_fault_is_said_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"\.*") as error:
        read_faults([text])
    assert str(error.value).startswith(said)


def test_a_byte_arrives_after_its_time_and_the_latency() -> None:
    """Ten bits at 9600 a second are 1/960 s; 30 ms of latency come after that, and do not hold up the next byte."""
    line = Line(9600, latency=0.03)
    first, second = line.send(0.0, b"a")[0], line.send(0.0, b"b")[0]

    assert first.time == pytest.approx(1 / 960 + 0.03)
    assert second.time == pytest.approx(2 / 960 + 0.03)
    with pytest.raises(ValueError, match="latency of a line is a number of seconds >= 0, not -1"):
        Line(9600, latency=-1)


def test_a_clock_gains_by_its_rate() -> None:
    world = World(width=4.0, height=3.0)
    hardware = Hardware(world, CALIBRATION, at=(1.0, 1.0), clock_offset=2.0, clock_rate=1.5)
    with Simulation(world) as simulation:
        simulation.run(4.0)
        assert hardware.read(Device.CLOCK) == 8000
