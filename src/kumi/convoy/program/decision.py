"""What leader and followers of a convoy have in common: their ports, and one answer after the other.

Ports are named as in the paper: those with F lead to the robot in front, those with B to the one behind. What a
model decides in a transition goes out at the same instant, in the next step.
"""

from __future__ import annotations

from typing import Any

from kumi.contract import Command
from kumi.contract.devices import Look, Moved, Seen
from kumi.convoy.program.messages import Caught, Informed
from kumi.convoy.program.rules import ConvoyRules
from kumi.devs import Atomic, OutPort


class ConvoyDecision(Atomic):
    """Waits for the robot behind, and talks to a motor and to range finders."""

    def __init__(self, name: str, rules: ConvoyRules, *, has_back: bool) -> None:
        super().__init__(name)
        self.rules = rules
        self.back_told = self.add_input("BReadyIn", Caught)
        self.to_back = self.add_output("BReadyOut", Informed)
        self.looks = self.add_output("looks", Look)
        self.seen = self.add_input("seen", Seen)
        self.commands = self.add_output("commands", Command)
        self.moved = self.add_input("moved", Moved)
        self._has_back = has_back
        self._back_is_there = True
        self._to_send: list[tuple[OutPort[Any], Any]] = []

    def say(self, port: OutPort[Any], value: object) -> None:
        """Send something as soon as this transition is over."""
        self._to_send.append((port, value))
        self.hold(0.0)

    def output(self) -> None:
        """Send what was said."""
        for port, value in self._to_send:
            port.send(value)

    def internal(self) -> None:
        """Wait for what comes."""
        self._to_send.clear()

    def external(self) -> None:
        """Take what came, and set off where all is ready."""
        if len(self.back_told):
            self._back_is_there = True
        for moved in self.moved:
            self.on_moved(moved)
        for seen in self.seen:
            self.on_seen(seen)
        if self._back_is_there and self.is_ready:
            self._back_is_there = not self._has_back
            self.set_off()

    @property
    def is_ready(self) -> bool:
        """Whether a step may begin as soon as the robot behind is there."""
        raise NotImplementedError

    def set_off(self) -> None:
        """Begin a step."""
        raise NotImplementedError

    def on_moved(self, moved: Moved) -> None:
        """Go on after a motion."""
        raise NotImplementedError

    def on_seen(self, seen: Seen) -> None:
        """Go on after a look."""
        raise NotImplementedError
