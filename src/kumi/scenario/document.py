"""What does a scenario file say, and where?

A `Document` is the table of a TOML file together with the origin of each value: a line of the file, or
the words of the command line that replaced it. A `Place` is one spot in it, from which a complaint knows its own address.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from kumi.devs.errors import KumiError
from kumi.scenario.lines import Path, lines_of

if TYPE_CHECKING:
    from collections.abc import Mapping

ROBOTS = "robots"
LARGEST_FILE = 64 * 2**20
"""Bytes; a scenario is written by hand, and a map has formats of its own."""


class ScenarioError(KumiError, ValueError):
    """A scenario that cannot be staged. The message has a line for each mistake, with its place."""


@dataclass
class Document:
    """The table of a scenario, and where each of its values came from."""

    name: str
    folder: FilePath
    text: str
    table: dict[str, Any]
    overridden: dict[Path, str] = field(default_factory=dict)

    @cached_property
    def _lines(self) -> Mapping[Path, int]:
        return lines_of(self.text)

    def origin(self, path: Path) -> str:
        """Tell where a value was written, or, if it was not, the nearest table around it.

        Of a table that stands in the file, what was changed in it is told, too.
        """
        outwards = [path[:length] for length in range(len(path), 0, -1)]
        for part in outwards:
            if part in self.overridden:
                return self.overridden[part]
        changes = self._changes_in(path)
        for part in outwards:
            for spelling in self._spellings(part):
                if spelling in self._lines:
                    line = f"{self.name}, line {self._lines[spelling]}"
                    return f"{line}, with {' '.join(changes)}" if changes else line
            if near := self._changes_in(part):
                return near[0]
        return self.name

    def _changes_in(self, path: Path) -> list[str]:
        """Return the words that changed something inside a table."""
        return [said for inside, said in self.overridden.items() if inside[: len(path)] == path]

    def title(self, path: Path) -> str:
        """Return a path as a person writes it: the number of a group of robots only if there are several."""
        if len(self.groups) == 1 and path[:2] == (ROBOTS, 0):
            path = (ROBOTS, *path[2:])
        return ".".join(map(str, path))

    @property
    def is_grouped(self) -> bool:
        """Tells whether robots are given as `[[robots]]`, in groups."""
        return isinstance(self.table.get(ROBOTS), list)

    @property
    def groups(self) -> list[Any]:
        """The groups of robots: the tables of `[[robots]]`, or the one table `[robots]`."""
        robots = self.table.get(ROBOTS, [])
        return robots if isinstance(robots, list) else [robots]

    @property
    def present_text(self) -> str:
        """The text of a file that says what this document says now: the file's own, unless it was changed."""
        if not self.overridden:
            return self.text
        import tomlkit  # Late: most runs write no file of TOML.

        return tomlkit.dumps(self.table)

    def place(self, *path: str | int) -> Place:
        """Return a spot in the document."""
        return Place(self, path)

    def _spellings(self, path: Path) -> list[Path]:
        """Return the ways in which a path may be written: the only group of robots needs no number."""
        if path[:2] == (ROBOTS, 0):
            return [path, (ROBOTS, *path[2:])]
        return [path]


@dataclass(frozen=True)
class Place:
    """One spot in a document."""

    document: Document
    path: Path

    def at(self, *keys: str | int) -> Place:
        """Return a spot further inside."""
        return Place(self.document, (*self.path, *keys))

    @property
    def title(self) -> str:
        """The path as a person writes it."""
        return self.document.title(self.path)

    def complaint(self, sentence: str) -> str:
        """Put the address before a sentence."""
        return f"{self.document.origin(self.path)}: {sentence}"

    def error(self, sentence: str) -> ScenarioError:
        """Return an error that says where it is."""
        return ScenarioError(self.complaint(sentence))


def read_document(path: FilePath) -> Document:
    """Read a file, or say why that cannot be done."""
    if path.suffix == ".py":
        raise ScenarioError(
            f"{path} is a program, and a scenario is a TOML file; its robots run a program of yours "
            f'with program = "{path.name}:name"'
        )
    try:
        data = path.read_bytes() if path.stat().st_size <= LARGEST_FILE else None
    except FileNotFoundError:
        raise ScenarioError(f"{path}: there is no such file") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ScenarioError(f"{path}: it cannot be read: {reason}") from error
    if data is None:
        raise ScenarioError(f"{path}: a scenario has at most {LARGEST_FILE // 2**20} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ScenarioError(f"{path.name}, line {line}: a scenario is UTF-8 text, and this is not") from error
    return parse_document(text, path)


def parse_document(text: str, path: FilePath) -> Document:
    """Read the text of a file."""
    text = text.replace("\r\n", "\n")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(_syntax(str(error), text, path.name)) from error
    except RecursionError as error:
        raise ScenarioError(f"{path.name}: tables or arrays lie inside one another too deeply") from error
    return Document(path.name, path.parent, text, table)


def _syntax(words: str, text: str, name: str) -> str:
    """Turn the parser's words, which end in a place, into a complaint that begins with one."""
    rows = text.splitlines()
    if found := re.search(r"^(.*?) \(at line (\d+), column (\d+)\)$", words):
        line = int(found[2])
        shown = rows[line - 1].strip() if line <= len(rows) else ""
        hint = "; is a comma missing there?" if found[1].startswith("Unclosed") else ""
        return f"{name}, line {line}: {_small(found[1])} at column {found[3]} of {shown!r}{hint}"
    words = re.sub(r" \(at end of document\)$", "", words)
    return f"{name}, line {max(len(rows), 1)}: {_small(words)} at the end of the file"


def _small(words: str) -> str:
    return words[:1].lower() + words[1:]
