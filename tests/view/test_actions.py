"""Who may act on a run that is shown, and how the others are refused: over HTTP, as any program could try."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from kumi.control import LiveActions
from kumi.recording import RunFile, RunMeta
from kumi.stage import Stage
from kumi.view import LiveFeed, RecordedFeed, ViewServer
from kumi.view.actions import MOST_BYTES, NO_ACTIONS, OBSERVER, WRONG
from kumi.world import World
from tests.control.stages import rest
from tests.view.runs import write_errand


@pytest.fixture(scope="module")
def shown() -> Iterator[tuple[ViewServer, Stage]]:
    acting = LiveActions()
    with Stage(World(), between=acting.between, pace=20.0) as stage:
        stage.add(rest, at=(0.0, 0.0))
        acting.join(stage)
        feed = LiveFeed(RunMeta(), "a run", stage.world.snapshot, acting)
        thread = threading.Thread(target=stage.run, args=(1e6,))
        thread.start()
        try:
            with ViewServer(feed) as server:
                yield server, stage
        finally:
            stage.end()
            thread.join()


def ask(server: ViewServer, action: str, key: str | None, **about: object) -> tuple[int, str]:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    answer = httpx.post(f"{server.url}action/{action}", headers=headers, json=about)
    return answer.status_code, answer.text


def test_who_has_the_key_acts(shown: tuple[ViewServer, Stage]) -> None:
    server, _ = shown
    assert ask(server, "goTo", server.key, robot=0, at={"x": 1.0, "y": 0.0}) == (200, "null")
    status, text = ask(server, "drawWall", server.key, **{"from": {"x": 5, "y": 5}, "to": {"x": 5, "y": 6}})
    assert (status, text) == (200, "0")
    assert ask(server, "saveMap", server.key)[1].count("wall = ") == 1


def test_without_the_key_nothing_happens(shown: tuple[ViewServer, Stage]) -> None:
    server, _ = shown
    wall = {"from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 8}}
    before = ask(server, "saveMap", server.key)
    assert ask(server, "drawWall", None, **wall) == (403, OBSERVER)
    assert ask(server, "drawWall", "wrong", **wall) == (403, WRONG)
    assert ask(server, "drawWall", "schlüssel".encode().hex(), **wall) == (403, WRONG)
    assert ask(server, "saveMap", server.key) == before


def test_the_key_of_a_server_is_worthless_for_the_next_one(shown: tuple[ViewServer, Stage]) -> None:
    server, _ = shown
    with ViewServer(LiveFeed(RunMeta(), "another", bytes, LiveActions())) as other:
        assert other.key != server.key
        assert ask(other, "stop", server.key) == (403, WRONG)


def test_what_makes_no_sense_is_refused_with_a_sentence(shown: tuple[ViewServer, Stage]) -> None:
    server, _ = shown
    status, text = ask(server, "fly", server.key)
    assert (status, text[:28]) == (404, "A run knows no action 'fly';")
    status, text = ask(server, "goTo", server.key, robot="a")
    assert status == 400
    assert text.startswith("goTo cannot be read: ")
    assert ask(server, "goTo", server.key, robot=5, at={"x": 0, "y": 0}) == (
        409,
        "Robot 5 has no program, so it takes no orders.",
    )
    status, text = ask(server, "giveCode", server.key, robot=0, name="a.py", code="")
    assert (status, text[:23]) == (409, "This run takes no code:")
    answer = httpx.post(
        f"{server.url}action/stop",
        headers={"Authorization": f"Bearer {server.key}"},
        content=b" " * (MOST_BYTES + 1),
    )
    assert answer.status_code == 413


def test_only_a_post_to_this_very_server_acts(shown: tuple[ViewServer, Stage]) -> None:
    server, _ = shown
    headers = {"Authorization": f"Bearer {server.key}"}
    assert httpx.get(f"{server.url}action/stop", headers=headers).status_code == 405
    elsewhere = {**headers, "Host": "evil.example"}
    assert httpx.post(f"{server.url}action/stop", headers=elsewhere, content=b"{}").status_code == 421


def test_a_recorded_run_offers_nothing(tmp_path: Path) -> None:
    with ViewServer(RecordedFeed(RunFile(write_errand(tmp_path / "errand.kumi")))) as server:
        assert httpx.get(server.url + "run").json()["actions"] == []
        assert server.key is None
        assert server.acting_url == server.url
        assert ask(server, "stop", None) == (409, NO_ACTIONS)


def test_the_description_says_what_can_be_done_and_never_the_key(shown: tuple[ViewServer, Stage]) -> None:
    server, _ = shown
    answer = httpx.get(server.url + "run")
    assert "goTo" in answer.json()["actions"]
    assert answer.json()["logIn"] is False
    assert server.key is not None
    assert server.key not in answer.text
    assert server.acting_url == f"{server.url}#key={server.key}"
