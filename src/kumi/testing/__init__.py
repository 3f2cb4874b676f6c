"""The kit for people who write sensors, drives, bodies, protocols and models of their own.

Each check is a contract that can be run: it says nothing when all is well, and otherwise raises
AssertionError with a sentence about the promise that was broken.
"""

from kumi.testing.bodies import check_body
from kumi.testing.drives import check_drive
from kumi.testing.layers import check_layer
from kumi.testing.sensors import check_sensor

__all__ = ["check_body", "check_drive", "check_layer", "check_sensor"]
