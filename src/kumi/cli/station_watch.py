"""`kumi watch`: what happens at a station, as it happens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from kumi.cli.station_client import connected

if TYPE_CHECKING:
    from kumi.station.client import Client

PERIOD = 0.2
"""Seconds between two looks when nothing happens."""


@click.command()
@click.option(
    "--after",
    type=click.IntRange(min=0),
    default=None,
    help="Begin after this entry of the log; 0 is the first.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--once", is_flag=True, help="End when all that has happened is printed.")
def watch(after: int | None, as_json: bool, once: bool) -> None:
    """Print what happens at the station: to your team, and to everybody."""
    with connected() as station:
        import msgspec

        from kumi.station.requests import Events

        last = after if after is not None else (0 if once else _newest(station))
        while True:
            told = station.call(Events(after=last, limit=1000))
            for one in told.happenings:
                if as_json:
                    click.echo(msgspec.json.encode(one))
                else:
                    data = " ".join(f"{key}={value}" for key, value in one.data.items())
                    at = time.strftime("%H:%M:%S", time.localtime(one.at))
                    click.echo(f"{one.id:6d} {at} {one.robot or '-':12} {one.kind} {data}".rstrip())
            last = told.last
            if not told.happenings:
                if once:
                    return
                time.sleep(PERIOD)


def _newest(station: Client) -> int:
    from kumi.station.requests import Events

    last = 0
    while (told := station.call(Events(after=last, limit=1000))).happenings:
        last = told.last
    return last
