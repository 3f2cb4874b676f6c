"""Is the package there that a part of a study needs?"""

from __future__ import annotations

from importlib.util import find_spec

from kumi.experiment.study.errors import StudyError


def need(package: str, extra: str) -> None:
    """Say what to install, if a package is missing."""
    if find_spec(package) is None:
        raise StudyError(f'{package} is not installed; it comes with: pip install "kumi[{extra}]"')
