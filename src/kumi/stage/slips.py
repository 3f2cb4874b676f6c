"""What does a person read whose program is none, does not fit its call, or fails by a slip?

A program that cannot be started is held against what it is given: a robot, and what else `Stage.add` was told. After one
failed, errors of Python's own that a slip leads to get a line that says what to write. A program that waits or draws
by Python's modules instead of kumi's goes on, with a warning: the simulated time does not pass, and no run is like
the other.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Mapping
from inspect import Parameter, iscoroutine, isfunction, signature
from types import FunctionType, ModuleType
from typing import Any

import kumi.robot
import kumi.sensing
from kumi.robot import Robot
from kumi.sensing import Sensor
from kumi.teaching import described, lacking, near_or_all

ADD_ARGUMENTS = ("at", "heading", "radius", "shape", "drive", "sensors", "port", "name")
"""What `Stage.add` takes for itself."""
WRITTEN = {"Robot": "robot", "Radio": "robot.radio", "Team": "team"}
CALLED = re.compile(r"^(Robot|Radio|Team)\.(\w+)\(\) (?:got an unexpected|got multiple|missing|takes)")
USED = re.compile(r"(?:'|object )(\w+)(?:' object (?:is not|has no attribute)| can't be used in 'await')")
"""What was used as something it is not."""
FUNCTION = r"(?:builtin_function_or_method|function|method)"
SLIPS = (
    (
        re.compile(r"^must be real number, not"),
        "distances, angles and speeds are numbers, in metres, radians and seconds",
    ),
    (
        re.compile(
            rf"object (?!{FUNCTION} |Every |kumi\._core\.Scope )\S+ can't be used in 'await' expression"
        ),
        "it is there at once: write it without `await`",
    ),
    (
        re.compile(rf"(?:'|object |got ){FUNCTION}(?:' |$| can't)|subscript.*{FUNCTION}|{FUNCTION}'"),
        "it is a function: write its brackets, as in now(), chance() or sleep(1.0)",
    ),
    (
        re.compile(r"object Every can't|'Every'"),
        "every() is gone through with `async for t in every(...)`",
    ),
    (
        re.compile(r"'(?!kumi\._core\.Scope)\S+' object does not support the context manager"),
        "a block ends at a signal where it stands in `with until(signal):`",
    ),
    (
        re.compile(r"kumi\._core\.Point\b"),
        "a place has x and y, in metres, and does not change",
    ),
    (re.compile(r"' object is not callable"), "it is no function: write it without brackets"),
    (
        re.compile(r"'(?:name|number|home|chance|contacts|partings)' of 'kumi\._core\.RobotBase' objects"),
        "what a robot is named and where it begins is given to add(), as in add(program, at=(1, 1), name='Hana')",
    ),
    (re.compile(r"'float' object (?:has no|is not)"), "it is a plain number, in metres, radians or seconds"),
    (
        re.compile(r"'Team' object is not"),
        "a team is told what to do at once, by rows with a number for each robot, as in team.steer(speeds)",
    ),
    (
        re.compile(r"'(?:coroutine|kumi\._core\.(?:Motion|Sleep))'"),
        "it takes time: write `await` before the call",
    ),
    (
        re.compile(r"kumi\._core\.Scope(?:' object does not support the asynchronous| can't)"),
        "until() and unless() are entered with a plain `with`",
    ),
    (
        re.compile(r"'(?:position|heading|is_moving)' of 'kumi\._core\.RobotBase' objects is not writable"),
        "a program moves its robot by commands, such as `await robot.move_to((2, 1))`",
    ),
)


class OutsideTheRun(UserWarning):
    """A program that waits, or draws random numbers, by what does not belong to its run."""


def check_program(
    program: object, args: tuple[Any, ...], parameters: Mapping[str, Any], leads: str = "robot"
) -> None:
    """Refuse what is no program of what it `leads`, and one that does not take what it is given."""
    if iscoroutine(program):
        program.close()
        raise TypeError(
            f"{program.__qualname__} was called already; a stage is given the program itself, as in "
            f"add({program.__name__}, at=(1, 1))"
        ) from None
    if not callable(program):
        raise TypeError(f"a program is an `async def` that takes a {leads}, not {program!r}") from None
    taken = signature(program)
    try:
        taken.bind(None, *args, **parameters)
    except TypeError as error:
        name = getattr(program, "__qualname__", repr(program))
        raise TypeError(misfit(name, taken.parameters, args, parameters, str(error), leads)) from None


def misfit(
    name: str,
    taken: Mapping[str, Parameter],
    args: tuple[Any, ...],
    given: Mapping[str, Any],
    reason: str,
    leads: str,
) -> str:
    """Say why a program cannot be called with what it leads and what else it is given."""
    if not taken:
        return f"a program takes its {leads}, as in `async def {name}({leads})`, but {name}() takes nothing"
    for key in given:
        if key not in taken:
            hint = near_or_all(key, [*ADD_ARGUMENTS, *list(taken)[1:]], "add()")
            return f"neither add() nor the program {name}() takes {key!r}; {hint}"
    if not args and "missing" in reason:
        lacking = [one.name for one in list(taken.values())[1:] if one.default is Parameter.empty]
        lacking = [one for one in lacking if one not in given]
        shared = [one for one in lacking if one in ADD_ARGUMENTS]
        if shared:  # add() takes a word of that name itself
            call = f"add({name}, {', '.join(lacking)}, at=(1, 1))"
            return f"the program {name}() needs a {' and a '.join(shared)} of its own; give it in order, as in {call}"
        more = ", ".join(f"{one}=..." for one in lacking)
        return f"the program {name}() needs {' and '.join(lacking)}; give it to add(), as in add({name}, at=(1, 1), {more})"
    return f"the program {name}() is given its {leads} and {len(args)} arguments in order; it takes {described(taken.values())}"


def warn_of_outside(program: Callable[..., Any]) -> None:
    """Warn of a program that uses `time.sleep`, or draws from Python's `random`."""
    if not isfunction(program):
        return
    sentence = outside(program)
    if sentence:
        warnings.warn(f"the program {program.__qualname__}() {sentence}", OutsideTheRun, stacklevel=4)


