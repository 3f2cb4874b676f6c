"""How does one robot carry out its list, and where is it meanwhile?

A unit takes its steps one after the other and reads all devices a few times a second, also while it waits, so
the values are live and the robot never falls silent. Its place is dead reckoning from encoder and
potentiometer by exact arcs. A way ends by the encoder: the stop is sent when the rest of the way will be
rolled out, and how long the robot rolls on is learnt from each stop.

A robot that touches something, does not move, or is gone for longer than it may be gives up its list; a link
that comes back in time goes on where it was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from math import copysign, degrees, isinf
from typing import Literal, TypeVar

from kumi.contract import LinkLost
from kumi.control.steps import Aim, Go, ReadStep, Step, StopMotor, Wait, entries_of, name_of
from kumi.control.telling import Began, ListEnded, Looked, RobotValues, Telling, Trouble
from kumi.devs import now, sleep
from kumi.devs.errors import KumiError
from kumi.geometry import Pose, wrapped
from kumi.link.calibration import Calibration
from kumi.link.device_io import Panel
from kumi.link.devices import RANGERS, READABLE, Answer, Device, Read, Switch
from kumi.link.pilot import AIM_WITHIN, AIMED
from kumi.link.reckoning import Reckoning

EVERYTHING = tuple(Read(device) for device in READABLE)
PERIOD = 0.1
"""Seconds from one reading of all devices to the next."""
RECONNECT_PERIOD = 0.5
"""Seconds from one try to reach a robot that is gone to the next."""
GONE_TIMEOUT = 10.0
"""Seconds that a robot may be gone before it gives up its list; one that never answered gives up at once."""
STUCK_AFTER = 1.5
"""Seconds in which a robot that drives moves."""
ROLL = 0.1
"""Seconds that a robot rolls on after a stop, before the first stop has told."""
LEAST_MOVE = 0.005
"""Metres that count as moving."""

T = TypeVar("T")


class ListFailed(KumiError):
    """A robot cannot go on with its list."""


class Unit:
    """One robot of a session. `tell` takes what it has to say."""

    def __init__(
        self,
        name: str,
        panel: Panel,
        calibration: Calibration,
        pose: Pose,
        tell: Callable[[Telling], object],
    ) -> None:
        self.name = name
        self.calibration = calibration
        self.reckoning = Reckoning(calibration, pose)
        self.steps: deque[Step] = deque()
        self.speed = 0.0
        """How fast the front wheel goes, as last seen."""
        self.driving = 0.0
        """The speed that the motor was last told; 0 at rest."""
        self.is_closing = False
        """Whether the unit ends when its list is empty."""
        self.is_halted = False
        """Whether the unit drops its list and ends at once."""
        self._is_dropped = False
        self._has_failed = False
        self._panel = panel
        self._tell = tell
        self._last: Answer | None = None
        self._told_at = 0.0
        self._gone_at: float | None = None
        self._step = Go(0.0)
        self._coming: Step | None = None  # begun, and not yet seen in what motor and wheel do
        self._begin = 0.0
        self._goal: float | None = None  # how far the wheel will have gone at the end of the way under way
        self._waits_until = 0.0
        self._roll = ROLL
        self._moved, self._moved_at = 0.0, 0.0

    @property
    def pose(self) -> Pose:
        """Where the robot believes it is."""
        return Pose(self.reckoning.pose.position, wrapped(self.reckoning.pose.heading))

    @property
    def steering(self) -> float:
        """The angle of the front wheel."""
        return self.reckoning.steering

    @property
    def way(self) -> float:
        """How far the front wheel has gone, forward less back."""
        return self.calibration.distance_of(self.reckoning.counts)

    @property
    def plan(self) -> list[Step]:
        """What is left to do, beginning with what was begun: a turn of the wheel, the rest of a way or of a wait."""
        now_: list[Step] = [Go(self._rest, abs(self._step.speed_on(self.calibration)))] if self._rest else []
        if self._coming is not None:
            now_.append(self._coming)
        if self._waits_until > now():
            now_.append(Wait(self._waits_until - now()))
        return [*now_, *self.steps]

    @property
    def is_touching(self) -> bool:
        """Whether a switch of the robot is closed, as last read."""
        return self._last is not None and self._last[Device.SWITCHES] != 0

    @property
    def cruising(self) -> float:
        """The speed of a way without an end that is under way; 0 else."""
        return self.driving if self._goal is None else 0.0

    @property
    def _rest(self) -> float:
        """What is left of the way under way; the end of it the robot rolls, with its motor stopped."""
        left = 0.0 if self._goal is None else self._goal - self.way
        return left if left * self._step.way > 0.0 else 0.0

    def drop(self) -> None:
        """Drop the list, and stop at the next reading where a way or a wait is under way."""
        self.steps.clear()
        self._coming, self._is_dropped = None, True

    def halt(self) -> None:
        """Drop the list, stop, and end."""
        self.drop()
        self.is_halted = True

    async def run(self) -> None:
        """Carry the list out; with an empty one, read on until the unit is closed."""
        await self._try(partial(self._reach, self._tick))
        while not self.is_halted and (self.steps or not self.is_closing):
            if self.steps:
                await self._try(partial(self._do, self.steps.popleft()))
            else:
                await self._try(partial(self._reach, self._tick))
        if self._gone_at is None:
            await self._try(self._come_to_rest)
        self.speed = self.driving = 0.0
        end: Literal["done", "gave up", "stopped"] = "gave up" if self._has_failed else "done"
        self._tell(ListEnded(now(), self.name, "stopped" if self.is_halted else end))

    async def _try(self, attempt: Callable[[], Awaitable[None]]) -> None:
        """Do something; where the robot cannot go on, tell it and drop the list."""
        try:
            await attempt()
        except ListFailed as error:
            self._has_failed = True
            self.steps.clear()
            self._waits_until = self.driving = 0.0
            self._coming = self._goal = None
            self._tell(Trouble(now(), self.name, str(error)))

    async def _do(self, step: Step) -> None:
        self._is_dropped = self.is_halted
        self._coming = step
        self._tell(Began(now(), self.name, str(step)))
        match step:
            case Wait(seconds):
                await self._wait(seconds)
            case ReadStep(devices):
                answer = await self._reach(lambda: self._panel.ask(*entries_of(step, self.calibration)))
                self._tell(Looked(now(), self.name, {name_of(device): answer[device] for device in devices}))
            case StopMotor():
                await self._reach(self._stop)
            case Aim(angle):
                await self._reach(lambda: self._panel.ask(*entries_of(step, self.calibration)))
                await self._aim(angle)
            case Go(way):
                await self._start(step)
                if not isinf(way):
                    await self._go(step)
        self._coming = None

    async def _wait(self, seconds: float) -> None:
        self._coming, self._waits_until = None, now() + seconds
        while now() < self._waits_until and not self._is_dropped:
            left = self._waits_until - now()
            await self._reach(partial(self._tick, min(PERIOD, left)))
        self._waits_until = 0.0

    async def _aim(self, angle: float) -> None:
        """Where the robot stands, read on until the wheel is turned; what drives does not wait."""
        until = now() + AIM_WITHIN
        while not self.driving and now() < until and abs(self.steering - angle) > AIMED:
            await self._reach(self._tick)

    async def _start(self, step: Go) -> None:
        self._step, self._begin = step, self.way
        self._moved, self._moved_at = self.way, now()
        await self._reach(lambda: self._panel.ask(*entries_of(step, self.calibration)))
        self.driving = step.speed_on(self.calibration)
        self._coming, self._goal = None, None if isinf(step.way) else self._begin + step.way

    async def _go(self, step: Go) -> None:
        """Drive to the end of a way, by the encoder."""
        sign = copysign(1.0, step.way)
        while not self._is_dropped:
            rest = sign * (self._begin + step.way - self.way)
            pace = max(abs(self.speed), abs(self.driving) / 2)
            left = rest / pace - self._age - self._roll
            if left <= PERIOD:
                await sleep(max(0.0, left))
                break
            await self._reach(self._tick)
        speed = abs(self.speed)
        await self._come_to_rest()
        if speed > 0.0 and not self._is_dropped:
            over = sign * (self.way - self._begin - step.way)
            self._roll = min(max(self._roll + over / speed, 0.0), 1.0)

    async def _come_to_rest(self) -> None:
        """Stop, and read on until the robot rests."""
        await self._reach(self._stop)
        for _ in range(10):
            before = self.way
            await self._reach(self._tick)
            if abs(self.way - before) < LEAST_MOVE / 10:
                break
        self._goal = None

    @property
    def _age(self) -> float:
        """How many seconds ago the robot told its way."""
        return now() - self._told_at

    def _check_free(self, switches: int) -> None:
        """Give up where a switch is closed on the side to which the robot drives: it has stopped by itself."""
        if not switches & (Switch.FRONT if self.driving > 0 else Switch.BACK):
            return
        gone = f"{100 * abs(self.way - self._begin):.0f}"
        of = "" if isinf(self._step.way) else f" of {100 * abs(self._step.way):.0f}"
        side = "in front" if self.driving > 0 else "behind"
        raise ListFailed(f"touched something {side} after {gone}{of} cm; the rest of its list is dropped")

    def _check_moving(self) -> None:
        """Give up where the wheel does not turn."""
        if abs(self.way - self._moved) > LEAST_MOVE:
            self._moved, self._moved_at = self.way, now()
        elif now() - self._moved_at > STUCK_AFTER:
            raise ListFailed(f"does not move with '{self._step}'; the rest of its list is dropped")

    async def _stop(self) -> None:
        await self._panel.ask(*entries_of(StopMotor(), self.calibration))
        self.driving = 0.0
        if self._is_dropped:
            self._goal = None

    async def _reach(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Do something over the link; where the robot is gone, wait for it to come back."""
        while True:
            try:
                result = await attempt()
                if self._gone_at is not None and self.driving:  # the robot stopped by itself meanwhile
                    await self._panel.ask(*entries_of(self._step, self.calibration))
            except LinkLost as lost:
                self._miss(lost)
                await sleep(RECONNECT_PERIOD)
            else:
                if self._gone_at is not None:
                    self._gone_at, self._moved_at = None, now()
                    self._tell(Trouble(now(), self.name, "is back and goes on"))
                return result

    def _miss(self, lost: LinkLost) -> None:
        """Tell once that the robot is gone; give up where there is something to do that cannot wait."""
        if self._gone_at is None:
            self._gone_at = now()
            self._tell(Trouble(now(), self.name, str(lost)))
        is_late = self._last is None or now() - self._gone_at >= GONE_TIMEOUT
        if self.is_halted or (is_late and (self.is_closing or self.plan or self.driving)):
            raise ListFailed("cannot be reached; the rest of its list is dropped")

    async def _tick(self, period: float = PERIOD) -> None:
        """Read all devices, reckon where the robot is, and wait for the rest of the period."""
        begun = now()
        answer = await self._panel.ask(*EVERYTHING)
        middle, way = (begun + now()) / 2, self.way
        self.reckoning.take(answer, begun, now())
        if self._last is not None:
            self.speed = (self.way - way) / (middle - self._told_at)
        self._last, self._told_at = answer, middle
        self._tell(self._values(answer))
        if self.driving:
            self._check_free(answer[Device.SWITCHES])
            self._check_moving()
        await sleep(max(0.0, period - (now() - begun)))

    def _values(self, answer: Answer) -> RobotValues:
        return RobotValues(
            now(),
            self.name,
            round(self.pose.position.x, 4),
            round(self.pose.position.y, 4),
            round(degrees(self.pose.heading), 2),
            round(self.speed, 4),
            round(degrees(self.steering), 2),
            round(self.way, 4),
            tuple(self.calibration.range_of(answer[ranger]) for ranger in RANGERS),
            answer[Device.SWITCHES],
        )
