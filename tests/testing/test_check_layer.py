"""`check_layer` says nothing of a sound layer, and one sentence about one that breaks a promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from kumi.checking.schedule import UnknownFault
from kumi.contract.messages import Address, Message
from kumi.protocols import Acknowledged, BestEffortBroadcast, Layer, PerfectLinks, Stack, ToEach
from kumi.testing.layers import case_for, check_layer, weight
from tests.checking.sample import CASE, Forgetful, Stubborn, Talk
from tests.testing import breathless


@dataclass(frozen=True, slots=True)
class Signed(Message):
    """A message with something more."""

    extra: object
    inside: Message


class Plain(BestEffortBroadcast):
    """Sends to all, one after the other, and adds what a subclass says."""

    links: PerfectLinks

    def begin(self) -> None:
        self.links.listen(self._hear)

    def broadcast(self, message: Message) -> None:
        for address in self.node.group:
            self.links.send(Signed(self.extra(), message), address)

    def extra(self) -> object:
        return None

    def _hear(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Signed)
        self.tell(message.inside, sender)


def stack_of(kind: type[Plain]) -> Callable[[], Stack]:
    """Return what makes a stack with a layer of that kind on top."""
    return lambda: Stack(kind(), Acknowledged())


def complaint(tried: Callable[[], Stack], **options: object) -> str:
    """Return what is said of a layer."""
    with pytest.raises(AssertionError) as said:
        check_layer(tried, runs=10, nodes=3, **options)  # type: ignore[arg-type]
    return str(said.value)


def test_a_sound_layer_passes() -> None:
    check_layer(stack_of(Plain), runs=10, nodes=3)


def test_a_sound_case_passes() -> None:
    check_layer(replace(CASE, stack=lambda: Stack(Talk(), ToEach(), Acknowledged())), runs=10, nodes=3)


def test_the_case_is_that_of_the_guarantee() -> None:
    assert case_for(stack_of(Plain)).name == "Plain"
    assert [type(layer) for layer in case_for(stack_of(Plain)).stack().layers[1:]] == [Plain, Acknowledged]


def test_a_layer_that_breaks_its_promise_is_shown_with_seed_and_faults() -> None:
    case = replace(CASE, stack=lambda: Stack(Talk(), ToEach(), Forgetful()))
    with pytest.raises(AssertionError) as said:
        check_layer(case, runs=30)

    assert str(said.value).startswith("sample breaks no duplication: ")
    assert "seed " in str(said.value)
    assert "\n  " in str(said.value)


def test_a_layer_that_fails_without_faults_is_told_so() -> None:
    class Mute(Plain):
        """Says nothing."""

        def broadcast(self, message: Message) -> None:
            pass

    assert complaint(stack_of(Mute)).startswith("without any fault, Mute breaks ")


def test_layers_that_two_stacks_share_are_refused() -> None:
    shared = Acknowledged()

    assert "<Acknowledged> is in two stacks" in complaint(lambda: Stack(Plain(), shared))


def test_a_layer_that_depends_on_something_else_is_refused() -> None:
    count = iter(range(10**9))

    class Counting(Plain):
        """Counts over all runs."""

        def extra(self) -> object:
            return next(count)

    assert "did other things in a second run with the same seed (0)" in complaint(stack_of(Counting))


def test_a_message_that_no_wire_takes_is_refused() -> None:
    class Wordy(Plain):
        """Sends what cannot be sent."""

        def extra(self) -> object:
            return 1j

    assert "cannot be written for a wire" in complaint(stack_of(Wordy))


def test_a_layer_whose_module_imports_a_clock_is_refused() -> None:
    words = complaint(lambda: Stack(breathless.Breathless(), Acknowledged()))

    assert "Breathless lives in tests.testing.breathless, which imports time" in words


def test_a_layer_that_hoards_is_refused() -> None:
    class Hoarder(Plain):
        """Keeps a diary."""

        def begin(self) -> None:
            super().begin()
            self.diary: list[float] = []
            self._write()

        def _write(self) -> None:
            self.diary.append(self.node.now)
            self.node.after(1.0, self._write)

    assert "layer 1 (Hoarder) of node 0 keeps " in complaint(stack_of(Hoarder))


def test_a_layer_that_sets_ever_more_timers_is_refused() -> None:
    class Anxious(Plain):
        """Sets two timers whenever one fires, the second for the far future."""

        def begin(self) -> None:
            super().begin()
            self._worry()

        def _worry(self) -> None:
            self.node.after(1.0, self._worry)
            self.node.after(1e6, self._worry)

    assert "timers are set at t = " in complaint(stack_of(Anxious))


def test_a_layer_of_no_known_guarantee_needs_a_case() -> None:
    class Odd(Layer[int]):
        """Offers something new."""

    with pytest.raises(AssertionError, match="Odd offers no guarantee that a shipped case tries"):
        check_layer(lambda: Stack(Odd()))


def test_faults_can_be_chosen() -> None:
    check_layer(replace(CASE, stack=lambda: Stack(Talk(), ToEach(), Stubborn())), runs=5, faults=["crash"])
    with pytest.raises(UnknownFault, match="there is no fault 'fire'"):
        check_layer(CASE, runs=5, faults=["fire"])


def test_a_weight_counts_what_is_kept_and_not_who_keeps_it() -> None:
    """A list of three numbers: the list, three places, three numbers."""
    assert weight([1000, 2000, 3000]) == 7
    assert weight([Layer(), Layer()]) == 3
    assert weight({}) == 1
