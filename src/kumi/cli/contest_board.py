"""What a person, or a machine, reads of a contest: the board, and where points came from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from kumi.cli.terminal import table
from kumi.station.contest.board import points_of

if TYPE_CHECKING:
    from kumi.station.contest.board import Board


def tell(board: Board, folder: Path | None, *, as_json: bool) -> None:
    """Print the board, as tables or as one JSON object."""
    if as_json:
        click.echo(msgspec.json.encode(board))
        return
    click.echo(f"{_standings(board)}\n{_matches(board)}")
    for sheet in board.matches:
        for one in sheet.robots:
            if one.has_failed:
                click.echo(f"match {sheet.match}, {one.robot}: {one.outcome}")
    if len(board.matches) < board.planned:
        click.echo(f"{len(board.matches)} of {board.planned} matches were played.")
    if folder is not None:
        click.echo(f"Everything is in {folder}; see a match with: kumi video {folder / 'match-1.kumi'}")


def _standings(board: Board) -> str:

    counts = ("points", "found", "reported", "pictures", "wrong", "contacts", "failed")
    rows = [
        (str(one.place), one.team, f"{one.points:.1f}", *(str(getattr(one, count)) for count in counts[1:]))
        for one in board.standings
    ]
    title = f"{board.contest}, seed {board.seed}"
    return table(rows, heads=("place", "team", *counts), right=range(2, 9), title=title, is_plain=True)


def _matches(board: Board) -> str:
    """Say who started where, which number is whose in pictures, and what each match gave."""
    rows = []
    for sheet in board.matches:
        for team in board.teams:
            own = [one for one in sheet.robots if one.team == team]
            starts = ", ".join(sorted({str(one.start) for one in own}))
            numbers = ", ".join(str(one.number) for one in own)
            rows.append((str(sheet.match), team, starts, numbers, f"{points_of(team, sheet.entries):.1f}"))
    heads = ("match", "team", "start", "number in the replay", "points")
    return table(rows, heads=heads, right={4}, is_plain=True)
