"""A contest keeps its rules: what counts, how often, at which instant, and the same every time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi, sqrt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.recording import RunFile
from kumi.station.contest.board import BoardEntry, MatchSheet, standings_of
from kumi.station.contest.contest import (
    Contest,
    ContestError,
    make_contest,
    play_contest,
    read_board,
    read_team,
    replayed,
)
from kumi.station.contest.hiding import hide
from kumi.station.contest.match import MatchTeam
from kumi.station.contest.rules import BadRules, load_rules, read_rules
from tests.station.matches import FORWARD, HALL, IDLE, OPEN, played, printed, reasons


def test_an_object_is_found_at_the_instant_at_which_a_robot_is_near_and_sees_it(tmp_path: Path) -> None:
    """From 1 to 5 m at 0.5 m/s: 8 s. The robot behind the wall comes as near and sees nothing."""
    (found,) = [one for one in played(tmp_path, FORWARD, FORWARD).matches[0].entries if one.reason == "found"]

    assert (found.team, found.about, found.points) == ("red", "victim-1", 10.0)
    assert found.time == pytest.approx(8.0, abs=2e-6)


def test_an_object_behind_a_corner_is_found_when_the_corner_no_longer_hides_it(tmp_path: Path) -> None:
    """The wall ends at (8, 2.5). From y = 3.5, (8.5, 1.5) is in sight from x = 7.5 on: 6.5 m, after 13 s."""
    rules = HALL.replace("[6.0, 1.0]", "[8.5, 1.5]").replace("[1.0, 4.0, 0.0]", "[1.0, 3.5, 0.0]")
    rules += "judging = { found_within = 3.0 }\n"
    board = played(tmp_path, IDLE, FORWARD, rules=rules)

    (found,) = board.matches[0].entries
    assert found.team == "blue"
    assert found.time == pytest.approx(13.0, abs=2e-6)


def test_a_report_counts_once_with_picture_and_haste(tmp_path: Path) -> None:
    """A look at 4 m sees nothing; at 2 m it does. The report takes 1 s and is made after 10 s: two thirds are left."""
    code = (
        "from kumi import now, sleep_until\n"
        "async def main(robot):\n"
        "    print(len(await robot.sight.read()))\n"
        "    await robot.forward(3.0)\n"
        "    (seen,) = await robot.sight.read()\n"
        "    print(seen.name, seen.number, seen.distance, seen.bearing)\n"
        "    await sleep_until(9.0)\n"
        "    print(await robot.referee.report(seen.name, seen.position), now(), await robot.referee.read())\n"
        "    print(await robot.referee.report(seen.name, (6.0, 1.0)))\n"
        "    await robot.turn(3.14)\n"
        "    print(await robot.referee.report(seen.name, (6.0, 1.0)))\n"
    )
    board = played(tmp_path, code, code.replace("(seen,) = await robot.sight.read()", "return"))

    assert sorted(reasons(board)) == [("haste", 6.7), ("picture", 10.0), ("reported", 20.0)]
    assert board.standings[0].points == 36.7
    words = [line.partition("s  ")[2] for line in printed(tmp_path).splitlines()]
    assert words[:5] == [
        "0",
        "victim-1 None 2.0 0.0",
        "right 10.0 20.0",
        "reported already",
        "reported already",
    ]
    assert (tmp_path / "contest" / "pictures" / "match-1-red-1-victim-1.png").exists()


def test_a_report_without_the_object_in_the_picture_is_right_but_has_no_picture_points(
    tmp_path: Path,
) -> None:
    code = (
        "async def main(robot):\n    await robot.forward(4.0)\n    await robot.sight.read()\n    await robot.turn(3.14)\n"
        "    print(await robot.referee.report('victim-1', (6.2, 1.2)))"
    )
    board = played(tmp_path, code)

    assert sorted(reason for reason, _ in reasons(board)) == ["found", "haste", "reported"]
    assert "right, but it is not in the picture" in printed(tmp_path)


def test_lies_about_places_and_names_cost(tmp_path: Path) -> None:
    """0.3 m from the object is right, and 0.31 m is wrong."""
    code = (
        "async def main(robot):\n"
        "    await robot.referee.report('victim-1', (6.31, 1.0))\n"
        "    await robot.referee.report('ghost', (6.0, 1.0))\n"
        "    for place in ((float('nan'), 1.0), ('six', 1.0), None, [1], 6.0):\n"
        "        try:\n"
        "            await robot.referee.report('victim-1', place)\n"
        "        except (TypeError, ValueError) as error:\n"
        "            print(error)\n"
    )
    board = played(tmp_path, code)

    assert reasons(board) == [("wrong", -10.0), ("wrong", -10.0)]
    assert printed(tmp_path).count("the place of a report") == 5


def test_the_first_report_of_an_object_gets_the_points_and_one_at_the_same_instant_too(
    tmp_path: Path,
) -> None:
    report = (
        "from kumi import sleep\nasync def main(robot):\n    await sleep({0})\n"
        "    await robot.referee.report('victim-1', (9.0, 2.5))\n"
    )
    early, late = report.format(1.0), report.format(2.0)

    first = played(tmp_path / "first", late, early, rules=OPEN)
    both = played(tmp_path / "both", early, early, rules=OPEN)

    assert (reasons(first, "red"), len(reasons(first, "blue"))) == ([], 3)
    assert (
        reasons(both, "red")
        == reasons(both, "blue")
        == [("haste", 9.3), ("picture", 10.0), ("reported", 20.0)]
    )


def test_a_report_of_what_no_robot_of_the_team_has_had_in_sight_counts_nothing(tmp_path: Path) -> None:
    """The cheat knows where everything is, and reports it from its chair; a mate that looks makes it count."""
    contest = make_contest("search-and-rescue", [MatchTeam("red", IDLE)], seed=4)
    hidden = {one.name: (one.at.x, one.at.y) for one in hide(load_rules("search-and-rescue"), 4, 0)}
    cheat = f"async def main(robot):\n    for found in {hidden}.items(): print(await robot.referee.report(*found))"
    board = play_contest(replace(contest, teams=(MatchTeam("red", cheat),)), tmp_path / "cheat")

    assert board.standings[0].points == 0.0
    logs = (tmp_path / "cheat" / "logs" / "match-1-red-1.log").read_text()
    assert logs.count("right, but no robot of the team has had it in sight, so it does not count") == len(
        hidden
    )

    reporter = (
        "async def main(robot):\n"
        "    if robot.name == 'red-1':\n"
        "        await robot.forward(3.0)\n        await robot.sight.read()\n        return\n"
        "    for _ in range(20): print(await robot.referee.report('victim-1', (6.0, 1.0)))"
    )
    two = HALL.replace("[[1.0, 1.0, 0.0]]", "[[1.0, 1.0, 0.0], [1.0, 2.0, 0.0]]")
    two = two.replace("[[1.0, 4.0, 0.0]]", "[[1.0, 4.0, 0.0], [1.0, 3.0, 0.0]]")
    mates = played(tmp_path / "mates", reporter, rules=two)

    assert sorted(reason for reason, _ in reasons(mates)) == ["haste", "reported"]


def test_seeds_are_drawn_when_a_contest_is_made_and_told_on_its_board(tmp_path: Path) -> None:
    team = [MatchTeam("red", IDLE)]
    one, other = make_contest("search-and-rescue", team), make_contest("search-and-rescue", team)
    board = play_contest(one, tmp_path)

    assert len({one.seed, one.code_seed, other.seed, other.code_seed}) == 4
    assert (board.seed, board.code_seed) == (one.seed, one.code_seed)
    assert board.matches[0].hidden == {
        thing.name: (thing.at.x, thing.at.y) for thing in hide(load_rules("search-and-rescue"), one.seed, 0)
    }


def test_the_chance_of_a_program_tells_nothing_of_what_is_hidden(tmp_path: Path) -> None:
    code = "import random\nasync def main(robot): print(random.random(), robot.chance.uniform(0, 1))"

    def drawn(number: int, seed: int, code_seed: int) -> str:
        folder = tmp_path / str(number)
        play_contest(Contest("hall", HALL, (MatchTeam("red", code),), 1, seed, code_seed), folder / "contest")
        return printed(folder)

    assert drawn(1, 5, 5) == drawn(2, 6, 5) != drawn(3, 5, 6)


def test_a_contest_is_played_again_from_its_folder_and_what_was_changed_is_told(tmp_path: Path) -> None:
    code = "import random\nasync def main(robot): await robot.forward(3.0 + 2.0 * random.random())"
    folder = tmp_path / "contest"
    play_contest(Contest("hall", HALL, (MatchTeam("red", code), MatchTeam("blue", IDLE)), 2, 7, 8), folder)
    again = (number for number in range(9))

    def told() -> list[str]:
        return [one for found in replayed(folder, tmp_path / f"again-{next(again)}") for one in found]

    def changed(path: Path, old: str, new: str) -> list[str]:
        kept = path.read_text()
        path.write_text(kept.replace(old, new, 1))
        assert path.read_text() != kept
        found = told()
        path.write_text(kept)
        return found

    assert told() == []
    other_chance = changed(folder / "board.json", '"code_seed": 8', '"code_seed": 9')
    assert [one.partition(" is ")[0] for one in other_chance] == [
        "match 1: the trace hash",
        "match 1: what counts",  # it comes near the victim at another instant
        "match 2: the trace hash",
    ]
    assert changed(folder / "board.json", '"points": 10.0', '"points": 90.0')[0].startswith(
        "match 1: what counts is"
    )
    assert changed(folder / "board.json", '"place": 1', '"place": 2')[0].startswith(
        "the sums of the matches are"
    )
    assert "match 1: the trace hash is" in changed(folder / "teams" / "red.py", "3.0", "2.5")[0]
    (folder / "match-2.kumi").unlink()
    assert told() == [
        "match 2: the trace hash of match-2.kumi is None, and the board says "
        + read_board(folder).matches[1].trace_hash
    ]


def test_a_contact_counts_once_and_again_after_the_robot_has_moved_away(tmp_path: Path) -> None:
    """Driven into the border five times without moving away is one contact; from 20 cm away it is another."""
    code = (
        "from kumi import Blocked\n"
        "async def bump(robot, way=20.0):\n"
        "    try:\n"
        "        await robot.forward(way)\n"
        "    except Blocked as error:\n"
        "        print(error)\n"
        "async def main(robot):\n"
        "    await robot.turn(-1.5707963267948966)\n"
        "    for _ in range(5): await bump(robot)\n"
        "    await robot.back_up(0.2)\n"
        "    await robot.turn(0.5)\n"
        "    await bump(robot)\n"
    )
    board = played(tmp_path, code, IDLE)

    assert reasons(board) == [("contact", -2.0)] * 2
    assert board.matches[0].entries[0].about == "border"
    assert printed(tmp_path).count("blocked by border") == 6


def test_a_robot_that_stands_pays_nothing_when_another_drives_into_it(tmp_path: Path) -> None:
    rules = HALL.replace("[1.0, 4.0, 0.0]", "[3.0, 1.0, 0.0]")
    towards = (
        "from kumi import Blocked\nasync def main(robot):\n    await robot.turn({0})\n"
        "    try: await robot.forward(5.0)\n    except Blocked: pass\n"
    )
    driven = played(tmp_path / "a", towards.format(0.0), IDLE, rules=rules)
    met = played(tmp_path / "b", towards.format(0.0), towards.format(pi), rules=rules)

    assert (reasons(driven, "red"), reasons(driven, "blue")) == ([("contact", -2.0)], [])
    assert [entry.about for entry in driven.matches[0].entries] == ["blue-1"]
    assert reasons(met, "red") == reasons(met, "blue") == [("contact", -2.0)]


@pytest.mark.slow
def test_equal_code_gets_equal_points_in_any_arena(tmp_path: Path) -> None:
    """Each team plays each start with the same things hidden, so what one gets in a match, the other gets in the next."""
    team = read_team("red", "searcher")
    twin = MatchTeam("blue", team.code)
    contest = make_contest("search-and-rescue", [team, twin], seed=5)
    red, blue = play_contest(contest, tmp_path / "contest").standings

    assert (red.place, blue.place) == (1, 1)
    assert red.points == blue.points > 0.0
    assert [red.found, red.reported, red.pictures, red.contacts] == [
        blue.found,
        blue.reported,
        blue.pictures,
        blue.contacts,
    ]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_board_and_the_sample_teams_differ(tmp_path: Path) -> None:
    teams = [read_team("red", "wall-follower"), read_team("blue", "searcher")]
    whole = make_contest("search-and-rescue", teams, seed=1)
    contest = replace(whole, rules_text=whole.rules_text.replace("time = 300.0", "time = 60.0"))
    board = play_contest(contest, tmp_path / "one")
    play_contest(contest, tmp_path / "two")

    assert (tmp_path / "one" / "board.json").read_bytes() == (tmp_path / "two" / "board.json").read_bytes()
    assert read_board(tmp_path / "one") == board
    assert len({one.points for one in board.standings}) == 2
    assert {one.outcome for sheet in board.matches for one in sheet.robots} <= {
        "it played to the end of the match",
        "it came to its end",
    }
    for standing in board.standings:
        entries = [one for sheet in board.matches for one in sheet.entries if one.team == standing.team]
        assert standing.points == pytest.approx(sum(one.points for one in entries))
    assert [[(one.team, one.start) for one in sheet.robots] for sheet in board.matches] == [
        [("red", 1), ("blue", 2)],
        [("blue", 1), ("red", 2)],
    ]
    run = RunFile(tmp_path / "one" / "match-1.kumi")
    assert dict(run.meta.robots) == {0: "red-1", 1: "blue-1"}
    assert len(run.state_at(45.0)) == 2


def test_chance_and_the_order_of_sets_repeat_and_the_pace_changes_nothing(tmp_path: Path) -> None:
    code = (
        "import random\nasync def main(robot):\n    print(random.random(), hash('a'), robot.chance.uniform())\n"
        "    await robot.forward(0.5)\n"
    )
    rules = HALL.replace("30.0", "2.0")
    boards = [
        played(tmp_path / name, code, code, rules=rules, seed=seed, pace=pace)
        for name, seed, pace in (("a", 0, None), ("b", 0, 20.0), ("c", 1, None))
    ]

    assert boards[0] == boards[1]
    assert printed(tmp_path / "a") == printed(tmp_path / "b") != printed(tmp_path / "c")
    assert printed(tmp_path / "a", "red-1") != printed(tmp_path / "a", "blue-1")


def test_robots_of_a_team_talk_to_each_other_and_nobody_else_hears_them(tmp_path: Path) -> None:
    rules = HALL.replace("[[1.0, 1.0, 0.0]]", "[[1.0, 1.0, 0.0], [2.0, 1.0, 0.0]]")
    rules = rules.replace("[[1.0, 4.0, 0.0]]", "[[1.0, 4.0, 0.0], [2.0, 4.0, 0.0]]")
    code = (
        "from dataclasses import dataclass\nfrom kumi import Message, now, sleep\n"
        "@dataclass(frozen=True)\nclass Hello(Message):\n    name: str\n"
        "async def main(robot):\n    print(robot.name, robot.number, robot.radio.group, *robot.plan.bounds)\n"
        "    await sleep(1.0 + robot.number)\n    await robot.radio.broadcast(Hello(robot.name))\n"
        "    hello, sender = await robot.radio.receive(Hello)\n    print(hello.name, sender, now())\n"
        "    await robot.radio.receive(Hello)\n"
    )
    board = played(tmp_path, code, code, rules=rules)

    assert [one.robot for one in board.matches[0].robots] == ["red-1", "red-2", "blue-1", "blue-2"]
    assert [line.partition("s  ")[2] for line in printed(tmp_path, "red-2").splitlines()][:2] == [
        "red-2 1 (0, 1) 0.0 0.0 10.0 5.0",
        "red-1 0 2.0",
    ]
    assert "red-2 1 2.0" in printed(tmp_path, "red-1")
    assert "blue-2 3 4.0" in printed(tmp_path, "blue-1")


# The board, the rules and hiding, without code.


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["reported", "contact"]), st.integers(-3, 3)))
)
def test_a_place_is_one_more_than_the_number_of_teams_ahead(
    given_entries: list[tuple[str, str, int]],
) -> None:
    entries = tuple(
        BoardEntry(0.0, team, team, why, float(points), "")  # type: ignore[arg-type]
        for team, why, points in given_entries
    )
    standings = standings_of("abcd", [MatchSheet(1, 1, 1.0, "", "", {}, (), entries)])

    def rank(team: str) -> tuple[float, int, int]:
        own = [one for one in entries if one.team == team]
        counts = [sum(one.reason == why for one in own) for why in ("reported", "contact")]
        return -sum(one.points for one in own), -counts[0], counts[1]

    assert {one.team: one.place for one in standings} == {
        team: 1 + sum(rank(other) < rank(team) for other in "abcd") for team in "abcd"
    }


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**40), st.integers(0, 3))
def test_things_are_hidden_apart_and_off_starts_by_the_seed_alone(seed: int, game: int) -> None:
    rules = load_rules("search-and-rescue")
    hidden = hide(rules, seed, game)

    assert hidden == hide(rules, seed, game)
    assert hidden != hide(rules, seed, game + 1)
    assert [one.name for one in hidden] == [f"victim-{number}" for number in range(1, 7)]
    places = [one.at for one in hidden]
    assert min(abs(one - other) for one in places for other in places if one is not other) >= 1.0
    starts = [pose.position for start in rules.starts for pose in start.poses]
    assert min(abs(one - start) for one in places for start in starts) >= 3.0
    assert min(one.distance_to((6.0, 4.0)) for one in places) >= 0.3 + 0.15 + 0.12


WRONG = [
    ("time = 30.0", "time = -1.0", "'time' must be a number of more than 0"),
    ("time = 30.0", "", "it lacks 'time'"),
    ('name = "victim"', "names = 3", "'objects' takes no 'names'"),
    ("[6.0, 1.0]", "[60.0, 1.0]", "outside the arena"),
    (
        "[1.0, 4.0, 0.0]",
        "[1.0, 2.5, 0.0]",
        "'robot 1 of start 2' cannot be at (1, 2.5): it would overlap wall",
    ),
    ("[[1.0, 4.0, 0.0]]", "[[1.0, 4.0, 0.0], [2.0, 4.0, 0.0]]", "as many robots"),
    ("width = 10.0, height = 5.0,", "", "a width and a height"),
    ("places = [[6.0, 1.0]]", "count = 900", "there is room for"),
    ("title", "title = ", "line 2"),
]


@pytest.mark.parametrize(("old", "new", "said"), WRONG)
def test_rules_that_make_no_sense_are_refused(old: str, new: str, said: str) -> None:
    assert old in HALL
    with pytest.raises(BadRules, match=None) as refused:
        hide(read_rules(HALL.replace(old, new)), 0, 0)

    assert said in str(refused.value)


def made(
    teams: Sequence[str] = ("red",), matches: int | None = None, contest: str = "search-and-rescue"
) -> Contest:
    """Make a contest of idle teams."""
    return make_contest(contest, [MatchTeam(name, IDLE) for name in teams], matches)


def test_contests_that_are_no_contest_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ContestError, match="3 rounds are unfair"):
        made(matches=3)
    with pytest.raises(ContestError, match="3 teams and 2 starts"):
        made(["a", "b", "c"])
    with pytest.raises(ContestError, match="each with a name of its own"):
        made(["a", "a"])
    with pytest.raises(BadRules, match="there is no contest 'chess'"):
        made(contest="chess")
    with pytest.raises(ContestError, match="there is no contest in"):
        read_board(tmp_path)
    with pytest.raises(ContestError, match="small letters"):
        read_team("Red.1", "searcher")
    with pytest.raises(ContestError, match="searcher, wall-follower"):
        read_team("red", "nobody.py")
    team = tmp_path / "team.py"
    for code, said in (
        ("def play(robot:", "line 1: Python cannot read this"),
        ("\ndef play(robot): robot.turn(1)", "line 1: There is no program: write `async def main"),
        ("async def main(robot):\n    await robot.look()", "line 2: A robot has no 'look'"),
    ):
        team.write_text(code)
        with pytest.raises(ContestError, match=f"team red: {team}, {said}"):
            read_team("red", str(team))


def test_sight_ends_at_its_reach_and_at_the_edge_of_the_view(tmp_path: Path) -> None:
    """The victim is 1.5 m away, 60 degrees to the left: at the edge of 120 degrees. A little farther it is not seen."""
    rules = HALL.replace("[6.0, 1.0]", f"[1.75, {1.0 + 0.75 * sqrt(3.0)}]")
    code = (
        "async def main(robot):\n"
        "    print([(seen.name, round(seen.bearing, 6)) for seen in await robot.sight.read()])\n"
        "    await robot.turn(-0.02)\n"
        "    print(list(await robot.sight.read()))\n"
    )
    played(tmp_path, code, rules=rules)

    assert f"[('victim-1', {round(pi / 3, 6)})]" in printed(tmp_path)
    assert "[]" in printed(tmp_path)
