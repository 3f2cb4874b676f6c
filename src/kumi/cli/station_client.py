"""Which station does a command talk to, and as whom?

The one that `kumi station log-in` was used for, whose address and token are in a file that only its owner can read; or those in the
environment variables KUMI_STATION and KUMI_TOKEN.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TextIO

import click

from kumi.cli.errors import BadInput, text_of
from kumi.station.client import Client, StationGone, trusting
from kumi.station.refusals import Refused


def login_file() -> Path:
    """Return where the last log-in is kept."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "kumi" / "station.json"


def keep_login(url: str, token: str, certificate: str | None) -> Path:
    """Keep an address and a token for the commands to come."""
    path = login_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(file, "w") as out:
        json.dump({"url": url, "token": token, "certificate": certificate}, out)
    return path


def forget_login() -> None:
    """Keep no address and no token any more; what is in the environment is not ours."""
    if "KUMI_STATION" not in os.environ:
        login_file().unlink(missing_ok=True)


def password_from(file: Path | None, title: str, *, is_twice: bool = False) -> str:
    """Return a password: what a file holds, or what is typed at the prompt."""
    if file is not None:
        return text_of(file).strip()
    typed: str = click.prompt(title, hide_input=True, confirmation_prompt=is_twice)
    return typed


@contextmanager
def written_for_owner(path: Path | None) -> Iterator[TextIO]:
    """Write to a new file that only its owner can read, which is gone again where that fails; None prints."""
    if path is None:
        with StringIO() as printed:
            yield printed
            click.echo(printed.getvalue(), nl=False)
        return
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise BadInput(f"{path} is there already; keys go into a new file.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from error
    try:
        with os.fdopen(file, "w") as out:
            yield out
    except BaseException:
        path.unlink()
        raise


@contextmanager
def connected(timeout: float = 10.0) -> Iterator[Client]:
    """Talk to the station that was logged in to; `timeout` is in seconds."""
    url, token, certificate = _login()
    with connected_to(url, token, certificate, timeout) as client:
        yield client


@contextmanager
def connected_to(
    url: str, token: str | None, certificate: str | None, timeout: float = 10.0
) -> Iterator[Client]:
    """Talk to a station; what it refuses ends the command with its sentence."""
    try:
        with Client(url, token, timeout=timeout, verify=trusting(certificate)) as client:
            yield client
    except Refused as refused:
        sentence = refused.sentence[:1].upper() + refused.sentence[1:]
        raise click.ClickException(sentence if sentence.endswith(".") else f"{sentence}.") from refused
    except StationGone as gone:
        raise click.ClickException(f"{str(gone)[:1].upper()}{str(gone)[1:]}.") from gone


def _login() -> tuple[str, str | None, str | None]:
    if "KUMI_STATION" in os.environ:
        return os.environ["KUMI_STATION"], os.environ.get("KUMI_TOKEN"), os.environ.get("KUMI_CERTIFICATE")
    try:
        kept = json.loads(login_file().read_text())
        return kept["url"], kept["token"], kept["certificate"]
    except FileNotFoundError:
        raise click.ClickException(
            "No station yet: log in with `kumi station log-in URL NAME` first."
        ) from None
    except (ValueError, KeyError):
        raise click.ClickException(
            f"{login_file()} is damaged: log in again with `kumi station log-in URL NAME`."
        ) from None
