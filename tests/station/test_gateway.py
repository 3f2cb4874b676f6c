"""The HTTP interface and the XML-RPC door, over real sockets."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xmlrpc.client import Binary, Fault, ServerProxy

import httpx
import pytest

from kumi.station.client import Client, StationGone
from kumi.station.operations import OPERATIONS
from kumi.station.operations.finds import GetMedium
from kumi.station.operations.people import Hello, LogIn, LogOut
from kumi.station.operations.robots import ListRobots, MonitorRobot
from kumi.station.refusals import Refused
from tests.station.conftest import PASSWORD
from tests.station.processes import Running, running
from tests.waiting import free_port, wait_for

Template = tuple[Path, dict[str, str], dict[str, str]]


@pytest.fixture(scope="module")
def station(template: Template, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A station in a process of its own."""
    folder = tmp_path_factory.mktemp("gateway")
    shutil.copy(template[0], folder / "station.db")
    with running(folder, free_port()) as one:
        yield one


@pytest.mark.slow
def test_a_token_is_worth_something_until_it_is_handed_back(station: Running) -> None:
    with Client(station.url) as client:
        assert client.call(Hello()).name == "kumi"
        client.use(client.call(LogIn(name="red observer", password=PASSWORD)).token)
        assert {one.tag for one in client.call(ListRobots()).robots} == {"red robot", "blue robot"}
        client.call(LogOut())
        with pytest.raises(Refused, match="not valid, or was revoked"):
            client.call(ListRobots())


