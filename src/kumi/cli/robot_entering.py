"""How does a command let robots into a station? By their keys, at an address, or at the station that answers nearby."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumi.cli.errors import BadInput, text_of
from kumi.cli.options import Amount
from kumi.cli.robot_er1 import until_stopped
from kumi.devs.extras import needing

if TYPE_CHECKING:
    from kumi.station.wire.carrier import Carrier

Telling = Callable[[str], None]
Enter = Callable[["Carrier", Telling, Telling], Awaitable[None]]
"""What lets robots in over a carrier, and tells who is in, and which refusals were not proven."""


stop_after_option = click.option(
    "--stop-after",
    type=Amount(least=0.5),  # a station is heard every 0.25 s, and one of these words may be lost
    default=2.0,
    show_default=True,
    help="Seconds without a word of the station after which a robot on its way stops.",
)
stop_button_option = click.option(
    "--stop-button",
    "buttons",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A stop button: the robot stands unless the file holds 0, as /sys/class/gpio/gpio17/value does.",
)


def keys_of(given: Sequence[str]) -> list[tuple[str, str]]:
    """Return the name and the secret of each robot, from keys and files of keys."""
    pairs = [_read(line) for key in given for line in _lines(key)]
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"Robot '{name}' has {names.count(name)} keys here: each robot enters once.")
    return pairs


def stay_in_station(enter: Enter, stations: tuple[str, ...]) -> None:
    """Let robots in, and let them work until Ctrl-C; what the station refuses ends the command with its sentence."""
    with needing("station"):
        from kumi.station.entering.session import NotLetIn
        from kumi.station.wire.zenoh_carrier import ZenohCarrier
        from kumi.station.wire.zenoh_opening import find_stations

    async def entered() -> None:
        endpoints = stations or tuple(await find_stations())
        carrier = await ZenohCarrier.connected(*endpoints)
        try:
            await enter(carrier, lambda name: click.echo(f"{name} is in, at {endpoints[0]}"), _say_refused)
        finally:
            await carrier.close()

    try:
        asyncio.run(until_stopped(entered()))
    except NotLetIn as refused:
        raise click.ClickException(f"{str(refused)[:1].upper()}{str(refused)[1:]}.") from refused


def _say_refused(sentence: str) -> None:
    click.echo(
        f"Not let in: {sentence}. Whoever says so has not proved to be the station; the robot goes on trying.",
        err=True,
    )


def _lines(key: str) -> list[str]:
    if key.startswith("robot:"):
        return [key]
    if not Path(key).is_file():
        raise BadInput(f"{key!r} is neither a key, like robot:NAME:SECRET, nor a file of keys.")
    lines = [line.strip() for line in text_of(Path(key)).splitlines() if line.startswith("robot:")]
    if not lines:
        raise BadInput(f"{key} has no key: it takes a line like robot:NAME:SECRET for each robot.")
    return lines


def _read(line: str) -> tuple[str, str]:
    _, name, secret = [*line.split(":", 2), "", ""][:3]
    if not name or not secret:
        raise BadInput(f"A key is written as robot:NAME:SECRET, not {line!r}.")
    return name, secret
