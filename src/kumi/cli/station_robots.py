"""`kumi station robots`: who is there, and what one of them does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from kumi.cli.station_client import connected
from kumi.cli.station_done import said
from kumi.cli.station_names import robot_names
from kumi.cli.terminal import table
from kumi.station.operations.robots import ListRobots, MonitorRobot

if TYPE_CHECKING:
    from kumi.station.records import RobotRecord, RobotStatus


@click.command()
@click.argument("robot", required=False, shell_complete=robot_names)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def robots(robot: str | None, as_json: bool) -> None:
    """List all robots of the station, or tell all about ROBOT."""
    with connected() as station:
        if robot is None:
            listed = station.call(ListRobots())
            click.echo(msgspec.json.encode(listed)) if as_json else _show_robots(listed.robots)
        else:
            about = station.call(MonitorRobot(robot=robot))
            click.echo(msgspec.json.encode(about)) if as_json else _show_monitor(about)


def _show_robots(found: tuple[RobotRecord, ...]) -> None:
    if not found:
        click.echo("No robots yet: enrol one with `kumi station people enrol`.")
        return
    rows = []
    for one in found:
        at = "–" if one.pose is None else f"{one.pose.x:.2f}, {one.pose.y:.2f}"
        rows.append((one.tag, one.team, one.state, at, one.kind))
    click.echo(table(rows, heads=("robot", "team", "state", "at, m", "kind")))


def _show_monitor(about: RobotStatus) -> None:
    robot = about.robot
    at = "nobody knows where" if robot.pose is None else f"at {robot.pose.x:.2f}, {robot.pose.y:.2f} m"
    click.echo(f"{robot.tag} of team {robot.team}: {robot.state}, {at}")
    click.echo(f"can: {', '.join(option.name for option in about.options) or 'nothing yet'}")
    for title, tasks in (
        ("does", (about.task,) if about.task else ()),
        ("will do", about.waiting),
        ("did", about.done),
    ):
        for task in tasks:
            click.echo(f"{title}: {said(task)}")
    for name, value in about.values.items():
        click.echo(f"{name}: {value}")
