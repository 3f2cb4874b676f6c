"""Does a protocol of your own keep the promises that every layer makes, and the one it was written for?

`check_layer(lambda: Stack(MyLayer(), Acknowledged()))` tries the topmost layer as a shipped case tries those
that offer the same guarantee: with its workload, its monitors and such faults as the layers of the stack bear. A
guarantee of your own comes with a case of your own, `check_layer(case)`.

A layer also does the same whatever the order of its sets. Python puts a set of texts in another order in each
process, by a seed that is fixed when a process starts, so runs under other seeds happen in processes of their own. The
layers are sent there with cloudpickle: what a module has goes by its name, and the module is imported again; what a
script, a notebook or a function has goes as it is. What cannot be written that way, such as a layer that holds an open
file, cannot be tried under other seeds, and is told by a warning.
"""

from __future__ import annotations

import ast
import base64
import inspect
import json
import os
import pickle
import subprocess
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle  # type: ignore[import-untyped]  # it ships no types

from kumi.checking.case import Case
from kumi.checking.schedule import Schedule
from kumi.checking.search import SearchQuestion, search
from kumi.checking.shrink import shrink
from kumi.checking.trial import Trial
from kumi.contract.messages import Message
from kumi.network import MessageSent, Network, Node, Timer, Traffic
from kumi.network.errors import NetworkError
from kumi.network.wire import copied
from kumi.protocols import Layer, Stack
from kumi.testing.demands import demand, no_other_chance
from kumi.testing.trying import case_for, check_asked, in_words

FORBIDDEN = frozenset(
    {
        "asyncio",
        "concurrent",
        "multiprocessing",
        "random",
        "secrets",
        "socket",
        "subprocess",
        "threading",
        "time",
    }
)
"""What a layer may not import: it reaches the outside through its node alone."""

QUIET = 5
"""So many times the length of a run, nothing is asked of a layer while its memory is watched."""

MOST_GROWTH = 50
"""So many things more may be in memory after a long quiet time."""

AnyLayer = Layer[*tuple[Any, ...]]


def check_layer(
    tried: Case | Callable[[], Stack],
    *,
    runs: int = 50,
    nodes: int | None = None,
    faults: Sequence[str] | None = None,
    seed: int = 0,
    hash_seeds: bool = True,
) -> None:
    """Raise AssertionError, with a sentence, where a layer of your own breaks a promise.

    The layer is the topmost of the stack; in a case, the one below the workload. `faults` leaves out all
    kinds but those. Without `hash_seeds` no other processes are started, and it is not found whether the layer depends
    on the order of a set of texts.
    """
    if not isinstance(tried, Case) and (isinstance(tried, type) or not callable(tried)):
        raise TypeError(f"check_layer() takes a Case, or a function that makes a Stack, not {tried!r}")
    if isinstance(tried, Case):
        case = tried
    else:
        check_asked(faults or (), tried().layers)
        case = case_for(tried)
    question = SearchQuestion(
        case, case.nodes if nodes is None else nodes, None if faults is None else tuple(faults)
    )
    _check_composing(case.stack)
    for layer in case.stack().layers:
        _check_imports(type(layer))
    with no_other_chance(case.name):
        _check_replay(question, seed)
    _check_messages(question, seed)
    _check_promises(question, runs, seed)
    _check_memory(question, seed)
    if hash_seeds:
        _check_hash_seeds(question, seed)


def _check_composing(stack: Callable[[], Stack]) -> None:
    """Check that each call makes a stack of its own."""
    one, other = stack(), stack()
    shared = [layer for layer in one.layers if any(layer is another for another in other.layers)]
    demand(
        not shared,
        f"{shared[0] if shared else ''} is in two stacks; each node and each life needs layers of its own: "
        f"give a function that makes them",
    )


def _check_imports(kind: type[AnyLayer]) -> None:
    """Check that the module of a layer reaches nothing but its node."""
    module = sys.modules.get(kind.__module__)
    if module is None or module.__name__ == "__main__":
        return
    try:
        source = inspect.getsource(module)
    except OSError:
        return
    for name in _imported(ast.parse(source)):
        demand(
            name not in FORBIDDEN,
            f"{kind.__name__} lives in {module.__name__}, which imports {name}; a layer reaches time, chance and "
            f"network through its node alone, so that a run can be repeated",
        )


def _imported(tree: ast.AST) -> Iterator[str]:
    for piece in ast.walk(tree):
        if isinstance(piece, ast.Import):
            yield from (alias.name.split(".")[0] for alias in piece.names)
        elif isinstance(piece, ast.ImportFrom) and piece.module and piece.level == 0:
            yield piece.module.split(".")[0]


def _check_replay(question: SearchQuestion, seed: int) -> None:
    """Check that the same run comes out the same."""
    one, other = (question.trial(seed, hashed=True).run() for _ in range(2))
    demand(
        one.trace_hash == other.trace_hash,
        f"{question.case.name} did other things in a second run with the same seed ({seed}); it may depend on "
        f"its node alone, and never on the order of a set",
    )


def _check_hash_seeds(question: SearchQuestion, seed: int) -> None:
    """Check that the same run comes out the same in other processes."""
    demand(
        not differing([question], seed),
        f"{question.case.name} did other things under another hash seed; sort a set before going through it",
    )


