"""What happened at a station, in words: the notes of the page's event log."""

from __future__ import annotations

from collections.abc import Callable

from kumi.station.store.transaction import Told

WORDS: dict[str, Callable[[Told], str]] = {
    "robot_enrolled": lambda it: f"may enter from now on, for team {it.data['owner']}",
    "robot_removed": lambda _: "was removed: it may not enter any more",
    "robot_entered": lambda _: "entered",
    "robot_left": lambda _: "left",
    "robot_lost": lambda _: "is lost: nothing was heard of it for a second",
    "robot_found": lambda _: "is heard again",
    "task_options": lambda it: f"can do {', '.join(it.data['names'])}",
    "task_given": lambda it: f"got {_task(it)}{', which goes first' if it.data['now'] else ''}",
    "task_sent": lambda it: f"begins {_task(it)}",
    "task_ended": lambda it: f"{_task(it)} {it.data['state']}{_because(it.data['outcome'])}",
    "stop": lambda it: f"was stopped by {it.data['by']}",
    "object_found": lambda it: f"found '{it.data['name']}' at ({it.data['x']:.2f}, {it.data['y']:.2f})",
    "file_stored": lambda it: f"stored '{it.data['name']}', file {it.data['medium']}",
    "measured": lambda it: f"measured {it.data['layer']} at {it.data['count']} places",
    "map_changed": lambda it: f"the map changed: version {it.data['version']}",
    "contest_entered": lambda it: f"team {it.team} entered the contest {it.data['contest']}",
    "contest_over": lambda it: (
        f"the contest {it.data['contest']} is over: {' and '.join(it.data['first']) or 'nobody'} won"
    ),
}


def words_of(told: Told) -> str:
    """Return a happening in words."""
    said = WORDS.get(told.kind)
    return told.kind.replace("_", " ") if said is None else said(told)


def _task(it: Told) -> str:
    return f"{it.data['name']} (task {it.data['task']})"


def _because(outcome: str) -> str:
    return f": {outcome}" if outcome else ""
