"""Studies: an experiment, run for many values of its parameters and many seeds."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.study.errors import FolderError, Stopped, StudyError
    from kumi.study.experiment import Experiment
    from kumi.study.metrics import (
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
    from kumi.study.results import Results
    from kumi.study.run import Frame, Histogram, MetricColumn, Ran, Series
    from kumi.study.sources import FrameError, Noted, Source, Touch
    from kumi.study.stage import ExperimentStage
    from kumi.study.stimuli import Generator
    from kumi.study.stopping import StopRule
    from kumi.study.sweep import vary

__all__ = [
    "Counter",
    "Experiment",
    "ExperimentStage",
    "FirstTime",
    "FolderError",
    "Frame",
    "FrameError",
    "Generator",
    "Histogram",
    "Latest",
    "Maximum",
    "Mean",
    "Metric",
    "MetricColumn",
    "Minimum",
    "Noted",
    "Ran",
    "Results",
    "Series",
    "Source",
    "StopRule",
    "Stopped",
    "StudyError",
    "TimeMean",
    "Total",
    "Touch",
    "vary",
]

lazy(__name__)
