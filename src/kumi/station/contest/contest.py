"""How is a contest played, from teams to the board?

Each team plays each start equally often: in one match after the other, the teams move on by one start, and as many matches as
there are starts make a game, with the same things hidden at the same places. So the number of matches is a multiple of the number
of starts, and teams with equal code get equal points, whatever the arena.

The seeds are drawn when a contest is made, unless one is given, and stand on the board. With them anybody who has the folder
can play the contest again, and compare.

The folder holds the rules and the teams' code as they were played, a run file a match, what code printed, pictures of reports,
and the board, which is written anew after each match.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import randbits

import msgspec

from kumi.devs import KumiError
from kumi.recording import RunFile, RunFileError
from kumi.robot import Robot
from kumi.robot.code import CodeError, check_code
from kumi.stage.outcome import Progress
from kumi.station.contest.board import TEAM_NAME, Board, MatchSheet, is_team_name, standings_of
from kumi.station.contest.field import DEVICES
from kumi.station.contest.match import Fixture, MatchTeam, play_match
from kumi.station.contest.rules import SHIPPED, load_rules, read_rules, rules_file

BOARD = "board.json"
RULES = "rules.toml"
LONGEST_CODE = 1024 * 1024
SEED_BITS = 53
"""Bits of a seed: too many to be tried, and few enough for a number of JavaScript."""
OURS = (BOARD, RULES, "teams", "logs", "pictures")


class ContestError(KumiError):
    """A contest that cannot be played, or a folder that holds none."""


@dataclass(frozen=True)
class Contest:
    """A contest to be played; all that decides how it comes out."""

    name: str
    rules_text: str
    teams: tuple[MatchTeam, ...]
    matches: int
    seed: int
    code_seed: int

    def fixtures(self) -> list[Fixture]:
        """Return all matches: who starts where."""
        starts = len(read_rules(self.rules_text).starts)
        seats: list[MatchTeam | None] = [*self.teams, *[None] * (starts - len(self.teams))]
        return [
            Fixture(
                number,
                number // starts,
                tuple(seats[(start - number) % starts] for start in range(starts)),
                self.seed,
                self.code_seed,
            )
            for number in range(self.matches)
        ]


def shipped_teams() -> dict[str, Path]:
    """Return the files of the teams that ship, by name."""
    return {path.stem.replace("_", "-"): path for path in sorted(SHIPPED.glob("[a-z]*.py"))}


def read_team(name: str, code: str) -> MatchTeam:
    """Return a team from its name and its code: a file, or a team that ships; ContestError where it is none."""
    check_team_name(name)
    path = shipped_teams().get(code, Path(code))
    if not path.is_file():
        raise ContestError(
            f"team {name}: there is no file {code!r}; it takes a Python file, or a team that ships: {', '.join(shipped_teams())}"
        )
    if path.stat().st_size > LONGEST_CODE:
        raise ContestError(f"team {name}: {code!r} is longer than {LONGEST_CODE} bytes")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ContestError(f"team {name}: {code!r} is no text: byte {error.start} is not UTF-8") from None
    try:
        check_code(code, text, [*dir(Robot), *DEVICES])
    except CodeError as error:
        raise ContestError(f"team {name}: {error}") from None
    return MatchTeam(name, text)


def check_team_name(name: str) -> None:
    """Refuse a name that would not do for robots and files."""
    if not is_team_name(name):
        raise ContestError(f"in a contest, {TEAM_NAME}, not {name!r}")


def make_contest(
    name: str, teams: Sequence[MatchTeam], matches: int | None = None, seed: int | None = None
) -> Contest:
    """Return a contest by the rules of that name; ContestError or BadRules where it cannot be played.

    A seed that is given is known beforehand: programs can be made for it. Without one, seeds are drawn that nobody knows.
    """
    rules = load_rules(name)
    starts = len(rules.starts)
    names = [team.name for team in teams]
    if not teams or len(set(names)) != len(names):
        raise ContestError(f"a contest takes one team or more, each with a name of its own, not {names}")
    if len(teams) > starts:
        raise ContestError(
            f"there are {len(teams)} teams and {starts} starts: the rules need a start for each team"
        )
    matches = starts if matches is None else matches
    if matches < 1 or matches % starts:
        raise ContestError(
            f"{matches} rounds are unfair: each team plays each start equally often in a multiple of {starts}"
        )
    path = rules_file(name)
    seeds = (randbits(SEED_BITS), randbits(SEED_BITS)) if seed is None else (seed, seed)
    return Contest(path.stem, path.read_text(encoding="utf-8"), tuple(teams), matches, *seeds)


def play_contest(
    contest: Contest,
    folder: Path,
    *,
    pace: float | None = None,
    on_match: Callable[[MatchSheet], object] = lambda _: None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Board:
    """Play all matches, and leave everything in a folder; `on_match` is told of each that is over."""
    rules = read_rules(contest.rules_text)
    _lay_out(contest, folder)
    sheets: list[MatchSheet] = []
    board = _board(contest, sheets, folder)
    for fixture in contest.fixtures():
        sheets.append(play_match(rules, fixture, folder, pace=pace, on_progress=on_progress))
        board = _board(contest, sheets, folder)
        on_match(sheets[-1])
    return board


def replayed(
    folder: Path, new: Path, on_progress: Callable[[Progress], None] | None = None
) -> Iterator[list[str]]:
    """Play the matches of a contest again into a new folder; give for each, and for the sums, what is not as its board says."""
    board = read_board(folder)
    teams = tuple(_kept_team(folder, name) for name in board.teams)
    try:
        rules_text = (folder / RULES).read_text(encoding="utf-8")
    except OSError:
        raise ContestError(f"'{folder}' has no {RULES}, by which its contest was played") from None
    contest = Contest(board.contest, rules_text, teams, board.planned, board.seed, board.code_seed)
    for kept, fixture in zip(board.matches, contest.fixtures(), strict=False):
        sheet = play_match(read_rules(rules_text), fixture, new, on_progress=on_progress)
        compared = {
            "the trace hash": (kept.trace_hash, sheet.trace_hash),
            f"the trace hash of {kept.run_file}": (kept.trace_hash, _trace_hash(folder / kept.run_file)),
            "what is hidden": (kept.hidden, sheet.hidden),
            "what counts": (kept.entries, sheet.entries),
        }
        yield [
            f"match {kept.match}: {what} is {now}, and the board says {was}"
            for what, (was, now) in compared.items()
            if was != now
        ]
    summed = standings_of(board.teams, board.matches)
    is_right = summed == board.standings
    yield [] if is_right else [f"the sums of the matches are {summed}, and the board says {board.standings}"]


def _kept_team(folder: Path, name: str) -> MatchTeam:
    """Return a team as it played in a contest."""
    try:
        return MatchTeam(name, (folder / "teams" / f"{name}.py").read_text(encoding="utf-8"))
    except OSError:
        raise ContestError(f"'{folder}' has no teams/{name}.py, which played") from None


def _trace_hash(path: Path) -> str | None:
    """Return the hash that a run file tells, or None where there is none."""
    try:
        summary = RunFile(path).summary
    except (OSError, RunFileError):
        return None
    return None if summary is None else summary.trace_hash


def read_board(folder: Path) -> Board:
    """Return the board in a folder; ContestError where there is none."""
    try:
        return msgspec.json.decode((folder / BOARD).read_bytes(), type=Board)
    except OSError:
        raise ContestError(f"there is no contest in '{folder}': it has no {BOARD}") from None
    except msgspec.DecodeError as error:
        raise ContestError(f"{folder / BOARD} is no board: {error}") from None


def clear(folder: Path) -> None:
    """Remove a contest from a folder, and nothing else."""
    for name in [*OURS, *(path.name for path in folder.glob("match-*.kumi"))]:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def new_contest(folder: Path) -> list[Path]:
    """Write rules and a team to start from, and return the files; ContestError where there are some already."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / f"{folder.resolve().name}.toml", folder / "team.py"]
    for path in made:
        if path.exists():
            raise ContestError(f"'{path}' is there already; give another folder")
    shutil.copyfile(SHIPPED / "search-and-rescue.toml", made[0])
    shutil.copyfile(SHIPPED / "wall_follower.py", made[1])
    return made


def _lay_out(contest: Contest, folder: Path) -> None:
    if (folder / BOARD).exists():
        raise ContestError(
            f"'{folder}' holds a contest already; give another folder with -o, or remove that contest with --fresh"
        )
    (folder / "teams").mkdir(parents=True, exist_ok=True)
    (folder / RULES).write_text(contest.rules_text, encoding="utf-8")
    for team in contest.teams:
        (folder / "teams" / f"{team.name}.py").write_text(team.code, encoding="utf-8")


def _board(contest: Contest, sheets: Sequence[MatchSheet], folder: Path) -> Board:
    """Return the board of the matches that are over, and write it."""
    names = tuple(team.name for team in contest.teams)
    board = Board(
        contest.name,
        contest.seed,
        contest.code_seed,
        names,
        contest.matches,
        tuple(sheets),
        standings_of(names, sheets),
    )
    fresh = folder / f"{BOARD}.new"
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(board), indent=2))
    fresh.replace(folder / BOARD)
    return board
