"""Starting kumi: fresh processes, by the processor's time, the best of several."""

from __future__ import annotations

import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks.tasks import Sample

IMPORT = "from time import process_time; begun = process_time(); import kumi; print(process_time() - begun)"


def start_import(times: int) -> Sample:
    """Import kumi; the interpreter is there already."""
    command = [sys.executable, "-c", IMPORT]
    taken = [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(times)
    ]
    return {"figure": 1e3 * min(taken)}


def start_help(times: int) -> Sample:
    """Ask for the list of commands, with the start of the interpreter."""
    return {"figure": 1e3 * min(helped() for _ in range(times))}


def helped() -> float:
    """Return the seconds that one process took."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "kumi", "--help"], stdout=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