def outside(program: FunctionType) -> str:
    """Say what of Python's a program uses where kumi has its own, by the names that stand in it."""
    names, known = program.__code__.co_names, program.__globals__
    used = [known.get(name) for name in names]
    if time.sleep in used or (time in used and "sleep" in names):
        return "calls time.sleep(), in which its robot does nothing and no simulated time passes; write `await sleep(1.0)`, with sleep from kumi"
    drawn = any(
        name in names for name in ("choice", "gauss", "randint", "random", "sample", "shuffle", "uniform")
    )
    is_random = any(isinstance(one, ModuleType) and one.__name__ == "random" for one in used)
    if is_random and drawn and "Random" not in names:
        return "draws from Python's random, which no seed of a run governs; draw from `chance()` of kumi"
    return ""


def explain_slip(error: BaseException) -> None:
    """Add a line to an error of Python's own that a slip in a program leads to."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            explain_slip(one)
    if not isinstance(error, TypeError | AttributeError):
        return
    words = str(error)
    if called := CALLED.search(words):
        method = getattr(getattr(kumi.robot, called[1]), called[2])
        error.add_note(
            f"{WRITTEN[called[1]]}.{called[2]}() takes {described(list(signature(method).parameters.values())[1:])}"
        )
    if (meant := USED.search(words)) and hasattr(getattr(kumi.sensing, meant[1], None), "read"):
        error.add_note("a sensor is asked for what it reads, as in `await robot.lidar.read()`")
        return
    if isinstance(error, AttributeError) and " object has no attribute " in words and is_ours(error.obj):
        error.add_note(lacking(error.obj, str(error.name)))
    for pattern, hint in SLIPS:
        if pattern.search(words):
            error.add_note(hint)


def is_ours(thing: object) -> bool:
    """Tell whether something is of a class of kumi's."""
    return type(thing).__module__.partition(".")[0] == "kumi"


def check_sensors(sensors: Mapping[str, Sensor] | None) -> None:
    """Refuse what does not give each sensor a name."""
    if sensors is not None and not isinstance(sensors, Mapping):
        raise TypeError(f'sensors are given by name, as in sensors={{"lidar": Lidar()}}, not {sensors!r}')
    for name, sensor in (sensors or {}).items():
        check_sensor_name(name)
        if isinstance(sensor, type) or not callable(getattr(sensor, "attached_to", None)):
            raise TypeError(f"the sensor {name!r} is an object such as Lidar(), not {sensor!r}")


def check_sensor_name(name: str) -> None:
    """Refuse a name by which a program could not ask for its sensor."""
    if not str(name).isidentifier() or str(name).startswith("_"):
        raise ValueError(f"a sensor's name is a word of letters, digits and _, but it is {name!r}")
    if hasattr(Robot, name) or name == "home":
        raise ValueError(f"a sensor cannot be named {name!r}: a robot has something of that name already")
