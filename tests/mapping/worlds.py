"""The shipped places, and where robots start in them."""

from __future__ import annotations

from math import pi
from pathlib import Path

import kumi

MAPS = Path(kumi.__file__).parent / "scenario" / "shipped" / "maps"
ARENA = MAPS / "arena.toml"
STARTS = [(0.4, 0.3, 0.0), (3.5, 0.4, pi / 2), (0.5, 2.6, 0.0)]
