"""What stands behind a robot: a simulated body, a linked one, a recording."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from kumi.contract.commands import Command
from kumi.contract.events import Contact
from kumi.devs import Chance, Signal
from kumi.geometry import Point

T_co = TypeVar("T_co", covariant=True)


class Asked(Protocol[T_co]):
    """A sensor that answers when it is asked; on a real robot a question takes time."""

    def read(self) -> Awaitable[T_co]:
        """Ask, and wait for the answer."""


class Pushed(Protocol[T_co]):
    """A sensor that reports on its own."""

    @property
    def reports(self) -> Signal[Any]:
        """Each report, at its instant."""


class Body(Protocol):
    """What a robot needs of whatever moves for it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def number(self) -> int:
        """Its number among the robots, from 0."""

    @property
    def position(self) -> Point:
        """Where it believes it is."""

    @property
    def heading(self) -> float:
        """Where it believes it looks, in radians."""

    @property
    def is_moving(self) -> bool:
        """Whether a motion is under way."""

    @property
    def contacts(self) -> Signal[Contact]:
        """Each contact, at its instant and before the motion ends."""

    @property
    def chance(self) -> Chance:
        """Its own random numbers."""

    @property
    def sensors(self) -> Mapping[str, Asked[Any] | Pushed[Any]]:
        """Its sensors by name."""

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await: it begins then, and gives where it ended."""

    def steer(self, command: Command) -> None:
        """Drive on without being awaited."""

    def stop(self) -> None:
        """End the motion under way."""


B = TypeVar("B", bound=Body)


class BodyAround(Generic[B]):
    """A body around another one: it does and tells what that does, but for what a subclass says otherwise."""

    def __init__(self, body: B) -> None:
        self.body = body

    @property
    def name(self) -> str:
        """Its name."""
        return self.body.name

    @property
    def number(self) -> int:
        """Its number among the robots, from 0."""
        return self.body.number

    @property
    def position(self) -> Point:
        """Where it believes it is."""
        return self.body.position

    @property
    def heading(self) -> float:
        """Where it believes it looks, in radians."""
        return self.body.heading

    @property
    def is_moving(self) -> bool:
        """Whether a motion is under way."""
        return self.body.is_moving

    @property
    def contacts(self) -> Signal[Contact]:
        """Each contact, at its instant and before the motion ends."""
        return self.body.contacts

    @property
    def chance(self) -> Chance:
        """Its own random numbers."""
        return self.body.chance

    @property
    def sensors(self) -> Mapping[str, Asked[Any] | Pushed[Any]]:
        """Its sensors by name."""
        return self.body.sensors

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await: it begins then, and gives where it ended."""
        return self.body.carry_out(command)

    def steer(self, command: Command) -> None:
        """Drive on without being awaited."""
        self.body.steer(command)

    def stop(self) -> None:
        """End the motion under way."""
        self.body.stop()
