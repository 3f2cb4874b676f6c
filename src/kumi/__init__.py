"""kumi: one robot program, from ten thousand simulated robots to the one on the floor.

The names that a program and a first experiment need, each loaded when it is asked for. The packages below have the
rest: `kumi.sensing`, `kumi.network`, `kumi.protocols`, `kumi.planning`, `kumi.mapping`, `kumi.devs` for DEVS models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import kumi._core
except ImportError as error:
    import kumi.installation

    again = kumi.installation.installation().again()
    raise ImportError(f"the core of kumi cannot be loaded: {error}; `{again}` installs it again") from error

from kumi.lazy import lazy
from kumi.version import VERSION

if TYPE_CHECKING:
    from kumi.contract import BadGoal, Blocked, Busy, CannotDo, LinkLost, Lost, Message, OffTarget
    from kumi.devs import (
        Cut,
        Interrupted,
        KumiError,
        Lagged,
        Preempted,
        Resource,
        Signal,
        Stalled,
        Store,
        Tank,
        Task,
        after,
        at,
        chance,
        every,
        note,
        now,
        run,
        sleep,
        sleep_until,
        together,
        unless,
        until,
    )
    from kumi.geometry import Circle, Disc, Ellipse, Point, Polygon, Pose, Rectangle
    from kumi.motion import Car, Follower, Omni, Wheel
    from kumi.recording import show
    from kumi.robot import Robot, Team
    from kumi.scenario import load_scenario
    from kumi.stage import Outcome, Stage
    from kumi.study import Experiment, vary
    from kumi.world import Block, Hole, Map, Pillar, Slow, Wall

__all__ = [
    "BadGoal",
    "Block",
    "Blocked",
    "Busy",
    "CannotDo",
    "Car",
    "Circle",
    "Cut",
    "Disc",
    "Ellipse",
    "Experiment",
    "Follower",
    "Hole",
    "Interrupted",
    "KumiError",
    "Lagged",
    "LinkLost",
    "Lost",
    "Map",
    "Message",
    "OffTarget",
    "Omni",
    "Outcome",
    "Pillar",
    "Point",
    "Polygon",
    "Pose",
    "Preempted",
    "Rectangle",
    "Resource",
    "Robot",
    "Signal",
    "Slow",
    "Stage",
    "Stalled",
    "Store",
    "Tank",
    "Task",
    "Team",
    "Wall",
    "Wheel",
    "after",
    "at",
    "chance",
    "every",
    "load_scenario",
    "note",
    "now",
    "run",
    "show",
    "sleep",
    "sleep_until",
    "together",
    "unless",
    "until",
    "vary",
]

__version__ = VERSION

lazy(__name__)
