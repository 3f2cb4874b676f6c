"""Robots get only what changed on the map, and hear what their team discovered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.station.callers import STATION
from kumi.station.entering import member
from kumi.station.entering.task_client import TaskClient
from kumi.station.map_changes import changed, changes_between
from kumi.station.operations.finds import GetLayer, ListLayers, MarkObject, Measure
from kumi.station.operations.maps import GetMap, SetMap
from kumi.station.records import PlaceRecord, SampleRecord
from kumi.station.refusals import Refused
from kumi.world import Map, Pillar, Wall, map_to_table
from tests.station.conftest import Little
from tests.station.test_entering import HALL, TAG, Play, played
from tests.waiting import until

pillars = st.lists(st.integers(0, 9), max_size=12).map(
    lambda places: [{"pillar": [float(place), 1.0], "radius": 0.2} for place in places]
)
tables = st.builds(
    lambda width, obstacles: (
        {"width": width, "height": 9.0} | ({"obstacles": obstacles} if obstacles else {})
    ),
    st.floats(10.0, 20.0),
    pillars,
)


@given(tables, tables)
def test_changes_make_exactly_the_new_map_of_the_old_one(old: dict[str, Any], new: dict[str, Any]) -> None:
    changes = changes_between(1, old, new)

    assert changes is None or changed(old, changes) == new


@given(tables, pillars, st.integers(0, 12), st.data())
def test_what_is_added_or_removed_can_always_be_told(
    old: dict[str, Any], more: list[Any], place: int, data: st.DataObject
) -> None:
    """Entries that differ from all others, at any place: the rest keeps its order."""
    kept = [entry for entry in old.get("obstacles", []) if data.draw(st.booleans())]
    fresh = [entry | {"radius": 0.3 + number} for number, entry in enumerate(more)]
    new = old | {"obstacles": [*kept[:place], *fresh, *kept[place:], {"pillar": [5.0, 5.0], "radius": 9.0}]}
    unique = len({str(entry) for entry in old.get("obstacles", [])}) == len(old.get("obstacles", []))

    changes = changes_between(1, old, new)

    if unique:
        assert changes is not None
        assert len(changes.lists["obstacles"].added) == len(fresh) + 1


def test_a_robot_that_knows_a_version_is_told_one_wall_and_not_the_map(little: Little) -> None:
    walls = [Wall((x, 0.0), (x, 1.0)) for x in range(1, 9)]
    first = little.call(SetMap(map=map_to_table(Map(10, 8, obstacles=walls))), STATION).version
    second: list[Wall | Pillar] = [*walls[1:], Pillar((5.0, 5.0), 0.5)]
    little.call(SetMap(map=map_to_table(Map(10, 8, obstacles=second))), STATION)

    answer = little.call(GetMap(since=first, changes=True), TAG)

    assert answer.map is None
    assert answer.changes is not None
    told = answer.changes.lists["obstacles"]
    assert told.removed == (0,)
    assert told.added == ((7, {"pillar": [5.0, 5.0], "radius": 0.5}),)
    assert little.call(GetMap(since=answer.version, changes=True), TAG).changes is None
    assert little.call(GetMap(since=0, changes=True), TAG).map is not None


def test_a_robot_in_the_station_has_the_new_map_and_what_its_team_found(
    little: Little, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = Map(width=10.0, height=8.0, obstacles=[*HALL.obstacles, Pillar((2.0, 5.0), 0.4)])
    desks: list[Any] = []

    class Seen(TaskClient):
        def __init__(self, *values: Any, **more: Any) -> None:
            super().__init__(*values, **more)
            desks.append(self)

    monkeypatch.setattr(member, "TaskClient", Seen)

    async def story(play: Play) -> None:
        (desk,) = desks
        await play.little.service.call(SetMap(map=map_to_table(more)), STATION)
        await until(lambda: desk.map is not None and desk.map.map == map_to_table(more))
        await play.little.service.call(
            MarkObject(name="cup", at=PlaceRecord(x=1.0, y=2.0)), play.little.caller(TAG)
        )
        await until(lambda: [one.name for one in desk.map.objects] == ["cup"])
        assert desk.map.map == map_to_table(more)

    played(little, story)


def test_a_robot_reads_what_its_team_measured_and_no_more(little: Little) -> None:
    warm = SampleRecord(at=PlaceRecord(x=1.0, y=1.0), value=21.5)
    little.call(Measure(layer="temperature", samples=(warm,)), TAG)

    assert little.call(GetLayer(layer="temperature"), TAG).samples == (warm,)
    assert little.call(GetLayer(layer="temperature"), "blue robot").samples == ()


def test_a_team_is_told_in_which_layers_it_measured_and_no_other(little: Little) -> None:
    sample = SampleRecord(at=PlaceRecord(x=0.0, y=0.0), value=1.0)
    for layer in ("temperature", "surface", "temperature"):
        little.call(Measure(layer=layer, samples=(sample,)), "red robot")
    little.call(Measure(layer="noise", samples=(sample,)), "blue robot")

    assert little.call(ListLayers(), "red observer").names == ("surface", "temperature")
    assert little.call(ListLayers(), "blue robot").names == ("noise",)
    assert little.call(ListLayers(), "chief").names == ("noise", "surface", "temperature")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "a map is given as 'map', a table, or as 'text'"),
        (
            {"map": {"width": 1.0, "height": 1.0}, "text": "[map]"},
            "a map is given as 'map', a table, or as 'text'",
        ),
        ({"text": "width = "}, "that is no map: Invalid value"),
        ({"text": "width = 3"}, "that is no map: it has no table [map]"),
        ({"text": '[map]\nfile = "/etc/passwd"'}, "'file' is for maps on one's own disk"),
    ],
)
def test_what_is_no_map_is_refused_and_the_map_stays(
    little: Little, given: dict[str, Any], said: str
) -> None:
    little.call(SetMap(text="[map]\nwidth = 3.0\nheight = 2.0\n"), "chief")
    with pytest.raises(Refused) as refused:
        little.call(SetMap(**given), "chief")

    assert said in refused.value.sentence
    assert little.call(GetMap(), "red observer").map == {"width": 3.0, "height": 2.0}


def test_a_piece_of_the_map_is_what_is_within_ten_metres_to_each_side(little: Little) -> None:
    pillars = [{"pillar": [x, 20.0], "radius": 0.5, "name": f"at {x}"} for x in (9.0, 11.0, 20.0, 29.0, 31.0)]
    little.call(SetMap(map={"width": 40.0, "height": 40.0, "obstacles": pillars}), "chief")

    piece = little.call(GetMap(around=PlaceRecord(x=20.0, y=20.0)), "red observer").map

    assert piece is not None
    assert [one["name"] for one in piece["obstacles"]] == ["at 11.0", "at 20.0", "at 29.0"]
