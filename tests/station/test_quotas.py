"""What a team or a robot keeps is bounded, and each refusal says how to make room."""

from __future__ import annotations

import pytest
import sqlalchemy as sql

from kumi.station.operations import tasks as task_operations
from kumi.station.operations.finds import (
    GetLayer,
    ListObjects,
    MarkObject,
    Measure,
    RemoveFile,
    RemoveLayer,
    StoreFile,
)
from kumi.station.operations.robots import ListModules
from kumi.station.operations.tasks import CancelTask, RequestTask, SendCode, TaskDone
from kumi.station.records import PlaceRecord, SampleRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.store import quotas
from kumi.station.store.schema import tasks, usage
from tests.station.conftest import Little

TAG = "red robot"
SAMPLE = SampleRecord(at=PlaceRecord(x=0.0, y=0.0), value=1.0)


def used(little: Little) -> dict[tuple[str, str], int]:
    with little.service.store.reading() as transaction:
        return {(row.team, row.kind): row.amount for row in transaction.all(sql.select(usage))}


def test_the_files_of_a_team_are_bounded_and_a_removed_one_gives_room(
    little: Little, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(quotas.MOST, "files", 100)
    first = little.call(StoreFile(name="one", content=bytes(60)), TAG).medium
    little.call(StoreFile(name="one", content=bytes(60)), TAG)  # the same once more is kept once
    found = little.call(MarkObject(name="thing", at=PlaceRecord(x=1.0, y=1.0), medium=first), TAG).object
    wanted = StoreFile(name="two", content=bytes(50))
    with pytest.raises(
        Refused, match="team 'red' keeps 60 bytes of files, and 50 more would be over the 100"
    ) as caught:
        little.call(wanted, TAG)
    assert caught.value.reason is Reason.CONFLICT
    little.call(wanted, "blue robot")
    with pytest.raises(Refused, match="there is no file"):
        little.call(RemoveFile(medium=first), "blue commander")

    little.call(RemoveFile(medium=first), "red commander")
    little.call(wanted, TAG)
    assert used(little) == {("red", "files"): 50, ("blue", "files"): 50}
    objects = {one.id: one.media for one in little.call(ListObjects(), "red observer").objects}
    assert objects == {found: None}


def test_the_measurements_of_a_team_are_bounded_and_a_removed_layer_gives_room(
    little: Little, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(quotas.MOST, "measurements", 10)
    little.call(Measure(layer="heat", samples=(SAMPLE,) * 7), TAG)
    little.call(Measure(layer="light", samples=(SAMPLE,) * 3), TAG)
    with pytest.raises(
        Refused, match=r"team 'red' keeps 10 measurements, and 1 more .* remove-layer LAYER TEAM"
    ):
        little.call(Measure(layer="heat", samples=(SAMPLE,)), TAG)
    with pytest.raises(Refused, match="'red' is not your team"):
        little.call(RemoveLayer(team="red", layer="heat"), "blue commander")
    with pytest.raises(Refused, match="team 'red' has measured no layer 'rain'"):
        little.call(RemoveLayer(team="red", layer="rain"), "red commander")

    little.call(RemoveLayer(team="red", layer="heat"), "red commander")
    little.call(Measure(layer="heat", samples=(SAMPLE,) * 7), TAG)
    assert len(little.call(GetLayer(layer="light"), TAG).samples) == 3
    assert used(little) == {("red", "measurements"): 10}


def test_the_code_of_a_robot_is_bounded_and_what_has_ended_gives_room(
    little: Little, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_operations, "MOST_CODE", 1000)
    code = SendCode(robot=TAG, name="rounds", code="#" * 600)
    first = little.call(code, "red commander").task
    with pytest.raises(
        Refused, match=r"robot 'red robot' has \d+ letters of code, .* and 600 more would be over the 1000"
    ):
        little.call(code, "red commander")
    little.call(CancelTask(task=first), "red commander")
    second = little.call(code, "red commander").task
    sent = little.call(RequestTask(), TAG).task
    assert sent is not None
    assert sent.arguments == {"name": "rounds", "code": "#" * 600}
    little.call(TaskDone(task=second), TAG)
    with little.service.store.reading() as transaction:
        assert all("#" not in row.arguments for row in transaction.all(sql.select(tasks)))
    little.call(code, "red commander")


def test_a_module_takes_the_place_of_the_one_before(little: Little, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of modules with one name the newest counts, and all that have another name."""
    monkeypatch.setattr(task_operations, "MOST_CODE", 2000)
    for name, code in (
        ("shapes", "1" * 600),
        ("shapes_too", "2" * 300),
        ("shapes", "3" * 600),
        ("shapes", "4" * 600),
    ):
        given = little.call(SendCode(robot=TAG, name=name, code=code, purpose="module"), "red commander").task
        little.call(RequestTask(), TAG)
        little.call(TaskDone(task=given), TAG)

    kept = {one.name: one.code for one in little.call(ListModules(), TAG).modules}
    assert kept == {"shapes_too": "2" * 300, "shapes": "4" * 600}
