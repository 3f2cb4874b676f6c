"""How does a station get to the pages that show it?

While somebody looks, the feed looks, too: twenty times a second at where robots were heard, four times a second at the store for
all else, and at what happened as soon as it is on disk. Reserved floor is looked at twenty times a second where this process
keeps it, and four times where another does. What is new becomes a journal like that of a run, the same bytes for all who may
see the same. While nobody looks nothing is done.

Time is in seconds since the feed was made, by a clock that does not jump. Everything happens in the loop of the gateway.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import Any

import msgspec
import sqlalchemy as sql

from kumi.recording import note_record
from kumi.recording.description import Description
from kumi.station.callers import Caller
from kumi.station.floor.reservation_log import FloorNews
from kumi.station.operations.maps import map_version
from kumi.station.records import FoundObject, Happens, PlaceRecord, RobotRecord
from kumi.station.refusals import Refused
from kumi.station.service.service import Service
from kumi.station.store.rows import all_robots, object_of
from kumi.station.store.schema import maps, objects
from kumi.station.store.transaction import LogNotice, Transaction
from kumi.view.station_channel import StationChannel, word, words_of
from kumi.view.station_crowd import StationCrowd, instant

POLL_PERIOD = 0.05
"""Seconds between two looks at where robots were heard."""
READ = 0.25
"""Seconds between two looks at the store: as often as positions are written."""
ACTIONS = (
    "goTo",
    "followPath",
    "examineArea",
    "stop",
    "giveCode",
    "drawWall",
    "removeWall",
    "loadMap",
    "saveMap",
)
"""What the page may ask of a station; who may is checked with each operation."""


class StationFeed:
    """Shows a station, as the gateway of a process sees it."""

    def __init__(self, service: Service) -> None:
        self.description = Description(
            title=service.about.name, is_live=True, end=0.0, actions=ACTIONS, log_in=True, is_station=True
        )
        self.clock: Mapping[str, Any] = {}
        self._service = service
        self._crowd = StationCrowd(POLL_PERIOD)
        self._channels: dict[str | None, StationChannel] = {}
        self._ready: set[str | None] = set()  # channels whose objects are known
        self._told: list[LogNotice] = []
        self._map: tuple[int, Any] = (0, {})
        self._state = (-1.0, b"")
        self._booked = FloorNews()  # what was told of the reserved floor
        self._reserved = b""  # what of it is new for the journal
        self._began = monotonic()
        self._looking: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tick(0, 0)
        service.store.listen(self._on_commit)

    def channel(self, caller: Caller) -> StationChannel:
        """Return what somebody may see."""
        team = None if caller.is_super_user else caller.team
        return self._channels.setdefault(team, StationChannel(self, team))

    def state(self, now: float) -> bytes:
        """Return all bodies as they are drawn at an instant; made once for all who need it."""
        if self._state[0] != now:
            self._state = now, self._crowd.state(now)
        return self._state[1]

    def words(self) -> list[str]:
        """Return what everybody may know beside that: robots and the map."""
        version, table = self._map
        return [_robots(self._crowd.known, is_all=True), word("map", version=version, map=table)]

    def wake(self) -> None:
        """Begin to look, unless that is done already."""
        if self._looking is None or self._looking.done():
            self._loop = asyncio.get_running_loop()
            self._looking = asyncio.ensure_future(self._look())

    async def _look(self) -> None:
        floor = asyncio.ensure_future(self._look_at_floor())
        try:
            await self._look_at_robots()
        finally:
            floor.cancel()

    async def _look_at_robots(self) -> None:
        self._told.clear()
        self._ready.clear()
        due = -1.0
        while any(channel.is_watched for channel in self._channels.values()):
            read = None
            fresh = [team for team in self._channels if team not in self._ready]
            if self._now >= due or fresh:
                with suppress(Refused):  # the store is away: what is known stays as it is
                    read = await asyncio.to_thread(self._read, fresh)
                    due = self._now + READ
            self._take(read)
            await asyncio.sleep(POLL_PERIOD)

    async def _look_at_floor(self) -> None:
        """Follow what is reserved, by whichever process keeps the floor; one that does not answer is asked again."""
        while True:
            with suppress(Refused):
                self._booked = await self._service.booked(self._booked)
                self._reserved += self._crowd.reserve(self._booked)
            is_here = self._booked.keeper == self._service.store.process
            await asyncio.sleep(POLL_PERIOD if is_here else READ)

    def _read(self, fresh: list[str | None]) -> _Read:
        """Look at the store, on a thread beside the loop."""
        with self._service.store.reading() as transaction:
            version = map_version(transaction)
            table = _map(transaction, version) if version != self._map[0] else None
            found = {team: _objects(transaction, team) for team in fresh}
            return _Read(all_robots(transaction), version, table, found)

    def _take(self, read: _Read | None) -> None:
        """Make of what is new what viewers get."""
        now, words, moved = self._now, [], b""
        told, self._told = self._told, []
        if read is not None:
            moved, news = self._crowd.robots(read.robots, self._service.positioning.heard, now)
            words += [_robots(news)] if news else []
            if read.map is not None:
                self._map = read.version, read.map
                words.append(word("map", version=read.version, map=read.map))
            for team, found in read.objects.items():
                self._channels[team].objects = found
                self._ready.add(team)
        moved += self._crowd.hear(self._service.positioning.heard, now)
        moved += self._reserved
        self._reserved = b""
        plain = instant(now) + moved if moved else b""
        for team in self._ready:
            channel = self._channels[team]
            self._give(channel, plain, words, [one for one in told if channel.may_know(one)], now)
        self._tick(now, len(told))

    def _give(
        self, channel: StationChannel, plain: bytes, words: list[str], told: list[LogNotice], now: float
    ) -> None:
        journal = plain
        if told:
            said = [
                one for one in told if one.kind != Happens.TASK_OUTPUT
            ]  # many a second: read with the task
            notes = b"".join(note_record(self._crowd.number(one.robot), words_of(one)) for one in said)
            journal = (plain or instant(now)) + notes
            known = {one.id for one in channel.objects}
            found = [_object(one) for one in told if one.kind == "object_found"]
            found = [one for one in found if one.id not in known]
            channel.objects += found
            words = [*words, word("objects", objects=found, isAll=False)] if found else words
            words = [*words, word("happened", happened=told)]
        channel.write(journal, words)
        channel.refresh(now)

    def _tick(self, now: float, events: int) -> None:
        before = self.clock.get("events", 0)
        self.clock = {
            "stamp": self._began + now,
            "time": now,
            "events": before + events,
            "contacts": 0,
            "wall": now,
            "isOver": False,
        }

    @property
    def _now(self) -> float:
        return monotonic() - self._began

    def _on_commit(self, told: list[LogNotice]) -> None:
        """Go on in the loop, from the thread that writes."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended: nobody looks any more
                self._loop.call_soon_threadsafe(self._hear, told)

    def _hear(self, told: list[LogNotice]) -> None:
        if self._looking is not None and not self._looking.done():
            self._told += told


class _Read(msgspec.Struct):
    """What was found in the store; the map only where it is another one, objects only for new channels."""

    robots: tuple[RobotRecord, ...]
    version: int
    map: Any | None
    objects: dict[str | None, list[FoundObject]]


def _robots(known: Mapping[int, object], *, is_all: bool = False) -> str:
    return word("robots", robots=known, isAll=is_all)


def _map(transaction: Transaction, version: int) -> Any:
    row = transaction.one(sql.select(maps.c.map).where(maps.c.version == version))
    return {} if row is None else msgspec.json.decode(row.map)


def _objects(transaction: Transaction, team: str | None) -> list[FoundObject]:
    found = sql.select(objects).order_by(objects.c.id)
    rows = transaction.all(found if team is None else found.where(objects.c.team == team))
    return [object_of(row) for row in rows]


def _object(told: LogNotice) -> FoundObject:
    data = told.data
    return FoundObject(
        id=data["object"],
        name=data["name"],
        at=PlaceRecord(x=data["x"], y=data["y"]),
        robot=told.robot or "",
        team=told.team or "",
        media=data["medium"],
        found_at=told.at,
    )
