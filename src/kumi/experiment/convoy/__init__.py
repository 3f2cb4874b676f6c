"""The convoy as an experiment: the team on its field, what is measured, and when it is over."""

from kumi.experiment.convoy.running import ConvoyRun, Measured, run_convoy
from kumi.experiment.convoy.setup import Setup

__all__ = ["ConvoyRun", "Measured", "Setup", "run_convoy"]
