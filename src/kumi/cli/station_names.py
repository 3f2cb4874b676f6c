"""Names that the shell completes: those of the station's robots, and of the tasks of one.

A shell waits while one presses the key, so a station that does not answer at once, or that nobody logged in to, has no names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kumi.cli.station_client import connected
from kumi.station.operations.robots import ListRobots, PossibleTasks

if TYPE_CHECKING:
    from collections.abc import Callable

    from kumi.station.client import Client


def robot_names(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Return the robots whose names begin with what was typed."""

    def ask(station: Client) -> list[str]:
        return [one.tag for one in station.call(ListRobots()).robots]

    return _names(ask, typed)


def task_names(context: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Return the tasks of the robot before it whose names begin with what was typed."""

    def ask(station: Client) -> list[str]:
        robot = context.params.get("robot") or ""
        return [one.name for one in station.call(PossibleTasks(robot=robot)).options]

    return _names(ask, typed)


def _names(ask: Callable[[Client], list[str]], typed: str) -> list[str]:
    try:
        with connected(timeout=1.0) as station:
            return [name for name in ask(station) if name.startswith(typed)]
    except click.ClickException:
        return []
