"""What the pages that show a station get: all the same where they may see the same, and nothing that is not theirs."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets

from kumi.geometry import Point
from kumi.recording import BodyAdded, BodyNote, JournalReader, Reserved, ReservedZone
from kumi.station.callers import STATION
from kumi.station.client import AsyncClient, Client
from kumi.station.operations.finds import MarkObject, StoreFile
from kumi.station.operations.floor import Reserve
from kumi.station.operations.maps import SetMap
from kumi.station.operations.people import LogIn, RevokeTokens, SetRole
from kumi.station.operations.robots import ReportPosition, Welcome
from kumi.station.operations.tasks import GiveTask
from kumi.station.records import PlaceRecord, PoseRecord
from kumi.station.refusals import Refused
from kumi.view.live import FRAME_HEAD, FRESH, JOURNAL, LiveViewer
from kumi.view.station_feed import StationFeed
from tests.station.conftest import PASSWORD, Little
from tests.station.processes import Running, running
from tests.waiting import PATIENCE, free_port, until

Template = tuple[Path, dict[str, str], dict[str, str]]
MAP = {"width": 9.0, "height": 5.0}


class Watching:
    """What one viewer got so far."""

    def __init__(self, viewer: LiveViewer) -> None:
        self.viewer = viewer
        self.pieces: list[bytes | str] = []

    async def until(self, holds: Callable[[], bool]) -> None:
        """Take what comes until something holds."""

        def came() -> bool:
            self.pieces += self.viewer.take()
            return holds()

        await until(came)

    @property
    def words(self) -> list[dict[str, Any]]:
        """What was said beside the journal."""
        return [json.loads(one) for one in self.pieces if isinstance(one, str)]

    @property
    def notes(self) -> list[tuple[int, str]]:
        """What the journal notes, and of whom."""
        journals = [one for one in self.pieces if isinstance(one, bytes)]
        records = [each for one in journals for each in JournalReader().read(one[FRAME_HEAD.size :])]
        return [(one.body or 0, one.text) for one in records if isinstance(one, BodyNote)]

    @property
    def reserved(self) -> list[Reserved]:
        """What the journal tells of reserved floor."""
        journals = [piece[FRAME_HEAD.size :] for piece in self.pieces if isinstance(piece, bytes)]
        records = [each for journal in journals for each in JournalReader().read(journal)]
        return [each for each in records if isinstance(each, Reserved)]

    def all_of(self, kind: str) -> list[dict[str, Any]]:
        """Return the words of one kind."""
        return [one for one in self.words if one["kind"] == kind]


def shown(little: Little, story: Callable[[StationFeed], Awaitable[None]]) -> None:
    """Tell a story of a station that is looked at; the robots are at (1, 1) and (2, 2)."""

    async def run() -> None:
        for place, tag in enumerate(("red robot", "blue robot"), 1):
            pose = PoseRecord(x=float(place), y=float(place))
            await little.service.call(Welcome(pose=pose), little.caller(tag))
        await little.service.call(SetMap(map=MAP), STATION)
        await story(StationFeed(little.service))

    asyncio.run(run())


def watch(little: Little, feed: StationFeed, who: str) -> Watching:
    return Watching(feed.channel(little.caller(who)).join())


def test_who_comes_gets_all_robots_the_map_and_what_the_own_team_found(little: Little) -> None:
    little.call(MarkObject(name="cup", at=PlaceRecord(x=3.0, y=4.0)), "red robot")

    async def story(feed: StationFeed) -> None:
        red, blue = watch(little, feed, "red observer"), watch(little, feed, "blue observer")
        for one in (red, blue):
            await one.until(lambda one=one: bool(one.all_of("objects")))  # type: ignore[misc]
            state = one.pieces[0]
            assert isinstance(state, bytes)
            assert FRAME_HEAD.unpack_from(state)[0] == FRESH
            added = [
                each for each in JournalReader().read(state[FRAME_HEAD.size :]) if isinstance(each, BodyAdded)
            ]
            assert [(each.body, *each.pose.position) for each in added] == [(0, 2.0, 2.0), (1, 1.0, 1.0)]
            (robots,), (table,) = one.all_of("robots"), one.all_of("map")
            known = {"tag": "blue robot", "team": "blue", "body": "robot", "state": "connected"}
            assert robots["robots"]["0"] == known
            assert table["map"] == MAP
        assert [each["name"] for each in red.all_of("objects")[0]["objects"]] == ["cup"]
        assert blue.all_of("objects")[0]["objects"] == []

    shown(little, story)


def test_floor_that_robots_reserved_is_shown_to_all(little: Little) -> None:
    """Red stands at (1, 1) and may drive a metre; blue, which was seen at (2, 2) and reserves nothing, has 25 cm around it.
    Blue, and who comes later, see that.
    """

    async def story(feed: StationFeed) -> None:
        blue = watch(little, feed, "blue observer")
        await blue.until(lambda: bool(blue.all_of("objects")))
        way = Reserve(
            way=1,
            at=PlaceRecord(x=1.0, y=1.0),
            radius=0.2,
            pieces=((PlaceRecord(x=1.0, y=1.0), PlaceRecord(x=2.0, y=1.0)),),
        )
        answer = await little.service.call(way, little.caller("red robot"))
        assert answer.state == "granted"
        await blue.until(lambda: bool(blue.reserved))
        here, ahead = Point(1.0, 1.0), Point(2.0, 1.0)
        zones = (ReservedZone((here,), 0.2), ReservedZone((here, ahead), 0.2))
        seen = (ReservedZone((Point(2.0, 2.0),), 0.4),)
        assert {one.body: one.zones for one in blue.reserved} == {0: seen, 1: zones}
        late = watch(little, feed, "red observer")
        await late.until(lambda: bool(late.reserved))
        assert {one.body: one.zones for one in late.reserved} == {0: seen, 1: zones}
        little.service.floor.restart(0.0)
        await blue.until(lambda: [one.zones for one in blue.reserved[-2:]] == [(), ()])

    shown(little, story)


def test_what_happens_to_a_team_is_not_sent_to_another(little: Little) -> None:
    """Red is given a task and finds something; blue and red see that red moved, red and the chief the rest."""

    async def story(feed: StationFeed) -> None:
        red, blue = watch(little, feed, "red observer"), watch(little, feed, "blue commander")
        chief = watch(little, feed, "chief")
        for one in (red, blue, chief):
            await one.until(lambda one=one: bool(one.all_of("objects")))  # type: ignore[misc]
        task = GiveTask(robot="red robot", task="goTo", arguments={"at": {"x": 1.0, "y": 2.0}})
        given = await little.service.call(task, little.caller("red commander"))
        medium = await little.service.call(
            StoreFile(name="secret.mp4", content=b"film"), little.caller("red robot")
        )
        mark = MarkObject(name="treasure", at=PlaceRecord(x=3.0, y=4.0), medium=medium.medium)
        await little.service.call(mark, little.caller("red robot"))
        await little.service.call(ReportPosition(pose=PoseRecord(x=1.5, y=1.0)), little.caller("red robot"))
        await little.service.call(SetMap(map={**MAP, "width": 10.0}), STATION)
        for one in (red, blue, chief):
            await one.until(lambda one=one: len(one.all_of("map")) == 2)  # type: ignore[misc]
            assert one.all_of("map")[1]["map"]["width"] == 10.0
        for one in (red, chief):
            assert (1, f"got goTo (task {given.task})") in one.notes
            assert (1, "found 'treasure' at (3.00, 4.00)") in one.notes
            (found,) = one.all_of("objects")[-1]["objects"]
            assert (found["name"], found["media"]) == ("treasure", medium.medium)
        assert [text for _, text in blue.notes] == ["the map changed: version 2"]
        said = b"".join(one.encode() if isinstance(one, str) else one for one in blue.pieces)
        assert not any(secret in said for secret in (b"treasure", b"secret", b"goTo"))

    shown(little, story)


def test_twenty_viewers_of_a_team_share_the_bytes(little: Little) -> None:
    async def story(feed: StationFeed) -> None:
        viewers = [watch(little, feed, "red observer") for _ in range(20)]
        for one in viewers:
            await one.until(lambda one=one: bool(one.all_of("objects")))  # type: ignore[misc]
            one.pieces.clear()
        await little.service.call(ReportPosition(pose=PoseRecord(x=1.5, y=1.0)), little.caller("red robot"))
        for one in viewers:
            await one.until(lambda one=one: bool(one.pieces))  # type: ignore[misc]
        first = viewers[0].pieces[0]
        assert isinstance(first, bytes)
        assert first[0] == JOURNAL
        assert all(one.pieces[0] is first for one in viewers)

    shown(little, story)


def test_while_nobody_looks_nothing_is_done(little: Little) -> None:
    async def story(feed: StationFeed) -> None:
        red = watch(little, feed, "red observer")
        await red.until(lambda: bool(red.pieces))
        assert len(asyncio.all_tasks()) > 1
        red.viewer.close()
        await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})  # nobody works but this story
        reached = feed.clock["time"]
        await little.service.call(ReportPosition(pose=PoseRecord(x=1.5, y=1.0)), little.caller("red robot"))
        assert feed.clock["time"] == reached
        again = watch(little, feed, "red observer")
        await again.until(lambda: bool(again.pieces))
        assert feed.clock["time"] > reached

    shown(little, story)


@pytest.fixture(scope="module")
def station(template: Template, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A station in a process of its own."""
    folder = tmp_path_factory.mktemp("page feed")
    shutil.copy(template[0], folder / "station.db")
    with running(folder, free_port()) as one:
        yield one


