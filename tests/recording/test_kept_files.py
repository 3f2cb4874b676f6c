"""Run files of every format that there was: those that are read open to the last bit, an older one says what reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kumi.recording import RunFile
from kumi.recording.chunks import FORMAT, READABLE, RunFileError
from tests.recording.kept import DATA, file_of, rebuilt

KEPT = sorted(DATA.glob("format-*.kumi"))
LARGEST = 20_000
ON_AN_ARC = "1.2"


def expected(version: int) -> dict[str, Any]:
    """Return what was rebuilt from a file when it was made."""
    found: dict[str, Any] = json.loads(file_of(version).with_suffix(".json").read_text())
    return found


def test_every_format_up_to_the_present_one_has_a_small_file() -> None:
    """Who brings a new format keeps a file of it: `python -m tests.recording.kept`."""
    assert [path.name for path in KEPT] == [file_of(version).name for version in range(1, FORMAT + 1)]
    assert [path.name for path in KEPT if path.stat().st_size > LARGEST] == []


@pytest.mark.parametrize("version", READABLE)
def test_a_file_of_a_format_that_is_read_is_rebuilt_as_it_was(version: int) -> None:
    """On straight ways and at rest to the last bit; on arcs as near as a sine is known."""
    now, then = rebuilt(file_of(version)), expected(version)

    assert {key: now[key] for key in then if key != "states"} == {
        key: then[key] for key in then if key != "states"
    }
    assert list(now["states"]) == list(then["states"])
    for instant, bodies in then["states"].items():
        for one, other in zip(now["states"][instant], bodies, strict=True):
            assert one == pytest.approx(other, rel=0.0, abs=1e-14 if instant == ON_AN_ARC else 0.0), instant


@pytest.mark.parametrize("path", KEPT[: -len(READABLE)], ids=lambda path: path.stem)
def test_a_file_of_an_older_format_is_refused_in_a_sentence_that_says_what_reads_it(path: Path) -> None:
    version = path.stem.partition("-")[2]

    with pytest.raises(
        RunFileError,
        match=rf"has format {version} of run files, and this kumi reads formats 2, 3 and 4; use the kumi it was written with$",
    ):
        RunFile(path)
