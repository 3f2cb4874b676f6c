"""check_sensor passes sensors that keep their promises, and says which promise another breaks."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from kumi import Signal, sleep
from kumi.contract import Contact
from kumi.contract.readings import Range
from kumi.sensing import AskedSensor, PushSensor
from kumi.testing import check_sensor


class Ruler(AskedSensor[float]):
    """Tells the x of the body: a sensor that is as it should be."""

    def measure(self) -> float:
        return self.pose.position.x + self.chance.normal(0.0, 0.1)


class Knock(PushSensor[Contact]):
    """Tells of each contact: a push sensor that is as it should be."""

    def on_contact(self, contact: Contact) -> None:
        self.report(contact)


class Clock(PushSensor[float]):
    """Tells the x of the body once a period: a sampled sensor that is as it should be."""

    def sample(self) -> None:
        self.report(self.pose.position.x)


@pytest.mark.parametrize(
    "sensor",
    [Ruler(), Ruler(latency=0.3), Ruler(period=0.2), Knock(), Knock(latency=0.1), Clock(period=0.5)],
    ids=lambda sensor: type(sensor).__name__,
)
def test_a_sensor_that_keeps_its_promises_passes(sensor: Any) -> None:
    check_sensor(sensor)


class Nowhere:
    """Cannot be attached."""


class Shared(Ruler):
    """Attached twice it is the same."""

    def attached_to(self, body: Any, /) -> Any:
        self._body = body
        return self


class Both(Ruler):
    """Is asked and pushes."""

    @property
    def reports(self) -> Signal[float]:
        return Signal("both")


class Neither:
    """Is not asked and does not push."""

    def attached_to(self, body: Any, /) -> Any:
        return Neither()


class Lists(AskedSensor[list[float]]):
    """Gives what can be changed."""

    def measure(self) -> list[float]:
        return [*self.pose.position]


@dataclass
class Loose:
    """A reading that is not frozen."""

    x: float


class LooseInside(AskedSensor[tuple[Loose, ...]]):
    """Gives something frozen with something in it that is not."""

    def measure(self) -> tuple[Loose, ...]:
        return (Loose(self.pose.position.x),)


class Writable(AskedSensor[Any]):
    """Gives an array that can be written to."""

    def measure(self) -> Any:
        return np.zeros(3)


class Dice(AskedSensor[float]):
    """Draws from a generator that all share."""

    def measure(self) -> float:
        return random.random()


class NumpyDice(AskedSensor[float]):
    """Draws from another generator that all share."""

    def measure(self) -> float:
        return float(np.random.random())


class OwnDice(AskedSensor[float]):
    """Draws from a generator of its own, seeded by the machine."""

    def measure(self) -> float:
        return random.Random().random()


class Remembers(AskedSensor[float]):
    """Keeps something for all robots together."""

    counts: dict[str, int] = {}  # noqa: RUF012

    def measure(self) -> float:
        self.counts["asked"] = self.counts.get("asked", 0) + 1
        return float(self.counts["asked"])


class SharesAcrossRobots(AskedSensor[float]):
    """Keeps something for all robots of one run together, in the world."""

    def measure(self) -> float:
        asked = getattr(self.world, "asked", 0) + 1
        self.world.asked = asked  # type: ignore[attr-defined]
        return float(asked)


class Early(AskedSensor[float]):
    """Says it has a latency, and has none."""

    def measure(self) -> float:
        return self.pose.position.x

    async def read(self) -> float:
        return self.measure()


class Late(AskedSensor[float]):
    """Measures when the latency is over."""

    def measure(self) -> float:
        return self.pose.position.x

    async def read(self) -> float:
        await sleep(self.latency)
        return self.measure()


class OffBeat(AskedSensor[float]):
    """Says it has a period, and answers at any time."""

    def measure(self) -> float:
        return self.pose.position.x

    async def read(self) -> float:
        return self.measure()


class LateKnock(Knock):
    """Reports a contact later than it says."""

    def report(self, value: Contact) -> None:
        self.world.schedule(self.world.now + 0.1, partial(super().report, value))


class Poller(PushSensor[Range]):
    """Claims to be exact, and polls."""

    def listen(self) -> None:
        self.was_near = False
        self.world.schedule(self.world.now + 0.05, self.look)

    def look(self) -> None:
        is_near = self.pose.position.x > 4.0
        if is_near and not self.was_near:
            self.report(Range(1.0, True))
        self.was_near = is_near
        self.world.schedule(self.world.now + 0.05, self.look)


class OffTick(PushSensor[float]):
    """Says it has a period, and looks at others."""

    def sample(self) -> None:
        self.world.schedule(self.world.now + 0.01, partial(self.report, self.pose.position.x))


BROKEN: list[tuple[Callable[[], Any], str]] = [
    (Nowhere, "Nowhere has no attached_to(body), so no robot can carry it"),
    (Shared, "Shared.attached_to gives the same sensor twice; each body needs a copy of its own"),
    (Both, "Both has both read() and reports: it is asked, or it pushes, never both"),
    (Neither, "Neither has neither read() nor reports: it is asked, or it pushes"),
    (Lists, "in which there is a list: a reading is frozen, since many may hold it"),
    (LooseInside, "in which there is a Loose that is not frozen"),
    (Writable, "in which there is an array that can be written to"),
    (Dice, "Dice draws from random, which the whole process shares"),
    (NumpyDice, "NumpyDice draws from numpy.random, which the whole process shares"),
    (OwnDice, "OwnDice told other things in a second run with the same seed (0)"),
    (Remembers, "Remembers told other things in a second run with the same seed (0)"),
    (SharesAcrossRobots, "tells other things when another robot uses the same sensor"),
    (partial(Early, latency=0.5), "Early has a latency of 0.5 s, but the answer to t = 0.3 s came at 0.3 s"),
    (
        partial(Late, latency=0.5),
        "Late was asked at t = 0.3 s and told 2.8, but the state at that instant gives 2.3",
    ),
    (
        partial(OffBeat, period=0.2),
        "OffBeat has a period of 0.2 s, but looked at t = 0.3 s, which is no multiple",
    ),
    (LateKnock, "its latency is 0 s"),
    (Poller, "Poller looks again and again while nothing happens (4 times until t = 0.15 s)"),
    (partial(OffTick, period=0.5), "OffTick has a period of 0.5 s, but looked at t = 0.01 s"),
]


@pytest.mark.parametrize(("make", "sentence"), BROKEN, ids=[sentence.split()[0] for _, sentence in BROKEN])
def test_a_broken_promise_is_named(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(AssertionError) as error:
        check_sensor(make())
    assert sentence in str(error.value)