def test_a_wrong_password_and_a_wrong_name_are_told_alike(station: Running) -> None:
    with Client(station.url) as client:
        for name in ("red observer", "nobody at all"):
            with pytest.raises(Refused, match="the name or the password is wrong"):
                client.call(LogIn(name=name, password="not this one"))  # noqa: S106


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/v1/log_in", b"{", 422, "Input data was truncated"),
        ("/v1/log_in", b'{"name": "a"}', 422, "it lacks 'password'"),
        ("/v1/log_in", b'{"name": "a", "password": "b", "c": 1}', 422, "it takes no 'c'"),
        ("/v1/log_in", b'{"name": "\xff"}', 422, "invalid"),
        ("/v1/log_in", b'{"name": 5, "password": "b"}', 422, "'name' must be a text, not a whole number"),
        ("/v1/fly", b"{}", 404, "there is nothing at /v1/fly"),
        ("/v1/monitor", b'{"robot": "red robot"}', 401, "needs a token"),
        ("/v1/log_in", b"[" * 100_000, 422, "not what the operation takes"),
        ("/v1/hello", b" " * 5_000_000, 413, "larger than"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(
    station: Running, path: str, body: bytes, status: int, said: str
) -> None:
    response = httpx.post(station.url + path, content=body)

    assert response.status_code == status
    assert said.lower() in response.json()["error"].lower()


def test_the_description_names_every_operation(station: Running) -> None:
    paths = httpx.get(f"{station.url}/openapi.json").json()["paths"]
    page = httpx.get(f"{station.url}/api").text

    assert set(paths) == {f"/v1/{one.name}" for one in OPERATIONS}
    assert all(f"/v1/{one.name}" in page for one in OPERATIONS)


def test_a_robot_with_nothing_but_http_enters_by_the_door(station: Running, template: Template) -> None:
    """A robot of Skadsem (2006): it enters, announces, gets a task, does it, stores a film, and leaves."""
    host = station.url.removeprefix("http://")
    key = template[2]["blue robot"]
    robot: Any
    user: Any
    with (
        ServerProxy(f"http://blue%20robot:{key}@{host}/RPC2") as robot,
        ServerProxy(f"http://x:{template[1]['blue commander']}@{host}/RPC2") as user,
    ):
        medium = errand(robot, user)
    with Client(station.url, template[1]["blue observer"]) as client:
        assert client.call(GetMedium(medium=medium)).content == b"a film"
        assert client.call(MonitorRobot(robot="blue robot")).robot.state == "away"


def handed(robot: Any, tag: str) -> Any:
    """Ask for a task until there is one: a station that has just begun grants no floor for two seconds."""
    tasks: list[Any] = []

    def is_handed() -> bool:
        tasks.append(robot.requestNewTask(tag))
        return tasks[-1] is not False

    wait_for(is_handed)
    return tasks[-1]


def errand(robot: Any, user: Any) -> int:
    """Enter, work and leave; return the number of the film."""
    tag, _, position = robot.welcome("10.0.0.7")
    robot.taskOptions(tag, [{"name": "goTo", "parameters": [{"name": "at", "kind": "spot"}]}])
    assert position is False
    assert robot.reportPosition(tag, [1.0, 2.0], 0.5) == [1.0, 2.0, 0.5]
    number = user.giveTask(tag, ["goTo", [3.0, 4.0]], True)
    assert handed(robot, tag) == [number, "goTo", [3.0, 4.0]]
    medium = robot.storeFile(tag, Binary(b"a film"), "film.mp4")
    assert robot.taskDone(tag, number, "there") is False
    assert user.checkDone() == [[tag, "goTo", "there"]]
    assert user.checkDone() is False
    assert user.monitorRobot(tag)["position"] == [1.0, 2.0, 0.5]
    assert robot.robotDisconnect(tag) is True
    return int(medium)


def test_the_door_is_closed_to_those_who_are_not_who_they_say(station: Running, template: Template) -> None:
    host = station.url.removeprefix("http://")
    key = template[2]["blue robot"]

    with (
        pytest.raises(Fault, match="its key is wrong"),
        ServerProxy(f"http://blue%20robot:{key}x@{host}/RPC2") as it,
    ):
        it.welcome("")
    with (
        pytest.raises(Fault, match="cannot speak for 'red robot'"),
        ServerProxy(f"http://blue%20robot:{key}@{host}/RPC2") as it,
    ):
        it.reportPosition("red robot", [0, 0], 0)
    with pytest.raises(Fault, match="needs a token"), ServerProxy(f"http://{host}/RPC2") as it:
        it.getRobotList()
    assert "no XML-RPC call" in httpx.post(f"{station.url}/RPC2", content=b"<a><b>").text


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("reportPosition", ([1.0], 0.5), "a spot is [x, y] in metres, not [1.0]"),
        ("reportPosition", ("here", 0.5), "a spot is [x, y] in metres, not here"),
        ("reportPosition", ([1.0, "x"], 0.5), "'y' must be a number, not a text"),
        ("reportPosition", (), "reportPosition takes tag, at, direction; 1 values came"),
        ("storeFile", ("text", "name"), "storeFile takes tag, content, name; one of these values is"),
        ("taskOptions", ([{"name": "goTo", "parameters": [{}]}],), "'[0].parameters[0]' lacks 'name'"),
    ],
)
def test_the_door_says_what_a_call_takes(
    station: Running, template: Template, name: str, values: tuple[Any, ...], said: str
) -> None:
    host = station.url.removeprefix("http://")
    with ServerProxy(f"http://red%20robot:{template[2]['red robot']}@{host}/RPC2") as robot:
        robot.welcome("")
        with pytest.raises(Fault) as fault:
            getattr(robot, name)("red robot", *values)

    assert said in fault.value.faultString


@pytest.mark.slow
def test_a_silent_robot_is_lost_and_found_again(station: Running, template: Template) -> None:
    host = station.url.removeprefix("http://")
    with (
        ServerProxy(f"http://red%20robot:{template[2]['red robot']}@{host}/RPC2") as robot,
        Client(station.url, template[1]["red observer"]) as client,
    ):
        robot.welcome("")
        assert client.call(MonitorRobot(robot="red robot")).robot.state == "connected"
        wait_for(lambda: client.call(MonitorRobot(robot="red robot")).robot.state == "lost")
        robot.requestNewTask("red robot")
        wait_for(lambda: client.call(MonitorRobot(robot="red robot")).robot.state == "connected")


def test_where_there_is_no_station_it_is_said() -> None:
    with (
        pytest.raises(StationGone, match="cannot be reached"),
        Client(f"http://127.0.0.1:{free_port()}") as client,
    ):
        client.call(Hello())
