"""Where do random numbers come from?

A run has one seed. Each component draws from a sequence of its own, named by its path. It depends on the
seed and the name alone, so adding a robot does not change the draws of the others.
"""

from __future__ import annotations

from hashlib import blake2b

from kumi._core import Chance


def stream(seed: int, name: str) -> Chance:
    """Give the random numbers of this name for this seed, from the first on."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"a seed is a whole number, not {seed!r}")
    return Chance(blake2b(f"kumi\0{seed}\0{name}".encode(), digest_size=32).digest())
