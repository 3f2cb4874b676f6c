"""Everything that happens is a value: a record that nothing changes cannot be changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src" / "kumi"
GROWING = {"list", "dict", "set"}
CHANGED_ELSEWHERE = {"Flight", "UnheardFlight"}
"""Records that another module of their folder changes: radio and medium write how strong a flight is heard."""


def settings_of(node: ast.ClassDef) -> list[ast.keyword] | None:
    """Return how a record was asked for; None for a class that is none."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Name(id="dataclass"):
                return []
            case ast.Call(func=ast.Name(id="dataclass"), keywords=settings):
                return settings
    is_struct = any(ast.unparse(one).endswith("Struct") for one in node.bases)
    return node.keywords if node.keywords or is_struct else None


def is_frozen(settings: list[ast.keyword]) -> bool:
    """Tell whether records of that sort cannot be changed."""
    return any(one.arg == "frozen" and ast.unparse(one.value) == "True" for one in settings)


def assigned(tree: ast.AST) -> set[str]:
    """Return the names of all attributes that get another value somewhere in a piece of syntax."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del)
    }


def is_changed(node: ast.ClassDef, module: ast.Module) -> bool:
    """Tell whether a line changes a record: one of its module sets a field, or it has a list that grows."""
    fields = [line for line in node.body if isinstance(line, ast.AnnAssign)]
    names = {ast.unparse(line.target) for line in fields}
    factories = {
        ast.unparse(setting.value)
        for line in fields
        if isinstance(line.value, ast.Call)
        for setting in line.value.keywords
        if setting.arg == "default_factory"
    }
    return bool(names & assigned(module) or assigned(node) or factories & GROWING)


def loose_records(text: str) -> Iterator[str]:
    """Yield the records of a module that are not frozen, although nothing changes them."""
    module = ast.parse(text)
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef) and node.name not in CHANGED_ELSEWHERE:
            settings = settings_of(node)
            if settings is not None and not is_frozen(settings) and not is_changed(node, module):
                yield node.name


def test_a_record_that_nothing_changes_is_frozen() -> None:
    found = [
        f"{path.relative_to(SOURCES)}: {name}"
        for path in sorted(SOURCES.rglob("*.py"))
        for name in loose_records(path.read_text())
    ]

    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "@dataclass\nclass A:\n    x: int",
        "@dataclass(slots=True)\nclass A:\n    x: int\n\ndef f(a):\n    a.y = 1",
        "@dataclass(frozen=False)\nclass A:\n    x: list[int]",
        "class A(msgspec.Struct):\n    x: int",
        "class A(Record, frozen=False):\n    x: int",
    ],
)
def test_a_loose_record_is_found(text: str) -> None:
    assert list(loose_records(text)) == ["A"]


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    x: int",
        "@dataclass(frozen=True)\nclass A:\n    x: int",
        "class A(msgspec.Struct, frozen=True):\n    x: int",
        "@dataclass\nclass A:\n    x: int\n\ndef f(a):\n    a.x += 1",
        "@dataclass\nclass A:\n    x: int\n\n    def __post_init__(self):\n        self.y = 2",
        "@dataclass\nclass A:\n    x: list[int] = field(default_factory=list)",
    ],
)
def test_other_classes_are_left_alone(text: str) -> None:
    assert list(loose_records(text)) == []
