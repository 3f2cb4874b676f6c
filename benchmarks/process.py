"""What does this process take from the machine?"""

import gc
import os
from pathlib import Path


def resident_bytes() -> int:
    """Tell the resident memory of this process, after collecting garbage."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def available_bytes() -> int:
    """Tell how much memory the machine has to give."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0
