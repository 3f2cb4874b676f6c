"""Nobody does more than they may: tried for every operation and every caller, so a new one is tried, too."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.station.callers import STATION
from kumi.station.operation import About, Operation
from kumi.station.operations import OPERATIONS
from kumi.station.operations.finds import StoreFile
from kumi.station.operations.robots import MonitorRobot
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import PlaceRecord, PoseRecord, SampleRecord, StationRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.store.schema import COMMITS, audit, metadata, processes
from tests.station.conftest import GO_TO, PASSWORD, Little

VALUES: dict[str, Any] = {
    "name": "something",
    "password": PASSWORD,
    "new_password": "quite another",
    "robots": ("r1", "r2"),
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
    "piece": "1",
    "text": "printed",
}
CALLERS = (
    None,
    "red observer",
    "red commander",
    "red team-head",
    "blue observer",
    "blue commander",
    "blue team-head",
    "chief",
    "red robot",
    "blue robot",
    "positioning system",
)
Callers = set[str | None]
USERS: Callers = {one for one in CALLERS if one is not None and one.split()[-1] not in ("robot", "system")}
OF_RED: Callers = {"red observer", "red commander", "red team-head", "chief"}
MAY: dict[str, tuple[Callers, str]] = {
    "everybody": (set(CALLERS), "hello log_in"),
    "users and robots": (USERS | {"red robot", "blue robot"}, "get_map get_layer list_layers"),
    "users": (
        USERS,
        "log_out change_password list_robots list_objects events done_notices get_board list_boards",
    ),
    "users of the team": (OF_RED, "monitor possible_tasks get_medium task_output"),
    "commanders of the team": (
        OF_RED - {"red observer"},
        """give_task send_code cancel_task stop enrol_robot enrol_robots remove_robot enter_contest
        remove_file remove_layer""",
    ),
    "any team head": ({"red team-head", "blue team-head", "chief"}, "list_people"),
    "the head of the team": (
        {"red team-head", "chief"},
        "add_person set_role reset_password lock_person unlock_person remove_person move_person revoke_tokens remove_team",
    ),
    "super-users": ({"chief"}, "add_team set_map make_feed_key audit list_entries keep_board"),
    "any robot": (
        {"red robot", "blue robot"},
        """welcome task_options list_modules report_position disconnect request_task report_stops reserve release
        store_file mark_object measure""",
    ),
    "the robot itself": ({"red robot"}, "task_done tell_output"),
    "the positioning system": ({"positioning system", "chief"}, "locate"),
}
"""Who may do what to the red team's things: each operation stands in one line."""


@pytest.fixture
def things(little: Little) -> dict[str, Any]:
    """What belongs to the red team, and what an operation that needs more is called with."""
    given = little.call(
        GiveTask(robot="red robot", task="goTo", arguments={"at": {"x": 1, "y": 1}}), "red commander"
    )
    stored = little.call(StoreFile(name="film.mp4", content=b"film"), "red robot")
    return VALUES | {"robot": "red robot", "team": "red", "task": given.task, "medium": stored.medium}


def expected(operation: Operation, caller: str | None) -> bool:
    """Tell by the matrix, which no declaration can change, whether a caller may do it to the red team."""
    return any(caller in callers for callers, names in MAY.values() if operation.name in names.split())


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
    if operation.about is About.PERSON:
        things = things | {"name": "red observer"}
    if operation.name == "move_person":
        things = things | {"team": "blue"}
    if operation.name == "set_map":
        fields.discard("text")  # a map is given in one way
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


def test_each_operation_stands_once_in_the_matrix_of_rights() -> None:
    written = [name for _, names in MAY.values() for name in names.split()]
    assert sorted(written) == sorted(one.name for one in OPERATIONS)


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
        assert refused is not Reason.NOT_KNOWN or operation.name == "log_in", caller


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
