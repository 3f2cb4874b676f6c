"""Nobody does more than they may: tried for every operation of the list, so a new one is tried, too."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.station.callers import STATION
from kumi.station.operation import About, Operation, Who
from kumi.station.operations import OPERATIONS
from kumi.station.operations.finds import StoreFile
from kumi.station.operations.robots import MonitorRobot
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import PlaceRecord, PoseRecord, SampleRecord, StationRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.store.schema import COMMITS, audit, metadata, processes
from tests.station.conftest import GO_TO, Little

VALUES: dict[str, Any] = {
    "name": "something",
    "password": "long enough",
    "code": "pass",
    "layer": "temperature",
    "samples": (SampleRecord(at=PlaceRecord(x=0.0, y=0.0), value=1.0),),
    "content": b"film",
    "pose": PoseRecord(x=1.0, y=2.0),
    "at": PlaceRecord(x=1.0, y=2.0),
    "options": (GO_TO,),
    "map": {"width": 4.0, "height": 4.0},
    "role": "observer",
    "way": 0,
    "radius": 0.15,
    "stops": (),
}
CALLERS = (
    None,
    "red observer",
    "red commander",
    "blue observer",
    "blue commander",
    "chief",
    "red robot",
    "blue robot",
    "positioning system",
)
RANK = {"observer": 1, "commander": 2, "chief": 3}
LEAST = {Who.MEMBER: 1, Who.OBSERVER: 1, Who.COMMANDER: 2, Who.SUPER_USER: 3, Who.POSITIONING: 3}


@pytest.fixture
def things(little: Little) -> dict[str, Any]:
    """What belongs to the red team, and what an operation that needs more is called with."""
    given = little.call(
        GiveTask(robot="red robot", task="goTo", arguments={"at": {"x": 1, "y": 1}}), "red commander"
    )
    stored = little.call(StoreFile(name="film.mp4", content=b"film"), "red robot")
    return VALUES | {"robot": "red robot", "team": "red", "task": given.task, "medium": stored.medium}


def expected(operation: Operation, caller: str | None) -> bool:
    """Tell by the rules, written down a second time, whether a caller may do it to the red team."""
    if operation.who is Who.ANYONE:
        return True
    if caller is None:
        return False
    if caller == "positioning system":
        return operation.who is Who.POSITIONING
    team, _, part = caller.rpartition(" ")
    is_red = team == "red" or caller == "chief" or operation.about in (About.NOTHING, About.ITSELF)
    if part == "robot":
        return operation.who in (Who.ROBOT, Who.MEMBER) and is_red
    return operation.who is not Who.ROBOT and RANK[part] >= LEAST[operation.who] and is_red


def contents(little: Little) -> dict[str, list[Any]]:
    """Return all that is kept but the audit, which processes live, and the number of the last commit."""
    with little.service.store.reading() as transaction:
        return {
            table.name: [tuple(row) for row in transaction.all(table.select()) if row[0] != COMMITS]
            for table in metadata.sorted_tables
            if table not in (audit, processes)
        }


def request_for(operation: Operation, things: dict[str, Any]) -> StationRecord:
    """Return a request about the red team's things."""
    fields = {name for name in operation.request.__struct_fields__ if name in things}
    if operation.name == "give_task":
        return GiveTask(robot="red robot", task="goTo", arguments={"at": {"x": 0, "y": 0}})
    return operation.request(**{name: things[name] for name in fields})


def refusal(little: Little, request: StationRecord, caller: str | None) -> Reason | None:
    """Return why a call is refused, or None."""
    try:
        little.call(request, caller)  # type: ignore[arg-type]
    except Refused as refused:
        return refused.reason
    return None


@pytest.mark.some_of(2)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_each_caller_may_what_the_list_says_and_no_more(
    little: Little, things: dict[str, Any], operation: Operation
) -> None:
    for caller in CALLERS:
        if expected(operation, caller):
            continue
        before = contents(little)

        with pytest.raises(Refused) as caught:
            little.call(request_for(operation, things), caller)  # type: ignore[arg-type]

        assert caught.value.reason in (Reason.NOT_KNOWN, Reason.FORBIDDEN, Reason.UNKNOWN), caller
        assert contents(little) == before, f"a refused {operation.name} by {caller} changed something"


@pytest.mark.some_of(2)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_those_who_may_are_not_refused_for_their_rights(
    little: Little, things: dict[str, Any], operation: Operation
) -> None:
    for caller in CALLERS:
        if not expected(operation, caller):
            continue
        refused = refusal(little, request_for(operation, things), caller)

        assert refused is not Reason.FORBIDDEN, caller
        assert refused is not Reason.NOT_KNOWN or operation.name in ("log_in", "log_out"), caller


def test_each_operation_and_each_refusal_is_in_the_audit(little: Little) -> None:
    with pytest.raises(Refused):
        little.call(MonitorRobot(robot="red robot"), "blue commander")
    little.call(MonitorRobot(robot="red robot"), "red observer")

    with little.service.store.reading() as transaction:
        last = transaction.all(audit.select().order_by(audit.c.id.desc()).limit(2))

    assert [(row.who, row.operation, row.about) for row in last] == [
        ("red observer", "monitor", "red robot"),
        ("blue commander", "monitor", "red robot"),
    ]
    assert last[0].outcome == "done"
    assert "not of your team" in last[1].outcome


def test_the_station_itself_may_all(little: Little) -> None:
    assert little.call(MonitorRobot(robot="blue robot"), STATION).robot.team == "blue"
