"""What is wrong with a value is said by its name, in words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kumi.station.operations.finds import Measure
from kumi.station.operations.robots import TellTaskOptions
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import PlaceRecord, StationRecord
from kumi.station.wording import complaint

CASES: list[tuple[Any, type[StationRecord], str]] = [
    ({"robot": 5, "task": "goTo"}, GiveTask, "'robot' must be a text, not a whole number"),
    ({"robot": "a"}, GiveTask, "it lacks 'task'"),
    ({"robot": "a", "task": "goTo", "x": 1}, GiveTask, "it takes no 'x'"),
    ([], GiveTask, "it must be an object, not a list"),
    (
        {"robot": "a", "task": "go to"},
        GiveTask,
        "'task' must be letters, digits, _ and -, with a letter or _ first",
    ),
    (
        {"robot": " a", "task": "goTo"},
        GiveTask,
        "'robot' must be any letters but /, without spaces at the ends",
    ),
    ({"robot": "a", "task": "x" * 65}, GiveTask, "'task' must be a text of at most 64 letters"),
    ({"robot": "a", "task": "goTo", "when": "soon"}, GiveTask, "'when' cannot be 'soon'"),
    ({"layer": "warmth", "samples": []}, Measure, "'samples' must be a list of at least 1 entry"),
    ({"x": 1e7, "y": 0.0}, PlaceRecord, "'x' must be a number of at most 1000000"),
    (
        {"options": [{"name": "a", "parameters": [{}]}]},
        TellTaskOptions,
        "'options[0].parameters[0]' lacks 'name'",
    ),
]


@pytest.mark.parametrize(("value", "kind", "said"), CASES)
def test_a_complaint_names_the_place_and_what_is_allowed(
    value: Any, kind: type[StationRecord], said: str
) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(value, kind)

    assert complaint(caught.value) == said


def test_a_value_with_a_name_of_its_own_is_called_by_it() -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert([{"x": 1.0, "y": None}], tuple[PlaceRecord, ...])

    assert complaint(caught.value, "path") == "'path[0].y' must be a number, not nothing"
