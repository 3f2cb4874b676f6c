"""The same scenario runs over real sockets when one word of it is changed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE, wait_for

FIRST = 7450
"""A port that the system gives to nobody who asks for any."""


def own_places(count: int) -> list[tuple[str, int]]:
    """Return places of this machine that nobody else has: at an address that is made of this process' number."""
    high, low = divmod(os.getpid() % 0xFFFFFF, 0x100)
    host = f"127.{1 + high // 0x100 % 0xFE}.{high % 0x100}.{low}"
    return [(host, FIRST + number) for number in range(count)]


def is_taken(place: tuple[str, int]) -> bool:
    """Tell whether somebody listens there for datagrams."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.bind(place)
        except OSError:
            return True
    return False


def started(*arguments: str) -> subprocess.Popen[str]:
    """Start a run of the scenario."""
    command = [sys.executable, "-m", "kumi", "run", "asking-for-help", "--json", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str], code: int = 0) -> dict[str, object]:
    """Return what a run printed at its end."""
    printed, complained = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, complained
    found: dict[str, object] = json.loads(printed)
    return found


def first_calls(log: Path) -> dict[str, str]:
    """Return the place of the first call that arrived at each robot."""
    first: dict[str, str] = {}
    for line in log.read_text().splitlines():
        words = line.split(maxsplit=7)
        if words[2:5] == ["messages", "e", "r"]:
            first.setdefault(words[1], words[7].removeprefix("HelpAt "))
    return first


def destinations(log: Path) -> dict[str, str]:
    """Return where each robot was asked to go."""
    goals = {}
    for line in log.read_text().splitlines():
        words = line.split()
        if words[2] == "Request:":
            goals[words[1]] = words[6].replace(",", ", ")
    return goals


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["udp", "tcp"])
def test_robots_of_one_process_talk_over_sockets_of_their_own(tmp_path: Path, kind: str) -> None:
    log = tmp_path / "log"
    options = [f"network.kind={kind}", "robots.count=4"]
    outcome = ended(started("--until", "1.5", "--log", str(log), *(f"--set={option}" for option in options)))

    messages = outcome["messages"]
    assert isinstance(messages, dict)
    assert messages["sent"] == messages["arrived"] == 4 * 3
    assert destinations(log) == first_calls(log)
    assert sorted(destinations(log)) == ["p0", "p1", "p2", "p3"]


@pytest.mark.slow
def test_robots_of_several_processes_talk_by_a_list_of_places(tmp_path: Path) -> None:
    """What is sent before a process listens is lost, as on any wire: the first is there until the others have ended."""
    places = own_places(3)
    peers = ", ".join(f'{number}="{host}:{port}"' for number, (host, port) in enumerate(places))
    options = ["network.kind=udp", f"network.peers={{{peers}}}", "robots.count=3"]

    def begun(number: int, until: float) -> subprocess.Popen[str]:
        here = f"--log={tmp_path / str(number)}", f"--set=network.here=[{number}]"
        return started("--until", f"{until:g}", *here, *(f"--set={option}" for option in options))

    first = begun(0, 10.0 * PATIENCE)
    wait_for(lambda: is_taken(places[0]))
    others = [begun(number, 2.0) for number in (1, 2)]
    outcomes = [ended(run) for run in others]
    first.send_signal(signal.SIGINT)
    outcomes.append(ended(first, 130))

    for outcome in outcomes:
        messages = outcome["messages"]
        assert isinstance(messages, dict)
        assert messages["sent"] == 2
    for number in range(3):
        log = tmp_path / str(number)
        assert destinations(log) == first_calls(log)
    assert first_calls(tmp_path / "0")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["network.kind=simulated", "network.peers={0='a:1'}"], "network.peers is for real sockets"),
        (["network.kind=udp", "network.here=[0]"], "network.peers must say where"),
        (["network.kind=udp", "network.peers={0='nowhere'}"], 'it takes "host:port"'),
        (["network.kind=udp", "network.peers={x='a:1'}"], "is no number of a robot"),
        (["network.kind=udp", "network.stack=reservation", "network.effects=[]"], ""),
    ],
)
def test_wrong_places_are_named(options: list[str], words: str) -> None:
    run = started("--until", "0.1", *(f"--set={option}" for option in options))
    _, complained = run.communicate(timeout=PATIENCE)

    assert words in complained
    assert run.returncode == (2 if words else 0)
