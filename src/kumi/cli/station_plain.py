"""`kumi station people` and other commands that do one operation each: made from how it is declared.

What an operation must be told is an argument, what it may be told is an option; its own fields come before those of its kind, as
the robot before its team. A password is prompted for if omitted. Only what the command prints stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import get_annotations
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import click
import msgspec

from kumi.cli.station_client import connected
from kumi.cli.station_names import robot_names
from kumi.station.operation import OfRobot, Request
from kumi.station.operations.finds import RemoveFile, RemoveLayer
from kumi.station.operations.maps import MakeFeedKey
from kumi.station.operations.people import AddPerson, AddTeam, ListPeople, RevokeTokens, SetRole
from kumi.station.operations.robots import EnrolRobot, RemoveRobot
from kumi.station.operations.stops import Stop, how_stopped
from kumi.station.records import StationRecord

A = TypeVar("A", bound=StationRecord)


def command_of(name: str, request: type[Request[A]], said: Callable[[Any, A], str]) -> click.Command:
    """Return the command that does an operation, and prints what is said of its request and its answer."""

    def run(**given: Any) -> None:
        asked = request(**given)
        with connected() as station:
            answer = station.call(asked)
        click.echo(said(asked, answer))

    hints, own = get_type_hints(request), get_annotations(request)
    fields = sorted(msgspec.structs.fields(request), key=lambda field: field.name not in own)
    parameters = [_parameter(request, field, hints[field.name]) for field in fields]
    return click.Command(name, params=parameters, callback=run, help=request.__doc__)


def _parameter(request: type[Request[Any]], field: msgspec.structs.FieldInfo, hint: Any) -> click.Parameter:
    kind = click.Choice(get_args(hint)) if get_origin(hint) is Literal else int if hint is int else str
    if field.name == "password":
        return click.Option(
            ["--password"],
            prompt=True,
            hide_input=True,
            confirmation_prompt=True,
            help="Prompted for if omitted.",
        )
    if not field.required:
        return click.Option([f"--{field.name}"], type=kind, default=field.default, show_default=True)
    completion = robot_names if field.name == "robot" and issubclass(request, OfRobot) else None
    return click.Argument([field.name], type=kind, shell_complete=completion)


def _people(found: Any) -> str:
    lines = (f"{one.name:20} {one.role:12} {one.team or ''}".rstrip() for one in found.people)
    return "\n".join(lines)


Plain = tuple[type[Request[Any]], Callable[[Any, Any], str]]
"""An operation, and what its command prints of the request and the answer."""
PEOPLE: Mapping[str, Plain] = {
    "list": (ListPeople, lambda _, found: _people(found)),
    "add-team": (AddTeam, lambda asked, _: f"There is a team '{asked.team}' now."),
    "add": (AddPerson, lambda asked, _: f"{asked.name} may use the station now, as {asked.role}."),
    "role": (SetRole, lambda asked, _: f"{asked.name} is {asked.role} now."),
    "revoke": (RevokeTokens, lambda asked, _: f"All tokens of {asked.name} have been revoked."),
    "enrol": (
        EnrolRobot,
        lambda asked, made: (
            f"{asked.robot} may enter with this key, which is told only now:\nrobot:{asked.robot}:{made.key}"
        ),
    ),
    "feed-key": (
        MakeFeedKey,
        lambda _, made: (
            "The positioning system has this key, which is told only now; the one before is worthless:\n"
            f"feed:{made.key}"
        ),
    ),
    "remove": (RemoveRobot, lambda asked, _: f"{asked.robot} is gone."),
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
    commands={name: command_of(name, *made) for name, made in PEOPLE.items()},
    no_args_is_help=True,
    help="Manage who may use a station: teams, users, robots.",
)
stop = command_of("stop", *STOP)
remove_file, remove_layer = (command_of(name, *made) for name, made in ALONE.items())
