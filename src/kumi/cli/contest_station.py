"""Contests of a station, as `kumi contest` asks for them: who entered, and the board that everybody sees."""

from __future__ import annotations

import msgspec

from kumi.cli.station_client import connected
from kumi.station.contest.board import Board
from kumi.station.contest.match import MatchTeam
from kumi.station.operations.contests import EnterContest, GetBoard, KeepBoard, ListBoards, ListEntries


def enter_team(contest: str, team: MatchTeam) -> None:
    """Send the code of a team."""
    with connected() as station:
        station.call(EnterContest(name=contest, team=team.name, code=team.code))


def entered_teams(contest: str) -> list[MatchTeam]:
    """Return the teams that entered, with their code; for super-users."""
    with connected() as station:
        return [MatchTeam(one.team, one.code) for one in station.call(ListEntries(name=contest)).entries]


def keep_board(contest: str, board: Board) -> None:
    """Show everybody a board."""
    with connected() as station:
        station.call(KeepBoard(name=contest, content=msgspec.json.encode(board)))


def kept_board(contest: str) -> Board:
    """Return the board that everybody sees."""
    with connected() as station:
        return msgspec.json.decode(station.call(GetBoard(name=contest)).content, type=Board)


def board_names() -> tuple[str, ...]:
    """Return the contests that have a board."""
    with connected() as station:
        return station.call(ListBoards()).names
