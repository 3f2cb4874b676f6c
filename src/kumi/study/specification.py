"""What is one robot's logic to answer, and which sequences of inputs try all of it?

A specification is a table of rules: in a state, given an input, these outputs follow, and that state. From the table
come the sequences with which a model is tried: `tours` are the fewest and shortest that use every rule, and
`all_of` are all sequences of a length.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kumi.study.errors import StudyError


class Rule(NamedTuple):
    """What follows: the outputs, in any order, and the state."""

    outputs: tuple[str, ...]
    state: str


@dataclass(frozen=True)
class Specification:
    """Rules by (state, input), and the state at the beginning. What has no rule may not happen."""

    start: str
    rules: Mapping[tuple[str, str], Rule]

    def __post_init__(self) -> None:
        unreached = {state for state, _ in self.rules} - set(self._ways())
        if unreached:
            raise StudyError(f"no inputs lead from state {self.start!r} to state {min(unreached)!r}")

    def _ways(self) -> dict[str, tuple[str, ...]]:
        """Return the shortest sequence of inputs that leads to each state."""
        ways: dict[str, tuple[str, ...]] = {self.start: ()}
        due = deque([self.start])
        while due:
            state = due.popleft()
            for (here, given), rule in self.rules.items():
                if here == state and rule.state not in ways:
                    ways[rule.state] = (*ways[state], given)
                    due.append(rule.state)
        return ways

    def tours(self) -> list[tuple[str, ...]]:
        """Return sequences of inputs that together use every rule: each the shortest way to one, and that one.

        A sequence with which another begins is left out.
        """
        ways = self._ways()
        found = [(*ways[state], given) for state, given in self.rules]
        return [one for one in found if not any(other != one and other[: len(one)] == one for other in found)]

    def all_of(self, length: int) -> Iterator[tuple[str, ...]]:
        """Yield every sequence of so many inputs that the rules allow."""
        yield from self._from(self.start, length)

    def _from(self, state: str, length: int) -> Iterator[tuple[str, ...]]:
        if length == 0:
            yield ()
            return
        for (here, given), rule in self.rules.items():
            if here == state:
                for rest in self._from(rule.state, length - 1):
                    yield (given, *rest)

    def answers(self, inputs: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return the outputs that follow each input, sorted."""
        state, found = self.start, []
        for given in inputs:
            if (state, given) not in self.rules:
                raise StudyError(f"the specification has no rule for input {given!r} in state {state!r}")
            rule = self.rules[state, given]
            found.append(tuple(sorted(rule.outputs)))
            state = rule.state
        return found
