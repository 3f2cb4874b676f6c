"""Uploaded code stays inside: each attack is tried for real, and the team is told what happened."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kumi.station.sandbox import jail
from kumi.station.sandbox.jail import Limits, NoSandbox
from kumi.station.sandbox.run import CallFailed, Contained, run_code
from tests.waiting import PATIENCE, wait_for

SHORT = Limits(seconds=PATIENCE, cpu_seconds=2, memory=256 * jail.MEGABYTE)


async def robot(name: str, arguments: list[Any]) -> Any:
    """Answer as a robot that can turn, and knows where it is."""
    if name == "turn":
        return None
    if name == "position":
        return [1.0, 2.0, 0.5]
    raise CallFailed(f"this robot cannot {name}{tuple(arguments)}")


def ran(code: str, limits: Limits = SHORT, **order: Any) -> Contained:
    """Run code in the sandbox."""
    whole = {"do": "run", "name": "code", "code": code} | order
    return asyncio.run(run_code(whole, robot, limits))


def test_code_moves_its_robot_and_prints() -> None:
    done = ran("robot.turn(1.5)\nx, y, heading = robot.position()\nprint('at', x, y)")

    assert (done.succeeded, done.printed, done.calls) == (True, "at 1.0 2.0\n", 2)


def test_what_the_robot_cannot_do_is_an_error_of_the_code() -> None:
    caught = ran("try:\n    robot.forward(1)\nexcept Exception as error:\n    print(error)")
    left = ran("robot.forward(1)")

    assert caught.printed == "this robot cannot forward(1,)\n"
    assert (left.succeeded, left.outcome) == (False, "RobotError: this robot cannot forward(1,)")
    assert 'File "code.py", line 1' in left.trace


def test_a_module_tells_its_tasks_and_does_them() -> None:
    module = (
        "def square(robot, side: float, where: tuple, way: list[tuple], name: str) -> str:\n"
        "    'Drive a square.'\n"
        "    robot.turn(side)\n"
        "    return f'{name} of {side} at {where} by {way}'\n"
        "TASKS = {'square': square}\n"
    )
    options = ran(module, do="describe").value
    one, two = {"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 4.0}
    given = {"side": 2.0, "where": one, "way": [one, two], "name": "s"}
    done = ran(module, do="task", task="square", arguments=given)

    assert [(one["name"], one["kind"]) for one in options[0]["parameters"]] == [
        ("side", "number"),
        ("where", "spot"),
        ("way", "spots"),
        ("name", "text"),
    ]
    assert done.value == "s of 2.0 at (1.0, 2.0) by [(1.0, 2.0), (3.0, 4.0)]"


ATTACKS = {
    "endless loop": ("while True: pass", "processor time"),
    "sleep": ("import time\nrobot.turn(1)\ntime.sleep(1000)", "ran for more than"),
    "fork bomb": ("import os\nwhile True: os.fork()", "PermissionError"),
    "subprocess": ("import subprocess\nsubprocess.run(['/bin/true'])", "PermissionError"),
    "memory hog": ("a = []\nwhile True: a.append(bytearray(10**7))", "MemoryError"),
    "host files": ("print(open('/etc/passwd').read())", "FileNotFoundError"),
    "home": ("import os\nprint(os.listdir('/root'))", "FileNotFoundError"),
    "host processes": (
        "import os\nassert len([p for p in os.listdir('/proc') if p.isdigit()]) > 3",
        "AssertionError",
    ),
    "signals": ("import os, signal\nos.kill(PID, signal.SIGKILL)", "ProcessLookupError"),
    "network": ("import socket\nsocket.create_connection(('127.0.0.1', 7440))", "PermissionError"),
    "fill the disk": ("f = open('/own/f', 'wb')\nwhile True: f.write(bytes(10**6))", "OSError"),
    "many files": ("i = 0\nwhile True:\n    open(f'/own/{i}', 'wb').write(bytes(10**5)); i += 1", "OSError"),
    "write outside": ("open('/usr/evil', 'w')", "Read-only file system"),
    "talk without end": ("while True: print('x' * 1000)", "said more than"),
    "a long line": ("import os\nos.write(1, b'x' * 10**6)", "line of more than"),
    "nonsense": ("import os\nos.write(1, b'nonsense\\n')", "mean nothing"),
    "mount": (
        "import ctypes\nassert ctypes.CDLL(None).mount(b'a', b'/own', b'tmpfs', 0, b'') == 0",
        "AssertionError",
    ),
    "leave without a word": ("import os\nos._exit(3)", "without a word"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_are_contained_and_told(name: str) -> None:
    code, said = ATTACKS[name]
    limits = Limits(seconds=2.0 if name == "sleep" else PATIENCE, cpu_seconds=2, memory=256 * jail.MEGABYTE)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        done = ran(code.replace("PID", str(bystander.pid)), limits)
        assert bystander.poll() is None, "another process was touched"
        bystander.communicate(b"\n")

    assert not done.succeeded
    assert said in done.outcome
    assert not Path("/usr/evil").exists()


def test_nothing_of_the_code_is_left_when_its_run_is_given_up() -> None:
    """Who waits for the code may be cancelled; the code then ends, too."""

    async def give_up() -> None:
        order = {"do": "run", "name": "code", "code": "import time\nrobot.turn(1)\ntime.sleep(1000)"}
        called = asyncio.Event()

        async def turned(name: str, arguments: list[Any]) -> Any:
            called.set()
            return await robot(name, arguments)

        task = asyncio.ensure_future(run_code(order, turned, SHORT))
        await asyncio.wait_for(called.wait(), PATIENCE)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    before = children()
    asyncio.run(give_up())
    wait_for(lambda: not children() - before, "a process of the sandbox is left")


def children() -> set[str]:
    """Return the numbers of this process's children."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_where_nothing_contains_it_code_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(NoSandbox, match="apt-get install bubblewrap"):
        ran("pass")
