"""Real robots in a simulated convoy: devices chosen one by one, counterparts, tracking, and a frame for all stages."""

from kumi.experiment.loop.choices import Choices
from kumi.experiment.loop.fleet import NotThere
from kumi.experiment.loop.outcome import LoopOutcome, Loss, RealOutcome
from kumi.experiment.loop.plan import Emulated, LoopSetup, Real
from kumi.experiment.loop.running import LoopRun
from kumi.experiment.loop.tracking import Tracking

__all__ = [
    "Choices",
    "Emulated",
    "LoopOutcome",
    "LoopRun",
    "LoopSetup",
    "Loss",
    "NotThere",
    "Real",
    "RealOutcome",
    "Tracking",
]
