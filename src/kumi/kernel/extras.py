"""Is the package there that a part of kumi needs?

The base install is small; some parts need an extra of the package. Whoever asks for such a part without it reads which
command installs it. `need` asks before anything is done; `needing` stands around imports.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from kumi.kernel.errors import KumiError


class MissingExtra(KumiError):
    """A package is not installed that comes with an extra of kumi."""


def need(extra: str, *packages: str) -> None:
    """Raise MissingExtra if one of these packages is not installed."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingExtra(_sentence(", ".join(missing), extra))


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Import within this block what comes with an extra; a package that is not there raises MissingExtra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "kumi":
            raise
        raise MissingExtra(_sentence(str(error.name), extra)) from error


def _sentence(what: str, extra: str) -> str:
    """Say what is missing, and which command brings it."""
    are = "are" if "," in what else "is"
    return f'{what} {are} not installed; it comes with: pip install "kumi[{extra}]"'
