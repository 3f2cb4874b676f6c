"""Protocols do no input or output of their own: all they have is their node."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import kumi.protocols

FORBIDDEN = {
    "asyncio",
    "concurrent",
    "datetime",
    "io",
    "multiprocessing",
    "os",
    "pathlib",
    "random",
    "secrets",
    "select",
    "selectors",
    "signal",
    "socket",
    "subprocess",
    "sys",
    "threading",
    "time",
    "uuid",
}

FILES = sorted(Path(kumi.protocols.__file__).parent.rglob("*.py"))


def imported(source: str) -> set[str]:
    """Return the outermost packages that a source imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found |= {node.func.id} & {"__import__", "open", "input"}
    return found


def test_there_are_protocols() -> None:
    assert len(FILES) > 15


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_protocol_has_no_clock_no_chance_and_no_way_out_but_its_node(path: Path) -> None:
    assert imported(path.read_text()) & (FORBIDDEN | {"__import__", "open", "input"}) == set()


@pytest.mark.parametrize(
    "line",
    [
        "import time",
        "from os import path",
        "def f():\n    import random",
        "import asyncio.tasks",
        "open('x')",
    ],
)
def test_a_forbidden_one_is_found(line: str) -> None:
    assert imported(line) & (FORBIDDEN | {"open"})
