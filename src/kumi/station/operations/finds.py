"""What robots discovered and measured, and the files they stored: it belongs to their team."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

import kumi.station.store as db
from kumi.station.operation import LARGEST_FILE, Done, Home, OfMedium, OfTeam, Request, Who, operation
from kumi.station.records import (
    FoundObject,
    Happens,
    Medium,
    Name,
    Number,
    PlaceRecord,
    SampleRecord,
    StationRecord,
    Word,
    Words,
)
from kumi.station.refusals import Reason, Refused, unknown

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.store.transaction import Transaction


class StoredFile(StationRecord, frozen=True, kw_only=True):
    """The number of a file that is now kept."""

    medium: Number


@operation("store_file", Who.ROBOT, changes=True, home=Home.MAP)
class StoreFile(Request[StoredFile], frozen=True, kw_only=True):
    """A robot stores a file; `content` travels as base64 in JSON."""

    name: Name
    kind: Words = "application/octet-stream"
    content: bytes

    def carry_out(self, transaction: Transaction, caller: Caller) -> StoredFile:
        """Keep a file of a robot; one that it stored before, and stores again because no answer came, is kept once."""
        if len(self.content) > LARGEST_FILE:
            raise Refused(
                Reason.TOO_LARGE,
                f"'{self.name}' has {len(self.content)} bytes; a station takes {LARGEST_FILE} at most",
            )
        assert caller.team is not None
        same = db.and_(db.media.c.robot == caller.name, db.media.c.name == self.name)
        before = transaction.one(db.select(db.media.c.id).where(same, db.media.c.content == self.content))
        if before is not None:
            return StoredFile(medium=before.id)
        db.charge(transaction, caller.team, "files", len(self.content))
        number = transaction.insert(
            db.media,
            robot=caller.name,
            team=caller.team,
            name=self.name,
            kind=self.kind,
            content=self.content,
            stored_at=transaction.now,
        )
        transaction.tell(
            Happens.FILE_STORED, team=caller.team, robot=caller.name, medium=number, name=self.name
        )
        return StoredFile(medium=number)


class MediumContent(StationRecord, frozen=True, kw_only=True):
    """A stored file."""

    about: Medium
    content: bytes


@operation("get_medium", Who.OBSERVER, home=Home.MAP)
class GetMedium(OfMedium[MediumContent], frozen=True, kw_only=True):
    """Ask for a stored file."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> MediumContent:
        """Tell a file."""
        row = db.medium_row(transaction, self.medium, content=True)
        assert row is not None
        return MediumContent(about=db.medium_of(row), content=row.content)


@operation("remove_file", Who.COMMANDER, changes=True, home=Home.MAP)
class RemoveFile(OfMedium[Done], frozen=True, kw_only=True):
    """Remove a stored file; what it was filmed of stays on the map, without it."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Take a file away, and give its team the room."""
        row = db.medium_row(transaction, self.medium)
        assert row is not None
        transaction.run(db.objects.update().where(db.objects.c.medium == self.medium).values(medium=None))
        transaction.run(db.media.delete().where(db.media.c.id == self.medium))
        db.charge(transaction, row.team, "files", -row.size)
        return Done()


class Marked(StationRecord, frozen=True, kw_only=True):
    """The number of the object on the map."""

    object: Number


@operation("mark_object", Who.ROBOT, changes=True, home=Home.MAP)
class MarkObject(Request[Marked], frozen=True, kw_only=True):
    """A robot marks something that it discovered."""

    name: Words
    at: PlaceRecord
    medium: Number | None = None

    def carry_out(self, transaction: Transaction, caller: Caller) -> Marked:
        """Put a discovered object on the map; the same one of the same robot is marked once."""
        if self.medium is not None:
            row = db.medium_row(transaction, self.medium)
            if row is None or row.team != caller.team:
                raise unknown(f"there is no file {self.medium} of team '{caller.team}'")
        found: dict[str, Any] = {
            "name": self.name,
            "x": self.at.x,
            "y": self.at.y,
            "robot": caller.name,
            "team": caller.team,
            "medium": self.medium,
        }
        same = [db.objects.c[name].is_not_distinct_from(value) for name, value in found.items()]
        before = transaction.one(db.select(db.objects.c.id).where(*same))
        if before is not None:
            return Marked(object=before.id)
        number = transaction.insert(db.objects, **found, found_at=transaction.now)
        transaction.tell(
            Happens.OBJECT_FOUND,
            team=caller.team,
            robot=caller.name,
            object=number,
            name=self.name,
            x=self.at.x,
            y=self.at.y,
            medium=self.medium,
        )
        return Marked(object=number)


