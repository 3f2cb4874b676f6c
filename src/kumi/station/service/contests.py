"""Contests of a station: the code that teams send, and the boards that everybody may see.

A team's code is for its members and for super-users, who play the contest. Matches are not played in the station's own process,
which has robots to look after: whoever starts them fetches the code, plays, and brings the board back.
"""

from __future__ import annotations

import msgspec
import sqlalchemy as sql

from kumi.station.answers import BoardNames, ContestEntries, Done, KeptBoard
from kumi.station.callers import Caller
from kumi.station.contest.board import TEAM_NAME, Board, is_team_name
from kumi.station.records import ContestEntry
from kumi.station.refusals import Reason, Refused, invalid, unknown
from kumi.station.requests import LARGEST_FILE, EnterContest, GetBoard, KeepBoard, ListBoards, ListEntries
from kumi.station.store.schema import contest_boards, contest_entries, teams
from kumi.station.store.transaction import Transaction


def enter_contest(transaction: Transaction, caller: Caller, request: EnterContest) -> Done:
    """Keep the code of a team, in place of what it sent before."""
    if not is_team_name(request.team):
        raise invalid(f"in a contest, {TEAM_NAME}, not '{request.team}'")
    if transaction.one(sql.select(teams).where(teams.c.name == request.team)) is None:
        raise unknown(f"there is no team '{request.team}'")
    own = contest_entries.c.contest == request.name, contest_entries.c.team == request.team
    transaction.run(contest_entries.delete().where(*own))
    transaction.run(
        contest_entries.insert().values(
            contest=request.name,
            team=request.team,
            code=request.code.encode(),
            given_by=str(caller),
            given_at=transaction.now,
        )
    )
    transaction.tell("contest_entered", team=request.team, contest=request.name)
    return Done()


def list_entries(transaction: Transaction, _: Caller, request: ListEntries) -> ContestEntries:
    """Tell the code of all teams, in the order of their names."""
    found = sql.select(contest_entries).where(contest_entries.c.contest == request.name)
    rows = transaction.all(found.order_by(contest_entries.c.team))
    return ContestEntries(
        entries=tuple(
            ContestEntry(team=row.team, code=row.code.decode(), given_by=row.given_by, given_at=row.given_at)
            for row in rows
        )
    )


def keep_board(transaction: Transaction, _: Caller, request: KeepBoard) -> Done:
    """Keep a board, in place of the one before."""
    if len(request.content) > LARGEST_FILE:
        raise Refused(Reason.TOO_LARGE, f"a board has {LARGEST_FILE} bytes at most")
    try:
        board = msgspec.json.decode(request.content, type=Board)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise invalid(f"that is no board: {error}") from None
    transaction.run(contest_boards.delete().where(contest_boards.c.contest == request.name))
    transaction.run(
        contest_boards.insert().values(contest=request.name, board=request.content, kept_at=transaction.now)
    )
    first = [one.team for one in board.standings if one.place == 1]
    transaction.tell("contest_over", team=None, contest=request.name, first=first)
    return Done()


def get_board(transaction: Transaction, _: Caller, request: GetBoard) -> KeptBoard:
    """Tell the board of a contest."""
    row = transaction.one(sql.select(contest_boards.c.board).where(contest_boards.c.contest == request.name))
    if row is None:
        raise unknown(f"there is no board of a contest '{request.name}'")
    return KeptBoard(content=row.board)


def list_boards(transaction: Transaction, _: Caller, __: ListBoards) -> BoardNames:
    """Tell which contests have a board, the newest first."""
    found = sql.select(contest_boards.c.contest).order_by(contest_boards.c.kept_at.desc())
    return BoardNames(names=tuple(row.contest for row in transaction.all(found)))
