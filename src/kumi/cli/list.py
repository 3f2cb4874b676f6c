"""`kumi list`: what ships with kumi, one line each."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click

from kumi.motion import DRIVES
from kumi.scenario.document import read_document
from kumi.scenario.effects import EFFECTS
from kumi.scenario.lookup import shipped_programs, shipped_stacks
from kumi.scenario.scenario import shipped_scenarios, shipped_with_real_robots
from kumi.sensing import KINDS
from kumi.study.shipped_studies import shipped_studies, title_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

WIDTH = 100


@click.command("list")
def list_() -> None:
    """Show what ships: scenarios, studies, programs, drives, sensors, effects on messages, and stacks of layers.

    `kumi run` takes the name of a scenario, `kumi study` that of a study. The other names are for the files in which
    you write your own.
    """
    files = shipped_scenarios() | shipped_with_real_robots()
    scenarios = ((name, read_document(path).table["title"]) for name, path in files.items())
    formatter = click.HelpFormatter(width=WIDTH)
    for title, rows in (
        ("scenarios", sorted(scenarios)),
        ("studies", ((name, title_of(path)) for name, path in shipped_studies().items())),
        ("programs", summaries(shipped_programs())),
        ("drives", summaries(DRIVES)),
        ("sensors", summaries(KINDS)),
        ("effects", summaries(EFFECTS)),
        ("stacks", summaries(shipped_stacks())),
    ):
        with formatter.section(title.capitalize()):
            formatter.write_dl(list(rows))
    click.echo(formatter.getvalue(), nl=False)
    folder = next(iter(shipped_scenarios().values())).parent
    click.echo(f"\nThe scenarios are files in {folder}; copy one to change it.")


def summaries(things: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    """Return each name with the first sentence of its docstring."""
    for name, thing in things.items():
        yield name, (inspect.getdoc(thing) or "").partition("\n")[0]
