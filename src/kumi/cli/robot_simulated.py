"""`kumi robot simulated`: simulated robots that enter a station, in one world, in real time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumi.cli.errors import BadInput
from kumi.cli.extras import needing
from kumi.cli.options import Placement
from kumi.cli.robot_er1 import until_stopped

if TYPE_CHECKING:
    from kumi.geometry import Pose

HELP = """Run simulated robots that enter a station and do the tasks it gives them.

Each KEY is what `kumi people enrol` printed: robot:NAME:SECRET, or a file with such lines. Robots look for the
station on the local network unless an address is given.

\b
Try:
  kumi robot simulated robot:r1:SECRET --at 1,1,0 --world hall.toml
"""


@click.command("simulated", help=HELP)
@click.argument("keys", nargs=-1, required=True, metavar="KEY...")
@click.option(
    "--station",
    "stations",
    metavar="ENDPOINT",
    multiple=True,
    help="Where the station lets robots in, like tcp/127.0.0.1:7447; once for each controller.",
)
@click.option("--world", type=click.Path(path_type=Path), help="Map the robots live in.  [default: no walls]")
@click.option(
    "--at", "poses", type=Placement(), multiple=True, help="Where each stands, in the order of the keys."
)
@click.option("--radius", type=float, default=0.15, show_default=True, help="Radius of the robots in metres.")
@click.option("--speed", type=float, default=0.5, show_default=True, help="Their speed in metres a second.")
@click.option("--seed", type=int, default=0, show_default=True, help="For all that is left to chance.")
def simulated(
    keys: tuple[str, ...],
    stations: tuple[str, ...],
    world: Path | None,
    poses: tuple[Pose, ...],
    radius: float,
    speed: float,
    seed: int,
) -> None:
    """Enter, and work until Ctrl-C."""
    from kumi.geometry import Point
    from kumi.geometry import Pose as Place
    from kumi.world import Map, load_map

    with needing("station"):
        from kumi.station.entering.enter import Entrant, enter_simulated
        from kumi.station.entering.session import NotLetIn
        from kumi.station.wire.zenoh_carrier import ZenohCarrier, find_stations
    pairs = [_read(line) for key in keys for line in _lines(key)]
    if poses and len(poses) != len(pairs):
        raise BadInput(
            f"There are {len(pairs)} robots and {len(poses)} places: give --at once for each, or never."
        )
    places = poses or [Place(Point(1.0 + 4.0 * radius * number, 1.0), 0.0) for number in range(len(pairs))]
    entrants = [
        Entrant(name, secret, place, radius, speed)
        for (name, secret), place in zip(pairs, places, strict=True)
    ]
    map_ = Map() if world is None else load_map(world)

    async def enter() -> None:
        endpoints = stations or await find_stations()
        carrier = await ZenohCarrier.connected(*endpoints)
        try:
            await enter_simulated(
                carrier,
                entrants,
                map_,
                seed=seed,
                ready=lambda name: click.echo(f"{name} is in, at {endpoints[0]}"),
            )
        finally:
            await carrier.close()

    try:
        asyncio.run(until_stopped(enter()))
    except NotLetIn as refused:
        raise click.ClickException(f"{str(refused)[:1].upper()}{str(refused)[1:]}.") from refused


def _lines(key: str) -> list[str]:
    if key.startswith("robot:"):
        return [key]
    try:
        return [line.strip() for line in Path(key).read_text().splitlines() if line.startswith("robot:")]
    except OSError as error:
        raise BadInput(f"{key!r} is neither a key, like robot:NAME:SECRET, nor a file of keys.") from error


def _read(line: str) -> tuple[str, str]:
    _, name, secret = [*line.split(":", 2), "", ""][:3]
    if not name or not secret:
        raise BadInput(f"A key is written as robot:NAME:SECRET, not {line!r}.")
    return name, secret
