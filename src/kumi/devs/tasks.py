"""Tasks that belong to a block, and what a running program may ask for.

A task cannot outlive the block it was started in: the block waits for its tasks, and when one of them
fails, the others are cut, and the failure comes out of the block.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar, TypeVarTuple

from kumi._core import (
    Chance,
    InPort,
    Scope,
    Signal,
    Task,
    block,
    current_model,
    current_task,
    quiet_signal,
)
from kumi.devs.activities import Activity, ActivityOutcome
from kumi.devs.current_run import present
from kumi.devs.errors import Cut, NoRun, Outlived

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def running_task(what: str) -> Task[Any]:
    """Give the task this code runs in; `what` is named in the error outside of one."""
    task = current_task()
    if task is None:
        raise NoRun(f"{what} belongs inside a program; start it with kumi.run(program)")
    return task


def chance() -> Chance:
    """Give the random numbers of the running task; in a model's transition, those of the model."""
    run = present("chance()")
    model = current_model() if current_task() is None else None
    return run.chance(chance_name(running_task("chance()"))) if model is None else model.chance


def chance_name(task: Task[Any]) -> str:
    """Give the name of a task's random numbers; no model has it, since no path begins with a dot."""
    return f".{task.path}"


def note(value: object) -> None:
    """Write something down in the trace of the run."""
    run = present("note()")
    run.note((current_task() or current_model() or running_task("note()")).path, value)


def start_activity(activity: Activity[T], *, into: InPort[ActivityOutcome[T]]) -> None:
    """Begin an activity; its outcome arrives as input on the port."""
    present("start_activity()").begin_activity(activity, into)


def raise_as_it_was(error: BaseException) -> None:
    """Raise an error again without the cut that followed from it as its context."""
    context = error.__context__
    try:
        raise error
    finally:
        error.__context__ = context


def together() -> Together:
    """Make a block for tasks that end with it; see `Together.start`."""
    return Together()


class Together:
    """A block of tasks; see `together`."""

    def __init__(self) -> None:
        self._scope: Scope[Any] = block()
        self._owner: Task[Any] | None = None
        self._alive: dict[Task[Any], None] = {}
        self._errors: list[BaseException] = []
        self._empty: Signal[None] = quiet_signal("the end of its tasks")
        self._is_ending = False
        self._is_over = False

    def start(
        self, program: Callable[[*Ts], Coroutine[Any, Any, T]], *args: *Ts, name: str | None = None
    ) -> Task[T]:
        """Start a program beside the others of this block; it begins at this instant."""
        if self._is_over:
            raise Outlived(
                "a task cannot be started in a together() block that has ended: it would outlive its block"
            )
        if self._owner is None:
            raise NoRun("together() must be entered with `async with` before tasks are started in it")
        task = present("start()").begin_task(
            program, args, name=name, parent=self._owner, on_end=self._one_ended
        )
        self._alive[task] = None
        if self._is_ending:
            task.cut()
        return task

    def cut(self) -> None:
        """End the block: its tasks and its body, quietly."""
        self._cut_all()
        self._scope.cut()

    def __enter__(self) -> NoReturn:
        """Refuse: a block of tasks is waited for."""
        raise TypeError("together() is entered with `async with together() as tasks:`")

    def __exit__(self, *_: object) -> None:
        """Never reached, but asked for before `__enter__`."""

    async def __aenter__(self) -> Self:
        if self._owner is not None:
            raise RuntimeError("a together() block can be entered only once; write a new one")
        self._owner = running_task("together()")
        self._scope.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if isinstance(error, GeneratorExit):  # nothing can be waited for: the run sees to the tasks
            self._is_over = True
            self._scope._leave()
            self._cut_all()
            return False
        ended_by = error or await self._all_ended()
        if ended_by is not None:
            self._cut_all()
        while self._alive:
            await self._empty._next_shielded()
        self._is_over = True
        ended_quietly = self._scope.__exit__(type(ended_by) if ended_by else None, ended_by, None)
        if ended_by is not None and not isinstance(ended_by, Cut):
            self._errors.insert(0, ended_by)
        if len(self._errors) > 1:
            raise BaseExceptionGroup("several tasks of one block failed", self._errors)
        if self._errors and self._errors[0] is not error:
            raise_as_it_was(self._errors[0])
        if isinstance(ended_by, Cut) and ended_by is not error and not ended_quietly:
            raise ended_by
        return ended_quietly

    async def _all_ended(self) -> Cut | None:
        """Wait for all tasks of the block, or for what cuts it."""
        try:
            while self._alive:
                await self._empty.next()
        except Cut as cut:
            return cut
        return None

    def _one_ended(self, task: Task[Any]) -> None:
        del self._alive[task]
        if task.error is not None:
            self._errors.append(task.error)
            self.cut()
        if not self._alive:
            self._empty.fire()

    def _cut_all(self) -> None:
        self._is_ending = True
        for task in self._alive:
            task.cut()
