"""What does a command say when a part of kumi that it needs is not installed? Which command installs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Import within this block what comes with an extra of the package."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "kumi":
            raise
        raise click.ClickException(
            f"This command needs the package '{error.name}'. Install it with: pip install 'kumi[{extra}]'"
        ) from error
