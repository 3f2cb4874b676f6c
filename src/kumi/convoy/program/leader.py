"""How does the leader choose the way of a convoy?

It goes straight on, one step at a time, and turns where its range finders see something: away from the side on
which something is nearer, until nothing is seen or it has looked all around. Ahead alone, or as near on both sides,
it turns as it did last, and left at first: so it goes around a field, and does not come back upon its own line.
After a motion that was cut short it turns once even where nothing is seen. It waits for the robot behind before each
step.
"""

from __future__ import annotations

from math import tau

from kumi.contract import Forward, Turn
from kumi.contract.devices import Look, Moved, Seen
from kumi.convoy.program.decision import ConvoyDecision
from kumi.convoy.program.messages import Informed
from kumi.convoy.program.rules import ConvoyRules


class Leader(ConvoyDecision):
    """Leads, one step at a time; `steps` counts those that are done."""

    def __init__(self, name: str, rules: ConvoyRules) -> None:
        super().__init__(name, rules, has_back=True)
        self.steps = 0
        self._is_waiting = True
        self._was_cut = False
        self._is_going = False
        self._alpha = 0.0
        self._side = 0.0
        self._last_side = 1.0

    def begin(self) -> None:
        """Begin the first step at once."""
        self._is_waiting = False
        self._back_is_there = False
        self.set_off()

    @property
    def is_ready(self) -> bool:
        """Whether the last step is done."""
        return self._is_waiting

    def set_off(self) -> None:
        """Look."""
        self._is_waiting = self._is_going = False
        self._alpha = self._side = 0.0
        self.say(self.looks, Look())

    def on_seen(self, seen: Seen) -> None:
        """Go where it is free, else turn."""
        is_free = not any(one.is_hit for one in seen.ranges) and not self._was_cut
        if is_free or abs(self._alpha) + self.rules.leader_turn > tau:
            self._is_going = True
            self.say(self.commands, Forward(self.rules.step))
        else:
            self._turn(self._side or self._free_side(seen))

    def _free_side(self, seen: Seen) -> float:
        right, left = seen.ranges[0], seen.ranges[-1]
        if left.distance == right.distance:
            return self._last_side
        return 1.0 if left.distance > right.distance else -1.0

    def _turn(self, side: float) -> None:
        self._was_cut = False
        self._last_side = side
        self._side = side  # the same one until it is free, or it might turn to and fro in a corner
        self._alpha += side * self.rules.leader_turn
        self.say(self.commands, Turn(side * self.rules.leader_turn))

    def on_moved(self, moved: Moved) -> None:
        """Look after a turn; inform after a way."""
        if not self._is_going:
            self.say(self.looks, Look())
            return
        self._was_cut = not moved.is_complete
        self._is_waiting = True
        self.steps += 1
        self.say(self.to_back, Informed(self._alpha, moved.way, 0.0))
