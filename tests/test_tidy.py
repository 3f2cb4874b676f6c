"""The house rules that no other tool checks hold in every file."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kumi.version import VERSION

ROOT = Path(__file__).parent.parent
MADE = {"build", "dist", "node_modules", "__pycache__"}
HIDDEN_BUT_OURS = {".ci", ".github"}
TEXT = {".cff", ".cpp", ".hpp", ".md", ".py", ".pyi", ".toml", ".txt", ".yaml", ".yml", ""}

# Written in pieces, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.~$})-])/(?:root|work|tmp|home|Users)/")
UNMERGED = re.compile(r"^(<{7}|>{7}) ")
REGISTRY = re.compile(
    "|".join(["py" + r"pi\.org", "python" + "hosted", r"deb\." + "debian", "npm" + r"js\."])
)

# A reader finds docs/sources.md by a name and a year.
NOWHERE = re.compile(r"\bspec [0-9]{2}\b|\bthe thes[i]s\b")

WITHOUT_A_CLOCK = ["programs", "protocols", "robot"]


@cache
def files(*suffixes: str) -> list[Path]:
    """Return the files that people write, all text files or those with one of the suffixes."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = {name for name in folders if name[0] != "."} - MADE | {*folders} & HIDDEN_BUT_OURS
        ours = {*names} - {".git"}  # a file where the checkout is a worktree
        found += [Path(folder, name) for name in ours if Path(name).suffix in (suffixes or TEXT)]
    return sorted(found)


@cache
def project() -> dict[str, Any]:
    """Return what pyproject.toml says."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def lines_with(pattern: re.Pattern[str], *suffixes: str) -> list[str]:
    """Return the lines in which a pattern is found, with their places."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files(*suffixes)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line)
    ]


def nodes(folder: Path, word: str) -> Iterator[tuple[Path, ast.AST]]:
    """Yield every piece of syntax of the Python files in a folder in which a word occurs, with its file."""
    for path in files(".py"):
        if folder in path.parents and re.search(word, text := path.read_text()):
            for node in ast.walk(ast.parse(text)):
                yield path, node


def imported(node: ast.AST) -> set[str]:
    """Return the outermost packages that a statement imports."""
    match node:
        case ast.Import(names=names):
            return {alias.name.split(".")[0] for alias in names}
        case ast.ImportFrom(module=str(module), level=0):
            return {module.split(".")[0]}
    return set()


def plain(requirement: str) -> str:
    """Return the package's name in its normal form from a line such as `pre_commit>=4.0`."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement)[0]).lower()


def headings(text: str) -> list[str]:
    """Return the headings of the second level of a Markdown page."""
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


def words_defined(page: str) -> list[str]:
    """Return the words that the tables of a glossary define, in order; one row may define several, between commas."""
    cells = re.findall(r"^\|([^|\n]*)\|", page, re.MULTILINE)
    rows = [cell for cell in cells if cell.strip() != "word" and not re.fullmatch(r"[\s:-]+", cell)]
    words = [word for row in rows for word in re.sub(r"\([^)]*\)", "", row).split(",")]
    return [word.strip(" `").casefold() for word in words]


def defined_twice(page: str) -> list[str]:
    """Return the words that a glossary defines more than once."""
    return sorted(word for word, times in Counter(words_defined(page)).items() if times > 1)


def broken_links(page: Path) -> list[str]:
    """Return the relative links of a Markdown page that lead nowhere."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)[^)]*\)", prose) + re.findall(r"(?:src|href)=\"([^\"]+)\"", prose)
    return [
        link
        for link in links
        if not re.match(r"[a-z]+:|#", link) and not (page.parent / link.split("#")[0]).exists()
    ]


# The project.


def test_nothing_is_left_for_later_in_a_comment() -> None:
    """What is to be done is an issue."""
    assert lines_with(UNFINISHED) == []


