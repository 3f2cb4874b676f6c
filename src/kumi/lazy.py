"""Packages that load a name when it is asked for, so that a program pays for what it uses.

The `__init__.py` of such a package imports its names under `if TYPE_CHECKING`, where editors and type checkers read
them, and ends with `lazy(__name__)`. One that loads its names at once ends with `eager(__name__)`, and says as well
where a name is that it does not have.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from kumi.teaching import missing_name

__all__ = ["eager", "lazy"]


class EagerPackage(ModuleType):
    """A package that has loaded its names, and says where others are."""

    def __getattr__(self, name: str) -> Any:
        raise missing_name(self, name)


class LazyPackage(ModuleType):
    """A package whose names in `__all__` come from the modules that its `TYPE_CHECKING` block names."""

    def __getattr__(self, name: str) -> Any:
        home = homes(self).get(name)
        if home is None:
            raise missing_name(self, name)
        value = getattr(import_module(home), name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        # The import of a module puts it into its package. A name of the package that is also one of its modules
        # (`around`) stays the name.
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__all__})


def eager(package: str) -> None:
    """Make a package that has loaded its names say where others are."""
    sys.modules[package].__class__ = EagerPackage


def lazy(package: str) -> None:
    """Make a package load its names when they are asked for."""
    sys.modules[package].__class__ = LazyPackage


def homes(package: LazyPackage) -> dict[str, str]:
    """Return the module that each name of a package comes from, read from the package's source once."""
    found: dict[str, str] | None = package.__dict__.get("__homes__")
    if found is None:
        import ast  # Late: not every program asks for a name of a lazy package.

        spec = package.__spec__
        tree = ast.parse(spec.loader.get_source(spec.name))  # type: ignore[union-attr]
        found = {
            alias.name: statement.module
            for block in tree.body
            if isinstance(block, ast.If)
            for statement in block.body
            if isinstance(statement, ast.ImportFrom) and statement.module
            for alias in statement.names
            if alias.name in package.__all__
        }
        package.__dict__["__homes__"] = found
    return found
