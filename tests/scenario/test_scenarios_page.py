"""docs/scenarios.md has every field of the schema, with what it takes and its default."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kumi.motion import DRIVES
from kumi.motion import NOISES as MOTION_NOISES
from kumi.scenario.complaints import shown
from kumi.scenario.effects import EFFECTS
from kumi.scenario.fields import ScenarioTable, described, known_paths
from kumi.scenario.lookup import shipped_stacks
from kumi.scenario.schema import ScenarioSettings
from kumi.sensing import KINDS
from kumi.sensing import NOISES as SENSOR_NOISES

PAGE = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text()


def rows() -> dict[str, tuple[str, str]]:
    """Return what each field takes and its default, from the tables of the page."""
    return {
        key: (takes, default)
        for key, takes, default in re.findall(
            r"^\| `([\w.]+)` \| (.*?) \| (?:`(.*?)`)? ?\|", PAGE, re.MULTILINE
        )
    }


def test_the_page_has_every_field_and_no_other() -> None:
    assert set(rows()) == {".".join(map(str, path)) for path in known_paths(ScenarioSettings)}


def test_the_page_says_what_the_schema_says() -> None:
    for key, (takes, default) in rows().items():
        table: type[ScenarioTable] | None = ScenarioSettings
        *above, last = key.split(".")
        for name in above:
            assert table is not None
            table = described(table)[name].table
        assert table is not None
        field = described(table)[last]
        assert takes == field.about.takes, key
        value = field.default
        if isinstance(value, str | float | bool) and value != "":
            assert default == shown(value), key


def kinds(first: str) -> dict[str, list[str]]:
    """Return what each kind takes, from the table whose first row is this one's."""
    table = next(part for part in PAGE.split("\n\n") if f"|---|---|---|\n| `{first}` |" in part)
    return {
        kind: re.findall(r"`(\w+)`", takes)
        for kind, takes in re.findall(r"^\| `([\w-]+)` \| (.*?) ?\|", table, re.MULTILINE)
    }


@pytest.mark.parametrize(
    ("first", "registry"),
    [
        ("wheel", DRIVES),
        ("uniform", MOTION_NOISES),
        ("position", KINDS),
        ("exact", SENSOR_NOISES),
        ("bandwidth", EFFECTS),
    ],
)
def test_the_page_says_what_each_kind_takes(
    first: str, registry: Mapping[str, Callable[..., object]]
) -> None:
    assert kinds(first) == {
        kind: list(inspect.signature(maker).parameters) for kind, maker in registry.items()
    }


def test_the_page_names_every_stack() -> None:
    assert set(shipped_stacks()) == set(re.findall(r"^\| `([\w-]+)` \| [^|]+ \|$", PAGE, re.MULTILINE))
