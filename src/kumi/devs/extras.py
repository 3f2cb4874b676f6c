"""Is the package there that an optional part of kumi needs?

The base install is small; some parts need more packages. A request for such a part without them is answered with the command
installs them. `need` asks before anything is done; `needing` stands around imports.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from kumi.devs.errors import KumiError
from kumi.installation import DOCTOR, part_command


class MissingExtra(KumiError):
    """A package is not installed that comes with an extra of kumi."""


def need(extra: str, *packages: str) -> None:
    """Raise MissingExtra if one of these packages is not installed."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingExtra(_sentence(missing, extra))


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Import within this block what comes with an extra; a package that is not there raises MissingExtra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "kumi":
            raise
        raise MissingExtra(_sentence([str(error.name)], extra)) from error


def _sentence(missing: list[str], extra: str) -> str:
    """Say what is missing, and which command brings it."""
    are, them = ("is", "it") if len(missing) == 1 else ("are", "them")
    return f"{', '.join(missing)} {are} not installed; `{part_command(extra)}` brings {them}, and {DOCTOR}"
