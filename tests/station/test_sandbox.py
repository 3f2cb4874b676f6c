"""Programs that somebody sent stay inside: each attack is tried for real, and the team is told what happened."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.msgpack import encode

from kumi.sensing import Battery, Lidar, Sensor
from kumi.station.sandbox import jail
from kumi.station.sandbox.jail import CodeLimits, NoSandbox
from kumi.station.sandbox.run import Sandbox
from kumi.station.sandbox.words import HaltWord, OrderWord, SteerWord
from tests.station.sandboxes import ran
from tests.waiting import PATIENCE, wait_for

MAIN = "async def main(robot):\n"


def test_a_program_moves_its_robot_and_prints() -> None:
    done = ran(MAIN + "    await robot.forward(2.0)\n    print('at', *robot.position)\n    return 'done'")

    assert (done.succeeded, done.printed, done.value) == (True, "at 3.0 2.0\n", "done")


def test_what_the_robot_cannot_do_is_an_error_of_the_program_with_its_line() -> None:
    caught = ran(
        "from kumi import Blocked\n" + MAIN + "    try:\n        await robot.forward(9.0)\n"
        "    except Blocked as error:\n        print(error, error.by, error.at.x)"
    )
    left = ran(MAIN + "    await robot.turn(1.0)\n    await robot.move_to((60.0, 2.0))")

    assert caught.printed == "blocked by border at (6, 2), 0° from ahead border 6.0\n"
    assert not left.succeeded
    assert left.outcome.startswith("code.py, line 3: robot 0 cannot go to (60, 2)")
    assert 'File "code.py", line 3' in left.trace


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1", "code.py, line 1: There is no program: write `async def main(robot):` and"),
        ("\ndef main(robot):\n    robot.forward(1.0)", "code.py, line 2: `main` must be able to wait: write"),
        ("robot.turn(1.5)", "code.py, line 1: Nothing is named 'robot' here"),
        ("async def a(r): pass\nasync def b(r): pass", "code.py, line 2: There are several programs: a, b;"),
        (
            MAIN + "    robot.forward(1.0)",
            "code.py, line 2: robot.forward(...) does nothing unless it is awaited",
        ),
        (MAIN + "    await robot.sonar.read()", "code.py, line 2: A robot has no 'sonar'."),
        (
            MAIN + "    await robot.turn(1.0",
            "code.py, line 2: Python cannot read this: '(' was never closed.",
        ),
        (MAIN + "    await robot.radio.receive(int)", "code.py, line 2: robot 0 has no radio; connect"),
    ],
)
def test_a_text_that_is_no_program_is_refused_in_one_sentence_with_its_line(code: str, said: str) -> None:
    done = ran(code)

    assert not done.succeeded
    assert done.outcome.startswith(said)


def test_devices_have_what_their_sensors_have_and_nothing_else() -> None:
    code = (
        "from kumi import after, until\n" + MAIN + "    scan = await robot.lidar.read()\n"
        "    print(len(scan.distances), scan.distances.dtype, robot.lidar.reach)\n"
        "    with until(robot.battery.low):\n        await robot.forward(3.0)\n"
        "    print(robot.position.x, robot.battery.level)\n    robot.battery.recharge()\n"
        "    print(robot.battery.level)\n"
        "    for name in ('body', 'world', 'measure'):\n"
        "        try:\n            getattr(robot.lidar, name)\n"
        "        except AttributeError as error:\n            print(error)\n"
    )
    sensors: dict[str, Sensor] = {
        "lidar": Lidar(8),
        "battery": Battery(10.0, idle=0.0, per_metre=5.0, warns_at=0.5),
    }
    done = ran(code, sensors=sensors)

    assert done.printed.splitlines() == [
        "8 float64 10.0",
        "2.0 0.5",
        "1.0",
        *(f"the device 'lidar' of robot 0 has no '{name}'" for name in ("body", "world", "measure")),
    ]


def test_a_module_tells_its_tasks_and_does_them() -> None:
    module = (
        "async def square(robot, side: float, where: tuple, way: list[tuple], name: str) -> str:\n"
        "    'Drive a square.'\n"
        "    await robot.turn(side)\n"
        "    return f'{name} of {side} at {where} by {way}'\n"
        "TASKS = {'square': square}\n"
    )
    options = ran(module, do="describe").options
    one, two = {"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 4.0}
    given = {"side": 2.0, "where": one, "way": [one, two], "name": "s"}
    done = ran(module, do="task", task="square", arguments=given)

    assert [(one["name"], one["kind"]) for one in options[0]["parameters"]] == [
        ("side", "number"),
        ("where", "spot"),
        ("way", "spots"),
        ("name", "text"),
    ]
    assert done.value == "s of 2.0 at Point(1.0, 2.0) by [Point(1.0, 2.0), Point(3.0, 4.0)]"
    refused = ran("def square(robot): pass\nTASKS = {'square': square}", do="describe").outcome
    assert refused.endswith("the task 'square' must be able to wait: write `async def square(robot):`.")


def test_what_is_mounted_can_be_read_and_nothing_else_of_kumi_is_there() -> None:
    mounted = [part for part in jail.mounted_packages() if part.startswith("/packages/")]
    assert sorted(mounted) == sorted(
        [f"/packages/kumi/{part}" for part in jail.SHOWN_PARTS]
        + [one for one in mounted if "/kumi/" not in one or "_core" in one]
    )
    code = (
        "import importlib, os, sys\n"
        + MAIN
        + "    print(sorted(os.listdir('/')), sorted(os.listdir('/own')))\n"
        "    print(sorted(n for n in os.listdir('/packages') if 'numpy' not in n))\n"
        "    for name in ('station.service', 'station.people', 'cli', 'control', 'view', 'distributed'):\n"
        "        try:\n            importlib.import_module(f'kumi.{name}')\n            print(name)\n"
        "        except ModuleNotFoundError:\n            pass\n"
        "    print(sorted(os.environ))\n"
    )
    seen, packages, variables = ran(code).printed.splitlines()

    assert seen.endswith(" []")
    assert not {"/home", "/root", "/etc", "/tmp", "/work"} & set(seen.split("'"))  # noqa: S108
    assert packages == "['kumi', 'msgspec', 'typing_extensions.py']"
    assert set(variables.strip("[]").replace("'", "").split(", ")) <= {
        *("LD_LIBRARY_PATH", "LC_CTYPE", "OPENBLAS_NUM_THREADS", "PWD"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONPATH"),
    }


WORD = "import os, struct\ndef word(data):\n    os.write(1, struct.pack('<I', len(data)) + data)\n"
ATTACKS = {
    "endless loop": ("while True: pass", "processor time"),
    "sleep": ("import time\nawait robot.turn(1)\ntime.sleep(1000)", "ran for more than"),
    "fork bomb": ("import os\nwhile True: os.fork()", "PermissionError"),
    "threads": ("import _thread\nwhile True: _thread.start_new_thread(lambda: input(), ())", "RuntimeError"),
    "subprocess": ("import subprocess\nsubprocess.run(['/bin/true'])", "PermissionError"),
    "memory hog": ("a = []\nwhile True: a.append(bytearray(10**7))", "MemoryError"),
    "host files": ("print(open('/etc/passwd').read())", "FileNotFoundError"),
    "home": ("import os\nprint(os.listdir('/root'))", "FileNotFoundError"),
    "a key beside kumi": (
        f"import kumi, os\nprint(open({str(Path(__file__).resolve())!r}).read())",
        "FileNotFoundError",
    ),
    "environment of the parent": ("print(open('/proc/1/environ').read().split('KEY')[1])", "IndexError"),
    "the first process, without a filter": (
        "assert '\\nSeccomp:\\t2\\n' not in open('/proc/1/status').read()",
        "AssertionError",
    ),
    "outside of its folder": ("open('/evil', 'w')", "Read-only file system"),
    "host processes": (
        "import os\nassert len([p for p in os.listdir('/proc') if p.isdigit()]) > 3",
        "AssertionError",
    ),
    "signals": ("import os, signal\nos.kill(PID, signal.SIGKILL)", "ProcessLookupError"),
    "network": ("import socket\nsocket.create_connection(('127.0.0.1', 7440))", "PermissionError"),
    "a network of kumi": (
        "import asyncio, kumi.network.udp\nasyncio.new_event_loop()",
        "PermissionError",
    ),
    "fill the disk": ("f = open('/own/f', 'wb')\nwhile True: f.write(bytes(10**6))", "OSError"),
    "many files": ("i = 0\nwhile True:\n    open(f'/own/{i}', 'wb').write(bytes(10**5)); i += 1", "OSError"),
    "write outside": ("open('/usr/evil', 'w')", "Read-only file system"),
    "change kumi": ("import kumi\nopen(kumi.__file__, 'a')", "Read-only file system"),
    "a new module of kumi": ("open('/packages/kumi/evil.py', 'w')", "Read-only file system"),
    "talk without end": ("while True: print('x' * 1000)", "said more than"),
    "show without end": ("while True: robot.show('x', 'x' * 100000)", "said more than"),
    "ask without end": ("while True: robot.stop()", "called its robot more than 5000 times"),
    "a long word": ("import os\nos.write(1, b'x' * 10**6)", "at once"),
    "nonsense": (WORD + "word(b'nonsense')", "mean nothing"),
    "an unknown word": (WORD + "word(b'\\x92\\xa4Evil\\x01')", "mean nothing"),
    "a deep word": (
        WORD + f"word({encode(SteerWord(0))[:-1]!r} + b'\\x91' * 5000 + b'\\x01')",
        "mean nothing",
    ),
    "a command that is none": (
        "body = robot._body\nfrom kumi.geometry import Pose\nbody.steer(Pose(robot.position, 0.0))",
        "a robot takes commands",
    ),
    "another's device": (
        "robot._body.call(__import__('kumi.station.sandbox.words').station.sandbox.words.Ask('x', 'y'))",
        "there is no device 'x'",
    ),
    "no answer": (WORD + f"while True: word({encode(HaltWord())!r})", "ran for more than"),
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
    seconds = 5.0 if name in {"sleep", "no answer"} else PATIENCE
    limits = CodeLimits(seconds=seconds, cpu_seconds=4, memory=512 * jail.MEGABYTE, calls=5000)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        done = ran(MAIN + indented(code.replace("PID", str(bystander.pid))), limits, patience=PATIENCE)
        assert bystander.poll() is None, "another process was touched"
        bystander.communicate(b"\n")

    assert not done.succeeded
    assert said in done.outcome
    assert not Path("/usr/evil").exists()


def indented(code: str) -> str:
    """Return a text as the inside of a function."""
    return "".join(f"    {line}\n" for line in code.splitlines())


@pytest.mark.slow
def test_an_endless_loop_is_told_with_its_line() -> None:
    done = ran(MAIN + "    await robot.turn(1.0)\n    while True:\n        pass", patience=0.5)

    assert done.outcome.startswith("code.py, line ")
    assert "it neither waits nor ends" in done.outcome


def test_nothing_of_the_program_is_left_when_its_robot_is_gone() -> None:
    """Who ends a sandbox in the midst of its work leaves no process behind."""
    before = children()
    sandbox = Sandbox(CodeLimits())
    sandbox.say(OrderWord("run", "code", MAIN + "    while True: pass", patience=PATIENCE))
    assert children() - before
    sandbox.close()

    wait_for(lambda: not children() - before, "a process of the sandbox is left")


def children() -> set[str]:
    """Return the numbers of this process's children."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_where_nothing_contains_it_a_program_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(NoSandbox, match="apt-get install bubblewrap"):
        ran("pass")
