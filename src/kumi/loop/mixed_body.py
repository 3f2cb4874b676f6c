"""What is the body of a real robot to its program?

The motor, what feels touches, and the sensors, each of the kind that was chosen for it, behind the same contract as any
body: name, number and chance are those of the counterpart, so a program cannot tell the difference. Where the robot is,
and where its places are, goes by the tracking source where there is one, and else by the robot's own reckoning.

Real contacts are those of the robot's switches. Virtual ones are those of its counterpart: who drives into it, and what
it is driven into. That stops the robot, as a real contact does, after the way that it rolls on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial, reduce
from operator import or_
from typing import Any

from kumi.contract import (
    Asked,
    Blocked,
    Body,
    BodyAround,
    Command,
    Contact,
    Follow,
    MoveTo,
    Pushed,
    Sample,
    Track,
)
from kumi.devs import Signal, Stream, until
from kumi.geometry import Point, as_point
from kumi.link.linked_body import LinkedBody
from kumi.loop.choices import Kind
from kumi.loop.counterpart import Counterpart, Tracking
from kumi.loop.devices import RealRobot
from kumi.sensing import PushSensor
from kumi.world import SimulatedBody

CONTACTS = "contacts"
"""The device that feels touches, by the name that a program has for it."""


class MixedBody(BodyAround[SimulatedBody]):
    """A robot's body, for its program, of the devices that were chosen for it; `twin` is its body in the world.

    Without a counterpart the motor is that of the twin. `contacts` is the kind of what feels touches.
    """

    def __init__(
        self,
        linked: LinkedBody,
        twin: SimulatedBody,
        motor: Body,
        counterpart: Counterpart | None,
        contacts: Kind,
        sensors: Mapping[str, Asked[Any] | Pushed[Any]],
        on_rest: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(twin)
        self._motor = motor
        self._counterpart = counterpart
        self._touched: Signal[Contact] = Signal(f"{twin.name}.touched")
        self._touch: Contact | None = None
        self._is_awaited = False
        self._on_rest = on_rest
        self._felt = self._contacts(contacts, linked)
        self._sensors = sensors

    @property
    def contacts(self) -> Signal[Contact]:
        """Each contact, real or virtual as was chosen."""
        return self._felt

    @property
    def sensors(self) -> Mapping[str, Asked[Any] | Pushed[Any]]:
        """Its sensors by name, each of its kind."""
        return self._sensors

    @property
    def position(self) -> Point:
        """Where it believes it is."""
        return self.body.position if self._counterpart is None else self._counterpart.believed.position

    @property
    def heading(self) -> float:
        """Where it believes it looks."""
        return self.body.heading if self._counterpart is None else self._counterpart.believed.heading

    @property
    def is_moving(self) -> bool:
        """Whether a motion is under way."""
        return self._motor.is_moving

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await."""
        return self._motor.carry_out(command) if self._counterpart is None else self._carry_out(command)

    async def _carry_out(self, command: Command) -> Point:
        self._touch, self._is_awaited = None, True
        try:
            with until(self._touched):
                await self._motor.carry_out(self._told(command))
                self._on_rest()
                return self.position
        finally:
            self._is_awaited = False
        touch = self._touch
        assert touch is not None
        raise Blocked(touch.at, touch.by, touch.bearing, touch.number)

    def steer(self, command: Command) -> None:
        """Drive on without being awaited."""
        self._motor.steer(command)

    def stop(self) -> None:
        """End the motion under way."""
        self._motor.stop()

    def _contacts(self, kind: Kind, linked: LinkedBody) -> Signal[Contact]:
        """Return what tells of contacts."""
        counterpart = self._counterpart
        if counterpart is None:
            return self.body.contacts
        if kind == "real":
            return linked.contacts
        counterpart.on_touch = self._feel
        virtual = self.body.contacts | self._touched
        return virtual if kind == "virtual" else virtual | linked.contacts

    def _feel(self, touch: Contact) -> None:
        """Tell of a contact of the counterpart, also its virtual bumpers, and end the motion under way."""
        self._touch = touch
        for sensor in self.body.sensors.values():
            if isinstance(sensor, PushSensor):
                sensor.on_contact(touch)
        self._touched.fire(touch)
        if not self._is_awaited:
            self._motor.stop()

    def _told(self, command: Command) -> Command:
        """Return a command with its places as the real robot reckons them."""
        assert self._counterpart is not None
        place = self._counterpart.reckoned_place
        match command:
            case MoveTo(goal, speed, turn_speed):
                return MoveTo(place(as_point(goal, "a goal")), speed, turn_speed)
            case Follow(path, speed, turn_speed):
                return Follow(tuple(place(as_point(one, "a goal")) for one in path), speed, turn_speed)
            case Track(samples):
                turn = self.heading - self._counterpart.reckoned.heading
                return Track(
                    tuple(Sample(one.time, place(as_point(one.at)), one.heading - turn) for one in samples)
                )
            case _:
                return command


def mixed(real: RealRobot, twin: SimulatedBody, tracking: Tracking | None) -> MixedBody:
    """Return the body of a real robot, of the devices that were chosen for it; `twin` is its body in the world."""
    motor = real.motor(twin, tracking)
    sensors = {
        name: sensor_of(real, name, sensor, real.choices[name]) for name, sensor in twin.sensors.items()
    }
    rest = partial(_rest, real)
    return MixedBody(real.body, twin, motor, real.counterpart, real.choices[CONTACTS], sensors, rest)


def _rest(real: RealRobot) -> None:
    real.on_rest()


class JoinedSensors:
    """Several sensors that report presses, as one."""

    def __init__(self, sensors: list[Pushed[Any]]) -> None:
        self.reports: Signal[Any] = reduce(or_, [sensor.reports for sensor in sensors])

    @property
    def pressed(self) -> Signal[Any]:
        """Each press, at its instant."""
        return self.reports

    def wait_pressed(self) -> Awaitable[Any]:
        """Wait for the next press."""
        return self.reports.next()

    def __aiter__(self) -> Stream[Any]:
        return self.reports.__aiter__()


def sensor_of(
    real: RealRobot, name: str, virtual: Asked[Any] | Pushed[Any], kind: Kind
) -> Asked[Any] | Pushed[Any]:
    """Return a sensor of a robot, of the kind that was chosen for it."""
    if is_asked(virtual):
        return real.asked(kind, name, virtual)  # type: ignore[arg-type]  # it has `read`, so it is asked
    found = real.pushed(kind, name, [virtual])  # type: ignore[list-item]  # it has none, so it reports
    return found[0] if len(found) == 1 else JoinedSensors(found)


def is_asked(sensor: object) -> bool:
    """Tell whether a sensor answers when it is asked; another reports on its own."""
    return hasattr(sensor, "read")
