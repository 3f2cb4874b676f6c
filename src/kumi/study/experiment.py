"""What is asked, on which stage, what is watched, and when is it over?

An experiment is a frozen dataclass whose fields are its parameters, and which reads as the question it asks. A run is
given by the parameters and a seed, and by nothing else, so it can be done again, anywhere, with the same trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from kumi.study.errors import StudyError
from kumi.study.metrics import Measured
from kumi.study.run import Frame, Ran, Told, Watched, plain_results
from kumi.study.stage import ExperimentStage
from kumi.study.stimuli import Generator
from kumi.world import Map, World

if TYPE_CHECKING:
    from kumi.study.results import Results


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The frame around a run. A subclass says at least `stage` and `watch`, or else overrides `run` wholly.

    `deadline` is when a run ends in any case, in simulated seconds.
    """

    deadline: float = inf
    says_over: ClassVar[bool] = False
    parameter_units: ClassVar[Mapping[str, str]] = {}
    """In what parameters are given, by their names: plots tell it at their axes."""

    def __init_subclass__(cls, **settings: Any) -> None:
        """Note whether there is somebody to ask, so that metrics need not tell of changes where there is nobody."""
        super().__init_subclass__(**settings)
        cls.says_over = cls.over is not Experiment.over

    def world(self) -> Map | World | None:
        """Return the empty world, or its map; by default, a plane without limits."""
        return None

    def stage(self, stage: ExperimentStage) -> None:
        """Put robots and models on the stage, and say how messages travel."""
        raise NotImplementedError(f"{type(self).__name__} says neither stage(stage) nor run(seed)")

    def stimuli(self, stage: ExperimentStage) -> Iterable[Generator]:
        """Return what is brought to the robots from outside, and when."""
        return ()

    def watch(self, stage: ExperimentStage) -> Watched:
        """Return the metrics: one, several, or several by name. `over` and `analysis` are given the same."""
        raise NotImplementedError(f"{type(self).__name__} says neither watch(stage) nor run(seed)")

    def over(self, metrics: Any) -> bool:
        """Tell whether the run is over; asked at each instant at which a metric changed."""
        return False

    def analysis(self, metrics: Any) -> Mapping[str, Measured]:
        """Return the columns of the result by name; by default what each metric came to."""
        return plain_results(metrics)

    def pictures(self, results: Results, folder: Path) -> Sequence[Path]:
        """Draw what came out into the folder of results; by default nothing. `kumi study` calls it at the end."""
        return ()

    def run(self, seed: int) -> Ran:
        """Run once, and return what came out."""
        return Frame(self, seed).run()

    def record(self, seed: int, path: Path, told: Told | None = None) -> Ran:
        """Run once as `run` does, and write a run file; `told` hears how far it has got, in simulated seconds.

        An experiment that overrides `run` overrides this, too, where there is something to be seen.
        """
        if type(self).run is not Experiment.run:
            raise StudyError(
                f"{type(self).__name__} makes its runs itself and has no `record`, so there is nothing to be seen of them"
            )
        return Frame(self, seed, record=path).run(told)