def test_no_merge_is_left_half_done() -> None:
    assert lines_with(UNMERGED) == []


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    assert lines_with(MACHINE_PATH) == []


def test_no_file_names_a_package_registry() -> None:
    """Where packages come from is the machine's business."""
    assert lines_with(REGISTRY) == []


def test_a_source_is_cited_so_that_a_reader_finds_it() -> None:
    assert lines_with(NOWHERE, ".py", ".md", ".cpp", ".hpp") == []


def test_no_line_ends_in_blanks() -> None:
    """The formatter sees to Python; this is for the rest."""
    assert lines_with(re.compile(r"[ \t]+$"), ".cpp", ".hpp", ".md", ".toml", ".txt", ".yaml", "") == []


def test_only_the_command_line_prints() -> None:
    prints = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, node in nodes(ROOT / "src", "print")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        if "cli" not in path.parts
    ]

    assert prints == []


@pytest.mark.parametrize("folder", WITHOUT_A_CLOCK)
def test_what_runs_in_simulated_time_has_no_other_clock(folder: str) -> None:
    """Programs and protocols wait, and draw, only through the kernel; so the same seed repeats a run."""
    imports = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, node in nodes(ROOT / "src" / "kumi" / folder, "import")
        for name in imported(node) & {"asyncio", "random", "secrets", "threading", "time"}
    ]

    assert imports == []


def starts_too_early(code: str) -> bool:
    """Tell whether a module that is run as a program starts before all that stands in it is defined."""
    return any(
        isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
        for node in ast.parse(code).body[:-1]
    )


def test_a_module_that_is_run_starts_at_its_end() -> None:
    assert [str(path.relative_to(ROOT)) for path in files(".py") if starts_too_early(path.read_text())] == []


def test_there_is_one_source_of_chance() -> None:
    """Only the kernel, which hands out the streams, may know another generator; keys and passwords are not chance.

    Nor are the seeds of a contest, which nobody may know beforehand.
    """
    imports = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, node in nodes(ROOT / "src", "random|secrets")
        for name in imported(node) & {"random", "secrets"}
        if "devs" not in path.parts
    ]

    assert imports == ["src/kumi/station/contest/contest.py: secrets"]


# Functions of which the result depends on the C library, the processor or the version of Python; kumi.maths has its own.
ELSEWHERE = {
    "math": {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "log1p", "log2", "log10", "pow", "hypot",
             "dist", "erf", "erfc", "expm1", "cbrt", "sinh", "cosh", "tanh", "exp2", "sumprod"},
    "np": {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "exp", "log", "log1p", "log2", "log10", "power",
           "hypot", "expm1", "cbrt", "sinh", "cosh", "tanh", "exp2", "interp", "dot", "matmul", "einsum", "inner", "vdot",
           "tensordot", "convolve", "correlate", "linalg", "polynomial", "polyfit", "mean", "average", "std", "var", "trapezoid",
           "sum", "nansum", "prod", "median", "cov", "corrcoef", "logaddexp", "float_power", "angle", "fft"},
}  # fmt: skip
# The names by which these modules go, so that what is used of them is found; nothing is asked of complex numbers.
NAMED = {"math": None, "numpy": "np", "cmath": ""}
# Sums of whole numbers, which are rounded to such again.
EXACT = {"mapping/matching.py": {"np.fft"}}
# What works on results after the run, on measurements of real robots, or inside a sandbox without kumi.
OUT_OF_TRACES = [
    "loop/comparing/findings.py",
    "study/statistics",
    "link/fitting.py",
    "station/contest/shipped",
    "mapping/pose_filter.py",
]


