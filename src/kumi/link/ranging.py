"""How far is what a ranger sees, for each of its values?

The robot touches a wall with one front corner and then with the other, which tells where the wall is, and goes
to and fro in front of it. Where it is it knows by its wheel, and so how far the front ranger is from the wall
at each of its values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import pi, radians, remainder

from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.device_io import Readout
from kumi.link.fitting import ROUNDING, Fitted, FittedWall, local_noise, mean_of, ranger_values
from kumi.link.quality import Fit, Rig, is_still
from kumi.link.reckoning import drive_arc
from kumi.link.tables import CalibrationError, Table
from kumi.link.turning import slow_back
from kumi.maths import hypot

TOUCHING = radians(12.0)
"""How the wheel is turned to touch the wall with a corner."""
BEFORE_WALL = 0.25
"""Metres from the wall at which the arc begins that touches it with a corner."""
MOST_DRIVE = 1.5
"""Metres that the robot drives at most before it says that there is no wall."""
PLACE = 0.001
"""Metres by which the place of the wall is uncertain: what the robot drives between two readings, and the wheel slips."""
MISSES = 2.0
"""How many times their noise the readings of a ranger may lie from its table before that is said."""
POOR_VALUE = 0.01
"""The largest standard uncertainty of a value of the ranger that is not said to be poor, as a share of it."""
LEAST_APART = 0.02
"""Metres that two touches are apart at least, or they do not tell where the wall is."""


@dataclass(frozen=True)
class WheelSpot:
    """Where the robot was, by its wheel, when it told something."""

    pose: Pose
    readout: Readout

    @property
    def is_touching(self) -> bool:
        """Whether a switch was closed there."""
        return bool(self.readout.switches)


class Ranging:
    """Measures the front ranger of a robot whose motor, servo and potentiometer are known."""

    def __init__(self, rig: Rig, known: Calibration) -> None:
        self._rig = rig
        self._known = known
        self.fits: list[Fit] = []
        self.complaints: list[str] = []
        self._spots = [WheelSpot(Pose(Point(0.0, 0.0)), Readout(0.0, (), 0, 0, 0))]

    @property
    def _corners(self) -> tuple[Point, Point]:
        """The front corners of the body, right and left."""
        ahead, side = self._known.wheelbase + self._known.nose, self._known.width / 2
        return Point(ahead, -side), Point(ahead, side)

    async def find_wall(self) -> FittedWall:
        """Touch the wall with both front corners; return where it is."""
        await self._approach()
        touched, headings = [], []
        for turn, corner in zip((TOUCHING, -TOUCHING), self._corners, strict=True):
            servo = self._known.servo_byte(turn)
            begin = (await self._rig.read()).counts
            pose = await self._drive(servo, self._known.reliable[0], lambda spot: spot.is_touching)
            touched.append(pose.position + corner.turned(pose.heading))
            headings.append(pose.heading)
            await self._back_to(servo, begin)
        wall = FittedWall(*touched)
        check_square(wall, *headings)
        return wall

    async def to_and_fro(self, wall: FittedWall, passes: int) -> Calibration:
        """Drive away from the wall and up to it; return the calibration with the ranger found."""
        _, far = self._known.reach
        straight = self._known.servo_byte(0.0)
        for _ in range(passes):
            await self._drive(
                straight,
                slow_back(self._known),
                lambda spot: spot.is_touching or self._distance(wall, spot) > far + 0.1,
            )
            await self._drive(straight, self._known.reliable[0], lambda spot: spot.is_touching)
            self._put_right(wall)
        return self._found(wall, passes)

    def _put_right(self, wall: FittedWall) -> None:
        """Put right what the wheel has erred: the robot touches the wall, with the corner that is nearer to it."""
        spot = self._spots[-1]
        corners = (spot.pose.position + corner.turned(spot.pose.heading) for corner in self._corners)
        gap = min((wall.step_to(corner) for corner in corners), key=abs)
        self._spots[-1] = WheelSpot(Pose(spot.pose.position + gap, spot.pose.heading), spot.readout)

    def _found(self, wall: FittedWall, passes: int) -> Calibration:
        seen = [(self._distance(wall, spot), spot.readout.rangers[0]) for spot in self._spots[1:]]
        given = sorted((distance, value) for value, distance in self._known.ranger.entries)
        fits = unsure_of_place(
            ranger_values([distance for distance, _ in seen], [value for _, value in seen], given),
            [distance for distance, _ in given],
        )
        beyond = sorted(value for distance, value in seen if distance > given[-1][0] + 0.05)
        try:
            ranger = Table((fit.value, distance) for fit, (distance, _) in zip(fits, given, strict=True))
        except CalibrationError as error:
            raise CalibrationError(
                f"the ranger is too noisy for {passes} passes, take more: {error}"
            ) from None
        nothing = beyond[len(beyond) // 2] if beyond else self._known.nothing
        for fit, (distance, _) in zip(fits, given, strict=True):
            self.fits.append(
                Fit(f"ranger at {100 * distance:g} cm", "counts", 1.0, fit, fit.residual, "counts")
            )
        if beyond:
            far = mean_of(beyond)
            self.fits.append(
                Fit(
                    "ranger, nothing",
                    "counts",
                    1.0,
                    replace(far, value=float(nothing)),
                    far.residual,
                    "counts",
                )
            )
        else:
            self.complaints.append(
                "the ranger was not read with nothing within reach: that value is the one of the file"
            )
        self._judge(fits, given, seen)
        return replace(self._known, ranger=ranger, nothing=nothing)

    def _judge(
        self, fits: list[Fitted], given: list[tuple[float, float]], seen: list[tuple[float, int]]
    ) -> None:
        """Say where the table does not explain the readings, or is not known well."""
        read = [value for _, value in sorted(seen)]
        noise = max(local_noise([value for value in read if value != self._known.nothing]), ROUNDING)
        for fit, (distance, _) in zip(fits, given, strict=True):
            if fit.residual > MISSES * noise:
                self.complaints.append(
                    f"at {100 * distance:g} cm the ranger's readings lie {fit.residual:.1f} counts from its table, more than "
                    f"their noise of {noise:.1f}: the table needs more entries there, or something stood in the way"
                )
            if fit.uncertainty > POOR_VALUE * fit.value:
                self.complaints.append(
                    f"the ranger's value at {100 * distance:g} cm is uncertain by {fit.uncertainty:.1f} counts of "
                    f"{fit.value:.0f}: take more passes"
                )

    async def _approach(self) -> None:
        """Go straight to where a corner touches the wall after a short arc, by what the file says of the ranger."""
        sought = self._known.ir_value(BEFORE_WALL)
        is_far = (await self._rig.read()).rangers[0] < sought

        def is_there(spot: WheelSpot) -> bool:
            return spot.is_touching or (spot.readout.rangers[0] >= sought) == is_far

        motor = self._known.reliable[0] if is_far else slow_back(self._known)
        await self._drive(self._known.servo_byte(0.0), motor, is_there)

    async def _back_to(self, servo: int, counts: int) -> None:
        """Drive back with the wheel held, to where the encoder had these counts."""
        await self._drive(servo, slow_back(self._known), lambda spot: spot.readout.counts <= counts)

    def _distance(self, wall: FittedWall, spot: WheelSpot) -> float:
        mount = self._known.mounts[0]
        eye = spot.pose.position + mount.position.turned(spot.pose.heading)
        return wall.distance_from(Pose(eye, spot.pose.heading + mount.heading))

    async def _drive(self, servo: int, motor: int, is_over: Callable[[WheelSpot], bool]) -> Pose:
        """Drive with the wheel held until something is so, and come to rest; return where."""
        await self._rig.aim(servo)
        told = [await self._rig.go(motor)]
        self._spots.append(WheelSpot(self._spots[-1].pose, told[0]))
        while not is_over(self._spots[-1]):
            told.append(await self._rig.tick())
            self._track(servo, told[-1])
            way = self._known.distance_of(told[-1].counts - told[0].counts)
            if abs(way) > MOST_DRIVE or (is_still(told) and not is_over(self._spots[-1])):
                await self._rig.stop()
                raise CalibrationError(
                    f"the robot drove {100 * abs(way):.0f} cm and met no wall, or was held by one"
                )
        self._track(servo, await self._rig.stop())
        return self._spots[-1].pose

    def _track(self, servo: int, readout: Readout) -> None:
        """Reckon where the robot is, from where it was, by the arc of its wheel."""
        before, known = self._spots[-1], self._known
        way = known.distance_of(readout.counts - before.readout.counts)
        pose = drive_arc(before.pose, way, known.angle_of(servo), known.wheelbase)
        self._spots.append(WheelSpot(pose, readout))


def unsure_of_place(fits: list[Fitted], distances: list[float]) -> list[Fitted]:
    """Return fits whose uncertainties tell that the place of the wall is uncertain, too: values move by their slope."""
    found = []
    for number, fit in enumerate(fits):
        low, high = max(0, number - 1), min(len(fits) - 1, number + 1)
        per_metre = (fits[high].value - fits[low].value) / (distances[high] - distances[low])
        found.append(replace(fit, uncertainty=hypot(fit.uncertainty, PLACE * per_metre)))
    return found


def check_square(wall: FittedWall, left: float, right: float) -> None:
    """Refuse a wall that was not touched by a corner each, turned to the left and turned to the right."""
    square = (wall.end - wall.start).direction + pi / 2
    is_square = remainder(left - square, pi) > 0.0 > remainder(right - square, pi)
    if abs(wall.end - wall.start) < LEAST_APART or not is_square:
        raise CalibrationError(
            "the robot does not look squarely at a straight wall; turn it towards the wall"
        )
