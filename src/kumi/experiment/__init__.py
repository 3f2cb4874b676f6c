"""The frame around a run: the scenario that describes it, and the stage on which it happens."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.experiment.document import ScenarioError
    from kumi.experiment.outcome import Outcome, ProgramError, Progress, Recorder
    from kumi.experiment.output import Output
    from kumi.experiment.overrides import Override
    from kumi.experiment.scenario import Scenario, load_scenario, shipped_scenarios
    from kumi.experiment.stage import Stage
    from kumi.experiment.staging import Staging

__all__ = [
    "Outcome",
    "Output",
    "Override",
    "ProgramError",
    "Progress",
    "Recorder",
    "Scenario",
    "ScenarioError",
    "Stage",
    "Staging",
    "load_scenario",
    "shipped_scenarios",
]

lazy(__name__)
