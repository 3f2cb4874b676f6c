"""Bytes to and from a real robot: packets, ports, the exchange, calibration, linked bodies."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.link.calibration import Calibration
    from kumi.link.devices import Answer, Device, Read, Write
    from kumi.link.er1 import Er1Body
    from kumi.link.line import Interference, Line
    from kumi.link.linked_body import LinkedBody
    from kumi.link.packets import Control, Damaged, Decoder, Packet, crc16, encode
    from kumi.link.ports import LinkPortError, ListeningPort, Port, PortGone, PtyPair, open_port
    from kumi.link.reckoning import drive_arc, front_wheel
    from kumi.link.remote import Remote
    from kumi.link.responder import Responder
    from kumi.link.stop_and_wait import StopAndWait
    from kumi.link.tables import CalibrationError, Table
    from kumi.link.text_line import TextLine
    from kumi.link.wires import PortWire, SlowWire, Wire, crossed

__all__ = [
    "Answer",
    "Calibration",
    "CalibrationError",
    "Control",
    "Damaged",
    "Decoder",
    "Device",
    "Er1Body",
    "Interference",
    "Line",
    "LinkPortError",
    "LinkedBody",
    "ListeningPort",
    "Packet",
    "Port",
    "PortGone",
    "PortWire",
    "PtyPair",
    "Read",
    "Remote",
    "Responder",
    "SlowWire",
    "StopAndWait",
    "Table",
    "TextLine",
    "Wire",
    "Write",
    "crc16",
    "crossed",
    "drive_arc",
    "encode",
    "front_wheel",
    "open_port",
]

lazy(__name__)
