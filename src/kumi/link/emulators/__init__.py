"""What a real robot would answer: emulated robots at the other end of a link."""

from kumi.link.emulators.emulation import Emulation, Make
from kumi.link.emulators.hardware import Hardware, Lags, ReadingErrors
from kumi.link.emulators.joined import JoinedEmulation, JoinedHardware, Onlooker
from kumi.link.emulators.packet_robot import Firmware, PacketRobot
from kumi.link.emulators.shared_world import SharedWorld
from kumi.link.emulators.world_words import WorldError

__all__ = [
    "Emulation",
    "Firmware",
    "Hardware",
    "JoinedEmulation",
    "JoinedHardware",
    "Lags",
    "Make",
    "Onlooker",
    "PacketRobot",
    "ReadingErrors",
    "SharedWorld",
    "WorldError",
]
