"""A run as a file: what a scenario says, checked, and the stage that is made of it."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.scenario.document import ScenarioError
    from kumi.scenario.output import RunOutput
    from kumi.scenario.overrides import Override
    from kumi.scenario.scenario import Scenario, load_scenario, shipped_scenarios
    from kumi.scenario.staging import Staging

__all__ = [
    "Override",
    "RunOutput",
    "Scenario",
    "ScenarioError",
    "Staging",
    "load_scenario",
    "shipped_scenarios",
]

lazy(__name__)
