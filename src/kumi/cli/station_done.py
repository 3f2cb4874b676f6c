"""`kumi done`: which of the tasks that one gave have ended, and how."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from kumi.cli.station_client import connected

if TYPE_CHECKING:
    from kumi.station.client import Client
    from kumi.station.records import Task

PERIOD = 0.2
"""Seconds between two looks when nothing ended."""
LATEST = 2**53
"""An entry that no log has: whoever asks for what comes after it is told where the log ends."""


@click.command()
@click.option("--follow", is_flag=True, help="Go on, and print each task when it ends.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def done(follow: bool, as_json: bool) -> None:
    """Print which of the tasks that you gave have ended, and what came of them; with --follow, those that end from now on."""
    with connected() as station:
        import msgspec

        from kumi.station.requests import DoneNotices

        last = latest(station) if follow else 0
        while True:
            told = station.call(DoneNotices(after=last, limit=1000))
            for one in told.tasks:
                click.echo(msgspec.json.encode(one) if as_json else f"{one.robot}: {said(one)}")
            last = told.last
            if not told.tasks:
                if not follow:
                    return
                time.sleep(PERIOD)


def said(task: Task) -> str:
    """Return what became of a task, in words."""
    words = f"{task.id} {task.name}, {task.state}"
    return f"{words}: {task.outcome}" if task.outcome else words


def latest(station: Client) -> int:
    """Return the entry after which notices are new."""
    from kumi.station.requests import DoneNotices

    return station.call(DoneNotices(after=LATEST)).last


def ended(station: Client, number: int, after: int) -> Task:
    """Wait until a task has ended that one gave; `after` is the last entry of the log before."""
    from kumi.station.requests import DoneNotices

    while True:
        told = station.call(DoneNotices(after=after, limit=1000))
        for one in told.tasks:
            if one.id == number:
                return one
        after = told.last
        if not told.tasks:
            time.sleep(PERIOD)