class FoundObjects(StationRecord, frozen=True, kw_only=True):
    """What was discovered."""

    objects: tuple[FoundObject, ...]


@operation("list_objects", Who.OBSERVER, home=Home.MAP)
class ListObjects(Request[FoundObjects], frozen=True, kw_only=True):
    """Ask for what one's team discovered."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> FoundObjects:
        """Tell what was discovered."""
        return FoundObjects(objects=objects_of(transaction, caller))


def objects_of(transaction: Transaction, caller: Caller) -> tuple[FoundObject, ...]:
    """Return what robots of the caller's team discovered, or all robots for a super-user."""
    found = db.select(db.objects).order_by(db.objects.c.id)
    if not caller.is_super_user:
        found = found.where(db.objects.c.team == caller.team)
    return tuple(db.object_of(row) for row in transaction.all(found))


@operation("measure", Who.ROBOT, changes=True, home=Home.MAP)
class Measure(Request[Done], frozen=True, kw_only=True):
    """A robot adds what it measured to a named layer of the map."""

    layer: Word
    samples: Annotated[tuple[SampleRecord, ...], Meta(min_length=1, max_length=10_000)]

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Keep what a robot measured."""
        assert caller.team is not None
        db.charge(transaction, caller.team, "measurements", len(self.samples))
        about = {
            "layer": self.layer,
            "robot": caller.name,
            "team": caller.team,
            "measured_at": transaction.now,
        }
        rows = [about | {"x": one.at.x, "y": one.at.y, "value": one.value} for one in self.samples]
        transaction.run(db.samples.insert(), rows)
        transaction.tell(
            Happens.MEASURED, team=caller.team, robot=caller.name, layer=self.layer, count=len(rows)
        )
        return Done()


class MapLayer(StationRecord, frozen=True, kw_only=True):
    """What was measured, the newest last."""

    samples: tuple[SampleRecord, ...]


@operation("get_layer", Who.MEMBER, home=Home.MAP)
class GetLayer(Request[MapLayer], frozen=True, kw_only=True):
    """Ask for what one's team measured."""

    layer: Word
    limit: Annotated[int, Meta(ge=1, le=100_000)] = 10_000

    def carry_out(self, transaction: Transaction, caller: Caller) -> MapLayer:
        """Tell what was measured, the newest last."""
        found = db.select(db.samples.c.x, db.samples.c.y, db.samples.c.value).where(
            db.samples.c.layer == self.layer
        )
        if not caller.is_super_user:
            found = found.where(db.samples.c.team == caller.team)
        rows = transaction.all(found.order_by(db.samples.c.id.desc()).limit(self.limit))
        return MapLayer(
            samples=tuple(
                SampleRecord(at=PlaceRecord(x=row.x, y=row.y), value=row.value) for row in reversed(rows)
            )
        )


class LayerNames(StationRecord, frozen=True, kw_only=True):
    """The layers in which something was measured."""

    names: tuple[Words, ...]


@operation("list_layers", Who.MEMBER, home=Home.MAP)
class ListLayers(Request[LayerNames], frozen=True, kw_only=True):
    """Ask in which layers one's team measured something."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> LayerNames:
        """Tell in which layers something was measured."""
        found = db.select(db.samples.c.layer).distinct().order_by(db.samples.c.layer)
        if not caller.is_super_user:
            found = found.where(db.samples.c.team == caller.team)
        return LayerNames(names=tuple(row.layer for row in transaction.all(found)))


@operation("remove_layer", Who.COMMANDER, changes=True, home=Home.MAP)
class RemoveLayer(OfTeam[Done], frozen=True, kw_only=True):
    """Remove what a team measured in a layer."""

    layer: Word

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Take the measurements of a layer away, and give the team the room."""
        theirs = db.samples.c.team == self.team, db.samples.c.layer == self.layer
        count = transaction.run(db.samples.delete().where(*theirs))
        if not count:
            raise unknown(f"team '{self.team}' has measured no layer '{self.layer}'")
        db.charge(transaction, self.team, "measurements", -count)
        return Done()
