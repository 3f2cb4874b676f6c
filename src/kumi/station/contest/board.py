"""Who has how many points, why, and who is ahead?

A sheet holds the entries of one match, each with its time, its robot and its reason; points are the sums of entries and nothing
else. The board adds up sheets. More points are ahead; then more right reports, then fewer contacts. Teams that are equal in all
three share a place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

TEAM_NAME = "a team's name is small letters, digits and dashes, begins with a letter, and has 24 at most"
Reason = Literal["found", "reported", "picture", "haste", "wrong", "contact", "failed"]


class BoardEntry(msgspec.Struct, frozen=True):
    """Points that a team got or lost: when, by which robot, why, and what about."""

    time: float
    team: str
    robot: str
    reason: Reason
    points: float
    about: str


class Played(msgspec.Struct, frozen=True):
    """How the code of one robot fared in a match."""

    team: str
    robot: str
    number: int
    """Its number in the run file, by which pictures show it."""
    start: int
    calls: int
    outcome: str
    has_failed: bool


class MatchSheet(msgspec.Struct, frozen=True):
    """What came of a match."""

    match: int
    game: int
    """Matches of one game have the same hidden objects; each team plays each start in it."""
    seconds: float
    run_file: str
    trace_hash: str
    hidden: dict[str, tuple[float, float]]
    robots: tuple[Played, ...]
    entries: tuple[BoardEntry, ...]


class TeamStanding(msgspec.Struct, frozen=True):
    """Where a team stands."""

    place: int
    team: str
    points: float
    found: int
    reported: int
    pictures: int
    wrong: int
    contacts: int
    failed: int


class Board(msgspec.Struct, frozen=True):
    """What came of a contest so far."""

    contest: str
    seed: int
    """What was hidden where comes from it."""
    code_seed: int
    """The chance of programs comes from it."""
    teams: tuple[str, ...]
    planned: int
    """How many matches there are to be."""
    matches: tuple[MatchSheet, ...]
    standings: tuple[TeamStanding, ...]


def is_team_name(name: str) -> bool:
    """Tell whether a team can have this name, which becomes part of the names of robots and files."""
    return re.fullmatch("[a-z][a-z0-9-]{0,23}", name) is not None


def points_of(team: str, entries: Iterable[BoardEntry]) -> float:
    """Return the sum of a team's points, to a tenth."""
    return round(sum(entry.points for entry in entries if entry.team == team), 1) + 0.0


def standings_of(teams: Sequence[str], sheets: Sequence[MatchSheet]) -> tuple[TeamStanding, ...]:
    """Return the teams in their order, with their places."""
    entries = [entry for sheet in sheets for entry in sheet.entries]
    unplaced = sorted((_summed(team, entries) for team in teams), key=lambda one: (_rank(one), one.team))
    placed: list[TeamStanding] = []
    for number, one in enumerate(unplaced, start=1):
        is_shared = bool(placed) and _rank(placed[-1]) == _rank(one)
        placed.append(msgspec.structs.replace(one, place=placed[-1].place if is_shared else number))
    return tuple(placed)


def _summed(team: str, entries: Sequence[BoardEntry]) -> TeamStanding:
    def count(reason: Reason) -> int:
        return sum(entry.reason == reason and entry.team == team for entry in entries)

    return TeamStanding(
        place=0,
        team=team,
        points=points_of(team, entries),
        found=count("found"),
        reported=count("reported"),
        pictures=count("picture"),
        wrong=count("wrong"),
        contacts=count("contact"),
        failed=count("failed"),
    )


def _rank(one: TeamStanding) -> tuple[float, int, int]:
    return -one.points, -one.reported, one.contacts
