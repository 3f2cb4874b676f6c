"""What comes before following: to hurt nobody.

Subsumption: this model stands between the convoy's decisions and the motor, and passes commands and answers on as
long as nothing is touched. When a whisker touches something on the way ahead, or a motion is blocked, it takes over:
it stops the motor, goes back a little, and only then tells the layer below that its motion ended short. What that
layer commands meanwhile waits.
"""

from __future__ import annotations

from enum import Enum, auto

from kumi.contract import Command, Forward
from kumi.contract.devices import Halt, Moved
from kumi.contract.readings import Pressed
from kumi.devs import Atomic


class AvoidPhase(Enum):
    """The state of avoiding, and whether it drives."""

    FREE = auto()
    HALTING = auto()
    BACKING = auto()


class Avoid(Atomic):
    """Goes back from what is touched; `avoided` counts how often."""

    def __init__(self, name: str, back_off: float) -> None:
        super().__init__(name)
        self.wanted = self.add_input("wanted", Command)
        self.moved = self.add_output("moved", Moved)
        self.touched = self.add_input("touched", Pressed)
        self.commands = self.add_output("commands", Command)
        self.halts = self.add_output("halts", Halt)
        self.motor_moved = self.add_input("motor_moved", Moved)
        self.phase = AvoidPhase.FREE
        self.avoided = 0
        self._back_off = back_off
        self._under_way: Command | None = None
        self._way = 0.0
        self._command: Command | None = None
        self._answer: Moved | None = None
        self._halts = False

    def output(self) -> None:
        """Send what was decided."""
        if self._command is not None:
            self.commands.send(self._command)
        if self._answer is not None:
            self.moved.send(self._answer)
        if self._halts:
            self.halts.send(Halt())

    def internal(self) -> None:
        """Wait for what comes."""
        self._command = self._answer = None
        self._halts = False

    def external(self) -> None:
        """Pass on, or take over."""
        for command in self.wanted:
            self._under_way = command
            self._command = command
        for moved in self.motor_moved:
            self._on_moved(moved)
        if len(self.touched) and self.phase is AvoidPhase.FREE and self._goes_ahead():
            self.phase = AvoidPhase.HALTING
            self._halts = True
        if self._command is not None or self._answer is not None or self._halts:
            self.hold(0.0)

    def _goes_ahead(self) -> bool:
        return isinstance(self._under_way, Forward) and self._under_way.distance > 0.0

    def _on_moved(self, moved: Moved) -> None:
        if self.phase is AvoidPhase.BACKING:
            self._answer = Moved(False, self._way + moved.way)
        elif moved.is_complete:
            self._answer = moved
        else:
            self.avoided += 1
            self.phase = AvoidPhase.BACKING
            self._way = moved.way
            self._command = Forward(-self._back_off if self._goes_ahead() else self._back_off)
            return
        self.phase = AvoidPhase.FREE
        self._under_way = None
