"""`kumi station log-in`: trade a password for a token, and keep it for the other commands; `kumi station log-out`: hand it back."""

from __future__ import annotations

from pathlib import Path

import click

from kumi.cli.errors import text_of
from kumi.cli.station_client import connected, connected_to, forget_login, keep_login
from kumi.station.operations.people import Hello, LogIn, LogOut
from kumi.station.refusals import Reason, Refused


@click.command("log-in")
@click.argument("url")
@click.argument("name")
@click.option(
    "--password-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A file with the password; prompted for if omitted.",
)
@click.option(
    "--certificate",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True),
    help="The station's own certificate, where no authority signed it.",
)
def log_in(url: str, name: str, password_file: Path | None, certificate: str | None) -> None:
    """Log in to the station at URL as NAME; other commands then talk to it."""
    password = text_of(password_file).strip() if password_file else click.prompt("Password", hide_input=True)
    with connected_to(url, None, certificate) as station:
        about = station.call(Hello())
        token = station.call(LogIn(name=name, password=password)).token
    path = keep_login(url, token, certificate)
    click.echo(f"Logged in to station '{about.name}' as {name}; the token is in {path}.")


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
