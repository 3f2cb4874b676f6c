"""`kumi people`: users, teams and robots of a station."""

from __future__ import annotations

from typing import Any

import click

from kumi.cli.station_client import connected
from kumi.cli.station_names import robot_names


@click.group(no_args_is_help=True)
def people() -> None:
    """Manage who may use a station: teams, users, robots."""


@people.command("list")
def list_() -> None:
    """List all users."""
    with connected() as station:
        from kumi.station.requests import ListPeople

        found = station.call(ListPeople()).people
    for one in found:
        click.echo(f"{one.name:20} {one.role:12} {one.team or ''}".rstrip())


@people.command("add-team")
@click.argument("team")
def add_team(team: str) -> None:
    """Make TEAM."""
    with connected() as station:
        from kumi.station.requests import AddTeam

        station.call(AddTeam(team=team))
    click.echo(f"There is a team '{team}' now.")


@people.command()
@click.argument("name")
@click.option("--team", help="The team; a super-user may have none.")
@click.option(
    "--role",
    type=click.Choice(["observer", "commander", "super-user"]),
    default="observer",
    show_default=True,
)
@click.option(
    "--password", prompt=True, hide_input=True, confirmation_prompt=True, help="Prompted for if omitted."
)
def add(name: str, team: str | None, role: Any, password: str) -> None:
    """Let NAME use the station."""
    with connected() as station:
        from kumi.station.requests import AddPerson

        station.call(AddPerson(name=name, password=password, team=team, role=role))
    click.echo(f"{name} may use the station now, as {role}.")


@people.command()
@click.argument("name")
@click.argument("role", type=click.Choice(["observer", "commander", "super-user"]))
def role(name: str, role: Any) -> None:
    """Give NAME another ROLE."""
    with connected() as station:
        from kumi.station.requests import SetRole

        station.call(SetRole(name=name, role=role))
    click.echo(f"{name} is {role} now.")


@people.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Log NAME out everywhere."""
    with connected() as station:
        from kumi.station.requests import RevokeTokens

        station.call(RevokeTokens(name=name))
    click.echo(f"All tokens of {name} have been revoked.")


@people.command()
@click.argument("robot")
@click.argument("team")
def enrol(robot: str, team: str) -> None:
    """Let ROBOT enter, as one of TEAM; prints its key, once."""
    with connected() as station:
        from kumi.station.requests import EnrolRobot

        key = station.call(EnrolRobot(robot=robot, team=team)).key
    click.echo(f"{robot} may enter with this key, which is told only now:")
    click.echo(f"robot:{robot}:{key}")


@people.command("feed-key")
def feed_key() -> None:
    """Make the key of a positioning system, with which it tells where robots are; prints it, once."""
    with connected() as station:
        from kumi.station.requests import MakeFeedKey

        key = station.call(MakeFeedKey()).key
    click.echo("The positioning system has this key, which is told only now; the one before is worthless:")
    click.echo(f"feed:{key}")


@people.command()
@click.argument("robot", shell_complete=robot_names)
def remove(robot: str) -> None:
    """Let ROBOT enter no more."""
    with connected() as station:
        from kumi.station.requests import RemoveRobot

        station.call(RemoveRobot(robot=robot))
    click.echo(f"{robot} is gone.")
