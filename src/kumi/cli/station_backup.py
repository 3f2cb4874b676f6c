"""`kumi station backup` and `kumi station restore`: all that a station keeps as one file, and a station from such a file."""

from __future__ import annotations

from pathlib import Path

import click

from kumi.cli.errors import BadInput
from kumi.station.store.backup import backup as put_into
from kumi.station.store.backup import restore as take_from
from kumi.station.store.private import private_folder


def _store_url(context: click.Context) -> str:
    """Return the store that the options before the command name."""
    assert context.parent is not None
    given = context.parent.params
    return given["store"] or f"sqlite:///{given['data'] / 'station.db'}"


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_context
def backup(context: click.Context, file: Path) -> None:
    """Put all that a station keeps into FILE, also while it runs: `kumi station --data FOLDER backup FILE`.

    FILE holds keys and tokens; only its owner can read it.
    """
    url = _store_url(context)
    try:
        put_into(url, file)
    except (OSError, ValueError) as error:
        raise BadInput(f"{_sentence(error)}.") from error
    click.echo(f"All that the store at {url} keeps is in {file}, {file.stat().st_size} bytes.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.pass_context
def restore(context: click.Context, file: Path) -> None:
    """Make the store of a station from FILE, where there is none: `kumi station --data FOLDER restore FILE`.

    A backup of a file may be restored to PostgreSQL, and the other way round.
    """
    url = _store_url(context)
    try:
        if context.parent is not None and context.parent.params["store"] is None:
            private_folder(context.parent.params["data"])
        take_from(file, url)
    except (OSError, ValueError) as error:
        raise BadInput(f"{_sentence(error)}.") from error
    click.echo(f"The store at {url} is that of {file}; what happened since then is not in it.")


def _sentence(error: Exception) -> str:
    said = str(error)
    return said[0].upper() + said[1:] if said.startswith(("there", "the ")) else said
