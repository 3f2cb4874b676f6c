"""A short run of the fuzzer over the link's codec; a long one is `python tests/fuzz/fuzz_link.py -runs=10000000`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
def test_no_input_of_a_short_fuzz_breaks_a_promise(tmp_path: Path) -> None:
    options = ["-runs=2000", "-seed=1", "-max_len=600", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run(
        [sys.executable, "tests/fuzz/fuzz_link.py", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert "Done 2000 runs" in done.stderr
