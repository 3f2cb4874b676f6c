"""A value is held against the type of its field: what fits is taken as it is, and every mistake has its place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.scenario.fields import (
    FieldMistake,
    Misfit,
    ScenarioTable,
    described,
    field,
    fitted,
    is_plain,
    known_paths,
    read,
)

Hint = Any


@dataclass(frozen=True, kw_only=True)
class Wheel(ScenarioTable):
    radius: float = field("metres", rule=lambda metres: metres > 0)
    tyre: str | None = field("a name", default=None, rule=bool)


@dataclass(frozen=True, kw_only=True)
class Cart(ScenarioTable):
    wheels: list[Wheel] = field("tables", default=[])
    spare: Wheel | None = field("a table", default=None)
    load: dict[str, Any] = field("a table", default={})
    end: float = field("seconds", default=math.inf, is_endless=True)


@pytest.mark.parametrize(
    ("hint", "value", "taken"),
    [
        (Any, [1, {"a": None}], [1, {"a": None}]),
        (bool, True, True),
        (int, 10**30, 10**30),
        (float, 2, 2.0),
        (float, math.inf, math.inf),
        (str, "", ""),
        (Path, "map.toml", Path("map.toml")),
        (int | None, None, None),
        (float | str, "word", "word"),
        (Literal["a", 1], 1, 1),
        (Annotated[int, "of things"], 3, 3),
        (list[float], [1, 2.5], [1.0, 2.5]),
        (list, [1, "a"], [1, "a"]),
        (tuple[float, float], [1, 2], (1.0, 2.0)),
        (tuple[int, ...], [], ()),
        (Sequence[tuple[int, str]], [[1, "a"]], [(1, "a")]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (dict[int, float], {"1": 2, "-3": 0.5}, {1: 2.0, -3: 0.5}),
        (Mapping[str, Any], {}, {}),
        (dict, {"a": 1}, {"a": 1}),
        (Literal["random"] | list[float], [1], [1.0]),
    ],
)
def test_what_fits_is_taken(hint: Hint, value: Any, taken: Any) -> None:
    found = fitted(hint, value)

    assert is_plain(hint)
    assert found == taken
    assert type(found) is type(taken)


@pytest.mark.parametrize(
    ("hint", "value", "places"),
    [
        (bool, 1, [()]),
        (int, True, [()]),
        (int, 1.0, [()]),
        (float, True, [()]),
        (float, "1", [()]),
        (float, math.nan, [()]),
        (float, 10**400, [()]),
        (str, 1, [()]),
        (Path, 1, [()]),
        (int | None, "a", [()]),
        (Literal["a", 1], True, [()]),
        (list[int], {"a": 1}, [()]),
        (list[int], "12", [()]),
        (list[int], [1, "a", 2, None], [(1,), (3,)]),
        (tuple[float, float], [1], [()]),
        (list[tuple[float, float]], [[1, 2], [3], [4, "a"]], [(1,), (2, 1)]),
        (dict[str, int], [], [()]),
        (dict[str, int], {"a": 1, "b": "c"}, [("b",)]),
        (dict[int, float], {"one": 1}, [()]),
        (Literal["random"] | list[float], ["a"], [(0,)]),
        (Literal["random"] | list[float], "rand", [()]),
    ],
)
def test_what_does_not_fit_has_its_places(hint: Hint, value: Any, places: list[tuple[Any, ...]]) -> None:
    with pytest.raises(Misfit) as refused:
        fitted(hint, value)

    assert [mistake.path for mistake in refused.value.mistakes] == places


@pytest.mark.parametrize("hint", [object, Misfit, list[Misfit], dict[float, int], int | Misfit, set[int]])
def test_types_that_a_file_does_not_know_are_not_plain(hint: Hint) -> None:
    assert not is_plain(hint)


def test_all_mistakes_of_a_table_are_found_at_once() -> None:
    table = {
        "wheels": [{"radius": 1}, {"radius": 0}, {"tyre": "", "radios": 1}, 5],
        "spare": {"radius": math.inf},
        "cargo": 1,
    }
    with pytest.raises(Misfit) as refused:
        read(Cart, table)

    wheels = ("wheels", 2)
    assert refused.value.mistakes == [
        FieldMistake("wrong", ("wheels", 1, "radius"), 0, ("wheels", 1, "radius"), "metres"),
        FieldMistake("missing", (*wheels, "radius"), None, (*wheels, "radius"), "metres"),
        FieldMistake("wrong", (*wheels, "tyre"), "", (*wheels, "tyre"), "a name"),
        FieldMistake("unknown", (*wheels, "radios"), known=("radius", "tyre")),
        FieldMistake("wrong", ("wheels", 3), 5, ("wheels",), "tables"),
        FieldMistake("wrong", ("spare", "radius"), math.inf, ("spare", "radius"), "metres"),
        FieldMistake("unknown", ("cargo",), known=("wheels", "spare", "load", "end")),
    ]


def test_a_table_is_read_with_its_defaults() -> None:
    cart = read(Cart, {"wheels": [{"radius": 1}], "end": math.inf})

    assert cart == Cart(wheels=[Wheel(radius=1.0)])
    assert read(Cart, {}).load is not read(Cart, {}).load
    assert list(known_paths(Cart))[-2:] == [("spare", "radius"), ("spare", "tyre")]
    assert described(Cart)["wheels"].table is described(Cart)["spare"].table is Wheel


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_any_value_fits_or_is_refused(value: Any) -> None:
    for hint in (float, list[float], int | list[int] | None, tuple[str, ...], Literal["a"]):
        with suppress(Misfit):
            assert fitted(hint, fitted(hint, value)) == fitted(hint, value)
