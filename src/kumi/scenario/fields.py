"""How is a table of a file described, and how is a value held against its description?

A table is a frozen dataclass, each key a field of it that says what it takes. No value is converted, but for what the
file cannot say: a whole number where a number is asked for, an array for a tuple, a path, a key that is a number. All
mistakes of a table are found at once, each with its place.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, replace
from pathlib import Path as FilePath
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    from kumi.scenario.lines import Path

ABOUT = "about"
SINGLE: dict[Any, type] = {
    str: str,
    int: int,
    bool: bool,
    NoneType: NoneType,
    FilePath: str,
    float: float,
    Any: object,
}
"""What else than arrays and tables a field may take, and what it is in a file."""
KEYS = {str, int, Any}
ARRAYS = {list, tuple, Sequence}
TABLES = {dict, Mapping}


class ScenarioTable:
    """What is read from a table of a file."""


T = TypeVar("T", bound=ScenarioTable)


@dataclass(frozen=True)
class FieldAbout:
    """What a field takes: in words, and by a rule beyond its type."""

    takes: str
    rule: Callable[[Any], bool] | None
    is_endless: bool


@dataclass(frozen=True)
class Described:
    """A field of a table."""

    hint: Any
    about: FieldAbout
    default: Any

    @property
    def table(self) -> type[ScenarioTable] | None:
        """The class of the table, or of the tables, that the field holds."""
        choices = (self.hint, *get_args(self.hint))
        return next(
            (one for one in choices if isinstance(one, type) and issubclass(one, ScenarioTable)), None
        )


@dataclass(frozen=True)
class FieldMistake:
    """A value that does not fit, or a key that is missing or unknown; `takes` is of the field at `field`."""

    problem: Literal["wrong", "missing", "unknown"]
    path: Path
    value: Any = None
    field: Path = ()
    takes: str = ""
    known: tuple[str, ...] = ()

    def below(self, *above: str | int) -> FieldMistake:
        """Return the same, seen from further up."""
        field = (*above, *self.field) if self.takes else ()
        return replace(self, path=(*above, *self.path), field=field)


class Misfit(Exception):
    """A value does not fit its description."""

    def __init__(self, mistakes: Iterable[FieldMistake]) -> None:
        super().__init__(mistakes)
        self.mistakes = list(mistakes)


def field(
    takes: str,
    *,
    default: Any = MISSING,
    rule: Callable[[Any], bool] | None = None,
    is_endless: bool = False,
) -> Any:
    """Describe a field by what it takes in words, and by a rule that every value but None keeps.

    A field without a default has to be given; one that is endless may be infinite.
    """
    about = {ABOUT: FieldAbout(takes, rule, is_endless)}
    if isinstance(default, dict | list):
        return dataclasses.field(default_factory=lambda: copy(default), metadata=about)
    return dataclasses.field(default=default, metadata=about)


def described(schema: type[ScenarioTable]) -> dict[str, Described]:
    """Return the fields of a table by name."""
    hints = get_type_hints(schema)
    return {
        one.name: Described(
            hints[one.name],
            one.metadata[ABOUT],
            one.default if one.default_factory is MISSING else one.default_factory(),
        )
        for one in dataclasses.fields(schema)  # type: ignore[arg-type]  # every table is a dataclass
    }


def known_paths(schema: type[ScenarioTable], above: Path = ()) -> Iterator[Path]:
    """Yield the path of every field, the outer ones first."""
    inner: list[Iterator[Path]] = []
    for name, one in described(schema).items():
        path = (*above, name)
        yield path
        if one.table:
            inner.append(known_paths(one.table, path))
    for paths in inner:
        yield from paths


def read(schema: type[T], table: Mapping[str, Any]) -> T:
    """Return what a table says, or raise Misfit with all its mistakes."""
    fields = described(schema)
    values: dict[str, Any] = {}
    mistakes: list[FieldMistake] = []
    for name, one in fields.items():
        if name not in table:
            if one.default is MISSING:
                mistakes.append(FieldMistake("missing", (name,), None, (name,), one.about.takes))
            continue
        try:
            values[name] = _ruled(one, table[name])
        except Misfit as misfit:
            mistakes += [
                (found if found.takes or found.known else replace(found, takes=one.about.takes)).below(name)
                for found in misfit.mistakes
            ]
    mistakes += [FieldMistake("unknown", (key,), known=tuple(fields)) for key in table if key not in fields]
    if mistakes:
        raise Misfit(mistakes)
    return schema(**values)


def _ruled(one: Described, value: Any) -> Any:
    found = fitted(one.hint, value, is_endless=one.about.is_endless)
    if found is not None and one.about.rule is not None and not one.about.rule(found):
        raise _wrong(value)
    return found


def is_plain(hint: Any) -> bool:
    """Whether a type is made of those that a file knows."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return True
    if origin is Annotated:
        return is_plain(inner[0])
    if origin in {dict, Mapping} and inner[0] not in KEYS:
        return False
    if hint in SINGLE or origin in {*ARRAYS, *TABLES, Union, UnionType}:
        return all(one is Ellipsis or is_plain(one) for one in inner)
    return hint in {*ARRAYS, *TABLES}


