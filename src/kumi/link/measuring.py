"""How are the tables of a packet robot found by driving it?

Three things are taken from the file one begins with, since a tape measures them: what the wheel measures
around, the wheelbase, and the body. All else follows from a drive of some minutes in front of a wall:

1. At rest the servo goes through its bytes, and the potentiometer is read for each.
2. The robot goes around with the wheel turned to the left, by three angles, then backward with it turned to
   the right. A full circle is over when all rangers tell the same again; its way gives the true angle, and
   these angles bend the tables of servo and potentiometer; `kumi.link.steering` tells how. On these circles the
   encoder also gives the speed of each motor byte, without the need for room.
3. It touches the wall with one front corner and then with the other, which tells where the wall is, and goes
   to and fro in front of it, which gives the front ranger's value for every distance.

The robot stands about half a metre from a straight wall, looking at it within some 10 degrees, with a metre
and a half of free room around and behind it.
"""

from __future__ import annotations

from collections.abc import Callable

from kumi.link.calibration import Calibration
from kumi.link.device_io import Panel
from kumi.link.quality import MeasuredCalibration, Rig
from kumi.link.ranging import Ranging
from kumi.link.turning import Turning

PASSES = 4
"""How often the robot goes to and fro in front of the wall."""


async def measure(
    panel: Panel,
    given: Calibration,
    *,
    passes: int = PASSES,
    tell: Callable[[str], object] = lambda _words: None,
) -> MeasuredCalibration:
    """Drive a robot, and return the calibration found, with how well; `tell` is told what comes next."""
    rig = Rig(panel, given.stop_byte)
    turning = Turning(rig, given)
    tell("1 of 4: the servo goes through its bytes")
    pots = await turning.sweep()
    tell("2 of 4: around to the left and to the right")
    known = await turning.go_around(pots)
    ranging = Ranging(rig, known)
    tell("3 of 4: to the wall, once with each corner")
    wall = await ranging.find_wall()
    tell("4 of 4: to and fro in front of the wall")
    found = await ranging.to_and_fro(wall, passes)
    return MeasuredCalibration(
        found,
        (*turning.fits, *ranging.fits),
        (*turning.complaints, *ranging.complaints),
        tuple(turning.notes),
    )
