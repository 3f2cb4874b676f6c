"""Real robots in a simulated team: devices chosen one by one, counterparts, tracking, and runs in real time."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.experiment.loop.choices import Choices
    from kumi.experiment.loop.convoy.outcome import LoopOutcome
    from kumi.experiment.loop.convoy.plan import LoopSetup
    from kumi.experiment.loop.convoy.running import LoopRun
    from kumi.experiment.loop.fleet import NotThere
    from kumi.experiment.loop.outcome import Loss, RealOutcome
    from kumi.experiment.loop.real import Emulated, Real
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

lazy(__name__)
