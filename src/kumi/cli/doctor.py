"""`kumi doctor`: is everything here that kumi needs, and how does one get what is not?"""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from kumi.cli.doctor_parts import all_parts
from kumi.cli.errors import ExitCode
from kumi.installation import installation
from kumi.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.cli.doctor_parts import InstalledPart


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for a machine to read.")
def doctor(as_json: bool) -> int:
    """Check the installation: each part, what it is for, and how to get it where it is missing.

    The exit code is 0 where all is here that kumi cannot do without, and 1 elsewhere.
    """
    parts = all_parts()
    is_well = all(part.is_there for part in parts if part.is_needed)
    if as_json:
        click.echo(as_object(parts, is_well=is_well))
    else:
        tell(parts)
    return ExitCode.DONE if is_well else ExitCode.FAILED


def as_object(parts: Sequence[InstalledPart], *, is_well: bool) -> str:
    """Return what was found as one JSON object."""
    return json.dumps(
        {
            "version": VERSION,
            "python": platform.python_version(),
            "installation": asdict(installation()),
            "is_well": is_well,
            "parts": [asdict(part) for part in parts],
        }
    )


def tell(parts: Sequence[InstalledPart]) -> None:
    """Print what was found, a part a line, and below it what is to be done."""
    click.echo(f"kumi {VERSION} with Python {platform.python_version()}, {installation()}\n")
    width = max(len(part.name) for part in parts)
    for part in parts:
        found = f" ({part.found})" if part.found else ""
        click.echo(f"{'here' if part.is_there else 'missing':<9}{part.name:<{width}}  {part.purpose}{found}")
        if part.remedy:
            click.echo(f"{'':<9}{'':<{width}}  -> {part.remedy}")
    lacking = [part.name for part in parts if part.is_needed and not part.is_there]
    optional = sum(not part.is_there for part in parts if not part.is_needed)
    if lacking:
        click.echo(f"\nkumi cannot do without: {', '.join(lacking)}.")
    else:
        are = "1 optional part is" if optional == 1 else f"{optional} optional parts are"
        click.echo(f"\nAll that kumi cannot do without is here; {are} missing.")
