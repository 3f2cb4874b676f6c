"""The `kumi` command teaches, starts fast, and forgives a slip of the fingers."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import click
import pytest

from kumi.cli.lazy import CommandEntry, LazyGroup
from kumi.cli.main import COMMANDS, kumi, run
from tests import commands
from tests.waiting import PATIENCE, read_line

if TYPE_CHECKING:
    from pathlib import Path

KUMI = [sys.executable, "-m", "kumi"]


def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run kumi as a person would, and return what it said."""
    return commands.kumi(*arguments, environment=environment)


def test_help_teaches() -> None:
    """It says what kumi is, what to try first, each command, and what the exit codes mean."""
    help_ = call("--help")

    assert (help_.returncode, help_.stderr) == (0, "")
    assert "One robot program, from ten thousand simulated robots" in help_.stdout
    assert "Three things to try first:" in help_.stdout
    for name, entry in COMMANDS.items():
        assert name in help_.stdout
        assert entry.summary in help_.stdout
    for code in ("0 ", "1 ", "2 ", "130 "):
        assert f"\n    {code}" in help_.stdout


def test_help_loads_no_command_and_no_heavy_package() -> None:
    """The list of commands is known without importing them."""
    program = (
        "import sys; from kumi.cli import main; main(['--help']);"
        "print(sorted({'kumi.cli.terminal', 'numpy', 'asyncio', 'kumi.testing', 'kumi.cli.demo', 'kumi.cli.bench'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


def test_version() -> None:
    assert call("--version").stdout == f"kumi {version('kumi')}\n"


def test_no_command_shows_the_help() -> None:
    """Saying nothing is wrong use, so that a script with an empty variable does not go on."""
    silent = call()

    assert silent.returncode == 2
    assert silent.stderr.startswith("Usage: kumi")


def test_a_misspelt_command_suggests_the_near_one() -> None:
    wrong = call("dmeo")

    assert wrong.returncode == 2
    assert wrong.stderr == "Error: There is no command 'dmeo'. Did you mean 'demo'? Try 'kumi --help'.\n"


def test_an_unknown_command_suggests_nothing() -> None:
    assert call("xyzzy").stderr == "Error: There is no command 'xyzzy'. Try 'kumi --help'.\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    """The place in the list is right, and the command has a help of its own."""
    explained = call(name, "--help")

    assert (explained.returncode, explained.stderr) == (0, "")
    assert explained.stdout.startswith(f"Usage: kumi {name}")


def test_a_command_is_imported_when_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Listing leaves the module alone; calling loads it."""
    (tmp_path / "planted_command.py").write_text(
        "import click\n\n@click.command()\ndef greet() -> None:\n    click.echo('hello')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    group = LazyGroup("kumi", entries={"greet": CommandEntry("planted_command:greet", "Say hello.")})

    assert run(group, ["--help"]) == 0
    assert "planted_command" not in sys.modules
    assert run(group, ["greet"]) == 0
    assert capsys.readouterr().out.endswith("hello\n")


def test_a_traceback_is_shown_with_debug_only(tmp_path: Path) -> None:
    """A real process: the sentence alone, or the whole story."""
    script = tmp_path / "fail.py"
    script.write_text(
        "import sys, click\n"
        "from kumi.cli.main import kumi, run\n"
        "def work():\n    raise ValueError('bad speed')\n"
        "kumi.add_command(click.Command('work', callback=work))\n"
        "sys.exit(run(kumi))\n"
    )

    def fail(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(script), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    plain, debug = fail("work"), fail("--debug", "work")
    assert (plain.returncode, debug.returncode) == (1, 1)
    assert "Traceback" not in plain.stderr
    assert plain.stderr.startswith("Error: ValueError: bad speed.\n")
    assert "Traceback" in debug.stderr


def test_ctrl_c_ends_a_real_process_with_130(tmp_path: Path) -> None:
    script = tmp_path / "wait.py"
    script.write_text(
        "import sys, time, click\n"
        "from kumi.cli.main import kumi, run\n"
        "def work():\n    print('working', flush=True)\n    time.sleep(1e6)\n"
        "kumi.add_command(click.Command('work', callback=work))\n"
        "sys.exit(run(kumi))\n"
    )
    command = [sys.executable, str(script), "work"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert read_line(process.stdout) == "working\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert err.strip() == "Interrupted."


def test_a_reader_that_leaves_causes_no_complaint(tmp_path: Path) -> None:
    """As in `kumi ... | head -1`."""
    script = tmp_path / "talk.py"
    script.write_text(
        "import sys, click\n"
        "from kumi.cli.main import kumi, run\n"
        "def work():\n    for i in range(100_000):\n        print(i)\n"
        "kumi.add_command(click.Command('work', callback=work))\n"
        "sys.exit(run(kumi))\n"
    )
    command = [sys.executable, str(script), "work"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert read_line(process.stdout) == "0\n"
        process.stdout.close()
        _, complaint = process.communicate(timeout=PATIENCE)

    assert complaint == ""
    assert process.returncode == 1


def test_the_group_is_a_click_group() -> None:
    """So that click's own test runner and documentation tools work with it."""
    assert isinstance(kumi, click.Group)
