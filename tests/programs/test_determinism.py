"""Law 11: same seed, same trace, byte for byte."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import kumi
from kumi import Signal, chance, note, sleep, together
from kumi.devs import TextLog
from kumi.devs.tracing import ProgramNote, Record
from tests.programs.busy import busy
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def in_a_process(seed: int, hash_seed: int) -> str:
    """Run the busy model in a process of its own, and give what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.programs.busy", str(seed)],
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return done.stdout.strip()


def test_the_same_seed_gives_the_same_trace_in_every_process() -> None:
    """Whatever the order of sets and of addresses there."""
    traces = {in_a_process(7, hash_seed) for hash_seed in (0, 1, 12345)}

    here = busy(7)
    assert traces == {f"{here.trace_hash} {here.statistics.steps}"}
    assert here.statistics.steps > 1000


def test_another_seed_gives_another_trace() -> None:
    assert len({busy(seed, length=20.0).trace_hash for seed in range(10)}) == 10


def test_the_same_seed_gives_the_same_trace_again_and_again() -> None:
    """In one process, too: nothing is left over from the run before."""
    assert len({busy(3, length=20.0).trace_hash for _ in range(5)}) == 1


def test_the_text_of_the_trace_is_the_same_byte_for_byte(bell: Signal[str]) -> None:
    async def walks() -> None:
        for _ in range(20):
            await sleep(chance().uniform())
            note({"at": chance().normal()})
            bell.fire(chance().choice(["ding", "dong"]))

    texts = []
    for _ in range(2):
        file = io.StringIO()
        kumi.run(walks, seed=4, sinks=[TextLog(file)])
        texts.append(file.getvalue())

    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) > 60


async def draws(count: int) -> None:
    """Write down some random numbers."""
    for _ in range(count):
        note(chance().uniform())
        await sleep(1)


async def draw_together(names: list[str]) -> None:
    """Let tasks of these names draw beside each other."""
    async with together() as tasks:
        for name in names:
            tasks.start(draws, 3, name=name)


def numbers(names: list[str], seed: int = 0) -> dict[str, list[object]]:
    """Give the numbers that each task drew."""
    drawn: dict[str, list[object]] = {}

    def sink(record: Record) -> None:
        if isinstance(record, ProgramNote):
            drawn.setdefault(record.source, []).append(record.value)

    kumi.run(draw_together, names, seed=seed, sinks=[sink])
    return drawn


def test_another_task_does_not_change_the_draws_of_the_others() -> None:
    """Wherever it stands in the order, each draws from a stream of its own."""
    few = numbers(["ant", "bee"])
    more = numbers(["asp", "ant", "cat", "bee", "dog"])

    assert {name: more[name] for name in few} == few
    assert len({tuple(map(str, drawn)) for drawn in more.values()}) == 5


def test_the_order_of_tasks_does_not_change_their_draws() -> None:
    assert numbers(["ant", "bee"]) == numbers(["bee", "ant"])


def test_another_seed_changes_every_draw() -> None:
    one, other = numbers(["ant", "bee"], seed=1), numbers(["ant", "bee"], seed=2)

    assert not {str(x) for drawn in one.values() for x in drawn} & {
        str(x) for drawn in other.values() for x in drawn
    }


def test_the_trace_tells_apart_what_differs_in_one_value_or_one_instant(bell: Signal[object]) -> None:
    """Equal hashes mean the same things at the same times with the same values."""

    async def program(value: object, instant: float) -> None:
        await sleep(instant)
        bell.fire(value)

    values: list[object] = [1, 1.0, "1", True, (1,), [1], {1}, {1: 1}, b"1", None]
    hashes = {kumi.run(program, value, instant).trace_hash for value in values for instant in (1.0, 2.0)}

    assert len(hashes) == 2 * len(values)
