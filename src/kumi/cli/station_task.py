"""`kumi station task` and `kumi station send-code`: what a commander tells a robot."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import BadInput, text_of
from kumi.cli.station_client import connected
from kumi.cli.station_done import TIMEOUT, followed, how
from kumi.cli.station_names import robot_names, task_names
from kumi.station.operations.output import TaskOutput
from kumi.station.operations.robots import PossibleTasks
from kumi.station.operations.tasks import CancelTask, GiveTask, SendCode

if TYPE_CHECKING:
    from kumi.station.client import Client
    from kumi.station.records import TaskOption


@click.command()
@click.argument("robot", shell_complete=robot_names)
@click.argument("name", required=False, shell_complete=task_names)
@click.argument("values", nargs=-1)
@click.option("--now", is_flag=True, help="Interrupt what the robot does.")
@click.option("--wait", is_flag=True, help="Wait until the task has ended.")
@click.option("--cancel", type=int, metavar="TASK", help="Take a task back instead of giving one.")
def task(
    robot: str, name: str | None, values: tuple[str, ...], now: bool, wait: bool, cancel: int | None
) -> None:
    """Give ROBOT the task NAME with VALUES in the order it takes them; without NAME, list what it can do.

    A spot is written as X,Y in metres: `kumi station task r1 goTo 1.5,2`. Several spots follow one another.
    """
    with connected(TIMEOUT if wait else 10.0) as station:
        if cancel is not None:
            station.call(CancelTask(task=cancel))
            click.echo(f"Task {cancel} is cancelled.")
            return
        options = {one.name: one for one in station.call(PossibleTasks(robot=robot)).options}
        if name is None:
            _show_options(robot, list(options.values()))
            return
        arguments = _arguments(options[name], values) if name in options else {}
        given = station.call(
            GiveTask(robot=robot, task=name, arguments=arguments, when="now" if now else "queue")
        )
        click.echo(f"Task {given.task} is given to {robot}.")
        if wait:
            _wait_for(station, given.task)


def _wait_for(station: Client, number: int) -> None:
    """Print what a task prints until it has ended, and how it did; fail where it is not done."""
    outcome = followed(station, number)
    click.echo(f"Task {outcome.id} {how(outcome)}.")
    if outcome.state != "done":
        raise click.exceptions.Exit(1)


def _show_options(robot: str, options: list[TaskOption]) -> None:
    if not options:
        click.echo(f"{robot} has not said yet what it can do.")
    for option in options:
        takes = " ".join(f"{one.name.upper()}({one.kind})" for one in option.parameters)
        click.echo(f"{option.name} {takes}".rstrip() + (f"  {option.about}" if option.about else ""))


def _arguments(option: TaskOption, values: tuple[str, ...]) -> dict[str, Any]:
    """Read values in the order of a task's parameters; the last one takes all that are left where it is many."""
    left, arguments = list(values), {}
    for parameter in option.parameters:
        if parameter.kind == "spots":
            if not left:
                raise BadInput(
                    f"{option.name} takes {parameter.name}: one spot or more, each as X,Y in metres."
                )
            arguments[parameter.name] = [_spot(text) for text in left]
            left = []
        elif left:
            arguments[parameter.name] = _value(parameter.kind, left.pop(0))
    if left:
        takes = ", ".join(one.name for one in option.parameters) or "nothing"
        raise BadInput(f"{option.name} takes {takes}: {left[0]!r} is one too many.")
    return arguments


def _value(kind: str, text: str) -> Any:
    if kind == "spot":
        return _spot(text)
    if kind == "text":
        return text
    try:
        return _number(text)
    except ValueError:
        raise BadInput(f"{text!r} is no number.") from None


def _spot(text: str) -> dict[str, float]:
    x, _, y = text.partition(",")
    try:
        return {"x": _number(x), "y": _number(y)}
    except ValueError:
        raise BadInput(f"A spot is written as X,Y in metres, like 1.5,2, not {text!r}.") from None


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


@click.command("send-code")
@click.argument("robot", shell_complete=robot_names)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--module", is_flag=True, help="The file is a module that adds tasks, not code to run once.")
@click.option("--wait", is_flag=True, help="Print what it prints, and wait until it has ended.")
def send_code(robot: str, file: Path, module: bool, wait: bool) -> None:
    """Give ROBOT the Python FILE to run in its sandbox."""
    code = text_of(file)
    with connected(TIMEOUT if wait else 10.0) as station:
        name = file.stem.replace("-", "_")
        purpose: Any = "module" if module else "run"
        given = station.call(SendCode(robot=robot, name=name, code=code, purpose=purpose))
        click.echo(f"Code '{name}' is task {given.task} of {robot}.")
        if wait:
            _wait_for(station, given.task)


@click.command()
@click.argument("task", type=int)
def output(task: int) -> None:
    """Print what the code of TASK has printed so far."""
    with connected() as station:
        click.echo(station.call(TaskOutput(task=task)).text, nl=False)
