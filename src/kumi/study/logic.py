"""Does the logic of one robot answer as its specification says?

The experimental frame (Hu and Zeigler) of one robot: the decision model alone, without a body or a world. A generator sends it one
sequence of inputs of the specification, one input a period; what comes out until the next is compared with what the
specification says. Vary `sequence` to try them all.

A specification is a table of rules: in a state, given an input, these outputs follow, and that state. From the table
come the sequences with which a model is tried: `tours` are the fewest and shortest that use every rule, and
`all_of` are all sequences of a length.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple

from kumi.devs import InPort, Model, OutPort
from kumi.study.errors import StudyError
from kumi.study.experiment import Experiment
from kumi.study.metrics import Measured, Metric
from kumi.study.run import Frame, Ran
from kumi.study.stage import ExperimentStage
from kumi.study.stimuli import Generator


class Answers(Metric):
    """What comes out of a model after each input, by the words of its specification."""

    def __init__(self, outputs: Mapping[str, OutPort[Any]], instants: list[float], names: Any) -> None:
        super().__init__("answers", list(outputs.values()), may_be_missing=True)
        self._instants = instants
        self._names = names
        self.heard: list[list[str]] = [[] for _ in range(len(instants) + 1)]

    def take(self, value: Any) -> None:
        """Write an output down with the input that came before it; the first place is for those before any."""
        self.heard[bisect_right(self._instants, self.now)].append(self._names(value))

    @property
    def result(self) -> int | None:
        """How many outputs there were."""
        return sum(map(len, self.heard)) or None


@dataclass(frozen=True, kw_only=True)
class LogicExperiment(Experiment):
    """One sequence of inputs for a model; a subclass says the specification, the model, its inputs and its outputs.

    `inputs` are the words of the specification with the port and the value that stand for each; one without a port lets
    a period pass. `outputs` are the ports that are listened to, and `word` names a value that came out of them.
    """

    sequence: int = 0
    period: float = 1.0

    def specification(self) -> Specification:
        """Return what the model is to answer."""
        raise NotImplementedError

    def model(self) -> Model:
        """Return the model under test."""
        raise NotImplementedError

    def inputs(self, model: Any) -> Mapping[str, tuple[InPort[Any] | None, Any]]:
        """Return for each input of the specification a port and a value."""
        raise NotImplementedError

    def outputs(self, model: Any) -> Mapping[str, OutPort[Any]]:
        """Return the ports that are listened to."""
        raise NotImplementedError

    def word(self, value: Any) -> str:
        """Return the word of the specification for a value that came out."""
        raise NotImplementedError

    def sequences(self) -> list[tuple[str, ...]]:
        """Return the sequences to choose from; by default those that use every rule."""
        return self.specification().tours()

    @property
    def given(self) -> tuple[str, ...]:
        """The inputs of this run."""
        choice = self.sequences()
        if not 0 <= self.sequence < len(choice):
            raise StudyError(
                f"sequence is {self.sequence}; there are {len(choice)}, from 0 to {len(choice) - 1}"
            )
        return choice[self.sequence]

    @property
    def instants(self) -> list[float]:
        """When the inputs come."""
        return [number * self.period for number, _ in zip(count(1), self.given, strict=False)]

    def stage(self, stage: ExperimentStage) -> None:
        """Put the model beside an empty world."""
        stage.add_model(self.model())

    def _model(self, stage: ExperimentStage) -> Model:
        return next(one for one in stage.root.components if one is not stage.world)

    def stimuli(self, stage: ExperimentStage) -> list[Generator]:
        """Bring the inputs, each into its port."""
        meaning = self.inputs(self._model(stage))
        found: list[Generator] = []
        for number, (instant, word) in enumerate(zip(self.instants, self.given, strict=True), 1):
            port, value = meaning[word]
            if port is not None:
                found.append(Generator(f"input {number}", [(instant, value)], into=port))
        return found

    def watch(self, stage: ExperimentStage) -> Answers:
        """Listen to all outputs."""
        return Answers(self.outputs(self._model(stage)), self.instants, self.word)

    def analysis(self, metrics: Answers) -> dict[str, Measured]:
        """Return how many inputs were answered otherwise than specified, and the first of them in words."""
        expected = [(), *self.specification().answers(self.given)]
        heard = [tuple(sorted(one)) for one in metrics.heard]
        inputs = ("the beginning", *self.given)
        wrong = [
            f"after {given}: {', '.join(came) or 'nothing'}, not {', '.join(due) or 'nothing'}"
            for given, came, due in zip(inputs, heard, expected, strict=True)
            if came != due
        ]
        return {"inputs": len(self.given), "wrong": len(wrong), "first_wrong": wrong[0] if wrong else None}

    def run(self, seed: int) -> Ran:
        """Run for a period after the last input."""
        end = (len(self.given) + 1) * self.period
        return Frame(replace(self, deadline=min(self.deadline, end)), seed).run()


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
