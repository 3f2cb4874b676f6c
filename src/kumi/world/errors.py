"""What can be wrong with a world."""

from __future__ import annotations

from kumi.devs.errors import KumiError


class Overlap(KumiError, ValueError):
    """A body would stand in another, in an obstacle or outside the world."""
