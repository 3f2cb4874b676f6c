"""Does a run come out the same on another machine?"""

from kumi.testing.portability.comparing import (
    ONCE_MORE,
    PLAIN,
    NotPortable,
    ProcessHashes,
    ProcessSwitch,
    Target,
    TraceDifference,
    compare,
    switches,
)

__all__ = [
    "ONCE_MORE",
    "PLAIN",
    "NotPortable",
    "ProcessHashes",
    "ProcessSwitch",
    "Target",
    "TraceDifference",
    "compare",
    "switches",
]
