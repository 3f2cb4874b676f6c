"""The map, what robots discovered and measured, and the files they stored.

What a team's robots found belongs to that team. The map is everybody's. A map has versions; a robot that knows one asks for
what is newer, or for the piece around it.
"""

from __future__ import annotations

import tomllib
from typing import Any

import msgspec
import sqlalchemy as sql

from kumi.station.answers import (
    Done,
    FoundObjects,
    Layer,
    LayerNames,
    MapAnswer,
    MapVersion,
    Marked,
    MediumContent,
    Stored,
)
from kumi.station.callers import Caller
from kumi.station.map_changes import MapChanges, changes_between
from kumi.station.records import FoundObject, Sample, Spot
from kumi.station.refusals import Reason, Refused, invalid, unknown
from kumi.station.requests import (
    LARGEST_FILE,
    GetLayer,
    GetMap,
    GetMedium,
    ListLayers,
    ListObjects,
    MarkObject,
    Measure,
    SetMap,
    StoreFile,
)
from kumi.station.service.rows import all_robots, medium_of, medium_row, object_of
from kumi.station.store.schema import maps, media, objects, samples
from kumi.station.store.transaction import Transaction
from kumi.world import Map, map_from_table, map_to_table


def map_version(transaction: Transaction) -> int:
    """Return the number of the newest map; 0 when there is none."""
    return transaction.connection.execute(sql.select(sql.func.max(maps.c.version))).scalar() or 0


def get_map(transaction: Transaction, caller: Caller, request: GetMap) -> MapAnswer:
    """Tell the map, with what is on it."""
    version = map_version(transaction)
    table = _table(transaction, version) if version > request.since else None
    known = _table(transaction, request.since) if request.changes and request.around is None else None
    changes: MapChanges | None = None
    if table is not None and known is not None:
        changes = changes_between(request.since, known, table)
        table = None if changes is not None else table
    if table is not None and request.around is not None:
        table = map_to_table(_map(table).piece((request.around.x, request.around.y), request.reach))
    return MapAnswer(
        version=version,
        map=table,
        objects=_objects_of(transaction, caller),
        robots=all_robots(transaction),
        changes=changes,
    )


def _table(transaction: Transaction, version: int) -> dict[str, Any] | None:
    """Return the map of a version, or None."""
    row = transaction.one(sql.select(maps.c.map).where(maps.c.version == version))
    return None if row is None else msgspec.json.decode(row.map)


def set_map(transaction: Transaction, _: Caller, request: SetMap) -> MapVersion:
    """Put a map in place of the one in use."""
    given = _given(request)
    if "file" in given:
        raise invalid("a map for a station holds its obstacles itself; 'file' is for maps on one's own disk")
    try:
        table = map_to_table(_map(given))
    except (ValueError, TypeError) as error:
        raise invalid(f"that is no map: {error}") from None
    text = msgspec.json.encode(table).decode()
    version = transaction.insert(maps, map=text, made_at=transaction.now)
    transaction.tell("map_changed", team=None, version=version)
    return MapVersion(version=version)


def _given(request: SetMap) -> dict[str, Any]:
    """Return the table of a map that was given in one of two ways."""
    if (request.map is None) == (request.text is None):
        raise invalid("a map is given as 'map', a table, or as 'text', that of a map file")
    if request.map is not None:
        return request.map
    assert request.text is not None
    try:
        table = tomllib.loads(request.text).get("map")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise invalid(f"that is no map: {error}") from None
    if not isinstance(table, dict):
        raise invalid("that is no map: it has no table [map]")
    return table


def _map(table: dict[str, Any]) -> Map:
    return map_from_table(table, "map")


