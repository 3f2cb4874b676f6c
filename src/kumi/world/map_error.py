"""What is said when a map makes no sense, or a file holds none?

One sentence: where, which value, and what is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumi.devs.errors import KumiError

if TYPE_CHECKING:
    from pathlib import Path

Keys = tuple[str | int, ...]


class MapError(KumiError, ValueError):
    """A map that makes no sense, or a file that holds none.

    `reason` is the sentence without its place. `keys` leads to the value in the table of a TOML file, so
    that whoever knows the lines of that file can name the line.
    """

    def __init__(self, reason: str, where: str = "", keys: Keys = ()) -> None:
        super().__init__(f"{where}: {reason}" if where else reason)
        self.reason = reason
        self.where = where
        self.keys = keys

    def __reduce__(self) -> tuple[type[MapError], tuple[str, str, Keys]]:
        return MapError, (self.reason, self.where, self.keys)


def contents(path: Path) -> bytes:
    """Return what a file holds, or say why that cannot be done."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise MapError("there is no such file", str(path)) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise MapError(f"it cannot be read: {reason}", str(path)) from error


def listed(names: list[str], last: str = "and") -> str:
    """Write names as a person does: a, b and c."""
    *first, final = names
    return f"{', '.join(first)} {last} {final}" if first else final
