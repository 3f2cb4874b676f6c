"""Settings for every test."""

from __future__ import annotations

import os

from hypothesis import settings

# Examples are the same in every run, so that tests pass or fail for a change alone; "thorough" looks at others
# each time. A property that fails prints what repeats it. Examples may take any time: the machine may be busy.
settings.register_profile("kumi", deadline=None, print_blob=True, derandomize=True)
settings.register_profile(
    "thorough", parent=settings.get_profile("kumi"), max_examples=2000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "kumi"))
