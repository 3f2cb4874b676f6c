"""How can a person drive a robot whose program goes on?

Reins are put between a body and its program. While nobody holds them, the program has the body, and nothing is
different. Their holder drives: the program's motion under way ends where it is, and for the program it ends when
the override is released; until then each further motion waits. So a program never sees that somebody else drove, only
that it stands elsewhere. Orders are carried out one after the other; after the last the robot stands.

What blocks an order ends all that are left. A robot that is gone takes no orders.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from kumi.contract import Blocked, BodyAround, Command, Lost, Parting, Steer
from kumi.control.steps import ReadStep, StopMotor, Wait
from kumi.devs import KumiError, Signal, Task, sleep, until
from kumi.geometry import Point

if TYPE_CHECKING:
    from kumi.devs import Simulation
    from kumi.world import SimulatedBody


Step: TypeAlias = Command | Wait | ReadStep | StopMotor


class OverridableBody(BodyAround["SimulatedBody"]):
    """A body for a program, which a person can take over."""

    def __init__(self, body: SimulatedBody, simulation: Callable[[], Simulation]) -> None:
        super().__init__(body)
        self.is_held = False
        self._simulation = simulation
        self._steps: deque[Step] = deque()
        self._obeying: Task[None] | None = None
        self._freed: Signal[None] | None = None
        self._changed: Signal[None] | None = None
        self._ended: Signal[None] | None = None
        self._program_moves = self._is_broken_off = self._is_doing = False
        self._kept: Command | None = None

    # What a program has of its body.

    @property
    def partings(self) -> Signal[Parting]:
        """The end of each contact, at its instant."""
        return self.body.partings

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await: where somebody holds the override, it begins when it is released."""
        return self._carry_out(command)

    async def _carry_out(self, command: Command) -> Point:
        await self._until_free()
        self._program_moves, self._is_broken_off = True, False
        try:
            place = await self.body.carry_out(command)
        finally:
            self._program_moves = False
            if self._ended is not None:
                self._ended.fire()
        if not self._was_broken_off():
            return place
        await self._until_free()
        return self.body.position

    async def _until_free(self) -> None:
        while self.is_held:
            if self._freed is None:
                self._freed = Signal()
            await self._freed.next()

    def _was_broken_off(self) -> bool:
        """Tell whether somebody took over during the motion that has just ended."""
        was, self._is_broken_off = self._is_broken_off, False
        return was

    def steer(self, command: Command) -> None:
        """Drive on without being awaited; where somebody holds the override, from when it is released."""
        if self.is_held:
            self._kept = command
        else:
            self.body.steer(command)

    def stop(self) -> None:
        """End the program's motion; what somebody else has ordered goes on."""
        if self.is_held:
            self._kept = None
        else:
            self.body.stop()

    # What a person does.

    @property
    def left(self) -> int:
        """How many steps are still to be done, the one under way included."""
        return len(self._steps) + self._is_doing

    def order(self, steps: Iterable[Step], *, interrupts: bool) -> None:
        """Let the robot carry out steps, after what it does, or at once in its place."""
        if self.body.is_gone:
            raise Lost(self.body.name, self.body.position)
        if interrupts:
            self._steps.clear()
        self._steps.extend(steps)
        self._take(interrupts=interrupts)
        if self._obeying is None or self._obeying.has_ended:
            name = f"{self.body.name} by hand"
            self._obeying = self._simulation().begin_task(self._obey, (), name=name, parent=None, on_end=None)

    def stop_now(self) -> None:
        """Let the robot stand where it is, and hold it there."""
        self._steps.clear()
        self._take(interrupts=True)

    def release(self) -> None:
        """Give the robot back to its program."""
        self._steps.clear()
        if not self.is_held:
            return
        self.is_held = False
        self._break_off()
        if not self.body.is_gone and not self._program_moves:
            self.body.stop()
        if self._kept is not None and not self.body.is_gone:
            self.body.steer(self._kept)
        self._kept = None
        if self._freed is not None:
            self._freed.fire()

    def _take(self, *, interrupts: bool) -> None:
        self.is_held = True
        if not interrupts:
            return
        self._break_off()
        if not self.body.is_gone:
            self._is_broken_off = self._program_moves
            self.body.stop()

    def _break_off(self) -> None:
        """End the order under way."""
        if self._changed is not None:
            self._changed.fire()

    async def _obey(self) -> None:
        self._changed = changed = Signal[None]()
        self._ended = ended = Signal[None]()
        while self._steps and self.is_held:
            with until(changed):
                while self._program_moves:  # what it was told before
                    await ended.next()
                await self._try(self._steps.popleft())
        self._changed = self._ended = None

    async def _try(self, step: Step) -> None:
        self._is_doing = True
        try:
            await self._do(step)
        except Lost:
            self._steps.clear()
        except Blocked as error:
            self._give_up(f"{step_words(step)}: {error}")
        except (KumiError, TypeError, ValueError) as error:
            self._give_up(str(error))
        finally:
            self._is_doing = False

    async def _do(self, step: Step) -> None:
        match step:
            case Wait(seconds):
                await sleep(seconds)
            case ReadStep():
                for name, sensor in self.body.sensors.items():
                    if hasattr(sensor, "read"):
                        self._say(f"{name} reads {await sensor.read()}")
            case StopMotor():
                self.body.stop()
            case Steer():
                self.body.steer(step)
            case _:
                await self.body.carry_out(step)

    def _give_up(self, reason: str) -> None:
        self._say(f"by hand: gives up, {reason}")
        self._steps.clear()

    def _say(self, text: str) -> None:
        self.body.world.write_note(self.body, text)


def step_words(step: Step) -> str:
    """Return a step for people."""
    return str(step) if isinstance(step, Wait | ReadStep | StopMotor) else type(step).__name__.lower()