def address(station: Running) -> str:
    return station.url.replace("http", "ws") + "/feed"


@pytest.mark.slow
def test_the_page_is_for_everybody_and_tells_nothing_of_the_robots(station: Running) -> None:
    assert "kumi-view" in httpx.get(station.url).text
    described = httpx.get(f"{station.url}/run").json()

    assert described["isStation"]
    assert described["logIn"]
    assert (described["map"], described["robots"]) == ({}, {})


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("{}", "the first word of a page says who looks; log in"),
        ('{"kind": "prove", "token": ""}', "this operation needs a token; log in first"),
        ('{"kind": "prove", "token": "1.abc"}', "this token is not valid, or was revoked; log in again"),
        ("robot", "this operation is for users, not for robots"),
    ],
)
def test_nothing_is_shown_before_somebody_known_looks(
    station: Running, template: Template, first: str, said: str
) -> None:
    if first == "robot":
        first = json.dumps({"kind": "prove", "token": f"robot:red robot:{template[2]['red robot']}"})

    async def look() -> None:
        async with websockets.connect(address(station)) as socket:
            await socket.send(first)
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4401, said)

    asyncio.run(look())


def test_a_page_from_elsewhere_is_refused(station: Running) -> None:
    async def look() -> None:
        with pytest.raises(websockets.InvalidStatus):
            async with websockets.connect(address(station), origin="http://evil.example"):  # type: ignore[arg-type]
                pass

    asyncio.run(look())


