"""`kumi distribute` and `kumi part`, as a person types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.commands import kumi
from tests.waiting import PATIENCE, read_line

ROOT = Path(__file__).parent.parent.parent
KUMI = [sys.executable, "-m", "kumi"]
HALLS = ["examples/three_halls.py:halls"]
PARTS = ["--parts", "examples/three_halls.toml"]


def call(*words: str) -> subprocess.CompletedProcess[str]:
    return kumi(*words, cwd=ROOT)


def test_a_model_is_run_over_processes_and_compared_with_one() -> None:
    done = call(
        "distribute",
        *HALLS,
        *PARTS,
        "--until",
        "50",
        "--set",
        "parcels=5",
        "--collect",
        "parcels_sorted",
        "--check",
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "in 3 parts." in done.stdout
    assert done.stdout.endswith("The same as in one process.\n")


def test_a_part_joins_from_elsewhere() -> None:
    """The hub names the address it listens at; another process is told it, as on another machine."""
    command = [
        *KUMI,
        "distribute",
        *HALLS,
        *PARTS,
        "--until",
        "50",
        "--remote",
        "south",
        "--collect",
        "parcels_sorted",
        "--json",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as hub:
        words = read_line(hub.stderr).split()
        assert words[:4] == ["Waiting", "for:", "kumi", "part"]
        joined = call(*words[3:], "--collect", "parcels_sorted")
        output, errors = hub.communicate(timeout=PATIENCE)
    assert (joined.returncode, joined.stderr, errors, hub.returncode) == (0, "", "", 0)
    alone = json.loads(
        call("distribute", *HALLS, *PARTS, "--until", "50", "--collect", "parcels_sorted", "--json").stdout
    )
    assert json.loads(output)["trace_hashes"] == alone["trace_hashes"]
    assert json.loads(output)["values"] == alone["values"]


def test_wrong_use_is_said_in_one_sentence() -> None:
    for words, code, why in (
        (
            ["distribute", "nothing", *PARTS, "--until", "1"],
            2,
            "'nothing' names no function; write module:name or file.py:name.",
        ),
        (
            ["distribute", "examples/three_halls.py:hulls", *PARTS, "--until", "1"],
            2,
            "has no function 'hulls'.",
        ),
        (
            ["distribute", *HALLS, "--parts", "no.toml", "--until", "1"],
            2,
            "no.toml: No such file or directory.",
        ),
        (["distribute", *HALLS, *PARTS, "--until", "1", "--set", "3"], 2, "--set takes NAME=VALUE, not '3'."),
        (["part", *HALLS, "south", "--join", "nowhere"], 2, "'nowhere' is no address"),
        (
            ["part", *HALLS, "south", "--join", "127.0.0.1:1"],
            1,
            "there is no hub at 127.0.0.1:1: Connection refused.",
        ),
    ):
        done = call(*words)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        assert why in done.stderr
        assert "Traceback" not in done.stderr
