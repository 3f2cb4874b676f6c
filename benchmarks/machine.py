"""On what was it measured? Nothing here names the machine itself."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DISTRIBUTIONS = (
    *("kumi", "xdevs", "simpy", "salabim", "devsimpy"),
    *("navground", "ir-sim", "pymunk", "gradysim", "numpy", "scipy"),
    *("tcod", "scikit-image", "pyastar2d", "pathfinding", "networkx", "toppra", "w9-pathfinding"),
)


def machine() -> dict[str, str]:
    """Describe processor, cores, memory, system and Python."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {
        "processor": _field("/proc/cpuinfo", "model name", ":") or platform.machine(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": _field("/etc/os-release", "PRETTY_NAME", "=") or platform.system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "date": datetime.now(UTC).date().isoformat(),
    }


def versions() -> dict[str, str]:
    """Tell the versions of all engines that are installed."""
    found = {}
    for name in DISTRIBUTIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _field(file: str, name: str, separator: str) -> str:
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    for line in lines:
        key, _, value = line.partition(separator)
        if key.strip() == name:
            return value.strip().strip('"')
    return ""