@pytest.mark.slow
def test_a_new_role_shows_more_and_a_revoked_token_ends_the_talk(
    station: Running, template: Template
) -> None:
    with Client(station.url) as client:
        mine = client.call(LogIn(name="blue observer", password=PASSWORD)).token
        client.use(template[1]["chief"])

        async def look() -> None:
            async with websockets.connect(address(station)) as socket:
                await socket.send(json.dumps({"kind": "prove", "token": mine}))
                assert await known(socket) == ("blue", "observer")
                await asyncio.to_thread(client.call, SetRole(name="blue observer", role="super-user"))
                assert await known(socket) == ("blue", "super-user")
                await asyncio.to_thread(client.call, RevokeTokens(name="blue observer"))
                with pytest.raises(websockets.ConnectionClosed) as closed:
                    await known(socket)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 4401
                assert "revoked; log in again" in closed.value.rcvd.reason

        asyncio.run(look())


async def known(socket: websockets.ClientConnection) -> tuple[str, str]:
    """Wait until the station says who looks."""
    while True:
        said = await asyncio.wait_for(socket.recv(), PATIENCE)
        if isinstance(said, str) and (one := json.loads(said))["kind"] == "known":
            return one["team"], one["role"]


@pytest.mark.slow
def test_a_gateway_shows_floor_that_another_process_keeps_and_the_next_one_after_that(
    template: Template, tmp_path: Path
) -> None:
    """The first of two controllers keeps the floor. When it is killed what it granted is gone, until robots ask again."""
    shutil.copy(template[0], tmp_path / "station.db")
    role = "--role", "controller"
    key = f"robot:red robot:{template[2]['red robot']}"
    here, ahead = Point(1.0, 1.0), Point(2.0, 1.0)
    both = (ReservedZone((here,), 0.2), ReservedZone((here, ahead), 0.2))
    with (
        running(tmp_path, free_port(), *role) as first,
        running(tmp_path, free_port(), *role),
        running(tmp_path, free_port(), "--role", "gateway") as gateway,
    ):

        async def ask(robot: AsyncClient, way: int) -> None:
            """Ask until it is granted: processes have to meet, and a new keeper waits for all robots."""
            here = PlaceRecord(x=1.0, y=1.0)
            piece = here, PlaceRecord(x=2.0, y=1.0)
            asked = Reserve(way=way, at=here, radius=0.2, pieces=(piece,))

            async def is_granted() -> bool:
                with suppress(Refused):
                    return (await robot.call(asked)).state == "granted"
                return False

            await until(is_granted)

        async def look() -> None:
            async with (
                AsyncClient(gateway.url, key) as robot,
                websockets.connect(address(gateway)) as socket,
            ):
                await socket.send(json.dumps({"kind": "prove", "token": template[1]["red observer"]}))
                await robot.call(Welcome(pose=PoseRecord(x=1.0, y=1.0)))
                await ask(robot, 1)
                await told_reserved(socket, both)
                first.kill()
                await told_reserved(socket, ())
                await ask(robot, 2)
                await told_reserved(socket, both)

        asyncio.run(look())


async def told_reserved(socket: websockets.ClientConnection, zones: tuple[ReservedZone, ...]) -> None:
    """Wait until the page is told that a robot has reserved just these zones."""
    async with asyncio.timeout(PATIENCE):
        while True:
            said = await socket.recv()
            records = JournalReader().read(said[FRAME_HEAD.size :]) if isinstance(said, bytes) else ()
            if any(isinstance(one, Reserved) and one.zones == zones for one in records):
                return
