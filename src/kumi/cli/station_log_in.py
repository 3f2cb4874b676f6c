"""`kumi station log-in`: trade a password for a token, and keep it for the other commands; `kumi station log-out`: hand it back."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from msgspec.structs import replace

from kumi.cli.errors import BadInput
from kumi.cli.station_client import connected, connected_to, forget_login, keep_login, password_from
from kumi.station.operations.people import Hello, LogIn, LogOut
from kumi.station.people.secrets import LONGEST_LIFE, SHORTEST_LIFE
from kumi.station.refusals import Reason, Refused

UNITS = {"m": 60.0, "h": 3600.0, "d": 24 * 3600.0}


@click.command("log-in")
@click.argument("url")
@click.argument("name")
@click.option(
    "--password-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A file with the password; prompted for if omitted.",
)
@click.option(
    "--new-password-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A file with the password to have from now on, in place of a first one; prompted for if omitted.",
)
@click.option(
    "--life",
    default="30d",
    show_default=True,
    metavar="TIME",
    help="For how long the log-in is good: minutes, hours or days, like 90m, 8h or 7d.",
)
@click.option(
    "--certificate",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True),
    help="The station's own certificate, where no authority signed it.",
)
def log_in(
    url: str,
    name: str,
    password_file: Path | None,
    new_password_file: Path | None,
    life: str,
    certificate: str | None,
) -> None:
    """Log in to the station at URL as NAME; other commands then talk to it.

    A first password, which somebody else chose, is changed with that.
    """
    seconds = _seconds(life)
    new = None if new_password_file is None else password_from(new_password_file, "")
    asked = LogIn(
        name=name, password=password_from(password_file, "Password"), new_password=new, life=seconds
    )
    with connected_to(url, None, certificate) as station:
        about = station.call(Hello())
        try:
            token = station.call(asked).token
        except Refused as refused:
            if refused.reason is not Reason.FIRST_PASSWORD:
                raise
            if not sys.stdin.isatty():
                raise Refused(refused.reason, f"{refused.sentence}, in --new-password-file") from None
            click.echo("Somebody else chose this password: choose one of your own.")
            new = password_from(None, "New password", is_twice=True)
            token = station.call(replace(asked, new_password=new)).token
    path = keep_login(url, token, certificate)
    click.echo(f"Logged in to station '{about.name}' as {name}; the token is in {path}.")


def _seconds(life: str) -> float:
    """Return how many seconds a time like 8h is."""
    unit = UNITS.get(life[-1:])
    try:
        if unit is None:
            raise ValueError(life)
        found = float(life[:-1]) * unit
    except ValueError:
        raise BadInput(f"--life takes minutes, hours or days, like 90m, 8h or 7d, not '{life}'.") from None
    if not SHORTEST_LIFE <= found <= LONGEST_LIFE:
        raise BadInput(f"--life is from 1m to {LONGEST_LIFE / UNITS['d']:g}d, not {life}.")
    return found


@click.command("log-out")
def log_out() -> None:
    """Log out: the token that other commands use is worthless then, and forgotten; forgotten also where it was so before."""
    try:
        with connected() as station:
            try:
                station.call(LogOut())
            except Refused as refused:
                if refused.reason is not Reason.NOT_KNOWN:  # else the token was worthless already
                    raise
    finally:
        forget_login()
    click.echo("Logged out.")
