"""Every import follows the table in ARCHITECTURE.md, and the checker that says so can be trusted."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tools.architecture import findings, read_table

ROOT = Path(__file__).parent.parent
TABLE = read_table((ROOT / "ARCHITECTURE.md").read_text())

PLANTED_TABLE = read_table("""
| folder | question | may import |
|---|---|---|
| `_core` | native | – |
| `devs/` | when | `_core` |
| `world/` | where | `devs` |
| `link/` | bytes | `devs` |
| `link/emulators/` | pretence | `devs`, `world`, `link` |
| `__init__` | names | `devs` |

| another | table |
|---|---|
| `not/` | a folder |
""")


def plant(root: Path, files: dict[str, str]) -> list[str]:
    """Write sources below src/kumi and return what the checker finds in them."""
    for name, text in {"__init__": "", **files}.items():
        path = root / "src" / "kumi" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [str(finding) for finding in findings(root / "src", PLANTED_TABLE)]


# The project itself.


def test_every_import_follows_the_table() -> None:
    assert [str(finding) for finding in findings(ROOT / "src", TABLE)] == []


def test_every_folder_has_a_row() -> None:
    """Also one without a Python file yet, such as one of data."""
    folders = [path for path in (ROOT / "src" / "kumi").iterdir() if path.is_dir()]

    assert {path.name for path in folders if path.name != "__pycache__"} <= TABLE.keys()


def test_the_table_names_only_rows_it_has() -> None:
    assert {name for allowed in TABLE.values() for name in allowed} <= TABLE.keys()


def test_the_table_has_no_circle() -> None:
    """Left never imports right: the rows can be put in an order."""
    TopologicalSorter(TABLE).prepare()


def test_the_promises_of_the_design_are_in_the_table() -> None:
    """A program sees a robot, never a world; the kernel knows no robot; nobody imports the command line."""
    assert "world" not in TABLE["robot"] | TABLE["programs"]
    assert TABLE["devs"] == {"_core", "installation"}
    assert [row for row, allowed in TABLE.items() if "cli" in allowed] == ["__main__"]


@pytest.mark.slow
def test_the_package_imports_only_what_it_declares() -> None:
    """The standard library, itself, and packages named in pyproject.toml: no tool, no test, no guest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    declared = {re.split(r"[^\w.-]", line)[0].lower() for line in [*project["dependencies"], *extras]}
    homes = packages_distributions()
    known = {"kumi"} | sys.stdlib_module_names
    strangers = []
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            tops = {name.split(".")[0] for name in names} - known
            strangers += [
                f"{path.relative_to(ROOT)}: {top}"
                for top in tops
                if not declared & {home.lower() for home in homes.get(top, [top])}
            ]

    assert strangers == []


def test_the_core_imports_nothing() -> None:
    """It stands below all other parts: what it needs of them is handed to it."""
    imports = re.compile(r"PyImport_(?!GetModule\b)\w+|\bimport_\(|module_::import_")
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("core", "twins")
        for path in sorted((ROOT / folder).rglob("*.[ch]pp"))
        for line in path.read_text().splitlines()
        if imports.search(line)
    ]

    assert found == []


def test_the_core_includes_only_what_stands_above() -> None:
    """In the table of its folders, which has all of them; the folders of one row may include each other."""
    text = (ROOT / "ARCHITECTURE.md").read_text().partition("The folders of `core/`")[2]
    rows = [re.findall(r"`([a-z]+)/`", line) for line in text.splitlines() if line.startswith("| `")]
    place = {folder: number for number, row in enumerate(rows) for folder in row}
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in sorted((ROOT / "core").rglob("*.[ch]pp"))
        for line in path.read_text().splitlines()
        if (match := re.match(r'#include "([a-z]+)/', line))
        if place[match[1]] > place[path.parent.name]
    ]

    assert set(place) == {path.name for path in (ROOT / "core").iterdir()}
    assert found == []


def test_the_core_asks_for_what_the_table_says() -> None:
    """And each thing is handed in by the file that the table names."""
    listed = dict(
        re.findall(
            r"^\| `([a-z]+/[a-z]+\.py)` \| (.+) \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE
        )
    )
    table = {file: set(re.findall(r"`(\w+)`", names)) for file, names in listed.items()}
    source = (ROOT / "core" / "python" / "python.cpp").read_text()
    arrays = re.findall(r"constexpr const char\* (?:ERRORS|OTHERS)\[\] = \{(.*?)\};", source, re.DOTALL)
    asked = {name for names in arrays for name in re.findall(r'"(\w+)"', names)}
    used = {
        name
        for path in (ROOT / "core").rglob("*.[ch]pp")
        for name in re.findall(
            r'\b(?:raise|provided|provided_slot|error_class|raise_contract|Provision \w+)\(\s*"(\w+)"',
            path.read_text(),
        )
    }

    assert set().union(*table.values()) == asked == used
    for file, names in table.items():
        text = (ROOT / "src" / "kumi" / file).read_text()
        assert "provide(" in text
        assert {
            name for name in names if not re.search(rf"^(?:class|def) {name}\b", text, re.MULTILINE)
        } == set()


