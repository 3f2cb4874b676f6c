"""check_body passes bodies that keep the laws of motion, and says which law another breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kumi import Signal, now, sleep
from kumi.contract import Blocked, Body, Busy, Command
from kumi.devs import Cut, Simulation
from kumi.geometry import Disc, Ellipse, Point, Polygon
from kumi.motion import Omni, Wheel
from kumi.testing import check_body
from kumi.world import Map, SimulatedBody, Wall, World


def simulated(**given: Any) -> tuple[Simulation, SimulatedBody]:
    world = World(Map(obstacles=[Wall((4.0, -2.0), (4.0, 2.0))]))
    return Simulation(world), world.add_body((0.5, 0.0), **{"drive": Wheel(), **given})


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"heading": 0.3},
        {"drive": Omni()},
        {"shape": Polygon([(0.2, 0.0), (-0.2, 0.1), (-0.2, -0.1)])},
        {"shape": Ellipse(0.4, 0.2)},
        {"shape": Disc(0.5)},
    ],
    ids=str,
)
def test_a_simulated_body_keeps_the_laws(given: dict[str, Any]) -> None:
    check_body(lambda: simulated(**given))


class Wrapped:
    """A body around a simulated one, for breaking one thing at a time."""

    def __init__(self, inner: SimulatedBody) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def carry_out(self, command: Command) -> Any:
        return self.inner.carry_out(command)


class RunsOn(Wrapped):
    """Goes on when its motion is left."""

    async def carry_out(self, command: Command) -> Point:
        if self.inner.is_moving:
            raise Busy(self.inner.name, "something", command)
        self.inner.steer(command)
        await sleep(100.0)
        return self.inner.position


class StopsLate(Wrapped):
    """Stops only at the next tenth of a second when its motion is left."""

    async def carry_out(self, command: Command) -> Point:
        try:
            return await self.inner.carry_out(command)
        except Cut:
            self.inner.teleport(self.inner.position + Point(0.01, 0.0))
            raise


class NeverBusy(Wrapped):
    """Lets the second motion replace the first."""

    def carry_out(self, command: Command) -> Any:
        if self.inner.is_busy:
            self.inner.stop()
        return self.inner.carry_out(command)


class RaisesOnStop(Wrapped):
    """Gives no place to who waits for a motion that was stopped."""

    async def carry_out(self, command: Command) -> Point:
        place = await self.inner.carry_out(command)
        if place.x == 1.0:
            raise Blocked(place, "stop()", 0.0, None)
        return place


class WontStop(Wrapped):
    """Has a stop() that does nothing."""

    def stop(self) -> None:
        pass


class Coarse(Wrapped):
    """Knows its place to a tenth of a metre."""

    @property
    def position(self) -> Point:
        x, y = self.inner.position
        return Point(round(x, 1), round(y, 1))


class Quiet(Wrapped):
    """Tells of no contact."""

    @property
    def contacts(self) -> Signal[Any]:
        return Signal("quiet")


class TellsLate(Wrapped):
    """Tells of a contact after the motion has ended."""

    def __init__(self, inner: SimulatedBody) -> None:
        super().__init__(inner)
        self.contacts: Signal[Any] = Signal("late")
        inner.on_contact(
            lambda contact: inner.world.schedule(now() + 0.01, lambda: self.contacts.fire(contact))
        )


class Arrives(Wrapped):
    """Says that it arrived where it was blocked."""

    async def carry_out(self, command: Command) -> Point:
        try:
            return await self.inner.carry_out(command)
        except Blocked:
            return self.inner.position


class WontSteer(Wrapped):
    """Takes no orders to steer."""

    def steer(self, command: Command) -> None:
        pass


BROKEN: list[tuple[Callable[[SimulatedBody], Any], str]] = [
    (RunsOn, "a motion was left, and the body is still moving; leaving a motion stops it"),
    (StopsLate, "a motion of 0.5 m/s that was left after 1 s is at (1.01, 0), 0.01 m from (1, 0)"),
    (NeverBusy, "a second motion was carried out while one was under way; it raises Busy"),
    (RaisesOnStop, "stop() was called, and the motion under way raised Blocked("),
    (WontStop, "stop() was called, and the body is still moving"),
    (Coarse, "a body on its way for 0.25 s is at (0.6, 0), 0.025 m from (0.625, 0), where it should be"),
    (Quiet, "but 0 contacts were told before"),
    (TellsLate, "but 0 contacts were told before"),
    (Arrives, "a motion without an end arrived; at an obstacle it raises Blocked"),
    (WontSteer, "a body was told to steer, and does not move"),
]


@pytest.mark.parametrize(("broken", "sentence"), BROKEN, ids=[broken.__name__ for broken, _ in BROKEN])
def test_a_broken_law_is_named(broken: Callable[[SimulatedBody], Body], sentence: str) -> None:
    def make() -> tuple[Simulation, Body]:
        simulation, body = simulated()
        return simulation, broken(body)

    with pytest.raises(AssertionError) as error:
        check_body(make)
    assert sentence in str(error.value)
