"""How does a table of a scenario become a drive, a sensor, a shape?

A table has a `kind`, which names a class, and the other keys are what the class takes by keyword. So a
class that somebody adds has its place in the file without a line here. A string is short for a table with
nothing but that kind. An angle `bearing` may also be given in degrees, as `bearing_deg`.

A value is held against the annotation of its argument where that is made of plain types; where it is a dataclass, a
table is made into one in the same way. What the class
itself has to say against it comes out with the place in the file.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from kumi.devs.errors import KumiError
from kumi.geometry.headings import in_degrees, seems_degrees
from kumi.scenario.complaints import listed, shown, unknown
from kumi.scenario.fields import Misfit, fitted, is_plain

if TYPE_CHECKING:
    from kumi.scenario.document import Place

T = TypeVar("T")
Kinds = Mapping[str, Callable[..., T]]
DEGREES = "_deg"
ANGLES = {"bearing", "bias", "tilt", "view"}
"""Arguments of what ships that are angles: those that seem to be meant in degrees are refused."""
NOISE = "noise"
A_KIND = "it takes the name of a kind, or a table with one"


def make(
    value: Any,
    kinds: Kinds[T],
    place: Place,
    *,
    noises: Kinds[Any] | None = None,
    default: str | None = None,
) -> T:
    """Make the thing that a table describes, or say what is wrong with the table.

    Under a key that ends in `noise` a table or a string is a thing itself, of one of the kinds of noise.
    `default` is the kind of a table that names none.
    """
    table = {"kind": value} if isinstance(value, str) else value
    if not isinstance(table, dict):
        raise place.error(f"{place.title} is {shown(value)}; {A_KIND}")
    kind = table.get("kind", default)
    if not isinstance(kind, str) or kind not in kinds:
        where = place.at("kind") if table is value else place
        was = f"is {shown(kind)}" if "kind" in table else "is missing"
        raise where.error(f"{where.title} {was}; it takes {listed(sorted(kinds), 'or')}")
    parts = {
        key: make(part, noises, place.at(key))
        for key, part in table.items()
        if noises and key.endswith(NOISE) and isinstance(part, dict | str)
    }
    plain = {key: part for key, part in table.items() if key != "kind" and key not in parts}
    return built(kinds[kind], plain, place, also=parts)


def built(maker: Callable[..., T], table: Mapping[str, Any], place: Place, *, also: Mapping[str, Any]) -> T:
    """Return what a function makes of a table, or say what is wrong with the table; `also` is given to it, too."""
    arguments = fit(maker, table, place, also=also)
    try:
        return maker(**arguments, **also)
    except (KumiError, ValueError, TypeError) as error:
        raise place.error(f"{place.title}: {error}") from error


def fit(
    maker: Callable[..., Any],
    table: Mapping[str, Any],
    place: Place,
    *,
    also: Mapping[str, Any],
    skip: int = 0,
) -> dict[str, Any]:
    """Return what a table gives a function by keyword, or say which key or value does not fit.

    The first `skip` arguments are given by somebody else, and those in `also`, too.
    """
    taken = _arguments(maker, skip)
    hints = _hints(maker)
    arguments: dict[str, Any] = {}
    for key in also:
        if key not in taken:
            raise place.at(key).error(unknown(place.at(key), taken))
    for key, value in table.items():
        spot = place.at(key)
        name = _named(key, taken)
        if name is None:
            raise spot.error(unknown(spot, taken))
        if name in arguments or name in also:
            raise spot.error(f"{spot.title} is given twice: as {name} and as {name}{DEGREES}")
        if name == key and name in ANGLES and seems_degrees(value):
            raise spot.error(in_degrees(value, spot.title, f"{name}{DEGREES} = {value:g}"))
        arguments[name] = _radians(value, spot) if name != key else _checked(value, hints.get(name), spot)
    for name, argument in taken.items():
        if argument.default is argument.empty and name not in arguments and name not in also:
            raise place.error(f"{place.at(name).title} is missing")
    return arguments


def _arguments(maker: Callable[..., Any], skip: int) -> dict[str, inspect.Parameter]:
    """Return the arguments that can be given by keyword."""
    allowed = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    arguments = list(inspect.signature(maker).parameters.values())[skip:]
    return {argument.name: argument for argument in arguments if argument.kind in allowed}


def _named(key: str, taken: Mapping[str, object]) -> str | None:
    """Return the argument that a key means: its own name, or that of an angle in degrees."""
    if key in taken:
        return key
    name = key.removesuffix(DEGREES)
    return name if name in taken else None


def _radians(value: Any, spot: Place) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise spot.error(f"{spot.title} is {shown(value)}; it takes a number of degrees")
    return math.radians(value)


def _hints(maker: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of the arguments; none where they name what only a type checker imports."""
    has_own = inspect.isclass(maker) and not is_dataclass(maker)
    try:
        return get_type_hints(maker.__init__ if has_own else maker)
    except (NameError, TypeError):
        return {}


def _checked(value: Any, hint: Any, spot: Place) -> Any:
    """Return the value in the type that its annotation asks for; as it is if that is none of the plain ones."""
    if hint is None:
        return value
    if isinstance(hint, type) and is_dataclass(hint):
        if not isinstance(value, dict):
            raise spot.error(f"{spot.title} is {shown(value)}; it takes a table")
        return built(hint, value, spot, also={})
    if spot.path[-1] == NOISE and float not in get_args(hint):
        raise spot.error(f"{spot.title} is {shown(value)}; {A_KIND}")
    if not is_plain(hint):
        return value
    try:
        return fitted(hint, value)
    except Misfit:
        raise spot.error(f"{spot.title} is {shown(value)}; it takes {_words(hint)}") from None


def _words(hint: Any) -> str:
    """Say a type in words."""
    if get_origin(hint) is Literal:
        return listed(map(shown, get_args(hint)), "or")
    if get_origin(hint) in {Union, UnionType}:
        return listed(
            dict.fromkeys(_words(choice) for choice in get_args(hint) if choice is not NoneType), "or"
        )
    plain = {
        int: "a whole number",
        float: "a number",
        str: "a string",
        bool: "true or false",
        dict: "a table",
    }
    kind = get_origin(hint) or hint
    if kind in {list, tuple, Sequence}:
        inner = [choice for choice in get_args(hint) if choice is not Ellipsis][:1]
        return f"an array, each of it {_words(inner[0])}" if inner else "an array"
    return plain.get(kind, str(hint))
