"""The process that `tests.commands` has others forked from: it has imported what commands and programs usually import.

Reads one order a line, as JSON; answers with the number of the process that carries it out, and then with how it ended.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import sys
import traceback
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import kumi.cli
from kumi.cli.main import main

USUAL = ("numpy", "kumi.cli.terminal", "kumi.study.files")
PACKAGES = (
    "stage",
    "scenario",
    "study",
    "robot",
    "world",
    "sensing",
    "network",
    "protocols",
    "planning",
    "mapping",
    "link",
    "recording",
)


def prepare() -> None:
    """Import what most orders need."""
    commands = [part.name for part in pkgutil.iter_modules(kumi.cli.__path__, "kumi.cli.")]
    for name in (*USUAL, *commands):
        importlib.import_module(name)
    for package in PACKAGES:
        lazy = importlib.import_module(f"kumi.{package}")
        for name in lazy.__all__:
            getattr(lazy, name)


def serve() -> None:
    """Carry out one order after the other."""
    for line in sys.stdin:
        order = json.loads(line)
        process = os.fork()
        if process == 0:
            become(**order)
        answer(process)
        answer(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))


def answer(number: int) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def become(
    *, arguments: list[str], program: str | None, cwd: str, folder: str, environment: dict[str, str]
) -> NoReturn:
    """Be the command or the program, as an interpreter that was started for it would."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for number, name in enumerate(("in", "out", "err")):
        opened = os.open(Path(folder, name), os.O_RDWR | os.O_CREAT | (os.O_APPEND if number else 0))
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - what the interpreter had is the other one's
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = arguments
    sys.path[0] = ""
    module: Any = ModuleType("__main__")
    sys.modules["__main__"] = module
    code = 0
    try:
        if program is None:
            code = main(arguments[1:])
        else:
            warnings.simplefilter("error")
            exec(compile(program, "<string>", "exec"), module.__dict__)  # noqa: S102
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:  # noqa: BLE001 - shown as the interpreter shows it
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code)  # without taking all the imported modules down one by one


if __name__ == "__main__":
    prepare()
    gc.freeze()  # what all share is not looked at again in each
    serve()
