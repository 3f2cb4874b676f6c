"""Settings for every test."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# A property that fails prints what repeats it. Examples may take any time: the machine may be busy.
# A busy machine is slow, and the first text that is drawn waits for a table of all letters: neither is a failure.
settings.register_profile(
    "kumi", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", parent=settings.get_profile("kumi"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "kumi"))
