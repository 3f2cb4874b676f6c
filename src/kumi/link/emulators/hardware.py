"""How does a packet robot move and sense?

Its body is a car in a simulated world: one steered wheel in front, two behind. Motor and servo follow the
bytes they are given with a lag of first order: the gap falls to 1/e within the lag. While it closes, the body
moves in short pieces with the mean speed and steering of each; once it is closed, in one piece until the next
byte. The encoder counts the way of the front wheel, the potentiometer tells its angle, six rangers look along
beams, and a switch on each side closes at a contact and opens when the body has moved off.

A calibration says what the robot's numbers mean, so it is the truth about this robot. Errors can be put on top
of all that is read, and on how it drives: its wheel may stand off from what the potentiometer tells, and it may skid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import copysign, floor, pi

from kumi.contract import Contact
from kumi.geometry import Disc, Point, PointLike
from kumi.geometry.points import as_number, as_size
from kumi.link.calibration import Calibration
from kumi.link.devices import RANGERS, STOP, Device, Switch
from kumi.maths import cos, exp, sin
from kumi.motion.drives import steered
from kumi.sensing.noise import EXACT, Noise, as_noise
from kumi.world import SimulatedBody, World

PIECE_DURATION = 0.01
"""Seconds; how long a piece of motion is while motor or servo follow a new byte."""

SETTLED = 1e-4
"""Metres a second, or radians: a gap to what was asked for that is none."""

TRAVEL = 1e-3
"""Metres that a body moves until a switch opens again."""

EDGE = 5e-3
"""Metres from a side within which a contact closes its switch; at a corner, two."""

TICKS = 1000.0
"""How often the clock counts in a second."""

MOST_READING = 1023
"""Rangers and potentiometer have ten bits."""

ACROSS = 1e-9
"""Share of its way by which a wheel that is across still leads ahead: rounding."""


@dataclass(frozen=True)
class Lags:
    """How many seconds motor and servo need to come within 1/e of what they were told."""

    motor: float = 0.1
    servo: float = 0.08

    def __post_init__(self) -> None:
        for name in ("motor", "servo"):
            if not 0.0 <= getattr(self, name) < float("inf"):
                raise ValueError(
                    f"the lag of the {name} is a number of seconds >= 0, not {getattr(self, name)!r}"
                )


@dataclass(frozen=True)
class ReadingErrors:
    """How far readings are from the truth; a plain number is the standard deviation of a normal error.

    Those of rangers and potentiometer are in their own units, of 1023; that of the wheel is in metres, for the
    way between two readings of the encoder. Two errors are drawn anew whenever the motor sets off, and hold until it
    stops, and no sensor tells them: `play` is by how many radians the front wheel stands off, and `skid` by which share
    the body goes farther than its wheels, or less far; a turn on the spot does not skid.
    """

    ranger: Noise | float = EXACT
    potentiometer: Noise | float = EXACT
    wheel: Noise | float = EXACT
    play: Noise | float = EXACT
    skid: Noise | float = EXACT


class Hardware:
    """The body and the devices of a packet robot in a world."""

    def __init__(
        self,
        world: World,
        calibration: Calibration,
        *,
        at: PointLike,
        heading: float = 0.0,
        lags: Lags | None = None,
        errors: ReadingErrors | None = None,
        clock_offset: float = 0.0,
        clock_rate: float = 1.0,
        name: str | None = None,
    ) -> None:
        self.calibration = calibration
        self.clock_rate = as_size(clock_rate, "the rate of a clock")
        """How fast its clock goes, by that of its run."""
        self.clock_offset = as_number(clock_offset, "the offset of a clock")
        """What its clock shows when its run begins, in seconds."""
        # A round robot that touches another one can still turn on the spot; a polygon's corners would be in the way.
        shape = Disc(calibration.width / 2) if calibration.is_round else calibration.shape
        self.body: SimulatedBody = world.add_body(at, heading=heading, shape=shape, name=name)
        self.motor = STOP
        self.servo = calibration.servo_byte(0.0)
        self.on_collision: Callable[[], object] | None = None
        """Called when a switch closes."""
        errors = errors or ReadingErrors()
        self._lags = lags or Lags(motor=calibration.motor_lag)
        self._noises = {
            "ranger": as_noise(errors.ranger),
            "potentiometer": as_noise(errors.potentiometer),
            "wheel": as_noise(errors.wheel),
            "play": as_noise(errors.play),
            "skid": as_noise(errors.skid),
        }
        self._play = self._skid = 0.0
        self._world = world
        self._speed = self._steering = 0.0  # of the front wheel, at the beginning of the piece
        self._drive_speed = self._driven = 0.0  # speed and steering with which the present piece is driven
        self._way = self._odometer = self._turned = (
            0.0  # the way of the front wheel, and the body's at that time
        )
        self._counted = self._read_way = 0.0
        self._switches = 0
        self._pressed_at = 0.0
        self._piece = 0
        self.body.on_contact(self._touched)

    def write(self, device: Device, value: int) -> None:
        """Give a byte to the motor or the servo."""
        if device is Device.MOTOR:
            if self.motor == STOP and value != STOP:
                self._play = self._noises["play"](0.0, self.body.chance)
                self._skid = self._noises["skid"](0.0, self.body.chance)
            self.motor = value
        else:
            self.servo = value
        self._follow()

    def read(self, device: Device) -> int:
        """Return what a device measures now."""
        if device in RANGERS:
            return self._range(RANGERS.index(device))
        if device is Device.POTENTIOMETER:
            # Noise is on the voltage, and the converter rounds what comes of it.
            value = self.calibration.potentiometer.raw_of(self.steering)
            return _ten_bits(self._noises["potentiometer"](value, self.body.chance))
        if device is Device.ENCODER:
            return self._count() & 0xFFFF
        if device is Device.CLOCK:
            return clock_count(self._world.now * self.clock_rate + self.clock_offset)
        return self.switches

    @property
    def steering(self) -> float:
        """The angle of the front wheel now, in radians, to the left above 0."""
        return self._steering

    @property
    def way(self) -> float:
        """How far the front wheel has gone, forward less back, in metres."""
        along, across = cos(self._driven) * (1.0 + self._skid), sin(self._driven)
        if abs(across) > abs(along):  # then the turn tells it better
            gone = abs((self.body.turned - self._turned) * self.calibration.wheelbase / across)
        else:
            gone = (self.body.odometer - self._odometer) / along
        return self._way + copysign(gone, self._drive_speed)

    @property
    def switches(self) -> int:
        """The switches that are closed, one bit each."""
        if self.body.odometer - self._pressed_at > TRAVEL:
            self._switches = 0
        return self._switches

    def _range(self, number: int) -> int:
        mount, body = self.calibration.mounts[number], self.body
        eye = body.position + mount.position.turned(body.heading)
        _, reach = self.calibration.reach
        distance = self._world.echo(eye, body.heading + mount.heading, reach, ignoring=body)
        value = self.calibration.ir_value(distance)
        return _ten_bits(self._noises["ranger"](value, body.chance))

    def _count(self) -> int:
        way = self.way
        self._counted += self._noises["wheel"](way - self._read_way, self.body.chance)
        self._read_way = way
        # A wheel that has gone 512 counts to the last bit but one has gone 512.
        return floor(self.calibration.counts_of(self._counted) + 1e-6)

    def _follow(self) -> None:
        """Begin the next piece: towards what motor and servo were told, or with what they have reached."""
        self._piece += 1
        self._add_up()
        wanted = self.calibration.speed_of(self.motor) if self.motor != STOP else 0.0
        angle = self.calibration.angle_of(self.servo)
        self._drive_speed, self._speed = _following(self._speed, wanted, self._lags.motor)
        driven, self._steering = _following(self._steering, angle, self._lags.servo)
        self._driven = driven + self._play
        self._drive(self._drive_speed)
        if self._speed != wanted or self._steering != angle:
            self._world.schedule(self._world.now + PIECE_DURATION, partial(self._go_on, self._piece))

    def _go_on(self, piece: int) -> None:
        if piece == self._piece:
            self._follow()

    def _drive(self, speed: float) -> None:
        if self.body.is_gone:  # in a hole, where its wheels turn in vain
            return
        if speed == 0.0:
            self.body.stop()
            return
        turning = speed * sin(self._driven) / self.calibration.wheelbase
        along = cos(self._driven)
        # A wheel that is across does not push, also where the cosine is not rounded to zero: it may touch something.
        along = 0.0 if abs(along) < ACROSS else along
        self.body.start(steered(speed * along * (1.0 + self._skid), turning))

    def _add_up(self) -> None:
        self._way, self._odometer, self._turned = self.way, self.body.odometer, self.body.turned

    def _touched(self, contact: Contact) -> None:
        """Close the switches where the body is touched; the motor stalls at once."""
        self._add_up()
        self._speed = 0.0
        self._switches = self._sides(contact.at) | self.switches
        self._pressed_at = self.body.odometer
        # The world is in the midst of this contact: the robot's program hears of it right after.
        self._world.schedule(self._world.now, self._tell)

    def _tell(self) -> None:
        if self.on_collision is not None:
            self.on_collision()

    def _sides(self, at: Point) -> int:
        """Return the switches of the sides on which a point lies; on a round body each has a quarter of the edge."""
        corners = self.calibration.shape.corners
        local = (at - self.body.position).turned(-self.body.heading)
        if self.calibration.is_round:
            quarter = round(local.direction / (pi / 2)) % 4
            return (Switch.FRONT, Switch.LEFT, Switch.BACK, Switch.RIGHT)[quarter]
        ends = {
            Switch.FRONT: max(corner.x for corner in corners) - local.x,
            Switch.LEFT: max(corner.y for corner in corners) - local.y,
            Switch.BACK: local.x - min(corner.x for corner in corners),
            Switch.RIGHT: local.y - min(corner.y for corner in corners),
        }
        return sum(switch for switch, gap in ends.items() if gap <= EDGE)


def clock_count(time: float) -> int:
    """Return what the counter of a clock shows at a time of its own."""
    return floor(time * TICKS) & 0xFFFF


def _following(value: float, wanted: float, lag: float) -> tuple[float, float]:
    """Return the mean of a value that follows what is wanted for a step, and where it ends."""
    if lag == 0.0 or abs(value - wanted) <= SETTLED:
        return wanted, wanted
    fade = exp(-PIECE_DURATION / lag)
    return wanted + (value - wanted) * (1.0 - fade) * lag / PIECE_DURATION, wanted + (value - wanted) * fade


def _ten_bits(value: float) -> int:
    return min(max(round(value), 0), MOST_READING)
