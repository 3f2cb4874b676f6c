"""The monitors of leaders, detectors, maps, views, commits, exclusion and termination, on runs written by hand.

Each rule has a run that breaks it and, beside it, the run that just does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from kumi.checking.cases import exclusion
from kumi.checking.cases.commit import EndsAlike
from kumi.checking.cases.detectors import FEW_MISTAKES, Completeness, EventualAccuracy, StrongAccuracy
from kumi.checking.cases.exclusion import AtMostOneInside, EachComesIn, Fenced, TokensGrow
from kumi.checking.cases.gossip import Converges, NeverBack
from kumi.checking.cases.leaders import AtMostOne, KnownToAll, OneReign, SameLeader, SameTerms
from kumi.checking.cases.membership import SameSets, ViewsAgree
from kumi.checking.cases.termination import TrulyOver
from kumi.checking.monitors import Monitor, RunEnding, Violation
from kumi.protocols.membership import MemberView
from tests.protocols.groups import Word

GROUP = (0, 1, 2)
A, B = Word("a"), Word("b")


@dataclass(frozen=True)
class Step:
    """Something that a monitor sees of a node; without an instant, a second after the one before."""

    node: int
    what: str
    event: tuple[Any, ...] = ()
    at: float | None = None


def tell(node: int, *event: Any, at: float | None = None) -> Step:
    """The layer tells something at a node."""
    return Step(node, "tell", event, at)


def ask(node: int, what: str, *event: Any) -> Step:
    """The layer is asked for something at a node."""
    return Step(node, what, event)


def crash(node: int) -> Step:
    """A node goes down."""
    return Step(node, "crash")


def back(node: int) -> Step:
    """A node comes back."""
    return Step(node, "back")


def judged(monitor: Monitor, history: Sequence[Step]) -> str:
    """Return which rule a run of a hundred seconds breaks; nothing where it breaks none."""
    crashed: set[int] = set()
    down: set[int] = set()
    time = 0.0
    try:
        for step in history:
            time = time + 1.0 if step.at is None else step.at
            match step.what:
                case "tell":
                    monitor.indicated(time, step.node, step.event)
                case "crash":
                    crashed.add(step.node)
                    down.add(step.node)
                    monitor.crashed(time, step.node)
                case "back":
                    down.discard(step.node)
                    monitor.restarted(time, step.node)
                case what:
                    monitor.request(time, step.node, what, step.event)
        group = frozenset(GROUP)
        monitor.finish(RunEnding(100.0, GROUP, group - crashed, group - down, True))
    except Violation as found:
        return found.rule
    return ""


def all_tell(*event: Any) -> list[Step]:
    """All three nodes tell the same."""
    return [tell(node, *event) for node in GROUP]


def views(number: int, *members: int, at: Sequence[int] | None = None) -> list[Step]:
    """Members begin a view."""
    return [tell(node, MemberView(number, members), node) for node in at or members]


Row = tuple[Callable[[], Monitor], list[Step], str]

LEADERS: list[Row] = [
    (SameLeader, all_tell(0), ""),
    (SameLeader, [tell(0, 0), tell(1, 0)], "eventual leadership"),
    (SameLeader, [tell(0, 0), tell(1, 0), tell(2, 1)], "eventual leadership"),
    (SameLeader, [*all_tell(0), tell(2, 1), tell(2, 0)], ""),
    (SameLeader, [*all_tell(0), crash(0)], "eventual leadership"),
    (SameLeader, [*all_tell(0), crash(0), tell(1, 1), tell(2, 1)], ""),
    (SameLeader, [*all_tell(0), crash(2)], ""),
    (SameLeader, [*all_tell(0), crash(2), back(2)], "eventual leadership"),
    (SameLeader, [tell(0, 0), tell(1, 0), tell(2, 0, at=75.0)], ""),
    (SameLeader, [tell(0, 0), tell(1, 0), tell(2, 0, at=75.1)], "eventual leadership"),
    (OneReign, [*all_tell(0), crash(0), tell(1, 1), tell(2, 1)], ""),
    (OneReign, [tell(0, 0), tell(1, 1)], "one leader at a time"),
    (OneReign, [tell(0, 0), crash(0), tell(1, 1), tell(2, 2)], "one leader at a time"),
    (OneReign, [tell(0, 0), crash(0), tell(1, 1), tell(2, 0)], ""),
    (AtMostOne, all_tell(1), ""),
    (AtMostOne, [tell(0, 1), tell(1, 0)], "at most one leader"),
    (AtMostOne, [tell(0, 1), tell(0, 1)], "at most one leader"),
    (KnownToAll, [], ""),
    (KnownToAll, [ask(0, "elect")], "a leader known to all"),
    (KnownToAll, [ask(0, "elect"), *all_tell(0)], ""),
    (KnownToAll, [ask(0, "elect"), tell(0, 0), tell(1, 0)], "a leader known to all"),
    (KnownToAll, [ask(0, "elect"), tell(0, 0), tell(1, 0), crash(2)], ""),
    (SameTerms, [ask(0, "follow", 0, 2), ask(1, "follow", 0, 2), ask(0, "follow", 1, 1)], ""),
    (SameTerms, [ask(0, "follow", 0, 2), ask(1, "follow", 0, 1)], "one leader a term"),
    (SameTerms, [ask(0, "follow", 1, 2)], "terms in order"),
    (SameTerms, [ask(0, "follow", 0, 2), ask(0, "follow", 0, 2)], "terms in order"),
    (SameTerms, [ask(0, "follow", 0, 2), ask(0, "follow", 2, 2)], "terms in order"),
]


def mistakes(count: int, at: float) -> list[Step]:
    """Node 0 suspects node 1 wrongly again and again, and takes it back."""
    return [step for _ in range(count) for step in (tell(0, 1, True, at=at), tell(0, 1, False, at=at))]


DETECTORS: list[Row] = [
    (Completeness, [crash(2), tell(0, 2, True), tell(1, 2, True)], ""),
    (Completeness, [crash(2), tell(0, 2, True)], "strong completeness"),
    (Completeness, [crash(2), tell(0, 2, True), tell(1, 2, True), tell(0, 2, False)], "strong completeness"),
    (Completeness, [crash(2), tell(0, 2, True), crash(1), tell(0, 1, True)], ""),
    (
        Completeness,
        [crash(2), tell(0, 2, True), tell(1, 2, True), crash(1), back(1)],
        "strong completeness",
    ),
    (Completeness, [crash(2), back(2)], ""),
    (EventualAccuracy, [tell(0, 1, True), tell(0, 1, False)], ""),
    (EventualAccuracy, [tell(0, 1, True, at=75.0)], "eventual strong accuracy"),
    (EventualAccuracy, [tell(0, 1, True, at=75.1)], ""),
    (EventualAccuracy, [tell(0, 1, True), crash(1)], ""),
    (EventualAccuracy, [tell(0, 1, True), crash(0)], ""),
    (EventualAccuracy, mistakes(FEW_MISTAKES, at=80.0), ""),
    (EventualAccuracy, mistakes(FEW_MISTAKES + 1, at=80.0), "eventual strong accuracy"),
    (EventualAccuracy, mistakes(FEW_MISTAKES + 1, at=75.0), ""),
    (EventualAccuracy, [crash(1), *mistakes(FEW_MISTAKES + 1, at=80.0)], ""),
    (EventualAccuracy, [crash(1), back(1), *mistakes(FEW_MISTAKES + 1, at=80.0)], "eventual strong accuracy"),
    (StrongAccuracy, [crash(1), tell(0, 1, True)], ""),
    (StrongAccuracy, [tell(0, 1, True)], "strong accuracy"),
    (StrongAccuracy, [tell(0, 1, False)], ""),
    (StrongAccuracy, [crash(2), tell(0, 1, True)], "strong accuracy"),
]

MAPS: list[Row] = [
    (Converges, [ask(0, "write", "k", 1), *all_tell("k", 1)], ""),
    (Converges, [ask(0, "write", "k", 1), tell(0, "k", 2)], "no creation"),
    (Converges, [ask(0, "write", "k", 1), tell(0, "l", 1)], "no creation"),
    (Converges, [ask(0, "write", "k", 1), tell(0, "k", 1), tell(1, "k", 1)], "convergence"),
    (Converges, [ask(0, "write", "k", 1), tell(0, "k", 1), tell(1, "k", 1), crash(2)], ""),
    (Converges, [ask(0, "write", "k", 1), *all_tell("k", 1), crash(2), back(2)], "convergence"),
    (Converges, [ask(0, "write", "k", 1)], "nothing lost"),
    (Converges, [ask(0, "write", "k", 1), crash(0)], ""),
    (
        Converges,
        [ask(0, "write", "k", 1), ask(1, "write", "k", 2), *all_tell("k", 1), tell(2, "k", 2)],
        "convergence",
    ),
    (NeverBack, [tell(0, "k", 1), tell(0, "k", 2), tell(1, "k", 1), tell(1, "k", 2)], ""),
    (NeverBack, [tell(0, "k", 1), tell(0, "k", 2), tell(1, "k", 2), tell(1, "k", 1)], "never back"),
    (NeverBack, [tell(0, "k", 1), tell(0, "k", 2), tell(1, "l", 2), tell(1, "l", 1)], ""),
    (NeverBack, [tell(0, "k", 1), tell(0, "k", 1), tell(0, "k", 1)], ""),
    (NeverBack, [tell(0, "k", 1), tell(0, "k", 2), crash(0), tell(0, "k", 1)], ""),
    (NeverBack, [tell(0, "k", 1), tell(0, "k", 2), crash(1), tell(0, "k", 1)], "never back"),
]

BEGUN = views(0, 0, 1, 2)
VIEWS: list[Row] = [
    (ViewsAgree, BEGUN, ""),
    (ViewsAgree, [*BEGUN, *all_tell(A, 0)], ""),
    (ViewsAgree, views(0, 0, 1, 2, at=[0, 1]), "a view of the correct ones"),
    (ViewsAgree, [*BEGUN, crash(2)], "a view of the correct ones"),
    (ViewsAgree, [*BEGUN, crash(2), *views(1, 0, 1)], ""),
    (ViewsAgree, [*BEGUN, *views(1, 0, 1, at=[0]), *views(1, 1, 2, at=[1])], "one view for a number"),
    (ViewsAgree, views(0, 0, 1, at=[2]), "self-inclusion"),
    (ViewsAgree, [*BEGUN, *BEGUN], "numbers grow"),
    (ViewsAgree, [*views(1, 0, 1, 2), *views(0, 0, 1, 2, at=[0])], "numbers grow"),
    (SameSets, [*BEGUN, ask(0, "broadcast", A), *all_tell(A, 0), *views(1, 0, 1, 2)], ""),
    (
        SameSets,
        [*BEGUN, ask(0, "broadcast", A), tell(0, A, 0), *views(1, 0, 1, 2)],
        "same messages in a view",
    ),
    (SameSets, [*BEGUN, ask(0, "broadcast", A), tell(0, A, 0), *views(2, 0, 1, 2)], ""),
    (SameSets, [ask(0, "broadcast", A), *BEGUN, *all_tell(A, 0)], ""),
    (SameSets, [*BEGUN, tell(1, A, 0)], "no creation"),
    (SameSets, [*BEGUN, ask(0, "broadcast", A), tell(1, A, 2)], "no creation"),
    (SameSets, [ask(0, "broadcast", A), tell(0, A, 0)], "in the view it was sent in"),
    (
        SameSets,
        [*BEGUN, *views(1, 1, 2), ask(0, "broadcast", A), tell(1, A, 0)],
        "in the view it was sent in",
    ),
    (
        SameSets,
        [*BEGUN, *views(1, 0, 1, 2, at=[0]), ask(0, "broadcast", A), tell(1, A, 0)],
        "in the view it was sent in",
    ),
    (
        SameSets,
        [*BEGUN, ask(0, "broadcast", A), tell(0, A, 0), *views(1, 0, 1, 2, at=[1]), tell(1, A, 0)],
        "in the view it was sent in",
    ),
    (SameSets, [*BEGUN, ask(0, "broadcast", A), tell(0, A, 0), tell(0, A, 0)], "no duplication"),
    (SameSets, [*BEGUN, ask(0, "broadcast", A)], "validity"),
    (SameSets, [*BEGUN, ask(0, "broadcast", A), crash(0)], ""),
]

ENDS: list[Row] = [
    (EndsAlike, [*(ask(node, "vote", "t", True) for node in GROUP), *all_tell("t", True)], ""),
    (EndsAlike, [tell(0, "t", True), tell(0, "t", True)], "one end"),
    (EndsAlike, [tell(0, "t", True), tell(1, "t", False)], "agreement"),
    (EndsAlike, [tell(0, "t", True), tell(1, "u", False), tell(0, "u", False)], ""),
    (EndsAlike, [ask(0, "vote", "t", True)], "termination"),
    (EndsAlike, [ask(0, "vote", "t", True), tell(1, "t", True)], "termination"),
    (EndsAlike, [ask(0, "vote", "t", True), tell(0, "u", True)], "termination"),
    (EndsAlike, [ask(0, "vote", "t", True), crash(0)], ""),
]


def stay(node: int, *token: int) -> list[Step]:
    """A node asks, comes in and leaves."""
    return [ask(node, "enter"), tell(node, *token), ask(node, "leave")]


EXCLUSION: list[Row] = [
    (AtMostOneInside, [*stay(0), *stay(1), *stay(0)], ""),
    (AtMostOneInside, [tell(0), tell(1)], "at most one inside"),
    (AtMostOneInside, [tell(0), ask(1, "enter"), tell(1)], "at most one inside"),
    (AtMostOneInside, [tell(0), crash(0), tell(1)], ""),
    (AtMostOneInside, [tell(0), crash(2), tell(1)], "at most one inside"),
    (AtMostOneInside, [tell(0, at=0.0), tell(1, at=0.0)], "at most one inside"),
    (lambda: AtMostOneInside(since=2.0), [tell(0), tell(1)], "at most one inside"),
    (lambda: AtMostOneInside(since=2.1), [tell(0), tell(1)], ""),
    (EachComesIn, [*stay(0), *stay(1)], ""),
    (EachComesIn, [tell(0)], "only who asks"),
    (EachComesIn, [*stay(0), tell(0)], "only who asks"),
    (EachComesIn, [ask(0, "enter")], "each comes in"),
    (EachComesIn, [ask(0, "leave")], ""),
    (EachComesIn, [ask(0, "enter"), crash(0)], ""),
    (TokensGrow, [tell(0, 1), tell(1, 2), tell(0, 5)], ""),
    (TokensGrow, [tell(0, 1), tell(1, 1)], "tokens grow"),
    (TokensGrow, [tell(0, 1), tell(1, 3), tell(2, 2)], "tokens grow"),
    (Fenced, [*stay(0, 1), *stay(1, 2), *stay(2, 3)], ""),
    (Fenced, [*stay(0, 1), *stay(1, 1)], "a token for each entry"),
    (Fenced, [tell(0, 2), tell(1, 1), ask(1, "leave"), ask(0, "leave")], ""),
    (Fenced, [tell(0, 1), crash(0), tell(1, 2), ask(0, "leave")], ""),
]

ALL_REST = [ask(node, "rest") for node in GROUP]
ALL_SAY = [ask(node, "announce") for node in GROUP]
TERMINATION: list[Row] = [
    (TrulyOver, [*ALL_REST, *ALL_SAY], ""),
    (TrulyOver, [*ALL_REST, *ALL_SAY[:2]], "announced in the end"),
    (TrulyOver, [*ALL_REST[:2], ask(2, "send", A, 0), tell(0, A), *ALL_SAY], "announced only when over"),
    (TrulyOver, [ask(0, "send", A, 1), *ALL_REST, ask(0, "announce")], "announced only when over"),
    (TrulyOver, [ask(0, "send", A, 1), *ALL_REST], ""),
    (TrulyOver, [ask(0, "send", A, 1), *ALL_REST, tell(1, A)], ""),
    (
        TrulyOver,
        [ask(0, "send", A, 1), *ALL_REST, tell(1, A), ask(0, "announce")],
        "announced only when over",
    ),
    (TrulyOver, [ask(0, "send", A, 1), *ALL_REST, tell(1, A), ask(1, "rest"), *ALL_SAY], ""),
    (
        TrulyOver,
        [ask(0, "send", A, 1), ask(0, "send", B, 2), *ALL_REST, tell(1, A), ask(1, "rest"), *ALL_SAY],
        "announced only when over",
    ),
]

ROWS = [*LEADERS, *DETECTORS, *MAPS, *VIEWS, *ENDS, *EXCLUSION, *TERMINATION]


@pytest.mark.parametrize(("make", "history", "rule"), ROWS)
def test_a_monitor_names_the_rule_that_a_run_breaks(
    make: Callable[[], Monitor], history: list[Step], rule: str
) -> None:
    assert judged(make(), history) == rule


class Open:
    """A fence that lets everybody in."""

    def accepts(self, token: int) -> bool:
        return True


@pytest.mark.parametrize(
    ("history", "rule"),
    [
        ([tell(0, 2), tell(1, 1)], "fenced"),
        ([tell(0, 1), tell(1, 2), ask(0, "leave")], "fenced"),
        ([tell(0, 1), ask(0, "leave"), tell(1, 2), ask(0, "leave")], ""),
        ([tell(0, 1), tell(1, 2), ask(0, "enter"), ask(1, "leave")], ""),
        ([tell(0, 1), crash(0), tell(1, 2), ask(0, "leave")], ""),
        ([tell(0, 1), crash(1), tell(1, 2), ask(0, "leave")], "fenced"),
    ],
)
def test_a_fence_that_lets_in_an_old_token_is_seen(
    monkeypatch: pytest.MonkeyPatch, history: list[Step], rule: str
) -> None:
    """When it comes in and when it leaves; a crashed node uses the resource no more."""
    monkeypatch.setattr(exclusion, "Fence", Open)

    assert judged(Fenced(), history) == rule


def test_the_story_tells_of_both_who_are_inside() -> None:
    monitor = AtMostOneInside()
    monitor.indicated(1.0, 2, ())

    with pytest.raises(Violation) as found:
        monitor.indicated(2.5, 1, ())
    assert found.value.story == "node 1 came in at 2.500 s; node 2 is inside since 1.000 s"
