"""Scripts by chance over all of the core, and over the lives of what a run is made of, end in no crash and no hang.

`make fuzz` plays many: KUMI_SCRIPTS says how many of each.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.safety.batches import chunks

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = int(os.environ.get("KUMI_SCRIPTS", "150"))


def play(fuzzer: str, seeds: range) -> str:
    """Play scripts in processes of their own and return what was found."""
    command = [sys.executable, "-m", f"tests.safety.{fuzzer}", str(seeds.start), str(len(seeds))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("fuzzer", ["fuzz_core", "fuzz_lifetimes"])
def test_no_script_ends_the_interpreter_or_is_deaf_to_a_signal(fuzzer: str) -> None:
    with ThreadPoolExecutor() as executor:
        found = executor.map(lambda seeds: play(fuzzer, seeds), chunks(range(SCRIPTS), os.cpu_count() or 1))

    assert "".join(found) == ""


def test_a_script_that_ends_the_interpreter_is_reported_with_its_seed() -> None:
    said = play("fuzz_nothing", range(3))

    assert re.search(r"(signal SIGSEGV|exit code 1) at seed 1 of the batch from 0\n", said)
    assert "exit code" not in said or "AddressSanitizer" in said  # which reports the signal, and exits
    assert "To see it again: " in said
    assert "tests.safety.fuzz_nothing 0 2" in said
