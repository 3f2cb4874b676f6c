"""Teams send their code to a station, a super-user plays it, and everybody sees the board."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kumi.cli import main
from kumi.station.operations.contests import EnterContest, GetBoard, KeepBoard, ListEntries
from kumi.station.operations.people import AddTeam
from kumi.station.refusals import Reason, Refused
from tests.station.conftest import Little
from tests.station.processes import running
from tests.waiting import free_port

CODE = "async def main(robot): await robot.referee.report('ghost', (1.0, 1.0))"


def test_a_team_s_code_is_its_own_and_the_last_one_counts(little: Little) -> None:
    little.call(EnterContest(name="cup", team="red", code="one"), "red commander")
    little.call(EnterContest(name="cup", team="red", code="two"), "red commander")
    little.call(EnterContest(name="other", team="blue", code="three"), "blue commander")
    with pytest.raises(Refused, match="is not your team; yours is"):
        little.call(EnterContest(name="cup", team="red", code="bad"), "blue commander")
    with pytest.raises(Refused, match="super-user"):
        little.call(ListEntries(name="cup"), "blue commander")

    (entry,) = little.call(ListEntries(name="cup"), "chief").entries
    assert (entry.team, entry.code, entry.given_by) == ("red", "two", "red commander")


def test_what_is_no_team_and_no_board_is_refused(little: Little) -> None:
    little.call(AddTeam(team="The Best"), "chief")
    for team, reason in (("The Best", Reason.INVALID), ("green", Reason.UNKNOWN)):
        with pytest.raises(Refused) as refused:
            little.call(EnterContest(name="cup", team=team, code=CODE), "chief")
        assert refused.value.reason is reason
    for content in (b"", b"\xff", b"[" * 100_000, b"{}"):
        with pytest.raises(Refused, match="that is no board"):
            little.call(KeepBoard(name="cup", content=content), "chief")
    with pytest.raises(Refused, match="there is no board"):
        little.call(GetBoard(name="cup"), "red observer")


@pytest.mark.slow
def test_teams_enter_a_super_user_plays_and_an_observer_sees_the_board(
    template: tuple[Path, dict[str, str], dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, tokens, _ = template
    monkeypatch.chdir(tmp_path)
    shutil.copy(path, tmp_path / "station.db")
    Path("team.py").write_text(CODE)

    def by(who: str, *arguments: str) -> str:
        monkeypatch.setenv("KUMI_TOKEN", tokens[who])
        assert main(["contest", *arguments]) == 0
        return capsys.readouterr().out

    with running(tmp_path, free_port(), "--robots", f"tcp/127.0.0.1:{free_port()}") as station:
        monkeypatch.setenv("KUMI_STATION", station.url)
        for team in ("red", "blue"):
            by(f"{team} commander", "enter", "search-and-rescue", "team.py", "--team", team)
        by("chief", "run", "search-and-rescue", "--entered", "-o", "played")
        board = json.loads(by("blue observer", "board", "search-and-rescue", "--station", "--json"))

    assert [(one["place"], one["team"], one["points"]) for one in board["standings"]] == [
        (1, "blue", -20.0),
        (1, "red", -20.0),
    ]
    assert board == json.loads((tmp_path / "played" / "board.json").read_text())
