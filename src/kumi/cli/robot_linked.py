"""`kumi robot linked`: a real robot, or an emulated one, that enters a station over its line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import BadInput
from kumi.cli.link import LinkAddressType, fade_option
from kumi.cli.options import Amount, Placement, PlaceType
from kumi.cli.robot_entering import Telling, keys_of, stay_in_station, stop_after_option, stop_button_option
from kumi.devs.extras import needing
from kumi.link.calibration import Calibration
from kumi.link.ports import check_baud

if TYPE_CHECKING:
    from kumi.geometry import Pose
    from kumi.station.wire.carrier import Carrier

HELP = """Let a robot at the other end of a line enter a station, and do the tasks it is given.

KEY is what `kumi station people enrol` printed: robot:NAME:SECRET, or a file with that line. The robot is a packet robot at a
serial port, a pseudo-terminal or socket://HOST:PORT, or an ER1 whose control centre answers at HOST:PORT.

\b
Try:
  kumi robot packet --listen 7000 --at 1,1 &      an emulated robot
  kumi robot linked robot:r1:SECRET --packet socket://localhost:7000 --at 1,1
"""


@click.command("linked", help=HELP)
@click.argument("key", metavar="KEY")
@click.option("--packet", "port", metavar="PORT", help="A packet robot at this port.")
@click.option("--er1", type=PlaceType(), help="An ER1 whose control centre answers here.")
@click.option("--at", "pose", type=Placement(), default="0,0,0", show_default=True, help="Where it stands.")
@click.option("--address", type=LinkAddressType(), default="0", show_default=True, help="Of a packet robot.")
@click.option("--baud", type=int, default=9600, show_default=True, help="Of a packet robot: bits a second.")
@fade_option
@click.option(
    "--calibration",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Of a packet robot: what its numbers mean.",
)
@click.option("--speed", type=Amount(), default=0.1, show_default=True, help="Of an ER1: metres a second.")
@click.option(
    "--station",
    "stations",
    metavar="ENDPOINT",
    multiple=True,
    help="Where the station lets robots in, like tcp/127.0.0.1:7447; once for each controller.",
)
@stop_after_option
@stop_button_option
def linked(
    key: str,
    port: str | None,
    er1: tuple[str, int] | None,
    pose: Pose,
    stations: tuple[str, ...],
    **given: Any,
) -> None:
    """Enter, and work until Ctrl-C."""
    with needing("station"):
        from kumi.station.entering.enter_linked import Er1Line, LinkedEntrant, PacketLine, enter_linked
        from kumi.station.entering.stop_button import StopButton
    if (port is None) == (er1 is None):
        raise click.UsageError("a robot has one line: give --packet PORT, or --er1 HOST:PORT")
    pairs = keys_of([key])
    if len(pairs) != 1:
        raise BadInput(f"One robot enters with one key; {key!r} has {len(pairs)}.")
    line: PacketLine | Er1Line
    if er1 is not None:
        line = Er1Line(*er1, speed=given["speed"])
    else:
        assert port is not None
        path = given["calibration"]
        calibration = Calibration.default() if path is None else Calibration.load(path)
        line = PacketLine(port, given["address"], check_baud(given["baud"]), given["fade"], calibration)
    buttons = given["buttons"]
    if len(buttons) > 1:
        raise BadInput(f"One robot has one stop button; here are {len(buttons)}.")
    entrant = LinkedEntrant(*pairs[0], line, pose, StopButton(buttons[0]) if buttons else None)

    async def enter(carrier: Carrier, ready: Telling, refused: Telling) -> None:
        await enter_linked(carrier, [entrant], stop_after=given["stop_after"], ready=ready, refused=refused)

    stay_in_station(enter, stations)
