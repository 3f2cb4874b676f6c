"""Scripts by chance over all of the core, and over the lives of what a run is made of, end in no crash and no hang.

The slow tests play 20,000 of them. KUMI_SCRIPTS says how many of each kind the others play; with sanitizers, where a script
takes ten times as long, the slow tests play 2,000.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kumi import _core
from tests.memory import IS_SANITIZED
from tests.safety import fuzz_core, using
from tests.safety.batches import chunks

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = int(os.environ.get("KUMI_SCRIPTS", "150"))
REACHING = 400  # each thing of the core is aimed at in ten of them
MANY = 1_000 if IS_SANITIZED else 10_000
FUZZERS = ["fuzz_core", "fuzz_lifetimes"]


def play(fuzzer: str, seeds: range, *reached: Path) -> str:
    """Play scripts in processes of their own and return what was found."""
    command = [
        sys.executable,
        "-m",
        f"tests.safety.{fuzzer}",
        str(seeds.start),
        str(len(seeds)),
        *map(str, reached),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def findings(fuzzer: str, seeds: range) -> str:
    """Play scripts on all processors and return what was found."""
    with ThreadPoolExecutor() as executor:
        return "".join(executor.map(lambda part: play(fuzzer, part), chunks(seeds, os.cpu_count() or 1)))


@pytest.mark.parametrize("fuzzer", FUZZERS)
def test_no_script_ends_the_interpreter_or_is_deaf_to_a_signal(fuzzer: str) -> None:
    assert findings(fuzzer, range(SCRIPTS)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("fuzzer", FUZZERS)
def test_none_of_many_scripts_does_so_either(fuzzer: str) -> None:
    assert findings(fuzzer, range(SCRIPTS, MANY)) == ""


@pytest.mark.skipif(IS_SANITIZED, reason="what scripts reach does not depend on the build")
@pytest.mark.parametrize("fuzzer", FUZZERS)
def test_scripts_have_an_answer_from_everything_that_there_is(fuzzer: str, tmp_path: Path) -> None:
    """Each function, method and property of the core; each thing that robots, teams, sensors and rules can do."""
    offered = {
        "fuzz_core": {fuzz_core.name_of(one) for one in fuzz_core.OFFERED} - set(fuzz_core.REFUSING),
        "fuzz_lifetimes": using.offered(),
    }[fuzzer]
    play(fuzzer, range(REACHING), tmp_path / "reached")
    reached = set((tmp_path / "reached").read_text().split("\n"))

    assert offered - reached == set(), "the scripts find no arguments for these: see tests/safety/values.py"


def test_what_scripts_are_to_reach_is_all_of_the_core() -> None:
    """Functions by their names in the module, methods and properties by those of their classes, also the nameless ones."""
    offered = {fuzz_core.name_of(one) for one in fuzz_core.OFFERED}
    for name, thing in vars(_core).items():
        if isinstance(thing, type):
            missing = {f"{name}.{one}" for one in vars(thing) if one not in fuzz_core.LEFT_OUT} - offered
            assert missing == set()
        elif callable(thing) and name not in fuzz_core.LEFT_OUT:
            assert name in offered
    assert {"Motion.__await__", "PlaneBody.open_feeler", "TeamBase._pairs", "orca", "MapfSearch"} <= offered


def test_a_script_that_ends_the_interpreter_is_reported_with_its_seed() -> None:
    said = play("fuzz_nothing", range(3))

    assert re.search(r"(signal SIGSEGV|exit code 1) at seed 1 of the batch from 0\n", said)
    assert "exit code" not in said or "AddressSanitizer" in said  # which reports the signal, and exits
    assert "To see it again: " in said
    assert "tests.safety.fuzz_nothing 0 2" in said


def test_a_script_that_writes_a_file_is_reported() -> None:
    """The core opens no file, and the folder of the checkout stays as it is."""
    assert "files ['stray'] were written at seed 2 of the batch from 2" in play("fuzz_nothing", range(2, 3))