def unportable(node: ast.AST) -> str:
    """Return what of a piece of syntax may differ from machine to machine, or nothing."""
    match node:
        case ast.ImportFrom(module="math", names=names):
            return ", ".join(one.name for one in names if one.name in ELSEWHERE["math"])
        case ast.ImportFrom(module="numpy" | "cmath" as module, names=names):
            return ", ".join(f"{module}.{one.name}" for one in names)
        case ast.Import(names=names):
            return ", ".join(one.name for one in names if NAMED.get(one.name, one.asname) != one.asname)
        case ast.Attribute(value=ast.Name(id="math" | "np" as module), attr=name) if (
            name in ELSEWHERE[module]
        ):
            return f"{module}.{name}"
        case ast.Call(func=ast.Attribute(attr="mean" | "std" | "var" as name)):
            return f".{name}"
        case ast.Call(func=ast.Attribute(attr="sum" | "prod" as name), args=[], keywords=[]):
            return f".{name}"
        case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()):
            return "@"
        case ast.BinOp(op=ast.Pow(), left=ast.Constant(value=int())):
            return ""
        case ast.BinOp(op=ast.Pow()) | ast.AugAssign(op=ast.Pow()):
            return "**"
    return ""


def test_what_can_reach_a_trace_is_computed_the_same_on_every_machine() -> None:
    package = ROOT / "src" / "kumi"
    found = [
        f"{path.relative_to(package)}:{getattr(node, 'lineno', 0)}: {what}"
        for path, node in nodes(
            package, r"\bc?math\b|\bnumpy\b|\bnp\.|\.(mean|std|var|sum|prod)\(|\s@=?\s|\*\*"
        )
        if not (name := str(path.relative_to(package))).startswith(tuple(OUT_OF_TRACES))
        and (what := unportable(node))
        and what not in EXACT.get(name, ())
    ]
    assert not found, "kumi.maths has functions that are the same everywhere:\n" + "\n".join(found)


def test_the_core_has_its_own_elementary_functions() -> None:
    names = "|".join(sorted(ELSEWHERE["math"] - {"dist", "sumprod"}))
    assert not lines_with(re.compile(rf"\bstd::({names}|fma|lerp)\("), ".cpp", ".hpp")


@pytest.mark.parametrize(
    "line",
    [
        "from math import cos, pi",
        "math.hypot(1, 2)",
        "np.exp(x)",
        "a @ b",
        "x**2",
        "50.0**share",
        "values.mean()",
        "np.linalg.norm(a)",
        "np.fft.rfft2(a)",
        "np.sum(a, axis=0)",
        "values.sum()",
        "a @= b",
        "x **= 2",
        "from numpy import sin",
        "import numpy",
        "import math as m",
        "import cmath",
    ],
)
def test_what_differs_between_machines_is_found(line: str) -> None:
    assert any(map(unportable, ast.walk(ast.parse(line))))


@pytest.mark.parametrize(
    "line",
    [
        "from math import pi, sqrt",
        "import math",
        "import numpy as np",
        "2**40",
        "np.sqrt(x)",
        "places.sum(axis=1)",
        "from kumi.maths import cos",
    ],
)
def test_what_is_the_same_everywhere_is_left_alone(line: str) -> None:
    assert not any(map(unportable, ast.walk(ast.parse(line))))


def test_every_decision_page_has_its_four_sections() -> None:
    pages = [page for page in (ROOT / "docs" / "decisions").glob("*.md") if page.name != "README.md"]

    assert pages
    for page in pages:
        assert headings(page.read_text()) == ["Problem", "Options", "Choice", "Price"], page.name


def test_the_glossary_defines_each_word_once() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text()

    assert len(words_defined(page)) > 50
    assert defined_twice(page) == []


def test_every_decision_page_is_in_the_list() -> None:
    listed = (ROOT / "docs" / "decisions" / "README.md").read_text()

    for page in (ROOT / "docs" / "decisions").glob("[0-9]*.md"):
        assert f"({page.name})" in listed


def test_every_link_leads_somewhere() -> None:
    broken = {str(page.relative_to(ROOT)): broken_links(page) for page in files(".md")}

    assert {page: links for page, links in broken.items() if links} == {}


