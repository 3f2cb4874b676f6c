"""What does a robot at the other end of a link perceive, for its program?

The same kinds of readings as simulated sensors give. Rangers, encoder and steering are asked over the link, and
the answer takes its time; `rangers` asks all six in one packet. The bumper reports on its own. A robot that
does not answer raises LinkLost.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Protocol

from kumi.contract import Asked, Pushed
from kumi.contract.readings import Counts, Pressed, Range
from kumi.kernel import Signal, Stream
from kumi.link.calibration import Calibration
from kumi.link.devices import RANGERS, Device, Read
from kumi.link.panel import WRAP, Panel


class Owner(Protocol):
    """What sensors need of their body."""

    @property
    def remote(self) -> Panel:
        """The robot to ask."""

    @property
    def calibration(self) -> Calibration:
        """What its numbers mean."""

    @property
    def bumper(self) -> LinkedBumper:
        """Its bumper."""


def linked_sensors(body: Owner, aliases: Mapping[str, str]) -> Mapping[str, Asked[Any] | Pushed[Any]]:
    """Return the sensors of a packet robot by name, and by further names."""
    sensors: dict[str, Asked[Any] | Pushed[Any]] = {
        device.name.removeprefix("IR_").lower(): LinkedRanger(body.remote, body.calibration, device)
        for device in RANGERS
    }
    sensors["rangers"] = LinkedRangers(body.remote, body.calibration)
    sensors["encoder"] = LinkedEncoder(body.remote)
    sensors["steering"] = LinkedSteering(body.remote, body.calibration)
    sensors["bumper"] = body.bumper
    for alias, name in aliases.items():
        if name not in sensors:
            raise ValueError(f"{alias!r} cannot stand for {name!r}: the sensors are {', '.join(sensors)}")
    return sensors | {alias: sensors[name] for alias, name in aliases.items()}


class LinkedRanger:
    """One of the six rangers."""

    def __init__(self, panel: Panel, calibration: Calibration, device: Device) -> None:
        self._panel, self._calibration, self._device = panel, calibration, device

    async def read(self) -> Range:
        """Return the distance to what is ahead of it."""
        answer = await self._panel.ask(Read(self._device))
        return range_of(answer[self._device], self._calibration)


class LinkedRangers:
    """All six rangers, in the order of their addresses."""

    def __init__(self, panel: Panel, calibration: Calibration) -> None:
        self._panel, self._calibration = panel, calibration

    async def read(self) -> tuple[Range, ...]:
        """Return six distances that were measured together."""
        answer = await self._panel.ask(*(Read(device) for device in RANGERS))
        return tuple(range_of(answer[device], self._calibration) for device in RANGERS)


class LinkedEncoder:
    """The encoder at the front wheel, counted on past its two bytes since it was read first."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self._raw: int | None = None
        self._counts = 0

    async def read(self) -> Counts:
        """Return how far the wheel has turned, as one count for both sides."""
        raw = (await self._panel.ask(Read(Device.ENCODER)))[Device.ENCODER]
        before = raw if self._raw is None else self._raw
        self._counts += (raw - before + WRAP // 2) % WRAP - WRAP // 2
        self._raw = raw
        return Counts(self._counts, self._counts)


class LinkedSteering:
    """The potentiometer at the front wheel."""

    def __init__(self, panel: Panel, calibration: Calibration) -> None:
        self._panel, self._calibration = panel, calibration

    async def read(self) -> float:
        """Return the angle of the front wheel in radians, to the left above 0."""
        answer = await self._panel.ask(Read(Device.POTENTIOMETER))
        return self._calibration.pot_angle(answer[Device.POTENTIOMETER])


class LinkedBumper:
    """The switches around the body, which report when one closes."""

    def __init__(self, name: str) -> None:
        self.reports: Signal[Pressed] = Signal(name)

    @property
    def pressed(self) -> Signal[Pressed]:
        """Each press, at its instant."""
        return self.reports

    def wait_pressed(self) -> Awaitable[Pressed]:
        """Wait for the next press."""
        return self.reports.next()

    def __aiter__(self) -> Stream[Pressed]:
        return self.reports.__aiter__()

    def press(self, now: float, bearing: float) -> None:
        """Report a press."""
        self.reports.fire(Pressed(now, bearing))


def range_of(value: int, calibration: Calibration) -> Range:
    """Return the reading that a ranger's value means."""
    distance = calibration.range_of(value)
    return Range(calibration.reach[1], False) if distance is None else Range(distance, True)
