"""What runs inside the sandbox: the program that somebody sent, on a kernel of its own.

The kernel is that of every run, and the robot is the robot of every program; its body is outside. The kernel does all that is
planned up to the instant that it is outside, then tells when it has something planned again and waits. What the text prints, notes
and shows is told as it comes.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable, Coroutine, Iterator
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from inspect import Parameter, iscoroutinefunction, signature
from types import ModuleType
from typing import Any, TypeAlias

from kumi.contract.published import Shown
from kumi.devs import Simulation
from kumi.geometry import Point
from kumi.robot.code import GivenProgram, said
from kumi.robot.robot import Robot
from kumi.station.sandbox.piped_body import PipedBody, radio_over
from kumi.station.sandbox.values import lower
from kumi.station.sandbox.words import (
    WORD_HEAD,
    AnswerWord,
    EndedWord,
    FailedWord,
    GoWord,
    NoteWord,
    OrderWord,
    Print,
    Question,
    Show,
    Word,
    decode_told,
    framed,
)

KINDS = {"str": "text", "tuple": "spot", "Point": "spot", "PointLike": "spot", "list": "spots"}
"""What annotations say of the values of a task; any other is a number."""
TRACE = 4000
"""Letters of a traceback that are told."""

Program: TypeAlias = Callable[..., Coroutine[Any, Any, Any]]


class Pipe:
    """The way out."""

    def __init__(self, source: int, target: int) -> None:
        self._source = os.fdopen(source, "rb")
        self._target = target

    def tell(self, word: Word) -> None:
        """Say what gets no answer."""
        rest = memoryview(framed(word))
        while rest:
            rest = rest[os.write(self._target, rest) :]

    def ask(self, question: Question) -> AnswerWord | GoWord:
        """Put a question, and wait for the answer."""
        self.tell(question)
        answer = self.hear()
        assert isinstance(answer, AnswerWord | GoWord)
        return answer

    def hear(self) -> OrderWord | AnswerWord | GoWord:
        """Wait for a word."""
        (length,) = WORD_HEAD.unpack(self._read(WORD_HEAD.size))
        word: OrderWord | AnswerWord | GoWord = decode_told(self._read(length))
        return word

    def _read(self, length: int) -> bytes:
        data = self._source.read(length)
        if len(data) < length:
            os._exit(0)  # whoever gave the robot is gone, and nobody hears why this ends
        return data


class Printed(io.TextIOBase):
    """Where print() goes: out."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    def write(self, text: str) -> int:
        """Pass a text on."""
        if text:
            self._pipe.tell(Print(text.encode("utf-8", "replace").decode()))
        return len(text)


class InsideNoting(Simulation):
    """A run whose notes are told outside, too."""

    pipe: Pipe

    def note(self, source: str, value: object) -> None:
        """Write something down."""
        super().note(source, value)
        self.pipe.tell(NoteWord(str(value).encode("utf-8", "replace").decode()))


class SentModules(MetaPathFinder, Loader):
    """Finds the modules that were sent before, for a text that imports them."""

    def __init__(self, codes: dict[str, str]) -> None:
        self._codes = codes

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how to load a module that was sent, or None."""
        del path, target
        return spec_from_loader(name, self) if name in self._codes else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the text of a module."""
        name = module.__name__
        exec(compile(self._codes[name], f"{name}.py", "exec"), module.__dict__)  # noqa: S102 - what the sandbox is for


