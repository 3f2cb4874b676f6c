"""Which parameters has an experiment, and how does one get it with others?

The fields of its dataclass are its parameters; those of a dataclass inside it have dots in their names, as in
`rules.learning`. A value is checked against the annotation of its field, so that a text where a number belongs is
refused before the first run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeVar, get_type_hints

import msgspec

from kumi.scenario.complaints import listed, shown
from kumi.study.errors import StudyError

E = TypeVar("E")


def parameters_of(thing: Any, above: str = "") -> dict[str, Any]:
    """Return all parameters with their values, as plain numbers, texts and lists."""
    found: dict[str, Any] = {}
    for field in fields(thing):
        if field.init:
            name, value = f"{above}{field.name}", getattr(thing, field.name)
            is_table = is_dataclass(value) and not isinstance(value, type)
            found.update(parameters_of(value, f"{name}.") if is_table else {name: as_plain(value)})
    return found


def as_plain(value: Any) -> Any:
    """Return a value as numbers, texts and lists; what has no such form, as its text."""
    try:
        return msgspec.to_builtins(value)
    except TypeError:
        return repr(value)


def with_parameters(thing: E, values: Mapping[str, Any], said: str = "") -> E:
    """Return a copy with other values for some parameters, all changed at once; `said` tells who asked."""
    changed: E = _changed(thing, values, said, "")
    return changed


def _changed(thing: Any, values: Mapping[str, Any], said: str, above: str) -> Any:
    inside: dict[str, dict[str, Any]] = {}
    changes: dict[str, Any] = {}
    known = {field.name for field in fields(thing) if field.init}
    hints = hints_of(type(thing))
    for path, value in values.items():
        name, dot, rest = path.partition(".")
        if name not in known:
            raise StudyError(
                f"{said}{unknown(above + path, parameters_of(thing, above), type(thing).__name__)}"
            )
        if not dot:
            changes[name] = _fitting(value, hints.get(name, Any), f"{said}{above}{name}")
        elif is_dataclass(getattr(thing, name)):
            inside.setdefault(name, {})[rest] = value
        else:
            raise StudyError(f"{said}{above}{name} has no parameters of its own, such as {rest!r}")
    for name, deeper in inside.items():
        changes[name] = _changed(changes.get(name, getattr(thing, name)), deeper, said, f"{above}{name}.")
    try:
        return replace(thing, **changes)
    except (ValueError, TypeError) as error:
        given = ", ".join(f"{above}{path} = {shown(value)}" for path, value in values.items())
        raise StudyError(f"{said}{given}: {error}") from error


def hints_of(kind: type) -> dict[str, Any]:
    """Return the annotations of a dataclass as types; those that cannot be resolved allow anything."""
    try:
        return get_type_hints(kind)
    except NameError:
        return {}


def _fitting(value: Any, hint: Any, said: str) -> Any:
    """Return the value as its annotation wants it, or say what that is."""
    try:
        return msgspec.convert(value, hint, strict=True)
    except msgspec.ValidationError as error:
        wanted = hint.__name__ if isinstance(hint, type) else str(hint).replace("typing.", "")
        raise StudyError(f"{said} is {shown(as_plain(value))}; it takes {wanted} ({error})") from error
    except TypeError:
        return value  # an annotation that cannot be checked here


def unknown(name: str, known: Iterable[str], owner: str) -> str:
    """Say that there is no parameter of that name, with the near ones, or all."""
    names = sorted(known)
    near = get_close_matches(name, names, n=3)
    hint = (
        f"did you mean {listed(map(repr, near), 'or')}?"
        if near
        else f"it has {listed(names) if names else 'none'}"
    )
    return f"{name!r} is no parameter of {owner}; {hint}"
