"""Small maps and scans for the tests of mapping."""

from __future__ import annotations

from math import inf

import numpy as np

from kumi.mapping import OccupancyMap, Scan

NOTHING = (inf,) * 6


def sketch(*rows: str, cell: float = 0.05) -> OccupancyMap:
    """Return a map drawn in text, the uppermost row first: # is occupied, . is free, a blank nobody saw."""
    nats = {"#": 4.0, ".": -2.0, " ": 0.0}
    evidence = np.array([[nats[sign] for sign in row] for row in rows[::-1]], dtype=np.float32)
    return OccupancyMap(evidence, 0, 0, cell)


def scan(*ranges: float | None, time: float = 0.0, distance: float = 0.0, steering: float = 0.0) -> Scan:
    """Return a scan with these ranges first; the other beams have no reading."""
    return Scan(time, distance, steering, (*ranges, *(None,) * (6 - len(ranges))))
