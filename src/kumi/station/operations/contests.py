"""Contests of a station: the code that teams send, and the boards that everybody may see.

A team's code is for its members and for super-users, who play the contest. Matches are not played in the station's own process,
which has robots to look after: whoever starts them fetches the code, plays, and brings the board back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

import kumi.station.store as db
from kumi.station.contest.board import TEAM_NAME, Board, is_team_name
from kumi.station.operation import LARGEST_FILE, Done, OfTeam, Request, Who, operation
from kumi.station.operations.people import check_is_team
from kumi.station.records import ContestEntry, Happens, StationRecord, Word, Words
from kumi.station.refusals import Reason, Refused, invalid, unknown

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.store.transaction import Transaction


@operation("enter_contest", Who.COMMANDER, changes=True)
class EnterContest(OfTeam[Done], frozen=True, kw_only=True):
    """Enter a team in a contest with its code, in place of code that it sent before."""

    name: Word
    code: Annotated[str, Meta(max_length=1_000_000)]

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Keep the code of a team, in place of what it sent before."""
        if not is_team_name(self.team):
            raise invalid(f"in a contest, {TEAM_NAME}, not '{self.team}'")
        check_is_team(transaction, self.team)
        own = db.contest_entries.c.contest == self.name, db.contest_entries.c.team == self.team
        transaction.run(db.contest_entries.delete().where(*own))
        transaction.run(
            db.contest_entries.insert().values(
                contest=self.name,
                team=self.team,
                code=self.code.encode(),
                given_by=str(caller),
                given_at=transaction.now,
            )
        )
        transaction.tell(Happens.CONTEST_ENTERED, team=self.team, contest=self.name)
        return Done()


class ContestEntries(StationRecord, frozen=True, kw_only=True):
    """The code of the teams that entered a contest."""

    entries: tuple[ContestEntry, ...]


@operation("list_entries", Who.SUPER_USER)
class ListEntries(Request[ContestEntries], frozen=True, kw_only=True):
    """Ask for the code of all teams that entered a contest."""

    name: Word

    def carry_out(self, transaction: Transaction, caller: Caller) -> ContestEntries:
        """Tell the code of all teams, in the order of their names."""
        found = db.select(db.contest_entries).where(db.contest_entries.c.contest == self.name)
        rows = transaction.all(found.order_by(db.contest_entries.c.team))
        return ContestEntries(
            entries=tuple(
                ContestEntry(
                    team=row.team, code=row.code.decode(), given_by=row.given_by, given_at=row.given_at
                )
                for row in rows
            )
        )


@operation("keep_board", Who.SUPER_USER, changes=True)
class KeepBoard(Request[Done], frozen=True, kw_only=True):
    """Show everybody the board of a contest, in place of the one before; `content` is the board as JSON."""

    name: Word
    content: bytes

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Keep a board, in place of the one before."""
        if len(self.content) > LARGEST_FILE:
            raise Refused(Reason.TOO_LARGE, f"a board has {LARGEST_FILE} bytes at most")
        try:
            board = msgspec.json.decode(self.content, type=Board)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise invalid(f"that is no board: {error}") from None
        transaction.run(db.contest_boards.delete().where(db.contest_boards.c.contest == self.name))
        transaction.run(
            db.contest_boards.insert().values(contest=self.name, board=self.content, kept_at=transaction.now)
        )
        first = [one.team for one in board.standings if one.place == 1]
        transaction.tell(Happens.CONTEST_OVER, team=None, contest=self.name, first=first)
        return Done()


class KeptBoard(StationRecord, frozen=True, kw_only=True):
    """The board of a contest, as `kumi contest` writes it."""

    content: bytes


@operation("get_board", Who.OBSERVER)
class GetBoard(Request[KeptBoard], frozen=True, kw_only=True):
    """Ask for the board of a contest."""

    name: Word

    def carry_out(self, transaction: Transaction, caller: Caller) -> KeptBoard:
        """Tell the board of a contest."""
        row = transaction.one(
            db.select(db.contest_boards.c.board).where(db.contest_boards.c.contest == self.name)
        )
        if row is None:
            raise unknown(f"there is no board of a contest '{self.name}'")
        return KeptBoard(content=row.board)


class BoardNames(StationRecord, frozen=True, kw_only=True):
    """The contests that have a board."""

    names: tuple[Words, ...]


@operation("list_boards", Who.OBSERVER)
class ListBoards(Request[BoardNames], frozen=True, kw_only=True):
    """Ask which contests have a board."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> BoardNames:
        """Tell which contests have a board, the newest first."""
        found = db.select(db.contest_boards.c.contest).order_by(db.contest_boards.c.kept_at.desc())
        return BoardNames(names=tuple(row.contest for row in transaction.all(found)))
