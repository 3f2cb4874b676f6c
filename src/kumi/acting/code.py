"""Which program is in a text that a person gave?

The text is Python. Its program is the one `async def` in it that takes a robot; of several, the one named `main`.
It runs in this process, as the person who started the run: only they may give code.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from inspect import iscoroutinefunction, signature
from types import ModuleType
from typing import Any, cast

from kumi.robot import Robot


class CodeError(ValueError):
    """A text that is no program."""


def program_of(name: str, code: str) -> Callable[[Robot], Coroutine[Any, Any, Any]]:
    """Return the program in a text; CodeError with a sentence where there is none."""
    module = ModuleType("given")
    try:
        exec(compile(code, name, "exec"), module.__dict__)  # noqa: S102  # the person's own code, on their own machine
    except SyntaxError as error:
        raise CodeError(f"{name}, line {error.lineno}: {error.msg}") from error
    except Exception as error:
        raise CodeError(f"{name} fails: {type(error).__name__}: {error}") from error
    own = [
        one
        for one in vars(module).values()
        if iscoroutinefunction(one) and one.__module__ == module.__name__ and takes_robot(one)
    ]
    found = [one for one in own if one.__name__ == "main"] or own
    if len(found) == 1:
        return cast("Callable[[Robot], Coroutine[Any, Any, Any]]", found[0])
    if not found:
        raise CodeError(f"{name} has no program: an `async def` that takes a robot")
    names = ", ".join(one.__name__ for one in found)
    raise CodeError(f"{name} has several programs: {names}; name the one to run `main`")


def takes_robot(function: Callable[..., object]) -> bool:
    """Tell whether a function can be called with a robot alone."""
    try:
        signature(function).bind(None)
    except TypeError:
        return False
    return True
