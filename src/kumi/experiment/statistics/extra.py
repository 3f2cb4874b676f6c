"""Is the part of kumi installed that studies need?"""

from __future__ import annotations

from importlib.util import find_spec

from kumi.experiment.statistics.errors import StatisticsError

PACKAGES = ("polars", "altair", "vl_convert", "SALib")


class MissingExtra(StatisticsError):
    """A package is not installed that comes with an extra of kumi."""


def need_study() -> None:
    """Say what to install, if something is missing for tables, plots and sensitivity."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise MissingExtra(
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed; "
            'studies need it: pip install "kumi[study]".'
        )
