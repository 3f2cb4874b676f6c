"""Can a program's parameters be used at all? What it would refuse at its start, a scenario refuses before the run.

A program names a function that looks at its parameters, all but the robot, and at how many robots there are:

    def check_march(count: int, formation: str, **others: object) -> None: ...

    @checked_by(check_march)
    async def march(robot: Robot, formation: str, speed: float = 1.0) -> None: ...

It raises ValueError with a sentence. It is called once for each group of robots, with the parameters that are given
and the defaults of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any, TypeVar

Program = TypeVar("Program", bound=Callable[..., Any])
CHECK = "check"


def checked_by(check: Callable[..., None]) -> Callable[[Program], Program]:
    """Let a function check the parameters of a program before a run."""

    def with_check(program: Program) -> Program:
        setattr(program, CHECK, check)
        return program

    return with_check


def check_parameters(program: Callable[..., Any], count: int, given: Mapping[str, Any]) -> None:
    """Raise ValueError if a program that so many robots run declares that it cannot use its parameters."""
    check = getattr(program, CHECK, None)
    if check is None:
        return
    named = list(signature(program).parameters.values())[1:]
    defaults = {one.name: one.default for one in named if one.default is not Parameter.empty}
    check(count, **{**defaults, **given})
