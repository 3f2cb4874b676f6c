"""Programs that somebody sent stay inside: each attack is tried for real, and the team is told what happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kumi.sensing import Battery, Lidar, Sensor
from kumi.station.sandbox import jail
from kumi.station.sandbox.cgroup import ControlGroup, own_folders
from kumi.station.sandbox.jail import CodeLimits, NoSandbox
from kumi.station.sandbox.run import Sandbox
from kumi.station.sandbox.words import OrderWord
from tests.station.attacks import ATTACKS, MAIN, attacked
from tests.station.sandboxes import ran
from tests.waiting import PATIENCE, wait_for


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
    mounted = [mount.target for mount in jail.mounted_packages()]
    assert sorted(mounted) == sorted(
        [f"/packages/kumi/{part}" for part in jail.SHOWN_PARTS]
        + [one for one in mounted if "/kumi/" not in one or "_core" in one]
    )
    code = (
        "import importlib, os, sys\n" + MAIN + "    print(sorted(os.listdir('/')), os.getcwd())\n"
        "    print(sorted(n for n in os.listdir('/packages') if 'numpy' not in n))\n"
        "    for name in ('station.service', 'station.people', 'cli', 'control', 'view', 'distributed'):\n"
        "        try:\n            importlib.import_module(f'kumi.{name}')\n            print(name)\n"
        "        except ModuleNotFoundError:\n            pass\n"
        "    print(sorted(os.environ))\n"
    )
    seen, packages, variables = ran(code).printed.splitlines()

    assert seen.endswith(" /")
    assert not {"/home", "/root", "/etc", "/tmp", "/work"} & set(seen.split("'"))  # noqa: S108
    assert packages == "['kumi', 'msgspec', 'typing_extensions.py']"
    assert set(variables.strip("[]").replace("'", "").split(", ")) <= {
        *("LD_LIBRARY_PATH", "LC_CTYPE", "OPENBLAS_NUM_THREADS", "PWD"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONPATH"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_are_contained_and_told(name: str) -> None:
    assert ATTACKS[name][1] in attacked(name)


@pytest.fixture(scope="module")
def ordinary_attacker() -> Iterator[subprocess.Popen[str]]:
    """A process of an ordinary user that tries attacks."""
    command = [sys.executable, "-m", "tests.station.attacks"]
    with subprocess.Popen(
        as_ordinary_user(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_are_contained_where_an_ordinary_user_runs_the_station(
    name: str, ordinary_attacker: subprocess.Popen[str]
) -> None:
    assert ordinary_attacker.stdin is not None
    assert ordinary_attacker.stdout is not None
    ordinary_attacker.stdin.write(json.dumps(name) + "\n")
    ordinary_attacker.stdin.flush()

    assert ATTACKS[name][1] in json.loads(ordinary_attacker.stdout.readline())


def as_ordinary_user(command: list[str]) -> list[str]:
    """Return a command that runs another one as a user without rights, who can read what this one can.

    Folders that only root may enter are opened to that user in a mount namespace, with nothing in them but Python and this project.
    """
    if os.geteuid() != 0:
        return command
    needed = [Path(sys.base_prefix), Path.cwd()]
    closed = {
        next(one for one in reversed(path.parents) if not one.stat().st_mode & 0o001): path
        for path in needed
        if any(not one.stat().st_mode & 0o001 for one in path.parents)
    }
    steps = ["mount -t tmpfs -o mode=755 kept /mnt"]
    for number, (folder, path) in enumerate(closed.items()):
        steps += [
            f"mkdir /mnt/{number}",
            f"mount --bind {path} /mnt/{number}",
            f"mount -t tmpfs -o mode=755 open {folder}",
            f"mkdir -p {path}",
            f"mount --bind /mnt/{number} {path}",
        ]
    user = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups"]
    return [
        *("unshare", "--mount", "--propagation", "private"),
        *("/bin/sh", "-c", " && ".join([*steps, 'exec "$@"']), "sh", *user, *command),
    ]


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


HOG = "import sys\nsys.stdin.readline()\nkept = bytearray(200_000_000)\nkept[::4096] = bytes([1]) * len(kept[::4096])"


def test_a_control_group_ends_what_holds_too_much_and_is_removed() -> None:
    group = ControlGroup(50 * jail.MEGABYTE)
    if not group.bounds_memory:
        pytest.skip("this process may not make control groups that bound memory")
    folders = list(group._folders)
    with subprocess.Popen([sys.executable, "-c", HOG], stdin=subprocess.PIPE) as process:
        group.add(process.pid)
        process.communicate(b"go\n")
    group.close()

    assert process.returncode == -signal.SIGKILL
    assert not any(folder.exists() for folder in folders)


def test_groups_that_a_killed_process_left_are_removed() -> None:
    left = [folder / "kumi-4194305-0" for folder, _ in own_folders()]  # no process has so large a number
    for folder in left:
        folder.mkdir()
    ControlGroup(50 * jail.MEGABYTE).close()

    assert not any(folder.exists() for folder in left)


def test_walls_that_cannot_be_built_refuse_the_code_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrap = tmp_path / "bwrap"
    wrap.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    wrap.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(jail, "unprivileged", list)  # it could not enter the folder of this test

    assert ran("pass").outcome == (
        "uploaded code cannot be contained here (bwrap: No permissions to create a new namespace), so it is refused; "
        "`kumi doctor` tells what is here and what is not"
    )


def test_files_that_an_unprivileged_user_may_not_read_are_named(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.touch(mode=0o600)

    with pytest.raises(NoSandbox, match=f"may not read {secret}; `chmod -R o\\+rX {secret}` lets it"):
        jail.hidden_folder(secret)
    secret.chmod(0o644)
    tmp_path.chmod(0o700)
    assert jail.hidden_folder(secret) == tmp_path
    assert jail.hidden_folder(Path("/usr")) is None


@pytest.mark.slow
def test_the_time_of_others_does_not_count_for_a_turn() -> None:
    """Half a second of computing takes several seconds beside six that want the same processor, and ends nothing."""
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    rivals = [
        subprocess.Popen(["nice", "-n", "10", sys.executable, "-c", "while True: pass"]) for _ in range(6)
    ]
    try:
        code = (
            "import time\n"
            + MAIN
            + "    await robot.turn(1.0)\n    while time.process_time() < 2.0: pass\n    robot.stop()"
        )
        done = ran(code, CodeLimits(seconds=PATIENCE, cpu_seconds=20, turn=4.0), patience=PATIENCE)
    finally:
        os.sched_setaffinity(0, processors)
        for rival in rivals:
            rival.kill()
            rival.wait()

    assert done.succeeded, done.outcome
