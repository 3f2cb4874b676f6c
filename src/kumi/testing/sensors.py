"""Does a sensor keep its promises?

A sensor is made apart from any robot, and attached to several it is several. It is asked, or it pushes,
never both. Its readings are frozen and depend on the state, the seed and the body's chance alone. An asked
sensor answers after its latency, with the state of the instant of asking. A push sensor without a period
reports at the instant of what it reports, and costs nothing while nothing happens.

The room has a wall, a pillar and a hole. The robot that is tried drives about, turns, backs up and runs into
the wall; the other passes it, and at last runs into it. All of it is the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from copy import copy
from math import pi
from typing import Any, NamedTuple

from kumi.contract import Blocked, Command, Forward, MoveTo, Turn
from kumi.contract.readings import NoReading
from kumi.devs import Simulation, now, sleep, sleep_until
from kumi.geometry import Circle, Disc
from kumi.motion import Wheel
from kumi.sensing import Sensor
from kumi.testing.demands import demand, no_other_chance, what_can_change
from kumi.world import Hole, Map, Pillar, SimulatedBody, Wall, World

FIRST_WAIT = 0.3
PAUSE = 0.7
"""Seconds between two questions, more where the latency is longer."""

LONG_WAY = 1000.0
FEW_READINGS = 3
"""So many instants at most in a long time in which nothing happens."""


class SensorAnswer(NamedTuple):
    """What a sensor told: when it was asked (a push sensor: when it told), when the answer came, and it."""

    asked: float
    time: float
    value: Any


def check_sensor(sensor: Sensor, *, seed: int = 0) -> None:
    """Raise AssertionError, with a sentence, where a sensor of your own breaks a promise.

    It is tried in a room with walls and another robot. What it cannot meet there, such as light, is not
    checked: its values are your own business.
    """
    who = type(sensor).__name__
    is_asked = _check_attaching(sensor, who)
    tell = _answers if is_asked else _reports
    with no_other_chance(who):
        told = tell(sensor, seed)
    _check_values(who, told)
    demand(
        told == tell(sensor, seed),
        f"{who} told other things in a second run with the same seed ({seed}); "
        f"its readings may depend on the state and on the body's chance alone",
    )
    demand(
        told == tell(sensor, seed, beside=True),
        f"{who} tells other things when another robot uses the same sensor; what it keeps belongs to "
        f"the attached copy: set it in start()",
    )
    (_check_asked if is_asked else _check_pushed)(sensor, who, told, seed)


def _check_attaching(sensor: Sensor, who: str) -> bool:
    """Check that attached twice it is two, and return whether it is asked."""
    demand(hasattr(sensor, "attached_to"), f"{who} has no attached_to(body), so no robot can carry it")
    ground = ProvingGround(0)
    one, other = sensor.attached_to(ground.tried), sensor.attached_to(ground.passer)
    demand(
        len({id(sensor), id(one), id(other)}) == 3,
        f"{who}.attached_to gives the same sensor twice; each body needs a copy of its own",
    )
    is_asked, pushes = hasattr(one, "read"), hasattr(one, "reports")
    demand(is_asked or pushes, f"{who} has neither read() nor reports: it is asked, or it pushes")
    demand(
        not (is_asked and pushes), f"{who} has both read() and reports: it is asked, or it pushes, never both"
    )
    ground.simulation.close()
    return is_asked


def _answers(sensor: Sensor, seed: int, *, beside: bool = False) -> list[SensorAnswer]:
    """Ask again and again while the robots move."""
    told: list[SensorAnswer] = []
    pause = max(PAUSE, 1.5 * _latency(sensor), 1.5 * (_period(sensor) or 0.0))

    async def ask(one: Any, told: list[SensorAnswer]) -> None:
        for number in range(int((DURATION - FIRST_WAIT) / pause)):
            await sleep_until(FIRST_WAIT + number * pause)
            asked = now()
            try:
                value = await one.read()
            except NoReading as nothing:
                value = str(nothing)
            told.append(SensorAnswer(asked, now(), value))

    _try_out(sensor, seed, ask, told, beside)
    return told


def _reports(
    sensor: Sensor, seed: int, *, beside: bool = False, with_beat: bool = False
) -> list[SensorAnswer]:
    """Listen while the robots move."""
    told: list[SensorAnswer] = []

    async def listen(one: Any, told: list[SensorAnswer]) -> None:
        async for value in one.reports:
            told.append(SensorAnswer(now(), now(), value))  # noqa: PERF401

    _try_out(sensor, seed, listen, told, beside, with_beat)
    return told


def _try_out(
    sensor: Sensor,
    seed: int,
    use: Callable[[Any, list[SensorAnswer]], Any],
    told: list[SensorAnswer],
    beside: bool,
    with_beat: bool = False,
) -> None:
    ground = ProvingGround(seed)
    ground.start(use, _carried(sensor, ground.tried), told)
    if beside:
        ground.start(use, _carried(sensor, ground.passer), [])
    if with_beat:
        ground.start(beat, 0.0137)
    ground.move()
    ground.run()


def _carried(sensor: Sensor, body: SimulatedBody) -> Any:
    one = sensor.attached_to(body)
    body.sensors = {"tried": one}
    return one


def _check_values(who: str, told: list[SensorAnswer]) -> None:
    for _, time, value in told:
        changeable = what_can_change(value)
        demand(
            changeable is None,
            f"{who} told {value!r} at t = {time:g} s, in which there is {changeable}: "
            f"a reading is frozen, since many may hold it",
        )


def _check_asked(sensor: Sensor, who: str, told: list[SensorAnswer], seed: int) -> None:
    latency, period = _latency(sensor), _period(sensor)
    for asked, time, _ in told:
        if period is None:
            demand(
                time == asked + latency,
                f"{who} has a latency of {latency:g} s, but the answer to t = {asked!r} s came at {time!r} s",
            )
        else:
            _check_tick(who, time - latency, period)
            demand(
                time - latency < asked + period * (1.0 + 1e-9),
                f"{who} has a period of {period:g} s, but was asked at t = {asked!r} s and looked at {time - latency!r} s",
            )
    if latency > 0.0 and period is None:
        _check_instant(sensor, who, told, seed)


def _check_instant(sensor: Sensor, who: str, told: list[SensorAnswer], seed: int) -> None:
    """Compare the answers with those of the same sensor without latency, asked at the same instants."""
    quick: Any = copy(sensor)
    quick.latency = 0.0
    for late, at_once in zip(told, _answers(quick, seed), strict=False):
        if late.asked == at_once.asked:
            demand(
                late.value == at_once.value,
                f"{who} was asked at t = {late.asked:g} s and told {late.value!r}, but the state at that "
                f"instant gives {at_once.value!r}: measure when asked, not when the latency is over",
            )


def _check_pushed(sensor: Sensor, who: str, told: list[SensorAnswer], seed: int) -> None:
    latency, period = _latency(sensor), _period(sensor)
    for _, time, value in told:
        if period is not None:
            _check_tick(who, time - latency, period)
        said = getattr(value, "time", None)
        demand(
            said is None or abs(said + latency - time) <= 1e-9 * max(1.0, time),
            f"{who} reported at t = {time!r} s what happened at {said!r} s; its latency is {latency:g} s",
        )
    if period is None:
        demand(
            told == _reports(sensor, seed, with_beat=True),
            f"{who} reports at other instants when something else happens in between: without a period it "
            f"reports at the instant of the event, not when it happens to look",
        )
        _check_costs_nothing(sensor, who, seed)


def _check_costs_nothing(sensor: Sensor, who: str, seed: int) -> None:
    ground = ProvingGround(seed)

    async def listen(one: Any) -> None:
        async for _ in one.reports:
            pass

    ground.start(listen, _carried(sensor, ground.tried))
    with ground.simulation as simulation:
        instants = 0
        while simulation.next_time <= LONG_WAY and instants <= FEW_READINGS:
            simulation.advance()
            instants += 1
    demand(
        instants <= FEW_READINGS,
        f"{who} looks again and again while nothing happens ({instants} times until t = {simulation.now:g} s); "
        f"a push sensor without a period costs nothing then",
    )


def _check_tick(who: str, instant: float, period: float) -> None:
    tick = instant / period
    demand(
        abs(tick - round(tick)) <= 1e-6,
        f"{who} has a period of {period:g} s, but looked at t = {instant!r} s, which is no multiple of it",
    )


def _latency(sensor: Any) -> float:
    return float(getattr(sensor, "latency", 0.0))


def _period(sensor: Any) -> float | None:
    period = getattr(sensor, "period", None)
    return None if period is None else float(period)


DURATION = 30.0
"""Seconds until both robots have come to rest."""

TRIAL_ROOM = Map(
    10.0,
    10.0,
    obstacles=[Wall((8.0, 2.0), (8.0, 8.0), 0.2, "wall"), Pillar((2.0, 2.0), 0.5, "pillar")],
    terrain=[Hole(Circle((5.0, 9.0), 0.5), "hole")],
)

TRIED: tuple[Command, ...] = (
    Forward(3.0),
    Turn(pi / 2, 1.0),
    Forward(1.0, 0.5),
    Forward(-1.0),
    Turn(-pi / 2),
    Forward(9.0),
    Forward(-2.0),
)
PASSER: tuple[Command, ...] = (
    MoveTo((5.0, 3.9)),
    MoveTo((2.0, 6.5)),
    MoveTo((5.7, 3.0), 2.0),
    MoveTo((5.7, 8.0)),
)


class ProvingGround:
    """The room, with a simulation of it and its two bodies."""

    def __init__(self, seed: int) -> None:
        self.world = World(TRIAL_ROOM)
        self.simulation = Simulation(self.world, seed=seed)
        self.tried = self.world.add_body((2.0, 5.0), shape=Disc(0.2), drive=Wheel(), name="tried")
        self.passer = self.world.add_body((7.0, 5.0), shape=Disc(0.2), drive=Wheel(), name="passer")

    def move(self) -> None:
        """Let both robots do their errands."""
        self.simulation.start(_errand, self.tried, TRIED)
        self.simulation.start(_errand, self.passer, PASSER)

    def start(self, program: Callable[..., Coroutine[Any, Any, Any]], *arguments: Any) -> None:
        """Start a program beside them."""
        self.simulation.begin_task(program, arguments, name=None, parent=None, on_end=None)

    def run(self, until: float = DURATION) -> None:
        """Run to a time, and end what is left."""
        with self.simulation:
            self.simulation.run(until)


async def _errand(body: SimulatedBody, commands: tuple[Command, ...]) -> None:
    for command in commands:
        try:
            await body.carry_out(command)
        except Blocked:
            await sleep(0.25)


async def beat(period: float) -> None:
    """Make an instant happen each period, for nobody."""
    while True:
        await sleep(period)
