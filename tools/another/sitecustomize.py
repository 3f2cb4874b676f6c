"""Which sources and which build does Python load? Those of the folders that KUMI_SOURCES and KUMI_CORE name, if set.

Python imports this module by its name when it starts, if the folder is on PYTHONPATH: `tools/sanitize.py` and
`tools/mutate.py` put it there.
"""

from __future__ import annotations

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

NATIVE = ("kumi._core", "kumi._twins")


class BuildFinder(MetaPathFinder):
    """Finds the native modules in a folder of their own, before the installed ones are looked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """Give the module of the folder, or leave it to others."""
        if fullname not in NATIVE:
            return None
        name = fullname.rpartition(".")[2]
        for suffix in EXTENSION_SUFFIXES:
            file = self.folder / f"{name}{suffix}"
            if file.exists():
                return spec_from_file_location(fullname, file)
        raise ImportError(f"{fullname} is not in {self.folder}: build it there first")


class SourceFinder(MetaPathFinder):
    """Finds kumi in another folder than the installed one; native modules are left to others."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """Give a module of the folder, or leave it to others."""
        if fullname.split(".", maxsplit=1)[0] != "kumi" or fullname in NATIVE:
            return None
        return PathFinder.find_spec(fullname, [self.folder] if fullname == "kumi" else path)


if os.environ.get("KUMI_SOURCES"):
    sys.meta_path.insert(0, SourceFinder(os.environ["KUMI_SOURCES"]))
if os.environ.get("KUMI_CORE"):
    sys.meta_path.insert(0, BuildFinder(Path(os.environ["KUMI_CORE"])))
