"""The convoy as an experiment: the team on its field, what is measured, and when it is over."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.convoy.causes import BreakUp, Cause
    from kumi.convoy.frame import Measured
    from kumi.convoy.running import ConvoyRun, run_convoy
    from kumi.convoy.setup import Setup
    from kumi.convoy.staging import ConvoyTeam
    from kumi.convoy.twin import run_twin

__all__ = ["BreakUp", "Cause", "ConvoyRun", "ConvoyTeam", "Measured", "Setup", "run_convoy", "run_twin"]

lazy(__name__)
