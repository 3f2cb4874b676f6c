"""`kumi robot`: emulated robots, each a process of its own."""

from __future__ import annotations

import click

from kumi.cli.lazy import CommandEntry, LazyGroup

ROBOTS = {
    "packet": CommandEntry(
        "kumi.cli.robot_packet:packet", "A packet robot: a car with six rangers, on a serial line."
    ),
    "simulated": CommandEntry(
        "kumi.cli.robot_simulated:simulated", "Simulated robots that enter a station and do its tasks."
    ),
    "linked": CommandEntry(
        "kumi.cli.robot_linked:linked", "A robot on a line, packet or ER1, that enters a station."
    ),
    "er1": CommandEntry("kumi.cli.robot_er1:er1", "An ER1: lines of text over telnet."),
    "world": CommandEntry(
        "kumi.cli.robot_world:world", "A world that packet robots of several processes share."
    ),
}


@click.group(cls=LazyGroup, entries=ROBOTS, no_args_is_help=True)
def robot() -> None:
    """Run robots: emulated ones at the other end of a link, or simulated ones in a station."""
