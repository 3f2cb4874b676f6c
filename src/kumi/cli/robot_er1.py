"""`kumi robot er1`: an emulated ER1 that answers at a port, as its control centre does."""

from __future__ import annotations

import asyncio
import math
import signal
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.options import Placement, PlaceType
from kumi.link.emulators.er1 import serve_er1
from kumi.world import Map, load_map

if TYPE_CHECKING:
    from kumi.geometry import Pose

HELP = """Emulate an ER1: its control centre answers at a port, in lines of text.

Its world runs in real time: walls stop it, and its rangers see them. A client can say `move 30 cm`,
`move 90 degrees`, `stop`, `set v 10`, `sense front`, `events` and `clear`; an empty line keeps events back.

\b
Try:
  kumi robot er1 --listen 9000 --world hall.toml --at 1,1,90
  telnet localhost 9000
"""


@click.command("er1", help=HELP)
@click.option(
    "--listen", type=PlaceType(), default="9000", show_default=True, help="Where to answer; port 0 is any."
)
@click.option("--world", type=click.Path(path_type=Path), help="Map the robot lives in.  [default: no walls]")
@click.option("--at", "pose", type=Placement(), default="0,0,0", show_default=True, help="Where it stands.")
@click.option("--seconds", type=float, default=math.inf, help="How long to answer.  [default: until Ctrl-C]")
def er1(listen: tuple[str, int], world: Path | None, pose: Pose, seconds: float) -> None:
    """Serve until Ctrl-C."""
    host, port = listen

    def ready(port: int) -> None:
        click.echo(f"an ER1 answers at {host}:{port}")

    map_ = Map() if world is None else load_map(world)
    serving = serve_er1(map_, pose, host=host, port=port, seconds=seconds, ready=ready)
    asyncio.run(until_stopped(serving))


async def until_stopped(serving: Coroutine[Any, Any, None]) -> None:
    """Serve until the end, Ctrl-C, or a request to terminate."""
    loop = asyncio.get_running_loop()
    task = loop.create_task(serving)
    for kind in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(kind, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
