"""What can go wrong between the parts of a model."""

from __future__ import annotations

from kumi.devs import KumiError


class DistributedError(KumiError):
    """A run over several processes cannot begin, or cannot go on."""


class PartLost(DistributedError):
    """A part is gone: its process ended, or its machine does not answer."""


class PartFailed(DistributedError):
    """A model of a part raised an error; the sentence names the part, and what it raised."""
