"""Nodes find each other, by a folder or by Zenoh, and a node runs until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kumi.contract.messages import Address
from kumi.devs.extras import MissingExtra
from kumi.network.errors import NetworkError
from kumi.network.real import Place
from kumi.network.recorded import read_recording
from kumi.network.running import Discovery, SharedFolder, ZenohDiscovery, run_node, serve_node
from tests.network.peer import Talk, stack
from tests.network.processes import Peer, comes_true
from tests.waiting import free_port

PLACES: dict[Address, Place] = {0: ("127.0.0.1", 5000), 1: ("127.0.0.1", 5001), 2: ("127.0.0.1", 5002)}


async def all_find(discoveries: list[Discovery]) -> list[dict[Address, Place]]:
    """Let nodes look for each other until each has found the two others."""
    seen: list[dict[Address, Place]] = [{} for _ in discoveries]

    def finder(own: Address) -> Callable[[Address, Place], asyncio.Future[None]]:
        def found(address: Address, place: Place) -> asyncio.Future[None]:
            seen[own][address] = place
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            done.set_result(None)
            return done

        return found

    tasks = [
        asyncio.create_task(discovery.run(address, PLACES[address], finder(address)))
        for address, discovery in enumerate(discoveries)
    ]
    await comes_true(lambda: all(len(each) == 2 for each in seen), "each finds the others")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return seen


def others_of(address: Address) -> dict[Address, Place]:
    return {other: place for other, place in PLACES.items() if other != address}


def test_nodes_find_each_other_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "places"
    seen = asyncio.run(all_find([SharedFolder(folder) for _ in range(3)]))

    assert seen == [others_of(address) for address in range(3)]


def test_files_that_are_no_places_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("127.0.0.1 1")
    (tmp_path / "7").write_text("nowhere")
    (tmp_path / "8").write_text("host port")
    seen = asyncio.run(all_find([SharedFolder(tmp_path) for _ in range(3)]))

    assert seen == [others_of(address) for address in range(3)]


def test_nodes_find_each_other_with_zenoh() -> None:
    """Over the loopback: the others connect to the endpoint where the first one listens."""
    pytest.importorskip("zenoh")
    first = f"tcp/127.0.0.1:{free_port()}"
    group = f"test-{os.getpid()}"
    discoveries: list[Discovery] = [
        ZenohDiscovery(group, listen=first),
        ZenohDiscovery(group, listen="tcp/127.0.0.1:0", connect=first),
        ZenohDiscovery(group, listen="tcp/127.0.0.1:0", connect=first),
    ]

    assert asyncio.run(all_find(discoveries)) == [others_of(address) for address in range(3)]


def test_a_missing_zenoh_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zenoh", None)

    with pytest.raises(
        MissingExtra, match=r"zenoh is not installed; .* install 'eclipse-zenoh>=1.0'` brings it"
    ):
        ZenohDiscovery()


def test_a_group_of_zenoh_is_a_word() -> None:
    pytest.importorskip("zenoh")
    with pytest.raises(NetworkError, match=r"a group's name is a word .* not 'a/b'"):
        ZenohDiscovery("a/b")


# Running a node.


def test_a_run_has_an_end() -> None:
    outcome = run_node(0, {0: None}, lambda node: stack(node, 3, 0.001), until=0.1)

    assert outcome.node.resident[Talk].got == [(0, 0), (0, 1), (0, 2)]  # type: ignore[index]
    assert outcome.run.time == 0.1
    assert outcome.network.dropped == {}


def test_two_runs_of_a_node_draw_different_numbers() -> None:
    """A node that comes back must not take its new messages for those of its former life."""
    seeds = {run_node(0, {0: None}, lambda node: stack(node, 0), until=0.0).run.seed for _ in range(3)}

    assert len(seeds) == 3


def test_what_lives_on_the_node_raises_out_of_the_run() -> None:
    class Broken(Talk):
        def _say(self) -> None:
            raise ArithmeticError("no numbers left")

    def move_in(node):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
        made = stack(node, 1)
        made.layers[0].__class__ = Broken
        return made

    with pytest.raises(ArithmeticError, match="no numbers left"):
        run_node(0, {0: None}, move_in, until=5.0)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_cleanly(tmp_path: Path, kind: signal.Signals) -> None:
    """The process ends by itself, and its recording is whole."""
    peer = Peer("talk", 0, 1, "udp", 10_000, tmp_path)
    peer.wait_until(lambda peer: len(peer.got) > 3)
    os.kill(peer.process.pid, kind)
    peer.wait()

    assert peer.process.returncode == 0
    assert peer.over is not None
    assert read_recording(tmp_path / "0.recording").end is not None


def test_discovery_needs_a_host_that_others_can_reach(tmp_path: Path) -> None:
    everywhere = ("0.0.0.0", 0)  # noqa: S104  # refused

    async def run() -> None:
        await serve_node(
            0, {0: everywhere}, lambda node: stack(node, 0), discovery=SharedFolder(tmp_path), until=0.1
        )

    with pytest.raises(NetworkError, match="it listens at one host"):
        asyncio.run(run())
