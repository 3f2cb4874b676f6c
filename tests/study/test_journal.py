"""What is written stays: torn lines, full disks, and two studies that want the same folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.study.errors import FolderError
from kumi.study.results import Journal, read_runs, whole_lines

RUN = {"row": 0, "metrics": {"x": 1.5, "y": None, "z": float("inf")}}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.write(RUN)
        journal.write({**RUN, "row": 1})

    assert read_runs(tmp_path) == [RUN, {**RUN, "row": 1}]


@given(st.lists(st.dictionaries(st.text(), st.floats(allow_nan=False) | st.text() | st.none())), st.data())
def test_a_file_cut_anywhere_keeps_all_whole_lines(tables: list[dict[str, Any]], data: st.DataObject) -> None:
    """Whatever byte the last write got to, the lines before it are there, and nothing else is."""
    runs = [{**table, "row": row} for row, table in enumerate(tables)]
    lines = [json.dumps(run).encode() + b"\n" for run in runs]
    whole = b"".join(lines)
    cut = data.draw(st.integers(0, len(whole)))

    found, size = whole_lines(whole[:cut], Path("runs.jsonl"))

    ends = [sum(map(len, lines[:count])) for count in range(len(lines) + 1)]
    kept = max(count for count, end in enumerate(ends) if end <= cut)
    assert found == runs[:kept]
    assert size == ends[kept]


def test_a_torn_line_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_bytes(b'{"row":0}\n{"row":1,"metr')

    with Journal(tmp_path) as journal:
        journal.write({"row": 1})

    assert (tmp_path / "runs.jsonl").read_bytes() == b'{"row":0}\n{"row":1}\n'


def test_a_damaged_line_in_the_middle_is_said(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_bytes(b'{"row":0}\nnonsense\n{"row":1}\n')

    with pytest.raises(FolderError, match="line 2 is no run, so the file was changed or is damaged"):
        Journal(tmp_path)


def test_a_full_disk_is_said_and_the_file_stays_whole(tmp_path: Path) -> None:
    """A file may grow to 100 bytes: the second run does not fit, and no part of it is left."""
    program = f"""
import resource
from pathlib import Path
from kumi.study.errors import Stopped
from kumi.study.results import Journal
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
with Journal(Path({str(tmp_path)!r})) as journal:
    journal.write({{"row": 0, "pad": "x" * 50}})
    try:
        journal.write({{"row": 1, "pad": "x" * 50}})
    except Stopped as stopped:
        print(stopped)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "a run cannot be kept in" in done.stdout
    assert "file too large" in done.stdout
    assert [run["row"] for run in read_runs(tmp_path)] == [0]
    assert (tmp_path / "runs.jsonl").stat().st_size < 100


@pytest.mark.slow
def test_two_studies_do_not_write_into_one_folder(tmp_path: Path) -> None:
    program = f"""
from pathlib import Path
from kumi.study.errors import FolderError
from kumi.study.results import Journal
try:
    Journal(Path({str(tmp_path)!r}))
except FolderError as error:
    print(error)
"""
    with Journal(tmp_path):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    again = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "is in use: another study writes its runs there now" in done.stdout
    assert again.stdout == ""
