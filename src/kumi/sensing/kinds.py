"""The sensors that ship, by the name a scenario gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumi.sensing.battery import Battery
from kumi.sensing.camera import Camera
from kumi.sensing.floor import FloorSensor
from kumi.sensing.pose import Compass, Position, Positions
from kumi.sensing.proximity import Proximity, ProximityAlarm, View
from kumi.sensing.range_finders import Infrared, Lidar, Ultrasonic
from kumi.sensing.touch import Bumper, ContactSensor, Whisker
from kumi.sensing.wheels import Potentiometer, WheelEncoder

if TYPE_CHECKING:
    from kumi.sensing.sensor import Sensor

KINDS: dict[str, type[Sensor]] = {
    "position": Position,
    "positions": Positions,
    "view": View,
    "proximity": Proximity,
    "proximity-alarm": ProximityAlarm,
    "contact": ContactSensor,
    "bumper": Bumper,
    "whisker": Whisker,
    "infrared": Infrared,
    "ultrasonic": Ultrasonic,
    "floor": FloorSensor,
    "lidar": Lidar,
    "camera": Camera,
    "encoder": WheelEncoder,
    "potentiometer": Potentiometer,
    "compass": Compass,
    "battery": Battery,
}
