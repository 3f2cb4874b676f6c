"""`kumi station people` and other commands that do one operation each: made from how it is declared.

What an operation must be told is an argument, what it may be told is an option; its own fields come before those of its kind, as
the robot before its team, but whom it is about is first. A password is read from a file, or prompted for. Only what the command prints stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import get_annotations
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import click
import msgspec

from kumi.cli.errors import BadInput
from kumi.cli.station_client import connected, password_from, written_for_owner
from kumi.cli.station_names import robot_names
from kumi.station.operation import OfPerson, OfRobot, Request
from kumi.station.operations.finds import RemoveFile, RemoveLayer
from kumi.station.operations.maps import MakeFeedKey
from kumi.station.operations.people import (
    AddPerson,
    AddTeam,
    ChangePassword,
    ListPeople,
    LockPerson,
    MovePerson,
    RemovePerson,
    RemoveTeam,
    ResetPassword,
    RevokeTokens,
    SetRole,
    UnlockPerson,
)
from kumi.station.operations.robots import EnrolRobot, EnrolRobots, RemoveRobot, RobotKey
from kumi.station.operations.stops import Stop, how_stopped
from kumi.station.records import Person, StationRecord

A = TypeVar("A", bound=StationRecord)
PASSWORDS = {
    "password": ("Password", False),
    "new_password": ("New password", True),
}
"""Fields that are not shown as they are typed: what they are called, and whether they are asked for twice."""


def command_of(name: str, request: type[Request[A]], said: Callable[[Any, A], str]) -> click.Command:
    """Return the command that does an operation, and prints what is said of its request and its answer."""
    hints = get_type_hints(request)
    own = {"name"} if issubclass(request, OfPerson) else get_annotations(request)
    fields = sorted(msgspec.structs.fields(request), key=lambda field: field.name not in own)
    secret = [field.name for field in fields if field.name in PASSWORDS]
    is_new = "new_password" not in secret  # a password that is chosen here, for somebody else

    def run(**given: Any) -> None:
        for one in secret:
            title, is_twice = PASSWORDS[one]
            file, typed = given.pop(f"{one}_file"), given[one]
            if file is not None and typed is not None:
                option = f"--{one.replace('_', '-')}"
                raise BadInput(f"Give {option} or {option}-file, not both.")
            given[one] = typed or password_from(file, title, is_twice=is_twice or is_new)
        asked = request(**given)
        with connected() as station:
            answer = station.call(asked)
        click.echo(said(asked, answer))

    parameters = [one for field in fields for one in _parameters(request, field, hints[field.name])]
    return click.Command(name, params=parameters, callback=run, help=request.__doc__)


def _parameters(
    request: type[Request[Any]], field: msgspec.structs.FieldInfo, hint: Any
) -> list[click.Parameter]:
    kind = click.Choice(get_args(hint)) if get_origin(hint) is Literal else int if hint is int else str
    option = f"--{field.name.replace('_', '-')}"
    if field.name in PASSWORDS:
        file = click.Path(path_type=Path, exists=True, dir_okay=False)
        return [
            click.Option([option], help="Others on this machine can see it meanwhile; better give a file."),
            click.Option([f"{option}-file"], type=file, help="A file with it; prompted for if omitted."),
        ]
    if not field.required:
        return [click.Option([option], type=kind, default=field.default, show_default=True)]
    completion = robot_names if field.name == "robot" and issubclass(request, OfRobot) else None
    return [click.Argument([field.name], type=kind, shell_complete=completion)]


@click.command()
@click.argument("robots", nargs=-1, required=True)
@click.argument("team")
@click.option(
    "-o",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A new file for the keys, one a line, that only its owner can read; printed if omitted.",
)
def enrol(robots: tuple[str, ...], team: str, output: Path | None) -> None:
    """Let ROBOTS of a TEAM enter from now on: all of them, or, where one is refused, none. Their keys are told only now."""
    with written_for_owner(output) as out:
        with connected() as station:
            if len(robots) == 1:
                keys: tuple[RobotKey, ...] = (station.call(EnrolRobot(team=team, robot=robots[0])),)
            else:
                keys = station.call(EnrolRobots(team=team, robots=robots)).keys
        out.write("".join(f"robot:{one.robot}:{one.key}\n" for one in keys))
    if output is not None:
        names = ", ".join(robots) if len(robots) < 5 else f"{len(robots)} robots"
        click.echo(f"{names} may enter with what is in {output}; keep it secret.")


def _people(found: Any) -> str:
    lines = (
        f"{one.name:20} {one.role:12} {one.team or '':12} {_state(one)}".rstrip() for one in found.people
    )
    return "\n".join(lines)


def _state(person: Person) -> str:
    """Return what else is to be known of somebody."""
    found = ["locked"] if person.is_locked else []
    found += ["first password"] if person.has_first_password else []
    found += [f"offered to {person.moves_to}"] if person.moves_to is not None else []
    return ", ".join(found)


def _moved(asked: Any, answer: Any) -> str:
    if answer.is_moved:
        return f"{asked.name} is in team '{asked.team}' now."
    return f"{asked.name} is offered to team '{asked.team}'; its head accepts with the same command."


FIRST = "with this first password, and chooses another when logging in"
Plain = tuple[type[Request[Any]], Callable[[Any, Any], str]]
"""An operation, and what its command prints of the request and the answer."""
PEOPLE: Mapping[str, Plain] = {
    "list": (ListPeople, lambda _, found: _people(found)),
    "add-team": (AddTeam, lambda asked, _: f"There is a team '{asked.team}' now."),
    "remove-team": (RemoveTeam, lambda asked, _: f"Team '{asked.team}' is gone."),
    "add": (AddPerson, lambda asked, _: f"{asked.name} may use the station now, as {asked.role}, {FIRST}."),
    "remove": (RemovePerson, lambda asked, _: f"{asked.name} is gone."),
    "role": (SetRole, lambda asked, _: f"{asked.name} is {asked.role} now."),
    "move": (MovePerson, _moved),
    "password": (ChangePassword, lambda *_: "Your password is changed; all other log-ins are worthless."),
    "reset": (ResetPassword, lambda asked, _: f"{asked.name} logs in {FIRST}."),
    "lock": (LockPerson, lambda asked, _: f"{asked.name} is locked, and has to wait for `unlock`."),
    "unlock": (UnlockPerson, lambda asked, _: f"{asked.name} may log in again."),
    "revoke": (RevokeTokens, lambda asked, _: f"All tokens of {asked.name} have been revoked."),
    "feed-key": (
        MakeFeedKey,
        lambda _, made: (
            "The positioning system has this key, which is told only now; the one before is worthless:\n"
            f"feed:{made.key}"
        ),
    ),
    "remove-robot": (RemoveRobot, lambda asked, _: f"{asked.robot} is gone."),
}
ALONE: Mapping[str, Plain] = {
    "remove-file": (RemoveFile, lambda asked, _: f"File {asked.medium} is removed."),
    "remove-layer": (
        RemoveLayer,
        lambda asked, _: f"Layer '{asked.layer}' of team '{asked.team}' is removed.",
    ),
}
STOP: Plain = Stop, lambda asked, stopped: f"{asked.robot} {how_stopped(stopped)}."

people = click.Group(
    "people",
    commands={"enrol": enrol} | {name: command_of(name, *made) for name, made in PEOPLE.items()},
    no_args_is_help=True,
    help="Manage who may use a station: teams, users, robots.",
)
stop = command_of("stop", *STOP)
remove_file, remove_layer = (command_of(name, *made) for name, made in ALONE.items())
