"""What does a robot tell whose sensors are wrong?

A fault stands between the program of an emulated robot and one of its sensors: what is measured is stretched by a
`scale`, shifted by a `bias` and made uncertain by `noise`, a standard deviation; a `dead` sensor tells nothing. Rangers
and the encoder are in metres, the steering is in radians. A dead ranger sees nothing, a dead encoder stands still, a
dead potentiometer tells straight ahead, and dead switches feel nothing.

As text: `front:bias=0.05`, `front_left:scale=1.1,noise=0.02`, `steering:bias_deg=3`, `bumper:dead`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite, radians

from kumi.devs import Chance
from kumi.link.calibration import Calibration
from kumi.link.device_io import counts_between
from kumi.link.devices import RANGERS, Device
from kumi.link.emulators.packet_robot import RobotDevices

SENSORS: Mapping[str, Device] = {
    **{device.name.removeprefix("IR_").lower(): device for device in RANGERS},
    "encoder": Device.ENCODER,
    "steering": Device.POTENTIOMETER,
    "bumper": Device.SWITCHES,
}
"""The sensors of a packet robot by name."""
DEAD = "dead"
DEGREES = "_deg"
MOST_READING = 1023


@dataclass(frozen=True)
class SensorFault:
    """What is wrong with a sensor."""

    bias: float = 0.0
    scale: float = 1.0
    noise: float = 0.0
    dead: bool = False


NUMBERS = ("bias", "scale", "noise")


def read_faults(texts: Iterable[str]) -> dict[Device, SensorFault]:
    """Return the faults of sensors that texts describe, or say in a sentence what is wrong with one."""
    found: dict[Device, SensorFault] = {}
    for text in texts:
        name, _, words = text.partition(":")
        if name not in SENSORS:
            raise ValueError(f"{text!r} names no sensor of a packet robot; it has {', '.join(SENSORS)}")
        device = SENSORS[name]
        found[device] = _read(text, words, device, found.get(device, SensorFault()))
    return found


def _read(text: str, words: str, device: Device, fault: SensorFault) -> SensorFault:
    for word in words.split(","):
        key, _, number = word.strip().partition("=")
        if word.strip() == DEAD:
            fault = replace(fault, dead=True)
            continue
        in_degrees = device is Device.POTENTIOMETER and key.endswith(DEGREES)
        name = key.removesuffix(DEGREES) if in_degrees else key
        try:
            value = float(number)
        except ValueError:
            value = inf
        if name not in NUMBERS or not isfinite(value) or (name == "noise" and value < 0.0):
            raise ValueError(
                f"{text!r} is not a fault such as front:bias=0.05, front:scale=1.1, front:noise=0.02 or front:dead"
            )
        if device is Device.SWITCHES or (device is Device.ENCODER and name == "bias"):
            kinds = "dead alone" if device is Device.SWITCHES else "scale, noise and dead"
            raise ValueError(f"{text!r}: the faults of this sensor are {kinds}")
        numbers = {one: getattr(fault, one) for one in NUMBERS}
        numbers[name] = radians(value) if in_degrees else value
        fault = SensorFault(**numbers, dead=fault.dead)
    return fault


class FaultyDevices:
    """The devices of a robot, some of whose sensors are wrong."""

    def __init__(
        self,
        devices: RobotDevices,
        calibration: Calibration,
        faults: Mapping[Device, SensorFault],
        chance: Chance,
    ) -> None:
        self._devices, self._calibration = devices, calibration
        self._faults, self._chance = faults, chance
        self._counted = 0.0  # what the faulty encoder shows
        self._raw: int | None = None

    @property
    def motor(self) -> int:
        """The byte that the motor was given last."""
        return self._devices.motor

    @property
    def on_collision(self) -> Callable[[], object] | None:
        """Called when a switch closes; never where switches are dead."""
        return self._devices.on_collision

    @on_collision.setter
    def on_collision(self, told: Callable[[], object] | None) -> None:
        is_dead = self._faults.get(Device.SWITCHES, SensorFault()).dead
        self._devices.on_collision = None if is_dead else told

    def write(self, device: Device, value: int) -> None:
        """Give a byte to a device."""
        self._devices.write(device, value)

    def read(self, device: Device) -> int:
        """Return what a device tells."""
        value, fault = self._devices.read(device), self._faults.get(device)
        if fault is None:
            return value
        if device is Device.SWITCHES:
            return 0 if fault.dead else value
        if device is Device.ENCODER:
            return self._count(value, fault)
        if device is Device.POTENTIOMETER:
            angle = 0.0 if fault.dead else self._wrong(self._calibration.pot_angle(value), fault)
            return _ten_bits(self._calibration.potentiometer.raw_of(angle))
        distance = self._calibration.range_of(value)
        if fault.dead or distance is None:
            return self._calibration.nothing
        return self._calibration.ir_value(max(self._wrong(distance, fault), 0.0))

    def _wrong(self, value: float, fault: SensorFault) -> float:
        off = self._chance.normal(0.0, fault.noise) if fault.noise else 0.0
        return fault.scale * value + fault.bias + off

    def _count(self, raw: int, fault: SensorFault) -> int:
        """Return the counts so far, of each way since the last reading a wrong one."""
        step = 0 if self._raw is None else counts_between(self._raw, raw)
        if self._raw is None:
            self._counted = float(raw)
        self._raw = raw
        if step and not fault.dead:
            way = self._calibration.distance_of(step)
            self._counted += self._calibration.counts_of(self._wrong(way, fault))
        return round(self._counted) & 0xFFFF


def _ten_bits(value: float) -> int:
    return min(max(round(value), 0), MOST_READING)
