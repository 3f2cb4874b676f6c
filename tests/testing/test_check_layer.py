"""`check_layer` says nothing of a sound layer, and one sentence about one that breaks a promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from kumi.checking.cases.exclusion import (
    AtMostOneInside,
    CausalEntries,
    ClockWitness,
    EachComesIn,
    TokensGrow,
)
from kumi.checking.schedule import UnknownFault
from kumi.contract.messages import Address, Message
from kumi.protocols import (
    Acknowledged,
    BestEffortBroadcast,
    ChandraToueg,
    EagerRelay,
    FairLossLinks,
    Heartbeat,
    Layer,
    Mistaken,
    MutualExclusion,
    PerfectLinks,
    RicartAgrawala,
    Stack,
    ToEach,
    TokenRing,
)
from kumi.testing.layers import NotTriedElsewhere, check_layer, weight
from kumi.testing.trying import case_for
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
    case = replace(CASE, stack=lambda: Stack(Talk(), ToEach(), Acknowledged()))
    check_layer(case, runs=10, nodes=3, hash_seeds=False)


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
    check_layer(
        replace(CASE, stack=lambda: Stack(Talk(), ToEach(), Stubborn())),
        runs=5,
        faults=["crash"],
        hash_seeds=False,
    )
    with pytest.raises(UnknownFault, match="there is no fault 'fire'"):
        check_layer(CASE, runs=5, faults=["fire"])


def test_a_weight_counts_what_is_kept_and_not_who_keeps_it() -> None:
    """A list of three numbers: the list, three places, three numbers."""
    assert weight([1000, 2000, 3000]) == 7
    assert weight([Layer(), Layer()]) == 3
    assert weight([print, len, weight]) == 4
    assert weight([Layer, 1000]) == 4
    assert weight({}) == 1


# The order of sets.


class Scattered(Plain):
    """Sends to all in the order of a set of texts, which is another one in each process."""

    def broadcast(self, message: Message) -> None:
        names = {f"node {address}": address for address in self.node.group}
        for name in set(names):
            self.links.send(Signed(self.extra(), message), names[name])


DEPENDS = "did other things under another hash seed; sort a set before going through it"


def test_a_layer_that_depends_on_the_order_of_a_set_is_found() -> None:
    assert complaint(stack_of(Scattered)) == f"Scattered {DEPENDS}"


def test_a_layer_inside_a_function_is_tried_under_other_hash_seeds() -> None:
    class Hidden(Scattered):
        """Has no name by which another process could find it."""

    assert complaint(stack_of(Hidden)) == f"Hidden {DEPENDS}"


def test_a_layer_that_no_other_process_can_have_is_told_of() -> None:
    """All else is checked, and the warning says what was not."""
    nothing = (None for _ in ())

    class Tied(Plain):
        """Holds what cannot be sent."""

        def extra(self) -> object:
            return next(nothing, None)

    with pytest.warns(
        NotTriedElsewhere,
        match="^Tied was not tried under other hash seeds, since it cannot be sent to another process",
    ):
        check_layer(stack_of(Tied), runs=2, nodes=3)


# What a layer bears.


class Hasty(Plain):
    """Sends over the network as it is, though that may lose messages."""

    links: FairLossLinks  # type: ignore[assignment]

    def begin(self) -> None:
        self.links.listen(self._hear)


class Frank(Hasty):
    """Says that it stands no loss."""

    bears = frozenset({"reordering", "slow-links", "crash", "pause", "skew"})


def test_only_such_faults_happen_as_the_layers_bear() -> None:
    assert "breaks" in complaint(lambda: Stack(Hasty()), hash_seeds=False)
    check_layer(lambda: Stack(Frank()), runs=10, nodes=3, hash_seeds=False)
    assert case_for(lambda: Stack(Frank())).faults == Frank.bears


def test_a_stack_bears_what_all_its_layers_bear() -> None:
    assert case_for(lambda: Stack(ToEach(), Frank(), Acknowledged())).faults == Frank.bears & ToEach.bears


def test_who_says_nothing_is_told_how_to_say_what_it_bears() -> None:
    words = complaint(lambda: Stack(Hasty()), faults=["loss"], hash_seeds=False)

    assert "If Hasty need not bear that, let its `bears` name the faults that it does: " in words
    assert words.endswith("all but loss, recovery, amnesia, suspicion")


def test_faults_that_a_layer_does_not_bear_are_not_tried() -> None:
    with pytest.raises(UnknownFault) as said:
        check_layer(lambda: Stack(Frank()), faults=["crash", "loss"])

    assert str(said.value) == "Frank does not bear loss; it bears reordering, slow-links, crash, pause, skew"


def test_a_layer_that_bears_what_there_is_not_is_refused() -> None:
    class Boasting(Plain):
        """Bears everything."""

        bears = frozenset({"fire"})

    assert complaint(stack_of(Boasting)).startswith(
        "Boasting bears 'fire', which is no kind of fault; there are loss"
    )


def test_a_detector_is_made_to_err_where_wrong_suspicions_are_borne() -> None:
    with_detector = case_for(lambda: Stack(ChandraToueg(), Acknowledged(), Heartbeat()))
    without = case_for(lambda: Stack(EagerRelay(), ToEach(), Acknowledged()))

    assert "suspicion" in with_detector.faults
    assert [type(layer) for layer in with_detector.stack().layers[1:]] == [
        ChandraToueg,
        Acknowledged,
        Mistaken,
        Heartbeat,
    ]
    assert "suspicion" not in without.faults


def test_a_layer_is_tried_by_the_case_that_was_written_for_it() -> None:
    """Ricart and Agrawala promise an order of entries, which not every mutual exclusion does; a witness sees it."""

    class Ours(MutualExclusion):
        """Another one, of somebody's own."""

    asking = case_for(lambda: Stack(RicartAgrawala(), Acknowledged()))
    for other in (TokenRing, Ours):
        general = case_for(lambda other=other: Stack(other(), EagerRelay(), ToEach(), Acknowledged()))  # type: ignore[misc]
        assert [type(monitor) for monitor in general.monitors()] == [AtMostOneInside, EachComesIn, TokensGrow]

    assert [type(monitor) for monitor in asking.monitors()] == [
        AtMostOneInside,
        EachComesIn,
        TokensGrow,
        CausalEntries,
    ]
    assert [type(layer) for layer in asking.stack().layers[1:]] == [
        RicartAgrawala,
        ClockWitness,
        Acknowledged,
    ]
