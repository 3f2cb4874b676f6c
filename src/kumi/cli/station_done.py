"""`kumi station done`: which of the tasks that one gave have ended, and how."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click
import msgspec

from kumi.cli.station_client import connected
from kumi.station.operations.log import DoneNotices
from kumi.station.operations.output import TaskOutput
from kumi.station.records import ENDED

if TYPE_CHECKING:
    from kumi.station.client import Client
    from kumi.station.records import Task

PERIOD = 0.2
"""Seconds between two looks at least: what ends meanwhile is told together."""
POLL_SECONDS = 20.0
"""Seconds that the station lets a look wait for something to happen."""
TIMEOUT = POLL_SECONDS + 10.0
"""Seconds to wait for the answer to a look."""
PAGE = 1000
"""Entries that are asked for at a time."""
LATEST = 2**53
"""An entry that no log has: whoever asks for what comes after it is told where the log ends."""


@click.command()
@click.option("--follow", is_flag=True, help="Go on, and print each task when it ends.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def done(follow: bool, as_json: bool) -> None:
    """Print which of the tasks that you gave have ended, and what came of them; with --follow, those that end from now on."""
    with connected(TIMEOUT) as station:
        last = latest(station) if follow else 0
        while True:
            told = station.call(DoneNotices(after=last, limit=PAGE, wait=POLL_SECONDS if follow else 0.0))
            for one in told.tasks:
                click.echo(msgspec.json.encode(one) if as_json else f"{one.robot}: {said(one)}")
            last = told.last
            if len(told.tasks) < PAGE:
                if not follow:
                    return
                time.sleep(PERIOD)


def said(task: Task) -> str:
    """Return what became of a task, in words."""
    return f"{task.id} {task.name}, {how(task)}"


def how(task: Task) -> str:
    """Return how far a task has got, or how it ended; an outcome that says it is enough."""
    if task.outcome.startswith(task.state):
        return task.outcome
    return f"{task.state}: {task.outcome}" if task.outcome else task.state


def latest(station: Client) -> int:
    """Return the entry after which notices are new."""
    return station.call(DoneNotices(after=LATEST)).last


def followed(station: Client, number: int) -> Task:
    """Print what the code of a task prints, until the task has ended; return the task then."""
    after = 0
    while True:
        told = station.call(TaskOutput(task=number, after=after, wait=POLL_SECONDS))
        click.echo(told.text, nl=False)
        if told.task.state in ENDED:
            return told.task
        after = told.last
        time.sleep(PERIOD)
