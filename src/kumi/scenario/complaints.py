"""What does a person read when a scenario does not fit the schema?

The checker names each mistake by a code and a path. Here the path becomes a line of the file, and the
code a sentence with the value that was given and those that are allowed.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import ValidationError
    from pydantic.fields import FieldInfo

    from kumi.scenario.document import Document, Place
    from kumi.scenario.lines import Path

LONGEST_VALUE = 60


def complaints(error: ValidationError, document: Document, table: Any, schema: type[BaseModel]) -> list[str]:
    """Return a sentence with its place for each mistake that the checker found in a table."""
    return [_complaint(one, document, table, schema) for one in error.errors(include_url=False)]


def _complaint(one: Mapping[str, Any], document: Document, table: Any, schema: type[BaseModel]) -> str:
    is_missing = one["type"] == "missing"
    path = _real_path(one["loc"], table, names_a_key=is_missing or one["type"] == "extra_forbidden")
    if is_missing and isinstance(path[-1], int):  # an array that is too short is wrong as a whole
        path, is_missing = path[:-1], False
    place = document.place(*path)
    if one["type"] == "extra_forbidden":
        model = _model_at(schema, path[:-1])
        return place.complaint(unknown(place, model.model_fields if model else (), known_paths(schema)))
    field_path, field = _field_at(schema, path)
    takes = f"it takes {field.description}"
    if len(field_path) < len(path):
        takes = f"{document.title(field_path)} takes {field.description}"
    if is_missing:
        return place.complaint(f"{place.title} is missing; {takes}")
    return place.complaint(f"{place.title} is {shown(one['input'])}; {takes}")


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


def known_paths(schema: type[BaseModel], above: Path = ()) -> Iterator[Path]:
    """Yield the path of every field, the outer ones first."""
    inner: list[Iterator[Path]] = []
    for name, field in schema.model_fields.items():
        path = (*above, name)
        yield path
        if model := model_of(field):
            inner.append(known_paths(model, path))
    for paths in inner:
        yield from paths


def _real_path(location: Iterable[str | int], table: Any, *, names_a_key: bool) -> Path:
    """Leave out what names a choice of the schema and not a key of the file.

    The last step may name a key that is not in the file.
    """
    path: Path = ()
    steps = list(location)
    for number, key in enumerate(steps):
        is_there = key in table if isinstance(table, dict) else isinstance(key, int)
        if is_there:
            path = (*path, key)
            has_more = isinstance(table, dict) or (isinstance(table, list) and int(key) < len(table))
            table = table[key] if has_more else None
        elif number == len(steps) - 1 and names_a_key:
            path = (*path, key)
    return path


def _field_at(schema: type[BaseModel], path: Path) -> tuple[Path, FieldInfo]:
    """Return the deepest field on a path, and its own path."""
    found: tuple[Path, FieldInfo] | None = None
    model: type[BaseModel] | None = schema
    for number, key in enumerate(path):
        if isinstance(key, int):
            continue
        field = model.model_fields.get(key) if model else None
        if field is None:
            break
        found = path[: number + 1], field
        model = model_of(field)
    assert found, f"the checker complained about {path}, which is no field"
    return found


def _model_at(schema: type[BaseModel], path: Path) -> type[BaseModel] | None:
    return model_of(_field_at(schema, path)[1]) if path else schema


def model_of(field: FieldInfo) -> type[BaseModel] | None:
    """Return the class of the table, or of the tables, that a field holds."""
    for choice in (field.annotation, *get_args(field.annotation)):
        if isinstance(choice, type) and issubclass(choice, BaseModel):
            return choice
    return None
