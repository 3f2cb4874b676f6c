"""What did a ranger tell, and what should it have told?

Where the robots truly were when it was read is known between the two instants before and after, so what a beam from
there meets is computed on a floor with the walls of the map and the other real robots: that is what a right ranger
tells. A beam that just grazes something is left out: a millimetre would decide what it meets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import radians, remainder, tau

from kumi.geometry import Disc, Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.devices import RANGERS, Device
from kumi.loop.comparing.witness import Exchange, Poses, RobotEvidence
from kumi.world import Map, SimulatedBody, World

SIDE_ANGLE = radians(1.5)
"""To both sides of a beam; what these two meet is as far away, where nothing is grazed."""
ALIKE = 0.03
"""Metres by which they may differ, and the same share of the distance for a wall at a slant."""


@dataclass(frozen=True)
class RangerLook:
    """A reading of a ranger, and the distance that it should have told, in metres; None: nothing within reach."""

    device: Device
    read: float | None
    true: float | None
    reach: float
    step: float
    """Metres from one value that the ranger can tell to the next, at most."""


class EmptyFloor:
    """The floor of the real robots, with nobody in motion on it."""

    def __init__(self, map_: Map, robots: Mapping[int, Calibration]) -> None:
        self._world = World(map_, ghost=True)
        self._bodies: dict[int, SimulatedBody] = {}
        self._shapes = {
            number: Disc(one.width / 2) if one.is_round else one.shape for number, one in robots.items()
        }

    def place(self, poses: Poses) -> None:
        """Put the robots where they are."""
        for number, pose in poses.items():
            body = self._bodies.get(number)
            if body is None:
                self._bodies[number] = self._world.add_body(
                    pose.position, heading=pose.heading, shape=self._shapes[number]
                )
            else:
                body.put(pose.position.x, pose.position.y, pose.heading)

    def echoes(self, number: int, mount: Pose, reach: float) -> list[float | None]:
        """Return what a beam from a mount on a robot meets, and one to each side of it."""
        body = self._bodies[number]
        eye = body.position + mount.position.turned(body.heading)
        ahead = body.heading + mount.heading
        return [
            self._world.echo(eye, ahead + aside, reach, ignoring=body)
            for aside in (0.0, SIDE_ANGLE, -SIDE_ANGLE)
        ]


def looks_of(account: RobotEvidence, floor: EmptyFloor) -> Iterator[RangerLook]:
    """Give each reading of a ranger whose truth is clear."""
    calibration, number = account.calibration, account.robot.number
    _, reach = calibration.reach
    for one in account.exchanges:
        devices = [device for device in RANGERS if device in one.values]
        if not devices or one.before is None or one.after is None or number not in one.before:
            continue
        floor.place(_between(one))
        for device in devices:
            mount = calibration.mounts[RANGERS.index(device)]
            # A beam that reaches a little farther tells whether the end of the reach is near.
            ahead, left, right = floor.echoes(number, mount, 1.2 * reach)
            if _are_alike(ahead, left, right):
                yield RangerLook(
                    device, calibration.range_of(one.values[device]), ahead, reach, calibration.ranger_step
                )


def _between(one: Exchange) -> Poses:
    """Return where the robots were when the rangers were read."""
    assert one.before is not None
    assert one.after is not None
    passed = one.heard - one.asked
    share = (one.read - one.asked) / passed if passed > 0.0 else 0.0
    return {
        number: _along(pose, one.after[number], share)
        for number, pose in one.before.items()
        if number in one.after
    }


def _along(before: Pose, after: Pose, share: float) -> Pose:
    gap: Point = after.position - before.position
    turn = remainder(after.heading - before.heading, tau)
    return Pose(before.position + gap * share, before.heading + turn * share)


def _are_alike(ahead: float | None, left: float | None, right: float | None) -> bool:
    if ahead is None or left is None or right is None:
        return ahead is left is right
    return max(abs(left - ahead), abs(right - ahead)) <= ALIKE * (1.0 + ahead)
