"""What the server of the page answers, and to whom."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import websockets

from kumi.recording import RunFile, RunMeta
from kumi.recording.chunks import CHUNK_HEAD, HEAD_CHECK, ChunkKind, Packing
from kumi.stage import Progress
from kumi.view import LiveFeed, RecordedFeed, ViewServer
from kumi.view.server import ViewError
from tests.view.runs import END, NAMES, TITLE, write_errand
from tests.view.test_live_feed import STATE, a_note
from tests.waiting import PATIENCE


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFile:
    return RunFile(write_errand(tmp_path_factory.mktemp("view") / "errand.kumi"))


@pytest.fixture(scope="module")
def server(run: RunFile) -> Iterator[ViewServer]:
    with ViewServer(RecordedFeed(run)) as server:
        yield server


def test_the_page_is_served_and_may_load_nothing_from_elsewhere(server: ViewServer) -> None:
    for name, kind in {"": "text/html", "page.js": "text/javascript", "page.css": "text/css"}.items():
        answer = httpx.get(server.url + name)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy


def test_a_run_is_described_and_its_chunks_are_those_of_the_file(server: ViewServer, run: RunFile) -> None:
    described = httpx.get(server.url + "run").json()

    assert described["title"] == TITLE
    assert described["end"] == END
    assert described["isLive"] is False
    assert described["robots"] == {str(number): name for number, name in NAMES.items()}
    kinds: dict[ChunkKind, list[bytes]] = {kind: [] for kind in ChunkKind}
    for number, entry in enumerate(run.chunks):
        chunk = httpx.get(f"{server.url}chunk/{number}").content
        kind, packing, length, unpacked, time, _ = CHUNK_HEAD.unpack_from(chunk)
        inside = chunk[CHUNK_HEAD.size + HEAD_CHECK.size :]
        assert (kind, packing, length, time) == (entry.kind, Packing.ZLIB, len(inside), entry.time)
        kinds[kind].append(zlib.decompress(inside))
        assert len(kinds[kind][-1]) == unpacked
    assert kinds[ChunkKind.JOURNAL] == list(run.journal())
    assert httpx.get(f"{server.url}chunk/{len(run.chunks)}").status_code == 404


def test_a_damaged_chunk_is_refused_with_a_sentence(tmp_path: Path) -> None:
    run = RunFile(write_errand(tmp_path / "damaged.kumi"))
    data = bytearray(run.path.read_bytes())
    data[run.chunks[2].at + 30] ^= 0xFF
    run.path.write_bytes(data)

    with ViewServer(RecordedFeed(run)) as server:
        answer = httpx.get(server.url + "chunk/2")
        assert answer.status_code == 410
        assert "is damaged at byte" in answer.text
        assert httpx.get(server.url + "chunk/1").status_code == 200


def test_another_name_for_this_machine_is_refused(server: ViewServer) -> None:
    """A page from elsewhere can have a name that leads here; it learns nothing."""
    assert httpx.get(server.url + "run", headers={"Host": "evil.example"}).status_code == 421


def test_a_socket_opens_only_for_the_page_itself(server: ViewServer) -> None:
    async def opens(origin: str) -> bool:
        try:
            async with websockets.connect(
                f"ws://{server.host}:{server.port}/feed", origin=websockets.Origin(origin)
            ):
                return True
        except websockets.InvalidStatus:
            return False

    assert asyncio.run(opens(server.url.rstrip("/")))
    assert not asyncio.run(opens("http://evil.example"))


def test_a_word_that_is_not_understood_ends_the_socket(server: ViewServer) -> None:
    async def say(text: str) -> int | None:
        async with websockets.connect(f"ws://{server.host}:{server.port}/feed") as socket:
            await socket.send(text)
            await socket.wait_closed()
            return socket.close_code

    for text in ("{}", "no json", '{"kind": "other"}'):
        assert asyncio.run(say(text)) == 1003


def test_windows_together_take_over_what_one_sets(server: ViewServer) -> None:
    setting = {"kind": "playing", "isPlaying": False, "isLive": False, "at": 3.0, "stamp": 1.0, "speed": 1.0}

    async def pass_on() -> list[dict[str, object]]:
        address = f"ws://{server.host}:{server.port}/feed?together"

        async def heard(socket: websockets.ClientConnection) -> dict[str, object]:
            word: dict[str, object] = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
            return word

        async with websockets.connect(address) as one, websockets.connect(address) as other:
            begun = [await heard(one), await heard(other)]
            await one.send(json.dumps(setting))
            told = await heard(other)
            async with websockets.connect(address) as late:
                return [*begun, told, await heard(late)]

    first, second, told, late = asyncio.run(pass_on())
    assert first == second
    assert first["isPlaying"] is True
    assert told == late == setting


def test_a_live_run_comes_by_itself() -> None:
    feed = LiveFeed(RunMeta(), "a run", lambda: STATE)

    async def watch(server: ViewServer) -> list[str | bytes]:
        async with websockets.connect(f"ws://{server.host}:{server.port}/feed") as socket:
            first = await socket.recv()  # how far it has got: there is a viewer now
            feed.tell(Progress(1.0, 1.0, 1, 0))
            feed.write(a_note(1.5))
            feed.tell(Progress(2.0, 2.0, 2, 0))
            heard = [first]
            while not (isinstance(heard[-1], str) and json.loads(heard[-1])["time"] == 2.0):
                heard.append(await asyncio.wait_for(socket.recv(), PATIENCE))
            return heard

    with ViewServer(feed) as server:
        heard = asyncio.run(watch(server))
    assert [one[0] for one in heard if isinstance(one, bytes)] == [1, 3]
    assert [one[9:] for one in heard if isinstance(one, bytes)] == [STATE, a_note(1.5)]


def test_an_address_that_is_taken_is_named(server: ViewServer, run: RunFile) -> None:
    with pytest.raises(ViewError, match=f"{server.port}: Address already in use"):
        ViewServer(RecordedFeed(run), port=server.port)