# The checker, on planted sources.


def test_the_table_is_read_to_its_end_and_no_further() -> None:
    assert PLANTED_TABLE == {
        "_core": set(),
        "devs": {"_core"},
        "world": {"devs"},
        "link": {"devs"},
        "link/emulators": {"devs", "world", "link"},
        "__init__": {"devs"},
    }


def test_allowed_imports_are_not_found(tmp_path: Path) -> None:
    """Down the table, inside one folder, of the standard library, and by relative name."""
    files = {
        "__init__": "from kumi.devs.agenda import Agenda",
        "devs/agenda": "import heapq\nfrom kumi._core import Heap\nfrom kumi import _core",
        "devs/simulation": "from .agenda import Agenda\nfrom . import agenda",
        "world/map": "from kumi.devs.agenda import Agenda",
        "link/emulators/er1": "import kumi.world.map\nfrom kumi.link.packet import Packet",
        "link/packet": "",
    }

    assert plant(tmp_path, files) == []


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("import kumi.world.map", "kumi.world.map"),
        ("import kumi.world.map as plan", "kumi.world.map"),
        ("from kumi.world import map", "kumi.world.map"),
        ("from kumi.world.map import Map", "kumi.world.map.Map"),
        ("from kumi.world.map import *", "kumi.world.map"),
        ("from kumi import world", "kumi.world"),
        ("from ..world import map", "kumi.world.map"),
        ("from .. import world", "kumi.world"),
        ("def late() -> None:\n    import kumi.world.map", "kumi.world.map"),
        ("if TYPE_CHECKING:\n    import kumi.world.map", "kumi.world.map"),
        ("try:\n    import kumi.world.map\nexcept ImportError: ...", "kumi.world.map"),
        ("importlib.import_module('kumi.world.map')", "kumi.world.map"),
        ("import_module('..world.map', __package__)", "kumi.world.map"),
        ("__import__('kumi.world.map')", "kumi.world.map"),
        ("import kumi", "kumi"),
        ("from kumi import run", "kumi.run"),
    ],
)
def test_a_forbidden_import_is_found_in_every_shape(tmp_path: Path, line: str, name: str) -> None:
    """The finding says file, line, import and rule."""
    number = 1 + line.count("\n", 0, max(line.find("import kumi.world"), 0))

    assert plant(tmp_path, {"devs/agenda": line, "world/map": ""}) == [
        f"src/kumi/devs/agenda.py:{number}: imports {name}, but devs may import only: _core."
    ]


def test_a_deeper_row_replaces_the_one_around_it(tmp_path: Path) -> None:
    """An emulator may know the world; the link itself may not."""
    found = plant(tmp_path, {"link/port": "import kumi.world.map", "world/map": ""})

    assert found == ["src/kumi/link/port.py:1: imports kumi.world.map, but link may import only: devs."]


def test_a_folder_does_not_import_a_deeper_one_with_its_own_row(tmp_path: Path) -> None:
    """A link works without emulators."""
    files = {"link/emulators/er1": "", "link/port": "import kumi.link.emulators.er1"}

    assert plant(tmp_path, files) == [
        "src/kumi/link/port.py:1: imports kumi.link.emulators.er1, but link may import only: devs."
    ]


def test_a_folder_without_a_row_is_found(tmp_path: Path) -> None:
    assert plant(tmp_path, {"magic/wand": ""}) == [
        "src/kumi/magic/wand.py:1: magic has no row in the table of ARCHITECTURE.md."
    ]


def test_an_import_of_a_folder_without_a_row_is_found(tmp_path: Path) -> None:
    found = plant(tmp_path, {"magic/wand": "", "devs/agenda": "import kumi.magic.wand"})

    assert len(found) == 2
    assert "imports kumi.magic.wand" in found[1]


def test_modules_that_need_each_other_are_found(tmp_path: Path) -> None:
    """Hiding one of the imports in a function does not break the circle."""
    files = {
        "devs/chicken": "from kumi.devs.egg import Egg",
        "devs/egg": "def hatch():\n    from kumi.devs.chicken import Chicken",
    }
    found = plant(tmp_path, files)

    assert len(found) == 1
    assert "modules need each other: " in found[0]
    assert "kumi.devs.chicken -> kumi.devs.egg" in found[0]


def test_a_module_that_asks_its_own_package_is_in_a_circle(tmp_path: Path) -> None:
    """A package that gathers names from a module cannot give them to that module."""
    files = {
        "devs/__init__": "from kumi.devs.agenda import Agenda",
        "devs/agenda": "from kumi.devs import Agenda",
    }
    found = plant(tmp_path, files)

    assert len(found) == 1
    assert "modules need each other" in found[0]
