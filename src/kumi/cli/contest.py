"""`kumi contest`: teams' code against each other, from the rules to the board."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from kumi.cli.errors import ExitCode, code_of, refusing
from kumi.cli.terminal import RunBar
from kumi.devs.extras import needing
from kumi.devs.interrupts import Terminated
from kumi.stage.outcome import Progress
from kumi.station.contest.board import MatchSheet
from kumi.station.contest.contest import ContestError, play_contest, read_board
from kumi.station.contest.rules import BadRules, read_rules
from kumi.station.sandbox.jail import NoSandbox

if TYPE_CHECKING:
    from kumi.station.contest.board import Board
    from kumi.station.contest.contest import Contest

HELP = """Let teams' code compete with simulated robots.

A contest is a TOML file of rules: an arena, what is hidden in it, and what counts how much. A team is a Python file with a
function play(robot), which runs in the station's sandbox. docs/contest.md explains both.

\b
Try:
  kumi contest run search-and-rescue
  kumi contest new my-contest
  kumi contest run my-contest/my-contest.toml --team red=my-contest/team.py --team blue=searcher
  kumi contest board my-contest.contest
  kumi contest verify my-contest.contest
"""

RUN_HELP = """Play a contest: rules of yours, or one that ships.

Each team plays each start, so the number of rounds is a multiple of the number of starts. Without a team, those that ship
play. Without a seed, secret ones are drawn and told on the board, so that no code knows what is hidden where. The same rules,
code and seeds give the same board: `kumi contest verify` plays it again.

\b
Try:
  kumi contest run search-and-rescue --team red=red.py --team blue=blue.py --seed 3 -o final
  kumi show final/match-1.kumi --at 60 -o one-minute.png
  kumi video final/match-1.kumi -o match-1.mp4

