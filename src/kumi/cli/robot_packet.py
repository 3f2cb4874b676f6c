"""`kumi robot packet`: an emulated packet robot at a serial line."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import BadInput
from kumi.cli.leash import hold_on_leash
from kumi.cli.link import LinkAddressType
from kumi.cli.options import Amount, Placement, PlaceType
from kumi.devs.interrupts import served_until_signal
from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.emulators import Emulation, JoinedEmulation, Make, ReadingErrors
from kumi.link.emulators.faults import read_faults
from kumi.link.line import Interference
from kumi.link.ports import ListeningPort, PtyPair, check_baud, open_port
from kumi.sensing.noise import EXACT, in_radians, read_noise
from kumi.world import Map, World, load_map

if TYPE_CHECKING:
    from collections.abc import Callable

    from kumi.link.ports import Port
    from kumi.sensing import Noise

HELP = """Emulate a packet robot: a car with motor, servo, encoder and six rangers, in real time.

It lives in a map and speaks packets, at a pseudo-terminal that it opens, at a port you name, or at a TCP port.
Several --at put several robots with consecutive addresses into one world, where they see and touch each other;
each has a pseudo-terminal of its own. Robots of several processes share the world of `kumi robot world` by --join:
there --clock is that of the robot's program, and the world has its own. After the watchdog time without a packet the
motor stops.

\b
Try:
  kumi robot packet --pty --world hall.toml --at 1,1,90
  kumi robot packet --pty --at 1,1 --at 2,1      two robots in one world
  kumi robot packet --listen 7000                then open socket://localhost:7000
  kumi robot packet --pty --join 7100 --at 2,1   in the world of `kumi robot world --listen 7100`
"""


class NoiseOf(click.ParamType["Noise"]):
    """A noise: its kind and its size, such as gaussian:2."""

    name = "KIND:SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Noise:
        """Read the noise, or say what is allowed."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]  # click hands on what it was given
        try:
            return read_noise(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


@click.command("packet", help=HELP)
@click.option("--pty", is_flag=True, help="Open a pseudo-terminal, and print its name.")
@click.option("--port", help="Use a serial port, or connect to socket://HOST:PORT.")
@click.option("--listen", type=PlaceType(), help="Wait for connections at a TCP port; 0 is any.")
@click.option("--world", type=click.Path(path_type=Path), help="Map it lives in.  [default: 4 x 3 m, empty]")
@click.option("--join", type=PlaceType(), help="Live in a world that robots share: see `kumi robot world`.")
@click.option("--name", help="What it is called in its world.  [default: packet robot and its address]")
@click.option(
    "--at", "poses", type=Placement(), multiple=True, help="Where it stands; repeat it for more robots."
)
@click.option(
    "--address", type=LinkAddressType(), default="0", show_default=True, help="Its address on the link."
)
@click.option("--baud", type=int, default=9600, show_default=True, help="Bits a second, 9600 to 115200.")
@click.option("--calibration", type=click.Path(path_type=Path), help="What its numbers mean: a file.")
@click.option("--noise", type=NoiseOf(), help="Of rangers and potentiometer, in their own units, of 1023.")
@click.option("--slip", type=NoiseOf(), help="Of the wheel, in metres between two readings.")
@click.option("--play", type=NoiseOf(), help="Of the front wheel's true angle, in degrees, for each motion.")
@click.option("--skid", type=NoiseOf(), help="Of the body's way, as a share of it, for each motion.")
@click.option("--damage", type=float, default=0.0, help="Share of packets of 16 bytes damaged on the line.")
@click.option("--latency", type=Amount(least=0.0), default=0.0, help="Seconds a byte is late, each way.")
@click.option(
    "--fault", "faults", multiple=True, metavar="SENSOR:FAULT", help="Such as front:bias=0.05 or bumper:dead."
)
@click.option("--watchdog", type=float, default=1.0, show_default=True, help="Seconds until the motor stops.")
@click.option("--clock", type=float, default=1.0, show_default=True, help="How fast its clock goes.")
@click.option("--clock-offset", type=float, default=0.0, help="What its clock shows at first, in seconds.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of noise and damage.")
@click.option("--leash", is_flag=True, help="End when standard input is closed: who started it is gone.")
@click.option("--seconds", type=float, default=math.inf, help="How long to live.  [default: until Ctrl-C]")
def packet(
    pty: bool, port: str | None, listen: tuple[str, int] | None, poses: tuple[Pose, ...], **given: Any
) -> None:
    """Live until Ctrl-C."""
    if sum((pty, port is not None, listen is not None)) != 1:
        raise click.UsageError("a robot needs one line: --pty, --port or --listen")
    if len(poses) > 1 and not pty:
        raise click.UsageError("several robots need a line each: give --pty")
    if len(poses) > 1 and given["name"] is not None:
        raise click.UsageError("--name is for one robot; several are called after their addresses")
    if given["join"] is not None and given["world"] is not None:
        raise click.UsageError("a robot lives in one world: give --world or --join")
    if not given["seconds"] > 0.0:
        raise BadInput(f"a robot lives for a number of seconds > 0, not {given['seconds']:g}.")
    with emulation(given) as emulated, served_until_signal(emulated.stop):
        add_robots(emulated, pty, port, listen, poses, given)
        if given["leash"]:
            hold_on_leash(emulated.stop)
        emulated.run(given["seconds"])


def emulation(given: dict[str, Any]) -> Emulation | JoinedEmulation:
    """Return the world of the robots, or the way to it, with their clock."""
    map_ = Map(4.0, 3.0) if given["world"] is None else load_map(given["world"])
    try:
        if given["join"] is not None:
            return JoinedEmulation(given["join"], seed=given["seed"], rate=given["clock"])
        return Emulation(World(map_), seed=given["seed"], rate=given["clock"])
    except ValueError as error:
        raise BadInput(f"{error}.") from error


def add_robots(
    emulated: Emulation | JoinedEmulation,
    pty: bool,
    port: str | None,
    listen: tuple[str, int] | None,
    poses: tuple[Pose, ...],
    given: dict[str, Any],
) -> None:
    """Put the robots into the world and print where they listen."""
    path = given["calibration"]
    noise = given["noise"] or 0.0
    baud = check_baud(given["baud"])
    try:
        make = Make(
            calibration=Calibration.default() if path is None else Calibration.load(path),
            errors=ReadingErrors(
                ranger=noise,
                potentiometer=noise,
                wheel=given["slip"] or 0.0,
                play=in_radians(given["play"] or EXACT),
                skid=given["skid"] or 0.0,
            ),
            baud=baud,
            interference=Interference.for_packets(given["damage"]),
            watchdog=given["watchdog"],
            clock_offset=given["clock_offset"],
            latency=given["latency"],
            faults=read_faults(given["faults"]),
        )
    except ValueError as error:
        raise BadInput(f"{error}.") from error
    for number, pose in enumerate(poses or (Pose(Point(1.0, 1.0)),)):
        address = given["address"] + number
        if address >= 0xF:
            raise BadInput("robots have addresses from 0 to e; f is the computer.")
        line: Port | Callable[[], Port]
        if pty:
            line = PtyPair(baud)
        elif listen is not None:
            line = ListeningPort(f"socket://{listen[0]}:{listen[1]}")
        else:
            assert port is not None
            line = partial(open_port, port, baud=baud)
        try:
            emulated.add(line, address, at=pose.position, heading=pose.heading, make=make, name=given["name"])
        except ValueError as error:
            raise BadInput(f"{error}.") from error
        name = port if callable(line) else line.name
        click.echo(f"robot {address:x} is at {name}, {baud} baud")
