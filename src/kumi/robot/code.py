"""Which program is in a text that a person gave, and where did it fail?

The text is Python. Its program is the one `async def` in it that takes a robot; of several, the one named `main`.
It runs in this process: as the person who started the run, who alone may give code there, or in the sandbox of a station.
A text with mistakes is not run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Iterable
from inspect import iscoroutinefunction, signature
from traceback import walk_tb
from types import ModuleType
from typing import Any, cast

import msgspec

from kumi.devs import KumiError, NeverAwaited
from kumi.devs.errors import place_of
from kumi.robot.code_check import mistakes_in
from kumi.robot.robot import Robot

UNAWAITED = "What this line calls was never awaited: write `await` before the call."

UNAWAITED_SOMEWHERE = "Something that the program calls was never awaited: write `await` before the call."


class CodeError(ValueError):
    """A text that is no program."""


class Failure(msgspec.Struct, frozen=True):
    """What went wrong in given code: on which line, where that is known, and at which time of the run."""

    line: int | None
    sentence: str
    time: float


class GivenProgram:
    """A program that a person gave as a text; `known` are the attributes of the robot that is to run it.

    With None it is a text for others to import, which needs no program.
    """

    def __init__(self, name: str, code: str, known: Iterable[str] | None) -> None:
        check_code(name, code, known)
        self.name = name
        self._code = compile(code, name, "exec", dont_inherit=True)
        self._module: ModuleType | None = None

    def load(self) -> ModuleType:
        """Run the text, once, and return what it defines."""
        if self._module is None:
            module = ModuleType(f"given {self.name}")
            sys.modules[module.__name__] = module  # dataclasses look their module up by its name
            exec(self._code, module.__dict__)  # noqa: S102  # it runs as whoever gave it, or in the sandbox
            self._module = module
        return self._module

    async def program(self, robot: Robot) -> Any:
        """Run the text, and then the program in it: what goes wrong in either is the program's."""
        return await program_in(self.load())(robot)

    def failure(self, error: BaseException, time: float) -> Failure:
        """Tell where and why the program failed."""
        line = self._line_of(error)
        is_unplaced = line is None and isinstance(error, NeverAwaited)
        return Failure(line, UNAWAITED_SOMEWHERE if is_unplaced else said(error), time)

    def _line_of(self, error: BaseException) -> int | None:
        place = place_of(error)
        if place is not None and place[0] == self.name:
            return place[1]
        trace = walk_tb(error.__traceback__)
        return next(
            (line for frame, line in reversed([*trace]) if frame.f_code.co_filename == self.name), None
        )


def check_code(name: str, code: str, known: Iterable[str] | None) -> None:
    """Raise CodeError, with the line, where a text is no program."""
    if mistakes := mistakes_in(code, known):
        raise CodeError(f"{name}, line {mistakes[0].line}: {mistakes[0].sentence}")


def program_in(module: ModuleType) -> Callable[[Robot], Coroutine[Any, Any, Any]]:
    """Return the program of a module that has one as far as its text tells."""
    own = [
        one
        for one in vars(module).values()
        if iscoroutinefunction(one) and one.__module__ == module.__name__ and takes_robot(one)
    ]
    found = [one for one in own if one.__name__ == "main"] or own
    if len(found) != 1:
        raise CodeError("there is no program, or there are several: name the one to run `main`")
    return cast("Callable[[Robot], Coroutine[Any, Any, Any]]", found[0])


def takes_robot(function: Callable[..., object]) -> bool:
    """Tell whether a function can be called with a robot alone."""
    try:
        signature(function).bind(None)
    except TypeError:
        return False
    return True


def said(error: BaseException) -> str:
    """Return what an error says as a sentence; what is not kumi's goes by its name."""
    if isinstance(error, NeverAwaited):
        return UNAWAITED
    words = str(error) or "it says no more"
    start = words if isinstance(error, KumiError | CodeError) else f"{type(error).__name__}: {words}"
    return start + ("" if start.endswith((".", "?", "!")) else ".")
