"""What is asked about contests: entries and boards."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kumi.station.answers import BoardNames, ContestEntries, Done, KeptBoard
from kumi.station.records import Word
from kumi.station.requests.request import OfTeam, Request


class EnterContest(OfTeam[Done], frozen=True, kw_only=True):
    """Enter a team in a contest with its code, in place of code that it sent before."""

    name: Word
    code: Annotated[str, Meta(max_length=1_000_000)]


class ListEntries(Request[ContestEntries], frozen=True, kw_only=True):
    """Ask for the code of all teams that entered a contest."""

    name: Word


class KeepBoard(Request[Done], frozen=True, kw_only=True):
    """Show everybody the board of a contest, in place of the one before; `content` is the board as JSON."""

    name: Word
    content: bytes


class GetBoard(Request[KeptBoard], frozen=True, kw_only=True):
    """Ask for the board of a contest."""

    name: Word


class ListBoards(Request[BoardNames], frozen=True, kw_only=True):
    """Ask which contests have a board."""
