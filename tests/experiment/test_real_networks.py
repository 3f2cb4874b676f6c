"""The same scenario runs over real sockets when one word of it is changed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest


def free_ports(count: int) -> list[int]:
    """Return ports that nobody uses now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def started(*arguments: str) -> subprocess.Popen[str]:
    """Start a run of the scenario."""
    command = [sys.executable, "-m", "kumi", "run", "asking-for-help", "--json", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, object]:
    """Return what a run printed at its end."""
    printed, complained = process.communicate(timeout=60)
    assert process.returncode == 0, complained
    found: dict[str, object] = json.loads(printed)
    return found


def first_calls(log: Path) -> dict[str, str]:
    """Return the place of the first call that arrived at each robot."""
    first: dict[str, str] = {}
    for line in log.read_text().splitlines():
        words = line.split(maxsplit=7)
        if words[2:5] == ["messages", "e", "r"]:
            first.setdefault(words[1], words[7].removeprefix("GoTo "))
    return first


def destinations(log: Path) -> dict[str, str]:
    """Return where each robot was asked to go."""
    goals = {}
    for line in log.read_text().splitlines():
        words = line.split()
        if words[2] == "Request:":
            goals[words[1]] = words[6].replace(",", ", ")
    return goals


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


def test_robots_of_several_processes_talk_by_a_list_of_places(tmp_path: Path) -> None:
    ports = free_ports(3)
    peers = ", ".join(f'{number}="127.0.0.1:{port}"' for number, port in enumerate(ports))
    options = ["network.kind=udp", f"network.peers={{{peers}}}", "robots.count=3"]
    # What is sent before a process listens is lost, as on any wire; the last to come may hear nobody.
    runs = [
        started(
            "--until",
            "5.0",
            f"--log={tmp_path / str(number)}",
            f"--set=network.here=[{number}]",
            *(f"--set={option}" for option in options),
        )
        for number in range(3)
    ]
    for run in runs:
        outcome = ended(run)
        messages = outcome["messages"]
        assert isinstance(messages, dict)
        assert messages["sent"] == 2
    heard: dict[str, str] = {}
    for number in range(3):
        log = tmp_path / str(number)
        assert destinations(log) == first_calls(log)
        heard |= first_calls(log)
    assert heard  # the first to come hears the last


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
    _, complained = run.communicate(timeout=60)

    assert words in complained
    assert run.returncode == (2 if words else 0)