def fitted(hint: Any, value: Any, *, is_endless: bool = True) -> Any:
    """Return a value in the plain type that is asked for, or raise Misfit."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return fitted(inner[0], value, is_endless=is_endless)
    if origin in {Union, UnionType}:
        return _one_of(inner, value, is_endless=is_endless)
    if origin is Literal:
        if not any(type(value) is type(one) and value == one for one in inner):
            raise _wrong(value)
        return value
    kind = origin or hint
    if kind in ARRAYS:
        return _array(kind, inner, value, is_endless=is_endless)
    if kind in TABLES:
        return _keyed(inner or (str, Any), value, is_endless=is_endless)
    if isinstance(hint, type) and issubclass(hint, ScenarioTable):
        if not isinstance(value, dict):
            raise _wrong(value)
        return read(hint, value)
    return _single(hint, value, is_endless=is_endless)


def _wrong(value: Any) -> Misfit:
    return Misfit([FieldMistake("wrong", (), value)])


def _single(hint: Any, value: Any, *, is_endless: bool) -> Any:
    """Return a value that is neither array nor table."""
    if hint is Any:
        return value
    if hint is float:
        return _number(value, is_endless=is_endless)
    if type(value) is not SINGLE[hint]:
        raise _wrong(value)
    return FilePath(str(value)) if hint is FilePath else value


def _number(value: Any, *, is_endless: bool) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(value)
    try:
        number = float(value)
    except OverflowError:
        raise _wrong(value) from None
    if math.isnan(number) or (math.isinf(number) and not is_endless):
        raise _wrong(value)
    return number


def _one_of(choices: Sequence[Any], value: Any, *, is_endless: bool) -> Any:
    """Return a value of the first type that it fits; else the mistakes are those of the type that it fits furthest."""
    deepest: list[FieldMistake] = []
    found: list[Any] = []
    for choice in choices:
        try:
            found.append(fitted(choice, value, is_endless=is_endless))
        except Misfit as misfit:
            deepest = max(deepest, misfit.mistakes, key=_depth)
    if not found:
        raise Misfit(deepest)
    return found[0]


def _depth(mistakes: Sequence[FieldMistake]) -> int:
    return max((1 + len(one.path) for one in mistakes), default=0)


def _array(kind: Any, inner: Sequence[Any], value: Any, *, is_endless: bool) -> Any:
    if not isinstance(value, list | tuple):
        raise _wrong(value)
    is_fixed = kind is tuple and inner and inner[-1] is not Ellipsis
    if is_fixed and len(value) != len(inner):
        raise _wrong(value)
    hints = inner if is_fixed else [inner[0] if inner else Any] * len(value)
    parts = _all_of(enumerate(zip(hints, value, strict=True)), is_endless=is_endless)
    return tuple(parts) if kind is tuple else parts


def _keyed(inner: Sequence[Any], value: Any, *, is_endless: bool) -> dict[Any, Any]:
    key_hint, hint = inner
    if not isinstance(value, dict):
        raise _wrong(value)
    if key_hint is int and not all(str(key).removeprefix("-").isdecimal() for key in value):
        raise _wrong(value)
    parts = _all_of(((key, (hint, part)) for key, part in value.items()), is_endless=is_endless)
    return dict(zip(map(int, value) if key_hint is int else value, parts, strict=True))


def _all_of(parts: Iterable[tuple[str | int, tuple[Any, Any]]], *, is_endless: bool) -> list[Any]:
    """Return all parts of an array or a table in their types, or raise Misfit with the mistakes of all of them."""
    found: list[Any] = []
    mistakes: list[FieldMistake] = []
    for key, (hint, part) in parts:
        try:
            found.append(fitted(hint, part, is_endless=is_endless))
        except Misfit as misfit:
            mistakes += [one.below(key) for one in misfit.mistakes]
    if mistakes:
        raise Misfit(mistakes)
    return found
