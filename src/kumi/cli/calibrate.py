"""`kumi calibrate`: the tables of a packet robot, found by driving it."""

from __future__ import annotations

import json
from contextlib import closing
from functools import partial
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumi.cli.errors import BadInput, ExitCode, code_of, sentence
from kumi.cli.link import LinkAddressType
from kumi.devs import Simulation
from kumi.devs.interrupts import Terminated, ended_by_signals
from kumi.link.calibration import Calibration
from kumi.link.measuring import measure
from kumi.link.ports import open_port
from kumi.link.remote import Remote
from kumi.link.tables import CalibrationError
from kumi.link.wires import PortWire

if TYPE_CHECKING:
    from kumi.link.quality import MeasuredCalibration
    from kumi.link.tables import Table

HELP = """Measure a packet robot by driving it, and write what its numbers mean.

Put the robot about half a metre from a straight wall, looking at it, with a metre and a half of free room around and
behind it; the drive takes some eight minutes. The servo, the potentiometer, the speeds and the rangers are measured.
What a tape measures better is taken from the file you begin with: the wheel, the wheelbase and the body. Each number is
printed with its standard uncertainty, and with how far the readings lie from it, and so it stands in the file. What was
measured poorly is said in a sentence; the exit code is 1 then, and the file is written all the same.

\b
Try:
  kumi robot packet --pty --noise gaussian:2 --at 3.25,1.5   prints the port; its room is 4 x 3 m
  kumi calibrate --port PORT -o mine.toml
"""


@click.command(help=HELP)
@click.option("--port", required=True, help="Where the robot is: a serial port or socket://HOST:PORT.")
@click.option(
    "--address", type=LinkAddressType(), default="0", show_default=True, help="Its address on the link."
)
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
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="File to write.")
def calibrate(
    port: str,
    address: int,
    baud: int,
    calibration: Path | None,
    passes: int,
    clock: float,
    as_json: bool,
    output: Path,
) -> int:
    """Drive, fit, tell and write."""
    try:
        given = Calibration.default() if calibration is None else Calibration.load(calibration)
    except CalibrationError as error:
        raise BadInput(sentence(error)) from error
    check_writable(output)
    with Simulation(hashed=False) as simulation:
        wire = PortWire(simulation, partial(open_port, port, baud=baud))
        remote = Remote(simulation, wire, address, baud=baud)

        async def program() -> MeasuredCalibration:
            await remote.connect()
            return await measure(
                remote, given, passes=passes, tell=lambda words: click.echo(f"{words} ...", err=True)
            )

        task = simulation.start_main(program)
        try:
            with ended_by_signals(simulation.stop), closing(wire):  # the robot's watchdog stops it
                simulation.run(pace=clock, open_ended=True)
        except (KeyboardInterrupt, Terminated) as ended:
            return code_of(ended)
        found = task.result
    found.save(output)
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False))
    else:
        tell(given, found)
        click.echo(f"calibration: {output}")
    for note in found.notes:
        click.echo(f"note: {note}.", err=True)
    for complaint in found.complaints:
        click.echo(f"poor: {complaint}.", err=True)
    return ExitCode.FAILED if found.complaints else ExitCode.DONE


def check_writable(output: Path) -> None:
    """Find out before the drive, not after it, that the file cannot be written."""
    if not output.parent.is_dir():
        raise BadInput(f"the folder {output.parent} is not there, so {output} cannot be written.")
    if output.is_dir():
        raise BadInput(f"{output} is a folder; give a file.")


def tell(given: Calibration, found: MeasuredCalibration) -> None:
    """Print what was found next to what was given, and how well each number is known."""
    numbers = found.calibration
    click.echo("motor byte: " + compared(given.motor, numbers.motor, 100.0, "cm/s"))
    click.echo("servo byte: " + compared(given.servo, numbers.servo, degrees(1.0), "°"))
    click.echo("potentiometer: " + compared(given.potentiometer, numbers.potentiometer, degrees(1.0), "°"))
    values = ", ".join(f"{100 * distance:.0f} cm {value:.1f}" for value, distance in numbers.ranger.entries)
    click.echo(f"ranger: {values}, nothing {numbers.nothing}")
    for fit in found.fits:
        click.echo(f"  {fit}")


def compared(given: Table, found: Table, unit: float, name: str) -> str:
    """Return each entry as it was found, and in brackets as it was given."""
    return ", ".join(
        f"{raw:.4g} {unit * value:.2f} ({unit * given.value_of(raw):.2f}) {name}"
        for raw, value in found.entries
    )
