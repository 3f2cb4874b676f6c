"""Kinds of fault by name, for what layers say that they bear; `kumi.checking` lets them happen.

A layer bears a kind if it keeps its promise under it, as long as what it needs below keeps its own. What does not
concern a layer, it bears, such as wrong suspicions where it asks no failure detector.
"""

from __future__ import annotations

BAD_NETWORK = frozenset({"loss", "duplication", "reordering", "slow-links", "partition", "pause", "skew"})
CRASHES = frozenset({"crash", "crash-mid-send"})
RECOVERY = frozenset({"recovery"})
AMNESIA = frozenset({"amnesia"})
SUSPICION = frozenset({"suspicion"})

WITHOUT_CRASHES = BAD_NETWORK | SUSPICION
WITH_CRASHES = WITHOUT_CRASHES | CRASHES
EVERYTHING = WITH_CRASHES | RECOVERY | AMNESIA
