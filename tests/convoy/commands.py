"""The command line, as a process of its own."""

from __future__ import annotations

import subprocess
import sys


def kumi(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed."""
    return subprocess.run(
        [sys.executable, "-m", "kumi", *words], capture_output=True, text=True, timeout=120, check=True
    )
