"""What a simulated body perceives, and how it errs."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.contract import Contact, Entered, Left
    from kumi.contract.readings import Counts, LaserScan, Low, NoReading, Picture, Pressed, Range, Sighting
    from kumi.sensing.battery import Battery
    from kumi.sensing.camera import Camera, Prop
    from kumi.sensing.floor import FloorSensor
    from kumi.sensing.kinds import KINDS
    from kumi.sensing.noise import NOISES, Exact, GaussianNoise, Noise, UniformNoise
    from kumi.sensing.pose import Compass, Position, Positions
    from kumi.sensing.proximity import Proximity, ProximityAlarm, View
    from kumi.sensing.range_finders import Infrared, Lidar, RangeFinder, Ultrasonic
    from kumi.sensing.sensor import AskedSensor, PushSensor, Sensor
    from kumi.sensing.touch import Bumper, ContactSensor, Whisker
    from kumi.sensing.wheels import Potentiometer, WheelEncoder

__all__ = [
    "KINDS",
    "NOISES",
    "AskedSensor",
    "Battery",
    "Bumper",
    "Camera",
    "Compass",
    "Contact",
    "ContactSensor",
    "Counts",
    "Entered",
    "Exact",
    "FloorSensor",
    "GaussianNoise",
    "Infrared",
    "LaserScan",
    "Left",
    "Lidar",
    "Low",
    "NoReading",
    "Noise",
    "Picture",
    "Position",
    "Positions",
    "Potentiometer",
    "Pressed",
    "Prop",
    "Proximity",
    "ProximityAlarm",
    "PushSensor",
    "Range",
    "RangeFinder",
    "Sensor",
    "Sighting",
    "Ultrasonic",
    "UniformNoise",
    "View",
    "WheelEncoder",
    "Whisker",
]

lazy(__name__)
