"""The members of a run: models that come and go, and tasks.

Changes of structure are made at once between two instants, and otherwise when the instant is over. A
model that leaves has its programs cut first, in the same instant, so that they can still send.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from inspect import isawaitable, iscoroutine, signature
from typing import Any, TypeVar

from kumi._core import Atomic, Engine, Task
from kumi.devs.models import Model, atomics
from kumi.devs.program import Program

T = TypeVar("T")


class Members:
    """The models and tasks of one run."""

    def __init__(self, engine: Engine, on_end: Callable[[Task[Any]], object]) -> None:
        self._engine = engine
        self._on_end = on_end
        self._changes: list[Callable[[], None]] = []
        self._is_retiring = False  # programs of a model that leaves are still to end
        # By id, since a model may call others equal; an entry is gone before its model or task is.
        self._programs: dict[int, Task[Any]] = {}
        self._names: dict[int, dict[str, int]] = {}
        engine.set_settle(self.settle)
        engine.set_on_end(self._one_ended)

    def start(
        self,
        program: Callable[..., Coroutine[Any, Any, T]],
        args: tuple[Any, ...],
        *,
        name: str | None,
        parent: object,
        on_end: Callable[[Task[T]], object] | None,
    ) -> Task[T]:
        """Start a task; `on_end` is told of its end, or else its error comes out of the run.

        Names are made unique among the tasks of one parent by counting up.
        """
        coroutine: Coroutine[Any, Any, T] = coroutine_of(program, args)
        base = name or getattr(program, "__name__", type(program).__name__).strip("<>")
        unique = self._unique(base, self._names.setdefault(id(parent), {}))
        try:
            return self._engine.start(coroutine, unique, parent, on_end)
        except BaseException:
            coroutine.close()
            raise

    @staticmethod
    def _unique(base: str, taken: dict[str, int]) -> str:
        """Give a name nobody had; names that were counted up are known by their count alone."""
        stem, _, number = base.rpartition("-")
        was_counted = number.isdecimal() and int(number) <= taken.get(stem, 0)
        if base not in taken and not was_counted:
            taken[base] = 1
            return base
        count = taken.get(base, 1) + 1
        while f"{base}-{count}" in taken:
            count += 1
        taken[base] = count
        return f"{base}-{count}"

    def _one_ended(self, task: Task[Any]) -> None:
        self._names.pop(id(task), None)
        self._on_end(task)

    def enter(self, model: Atomic) -> None:
        """Take an atomic model into the run, and start it if it is a program."""
        self._engine.enter(model)
        if isinstance(model, Program):
            self._programs[id(model)] = self.start(model.run, (), name="run", parent=model, on_end=None)

    def take_out(self, model: Atomic) -> None:
        """Take an atomic model out of the run."""
        self._programs.pop(id(model), None)
        self._names.pop(id(model), None)
        self._engine.take_out(model)

    def retire(self, model: Model) -> None:
        """Cut the programs of a model that is about to leave, so that they can end before it does."""
        for atomic in atomics(model):
            task = self._programs.get(id(atomic))
            if task is not None and not task.has_ended:
                task.cut()
                self._is_retiring = True

    def change(self, action: Callable[[], None]) -> None:
        """Change the structure: now between two instants, else when the instant is over."""
        if self._engine.is_within_instant or self._is_retiring:
            self._changes.append(action)
            self._engine.change_later()
        else:
            self.settle()
            action()

    def catch_up(self) -> None:
        """Make the changes of an instant that ended with an error."""
        if self._changes and not self._engine.is_within_instant and not self._is_retiring:
            self.settle()

    def tell_change(self, tag: str, what: str) -> None:
        """Write a change of structure down in the trace."""
        self._engine.record(tag, what, None)

    def settle(self) -> None:
        """Make the changes that wait; one that fails does not keep the others from being made."""
        changes, self._changes = self._changes, []
        self._is_retiring = False
        errors: list[Exception] = []
        for change in changes:
            try:
                change()
            except Exception as error:  # noqa: BLE001  # raised below, when the other changes are made
                errors.append(error)
        raise_together("several changes of structure failed", errors)


def raise_together(message: str, errors: list[Exception]) -> None:
    """Raise one error as itself and several as a group."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup(message, errors)


def unfit(program: Callable[..., object], args: tuple[Any, ...]) -> str:
    """Say why a program cannot be called with its arguments."""
    taken, name = signature(program), getattr(program, "__qualname__", repr(program))
    sentence = f"the program {name}({', '.join(taken.parameters)}) is given {', '.join(map(repr, args)) or 'nothing'}"
    if next(iter(taken.parameters), None) == "robot":
        sentence += f"; a stage gives it a robot, as in stage.add({name}, at=(1, 1)) and then stage.run()"
    return sentence


def coroutine_of(program: Any, args: tuple[Any, ...]) -> Coroutine[Any, Any, Any]:
    """Call a program, and refuse what is none."""
    if iscoroutine(program):
        program.close()
        raise TypeError(
            f"a program is given by its function and arguments, as in run(patrol, 3) or start(patrol, 3); "
            f"{program.__qualname__} was called already"
        )
    try:
        coroutine = program(*args) if callable(program) else program
    except TypeError as error:
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise
        raise TypeError(unfit(program, args)) from None
    if not callable(program):
        raise TypeError(
            "a program is given as an `async def` function and its arguments, as in run(patrol, 3) or start(patrol, 3), "
            f"not as {program!r}"
        )
    if isawaitable(coroutine) and not iscoroutine(coroutine):
        return _awaited(coroutine)
    return checked_coroutine(program, coroutine)


def checked_coroutine(program: object, made: Any) -> Coroutine[Any, Any, Any]:
    """Return what a call of a program made; refuse what is no coroutine."""
    if not iscoroutine(made):
        name = getattr(program, "__qualname__", repr(program))
        raise TypeError(f"a program is an `async def` function, but {name} gave {made!r}")
    return made


async def _awaited(awaitable: Awaitable[T]) -> T:
    """Wait for what is no coroutine, such as a motion."""
    return await awaitable
