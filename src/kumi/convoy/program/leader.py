"""How does the leader choose the way of a convoy?

It goes straight on, one step at a time, and turns where its range finders see something: away from the side on
which something is nearer, until nothing is seen or it has looked all around. Ahead alone, or as near on both sides,
it turns as it did last, and left at first: so it goes around a field, and does not come back upon its own line.
After a motion that was cut short it turns once even where nothing is seen. It waits for the robot behind before each
step.
"""

from __future__ import annotations

from math import tau

from kumi.convoy.program.messages import Informed
from kumi.convoy.program.robot import ConvoyRobot


class Leader(ConvoyRobot):
    """Leads, one step at a time; `steps` counts those that are done. Its range finders look ahead, from right to left."""

    async def decide(self) -> None:
        """Look, turn until it is free, go, inform, and wait for the robot behind."""
        rules, drive = self.rules, self.avoid.drive
        was_cut, last_side = False, 1.0
        while True:
            alpha = side = 0.0
            while True:
                seen = [await eye.read() for eye in self.eyes]
                is_free = not any(one.is_hit for one in seen) and not was_cut
                if is_free or abs(alpha) + rules.leader_turn > tau:
                    break
                if side == 0.0:  # the same one until it is free, or it might turn to and fro in a corner
                    right, left = seen[0].distance, seen[-1].distance
                    side = last_side = last_side if left == right else 1.0 if left > right else -1.0
                was_cut = False
                alpha += side * rules.leader_turn
                await drive(side * rules.leader_turn, 0.0)
            moved = await drive(0.0, rules.step)
            was_cut = not moved.is_complete
            self.steps += 1
            self.to_back.send(Informed(alpha, moved.way, 0.0))
            await anext(self._caught)
