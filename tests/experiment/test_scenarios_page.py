"""docs/scenarios.md has every field of the schema, with what it takes and its default."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel

from kumi.experiment.complaints import known_paths, model_of, shown
from kumi.experiment.schema import Settings

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
    assert set(rows()) == {".".join(map(str, path)) for path in known_paths(Settings)}


def test_the_page_says_what_the_schema_says() -> None:
    for key, (takes, default) in rows().items():
        model: type[BaseModel] | None = Settings
        *above, last = key.split(".")
        for name in above:
            assert model is not None
            model = model_of(model.model_fields[name])
        assert model is not None
        field = model.model_fields[last]
        assert takes == field.description, key
        value = field.get_default()
        if isinstance(value, str | float | bool) and value != "":
            assert default == shown(value), key
