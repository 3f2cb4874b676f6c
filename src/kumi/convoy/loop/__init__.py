"""The convoy with real robots in it."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.convoy.loop.outcome import LoopOutcome
    from kumi.convoy.loop.plan import LoopSetup
    from kumi.convoy.loop.running import LoopRun

__all__ = ["LoopOutcome", "LoopRun", "LoopSetup"]

lazy(__name__)
