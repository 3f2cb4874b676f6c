"""Where is the robot in front after it moved, and how does one get behind it?

Seen from robot i, the one in front stands `gap` metres straight ahead and looks `delta` to the left of i's own
heading. It turns by alpha, goes d, and turns by beta. Then it is at

    (gap + d cos(alpha + delta), d sin(alpha + delta))

and i turns towards that place, formula (1), goes until it is the desired distance away, formula (2), and knows the
new difference of the headings, formula (3). All angles are radians, positive to the left; distances are metres
between centres.

In (2) stands d sin(alpha + delta) / sin(alpha_i), which is the distance to that place by another name and has no
value where alpha_i is 0 or pi; the distance itself is its limit there and equals it elsewhere. In (1) only the
tangent stands; the quadrant follows from the signs of the two terms, so a robot that came behind is found, too.

Formula (3) adds up what was commanded. What noise turns is in no term of it, so its error grows like a random walk.
`observed` is not in the paper: it tells from where the front robot was found how it must have looked.

Source: the paper on robot-in-the-loop simulation of cooperative robots, formulas (1) to (3).
"""

from __future__ import annotations

from math import remainder, tau

from kumi.convoy.program.messages import Informed
from kumi.maths import atan2, cos, hypot, sin


def predicted(gap: float, delta: float, front: Informed, desired: float) -> tuple[float, float]:
    """Return by which angle to turn and how far to go; a negative distance goes back."""
    direction = front.alpha + delta
    ahead = gap + front.distance * cos(direction)
    left = front.distance * sin(direction)
    return atan2(left, ahead), hypot(ahead, left) - desired


def turned(delta: float, front: Informed, own: Informed) -> float:
    """Return how far to the left of one's own heading the robot in front looks after both have moved."""
    return remainder(delta + front.alpha + front.beta - own.alpha - own.beta, tau)


def observed(gap: float, front: Informed, own: Informed, new_gap: float) -> float | None:
    """Return the difference of the headings before a step that explains where the front robot was found after it.

    None where the front robot did not move, and so did not show where it looks.
    """
    if front.distance == 0.0:
        return None
    heading = own.alpha + own.beta
    ahead = own.distance * cos(own.alpha) + new_gap * cos(heading) - gap
    left = own.distance * sin(own.alpha) + new_gap * sin(heading)
    if front.distance < 0.0:
        ahead, left = -ahead, -left
    return remainder(atan2(left, ahead) - front.alpha, tau)
