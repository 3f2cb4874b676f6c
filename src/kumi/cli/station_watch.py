"""`kumi station watch`, `kumi station audit`: what happens at a station, as it happens, and who asked for what."""

from __future__ import annotations

import time

import click
import msgspec

from kumi.cli.station_client import connected
from kumi.cli.station_done import PAGE, PERIOD, POLL_SECONDS, TIMEOUT, latest
from kumi.station.operations.log import Audit, Events


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
    with connected(TIMEOUT) as station:
        last = after if after is not None else (0 if once else latest(station))
        while True:
            told = station.call(Events(after=last, limit=PAGE, wait=0.0 if once else POLL_SECONDS))
            for one in told.happenings:
                if as_json:
                    click.echo(msgspec.json.encode(one))
                else:
                    data = " ".join(f"{key}={value}" for key, value in one.data.items())
                    at = time.strftime("%H:%M:%S", time.localtime(one.at))
                    click.echo(f"{one.id:6d} {at} {one.robot or '-':12} {one.kind} {data}".rstrip())
            last = told.last
            if len(told.happenings) < PAGE:
                if once:
                    return
                time.sleep(PERIOD)


@click.command()
@click.option("--after", type=click.IntRange(min=0), default=0, help="Begin after this entry.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def audit(after: int, as_json: bool) -> None:
    """Print who asked the station for what, and what came of it; for super-users."""
    with connected() as station:
        is_full = True
        while is_full:  # this question is an entry, too: there is always one more
            told = station.call(Audit(after=after, limit=PAGE))
            for one in told.entries:
                if as_json:
                    click.echo(msgspec.json.encode(one))
                else:
                    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.at))
                    click.echo(f"{one.id:6d} {at} {one.who}: {one.operation} {one.about}: {one.outcome}")
            after, is_full = told.last, len(told.entries) == PAGE
