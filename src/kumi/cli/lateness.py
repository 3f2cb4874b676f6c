"""What does a person, or a machine, learn of how a run kept up with the wall clock?"""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kumi.devs import Lateness

SHOWN_MISSES = 5
"""So many misses are told with their cause; the JSON has all that are remembered."""
WIDEST_NAME = 30


def lateness_of(lateness: Lateness) -> dict[str, Any]:
    """Return how late instants were, in seconds of wall time, for a machine; the last bin has no upper edge."""
    return {
        "instants": lateness.count,
        "p50": lateness.p50,
        "p99": lateness.p99,
        "max": lateness.max,
        "histogram": [
            {"at_most": None if isinf(edge) else edge, "instants": count}
            for edge, count in lateness.histogram()
        ],
        "missed": lateness.misses.count,
        "misses": [{"time": one.time, "late": one.late, "cause": one.cause} for one in lateness.misses.last],
    }


def lateness_text(lateness: Lateness) -> str:
    """Return how late instants were, for a person: a histogram, and deadlines that were missed with their causes."""
    most = max(count for _, count in lateness.histogram()) or 1
    lines = [f"p50 {_ms(lateness.p50)}, p99 {_ms(lateness.p99)}, at most {_ms(lateness.max)}"]
    for edge, count in lateness.histogram():
        if count:
            name = "more" if isinf(edge) else f"up to {_ms(edge)}"
            lines.append(f"{name:>14} {'▇' * max(1, round(WIDEST_NAME * count / most))} {count:,}")
    misses = lateness.misses
    if misses.count:
        lines.append(f"{misses.count:,} deadlines missed, of which the last:")
        lines += [f"  {one}" for one in list(misses.last)[-SHOWN_MISSES:]]
    return "\n".join(lines)


def _ms(seconds: float) -> str:
    return f"{1000.0 * seconds:.3g} ms" if seconds < 1.0 else f"{seconds:.3g} s"