The folder gets board.json, a run file a match, logs of what code printed, and pictures of reports. Ctrl-C ends it; matches that
were over stay. Code that fails in a match is counted by the rules, and changes no exit code: that is 1 when nothing here can
contain code, 2 when the contest makes no sense or a file given with --team is no Python, and 130 after Ctrl-C.
"""


@click.group(help=HELP)
def contest() -> None:
    """Leave the work to the commands."""


@contest.command("run", help=RUN_HELP)
@click.argument("rules", metavar="CONTEST")
@click.option(
    "--team", "teams", metavar="NAME=FILE", multiple=True, help="A team and its code; once for each team."
)
@click.option("--rounds", type=int, help="How many matches.  [default: one a start]")
@click.option("--seed", type=int, help="For all that is left to chance.  [default: drawn, told on the board]")
@click.option(
    "--pace", type=float, help="Follow the wall clock: 1 is real time.  [default: as fast as it goes]"
)
@click.option("-o", "--out", metavar="FOLDER", help="Where everything goes.  [default: NAME.contest]")
@click.option("--fresh", is_flag=True, help="Remove the contest that is in the folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the board as one JSON object.")
@click.option(
    "--entered", is_flag=True, help="Play the teams that entered at the station, and show the board there."
)
def run(
    rules: str,
    teams: tuple[str, ...],
    rounds: int | None,
    seed: int | None,
    pace: float | None,
    out: str | None,
    fresh: bool,
    as_json: bool,
    entered: bool,
) -> int:
    """Play all matches, and show the board."""
    with needing("station"):
        from kumi.cli.contest_board import tell
        from kumi.cli.contest_station import entered_teams, keep_board
        from kumi.station.contest.contest import ContestError, clear, make_contest, read_team, shipped_teams
        from kumi.station.contest.rules import rules_file

    with refusing():
        if pace is not None and not pace > 0.0:
            raise ContestError(f"a pace is a positive number, not {pace:g}")
        if entered and teams:
            raise ContestError(
                "the teams are those that entered at the station, or given by --team, not both"
            )
        named = teams or tuple(f"{name}={name}" for name in shipped_teams())
        wanted = (
            entered_teams(rules_file(rules).stem) if entered else [read_team(*_pair(one)) for one in named]
        )
        made = make_contest(rules, wanted, rounds, seed)
        folder = Path(out or f"{made.name}.contest")
        if fresh:
            clear(folder)
    board, code = _played(made, folder, pace)
    tell(board, folder, as_json=as_json)
    if entered and code is ExitCode.DONE:
        keep_board(made.name, board)
    return code


def _played(made: Contest, folder: Path, pace: float | None) -> tuple[Board, ExitCode]:
    """Play all matches, with a bar where somebody watches; return the board, also of those before Ctrl-C, and the exit code."""
    time = read_rules(made.rules_text).time
    done = 0
    with RunBar(made.matches * time) as bar:

        def on_match(sheet: MatchSheet) -> None:
            nonlocal done
            done = sheet.match

        def on_progress(progress: Progress) -> None:
            bar.show(done * time + progress.simulated_seconds, "playing")

        try:
            board = play_contest(made, folder, pace=pace, on_match=on_match, on_progress=on_progress)
        except (ContestError, BadRules):
            with refusing():
                raise
        except NoSandbox as error:
            raise click.ClickException(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
        except (KeyboardInterrupt, Terminated) as ended:
            return read_board(folder), code_of(ended)
    return board, ExitCode.DONE


@contest.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
def new(folder: Path) -> None:
    """Write rules and a team to start from into FOLDER."""
    with needing("station"):
        from kumi.station.contest.contest import new_contest
    with refusing():
        rules, team = new_contest(folder)
    click.echo(f"{rules}: the rules of search and rescue, to be changed")
    click.echo(f"{team}: a team that follows walls, to be outdone")
    click.echo(f"Try: kumi contest run {rules} --team red={team} --team blue=searcher")


@contest.command("enter")
@click.argument("name", metavar="CONTEST")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--team", required=True, help="Your team.")
def enter(name: str, file: str, team: str) -> None:
    """Enter your team in a CONTEST of the station, with the code in FILE; the last one counts."""
    with needing("station"):
        from kumi.cli.contest_station import enter_team
        from kumi.station.contest.contest import read_team
    with refusing():
        own = read_team(team, file)
    enter_team(name, own)
    click.echo(f"{team} is in {name} now, with {file}.")


@contest.command("board")
@click.argument("where", metavar="FOLDER")
@click.option("--station", is_flag=True, help="FOLDER is the name of a contest of the station.")
@click.option("--json", "as_json", is_flag=True, help="Print the board as one JSON object.")
def board(where: str, station: bool, as_json: bool) -> None:
    """Show the board of the contest in FOLDER."""
    with needing("station"):
        from kumi.cli.contest_board import tell
        from kumi.cli.contest_station import kept_board
        from kumi.station.contest.contest import read_board
    with refusing():
        found = kept_board(where) if station else read_board(Path(where))
    tell(found, None if station else Path(where), as_json=as_json)


@contest.command("verify")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def verify(folder: Path) -> int:
    """Play the contest in FOLDER again, by its rules, code and seeds, and compare it with its board and its run files.

    The exit code is 1 where something differs.
    """
    with needing("station"):
        from kumi.station.contest.contest import replayed
    differences: list[str] = []
    with refusing():
        kept = read_board(folder)
    seconds = sum(sheet.seconds for sheet in kept.matches)
    done = 0.0
    with refusing(), RunBar(seconds) as bar, TemporaryDirectory() as new:

        def on_progress(progress: Progress) -> None:
            bar.show(done + progress.simulated_seconds, "playing again")

        for sheet, found in zip_longest(kept.matches, replayed(folder, Path(new), on_progress)):
            differences += found
            done += 0.0 if sheet is None else sheet.seconds
    for one in differences:
        click.echo(one)
    if not differences:
        many = len(kept.matches)
        click.echo(
            f"{many} match{'es' * (many != 1)} played again: hashes, what was hidden and what counts are as the board says."
        )
    return ExitCode.FAILED if differences else ExitCode.DONE


@contest.command("boards")
def boards() -> None:
    """List the contests of the station that have a board."""
    with needing("station"):
        from kumi.cli.contest_station import board_names
    for name in board_names():
        click.echo(name)


def _pair(team: str) -> tuple[str, str]:

    name, sign, code = team.partition("=")
    if not sign:
        raise ContestError(f"a team is written as NAME=FILE, not {team!r}")
    return name, code