class InsideWork:
    """What is to be done with a text."""

    def __init__(self, order: OrderWord, pipe: Pipe) -> None:
        self._order, self._pipe = order, pipe
        self._simulation = simulation = InsideNoting(seed=order.seed, patience=order.patience)
        simulation.pipe = pipe
        simulation.run_through(order.now)
        self._body = body = PipedBody(order, simulation, pipe.ask)
        radio = None if order.radio is None else radio_over(body, simulation, order.radio)
        self._robot = Robot(body, radio, self._show)
        body.take(order.state)
        known = dir(self._robot) if order.do == "run" else None
        self.given = GivenProgram(f"{order.name}.py", order.code, known)

    @property
    def now(self) -> float:
        """The present instant."""
        return self._simulation.now

    def do(self) -> EndedWord:
        """Do it, and return what came of it."""
        if self._order.do == "describe":
            return EndedWord(None, options_of(self.given.load()))
        value = self._run(self.given.program if self._order.do == "run" else self._task)
        options = options_of(self.given.load()) if self._order.do == "run" else []
        return EndedWord(value if isinstance(value, str) else None, options)

    async def _task(self, robot: Robot) -> Any:
        function = tasks_in(self.given.load())[self._order.task]
        return await function(robot, **values_for(function, self._order.arguments))

    def _run(self, program: Program) -> Any:
        """Run a program to its end, an instant of the body outside at a time."""
        simulation = self._simulation
        try:
            main = simulation.start_main(program, self._robot, name=self._robot.name)
            now = simulation.now
            while True:
                simulation.run_through(now)
                if main.has_ended:
                    break
                now = self._body.wait(simulation.next_time)
        finally:
            simulation.close()
        return main.result

    def _show(self, name: str, value: Shown) -> None:
        self._pipe.tell(Show(name, lower(value)))


def tasks_in(module: ModuleType) -> dict[str, Program]:
    """Return the tasks that a text names; TypeError where one could not be done."""
    tasks = getattr(module, "TASKS", {})
    if not isinstance(tasks, dict):
        raise TypeError(
            f"TASKS has a name and an `async def` for each task, as in {{'square': square}}, not {tasks!r}"
        )
    for name, function in tasks.items():
        if not iscoroutinefunction(function):
            raise TypeError(f"the task {name!r} must be able to wait: write `async def {name}(robot):`")
        if not takes(function):
            raise TypeError(f"the task {name!r} must take a robot: write `async def {name}(robot):`")
    return tasks


def takes(function: Program) -> list[Parameter]:
    """Return what a function takes, the robot first."""
    return list(signature(function).parameters.values())


def options_of(module: ModuleType) -> list[dict[str, Any]]:
    """Return what the tasks of a text take, from their signatures."""
    return [
        {
            "name": name,
            "about": (function.__doc__ or "").strip().partition("\n")[0],
            "parameters": list(parameters_of(function)),
        }
        for name, function in tasks_in(module).items()
    ]


def parameters_of(function: Program) -> Iterator[dict[str, str]]:
    """Return what a task takes besides its robot."""
    for one in takes(function)[1:]:
        told = one.annotation if isinstance(one.annotation, str) else getattr(one.annotation, "__name__", "")
        yield {"name": one.name, "kind": KINDS.get(told.partition("[")[0].rpartition(".")[2], "number")}


def values_for(function: Program, given: dict[str, Any]) -> dict[str, Any]:
    """Return what a task was given, with places as points."""
    values = dict(given)
    for one in parameters_of(function):
        name, kind = one["name"], one["kind"]
        if name in values and kind == "spot":
            values[name] = place(values[name])
        elif name in values and kind == "spots":
            values[name] = [place(spot) for spot in values[name]]
    return values


def place(spot: dict[str, float]) -> Point:
    """Return a place that was given as a table."""
    return Point(spot["x"], spot["y"])


def main() -> None:
    """Do what is ordered, and tell what came of it."""
    pipe = Pipe(os.dup(0), os.dup(1))
    order = pipe.hear()
    assert isinstance(order, OrderWord)
    sys.stdout = sys.stderr = Printed(pipe)
    import_module("random").seed(order.seed)  # for texts that draw from it
    sys.meta_path.append(SentModules(order.modules))
    work: InsideWork | None = None
    try:
        work = InsideWork(order, pipe)
        word: Word = work.do()
    except BaseException as error:  # noqa: BLE001 - whoever sent the text is told, whatever it was
        word = failed(error, None if work is None else work)
    pipe.tell(word)
    os._exit(0)  # what else the text began ends with it


def failed(error: BaseException, work: InsideWork | None) -> FailedWord:
    """Return what went wrong, and on which line."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    trace = "".join(traceback.format_exception(error))[-TRACE:]
    if work is None:
        return FailedWord(said(error), "")
    failure = work.given.failure(error, work.now)
    where = work.given.name if failure.line is None else f"{work.given.name}, line {failure.line}"
    return FailedWord(f"{where}: {failure.sentence}", trace)


if __name__ == "__main__":
    main()
