"""People and teams: who is set over whom, passwords that others chose, moves between teams, and names that nobody mistakes."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kumi.station.callers import STATION
from kumi.station.operation import Request
from kumi.station.operations.log import Audit, DoneNotices
from kumi.station.operations.people import (
    AddPerson,
    AddTeam,
    ChangePassword,
    ListPeople,
    LockPerson,
    LogIn,
    MovePerson,
    RemovePerson,
    RemoveTeam,
    ResetPassword,
    RevokeTokens,
    SetRole,
    UnlockPerson,
)
from kumi.station.operations.robots import (
    EnrolRobot,
    EnrolRobots,
    ListRobots,
    MonitorRobot,
    RemoveRobot,
)
from kumi.station.operations.tasks import CancelTask, GiveTask
from kumi.station.people.names import NamesTaken, check_nobody_else
from kumi.station.people.secrets import SHORTEST_LIFE
from kumi.station.records import Person
from kumi.station.refusals import Reason, Refused
from kumi.station.service.service import MOST_HASHES_OF_ONE
from tests.station.conftest import FIRST_PASSWORD, PASSWORD, Little, hashed_quickly

ANOTHER = "quite another"
HEAD = "red team-head"


@pytest.fixture(autouse=True)
def quick() -> Any:
    """Hash with little work."""
    with hashed_quickly():
        yield


def refused(little: Little, request: Request[Any], by: Any, says: str) -> Reason:
    """Have something refused with a sentence; return the reason."""
    with pytest.raises(Refused, match=says) as caught:
        little.call(request, by)
    return caught.value.reason


def person(little: Little, name: str) -> Person | None:
    """Return what a super-user is told of somebody."""
    return next((one for one in little.call(ListPeople(), "chief").people if one.name == name), None)


def log_in(little: Little, name: str, password: str = PASSWORD, **more: Any) -> None:
    """Log in, and call with that token from now on."""
    little.tokens[name] = little.call(LogIn(name=name, password=password, **more)).token


def test_one_changes_ones_own_password_and_all_other_tokens_are_worthless(little: Little) -> None:
    old = little.tokens["red observer"]
    log_in(little, "red observer")
    wrong = ChangePassword(password=ANOTHER, new_password=FIRST_PASSWORD)
    assert refused(little, wrong, "red observer", "not your present password") is Reason.FORBIDDEN
    same = ChangePassword(password=PASSWORD, new_password=PASSWORD)
    refused(little, same, "red observer", "choose another")
    little.call(ChangePassword(password=PASSWORD, new_password=ANOTHER), "red observer")

    little.call(ListRobots(), "red observer")
    with pytest.raises(Refused, match="revoked"):
        little.service.known.caller(old)
    refused(little, LogIn(name="red observer", password=PASSWORD), None, "is wrong")
    log_in(little, "red observer", ANOTHER)


def test_the_present_password_is_not_found_by_trying_with_a_token(little: Little) -> None:
    """Whoever finds a window open gets five attempts, as whoever logs in does."""
    guesses = [ChangePassword(password=f"guess {one}", new_password=ANOTHER) for one in range(6)]
    for guess in guesses[:5]:
        refused(little, guess, "red observer", "not your present password")
    assert refused(little, guesses[5], "red observer", "too many wrong passwords") is Reason.TOO_MANY


@pytest.mark.parametrize("by", [HEAD, "chief", "reset"])
def test_a_password_that_another_chose_buys_no_token_until_it_is_changed(little: Little, by: str) -> None:
    if by == "reset":
        log_in(little, "red observer")
        little.call(ResetPassword(name="red observer", password=FIRST_PASSWORD), HEAD)
        name = "red observer"
        with pytest.raises(Refused, match="revoked"):
            little.caller(name)
    else:
        little.call(AddPerson(name="ana", password=FIRST_PASSWORD, team="red"), by)
        name = "ana"
    found = person(little, name)
    assert found is not None
    assert found.has_first_password
    first = LogIn(name=name, password=FIRST_PASSWORD)
    assert refused(little, first, None, "with a new one of your own") is Reason.FIRST_PASSWORD
    kept = LogIn(name=name, password=FIRST_PASSWORD, new_password=FIRST_PASSWORD)
    refused(little, kept, None, "choose another")
    wrong = LogIn(name=name, password=PASSWORD, new_password=ANOTHER)
    assert refused(little, wrong, None, "is wrong") is Reason.NOT_KNOWN
    log_in(little, name, FIRST_PASSWORD, new_password=ANOTHER)
    little.call(ListRobots(), name)
    refused(little, first, None, "is wrong")
    log_in(little, name, ANOTHER)
    found = person(little, name)
    assert found is not None
    assert not found.has_first_password


def test_who_is_locked_is_out_at_once_and_until_unlocked(little: Little) -> None:
    little.call(ListRobots(), "red commander")
    little.call(LockPerson(name="red commander"), HEAD)
    with pytest.raises(Refused, match="revoked"):
        little.caller("red commander")
    right = LogIn(name="red commander", password=PASSWORD)
    assert refused(little, right, None, "red commander is locked") is Reason.FORBIDDEN
    guess = LogIn(name="red commander", password=ANOTHER)
    assert refused(little, guess, None, "is wrong") is Reason.NOT_KNOWN
    little.call(UnlockPerson(name="red commander"), HEAD)
    log_in(little, "red commander")


def test_who_is_removed_is_out_at_once_and_the_name_is_free(little: Little) -> None:
    little.call(RemovePerson(name="red commander"), HEAD)
    with pytest.raises(Refused, match="revoked"):
        little.caller("red commander")
    refused(little, LogIn(name="red commander", password=PASSWORD), None, "is wrong")
    assert person(little, "red commander") is None
    little.call(AddPerson(name="red commander", password=FIRST_PASSWORD, team="blue"), "chief")


OVER = (SetRole, ResetPassword, LockPerson, UnlockPerson, RemovePerson, MovePerson, RevokeTokens)


def over(request: type[Any], name: str) -> Any:
    """Return a request about somebody."""
    more: dict[type[Any], dict[str, str]] = {
        SetRole: {"role": "observer"},
        ResetPassword: {"password": ANOTHER},
        MovePerson: {"team": "blue"},
    }
    return request(name=name, **more.get(request, {}))


@pytest.mark.parametrize("request_", OVER, ids=lambda one: one.__name__)
def test_a_team_head_is_set_over_the_own_team_and_no_super_user(little: Little, request_: type[Any]) -> None:
    little.let_in("red chief", team="red", role="super-user")
    super_user = over(request_, "red chief")
    assert refused(little, super_user, HEAD, "is a super-user") is Reason.FORBIDDEN
    for name in ("blue observer", "blue team-head", "chief", "nobody there"):
        reason = refused(little, over(request_, name), HEAD, "there is no user '.*' in your team, 'red'")
        assert reason is Reason.UNKNOWN, "whether there is somebody is not told"


def test_a_team_head_makes_no_super_users_and_lets_nobody_into_another_team(little: Little) -> None:
    made = AddPerson(name="ana", password=FIRST_PASSWORD, team="red", role="super-user")
    refused(little, made, HEAD, "only a super-user makes super-users")
    refused(little, SetRole(name="red observer", role="super-user"), HEAD, "only a super-user")
    refused(little, SetRole(name=HEAD, role="super-user"), HEAD, "only a super-user")
    for team in ("blue", None):
        there = AddPerson(name="ana", password=FIRST_PASSWORD, team=team)
        refused(little, there, HEAD, "yours is 'red'")
    little.call(AddPerson(name="ana", password=FIRST_PASSWORD, team="red", role="team-head"), HEAD)
    told = little.call(ListPeople(), HEAD)
    assert {one.team for one in told.people} == {"red"}
    assert set(told.tokens) == {"red observer", "red commander", HEAD}


def test_a_team_head_commands_the_robots_of_the_team(little: Little) -> None:
    given = little.call(GiveTask(robot="red robot", task="goTo", arguments={"at": {"x": 1, "y": 1}}), HEAD)
    little.call(CancelTask(task=given.task), HEAD)
    refused(little, MonitorRobot(robot="blue robot"), HEAD, "not of your team")


def test_nobody_locks_removes_or_resets_the_own_account(little: Little) -> None:
    for name in (HEAD, "chief"):
        for request in (LockPerson, RemovePerson, ResetPassword):
            refused(little, over(request, name), name, "own")


@pytest.mark.parametrize("request_", [SetRole, LockPerson, RemovePerson], ids=lambda one: one.__name__)
def test_there_is_always_a_super_user_who_can_log_in(little: Little, request_: type[Any]) -> None:
    little.let_in("second", team="red", role="super-user")
    little.let_in("third", team="red", role="super-user")
    little.call(LockPerson(name="second"), "chief")
    little.call(over(request_, "third"), "chief")
    little.call(over(LockPerson, "second"), "chief")  # locked already: nothing is lost by it
    little.let_in("fourth", team="red", role="super-user")
    little.call(LockPerson(name="chief"), "fourth")

    refused(little, over(request_, "fourth"), STATION, "is the last super-user")


def test_a_super_user_moves_somebody_at_once_and_rights_go_along(little: Little) -> None:
    assert little.call(MovePerson(name="red commander", team="blue"), "chief").is_moved
    little.call(MonitorRobot(robot="blue robot"), "red commander")
    refused(little, MonitorRobot(robot="red robot"), "red commander", "not of your team, 'blue'")
    refused(little, MovePerson(name="red commander", team="blue"), "chief", "in team 'blue' already")
    refused(little, MovePerson(name="red commander", team="green"), "chief", "there is no team 'green'")


def test_who_has_moved_is_not_told_of_the_former_team(little: Little) -> None:
    asked = GiveTask(robot="red robot", task="goTo", arguments={"at": {"x": 1, "y": 1}})
    given = little.call(asked, "red commander")
    little.call(MovePerson(name="red commander", team="blue"), "chief")
    little.call(CancelTask(task=given.task), HEAD)

    assert little.call(DoneNotices(), "red commander").tasks == ()


def test_team_heads_move_somebody_by_the_word_of_both(little: Little) -> None:
    move = MovePerson(name="red commander", team="blue")
    assert refused(little, move, "blue team-head", "no user") is Reason.UNKNOWN
    assert not little.call(move, HEAD).is_moved
    little.call(MonitorRobot(robot="red robot"), "red commander")
    found = person(little, "red commander")
    assert found is not None
    assert (found.team, found.role, found.moves_to) == ("red", "commander", "blue")
    assert "red commander" in {one.name for one in little.call(ListPeople(), "blue team-head").people}
    for request in (SetRole, ResetPassword, LockPerson, RemovePerson, RevokeTokens):
        refused(little, over(request, "red commander"), "blue team-head", "no user")

    assert little.call(move, "blue team-head").is_moved
    found = person(little, "red commander")
    assert found is not None
    assert (found.team, found.role, found.moves_to) == ("blue", "observer", None)
    refused(little, MonitorRobot(robot="red robot"), "red commander", "not of your team")
    little.call(MonitorRobot(robot="blue robot"), "red commander")


def test_an_offered_move_can_be_taken_back(little: Little) -> None:
    little.call(MovePerson(name="red commander", team="blue"), HEAD)
    little.call(MovePerson(name="red commander", team="red"), HEAD)
    move = MovePerson(name="red commander", team="blue")
    assert refused(little, move, "blue team-head", "no user") is Reason.UNKNOWN


def test_an_offer_is_to_one_team(little: Little) -> None:
    little.call(AddTeam(team="green"), "chief")
    little.call(MovePerson(name="red commander", team="blue"), HEAD)
    onward = MovePerson(name="red commander", team="green")
    assert refused(little, onward, "blue team-head", "to no other") is Reason.FORBIDDEN


def test_a_team_is_removed_when_it_is_empty_and_its_name_is_not_given_again(little: Little) -> None:
    remove = RemoveTeam(team="red")
    refused(little, remove, "blue team-head", "not your team")
    refused(little, remove, HEAD, "has robots, such as 'red robot'")
    little.call(RemoveRobot(robot="red robot"), HEAD)
    refused(little, remove, HEAD, "'red .*' is in team 'red'")
    for name in ("red commander", "red observer"):
        little.call(RemovePerson(name=name), HEAD)
    refused(little, remove, "chief", f"'{HEAD}' is in team 'red'")
    little.call(MovePerson(name="blue observer", team="red"), "blue team-head")
    little.call(remove, HEAD)

    assert little.call(ListPeople(), "chief").teams == ("blue",)
    assert person(little, HEAD) is None
    with pytest.raises(Refused, match="revoked"):
        little.caller(HEAD)
    offered = person(little, "blue observer")
    assert offered is not None
    assert offered.moves_to is None
    refused(little, AddTeam(team="red"), "chief", "there was a team 'red'")
    refused(little, AddTeam(team="Red"), "chief", "looks like the team 'red'")
    refused(little, EnrolRobot(robot="r1", team="red"), "chief", "there is no team 'red'")
    refused(little, remove, "chief", "there is no team 'red'")


def test_each_change_of_people_and_each_refusal_is_in_the_audit(little: Little) -> None:
    for request in (LockPerson, UnlockPerson, ResetPassword, MovePerson, RemovePerson):
        little.call(over(request, "red observer"), "chief" if request is MovePerson else HEAD) if (
            request is not RemovePerson
        ) else refused(little, over(request, "red observer"), HEAD, "no user")
    told = little.call(Audit(newest=True, limit=5), "chief").entries

    assert [(one.who, one.operation, one.about, one.outcome.split(",")[0]) for one in reversed(told)] == [
        (HEAD, "lock_person", "red observer", "done"),
        (HEAD, "unlock_person", "red observer", "done"),
        (HEAD, "reset_password", "red observer", "done"),
        ("chief", "move_person", "red observer", "done"),
        (HEAD, "remove_person", "red observer", "there is no user 'red observer' in your team"),
    ]
    kept = str(little.call(Audit(limit=1000), "chief").entries)
    assert PASSWORD not in kept
    assert ANOTHER not in kept


def test_a_token_is_good_for_the_time_that_was_chosen(little: Little) -> None:
    now = [little.service.store.clock()]
    little.service.store.clock = lambda: now[0]
    log_in(little, "red observer", life=SHORTEST_LIFE)
    log_in(little, "red commander")
    now[0] += SHORTEST_LIFE - 1.0
    little.call(ListRobots(), "red observer")
    assert little.call(ListPeople(), "chief").tokens["red observer"] == 2
    now[0] += 2.0
    little.service.known._callers.clear()  # what is known is so for some seconds of the real clock
    with pytest.raises(Refused, match="has expired"):
        little.caller("red observer")
    assert little.call(ListPeople(), "chief").tokens["red observer"] == 1
    little.call(ListRobots(), "red commander")


def test_what_is_known_of_a_token_ends_with_its_life(little: Little) -> None:
    """A stop goes by what is known in memory: also there a token is good until its end, and no longer."""
    now = [little.service.store.clock()]
    little.service.store.clock = lambda: now[0]
    log_in(little, "red commander", life=SHORTEST_LIFE)
    token = little.tokens["red commander"]
    assert asyncio.run(little.service.known.calling(token, is_urgent=True)).name == "red commander"
    now[0] += SHORTEST_LIFE + 1.0
    little.service.known._callers.clear()
    with pytest.raises(Refused, match="has expired"):
        asyncio.run(little.service.known.calling(token, is_urgent=True))


def test_who_floods_a_station_with_log_ins_leaves_room_for_others(little: Little) -> None:
    async def flooded() -> str:
        hashing = little.service.hashing
        is_over = asyncio.Event()

        async def hold() -> None:
            async with hashing("10.0.0.1"):
                await is_over.wait()

        flood = [asyncio.ensure_future(hold()) for _ in range(MOST_HASHES_OF_ONE)]
        await asyncio.sleep(0)
        with pytest.raises(Refused, match="from your address"):
            async with hashing("10.0.0.1"):
                pass
        other = asyncio.ensure_future(hashing("10.0.0.2").__aenter__())
        await asyncio.sleep(0)
        assert not other.done(), "it waits for its turn"
        is_over.set()
        await asyncio.gather(*flood)
        await other
        return "in"

    assert asyncio.run(flooded()) == "in"


def test_many_robots_are_enrolled_at_once_or_none(little: Little) -> None:
    for names in (("r1", "r2", "r1"), ("r1", "blue robot"), ("r1", "rl"), ("r1", "Ｒ1")):
        with pytest.raises(Refused):
            little.call(EnrolRobots(team="red", robots=names), "red commander")
        assert len(little.call(ListRobots(), HEAD).robots) == 2
    made = little.call(
        EnrolRobots(team="red", robots=tuple(f"r{one}" for one in range(300))), "red commander"
    )
    assert [one.robot for one in made.keys] == [f"r{one}" for one in range(300)]
    assert len({one.key for one in made.keys}) == 300
    assert little.service.known.caller(f"robot:r7:{made.keys[7].key}").team == "red"


ALIKE = (
    ("ana", "Ana"),
    ("ana", "\u0430n\u0430"),  # Cyrillic
    ("ana", "\uff41na"),  # wide
    ("ana", "\u0251na"),  # an alpha of phonetics
    ("ana", "\u13aa\u13c1\u13aa".replace("\u13c1", "N")),
    ("bill", "bi11"),
    ("bill", "biII"),
    ("paul", "pau|"),
    ("robo", "r0b0"),
    ("marc", "rnarc"),
    ("willi", "vvilli"),
    ("r-1", "r\u20111"),
    ("o'neil", "o\u2019neil"),
    ("jos\u00e9", "jose\u0301"),
    ("ana b", "ana  b"),
    ("\u03bfmega", "omega"),
    ("\u0440\u0430\u0443", "pay"),  # all Cyrillic
    ("stra\u00dfe", "STRASSE"),
    ("\ufb01n", "fin"),
    ("\u1d00na", "ana"),
)


@pytest.mark.parametrize(("known", "new"), ALIKE)
def test_a_name_that_looks_like_another_is_refused(little: Little, known: str, new: str) -> None:
    """Whichever was there first, and also where another alphabet is refused by itself."""
    for first, second in ((known, new), (new, known)):
        taken = NamesTaken("user", [first])
        with pytest.raises(Refused, match=r"looks like the user|mixes letters|cannot be seen"):
            taken.take(second)


DIFFERENT = (
    ("ana", "anna"),
    ("ali", "all"),
    ("r1", "r11"),
    ("r10", "r01"),
    ("jan", "j\u00e1n"),
    ("red", "rad"),
    ("r-1", "r1"),
    ("team 1", "team 2"),
    ("\u5317\u4eac", "\u6771\u4eac"),
    ("\u043c\u0438\u0440", "\u043c\u0435\u0440"),
    ("\u30ed\u30dc\u30c3\u30c8", "\u7d44 \u30ed\u30dc"),
    ("team \u03b2", "team \u03b1"),
)


@pytest.mark.parametrize(("known", "new"), DIFFERENT)
def test_names_that_nobody_mistakes_are_taken(known: str, new: str) -> None:
    taken = NamesTaken("user", [])
    taken.take(known)
    taken.take(new)


UNSEEN = (
    "\u200b\u200d\u2060\ufeff\u00ad\u202e\u2066\u034f\u3164\u2800\ufe0f\U000e0041\U000e0100\u00a0\u2003\ue000"
)


@pytest.mark.parametrize("letter", UNSEEN, ids=ascii)
def test_a_letter_that_cannot_be_seen_is_in_no_new_name(letter: str) -> None:
    with pytest.raises(Refused, match=f"letter 3 of this name cannot be seen .U.{ord(letter):04X}"):
        NamesTaken("team", []).take(f"an{letter}a")


@pytest.mark.parametrize(
    "name", ["robot r1", "Robot 2", "nobody", "the station", "The  positioning system", "r0b0t r1"]
)
def test_no_user_has_a_name_that_reads_like_another_caller(little: Little, name: str) -> None:
    with pytest.raises(Refused, match="that is no user"):
        check_nobody_else(name)
    with pytest.raises(Refused):
        little.call(AddPerson(name=name, password=FIRST_PASSWORD, team="red"), "chief")
    check_nobody_else("robotnik")
    check_nobody_else("theo")


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20))
@example("I")
@example("\u0130")
@example("\u1e9e")
def test_every_name_that_is_taken_is_refused_a_second_time_in_any_case(name: str) -> None:
    taken = NamesTaken("user", [])
    with suppress(Refused), ExitStack():
        taken.take(name)
        for again in (name, name.upper(), name.casefold()):
            with pytest.raises(Refused):
                taken.take(again)


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (AddTeam(team="R\u0435d"), "team"),
        (AddTeam(team="RED"), "team"),
        (AddPerson(name="Chief", password=FIRST_PASSWORD, team="red"), "user"),
        (EnrolRobot(robot="red rob0t", team="red"), "robot"),
    ],
)
def test_users_teams_and_robots_have_names_that_are_told_apart(
    little: Little, request_: Request[Any], kind: str
) -> None:
    refused(little, request_, "chief", f"looks like the {kind}|mixes letters")
