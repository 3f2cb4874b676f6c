"""`kumi calibrate`: the tables of a packet robot, found by driving it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumi.cli.errors import BadInput, ExitCode, sentence
from kumi.cli.link import Address

if TYPE_CHECKING:
    from types import FrameType

    from kumi.kernel import Simulation
    from kumi.link.calibration import Calibration
    from kumi.link.tables import Table

HELP = """Measure a packet robot by driving it, and write what its numbers mean.

Put the robot about half a metre from a straight wall, looking at it, with a metre and a half of free room around and
behind it; the drive takes some four minutes. The servo, the potentiometer, the speeds and the rangers are measured.
What a tape measures better is taken from the file you begin with: the wheel, the wheelbase and the body.

\b
Try:
  kumi robot packet --pty --noise gaussian:2 --at 3.25,1.5   prints the port; its room is 4 x 3 m
  kumi calibrate --port PORT -o mine.toml
"""


@click.command(help=HELP)
@click.option("--port", required=True, help="Where the robot is: a serial port or socket://HOST:PORT.")
@click.option("--address", type=Address(), default="0", show_default=True, help="Its address on the link.")
@click.option("--baud", type=int, default=9600, show_default=True, help="Bits a second, 9600 to 115200.")
@click.option(
    "--calibration", type=click.Path(path_type=Path), help="File to begin with.  [default: as it ships]"
)
@click.option(
    "--passes", type=click.IntRange(1, 20), default=4, show_default=True, help="Drives to and from the wall."
)
@click.option(
    "--clock", type=float, default=1.0, help="How fast the robot's clock goes: that of `kumi robot packet`."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="File to write.")
def calibrate(
    port: str, address: int, baud: int, calibration: Path | None, passes: int, clock: float, output: Path
) -> int:
    """Drive, fit, tell and write."""
    from kumi.kernel import Simulation
    from kumi.link.calibration import Calibration
    from kumi.link.measuring import measure
    from kumi.link.ports import open_port
    from kumi.link.remote import Remote
    from kumi.link.tables import CalibrationError
    from kumi.link.wires import PortWire

    try:
        given = Calibration.default() if calibration is None else Calibration.load(calibration)
    except CalibrationError as error:
        raise BadInput(sentence(error)) from error
    check_writable(output)
    with Simulation(hashed=False) as simulation:
        wire = PortWire(simulation, partial(open_port, port, baud=baud))
        remote = Remote(simulation, wire, address, baud=baud)

        async def program() -> Calibration:
            await remote.connect()
            return await measure(
                remote, given, passes=passes, tell=lambda words: click.echo(f"{words} ...", err=True)
            )

        task = simulation.start_main(program)
        with closing(wire), stopping(simulation) as was_stopped:
            simulation.run(pace=clock, open_ended=True)
        if was_stopped():
            return ExitCode.INTERRUPTED
        found = task.result
    found.save(output)
    tell(given, found)
    click.echo(f"calibration: {output}")
    return ExitCode.DONE


def check_writable(output: Path) -> None:
    """Find out before the drive, not after it, that the file cannot be written."""
    if not output.parent.is_dir():
        raise BadInput(f"the folder {output.parent} is not there, so {output} cannot be written.")
    if output.is_dir():
        raise BadInput(f"{output} is a folder; give a file.")


def tell(given: Calibration, found: Calibration) -> None:
    """Print what was found next to what was given."""
    click.echo("motor byte: " + compared(given.motor, found.motor, 100.0, "cm/s"))
    click.echo("servo byte: " + compared(given.servo, found.servo, degrees(1.0), "°"))
    pot = found.potentiometer
    click.echo(
        f"potentiometer: {pot.raw_of(0.0):.1f} straight, {(pot.raw_of(0.1) - pot.raw_of(0.0)) / degrees(0.1):.3f} a degree"
    )
    values = ", ".join(f"{100 * distance:.0f} cm {value:.1f}" for value, distance in found.ranger.entries)
    click.echo(f"ranger: {values}, nothing {found.nothing}")


def compared(given: Table, found: Table, unit: float, name: str) -> str:
    """Return each entry as it was found, and in brackets as it was given."""
    return ", ".join(
        f"{raw:g} {unit * value:.2f} ({unit * given.value_of(raw):.2f}) {name}"
        for raw, value in found.entries
    )


@contextmanager
def stopping(simulation: Simulation) -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end the drive; the robot's watchdog stops it."""
    came: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        simulation.stop()

    before = {kind: signal.signal(kind, stop) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(came)
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
