"""What a real robot would answer: emulated robots at the other end of a link."""

from kumi.link.emulators.emulation import Emulation, Make
from kumi.link.emulators.firmware import Firmware
from kumi.link.emulators.hardware import Errors, Hardware, Lags
from kumi.link.emulators.packet_robot import PacketRobot

__all__ = ["Emulation", "Errors", "Firmware", "Hardware", "Lags", "Make", "PacketRobot"]
