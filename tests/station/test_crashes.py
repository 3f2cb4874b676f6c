"""What a station has answered is still there after it was killed, whatever the moment."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path

import pytest

from kumi.devs.chance import stream
from kumi.station.client import Client, StationGone
from kumi.station.operations.finds import ListObjects, MarkObject
from kumi.station.operations.log import Events
from kumi.station.operations.robots import MonitorRobot, Welcome
from kumi.station.operations.tasks import GiveTask, RequestTask, TaskDone
from kumi.station.records import ENDED, Happening, PlaceRecord
from tests.station.processes import running
from tests.waiting import PATIENCE, free_port, wait_for

Template = tuple[Path, dict[str, str], dict[str, str]]
KILLS = 4


class Promises:
    """A commander and a robot who write down what the station promised them."""

    def __init__(self, url: str, template: Template) -> None:
        _, tokens, keys = template
        self.url = url
        self.user, self.robot = tokens["red commander"], f"robot:red robot:{keys['red robot']}"
        self.given: dict[str, int] = {}
        self.ended: set[int] = set()
        self.marked = 0
        self.refused: list[BaseException] = []

    def give(self, name: str) -> None:
        """Give tasks until the station is gone, each under a name of its own."""
        number = 0
        while True:
            request = f"{name}-{number}"
            try:
                with Client(self.url, self.user, timeout=PATIENCE) as station:
                    while True:
                        task = GiveTask(
                            robot="red robot",
                            task="goTo",
                            arguments={"at": {"x": 0, "y": 0}},
                            request=request,
                        )
                        self.given[request] = station.call(task).task
                        number += 1
                        request = f"{name}-{number}"
            except StationGone:
                return

    def work(self) -> None:
        """Do the tasks until the station is gone, and mark an object at each."""
        try:
            with Client(self.url, self.robot, timeout=PATIENCE) as station:
                task = station.call(Welcome()).task
                while True:
                    if task is None:
                        task = station.call(RequestTask()).task
                        continue
                    station.call(MarkObject(name=f"thing {self.marked}", at=PlaceRecord(x=1.0, y=1.0)))
                    self.marked += 1
                    done, task = task, station.call(TaskDone(task=task.id)).task
                    self.ended.add(done.id)
        except StationGone:
            return


@pytest.mark.slow
def test_what_was_promised_is_there_after_kills_at_random_moments(template: Template, tmp_path: Path) -> None:
    """Tasks given and ended and objects marked, as far as the station answered, survive; none is done twice."""
    shutil.copy(template[0], tmp_path / "station.db")
    port, chance = free_port(), stream(5, "kills")
    promises = Promises(f"http://127.0.0.1:{port}", template)
    for kill in range(KILLS):
        with running(tmp_path, port) as station:
            threads = [threading.Thread(target=promises.give, args=(f"{kill}-{one}",)) for one in range(3)]
            threads.append(threading.Thread(target=promises.work))
            for thread in threads:
                thread.start()
            before = len(promises.given)
            wait_for(lambda before=before: len(promises.given) > before)  # type: ignore[misc]
            time.sleep(chance.uniform(0.0, 0.8))
            station.kill()
            for thread in threads:
                thread.join(PATIENCE)

    with running(tmp_path, port), Client(promises.url, template[1]["chief"]) as station:
        happened: list[Happening] = []
        last = 0
        while (told := station.call(Events(after=last, limit=1000))).happenings:
            happened += told.happenings
            last = told.last
        given = [one.data["task"] for one in happened if one.kind == "task_given"]
        ended = [one.data["task"] for one in happened if one.kind == "task_ended"]
        objects = station.call(ListObjects()).objects
        monitor = station.call(MonitorRobot(robot="red robot"))

    assert promises.given, "nothing was given: the test tries nothing"
    assert set(promises.given.values()) <= set(given)
    assert len(given) == len(set(given))
    assert promises.ended <= set(ended)
    assert len(ended) == len(set(ended)), "a task ended twice"
    assert {f"thing {number}" for number in range(promises.marked)} <= {one.name for one in objects}
    still_open = {one.id for one in monitor.waiting} | ({monitor.task.id} if monitor.task else set())
    assert still_open == set(given) - set(ended)
    assert all(one.state in ENDED for one in monitor.done)


@pytest.mark.slow
def test_the_same_request_after_a_kill_is_the_same_task(template: Template, tmp_path: Path) -> None:
    """A caller that got no answer asks again, and the task is given once."""
    shutil.copy(template[0], tmp_path / "station.db")
    port = free_port()
    task = GiveTask(robot="red robot", task="goTo", arguments={"at": {"x": 0, "y": 0}}, request="once")
    numbers = []
    for _ in range(2):
        with running(tmp_path, port) as station, Client(station.url, template[1]["red commander"]) as client:
            numbers.append(client.call(task).task)
            station.kill()

    assert numbers[0] == numbers[1]


@pytest.mark.slow
def test_a_second_station_at_the_same_address_says_so(tmp_path: Path) -> None:
    port = free_port()
    with (
        running(tmp_path / "one", port),
        pytest.raises(AssertionError, match="cannot listen at"),
        running(tmp_path / "two", port),
    ):
        pass
