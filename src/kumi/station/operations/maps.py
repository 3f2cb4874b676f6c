"""The map of the work space, and where robots are on it.

The map is everybody's. It has versions; a robot that knows one asks for what is newer, or for the piece around it.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

import kumi.station.store as db
from kumi import world
from kumi.station.map_changes import MapChanges, changes_between
from kumi.station.operation import Done, Home, Means, Request, Who, operation
from kumi.station.operations.finds import objects_of
from kumi.station.operations.people import tell_rights
from kumi.station.people.secrets import FEED, key_hash
from kumi.station.records import (
    Angle,
    FoundObject,
    Happens,
    Name,
    Number,
    PlaceRecord,
    RobotRecord,
    StationRecord,
)
from kumi.station.refusals import invalid

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.store.transaction import Transaction


class MapAnswer(StationRecord, frozen=True, kw_only=True):
    """The map as a table like that of a scenario file, or what changed in it; neither when it is not newer."""

    version: Number
    map: dict[str, Any] | None
    objects: tuple[FoundObject, ...]
    robots: tuple[RobotRecord, ...]
    changes: MapChanges | None = None


@operation("get_map", Who.MEMBER, home=Home.MAP)
class GetMap(Request[MapAnswer], frozen=True, kw_only=True):
    """Ask for the map, if it is newer than `since`; `around` and `reach` ask for the piece there.

    With `changes` only what changed is told, where the station can tell it.
    """

    since: Number = 0
    around: PlaceRecord | None = None
    reach: Annotated[float, Meta(gt=0.0, le=1e6)] = 10.0
    changes: bool = False

    def carry_out(self, transaction: Transaction, caller: Caller) -> MapAnswer:
        """Tell the map, with what is on it."""
        version = map_version(transaction)
        table = _table(transaction, version) if version > self.since else None
        known = _table(transaction, self.since) if self.changes and self.around is None else None
        changes: MapChanges | None = None
        if table is not None and known is not None:
            changes = changes_between(self.since, known, table)
            table = None if changes is not None else table
        if table is not None and self.around is not None:
            table = world.map_to_table(_map(table).piece((self.around.x, self.around.y), self.reach))
        return MapAnswer(
            version=version,
            map=table,
            objects=objects_of(transaction, caller),
            robots=db.all_robots(transaction),
            changes=changes,
        )


class MapVersion(StationRecord, frozen=True, kw_only=True):
    """The number of the map that is now in use."""

    version: Number


@operation("set_map", Who.SUPER_USER, changes=True, home=Home.MAP)
class SetMap(Request[MapVersion], frozen=True, kw_only=True):
    """Replace the map of the work space, by a table like that of a scenario file, or by the text of a map file."""

    map: dict[str, Any] | None = None
    text: Annotated[str, Meta(max_length=4_000_000)] | None = None

    def carry_out(self, transaction: Transaction, caller: Caller) -> MapVersion:
        """Put a map in place of the one in use."""
        given = self.table()
        if "file" in given:
            raise invalid(
                "a map for a station holds its obstacles itself; 'file' is for maps on one's own disk"
            )
        try:
            table = world.map_to_table(_map(given))
        except (ValueError, TypeError) as error:
            raise invalid(f"that is no map: {error}") from None
        text = msgspec.json.encode(table).decode()
        version = transaction.insert(db.maps, map=text, made_at=transaction.now)
        transaction.tell(Happens.MAP_CHANGED, team=None, version=version)
        return MapVersion(version=version)

    def table(self) -> dict[str, Any]:
        """Return the table of a map that was given in one of two ways."""
        if (self.map is None) == (self.text is None):
            raise invalid("a map is given as 'map', a table, or as 'text', that of a map file")
        if self.map is not None:
            return self.map
        assert self.text is not None
        try:
            table = tomllib.loads(self.text).get("map")
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise invalid(f"that is no map: {error}") from None
        if not isinstance(table, dict):
            raise invalid("that is no map: it has no table [map]")
        return table


def _table(transaction: Transaction, version: int) -> dict[str, Any] | None:
    """Return the map of a version, or None."""
    row = transaction.one(db.select(db.maps.c.map).where(db.maps.c.version == version))
    return None if row is None else msgspec.json.decode(row.map)


def _map(table: dict[str, Any]) -> world.Map:
    return world.map_from_table(table, "map")


def map_version(transaction: Transaction) -> int:
    """Return the number of the newest map; 0 when there is none."""
    return transaction.connection.execute(db.select(db.func.max(db.maps.c.version))).scalar() or 0


@operation("locate", Who.POSITIONING, is_audited=False, home=Home.ROBOT)
class Locate(Request[Done], frozen=True, kw_only=True):
    """A positioning system tells where it sees a robot; `error` is its standard deviation in metres."""

    robot: Name
    at: PlaceRecord
    heading: Angle | None = None
    error: Annotated[float, Meta(gt=0.0, le=100.0)] = 0.05

    async def serve(self, means: Means, caller: Caller) -> Done:
        """Take the fix, for the next report of the robot."""
        await means.known.whose(self.robot)  # or it is refused
        means.positioning.tell(self.robot, self.at, self.heading, self.error)
        return Done()


class FeedKey(StationRecord, frozen=True, kw_only=True):
    """What a positioning system proves itself with; told once."""

    key: str


@operation("make_feed_key", Who.SUPER_USER, changes=True)
class MakeFeedKey(Request[FeedKey], frozen=True, kw_only=True):
    """Make the key with which a positioning system tells where robots are; the one before is worthless then."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> FeedKey:
        """Make the positioning system's key, in place of the one before."""
        key = db.new_secret()
        transaction.run(db.facts.delete().where(db.facts.c.name == FEED))
        transaction.run(db.facts.insert().values(name=FEED, value=key_hash(key).hex()))
        tell_rights(transaction, "the positioning system")
        return FeedKey(key=key)
