"""Perfect leader election: a new leader only when the one before has crashed.

The lowest address is the first leader, and when it is known to have crashed the next one follows: what
`LowestTrusted` does becomes this with a perfect detector (P). A wrong suspicion would depose a leader who still
reigns. Monarchical leader election in Cachin, Guerraoui and Rodrigues (2011).
"""

from __future__ import annotations

from kumi.protocols.bears import CRASHES
from kumi.protocols.eventual_leader import LowestTrusted
from kumi.protocols.guarantees import Perfect, PerfectLeader


class Monarchical(LowestTrusted, PerfectLeader):
    """Elects the lowest address that has not crashed."""

    bears = CRASHES

    detector: Perfect
