"""`kumi control`: commands in words for one to three packet robots, with live values and warnings."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.control_screen import screen
from kumi.cli.errors import BadInput, ExitCode, sentence
from kumi.cli.link import LinkAddressType, fade_option
from kumi.cli.options import Placement, WallType
from kumi.control.session import MOST_ROBOTS, Session
from kumi.control.words import WordsError, check_order, parse_orders
from kumi.devs.errors import KumiError, NoRun
from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.devices import request_payload
from kumi.link.packets import COMPUTER, Control, Packet, encode
from kumi.link.ports import open_port
from kumi.link.remote import Remote
from kumi.link.tables import CalibrationError
from kumi.link.wires import PortWire
from kumi.world import Map, MapError, Wall, load_map, save_map

if TYPE_CHECKING:
    from types import FrameType

HELP = """Control one to three packet robots by commands in words.

Each --port is a robot: a serial port, a pseudo-terminal, or socket://HOST:PORT. Commands come from --do, from a
file, or line by line from standard input:

\b
  forward 30 cm        back 10 cm at 8 cm/s     forward      (goes on until told otherwise)
  left 24 deg          right 12 deg             straight
  read all             wait 2 s                 stop         (typed: at once, for all)
  1: forward 30 cm     is for robot 1 alone; what stands without a number is for all

Robots that will hit each other, or a wall of the map, if the present commands go on are told with the time left.
When the lists are done, and at Ctrl-C, all motors stop.

\b
Try:
  kumi robot packet --pty --at 1,1           prints the port
  kumi control --port PORT --at 1,1 --do "left 24 deg; forward 30 cm; read all"
  kumi control --port A --at 1,1 --port B --at 1,2 --map hall.toml --list tour.txt --record run.kumi

The exit code is 1 when a robot gave up its list, 2 when the commands are wrong, and 130 after Ctrl-C.
"""


@click.command(help=HELP)
@click.option(
    "--port", "ports", multiple=True, required=True, help="Where a robot is; repeat it, three at most."
)
@click.option(
    "--at",
    "poses",
    type=Placement(),
    multiple=True,
    help="Where that robot stands.  [default: 0,0 and a metre on]",
)
@click.option(
    "--address",
    "addresses",
    type=LinkAddressType(),
    multiple=True,
    help="Its address.  [default: 0, 1, 2 in order]",
)
@click.option("--baud", type=int, default=9600, show_default=True, help="Bits a second, 9600 to 115200.")
@fade_option
@click.option(
    "--calibration",
    "calibrations",
    multiple=True,
    type=click.Path(path_type=Path),
    help="What its numbers mean: one file for all, or one for each.",
)
@click.option(
    "--map", "map_", type=click.Path(path_type=Path), help="Map for the warnings.  [default: no walls]"
)
@click.option(
    "--wall", "walls", type=WallType(), multiple=True, help="Draw a wall by its two ends; repeatable."
)
@click.option("--save-map", type=click.Path(path_type=Path), help="Write the map with the walls drawn.")
@click.option("--do", "words", help="Commands, with ; between them.")
@click.option("--list", "list_", type=click.Path(path_type=Path), help="A file of commands, one a line.")
@click.option("--dry-run", is_flag=True, help="Print the packets of the commands, and send nothing.")
@click.option(
    "--record", type=click.Path(path_type=Path), help="Write a run file, for `kumi show` and `kumi video`."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line for a machine to read.")
def control(ports: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Open the robots, give them their lists, and tell what happens."""
    if len(ports) > MOST_ROBOTS:
        raise click.UsageError(f"a session has one to {MOST_ROBOTS} robots, not {len(ports)}")
    for name in ("poses", "addresses", "calibrations"):
        if len(given[name]) > len(ports):
            raise click.UsageError(f"there are more {name} than ports: {len(given[name])} and {len(ports)}")
    orders = read_orders(given["words"], given["list_"])
    if given["dry_run"]:
        return show_packets(orders or "", given)
    with sentences():
        return drive(ports, orders, as_json, given)


def drive(ports: tuple[str, ...], orders: str | None, as_json: bool, given: dict[str, Any]) -> int:
    """Run a session to its end; return the exit code."""
    map_ = read_map(given)
    parsed = None if orders is None else parse_orders(orders)
    with (
        screen(as_json=as_json, is_typed=orders is None) as told,
        Session(map_, told=told, record=given["record"]) as session,
    ):
        remotes = list(open_robots(session, ports, given))
        try:
            if not session.units:
                raise BadInput("There is no robot to control.")
            if parsed is not None:
                session.give(parsed)
                session.close_lists()
            else:
                threading.Thread(target=listen, args=(session,), daemon=True).start()
            with halting(session) as code:
                session.run(pace=1.0)
        finally:
            for remote in remotes:
                remote.close()
    if (halted := code()) is not None:
        return halted
    return ExitCode.FAILED if session.has_failed or session.left_out else ExitCode.DONE


