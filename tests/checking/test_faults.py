"""Each fault does what it says, for as long as it says, and is counted when it did happen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from kumi.checking.case import Case
from kumi.checking.faults import (
    FAULTS,
    KINDS,
    Amnesia,
    Crash,
    CrashMidSend,
    Doubling,
    Fault,
    Lossy,
    Partition,
    Pause,
    Recovery,
    Reordering,
    Skew,
    SlowLink,
    WrongSuspicion,
)
from kumi.checking.schedule import Schedule
from kumi.checking.trial import CheckingError, Trial, Verdict
from kumi.contract.messages import Address, Message
from kumi.protocols import FairLossLinks, Layer, Stack


@dataclass(frozen=True, slots=True)
class Tick(Message):
    """What a node says at a time of its own clock."""

    number: int


@dataclass
class Diary:
    """What happened in a run: who heard what of whom, who began, who was suspected."""

    heard: list[tuple[float, Address, Address, int]] = field(default_factory=list)
    began: list[tuple[float, Address, object]] = field(default_factory=list)
    clocks: list[tuple[float, float]] = field(default_factory=list)
    suspected: list[tuple[float, Address, Address, float]] = field(default_factory=list)

    def between(self, sender: Address, receiver: Address) -> list[int]:
        """Return the numbers that one heard of another, in order."""
        return [number for _, heard_by, of, number in self.heard if (of, heard_by) == (sender, receiver)]


class Ticking(Layer[()]):
    """Says 0, 1, 2, ... to all others, one a second from 0.5 on, ten in all."""

    links: FairLossLinks

    def __init__(self, diary: Diary) -> None:
        self.diary = diary
        self.number = 0

    def begin(self) -> None:
        self.diary.began.append((self.node.simulation.now, self.node.address, self.node.storage.get("said")))
        self.links.listen(self._hear)
        self.node.after(0.5, self._say)

    def _say(self) -> None:
        self.node.storage.put("said", self.number)
        self.diary.clocks.append((self.node.simulation.now, self.node.now))
        for other in self.node.group:
            self.links.send(Tick(self.number), other)
        self.number += 1
        if self.number < 10:
            self.node.after(1.0, self._say)

    def _hear(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Tick)
        self.diary.heard.append((self.node.simulation.now, self.node.address, sender, message.number))

    def suspect_wrongly(self, address: Address, duration: float) -> None:
        self.diary.suspected.append((self.node.simulation.now, self.node.address, address, duration))


CASE = Case(
    name="ticking",
    promise="none",
    stack=Stack,
    monitors=list,
    faults=frozenset(KINDS),
    duration=12.0,
    settling=5.0,
    nodes=3,
)


def happen(*faults: Fault, nodes: int = 3) -> tuple[Diary, Verdict]:
    """Run three nodes that tick under some faults."""
    diary = Diary()
    case = replace(CASE, stack=lambda: Stack(Ticking(diary)))
    return diary, Trial(case, nodes=nodes, schedule=Schedule(faults)).run()


ALL = list(range(10))


def test_without_faults_everything_comes_once() -> None:
    diary, verdict = happen()

    assert all(diary.between(sender, to) == ALL for sender in range(3) for to in range(3))
    assert verdict.injected == {}


def test_a_lossy_link_loses_there_and_then_alone() -> None:
    """Ticks 2 and 3 are said at 2.5 and 3.5 s."""
    diary, verdict = happen(Lossy(2.0, 4.0, probability=1.0, link=(0, 1)))

    assert diary.between(0, 1) == [0, 1, 4, 5, 6, 7, 8, 9]
    assert diary.between(1, 0) == diary.between(0, 2) == ALL
    assert verdict.injected == {"loss": 2}


def test_loss_everywhere_spares_what_a_node_sends_itself() -> None:
    """Three nodes say two ticks to two others each."""
    diary, verdict = happen(Lossy(2.0, 4.0, probability=1.0))

    assert diary.between(1, 1) == ALL
    assert diary.between(2, 1) == [0, 1, 4, 5, 6, 7, 8, 9]
    assert verdict.injected == {"loss": 12}


def test_loss_with_a_probability_loses_some() -> None:
    """Of 60 messages a half, within four standard deviations."""
    _, verdict = happen(Lossy(0.0, 12.0, probability=0.5))

    assert 14 <= verdict.injected["loss"] <= 46


def test_doubled_messages_come_twice() -> None:
    diary, verdict = happen(Doubling(2.0, 3.0, probability=1.0, later=0.2))

    assert diary.between(0, 1) == [0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9]
    assert verdict.injected == {"duplication": 6}


def test_held_back_messages_are_overtaken() -> None:
    """Ticks 0 to 4 wait for up to five seconds, the others do not."""
    diary, verdict = happen(Reordering(0.0, 5.0, probability=1.0, by=5.0))

    assert sorted(diary.between(0, 1)) == ALL
    assert diary.between(0, 1) != ALL
    assert verdict.injected == {"reordering": 30}


def test_a_slow_link_is_slow_one_way() -> None:
    diary, _ = happen(SlowLink(0.0, 1.0, link=(0, 1), delay=2.0))
    first = {(of, by): time for time, by, of, number in diary.heard if number == 0}

    assert 2.5 <= first[0, 1] < 2.9
    assert 0.5 <= first[1, 0] < 0.9


@pytest.mark.parametrize(("way", "out", "into"), [("both", [], []), ("out", [], ALL), ("in", ALL, [])])
def test_a_partition_cuts_the_way_it_says(way: str, out: list[int], into: list[int]) -> None:
    diary, _ = happen(Partition(0.0, 12.0, side=(0,), way=way))

    assert diary.between(0, 1) == out
    assert diary.between(1, 0) == into
    assert diary.between(1, 2) == diary.between(2, 1) == ALL


def test_a_flapping_partition_is_on_and_off() -> None:
    """Cut from 0 to 1 s, whole from 1 to 2 s: every even tick is lost."""
    diary, _ = happen(Partition(0.0, 12.0, side=(0,), period=1.0))

    assert diary.between(0, 1) == [1, 3, 5, 7, 9]


def test_a_crashed_node_stays_down() -> None:
    diary, verdict = happen(Crash(3.0, node=2))

    assert diary.between(2, 0) == [0, 1, 2]
    assert diary.between(0, 2) == [0, 1, 2]
    assert verdict.injected == {"crash": 1}


def test_a_crash_in_the_middle_of_a_sending_reaches_some() -> None:
    """Node 1 says tick 3 to 0, and to itself, and then is gone before it has said it to 2."""
    diary, verdict = happen(CrashMidSend(3.0, node=1, sends=2))

    assert diary.between(1, 0) == [0, 1, 2, 3]
    assert diary.between(1, 2) == [0, 1, 2]
    assert verdict.injected == {"crash-mid-send": 1}


def test_a_crash_that_waits_for_messages_is_off_when_faults_are_over() -> None:
    """Ten ticks to three nodes are thirty messages: the hundredth never comes."""
    diary, verdict = happen(CrashMidSend(3.0, node=1, sends=100))

    assert diary.between(1, 2) == ALL
    assert verdict.injected == {}


def test_who_recovers_has_its_storage_and_who_forgets_has_not() -> None:
    diary, verdict = happen(Recovery(3.0, 5.0, node=0), Amnesia(3.0, 6.0, node=1))

    assert diary.began[3:] == [(5.0, 0, 2), (6.0, 1, None)]
    assert diary.between(0, 2) == [0, 1, 2, *ALL]
    assert verdict.injected == {"recovery": 1, "amnesia": 1}


def test_a_paused_node_goes_on_with_what_it_missed() -> None:
    """It says tick 3 and hears two of others when it goes on, at 4.2 s."""
    diary, verdict = happen(Pause(3.0, 4.2, node=0))

    assert [time for time, by, _, number in diary.heard if by == 0 and number == 3][:2] == [4.2, 4.2]
    assert diary.between(0, 1) == ALL
    assert verdict.injected == {"pause": 1}


def test_a_skewed_clock_jumps_drifts_and_keeps_what_it_is_off_by() -> None:
    """It jumps by 10 s at 1 s and runs twice as fast until 3 s: off by 12 s in the end."""
    diary, verdict = happen(Skew(1.0, 3.0, node=0, rate=2.0, jump=10.0))
    off = {round(shown - true, 6) for true, shown in diary.clocks if true > 3.0}

    assert off == {0.0, 12.0}
    assert verdict.injected == {"skew": 1}


def test_wrong_suspicions_reach_the_detectors_of_those_named() -> None:
    diary, verdict = happen(Crash(1.0, node=2), WrongSuspicion(2.0, 3.5, at=(0, 2), of=1))

    assert diary.suspected == [(2.0, 0, 1, 1.5)]
    assert verdict.injected == {"crash": 1, "suspicion": 1}


def test_a_stack_without_a_detector_to_be_wrong_is_refused() -> None:
    class Quiet(Layer[()]):
        pass

    case = replace(CASE, stack=lambda: Stack(Quiet()))
    schedule = Schedule((WrongSuspicion(2.0, 3.5, at=(0,), of=1),))

    with pytest.raises(CheckingError, match=r"no layer of Stack\(Quiet\) has suspect_wrongly"):
        Trial(case, schedule=schedule).run()


def test_a_fault_of_a_node_that_is_not_there_is_refused() -> None:
    with pytest.raises(CheckingError, match="there is no node 7 among 3"):
        happen(Crash(1.0, node=7))


SAMPLES: list[Fault] = [
    Lossy(1.0, 2.0, probability=0.5, link=(0, 1)),
    Lossy(1.0, 2.0, probability=1.0),
    Doubling(1.0, 2.0, probability=0.5, later=1.0),
    Reordering(1.0, 2.0, probability=0.5, by=1.0),
    SlowLink(1.0, 2.0, link=(0, 1), delay=1.0),
    Partition(1.0, 2.0, side=(0, 2), way="in", period=0.1),
    Crash(1.0, node=1),
    CrashMidSend(1.0, node=1, sends=3),
    Recovery(1.0, 2.0, node=1),
    Amnesia(1.0, 2.0, node=1),
    Pause(1.0, 2.0, node=1),
    WrongSuspicion(1.0, 2.0, at=(0, 2), of=1),
    Skew(1.0, 2.0, node=1, rate=1.5, jump=-1.0),
]


def test_every_kind_is_among_the_samples() -> None:
    assert {type(fault) for fault in SAMPLES} == set(FAULTS)


@pytest.mark.parametrize("fault", SAMPLES, ids=lambda fault: fault.kind)
def test_a_fault_prints_as_a_sentence_and_as_python(fault: Fault) -> None:
    assert str(fault).startswith(("1.000 s: ", "1.000 to 2.000 s: "))
    assert eval(repr(fault)) == fault  # noqa: S307


@pytest.mark.parametrize("fault", SAMPLES, ids=lambda fault: fault.kind)
def test_a_fault_can_be_of_other_nodes(fault: Fault) -> None:
    """And of the same again."""
    other = fault.renamed({0: 10, 1: 11, 2: 12})

    assert other.involved == tuple(address + 10 for address in fault.involved)
    assert other.renamed({10: 0, 11: 1, 12: 2}) == fault


@pytest.mark.parametrize("fault", SAMPLES, ids=lambda fault: fault.kind)
def test_making_a_fault_simpler_comes_to_an_end(fault: Fault) -> None:
    """Whatever is chosen, within fifty steps nothing simpler is left."""
    for pick in (0, -1):
        present = fault
        for _ in range(50):
            simpler = list(present.simpler())
            assert all(other.end <= fault.end and other.time >= fault.time for other in simpler)
            if not simpler:
                break
            present = simpler[pick]
        assert not list(present.simpler())
