"""Running models and programs: the clock, what is planned, and what comes from outside.

A `Simulation` takes a model, or programs, or both, and makes them happen in one agenda. It runs as fast
as it can, at a pace of the wall clock, or one instant at a time by somebody else's hand. Events at the
same time are ordered by rank, then by the order in which they were planned; models have rank 0 and
tasks rank 4, so that programs see an instant after the models have settled.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Iterator
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, TypeVarTuple

from kumi._core import TASK_RANK, Chance, Engine, Event, InPort, Signal, Task
from kumi.devs.activities import Activity, ActivityOutcome, ActivityWorkers, Virtually
from kumi.devs.chance import stream
from kumi.devs.current_run import Working
from kumi.devs.deadline_causes import Blame
from kumi.devs.errors import EndlessLoop, NoRun, Outlived, PortError, StructureError, TimeError
from kumi.devs.mailbox import Delivery, Mailbox
from kumi.devs.members import Members, raise_together
from kumi.devs.models import Model, enter_run, leave_run
from kumi.devs.pace import Late, Lateness, PaceClock, Pacing, check_ahead
from kumi.devs.ports import check_value
from kumi.devs.results import Run, Statistics
from kumi.devs.tasks import chance_name
from kumi.devs.tracing import Sink, Sinks
from kumi.devs.turn_watchdog import TurnWatch

if TYPE_CHECKING:
    from concurrent.futures import Future

LONGEST_WAIT = 3600.0
"""Seconds; the system's waits do not take any number."""

LONGEST_TURN = 0.01
"""Seconds; a paced run that is late lets an asyncio loop have its turn so often, or nothing would come in."""

