"""Every operation that the environment was to have is there by name, on each way in."""

from __future__ import annotations

from typing import Any

import pytest

from kumi.station.gateway.app import application
from kumi.station.gateway.description import description
from kumi.station.gateway.xmlrpc import Door
from kumi.station.operations import BY_NAME
from kumi.station.records import Happens
from kumi.station.service.robot_sessions import notice_of
from kumi.station.store.transaction import LogNotice
from kumi.station.wire.messages import HaltNow, MapChanged, TasksChanged
from tests.station.conftest import Little

ASKED = {
    "robot": {
        "init": "hello",
        "welcome": "welcome",
        "task options": "task_options",
        "request task": "request_task",
        "report position": "report_position",
        "new map": "get_map",
        "store file": "store_file",
        "task done": "task_done",
        "disconnect": "disconnect",
    },
    "user": {
        "robot list": "list_robots",
        "monitor": "monitor",
        "possible tasks": "possible_tasks",
        "give task": "give_task",
        "send code": "send_code",
        "done notices": "done_notices",
        "stop": "stop",
    },
    "map": {
        "make map": "set_map",
        "map piece": "get_map",
        "move robot": "locate",
        "new object": "mark_object",
    },
    "view": {
        "start-up data": "get_map",
        "known robots": "list_robots",
        "events": "events",
        "user events": "give_task",
    },
}
"""What each side asks of a station, by the words of the specification, and the operation that answers."""
TOLD = {"execute task": TasksChanged(), "update map": MapChanged(), "stop": HaltNow("0" * 32, "ana", 7)}
"""What a station tells a robot, and the word for it; code and modules are tasks, and monitor data comes with positions."""
THESIS = (
    "testConnection",
    "welcome",
    "taskOptions",
    "requestNewTask",
    "reportPosition",
    "newMap",
    "storeFile",
    "taskDone",
    "robotDisconnect",
    "getRobotList",
    "monitorRobot",
    "giveTask",
    "getPossibleTasks",
    "sendCode",
    "checkDone",
    "stopRobot",
)


@pytest.mark.parametrize(
    ("side", "words"), [(side, words) for side, asked in ASKED.items() for words in asked]
)
def test_each_operation_is_listed_and_described(side: str, words: str) -> None:
    name = ASKED[side][words]

    assert name in BY_NAME
    assert f"/v1/{name}" in description()["paths"]
    assert BY_NAME[name].summary


def test_a_robot_is_told_what_it_was_to_be_told() -> None:
    stop = {"stop": "0" * 32, "by": "ana", "last_task": 7}
    data: dict[str, dict[str, Any]] = {Happens.STOP: stop}
    kinds = (Happens.STOP, Happens.TASK_GIVEN, Happens.MAP_CHANGED)
    told = [notice_of(LogNotice(1, 0.0, kind, "red", "r1", data.get(kind, {}))) for kind in kinds]

    assert told == [TOLD["stop"], TOLD["execute task"], TOLD["update map"]]


def test_the_interface_is_downloaded_and_the_names_of_skadsem_2006_answer(little: Little) -> None:
    paths = {getattr(route, "path", "") for route in application(little.service).routes}

    assert {"/RPC2", "/openapi.json"} <= paths
    assert set(THESIS) <= set(Door(little.service).calls)