def _check_messages(question: SearchQuestion, seed: int) -> None:
    """Check that all that is sent can be written for a wire and read back."""
    trial = question.trial(seed, Schedule())
    wrong: list[str] = []

    def look(traffic: Traffic) -> None:
        if isinstance(traffic, MessageSent) and not wrong:
            words = _unwritable(traffic.message)
            if words:
                wrong.append(words)

    trial.network.watch(look)
    verdict = trial.run()
    demand(not wrong, wrong[0] if wrong else "")
    demand(verdict.violation is None, f"without any fault, {question.case.name} breaks {verdict.violation}")


def _unwritable(message: Message) -> str | None:
    try:
        again = copied(message)
    except NetworkError as error:
        return f"{message!r} cannot be written for a wire: {error}"
    return None if again == message else f"{message!r} comes back from a wire as {again!r}"


def _check_promises(question: SearchQuestion, runs: int, seed: int) -> None:
    """Check that the monitors find nothing under faults."""
    found = search(question, runs=runs, seed=seed)
    if found.failed is None:
        return
    smallest = shrink(question, found.failed)
    faults = "".join(f"\n  {fault}" for fault in smallest.schedule) or " none"
    raise AssertionError(
        f"{question.case.name} breaks {smallest.verdict.violation}; seed {found.failed}, {smallest.nodes} nodes, "
        f"faults:{faults}{_advice(question.case, smallest.schedule)}"
    )


def _advice(case: Case, schedule: Schedule) -> str:
    """Say how a layer says what it does not bear, if it has not said anything."""
    layer = type(case.stack().layers[case.above])
    kinds = {fault.kind for fault in schedule}
    if layer.bears is not None or not kinds:
        return ""
    rest = in_words(case.faults - kinds)
    return f"\nIf {layer.__name__} need not bear that, let its `bears` name the faults that it does: {rest}"


def _check_memory(question: SearchQuestion, seed: int) -> None:
    """Check that what a layer keeps does not grow while nothing is asked of it."""
    case = question.case
    length = case.duration + case.settling
    trial = Trial(replace(case, monitors=list), nodes=question.nodes, seed=seed, hashed=False)
    with trial.simulation as simulation:
        for node in trial.nodes:
            node.start()
        simulation.run(until=length)
        before = {node.address: _kept(node) for node in trial.nodes}, simulation.planned
        simulation.run(until=QUIET * length)
        for node in trial.nodes:
            for name, count in _kept(node).items():
                demand(
                    count <= before[0][node.address][name] + MOST_GROWTH,
                    f"{name} of {node.name} keeps {count} things at t = {simulation.now:g} s, and kept "
                    f"{before[0][node.address][name]} at {length:g} s, though nothing was asked of it in between: "
                    f"forget what is no longer needed",
                )
        demand(
            simulation.planned <= before[1] + MOST_GROWTH,
            f"{simulation.planned} timers are set at t = {simulation.now:g} s, and {before[1]} were at {length:g} s: "
            f"cancel those that are not needed",
        )


def _kept(node: Node) -> dict[str, int]:
    """Count what each layer of a node keeps."""
    stack = node.resident
    assert isinstance(stack, Stack)
    return {
        f"layer {place} ({type(layer).__name__})": weight(vars(layer))
        for place, layer in enumerate(stack.layers)
    }


def weight(value: object) -> int:
    """Count the things that can be reached from a value, other layers and the node not included."""
    seen: set[int] = set()
    places = 0
    waiting: deque[object] = deque([value])
    while waiting:
        one = waiting.popleft()
        if id(one) in seen or isinstance(one, Layer | Node | Network | Timer | type) or callable(one):
            continue
        seen.add(id(one))
        if isinstance(one, str | bytes | int | float | None):
            continue
        if isinstance(one, Mapping):
            places += len(one)
            waiting.extend(one.keys())
            waiting.extend(one.values())
        elif isinstance(one, Sequence | AbstractSet | deque):
            places += len(one)
            waiting.extend(one)
        else:
            waiting.extend(vars(one).values() if hasattr(one, "__dict__") else ())
            waiting.extend(getattr(one, name, None) for name in getattr(type(one), "__slots__", ()))
    return len(seen) + places


HASH_SEEDS = (1, 2, 3)
RUNS = 3
"""Runs that are compared under each seed."""


class NotTriedElsewhere(UserWarning):
    """A layer that could not be sent to another process."""


def traces(questions: Sequence[SearchQuestion], seed: int) -> list[list[str]]:
    """Return the hashes of the traces of a few runs of each question."""
    return [
        [question.trial(number, hashed=True).run().trace_hash for number in range(seed, seed + RUNS)]
        for question in questions
    ]


def differing(questions: Sequence[SearchQuestion], seed: int = 0) -> list[SearchQuestion]:
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
        [sys.executable, "-c", "from kumi.testing.layers import answer; answer()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )


def _warn(questions: Sequence[SearchQuestion], why: str) -> None:
    names = ", ".join(question.case.name for question in questions)
    warnings.warn(
        f"{names} was not tried under other hash seeds, since it cannot be sent to another process: {why}",
        NotTriedElsewhere,
        stacklevel=4,
    )


def _modules(questions: Sequence[SearchQuestion]) -> list[str]:
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


def _unpacked(parcel: bytes) -> tuple[list[str], dict[str, Any], list[SearchQuestion], int]:
    """Read what `differing` wrote, which is not trusted less than this program itself."""
    made: tuple[list[str], dict[str, Any], list[SearchQuestion], int] = pickle.loads(base64.b64decode(parcel))  # noqa: S301
    return made
