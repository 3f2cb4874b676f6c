"""What does a person read when a scenario does not fit the schema?

Each mistake has a path in the document. Here it becomes a sentence with the line of the file, the value that was given
and those that are allowed.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from kumi.scenario.fields import known_paths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kumi.scenario.document import Document, Place
    from kumi.scenario.fields import FieldMistake, ScenarioTable
    from kumi.scenario.lines import Path

LONGEST_VALUE = 60


def complaints(
    mistakes: Iterable[FieldMistake], document: Document, schema: type[ScenarioTable]
) -> list[str]:
    """Return a sentence with its place for each mistake in a document."""
    return [_complaint(one, document, schema) for one in mistakes]


def _complaint(one: FieldMistake, document: Document, schema: type[ScenarioTable]) -> str:
    place = document.place(*one.path)
    if one.problem == "unknown":
        return place.complaint(unknown(place, one.known, known_paths(schema)))
    takes = f"it takes {one.takes}"
    if len(one.field) < len(one.path):
        takes = f"{document.title(one.field)} takes {one.takes}"
    if one.problem == "missing":
        return place.complaint(f"{place.title} is missing; {takes}")
    return place.complaint(f"{place.title} is {shown(one.value)}; {takes}")


def unknown(place: Place, known: Iterable[str], elsewhere: Iterable[Path] = ()) -> str:
    """Say that a key is unknown, with the near one, or where it belongs, or all that are known."""
    *above, key = place.path
    names = sorted(known)
    if near := get_close_matches(str(key), names, n=1):
        hint = f"did you mean {place.document.title((*above, near[0]))}?"
    elif other := [path for path in elsewhere if path[-1] == key]:
        hint = f"did you mean {place.document.title(other[0])}?"
    elif names:
        owner = place.document.title(tuple(above)) or "a scenario"
        hint = f"{owner} takes {listed(names)}"
    else:
        hint = f"{place.document.title(tuple(above))} takes nothing"
    return f"{place.title} is unknown; {hint}"


def listed(names: Iterable[str], last: str = "and") -> str:
    """Write names as a person does: a, b and c."""
    *first, final = names
    return f"{', '.join(first)} {last} {final}" if first else final


def shown(value: Any) -> str:
    """Write a value as it would stand in the file, shortened if it is long."""
    if isinstance(value, dict):
        return "a table"
    text = json.dumps(value, ensure_ascii=False, default=str)
    for there, here in (("NaN", "nan"), ("Infinity", "inf")):
        text = text if isinstance(value, str) else text.replace(there, here)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."