CLOSED = "this simulation is closed; make a new one"

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Simulation:
    """One run of a model and of programs. Use it in a `with` block, or call `close` at the end.

    An instant of more than `max_steps` steps, or a program that has more turns than that within a millisecond, raises
    EndlessLoop. One turn of a program, from one wait to the
    next, or one transition that takes more than `patience` seconds raises NeverWaits; inf lets
    it take any time.
    """

    def __init__(
        self,
        model: Model | None = None,
        *,
        seed: int = 0,
        hashed: bool = True,
        max_steps: int = 1_000_000,
        patience: float = 10.0,
    ) -> None:
        if max_steps < 1:
            raise ValueError(f"max_steps is at least 1, not {max_steps}")
        self.seed = seed
        self.model: Model | None = None
        self.lateness = Lateness()
        self._engine = Engine(hashed)
        self._engine.max_steps = max_steps
        self._watch = TurnWatch(self._engine, patience)
        self._blame = Blame(self._engine)
        self._engine.set_chance(self.chance)
        self._members = Members(self._engine, self._one_ended)
        self._sinks = Sinks()
        self._mailbox = Mailbox(self._engine.call)
        self._workers = ActivityWorkers()
        self._activities = 0
        self._streams: dict[str, Chance] = {}
        self._main: Task[Any] | None = None
        self._thread: int | None = None  # while something happens: the thread in which it does
        self._home = threading.get_ident()  # the thread that drives the run
        self._is_looping = False
        self._is_stopping = False
        self._is_closed = False
        self.chance("")  # a seed of the wrong kind is refused here, not at the first draw
        if model is not None:
            self.take(model)

    def take(self, model: Model) -> None:
        """Take the model into a run that was made without one, for instance to trace its entry."""
        if self.model is not None:
            raise StructureError(f"this run has a model already: '{self.model.path}'")
        self.model = model
        enter_run(model, self._members)
        self._engine.prepare(model.inputs)

    @property
    def now(self) -> float:
        """The present time in seconds."""
        return self._engine.now

    @property
    def engine(self) -> Engine:
        """The native engine below, for those who plan and record very often."""
        return self._engine

    @property
    def next_time(self) -> float:
        """When the next thing happens; inf if nothing is planned."""
        return self._engine.next_time

    @property
    def planned(self) -> int:
        """How many things are planned, with the input that has come from other threads and waits to be taken."""
        return self._engine.planned + len(self._mailbox)

    @property
    def tasks(self) -> tuple[Task[Any], ...]:
        """All tasks that have not ended, the oldest first."""
        return tuple(self._engine.tasks)

    @property
    def statistics(self) -> Statistics:
        """How much happened so far."""
        return Statistics(*self._engine.statistics)

    @property
    def trace_hash(self) -> str:
        """The hash of all that happened so far; '' if the run is not hashed."""
        return self._engine.trace_hash

    def trace(self, sink: Sink) -> None:
        """Give every record from now on to `sink`, too."""
        if not callable(sink):
            raise TypeError(f"a sink is a function of one record, not {sink!r}")
        self._sinks.sinks.append(sink)
        self._engine.set_sink(self._sinks)

    def report(self, value: T | None = None, *, finished: bool) -> Run[T]:
        """Sum up the run so far."""
        return Run(self.now, self.seed, self.trace_hash, self.statistics, self.lateness, finished, value)

    def start(
        self, program: Callable[[*Ts], Coroutine[Any, Any, T]], *args: *Ts, name: str | None = None
    ) -> Task[T]:
        """Start a program at the present instant. What it raises comes out of `run`."""
        return self.begin_task(program, args, name=name, parent=None, on_end=None)

    def start_main(
        self, program: Callable[[*Ts], Coroutine[Any, Any, T]], *args: *Ts, name: str | None = None
    ) -> Task[T]:
        """Start a program whose end stops the run."""
        self._main = task = self.start(program, *args, name=name)
        return task

    def schedule(self, time: float, action: Callable[[], object], *, rank: int = 0) -> Event:
        """Plan a call; the event can be moved and withdrawn."""
        self._check_open()
        return self._engine.schedule(time, action, rank)

    def inject(self, target: InPort[T] | Signal[T], value: T, at: float | None = None) -> None:
        """Bring input from outside to a port, or fire a signal.

        Without a time it happens now; a paced run stamps it with the wall time at which it came. With a time it
        is planned. It may be called from any thread, before the run, too: what is not refused is heard if the run
        goes on so long. A program hears what comes to its ports before it has begun to read them; a signal
        fires when all programs of that instant have had their turn.
        """
        self._check_open()
        delivery = self._delivery(target, value)
        if at is not None and not self.now <= at < math.inf:
            raise TimeError(
                f"input for t = {at} s came at t = {self.now} s; an instant is a time to come, and finite"
            )
        if self._home == threading.get_ident() and (self._thread is not None or not self._is_looping):
            delivery(self.now if at is None else at)
        else:
            self.bring(delivery if at is None else lambda _: delivery(at))

    def bring(self, delivery: Delivery) -> None:
        """Call `delivery` between two instants, with the simulated time at which this was asked.

        For what plans more than one thing when something comes from outside. May be called from any thread.
        """
        if not self._mailbox.put(delivery):
            raise NoRun(CLOSED)

    def _delivery(self, target: InPort[T] | Signal[T], value: T) -> Delivery:
        if isinstance(target, Signal):
            return lambda time: self._engine.schedule(time, partial(target.fire, value), TASK_RANK + 1)
        if not isinstance(target, InPort):
            raise PortError(f"input goes to an input port or a signal, not to {target!r}")
        if not self._holds(target.owner):
            raise PortError(f"port '{target.path}' belongs to a model that is not part of this run")
        check_value(target, value)
        return lambda time: self._engine.inject(target, value, time)

    def _holds(self, model: Model) -> bool:
        while model.parent is not None:
            model = model.parent
        return model is self.model

    def run(
        self,
        until: float = math.inf,
        *,
        pace: float | None = None,
        late: Late = "report",
        tolerance: float = 0.1,
        open_ended: bool = False,
    ) -> Run[None]:
        """Let everything happen up to and including `until`, or until nothing is left or `stop` is called.

        With a pace, the run follows the wall clock; an instant more than `tolerance` seconds late is a missed
        deadline, counted with its cause in `lateness.misses`. If `late` is 'raise' it raises TooLate; if it is
        'wait' the run does not hurry after the wall clock: time stood still in it meanwhile. An open-ended run waits for input when
        nothing is left.
        """
        if pace is None and not open_ended and late == "report" and tolerance >= 0.0:
            self.run_through(until)
        else:
            pacing = Pacing(until=until, pace=pace, late=late, tolerance=tolerance, open_ended=open_ended)
            for wait in self._loop(pacing):
                self._mailbox.wait(wait)
        return self.report(finished=self._is_finished())

    async def run_async(
        self,
        until: float = math.inf,
        *,
        pace: float | None = None,
        late: Late = "report",
        tolerance: float = 0.1,
        open_ended: bool = False,
    ) -> Run[None]:
        """Run as `run` does, inside an asyncio program: waiting leaves the asyncio loop free."""
        pacing = Pacing(until=until, pace=pace, late=late, tolerance=tolerance, open_ended=open_ended)
        for wait in self._loop(pacing):
            await self._mailbox.wait_async(wait)
        return self.report(finished=self._is_finished())

    def _is_finished(self) -> bool:
        return self.next_time == math.inf and not self._engine.has_tasks and not self._mailbox

    def advance(self) -> float:
        """Let everything happen that is planned for the next time, and return that time (inf: nothing is).

        What came from outside since the last call, such as results of activities, happens now.
        """
        self._check_idle("advance()")
        self._take_mail(None)
        time = self._engine.next_time
        if time < math.inf:
            self._work(time)
        return time

    def stop(self) -> None:
        """End `run` after the present instant, or the next `run` at once; may be called from any thread.

        What came from outside before is still delivered, at that instant; in a paced run, what came later than that
        on the wall clock stays planned.
        """
        self._is_stopping = True
        self._mailbox.put(None)

    def close(self) -> None:
        """End the run: cut the tasks that are left, let the model go, stop activities.

        What tasks do while they end, such as sending a last message, still happens. Nothing else does: input that
        comes from now on is refused, and what has come and was not taken is still counted in `planned`.
        """
        if self._is_closed:
            return
        self._check_idle("close()")
        self._mailbox.close()
        errors: list[Exception] = []
        try:
            self._engine.withdraw_all()
            for task in self.tasks:
                task.cut()
            while self._engine.has_tasks and self._engine.next_time <= self.now:
                try:
                    self._work(self.now)
                except EndlessLoop:
                    raise
                except Exception as error:  # noqa: BLE001  # raised below, when all tasks have had their turn
                    errors.append(error)
            if self._engine.has_tasks:
                names = ", ".join(f"'{task.path}'" for task in self.tasks)
                errors.append(Outlived(f"these tasks went on after they were cut: {names}; let Cut pass"))
        finally:
            self._is_closed = True
            self._watch.close()
            self._workers.close()
            if self.model is not None:
                leave_run(self.model, self._members)
            self._engine.close()
        raise_together("several tasks failed when the run was closed", errors)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def run_through(self, until: float) -> None:
        """Run as fast as it goes up to an instant that is not past, without a report.

        It shows in many runs that are each short.
        """
        self._check_idle("run()")
        check_ahead(until, self.now)
        self._is_looping = True
        try:
            while not self._is_stopping:
                self._take_mail(None)
                upcoming = self._engine.next_time
                if upcoming <= until and upcoming < math.inf:
                    self._work(until)
                elif self._activities > 0:
                    self._mailbox.wait(None)
                else:
                    break
            self._come_to(until, None)
        finally:
            self._is_looping = self._is_stopping = False

    def _loop(self, pacing: Pacing) -> Iterator[float | None]:
        """Do all that is due, then yield how many seconds to wait for mail (None: as long as it takes)."""
        self._check_idle("run()")
        clock = pacing.clock(self.now)
        self._is_looping = True
        if clock is not None:
            self._blame.begin()
        try:
            clock = yield from self._steps(pacing, clock)
            self._come_to(pacing.until, clock)
        finally:
            self._is_looping = self._is_stopping = False
            self._blame.rest()

    def _come_to(self, until: float, clock: PaceClock | None) -> None:
        """End at the instant that was asked for, or, if stopped, here, with what came from outside until then."""
        if not self._is_stopping:
            if until < math.inf:
                self._engine.set_time(until)
        elif self._mailbox:
            self._take_mail(clock)
            self._work(self.now)

    def _steps(
        self, pacing: Pacing, clock: PaceClock | None
    ) -> Generator[float | None, None, PaceClock | None]:
        """Do all that is due; return the clock that holds in the end."""
        until = pacing.until
        turn_ends = time.monotonic() + LONGEST_TURN
        while not self._is_stopping:
            self._take_mail(clock)
            upcoming = self._engine.next_time
            is_idle = upcoming > until or upcoming == math.inf
            may_get_mail = (
                pacing.open_ended or self._activities > 0 or (clock is not None and until < math.inf)
            )
            if is_idle and not may_get_mail:
                break
            if clock is None:
                if is_idle:
                    yield None
                else:
                    self._work(until)
                continue
            present = time.monotonic()
            wait = clock.due(min(upcoming, until)) - present
            if wait > 0.0:
                wait = min(wait, LONGEST_WAIT)
                yield wait
                self._blame.slept(wait, time.monotonic() - present)
                turn_ends = time.monotonic() + LONGEST_TURN
            elif is_idle:
                break
            elif present > turn_ends:
                yield 0.0
                turn_ends = time.monotonic() + LONGEST_TURN
            else:
                pacing.judge(self.lateness, upcoming, -wait, self._blame)
                if pacing.late == "wait" and -wait > pacing.tolerance:
                    clock = PaceClock(clock.pace, present, upcoming)
                    self._blame.forget()
                self._blame.works()
                self._work(upcoming)
                self._blame.worked(upcoming)
        return clock

    def _take_mail(self, clock: PaceClock | None) -> None:
        self._engine.answer()
        mail = self._mailbox.take()
        if not mail:
            return
        errors: list[Exception] = []
        for stamp, delivery in mail:
            try:
                delivery(self.now if clock is None else max(self.now, clock.simulated(stamp)))
            except Exception as error:  # noqa: BLE001  # raised below, when the rest is delivered
                errors.append(error)
        raise_together("several inputs could not be delivered", errors)

    def _work(self, until: float) -> None:
        self._thread = threading.get_ident()
        try:
            with self._watch, Working(self):
                self._engine.run(until)
        finally:
            self._thread = None

    def _check_idle(self, what: str) -> None:
        self._check_open()
        if self._thread is not None or self._is_looping:
            raise NoRun(
                f"{what} was called while the run is under way; stop() ends it, inject() brings input"
            )
        self._home = threading.get_ident()
        self._members.catch_up()

    def _check_open(self) -> None:
        if self._is_closed:
            raise NoRun(CLOSED)

    def begin_task(
        self,
        program: Callable[..., Coroutine[Any, Any, T]],
        args: tuple[Any, ...],
        *,
        name: str | None,
        parent: object,
        on_end: Callable[[Task[T]], object] | None,
    ) -> Task[T]:
        """Start a task; `on_end` is told of its end, or else its error comes out of the run."""
        self._check_open()
        return self._members.start(program, args, name=name, parent=parent, on_end=on_end)

    def _one_ended(self, task: Task[Any]) -> None:
        self._streams.pop(chance_name(task), None)
        if task is self._main:
            self.stop()

    def begin_activity(self, activity: Activity[T], into: InPort[ActivityOutcome[T]]) -> None:
        """Begin an activity whose outcome is brought to a port."""
        self._delivery(into, ActivityOutcome[T](activity))  # refuses a wrong port before anything is begun
        begun = activity.begin(self._workers, self.now)
        if isinstance(begun, Virtually):
            self._delivery(into, begun.outcome)(self.now + begun.duration)
            return
        self._activities += 1

        def done(future: Future[T]) -> None:
            self._mailbox.put(partial(self._bring, into, ActivityOutcome.of(activity, future)))

        begun.add_done_callback(done)

    def _bring(self, into: InPort[ActivityOutcome[T]], outcome: ActivityOutcome[T], time: float) -> None:
        self._activities -= 1
        if self._holds(into.owner):  # else its model has left, and nobody waits for it
            self._delivery(into, outcome)(time)

    def chance(self, name: str) -> Chance:
        """Give the random numbers of this name, wherever they have got to."""
        if name not in self._streams:
            self._streams[name] = stream(self.seed, name)
        return self._streams[name]

    def note(self, source: str, value: object) -> None:
        """Write something down in the trace."""
        self._engine.record("n", source, value)

    def record_sending(self, source: str, value: object) -> None:
        """Write down in the trace that a message was sent."""
        self._engine.record("m", source, value)

    def fail(self, error: BaseException) -> None:
        """Let an error come out of the run after the present step, once for each message."""
        self._engine.report(error)
