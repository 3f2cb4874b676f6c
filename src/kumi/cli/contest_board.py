"""What a person, or a machine, reads of a contest: the board, and where points came from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from kumi.station.contest.board import points_of

if TYPE_CHECKING:
    from rich.console import Console

    from kumi.station.contest.board import Board


def tell(board: Board, folder: Path | None, *, as_json: bool) -> None:
    """Print the board, as tables or as one JSON object."""
    if as_json:
        click.echo(msgspec.json.encode(board))
        return
    from rich.console import Console

    console = Console()
    _show_standings(board, console)
    _show_matches(board, console)
    for sheet in board.matches:
        for one in sheet.robots:
            if one.has_failed:
                click.echo(f"match {sheet.match}, {one.robot}: {one.outcome}")
    if len(board.matches) < board.planned:
        click.echo(f"{len(board.matches)} of {board.planned} matches were played.")
    if folder is not None:
        click.echo(f"Everything is in {folder}; see a match with: kumi video {folder / 'match-1.kumi'}")


def _show_standings(board: Board, console: Console) -> None:
    from rich.table import Table

    table = Table(title=f"{board.contest}, seed {board.seed}", box=None, collapse_padding=True)
    for title in ("place", "team"):
        table.add_column(title)
    for title in ("points", "found", "reported", "pictures", "wrong", "contacts", "failed"):
        table.add_column(title, justify="right")
    for one in board.standings:
        counts = (one.found, one.reported, one.pictures, one.wrong, one.contacts, one.failed)
        table.add_row(str(one.place), one.team, f"{one.points:.1f}", *map(str, counts))
    console.print(table)


def _show_matches(board: Board, console: Console) -> None:
    """Show who started where, which number is whose in pictures, and what each match gave."""
    from rich.table import Table

    table = Table("match", "team", "start", "number in the replay", box=None)
    table.add_column("points", justify="right")
    for sheet in board.matches:
        for team in board.teams:
            own = [one for one in sheet.robots if one.team == team]
            starts = ", ".join(sorted({str(one.start) for one in own}))
            numbers = ", ".join(str(one.number) for one in own)
            table.add_row(str(sheet.match), team, starts, numbers, f"{points_of(team, sheet.entries):.1f}")
    console.print(table)
