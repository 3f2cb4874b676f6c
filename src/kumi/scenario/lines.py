"""On which line of a TOML text does each key stand?

The parser of the standard library tells values without their places. This module reads the same text
once more, for the keys alone: values are skipped, except that tables and arrays are entered.

The text must be one that the parser took. A key that is written more than once, such as the `robots` of
`[robots.drive]` and `[robots.sensors]`, stands where it was first written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Path = tuple[str | int, ...]

_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BLANKS = re.compile(r"[ \t]*")
_STRINGS = [
    re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}(?!")', re.DOTALL),
    re.compile(r"'''.*?'{3,5}(?!')", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
]
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN = re.compile(r"[^,\]}#\n]+")


def lines_of(text: str) -> Mapping[Path, int]:
    """Return the line, counted from 1, of every key and every element of an array."""
    return _Reading(text).lines


class _Reading:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.here = 0
        self.lines: dict[Path, int] = {}
        self._arrays: dict[Path, int] = {}
        self._ends = [end.end() for end in re.finditer("\n", text)]
        self._read()

    def _read(self) -> None:
        table: Path = ()
        self._skip(_GAP)
        while self.here < len(self.text):
            table = self._header() if self._sees("[") else self._pair(table)
            self._skip(_GAP)

    def _header(self) -> Path:
        """Read `[a.b]` or `[[a.b]]` and return the path of the table it opens."""
        line = self._line()
        is_array = self._takes("[[")
        if not is_array:
            self._takes("[")
        *parents, last = self._key()
        path = (*self._through((), parents, line), last)
        self.lines.setdefault(path, line)
        if is_array:
            self._arrays[path] = self._arrays.get(path, -1) + 1
            path = (*path, self._arrays[path])
            self.lines[path] = line
        self._takes("]]" if is_array else "]")
        return path

    def _through(self, path: Path, keys: list[str], line: int) -> Path:
        """Follow keys downwards; of an array of tables its last one is meant."""
        for key in keys:
            path = (*path, key)
            self.lines.setdefault(path, line)
            if path in self._arrays:
                path = (*path, self._arrays[path])
        return path

    def _pair(self, table: Path) -> Path:
        """Read `a.b = value` in a table, and return the table."""
        line = self._line()
        self._value(self._through(table, self._key(), line))
        return table

    def _key(self) -> list[str]:
        """Read a key with its dots, and the sign after it if that is `=`."""
        keys = []
        while True:
            self._skip(_BLANKS)
            quoted = self._string()
            keys.append(self._skip(_BARE_KEY) if quoted is None else _unquoted(quoted))
            self._skip(_BLANKS)
            if not self._takes("."):
                self._takes("=")
                return keys

    def _value(self, path: Path) -> None:
        self._skip(_GAP)
        if self._takes("["):
            self._array(path)
        elif self._takes("{"):
            self._inline(path)
        elif self._string() is None:
            self._skip(_PLAIN)

    def _array(self, path: Path) -> None:
        number = 0
        self._skip(_GAP)
        while not self._takes("]"):
            element = (*path, number)
            self.lines[element] = self._line()
            self._value(element)
            number += 1
            self._separator()

    def _inline(self, path: Path) -> None:
        self._skip(_GAP)
        while not self._takes("}"):
            self._pair(path)
            self._separator()

    def _separator(self) -> None:
        self._skip(_GAP)
        self._takes(",")
        self._skip(_GAP)

    def _string(self) -> str | None:
        """Read a string and return it with its quotes, or None if there is none here."""
        for kind in _STRINGS:
            if found := kind.match(self.text, self.here):
                self.here = found.end()
                return found[0]
        return None

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.here)
        assert found, f"the text around {self.text[self.here : self.here + 20]!r} is not TOML"
        self.here = found.end()
        return found[0]

    def _sees(self, sign: str) -> bool:
        return self.text.startswith(sign, self.here)

    def _takes(self, sign: str) -> bool:
        if not self._sees(sign):
            return False
        self.here += len(sign)
        return True

    def _line(self) -> int:
        return bisect_right(self._ends, self.here) + 1


def _unquoted(key: str) -> str:
    """Return what a quoted key means."""
    if key.startswith("'"):
        return key[1:-1]
    return re.sub(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", _unescaped, key[1:-1])


def _unescaped(found: re.Match[str]) -> str:
    sign = found[1]
    if len(sign) > 1:
        return chr(int(sign[1:], 16))
    return {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}.get(sign, sign)
