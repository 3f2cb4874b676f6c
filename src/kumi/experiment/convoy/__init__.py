"""The convoy as an experiment: the team on its field, what is measured, and when it is over."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.experiment.convoy.causes import BreakUp, Cause
    from kumi.experiment.convoy.framed import Measured
    from kumi.experiment.convoy.running import ConvoyRun, run_convoy
    from kumi.experiment.convoy.setup import Setup
    from kumi.experiment.convoy.twin import run_twin

__all__ = ["BreakUp", "Cause", "ConvoyRun", "Measured", "Setup", "run_convoy", "run_twin"]

lazy(__name__)
