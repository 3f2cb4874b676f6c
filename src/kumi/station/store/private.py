"""Who can read what a station keeps? Its owner alone: there are keys and tokens in it.

Folders are made with mode 700 and files with 600. What is there already and open to others is refused, not closed in silence:
whoever read it may have its keys.
"""

from __future__ import annotations

import os
from pathlib import Path

OTHERS = 0o077
"""The rights of group and others."""


def private_folder(folder: Path) -> None:
    """Make a folder for its owner alone; refuse one that others may look into."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _check(folder, 0o700)


def private_file(path: Path) -> bool:
    """Make an empty file for its owner alone, and tell that it is new; refuse one that is there and open to others."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        check_file(path)
        return False
    return True


def check_file(path: Path) -> None:
    """Refuse a file that others may read or write, if it is there."""
    if path.exists():
        _check(path, 0o600)


def _check(path: Path, wanted: int) -> None:
    mode = path.stat().st_mode & 0o777
    if mode & OTHERS:
        raise OSError(
            f"{path} is open to others (mode {mode:o}), and a station keeps keys and tokens there: "
            f"close it with `chmod {wanted:o} {path}`, then start again"
        )
