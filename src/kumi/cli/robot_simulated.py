"""`kumi robot simulated`: simulated robots that enter a station, in one world, in real time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumi.cli.errors import BadInput
from kumi.cli.options import Amount, Placement
from kumi.cli.robot_entering import Telling, keys_of, stay_in_station, stop_after_option, stop_button_option
from kumi.devs.extras import needing
from kumi.geometry import Point
from kumi.geometry import Pose as Place
from kumi.sensing import Prop
from kumi.world import Map, load_map

if TYPE_CHECKING:
    from kumi.geometry import Pose
    from kumi.station.wire.carrier import Carrier

HELP = """Run simulated robots that enter a station and do the tasks it gives them.

Each KEY is what `kumi station people enrol` printed: robot:NAME:SECRET, or a file with such lines. Robots look for the
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
@click.option(
    "--radius", type=Amount(), default=0.15, show_default=True, help="Radius of the robots in metres."
)
@click.option(
    "--speed", type=Amount(), default=0.5, show_default=True, help="Their speed in metres a second."
)
@click.option("--camera/--no-camera", default=True, show_default=True, help="Whether they can film.")
@click.option(
    "--prop",
    "props",
    type=Placement(),
    multiple=True,
    help="Where something stands that cameras see and the map does not know.",
)
@stop_after_option
@stop_button_option
@click.option("--seed", type=int, default=0, show_default=True, help="For all that is left to chance.")
def simulated(
    keys: tuple[str, ...],
    stations: tuple[str, ...],
    world: Path | None,
    poses: tuple[Pose, ...],
    radius: float,
    speed: float,
    camera: bool,
    props: tuple[Pose, ...],
    stop_after: float,
    buttons: tuple[Path, ...],
    seed: int,
) -> None:
    """Enter, and work until Ctrl-C."""
    with needing("station"):
        from kumi.station.entering.enter import Entrant, enter_simulated
        from kumi.station.entering.stop_button import StopButton
    pairs = keys_of(keys)
    if poses and len(poses) != len(pairs):
        raise BadInput(
            f"There are {len(pairs)} robots and {len(poses)} places: give --at once for each, or never."
        )
    if buttons and len(buttons) not in (1, len(pairs)):
        raise BadInput(
            f"There are {len(pairs)} robots and {len(buttons)} stop buttons: give one for all, or one for each."
        )
    places = poses or [Place(Point(1.0 + 4.0 * radius * number, 1.0), 0.0) for number in range(len(pairs))]
    pressed: list[StopButton | None] = [*map(StopButton, buttons)] or [None]
    entrants = [
        Entrant(name, secret, place, radius, speed, camera, pressed[number % len(pressed)])
        for number, ((name, secret), place) in enumerate(zip(pairs, places, strict=True))
    ]
    map_ = Map() if world is None else load_map(world)
    seen = [Prop(one.position) for one in props]

    async def enter(carrier: Carrier, ready: Telling, refused: Telling) -> None:
        await enter_simulated(
            carrier,
            entrants,
            map_,
            props=seen,
            seed=seed,
            stop_after=stop_after,
            ready=ready,
            refused=refused,
        )

    stay_in_station(enter, stations)
