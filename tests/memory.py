"""How much memory does this process hold, and does it hold what it has freed?"""

from __future__ import annotations

import ctypes
import resource
from pathlib import Path

IS_SANITIZED = hasattr(ctypes.CDLL(None), "__asan_init")
"""Whether the address sanitizer is loaded. It keeps freed memory, in order to know who uses it after all."""


def resident() -> int:
    """Return the bytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()
