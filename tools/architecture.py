"""Does every import in the package follow the table in ARCHITECTURE.md?

The table says for each folder of `src/kumi` what it may import. This module reads the table, finds
every import of the sources (at the top, inside functions, for type checking only, relative, and by
`import_module` with a literal name) and reports those the table does not allow, folders it does not
know, and modules that need each other in a circle.

A folder may always import itself. A deeper folder with a row of its own (`link/emulators/`) counts
as another folder to the one around it, and as part of it to all others.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PACKAGE = "kumi"
NATIVES = ("_core", "_twins")
Table = dict[str, frozenset[str]]


@dataclass(frozen=True)
class Import:
    """One import, by its full name, and the line it stands on."""

    line: int
    name: str


@dataclass(frozen=True)
class Finding:
    """Something against the table: where, and against which rule."""

    place: str
    line: int
    complaint: str

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: {self.complaint}"


def read_table(text: str) -> Table:
    """Return what each folder may import, from the table whose last heading is "may import"."""
    rows = [line.strip("| \n").split("|") for line in text.splitlines() if line.startswith("|")]
    start = next(number for number, cells in enumerate(rows) if cells[-1].strip() == "may import")
    table: Table = {}
    for cells in rows[start + 2 :]:
        if len(cells) != 3 or not (folder := re.fullmatch(r"`([\w/]+?)/?`", cells[0].strip())):
            break
        table[folder[1]] = frozenset(re.findall(r"`([\w/]+)`", cells[2]))
    return table


class Sources:
    """The Python files of the package under one folder, by module name."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._imports: dict[str, list[Import]] = {}

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Return the file of each module; a package is the module of its `__init__.py`."""
        found = {}
        for path in sorted((self.root / PACKAGE).rglob("*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    def imports(self, module: str) -> list[Import]:
        """Return every import of the package's own modules that a module makes."""
        if module not in self._imports:
            self._imports[module] = list(self._read(module))
        return self._imports[module]

    def _read(self, module: str) -> Iterator[Import]:
        path = self.modules[module]
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            for name in names_imported(node, package):
                if name.split(".")[0] == PACKAGE:
                    yield Import(node.lineno, name)  # type: ignore[attr-defined]

    @cached_property
    def homes(self) -> set[str]:
        """Return all that an imported name can stand in: modules, folders, and the native modules."""
        folders = {module.rpartition(".")[0] for module in self.modules}
        return {PACKAGE, *(f"{PACKAGE}.{native}" for native in NATIVES), *self.modules, *folders}

    def needed(self, name: str) -> str:
        """Return the module that an imported name stands in: `a.b.Name` is in `a.b`."""
        while name not in self.homes:
            name = name.rpartition(".")[0]
        return name


def names_imported(node: ast.AST, package: str) -> Iterator[str]:
    """Yield the full names that one statement or call imports into a module of a package."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            base = absolute("." * level + (module or ""), package)
            yield from (base if alias.name == "*" else f"{base}.{alias.name}" for alias in names)
        case ast.Call(
            func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            yield absolute(name, package)


def absolute(name: str, package: str) -> str:
    """Return the full name for one that may start with dots."""
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    around = package.split(".")[: len(package.split(".")) - dots + 1]
    return ".".join([*around, *filter(None, [name.lstrip(".")])])


def row_of(module: str, table: Mapping[str, object]) -> str:
    """Return the row that rules a module: the deepest one known, else its first folder."""
    parts = module.split(".")[1:] or ["__init__"]
    for depth in range(len(parts), 0, -1):
        if (row := "/".join(parts[:depth])) in table:
            return row
    return parts[0]


def is_allowed(source: str, target: str, table: Table) -> bool:
    """Tell whether the row `source` may import from the row `target`."""
    around = ["/".join(target.split("/")[:depth]) for depth in range(1, target.count("/") + 2)]
    return source == target or any(row in table[source] for row in around)


def findings(root: Path, table: Table) -> list[Finding]:
    """Return all that is against the table in the package under a folder."""
    sources = Sources(root)
    return [*unknown_folders(sources, table), *forbidden_imports(sources, table), *circles(sources)]


def unknown_folders(sources: Sources, table: Table) -> Iterator[Finding]:
    """Yield the folders and top-level modules without a row."""
    for row, path in {row_of(module, table): path for module, path in sources.modules.items()}.items():
        if row not in table:
            yield Finding(place(sources, path), 1, f"{row} has no row in the table of ARCHITECTURE.md.")


def forbidden_imports(sources: Sources, table: Table) -> Iterator[Finding]:
    """Yield the imports that the table does not allow."""
    for module, path in sources.modules.items():
        source = row_of(module, table)
        for found in sources.imports(module) if source in table else ():
            target = row_of(sources.needed(found.name), table)
            if not is_allowed(source, target, table):
                allowed = ", ".join(sorted(table[source])) or "nothing"
                complaint = f"imports {found.name}, but {source} may import only: {allowed}."
                yield Finding(place(sources, path), found.line, complaint)


def circles(sources: Sources) -> Iterator[Finding]:
    """Yield a circle of modules that need each other, if there is one."""
    graph = {
        module: {sources.needed(found.name) for found in sources.imports(module)} - {module}
        for module in sources.modules
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = list(reversed(error.args[1]))
        path = sources.modules[circle[0]]
        yield Finding(place(sources, path), 1, f"modules need each other: {' -> '.join(circle)}.")


def place(sources: Sources, path: Path) -> str:
    """Return a file's name as seen from beside the sources."""
    return str(path.relative_to(sources.root.parent))
