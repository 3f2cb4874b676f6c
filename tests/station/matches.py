"""Short matches for tests: a hall with two lanes, and what came of code in it."""

from __future__ import annotations

from pathlib import Path

from kumi.station.contest.board import Board
from kumi.station.contest.contest import Contest, play_contest
from kumi.station.contest.match import MatchTeam

HALL = """
title = "hall"
time = 30.0
starts = [{ robots = [[1.0, 1.0, 0.0]] }, { robots = [[1.0, 4.0, 0.0]] }]
map = { width = 10.0, height = 5.0, obstacles = [{ wall = [[0.0, 2.5], [8.0, 2.5]], name = "wall" }] }
objects = { places = [[6.0, 1.0]], name = "victim" }
"""
"""Two lanes with a wall between; a victim at the end of the lower one. Robots go 0.5 m/s, and a look takes 0.2 s."""

OPEN = HALL.replace("[6.0, 1.0]", "[9.0, 2.5]") + "robots = { sight = 10.0 }\n"
"""The victim lies beyond the end of the wall, and both starts see it."""

IDLE = "async def main(robot): pass"
FORWARD = "async def main(robot):\n    await robot.forward(8.0)"


def played(
    folder: Path, *codes: str, rules: str = HALL, seed: int = 0, matches: int = 1, pace: float | None = None
) -> Board:
    """Play code against code; the first starts in the lower lane."""
    names = ["red", "blue", "green"]
    teams = tuple(MatchTeam(name, code) for name, code in zip(names, codes, strict=False))
    return play_contest(Contest("hall", rules, teams, matches, seed, seed), folder / "contest", pace=pace)


def reasons(board: Board, team: str = "red") -> list[tuple[str, float]]:
    """Return why a team got or lost points."""
    return [(one.reason, one.points) for sheet in board.matches for one in sheet.entries if one.team == team]


def printed(folder: Path, robot: str = "red-1", match: int = 1) -> str:
    """Return what code printed, and how it ended."""
    return (folder / "contest" / "logs" / f"match-{match}-{robot}.log").read_text()
