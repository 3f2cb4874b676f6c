"""Studies: an experiment, run for many values of its parameters and many seeds."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.experiment.study.arena import Arena, ArenaNetwork
    from kumi.experiment.study.errors import FolderError, Stopped, StudyError
    from kumi.experiment.study.experiment import Experiment
    from kumi.experiment.study.framing import Frame, Measure, Ran
    from kumi.experiment.study.metrics import (
        Counter,
        FirstTime,
        Latest,
        Maximum,
        Mean,
        Metric,
        Minimum,
        TimeMean,
        Total,
    )
    from kumi.experiment.study.results import Results
    from kumi.experiment.study.sources import FrameError, Noted, Source, Touch
    from kumi.experiment.study.spreads import Histogram, Series
    from kumi.experiment.study.stimuli import Generator
    from kumi.experiment.study.stopping import Stop
    from kumi.experiment.study.varying import vary

__all__ = [
    "Arena",
    "ArenaNetwork",
    "Counter",
    "Experiment",
    "FirstTime",
    "FolderError",
    "Frame",
    "FrameError",
    "Generator",
    "Histogram",
    "Latest",
    "Maximum",
    "Mean",
    "Measure",
    "Metric",
    "Minimum",
    "Noted",
    "Ran",
    "Results",
    "Series",
    "Source",
    "Stop",
    "Stopped",
    "StudyError",
    "TimeMean",
    "Total",
    "Touch",
    "vary",
]

lazy(__name__)
