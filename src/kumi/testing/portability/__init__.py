"""Does a run come out the same on another machine?"""

from kumi.testing.portability.comparing import (
    AGAIN,
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
    "AGAIN",
    "PLAIN",
    "NotPortable",
    "ProcessHashes",
    "ProcessSwitch",
    "Target",
    "TraceDifference",
    "compare",
    "switches",
]
