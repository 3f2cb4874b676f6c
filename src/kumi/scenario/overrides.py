"""How does a command line change a scenario?

`robots.count=1000` names a value by its path and gives a new one in TOML's own notation; what is no TOML
is taken as a string, so that a name needs no quotes. A value may also be put where none was.

With one group of robots `robots.count` means that group; with several, `robots.0.count` the first.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kumi.scenario.document import ROBOTS, Document, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kumi.scenario.lines import Path


@dataclass(frozen=True)
class Override:
    """A value for a path, and the words with which it was given."""

    path: str
    value: Any
    said: str


def override(document: Document, overrides: Iterable[str | Override]) -> None:
    """Put values into a document one after the other; a text is `path=value`, as given to `--set`."""
    for one in overrides:
        change = read_override(one) if isinstance(one, str) else one
        put(document, [part.strip() for part in change.path.split(".")], change.value, change.said)


def read_override(text: str) -> Override:
    """Read what was given to `--set`."""
    path, sign, value = text.partition("=")
    if not sign or not all(part.strip() for part in path.split(".")):
        raise ScenarioError(f"--set {text}: give a key and a value, as in robots.count=100")
    return Override(path, read_value(value), f"--set {text}")


def read_value(text: str) -> Any:
    """Read a value in TOML's notation, or a plain string."""
    try:
        table = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text.strip()
    return table["value"] if len(table) == 1 else text.strip()


def put(document: Document, keys: list[str], value: Any, said: str) -> None:
    """Put a value at its path, making the tables on the way that are missing."""
    keys = _with_group(document, keys, said)
    path: Path = ()
    table: Any = document.table
    for key in keys[:-1]:
        path = (*path, _step(document, table, path, key, said))
        table = table.setdefault(key, {}) if isinstance(table, dict) else table[path[-1]]
    last = _step(document, table, path, keys[-1], said)
    table[last] = value
    path = (*path, last)
    if path[0] == ROBOTS and not document.is_grouped:
        path = (ROBOTS, 0, *path[1:])
    document.overridden[path] = said


def _with_group(document: Document, keys: list[str], said: str) -> list[str]:
    """Write the number of the group of robots if the document has groups, and only then."""
    if keys[0] != ROBOTS or len(keys) == 1:
        return keys
    _, second, *others = keys
    count = len(document.groups)
    if not document.is_grouped:
        return [ROBOTS, *others] if second == "0" and others else keys
    if second.isdecimal():
        return keys
    if count > 1:
        choice = ", ".join(f"{ROBOTS}.{number}.{'.'.join(keys[1:])}" for number in range(count))
        raise ScenarioError(f"{said}: there are {count} groups of robots; say which: {choice}")
    return [ROBOTS, "0", second, *others]


def _step(document: Document, table: Any, path: Path, key: str, said: str) -> str | int:
    """Return the key as the table wants it: a number for an array, else the word itself."""
    if isinstance(table, dict):
        return key
    title = document.title(path)
    if not isinstance(table, list):
        raise ScenarioError(f"{said}: {title} is {table!r}, and has no {key!r} inside")
    if not key.isdecimal() or int(key) > len(table):
        raise ScenarioError(
            f"{said}: {title} is an array of {len(table)}; give a number from 0 to {len(table) - 1}, "
            f"or {len(table)} to add one, not {key!r}"
        )
    if int(key) == len(table):
        table.append({})
    return int(key)
