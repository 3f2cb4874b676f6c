"""`kumi robot world`: a world that emulated packet robots of several processes share."""

from __future__ import annotations

import math
from pathlib import Path

import click

from kumi.cli.errors import BadInput
from kumi.cli.leash import hold_on_leash
from kumi.cli.options import PlaceType
from kumi.devs.interrupts import served_until_signal
from kumi.link.emulators import SharedWorld
from kumi.world import Map, World, load_map

HELP = """Let emulated packet robots of several processes live in one world, in real time.

Each joins it by --join, sees and touches the others, and has a process, a clock and a line of its own. A robot whose
process is gone stands where it was, with its motor stopped, until a process of the same name joins again. When this
process ends, there is no world any more, and its robots end with a sentence.

\b
Try:
  kumi robot world --world hall.toml --listen 7100
  kumi robot packet --pty --join 7100 --at 1,1
  kumi robot packet --pty --join 7100 --at 2,1 --address 1 --clock 1.001
"""


@click.command("world", help=HELP)
@click.option(
    "--listen", type=PlaceType(), default="0", show_default=True, help="Where robots join; 0 is any."
)
@click.option("--world", type=click.Path(path_type=Path), help="Its map.  [default: 4 x 3 m, empty]")
@click.option("--clock", type=float, default=1.0, show_default=True, help="How fast its time goes.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the errors of all devices.")
@click.option("--leash", is_flag=True, help="End when standard input is closed: who started it is gone.")
@click.option("--seconds", type=float, default=math.inf, help="How long it lasts.  [default: until Ctrl-C]")
def world(
    listen: tuple[str, int], world: Path | None, clock: float, seed: int, leash: bool, seconds: float
) -> None:
    """Be there until Ctrl-C."""
    if not seconds > 0.0:
        raise BadInput(f"a world lasts for a number of seconds > 0, not {seconds:g}.")
    map_ = Map(4.0, 3.0) if world is None else load_map(world)
    host, port = listen
    try:
        shared = SharedWorld(World(map_), host=host, port=port, seed=seed, rate=clock)
    except ValueError as error:
        raise BadInput(f"{error}.") from error
    with shared, served_until_signal(shared.stop):
        click.echo(f"a world is at {shared.address[0]}:{shared.address[1]}")
        if leash:
            hold_on_leash(shared.stop)
        shared.run(seconds)
