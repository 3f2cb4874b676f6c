"""What does a person read who asks for a name that is not there, or gives an argument that is not taken?

A sentence that says what was asked for, and what to write instead: the name that is near, the package that has it, or
all that is allowed. It is put together only after something went wrong, so that what is right costs nothing more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from inspect import Parameter
    from types import ModuleType

__all__ = ["Teaching", "lacking", "missing_name", "near_or_all", "taught", "wrong_call"]

P = ParamSpec("P")
R = TypeVar("R")
IMPORTING = "_handle_fromlist"
"""The function of Python's that asks a package for the names of `from package import name`."""
LONGEST_DEFAULT = 30
"""Letters of a default value that are still shown."""
EVERYDAY = ("kumi.network", "kumi.sensing", "kumi.world")
"""The packages that come first where several have a name, after `kumi` itself."""


def near_or_all(name: str, known: Iterable[str], owner: str = "it", verb: str = "takes") -> str:
    """Say which known name is near to one, or else which there are."""
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"{owner} {verb} {', '.join(names) or 'nothing'}"


class Teaching:
    """Objects that say what they have, when they are asked for a name that they do not have."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Say that there is no such name."""
            if hasattr(type(self), name) or name.startswith(
                "_"
            ):  # a property failed, or Python looks for a hook
                return object.__getattribute__(self, name)
            raise AttributeError(lacking(self, name), name=name, obj=None)


def lacking(owner: object, name: str) -> str:
    """Say that an object has nothing of a name, and what it has."""
    kind = type(owner)
    public = [one for one in dir(owner) if not one.startswith("_")]
    return f"{kind.__name__} has no {name!r}; {near_or_all(name, public, 'it', 'has')}"


def missing_name(package: ModuleType, name: str) -> AttributeError | ImportError:
    """Return what a package raises that is asked for a name it does not have, in the `__getattr__` of its class."""
    plain = AttributeError(f"module {package.__name__!r} has no attribute {name!r}", name=name, obj=package)
    if name.startswith("_") or is_module(package, name):
        return plain
    hint = elsewhere(package, name)
    if not hint:
        return plain
    sentence = f"{package.__name__} has no {name!r}; {hint}"
    if sys._getframe(2).f_code.co_name == IMPORTING:
        return ImportError(sentence, name=package.__name__)
    return AttributeError(sentence, name=name, obj=None)  # without an object, Python adds no guess of its own


def is_module(package: ModuleType, name: str) -> bool:
    """Tell whether a package has a module of a name, which may not be loaded yet."""
    from importlib.machinery import PathFinder

    return PathFinder.find_spec(f"{package.__name__}.{name}", package.__path__) is not None


def elsewhere(package: ModuleType, name: str) -> str:
    """Say which package has a name, or which name of this one, or of another, is near."""
    from difflib import get_close_matches

    owners = names_of_packages()
    if name in owners:
        return where(name, owners)
    if near := get_close_matches(name, package.__all__, n=1):
        return f"did you mean {near[0]!r}?"
    near = get_close_matches(name, owners, n=1)
    return f"did you mean {near[0]!r}? {where(near[0], owners)}" if near else ""


def where(name: str, owners: dict[str, list[str]]) -> str:
    """Say where a name is, and how it is imported."""
    if "kumi" in owners[name]:
        return f"it is in kumi: `from kumi import {name}`"
    first, *others = sorted(owners[name], key=lambda one: one not in EVERYDAY)
    also = f" (and in {', '.join(others)})" if others else ""
    return f"it is in {first}{also}: `from {first} import {name}`"


def names_of_packages() -> dict[str, list[str]]:
    """Return the packages of each name that kumi's packages offer."""
    import ast
    from pkgutil import iter_modules

    found = {name: ["kumi"] for name in sys.modules["kumi"].__all__}
    for info in iter_modules(sys.modules["kumi"].__path__, "kumi."):
        spec = info.module_finder.find_spec(info.name, None) if info.ispkg else None
        source = spec.loader.get_source(info.name) if spec else ""  # type: ignore[union-attr]
        for line in ast.parse(source or "").body:
            if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "__all__":
                for name in ast.literal_eval(line.value):
                    found.setdefault(name, []).append(info.name)
    return found


def taught(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function that is called with arguments it does not take say which it takes."""

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> R:
        try:
            return function(*args, **named)
        except TypeError as error:
            traceback = error.__traceback__
            if traceback is not None and traceback.tb_next is None:  # the function was not even entered
                raise TypeError(wrong_call(function, args, named)) from None
            raise

    return call


def wrong_call(function: Callable[..., object], args: tuple[object, ...], named: dict[str, object]) -> str:
    """Say what is wrong with the arguments of a call, and which are taken."""
    from inspect import Parameter, signature

    makes = function.__name__ == "__init__"
    name = type(args[0]).__name__ if makes else function.__qualname__
    taken = {key: one for key, one in signature(function).parameters.items() if key != "self"}
    args = args[len(signature(function).parameters) - len(taken) :]
    in_order = [one.name for one in taken.values() if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
    for key in named:
        if key not in taken:
            return f"{name}() takes no {key!r}; {near_or_all(key, taken)}"
        if key in in_order[: len(args)]:
            return f"{name}() is given {key!r} twice: in order it takes {', '.join(in_order)}"
    is_open = any(one.kind is Parameter.VAR_POSITIONAL for one in taken.values())
    if len(args) > len(in_order) and not is_open:
        return f"{name}() is given {len(args)} arguments in order; it takes {described(taken.values())}"
    given = {*named, *in_order[: len(args)]}
    needed = [
        one.name for one in taken.values() if one.default is Parameter.empty and not str(one).startswith("*")
    ]
    without = [one for one in needed if one not in given]
    return f"{name}() needs {' and '.join(without)}; it takes {described(taken.values())}"


def described(parameters: Iterable[object]) -> str:
    """Return parameters as they stand in a definition, without their types."""
    from inspect import Parameter

    plain = [one.replace(annotation=Parameter.empty) for one in parameters if isinstance(one, Parameter)]
    by_name = [written(one) for one in plain if one.kind is Parameter.KEYWORD_ONLY]
    others = [written(one) for one in plain if one.kind is not Parameter.KEYWORD_ONLY]
    return ", ".join(
        [*others, f"and by name {', '.join(by_name)}"] if others and by_name else others or by_name
    )


def written(parameter: Parameter) -> str:
    """Return a parameter as it stands in a definition; of a long default value, dots."""
    name, is_equal, default = str(parameter).partition("=")
    return name + is_equal + (default if len(default) <= LONGEST_DEFAULT else "...")
