"""`kumi station`: an environment for robots, users and teams, in one process or several, and the commands that talk to it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumi.cli.errors import BadInput
from kumi.cli.lazy import CommandEntry, LazyGroup
from kumi.cli.robot_er1 import until_stopped
from kumi.devs.extras import needing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.routing import BaseRoute

    from kumi.station.process import StationSettings
    from kumi.station.service.peers import Role
    from kumi.station.service.service import Service

ACCOUNT, ROBOTS, SPACE, USERS, STORE = (
    "Your account",
    "Robots and their tasks",
    "The work space",
    "Who may, and who did",
    "What is kept",
)


def _entry(place: str, summary: str, title: str) -> CommandEntry:
    return CommandEntry(f"kumi.cli.station_{place}", summary, title, extra="station")


COMMANDS = {
    "log-in": _entry("log_in:log_in", "Log in to a station; the other commands then talk to it.", ACCOUNT),
    "log-out": _entry("log_in:log_out", "Log out of the station.", ACCOUNT),
    "robots": _entry("robots:robots", "List the robots, or tell all about one.", ROBOTS),
    "task": _entry("task:task", "Give a robot a task.", ROBOTS),
    "send-code": _entry("task:send_code", "Give a robot code to run.", ROBOTS),
    "output": _entry("task:output", "Print what the code of a task has printed.", ROBOTS),
    "stop": _entry("plain:stop", "Stop a robot at once.", ROBOTS),
    "done": _entry("done:done", "Print which of the tasks you gave have ended.", ROBOTS),
    "watch": _entry("watch:watch", "Print what happens, as it happens.", ROBOTS),
    "map": _entry("map:map_", "Show or change the map.", SPACE),
    "found": _entry("map:found", "List what robots discovered, or get its film.", SPACE),
    "layer": _entry("map:layer", "Print what robots measured where.", SPACE),
    "remove-file": _entry("plain:remove_file", "Remove a file that a robot stored.", SPACE),
    "remove-layer": _entry("plain:remove_layer", "Remove what a team measured in a layer.", SPACE),
    "people": _entry("plain:people", "Manage users, teams and robots.", USERS),
    "audit": _entry("watch:audit", "Print who asked for what.", USERS),
    "backup": _entry("backup:backup", "Put all that a station keeps into a file, while it runs.", STORE),
    "restore": _entry("backup:restore", "Make the store of a station from such a file.", STORE),
}


@click.group(cls=LazyGroup, entries=COMMANDS, invoke_without_command=True)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("kumi-station"),
    show_default=True,
    help="The folder in which all is kept.",
)
@click.option(
    "--listen", default="127.0.0.1:7440", show_default=True, metavar="HOST:PORT", help="Where it answers."
)
@click.option("--name", default="kumi", show_default=True, help="What the station is called.")
@click.option(
    "--store", metavar="URL", help="A PostgreSQL database to keep all in, instead of a file in the folder."
)
@click.option(
    "--robots",
    default="tcp/127.0.0.1:7447",
    show_default=True,
    metavar="ENDPOINT",
    help="Where robots enter, as Zenoh writes it.",
)
@click.option(
    "--role",
    type=click.Choice(["all", "controller", "map", "gateway"]),
    default="all",
    show_default=True,
    help="What this process does, beside others over the same store: let robots in, keep the map, answer by HTTP.",
)
@click.option(
    "--reached-at",
    metavar="ENDPOINT",
    help="How other machines reach --robots.  [default: the same, or by this machine's name]",
)
@click.option(
    "--map",
    "map_",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The map of the work space; without it, the one in use stays.",
)
@click.option("--certificate", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="For TLS.")
@click.option("--private-key", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="For TLS.")
@click.option(
    "--plain", is_flag=True, help="Listen to other machines without TLS: anybody on the way can listen in."
)
@click.option(
    "--positioning",
    default="reckoning",
    show_default=True,
    metavar="SYSTEM",
    help="Who tells where robots are: reckoning, simulated:NOISE:DROPOUT:JUMP, or feed.",
)
@click.option(
    "--keep",
    default=1_000_000,
    show_default=True,
    metavar="ENTRIES",
    help="Entries of the audit, of what happened, and of ended tasks that are kept: the newest so many.",
)
@click.option(
    "--accept-damage",
    is_flag=True,
    help="Start although the store is damaged or lost its end: what is there counts from now on.",
)
@click.pass_context
def station(
    context: click.Context,
    data: Path,
    listen: str,
    name: str,
    store: str | None,
    role: Role,
    reached_at: str | None,
    robots: str,
    map_: Path | None,
    certificate: Path | None,
    private_key: Path | None,
    plain: bool,
    positioning: str,
    keep: int,
    accept_damage: bool,
) -> None:
    """Run a station until Ctrl-C: robots enter it, users and teams give them tasks, and nothing accepted is lost.

    With a command, talk to a station that runs.
    """
    if context.invoked_subcommand is not None:
        return
    with needing("station"):  # commands that talk to a station need not load one
        from kumi.station.process import StationSettings, run_station
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise BadInput(f"--listen takes HOST:PORT, like 127.0.0.1:7440, not {listen!r}.")
    try:
        settings = StationSettings(
            data,
            host.strip("[]"),
            int(port),
            name,
            store,
            role,
            reached_at,
            robots,
            map_,
            certificate,
            private_key,
            plain,
            positioning,
            keep,
            accept_damage,
        )
    except ValueError as error:
        raise BadInput(f"{str(error)[0].upper()}{str(error)[1:]}.") from error
    running = run_station(settings, say_ready, _page)
    asyncio.run(running if settings.has_gateway else until_stopped(running))


def _page(service: Service) -> Sequence[BaseRoute]:
    """Return what a gateway serves besides the operations; other processes need not load it."""
    from kumi.view.station_app import station_routes

    return station_routes(service)


def say_ready(settings: StationSettings) -> None:
    """Say where this process answers, and how to log in."""
    from kumi.station.process import FIRST_USER

    kept = settings.folder if settings.store is None else "the store that it was given"
    where = settings.url if settings.has_gateway else settings.endpoint
    part = "" if settings.role == "all" else f", {settings.role},"
    click.echo(f"Station '{settings.name}'{part} answers at {where}, and keeps all in {kept}.")
    if settings.has_gateway:
        click.echo(f"Its page, where robots are seen and told what to do, is {settings.url}/; log in there.")
    if not settings.password_file.exists():
        return
    has = f"Super-user '{FIRST_USER}' has the password in {settings.password_file}"
    if settings.has_gateway:
        click.echo(f"{has}; on the command line log in with:")
        click.echo(
            f"  kumi station log-in {settings.url} {FIRST_USER} --password-file {settings.password_file}"
        )
    else:
        click.echo(f"{has}; log in at a gateway of this station, since this process answers robots alone.")
