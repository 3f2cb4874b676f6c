"""What a station knows without a look at the disk is never older than the last change of rights."""

from __future__ import annotations

import pytest

from kumi.station.callers import STATION
from kumi.station.operations.people import AddTeam, LogOut, RevokeTokens, SetRole
from kumi.station.operations.robots import (
    EnrolRobot,
    ListRobots,
    MonitorRobot,
    RemoveRobot,
    ReportPosition,
    write_positions,
)
from kumi.station.operations.stops import Stop
from kumi.station.positioning.positioning import LastReport
from kumi.station.records import PoseRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.service.service import Alone
from tests.station.conftest import Little

TAG = "red robot"
USER = "red commander"


def test_a_token_is_worthless_as_soon_as_it_is_revoked_or_dropped(little: Little) -> None:
    for name, ending in ((USER, RevokeTokens(name=USER)), ("blue commander", None)):
        own = little.caller(name)
        assert little.service.known.known_caller(little.tokens[name]) == own
        if ending is None:
            little.call(LogOut(), own)
        else:
            little.call(ending, STATION)
        with pytest.raises(Refused, match="revoked") as caught:
            little.caller(name)
        assert caught.value.reason is Reason.NOT_KNOWN


def test_a_new_role_counts_at_once(little: Little) -> None:
    little.call(Stop(robot=TAG), USER)
    little.call(SetRole(name=USER, role="observer"), STATION)

    with pytest.raises(Refused, match="needs the role commander"):
        little.call(Stop(robot=TAG), USER)


def test_a_robot_that_changes_its_team_is_the_new_teams_at_once(little: Little) -> None:
    little.call(Stop(robot=TAG), USER)
    little.call(RemoveRobot(robot=TAG), STATION)
    with pytest.raises(Refused, match="there is no robot"):
        little.call(Stop(robot=TAG), USER)
    little.call(EnrolRobot(robot=TAG, team="blue"), STATION)

    halted: list[str] = []
    little.again(others=Alone(lambda stop, _: halted.append(stop.robot)))
    with pytest.raises(Refused, match="not of your team"):
        little.call(Stop(robot=TAG), USER)
    assert halted == []
    little.call(Stop(robot=TAG), "blue commander")
    assert halted == [TAG]


def test_the_list_of_robots_is_never_older_than_what_happened(little: Little) -> None:
    before = little.call(ListRobots(), USER).robots
    little.call(AddTeam(team="green"), STATION)
    little.call(EnrolRobot(robot="g1", team="green"), STATION)
    after = little.call(ListRobots(), USER).robots

    assert {one.tag for one in after} - {one.tag for one in before} == {"g1"}


def test_what_cannot_be_written_of_one_robot_costs_no_other_its_place(little: Little) -> None:
    odd = LastReport(PoseRecord(x=1.0, y=2.0), {"odd": {object(): 1}}, 1.0)
    good = LastReport(PoseRecord(x=3.0, y=4.0, heading=0.5), {"level": 0.7, "name": "a \u0000 'b'"}, 1.0)
    little.service.store.write(lambda it: write_positions(it, {TAG: odd, "blue robot": good})).result()

    first, second = (little.call(MonitorRobot(robot=one), STATION).robot.pose for one in (TAG, "blue robot"))
    assert (first, second) == (odd.pose, good.pose)
    assert little.call(MonitorRobot(robot="blue robot"), STATION).values == good.values
    little.call(ReportPosition(pose=PoseRecord(x=5.0, y=6.0)), TAG)
    assert little.call(MonitorRobot(robot=TAG), STATION).robot.pose == PoseRecord(x=5.0, y=6.0)
