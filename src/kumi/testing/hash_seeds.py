"""Does a layer do the same whatever the order of its sets? Python puts a set of texts in another order in each process.

The seed of that order is fixed when a process starts, so runs under other seeds happen in processes of their own. The
layers are sent there with cloudpickle: what a module has goes by its name, and the module is imported again; what a
script, a notebook or a function has goes as it is. What cannot be written that way, such as a layer that holds an open
file, cannot be tried under other seeds, and is told by a warning.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle  # type: ignore[import-untyped]  # it ships no types

from kumi.checking.search import Question

HASH_SEEDS = (1, 2, 3)
RUNS = 3
"""Runs that are compared under each seed."""


class NotTriedElsewhere(UserWarning):
    """A layer that could not be sent to another process."""


def traces(questions: Sequence[Question], seed: int) -> list[list[str]]:
    """Return the hashes of the traces of a few runs of each question."""
    return [
        [question.trial(number, hashed=True).run().trace_hash for number in range(seed, seed + RUNS)]
        for question in questions
    ]


def differing(questions: Sequence[Question], seed: int = 0) -> list[Question]:
    """Return the questions whose runs differ under other hash seeds."""
    try:
        parcel = base64.b64encode(cloudpickle.dumps((_modules(questions), _main(), list(questions), seed)))
    except Exception as error:  # noqa: BLE001  # whatever somebody else's object does when it is pickled
        _warn(questions, f"{type(error).__name__}: {error}")
        return []
    children = [_start(hash_seed) for hash_seed in HASH_SEEDS]
    answers: list[list[list[str]]] = []
    for child in children:
        told, complaint = child.communicate(parcel)
        if child.returncode:
            lines = complaint.decode(errors="replace").strip().splitlines()
            _warn(questions, lines[-1] if lines else f"the process ended with {child.returncode}")
        else:
            answers.append(json.loads(told.splitlines()[-1]))
    return [
        question
        for place, question in enumerate(questions)
        if len({tuple(answer[place]) for answer in answers}) > 1
    ]


def _start(hash_seed: int) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
    }
    return subprocess.Popen(
        [sys.executable, "-c", "from kumi.testing.hash_seeds import answer; answer()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )


def _warn(questions: Sequence[Question], why: str) -> None:
    names = ", ".join(question.case.name for question in questions)
    warnings.warn(
        f"{names} was not tried under other hash seeds, since it cannot be sent to another process: {why}",
        NotTriedElsewhere,
        stacklevel=4,
    )


def _modules(questions: Sequence[Question]) -> list[str]:
    """Return the modules in which the annotations of layers and messages are looked up."""
    kinds = {type(layer) for question in questions for layer in question.case.stack().layers}
    return sorted({kind.__module__ for kind in kinds} - {"__main__"})


def _main() -> dict[str, Any]:
    """Return what annotations in a script or a notebook may name: its classes and modules, and nothing large."""
    names = vars(sys.modules["__main__"])
    return {name: value for name, value in names.items() if isinstance(value, type | ModuleType)}


def answer() -> None:
    """Run what comes on the standard input, and print the hashes."""
    modules, main, questions, seed = _unpacked(sys.stdin.buffer.read())
    for name in modules:
        import_module(name)
    vars(sys.modules["__main__"]).update(main)
    sys.stdout.write(f"\n{json.dumps(traces(questions, seed))}\n")


def _unpacked(parcel: bytes) -> tuple[list[str], dict[str, Any], list[Question], int]:
    """Read what `differing` wrote, which is not trusted less than this program itself."""
    made: tuple[list[str], dict[str, Any], list[Question], int] = pickle.loads(base64.b64decode(parcel))  # noqa: S301
    return made