def read_map(given: dict[str, Any]) -> Map:
    """Return the map of the options, with the walls drawn on it; save it where that is asked for."""
    map_ = Map() if given["map_"] is None else load_map(given["map_"])
    try:
        walls = [Wall((x, y), (end_x, end_y)) for x, y, end_x, end_y in given["walls"]]
        map_ = map_.with_(obstacles=[*map_.obstacles, *walls]) if walls else map_
    except ValueError as error:
        raise MapError(f"--wall: {error}") from error
    if given["save_map"] is not None:
        save_map(map_, given["save_map"])
    return map_


def open_robots(session: Session, ports: tuple[str, ...], given: dict[str, Any]) -> Iterator[Remote]:
    """Open each robot's link and put it into the session; one that cannot be is told, and the others go on."""
    poses: tuple[Pose, ...] = given["poses"]
    for number, port in enumerate(ports):
        pose = poses[number] if number < len(poses) else Pose(Point(float(number), 0.0))
        address = given["addresses"][number] if number < len(given["addresses"]) else number
        wire: PortWire | None = None
        try:
            calibration = calibration_of(given["calibrations"], number)
            wire = PortWire(session.simulation, partial(open_port, port, baud=given["baud"]))
            remote = Remote(
                session.simulation,
                wire,
                address,
                baud=given["baud"],
                fade=given["fade"],
                name=f"robot {number}",
            )
            session.add(remote, calibration, pose, number=number)
        except KumiError as error:
            click.echo(f"robot {number} is left out: {sentence(error)}", err=True)
            session.left_out.add(number)
            if wire is not None:
                wire.close()
            continue
        remote.open()
        yield remote


def calibration_of(paths: tuple[Path, ...], number: int) -> Calibration:
    """Return the calibration of a robot: its own, the one for all, or the one that ships."""
    if not paths:
        return Calibration.default()
    return Calibration.load(paths[0] if len(paths) == 1 else paths[min(number, len(paths) - 1)])


def read_orders(words: str | None, path: Path | None) -> str | None:
    """Return the commands of the options; None where they come from standard input."""
    if words is not None and path is not None:
        raise click.UsageError("give --do or --list, not both")
    if path is not None:
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise BadInput(f"{path}: there is no such file.") from None
        except OSError as error:
            raise BadInput(f"{path}: it cannot be read: {(error.strerror or str(error)).lower()}.") from error
        except UnicodeDecodeError:
            raise BadInput(f"{path}: it is no text in UTF-8.") from None
    return words


def show_packets(orders: str, given: dict[str, Any]) -> int:
    """Print the packets that begin each command."""
    with sentences():
        for order in parse_orders(orders):
            number = order.robot or 0
            entries = check_order(order, calibration_of(given["calibrations"], number), f"robot {number}")
            address = given["addresses"][number] if number < len(given["addresses"]) else number
            packet = Packet(COMPUTER, address, Control.ACK, request_payload(entries))
            said = encode(packet).hex(" ").upper() if entries else "-"
            click.echo(f"{order.line:4}  {order.step!s:24}  {said}")
    return ExitCode.DONE


def listen(session: Session) -> None:
    """Take commands from standard input, line by line; runs in a thread of its own."""
    with suppress(NoRun):  # the session may be over before the input is
        for number, line in enumerate(sys.stdin, 1):
            session.simulation.bring(partial(take, session, line, number))
        session.simulation.bring(lambda _time: session.close_lists())


def take(session: Session, line: str, number: int, _time: float) -> None:
    """Do what a typed line says, or say what is wrong with it."""
    try:
        if line.strip().lower() == "stop":
            session.drop_lists()
        session.give(parse_orders(line, first_line=number))
    except WordsError as error:
        click.echo(sentence(error), err=True)


@contextmanager
def halting(session: Session) -> Iterator[Callable[[], ExitCode | None]]:
    """Let Ctrl-C, and a request to terminate, stop all robots and end the session; tell the exit code of the one that came."""
    came: list[ExitCode] = []

    def halt(number: int, _frame: FrameType | None) -> None:
        came.append(ExitCode.TERMINATED if number == signal.SIGTERM else ExitCode.INTERRUPTED)
        session.simulation.bring(lambda _time: session.halt())

    before = {kind: signal.signal(kind, halt) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: came[0] if came else None
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


@contextmanager
def sentences() -> Iterator[None]:
    """Let what is wrong with commands and files be bad input."""
    try:
        yield
    except (WordsError, CalibrationError, MapError) as error:
        raise BadInput(sentence(error)) from error