def test_every_requirement_is_locked() -> None:
    """`make lock` writes what pyproject.toml asks for; one without the other is a mistake."""
    locked = {name: locked_in(name) for name in ("build", "run", "dev", "bench")}
    groups, extras = project()["dependency-groups"], project()["project"]["optional-dependencies"]
    run = project()["project"]["dependencies"]
    parts = [line for name, lines in extras.items() if name != "all" for line in lines]
    every = [*run, *parts, *(line for lines in groups.values() for line in lines)]

    assert {plain(line) for line in groups["build"]} <= locked["build"]
    assert {plain(line) for line in run} <= locked["build"] | locked["run"]
    assert {plain(line) for line in every} <= set().union(*locked.values())
    assert extras["all"] == [f"kumi[{','.join(sorted(extras.keys() - {'all'}))}]"]
    assert sum(map(len, locked.values())) == len(set().union(*locked.values()))  # each in one file


def locked_in(name: str) -> set[str]:
    """Return the names of the packages in a lock file."""
    lines = (ROOT / f"requirements-{name}.txt").read_text().splitlines()
    return {plain(line) for line in lines if not line.startswith("#")}


def test_the_types_of_every_folder_are_checked() -> None:
    """A new folder with Python in it is a new entry for mypy."""
    folders = {path.relative_to(ROOT).parts[0] for path in files(".py")}

    assert folders == set(project()["tool"]["mypy"]["files"])


def test_the_version_is_the_same_everywhere() -> None:
    assert project()["project"]["version"] == VERSION
    assert f"\nversion: {project()['project']['version']}\n" in (ROOT / "CITATION.cff").read_text()


def public_classes(folder: Path) -> dict[str, list[str]]:
    """Return the files in which each public class of a package is defined."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(str(path.relative_to(folder)))
    return found


def test_no_two_public_classes_have_one_name() -> None:
    """Who reads a name, or searches for it, finds one thing."""
    assert {name: there for name, there in public_classes(ROOT / "src" / "kumi").items() if there[1:]} == {}


def test_two_public_classes_of_one_name_are_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class Port: ...\nclass _Hidden: ...")
    (tmp_path / "other.py").write_text("class Port: ...\nclass _Hidden: ...")

    assert public_classes(tmp_path) == {"Port": ["one.py", "other.py"]}


# The rules themselves, on planted lines.


@pytest.mark.parametrize("line", ["see /" + "tmp/x", "'/" + "root/.cache'", "(/" + "home/me/kumi)"])
def test_a_machine_path_is_found(line: str) -> None:
    assert MACHINE_PATH.search(line)


@pytest.mark.parametrize("line", ["/dev/ttyUSB0", "docs/work/plan", "../tmp/x", "framework/", "$HOME/tmp/x"])
def test_other_paths_are_left_alone(line: str) -> None:
    assert not MACHINE_PATH.search(line)


def test_a_word_defined_twice_is_found() -> None:
    """In two tables, with another spelling, with a remark, or beside another word."""
    page = (
        "| word | means |\n|---|---|\n| port | a |\n| path (of a model) | b |\n| hold, rest | c |\n| cell | d |\n\n"
        "| word | means |\n|:--|---|\n| Port | e |\n| path | f |\n| `rest` | g, cell |\n"
    )

    assert defined_twice(page) == ["path", "port", "rest"]


def test_a_start_before_the_end_is_found() -> None:
    start = "if __name__ == '__main__':\n    main()\n"

    assert starts_too_early(f"def main(): Late()\n{start}class Late: ...\n")
    assert not starts_too_early(f"def main(): ...\n{start}")


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    """Links out of the project, to a heading, and inside code are left alone."""
    (tmp_path / "there.md").touch()
    page = tmp_path / "page.md"
    page.write_text(
        "[a](there.md) [b](there.md#part) [c](https://kumi.example) [d](#part) `[e](code.md)`\n"
        "[f](gone.md) ![g](gone.png)\n"
    )

    assert broken_links(page) == ["gone.md", "gone.png"]
