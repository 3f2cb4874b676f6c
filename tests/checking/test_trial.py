"""A run of a case is judged as promised, and the same run comes out the same, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kumi.checking.faults import Crash, Lossy, Recovery
from kumi.checking.monitors import Monitor, RunEnding, broken
from kumi.checking.schedule import Schedule, draw_schedule
from kumi.checking.trial import Trial
from kumi.contract.messages import Address, Message
from kumi.protocols import BestEffortBroadcast, Layer, Stack, ToEach
from tests.checking.sample import CASE, Delivered, Stubborn, Talk, Word
from tests.waiting import PATIENCE

HASHES = """
from kumi.checking.schedule import draw_schedule
from kumi.checking.trial import Trial
from tests.checking.sample import CASE

for seed in range(8):
    print(Trial(CASE, seed=seed, schedule=draw_schedule(CASE, seed=seed)).run().trace_hash)
"""


class Bystander(Monitor):
    """Writes down what it sees."""

    watches = BestEffortBroadcast

    def __init__(self) -> None:
        self.seen: list[tuple[float, str, Address]] = []
        self.endings: list[RunEnding] = []

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        self.seen.append((time, what, address))

    def crashed(self, time: float, address: Address) -> None:
        self.seen.append((time, "crashed", address))

    def restarted(self, time: float, address: Address) -> None:
        self.seen.append((time, "restarted", address))

    def finish(self, ending: RunEnding) -> None:
        self.endings.append(ending)


def hashes(value: str) -> str:
    """Return the hashes of eight runs in a process with that PYTHONHASHSEED."""
    environment = {**os.environ, "PYTHONHASHSEED": value}
    command = [sys.executable, "-c", HASHES]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=PATIENCE, env=environment
    ).stdout


def test_the_same_run_has_the_same_trace_whatever_python_hashes_by() -> None:
    first, second, third = hashes("0"), hashes("1"), hashes("4242")

    assert first == second == third
    assert len(set(first.split())) == 8


def test_faults_are_part_of_the_run() -> None:
    """With another schedule, the same seed is another run; with the same, the same."""
    none, crash = Schedule(), Schedule((Crash(1.0, 2),))
    runs = [Trial(CASE, seed=7, schedule=schedule).run().trace_hash for schedule in (none, crash, crash)]

    assert runs[0] != runs[1] == runs[2]


def test_a_run_without_a_hash_comes_out_the_same() -> None:
    schedule = draw_schedule(CASE, seed=5)
    hashed, plain = (Trial(CASE, seed=5, schedule=schedule, hashed=one).run() for one in (True, False))

    assert (hashed.messages, hashed.time, hashed.injected) == (plain.messages, plain.time, plain.injected)
    assert plain.trace_hash == ""


def test_monitors_see_requests_crashes_and_returns_in_order_and_how_it_ended() -> None:
    """Node 1 of 2 says a word at 0.5 s, is down from 1 to 2 s, and says the other two from 2.5 s on."""
    bystander = Bystander()
    case = replace(CASE, monitors=lambda: [bystander], nodes=2)
    Trial(case, schedule=Schedule((Recovery(1.0, 2.0, node=1),))).run()

    assert [(time, what) for time, what, address in bystander.seen if address == 1] == [
        (0.5, "broadcast"),
        (1.0, "crashed"),
        (2.0, "restarted"),
        (2.5, "broadcast"),
        (3.5, "broadcast"),
    ]
    assert bystander.endings == [RunEnding(15.0, (0, 1), frozenset({0}), frozenset({0, 1}), True)]


def test_safety_is_judged_at_the_instant() -> None:
    """All acknowledgements lost, the second copies come half a second after the first."""
    lossy = Schedule((Lossy(0.0, 5.0, probability=1.0, link=(1, 0)),))
    verdict = Trial(CASE, nodes=2, stack=CASE.mutants["no-memory"], schedule=lossy).run()

    assert verdict.violation is not None
    assert verdict.violation.rule == "no duplication"
    assert 1.0 <= verdict.time < 1.1


def test_liveness_is_judged_when_all_is_over() -> None:
    """A word that was lost once may still come; at 15 s it should have."""
    lossy = Schedule((Lossy(0.0, 1.0, probability=1.0),))
    right = Trial(CASE, nodes=2, schedule=lossy).run()
    wrong = Trial(CASE, nodes=2, stack=CASE.mutants["no-retransmission"], schedule=lossy).run()

    assert right.violation is None
    assert wrong.time == 15.0
    assert str(wrong.violation) == "validity: 0 broadcast Word(speaker=0, number=0), which 1 never delivered"


def test_liveness_is_not_judged_beyond_the_bound() -> None:
    bystander = Bystander()
    case = replace(CASE, monitors=lambda: [bystander])
    Trial(case, schedule=Schedule((Crash(1.0, 0),), beyond=True)).run()

    assert bystander.endings == []


def test_a_window_that_lasts_too_long_is_ended_with_the_others() -> None:
    """Faults stop at 5 s, whatever a schedule says; then words that were lost come through."""
    verdict = Trial(CASE, nodes=2, schedule=Schedule((Lossy(0.0, 99.0, probability=1.0),))).run()

    assert verdict.violation is None


class Rash(ToEach):
    """Fails on the second word."""

    def broadcast(self, message: Message) -> None:
        assert isinstance(message, Word)
        if message.number == 1:
            raise RuntimeError("what now?")
        super().broadcast(message)


def judged(top: Callable[[], Layer[()]], middle: Callable[[], ToEach]) -> str:
    """Return what is found when a stack is tried."""
    return str(Trial(CASE, nodes=2, stack=lambda: Stack(top(), middle(), Stubborn())).run().violation)


def test_an_error_in_a_layer_is_a_violation_with_its_story() -> None:
    words = judged(Talk, Rash)

    assert words.startswith("no error: RuntimeError: what now? (test_trial.py, line ")
    assert ", in broadcast), in a timer of node 0, at t = 1.5 s" in words
    assert "node 1" not in words, "what comes first is enough"


def test_an_error_on_a_message_says_which_at_whom_and_when() -> None:
    class Choosy(ToEach):
        """Cannot stand a certain word."""

        def begin(self) -> None:
            self.links.listen(self._hear)

        def _hear(self, message: Message, sender: Address) -> None:
            if message == Word(1, 2):
                raise LookupError("never heard that")
            self.tell(message, sender)

    words = judged(Talk, Choosy)

    assert words.startswith("no error: LookupError: never heard that (test_trial.py, line ")
    assert "from node 1, at t = 2.5" in words


class NoSayer(Delivered):
    """Objects to every word."""

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        raise broken("silence", f"{address} spoke at {time:g} s")


class Deaf(Talk):
    """Catches whatever is raised at it."""

    def _say(self) -> None:
        try:
            super()._say()
        except Exception:  # noqa: BLE001
            self.node.after(1.0, self._say)


def test_a_layer_cannot_hide_a_violation() -> None:
    case = replace(CASE, monitors=lambda: [NoSayer()])
    verdict = Trial(case, nodes=2, stack=lambda: Stack(Deaf(), ToEach(), Stubborn())).run()

    assert str(verdict.violation) == "silence: 0 spoke at 0.5 s"


class Program(Layer[()]):
    """Says a word as a program does."""

    cast: BestEffortBroadcast

    async def run(self) -> None:
        self.cast.broadcast(Word(self.node.address, 0))


def test_a_violation_in_a_program_counts_as_well() -> None:
    case = replace(CASE, monitors=lambda: [NoSayer()])
    verdict = Trial(case, nodes=1, stack=lambda: Stack(Program(), ToEach(), Stubborn())).run()

    assert str(verdict.violation) == "silence: 0 spoke at 0 s"


class Echo(Stubborn):
    """Sends back whatever comes, for ever."""

    def _receive(self, message: Message, sender: Address) -> None:
        self.links.send(message, sender)
        self.links.send(message, sender)


def test_a_flood_of_messages_ends_the_run_as_a_violation() -> None:
    """Two for each one: they would never end."""
    verdict = Trial(CASE, nodes=2, stack=lambda: Stack(Talk(), ToEach(), Echo())).run()

    assert verdict.violation is not None
    assert verdict.violation.rule == "no flood"
    assert verdict.violation.story.startswith("200,000 messages were sent by ")
    assert verdict.messages == 200_001
    assert verdict.caught_by is None