def store_file(transaction: Transaction, caller: Caller, request: StoreFile) -> Stored:
    """Keep a file of a robot; one that it stored before, and stores again because no answer came, is kept once."""
    if len(request.content) > LARGEST_FILE:
        raise Refused(
            Reason.TOO_LARGE,
            f"'{request.name}' has {len(request.content)} bytes; a station takes {LARGEST_FILE} at most",
        )
    assert caller.team is not None
    same = sql.and_(media.c.robot == caller.name, media.c.name == request.name)
    before = transaction.one(sql.select(media.c.id).where(same, media.c.content == request.content))
    if before is not None:
        return Stored(medium=before.id)
    number = transaction.insert(
        media,
        robot=caller.name,
        team=caller.team,
        name=request.name,
        kind=request.kind,
        content=request.content,
        stored_at=transaction.now,
    )
    transaction.tell("file_stored", team=caller.team, robot=caller.name, medium=number, name=request.name)
    return Stored(medium=number)


def get_medium(transaction: Transaction, _: Caller, request: GetMedium) -> MediumContent:
    """Tell a file."""
    row = medium_row(transaction, request.medium, content=True)
    assert row is not None
    return MediumContent(about=medium_of(row), content=row.content)


def mark_object(transaction: Transaction, caller: Caller, request: MarkObject) -> Marked:
    """Put a discovered object on the map; the same one of the same robot is marked once."""
    if request.medium is not None:
        row = medium_row(transaction, request.medium)
        if row is None or row.team != caller.team:
            raise unknown(f"there is no file {request.medium} of team '{caller.team}'")
    found: dict[str, Any] = {
        "name": request.name,
        "x": request.at.x,
        "y": request.at.y,
        "robot": caller.name,
        "team": caller.team,
        "medium": request.medium,
    }
    same = [objects.c[name].is_not_distinct_from(value) for name, value in found.items()]
    before = transaction.one(sql.select(objects.c.id).where(*same))
    if before is not None:
        return Marked(object=before.id)
    number = transaction.insert(objects, **found, found_at=transaction.now)
    transaction.tell(
        "object_found",
        team=caller.team,
        robot=caller.name,
        object=number,
        name=request.name,
        x=request.at.x,
        y=request.at.y,
        medium=request.medium,
    )
    return Marked(object=number)


def list_objects(transaction: Transaction, caller: Caller, _: ListObjects) -> FoundObjects:
    """Tell what was discovered."""
    return FoundObjects(objects=_objects_of(transaction, caller))


def _objects_of(transaction: Transaction, caller: Caller) -> tuple[FoundObject, ...]:
    found = sql.select(objects).order_by(objects.c.id)
    if not caller.is_super_user:
        found = found.where(objects.c.team == caller.team)
    return tuple(object_of(row) for row in transaction.all(found))


def measure(transaction: Transaction, caller: Caller, request: Measure) -> Done:
    """Keep what a robot measured."""
    about = {
        "layer": request.layer,
        "robot": caller.name,
        "team": caller.team,
        "measured_at": transaction.now,
    }
    rows = [about | {"x": one.at.x, "y": one.at.y, "value": one.value} for one in request.samples]
    transaction.run(samples.insert(), rows)
    transaction.tell("measured", team=caller.team, robot=caller.name, layer=request.layer, count=len(rows))
    return Done()


def get_layer(transaction: Transaction, caller: Caller, request: GetLayer) -> Layer:
    """Tell what was measured, the newest last."""
    found = sql.select(samples.c.x, samples.c.y, samples.c.value).where(samples.c.layer == request.layer)
    if not caller.is_super_user:
        found = found.where(samples.c.team == caller.team)
    rows = transaction.all(found.order_by(samples.c.id.desc()).limit(request.limit))
    return Layer(samples=tuple(Sample(at=Spot(x=row.x, y=row.y), value=row.value) for row in reversed(rows)))


def list_layers(transaction: Transaction, caller: Caller, _: ListLayers) -> LayerNames:
    """Tell in which layers something was measured."""
    found = sql.select(samples.c.layer).distinct().order_by(samples.c.layer)
    if not caller.is_super_user:
        found = found.where(samples.c.team == caller.team)
    return LayerNames(names=tuple(row.layer for row in transaction.all(found)))
